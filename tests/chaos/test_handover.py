"""Who runs a turn when several want to at the same moment, and when nobody can."""

import asyncio
import logging
import sqlite3

import pytest

from chaos.crew import ended
from chaos.here import Here
from chaos.verdict import check_log, of_kind, verify
from glassloop.core import events as e
from waiting import until


@pytest.fixture
async def opens():
    """Opens runtimes in this process, and closes them."""
    opened = []

    async def open_here(*where, **options):
        opened.append(await Here.open(*where, **options))
        return opened[-1]

    yield open_here
    for here in opened:
        await here.runtime.aclose(1.0)


async def test_a_turn_that_is_taken_up_and_cancelled_at_once_comes_to_one_end(opens, tmp_path, caplog):
    url = f"sqlite:///{tmp_path}/log.db"
    first = await Here.open(tmp_path, url)
    sessions = [f"s{number}" for number in range(20)]
    turns = [(await first.runtime.submit("~r", session_id=session)).turn_id for session in sessions]
    await until(lambda: len(first.noted("waits")) == len(turns), "all turns wait at the gate")
    await first.runtime.aclose(0.0)
    here = await opens(tmp_path, url, recovers_turns=False)
    with caplog.at_level(logging.INFO):
        await asyncio.gather(*(x for turn in turns for x in (here.runtime.resume(turn), here.runtime.cancel(turn))))
        await ended(here.runtime, sessions)
        await until(lambda: here.runtime.running == 0, "nothing is left running")
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
    for turn in turns:
        events = await here.runtime.store.turns.read(turn)
        check_log(events)
        assert events[-1].status == "cancelled"
        assert len([event for event in events if isinstance(event, e.TurnClaimed)]) == 1, "one run took it from another"


@pytest.mark.slow
async def test_a_turn_that_ends_while_its_lease_is_renewed_is_not_taken_for_lost(
    postgres_tables, opens, tmp_path, caplog
):
    # So short that leases are renewed all the time.
    here = await opens(tmp_path, postgres_tables, lease_s=0.015)
    questions = {f"s{number:02}": "r r" for number in range(20)}
    with caplog.at_level(logging.WARNING, "glassloop"):
        asked = (here.runtime.submit(text, session_id=session) for session, text in questions.items())
        await asyncio.gather(*asked)
        await ended(here.runtime, questions)
        await until(lambda: here.runtime.running == 0, "nothing is left running")
    assert "another worker" not in caplog.text
    await verify(here.runtime, here.diary, questions)


async def test_a_turn_with_an_event_that_no_worker_knows_fails_after_three_claims(opens, tmp_path):
    url = f"sqlite:///{tmp_path}/log.db"
    first = await Here.open(tmp_path, url)
    watcher = await first.submit_to_gate("r ~r")
    await first.runtime.aclose(0.0)
    with sqlite3.connect(tmp_path / "log.db") as connection:
        connection.execute(
            "INSERT INTO events (turn_id, seq, last, at, kind, body) "
            "SELECT turn_id, max(last) + 1, max(last) + 1, max(at), 'dream_dreamt', ? FROM events "
            "WHERE turn_id = ?",
            [b'[["dream_dreamt",[]]]', watcher.turn_id],
        )
    connection.close()
    here = await opens(tmp_path, url)

    async def is_over():
        await here.runtime.reconcile()
        return (await here.runtime.turn(watcher.turn_id)).status == "failed"

    await until(is_over, "the turn is given up")
    events = await here.runtime.store.turns.read(watcher.turn_id, skip_unknown=True)
    assert len(of_kind(events, e.TurnClaimed)) == 3
    assert "dream_dreamt" in events[-1].error
