"""`glassloop dead-letters`: what was set aside is listed, tried again and dropped, each once."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.store import open_store
from glassloop.store.store import Store
from glassloop.store.tables.dead_letters import DeadLetter, LetterKind


@pytest.fixture
def database(environment: dict[str, str]) -> str:
    return f"sqlite:///{Path(environment['GLASSLOOP_HOME'], 'glassloop.db')}"


async def add_letter(store: Store, kind: LetterKind, ident: str, at: float) -> None:
    letter = DeadLetter(kind=kind, id=ident, user_id="ann\x1b[31m", subject="general", cpu_work="a hard\nsum", deaths=2,
                        reason="Set aside: twice.", at=at)  # fmt: skip
    await store.dead_letters.add(letter)


def set_aside(database: str, *letters: tuple[LetterKind, str]) -> None:
    async def add() -> None:
        async with await open_store(database) as store:
            for at, (kind, ident) in enumerate(letters, 1):
                await add_letter(store, kind, ident, at)

    asyncio.run(add())


def test_letters_are_listed_newest_first_without_control_characters(here: Any, database: str) -> None:
    assert "No dead letters." in here("dead-letters", "list").out
    set_aside(database, ("turn", "t1"), ("job", "j1"))
    shown = here("dead-letters", "list").out
    for part in ("turn t1", "job j1", "in a hard sum", "2 deaths", "2 dead letters"):
        assert part in shown
    assert "\x1b[31m" not in shown
    found = here("dead-letters", "list", "--json").json
    assert [(letter["kind"], letter["id"], letter["reason"]) for letter in found] == [
        ("job", "j1", "Set aside: twice."),
        ("turn", "t1", "Set aside: twice."),
    ]
    assert [letter["id"] for letter in here("dead-letters", "list", "--limit", "1", "--json").json] == ["j1"]


def test_a_letter_is_dropped_once_and_the_audit_says_so(here: Any, database: str) -> None:
    set_aside(database, ("turn", "t1"))
    assert "Dropped the dead letter" in here("dead-letters", "drop", "turn", "t1").out
    refused(here("dead-letters", "drop", "turn", "t1"), "There is no dead letter of turn 't1'")
    assert here("dead-letters", "list", "--json").json == []
    assert "dropped" in here("audit", "list").out


def test_a_turn_that_was_set_aside_is_asked_again_as_a_new_one(here: Any, database: str) -> None:
    asked = json.loads(here("ask", "--json", "--model", "reflex", "What is 2+2?").out.splitlines()[0])
    set_aside(database, ("turn", asked["turn_id"]))
    said = here("dead-letters", "retry", "turn", asked["turn_id"]).out
    again = said.strip().rstrip(".").rpartition(" ")[2]

    async def session_of() -> tuple[str, str]:
        async with await open_store(database) as store:
            row = await store.turns.get(again)
            assert row is not None
            return row.session_id, row.question

    assert asyncio.run(session_of()) == (asked["session_id"], "What is 2+2?")
    refused(here("dead-letters", "retry", "turn", asked["turn_id"]), "There is no dead letter")
    assert "retried" in here("audit", "list").out


def test_what_cannot_be_tried_again_keeps_its_letter_and_says_what_to_do(here: Any, database: str) -> None:
    set_aside(database, ("turn", "gone"))
    refused(here("dead-letters", "retry", "turn", "gone"), "drop the dead letter")
    assert [letter["id"] for letter in here("dead-letters", "list", "--json").json] == ["gone"]
