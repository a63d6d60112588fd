"""Cases from stored turns: asked again as they were asked, expected as their reviewer rated them.

Rated good, the same tools, arguments and figures are expected again; rated bad, anything but all of them together. The
rating is the session's unless one is given: the store rates sessions and no single turns.
"""

import asyncio
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.evidence.figures import read_figures
from glassloop.core.records import Json
from glassloop.evals.score import ObservedCall, ObservedTurn, observe_turn
from glassloop.evals.suite import MAX_QUESTIONS, NONE
from glassloop.evals.suite_files import is_installed, parse_suite, read_suite, toml, toml_key
from glassloop.evals.target import assistant_of
from glassloop.runtime.assistants.agents import key_of_turn
from glassloop.runtime.assistants.assistant_files import check_logged
from glassloop.runtime.settings import Settings
from glassloop.store.log.turn_tree import turns_before
from glassloop.store.records import Rating, TurnRow
from glassloop.store.store import Store
from glassloop.whole_file import write_whole

MAX_FIGURES = 20
_SAID = ("question", "earlier_words", "asked")
MAX_VALUE_CHARS = 2_000


class AddedCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case that was written. `rated_by`: whether the rating was given with the command or stood in the session."""

    case: str
    suite: str
    rating: Rating
    rated_by: str
    questions: int
    made: bool


async def add_turn(
    store: Store,
    turn_id: str,
    path: Path,
    settings: Settings,
    *,
    rating: Rating | None = None,
    note: str = "",
    ident: str = "",
    tags: Sequence[str] = (),
    chosen: str | None = None,
) -> AddedCase:
    """Writes the turn into the suite, which is made where there is none. Raises `UsageError` for what is no case.

    `chosen`: the assistant of the suite as a person gave it. Else the log names it, which may be somebody else's.
    """
    row = await store.turns.get(turn_id)
    session = None if row is None else await store.sessions.get(row.session_id)
    if row is None or session is None:
        raise UnknownName(f"There is no turn {turn_id!r}: `glassloop sessions show` tells those there are.")
    events = await store.turns.read(turn_id, skip_unknown=True)
    started, seen = events[0], observe_turn(events)
    if not isinstance(started, e.TurnStarted) or seen.status not in ("completed", "failed"):
        raise UsageError(f"Turn {turn_id!r} is {row.status}: only a turn that came to its end can be a case.")
    if row.question.startswith("/"):
        raise UsageError(f"Turn {turn_id!r} is the command {row.question[:40]!r}: no model decided anything in it.")
    given = rating or session.rating
    if given is None:
        raise UsageError(f"Nobody has rated the session of turn {turn_id!r}: say --rating good or --rating bad.")
    questions = _questions(turns_before(await store.turns.of_session(row.session_id), row.id), row)
    case = _case(
        ident=ident or f"turn-{turn_id[-12:]}",
        questions=questions,
        tags=tuple(tags),
        note=note or (session.rating_note or "" if rating is None else ""),
        rating=given,
        seen=seen,
    )
    made = await asyncio.to_thread(_write, path, settings, started, chosen, case)
    rated_by = "the command" if rating else "the session"
    return AddedCase(
        case=str(case["id"]), suite=str(path), rating=given, rated_by=rated_by, questions=len(questions), made=made
    )


def _questions(rows: Sequence[TurnRow], last: TurnRow) -> tuple[str, ...]:
    """What was asked before in the session, and the turn's own question."""
    earlier = [row.question for row in rows if not row.question.startswith("/")]
    return (*earlier[-(MAX_QUESTIONS - 1) :], last.question)


def _case(
    *, ident: str, questions: Sequence[str], tags: Sequence[str], note: str, rating: Rating, seen: ObservedTurn
) -> dict[str, object]:
    """The case as it is written: keys in the order in which people read them."""
    asked: dict[str, object] = {"question": questions[0]} if len(questions) == 1 else {"questions": list(questions)}
    found: dict[str, object] = {"id": ident}
    if tags:
        found["tags"] = list(tags)
    if note:
        found["note"] = note[:MAX_VALUE_CHARS]
    calls: dict[str, object] = {"tools": [name for name, _ in groupby(call.tool for call in seen.calls)] or NONE}
    if arguments := _arguments(seen.calls):
        calls["arguments"] = arguments
    answer = _liked(seen) if rating == "good" else _disliked(seen)
    expected = calls | ({"answer": answer} if answer else {})
    return found | asked | (expected if rating == "good" else {"unlike": expected})


