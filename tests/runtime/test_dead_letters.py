"""Turns that were set aside, and turns whose log is damaged: each has an end, and the former can be tried again."""

import pytest

from glassloop.core.errors import UnknownName
from runtime.conftest import close


async def left_turn(runtime, question="Hard?"):
    """A turn that a process left which is gone by now."""
    submitted = await runtime.submit(question, user="ann")
    await runtime.store.turns.release(submitted.turn_id, 0)
    return submitted.turn_id


async def test_a_turn_whose_process_ended_in_its_work_twice_is_set_aside_and_tried_again(shared, opens):
    asking = await opens(shared, runs_turns=False)
    turn_id = await left_turn(asking)
    await close(asking)
    runtime = await opens(shared, ["Easy."], runs_turns=False)
    for _ in range(2):
        epoch = await runtime.store.turns.claim(turn_id, "gone", 0)
        await runtime.store.turns.mark(turn_id, epoch, "a hard sum")
    await runtime._runner.run(turn_id)
    row = await runtime.turn(turn_id)
    assert row.status == "failed"
    assert "2 times in a row the process ended while it did 'a hard sum'" in row.error
    (letter,) = await runtime.dead_letters.list()
    assert (letter.kind, letter.id, letter.user_id, letter.deaths) == ("turn", turn_id, "ann", 2)
    again = await runtime.dead_letters.retry("turn", turn_id)
    await runtime._runner.run(again.id)
    answered = await runtime.turn(again.id)
    assert (answered.status, answered.answer, answered.session_id) == ("completed", "Easy.", row.session_id)
    with pytest.raises(UnknownName):
        await runtime.dead_letters.drop("turn", turn_id)


async def test_a_turn_with_an_event_that_cannot_be_read_fails_with_the_reason(shared, opens):
    asking = await opens(shared, runs_turns=False)
    turn_id = await left_turn(asking)
    await close(asking)
    runtime = await opens(shared, runs_turns=False)
    damage = "UPDATE events SET body = :body WHERE turn_id = :turn"
    await runtime.store.engine.write(lambda db: db.run(damage, body=b"no events", turn=turn_id))
    await runtime._runner.run(turn_id)
    row = await runtime.turn(turn_id)
    assert row.status == "failed"
    assert "is damaged" in row.error
    await runtime.store.sessions.delete(row.session_id)