def _liked(seen: ObservedTurn) -> dict[str, object]:
    """The figures that had a source; that all have one, where all had."""
    figures = _figures(seen, sourced=True)
    traced = seen.evidence is not None and seen.evidence.figures and not seen.evidence.unsupported
    found: dict[str, object] = {"figures": figures} if figures else {}
    return found | ({"evidence": True} if traced else {})


def _disliked(seen: ObservedTurn) -> dict[str, object]:
    """All figures, as one without a source may be what was wrong; without any, the answer's own words."""
    if figures := _figures(seen, sourced=False):
        return {"figures": figures}
    return {"all": [seen.answer[:MAX_VALUE_CHARS]]} if seen.answer.strip() else {}


def _arguments(calls: Sequence[ObservedCall]) -> dict[str, object]:
    tables: dict[str, list[dict[str, Json]]] = {}
    for call in calls:
        table = {name: _value(value) for name, value in call.args.items() if _can_be_told(value)}
        if table and table not in tables.setdefault(call.tool, []):
            tables[call.tool].append(table)
    return {tool: each[0] if len(each) == 1 else each for tool, each in tables.items() if each}


def _value(value: Json) -> Json:
    return cast("Json", {"exact": value}) if isinstance(value, dict) else value


def _can_be_told(value: Json) -> bool:
    """TOML has no null, and nobody reads a page of text as an expectation."""
    text = msgspec.json.encode(value)
    return len(text) <= MAX_VALUE_CHARS and b"null" not in text


def _figures(seen: ObservedTurn, *, sourced: bool) -> list[float]:
    """The numbers of the answer, each as it is likeliest read; `sourced`: those that an observation holds."""
    found: dict[float, None] = {}
    for figure in seen.evidence.figures if seen.evidence else ():
        if figure.kind == "number" and figure.origin not in _SAID and (figure.source is not None or not sourced):
            for mark in read_figures(figure.text):
                found |= dict.fromkeys(reading.value for reading in mark.readings[:1])
    return list(found)[:MAX_FIGURES]


def _write(
    path: Path, settings: Settings, started: e.TurnStarted, chosen: str | None, case: Mapping[str, object]
) -> bool:
    """Appends the case; whether the suite had to be made. What stands in the file already stays as it is."""
    assistant = chosen or key_of_turn(started).assistant
    path = path.expanduser().resolve()
    if path.suffix != ".toml":
        raise UsageError(f"The suite {str(path)!r} is no file of cases: give a path that ends in .toml.")
    block = "[[cases]]\n" + "".join(f"{toml_key(key)} = {toml(value)}\n" for key, value in case.items())
    made = not path.exists()
    if made:
        if chosen is None:
            check_logged(started, assistant, settings)
        text = f"name = {toml(path.stem)}\nassistant = {toml(assistant)}\n\n{block}"
    else:
        suite = read_suite(path)
        if is_installed(suite, settings):
            raise UsageError(f"The suite {suite.name!r} is fixed: add the turn to a file of your own.")
        if assistant_of(suite, settings.home_path) != assistant:
            raise UsageError(
                f"The turn was answered by the assistant {assistant!r} and the suite asks "
                f"{suite.assistant or suite.tools[0]!r}: add it to a suite of its own assistant."
            )
        if any(known.id == case["id"] for known in suite.cases):
            raise UsageError(f"The suite has a case {case['id']!r} already: give this one another with --id.")
        text = f"{path.read_text('utf-8-sig').rstrip()}\n\n{block}"
    parse_suite(text, path)
    _replace(path, text)
    return made


def _replace(path: Path, text: str) -> None:
    try:
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
        write_whole(path, text.encode("utf-8"), mode)
    except OSError as error:
        raise UsageError(f"The suite {str(path)!r} cannot be written ({error.strerror}): give another path.") from None


def rating_of(text: str | None) -> Rating | None:
    """A rating as it is typed."""
    if text not in (None, "good", "bad"):
        raise UsageError(f"--rating {text!r} is not known: say good or bad.")
    return text
