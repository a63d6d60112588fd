"""A worker that stands still for a while and does not know it."""

import time

import psycopg
import pytest

from chaos.assistant import GATE
from chaos.crew import Person, asks, ended, last_turn
from chaos.verdict import of_kind, verify
from chaos.worker import submit_missing
from glassloop.core import events as e
from waiting import until

LEFT = ("is another worker's by now", "was left")
LOOKS = 5
LONG_S = 60.0


async def freeze_at_gate(crew, runtime, questions):
    """A worker that waits at the gate, and then does not move at all."""
    worker = await crew.begin(runtime, questions, gate=GATE)
    await until(lambda: crew.did("waits", worker=worker), "the worker waits at the gate")
    await worker.freeze()
    return worker


async def wake_and_see_it_leave(crew, runtime, worker, turn_id, gate=GATE):
    """The log has not a word of the worker that comes back."""
    log = await runtime.store.turns.read(turn_id)
    crew.diary.open_gate(gate)
    worker.wake()
    await until(lambda: any(words in worker.said() for words in LEFT), "the worker leaves the turn")
    assert list(await runtime.store.turns.read(turn_id)) == list(log)


async def works_for_others(crew, runtime, worker):
    """It is the only one left, and does what comes next."""
    for other in crew.alive:
        if other is not worker:
            assert other.end() == 0
    next_one = {"next": "r e r"}
    await submit_missing(runtime, next_one)
    await ended(runtime, next_one)
    turn_id = (await last_turn(runtime, "next")).id
    assert [line for line in crew.did("did", worker=worker) if line[1].startswith(turn_id)]
    assert worker.end() == 0
    return next_one


async def test_a_worker_frozen_before_an_effect_has_lost_its_turn_and_the_effect_is_not_doubled(server_crew):
    crew, questions = server_crew, {"s": "r h r"}
    async with await crew.open_runtime() as runtime:
        frozen = await freeze_at_gate(crew, runtime, questions)
        crew.start()
        turn_id, request = await asks(runtime, "s")
        await wake_and_see_it_leave(crew, runtime, frozen, turn_id)
        assert len(crew.did("did")) <= 1
        await Person(runtime).decide(turn_id, request, approved=False)
        await ended(runtime, questions)
        more = await works_for_others(crew, runtime, frozen)
        logs = await verify(runtime, crew.diary, questions | more)
    assert len(of_kind(logs["s"], e.TurnClaimed)) == 3


@pytest.mark.slow
async def test_a_worker_frozen_between_two_steps_has_lost_its_turn_and_has_no_effect(server_crew):
    crew, questions = server_crew, {"s": "r ~e r"}
    async with await crew.open_runtime() as runtime:
        frozen = await freeze_at_gate(crew, runtime, questions)
        crew.start()
        await ended(runtime, questions)
        await wake_and_see_it_leave(crew, runtime, frozen, (await last_turn(runtime, "s")).id)
        assert len(crew.did("did")) == 1
        assert not crew.did("begun", worker=frozen)
        more = await works_for_others(crew, runtime, frozen)
        await verify(runtime, crew.diary, questions | more)


@pytest.mark.slow
async def test_a_worker_that_does_not_know_that_its_turn_was_taken_writes_nothing_and_has_no_effect(server_crew):
    crew, questions = server_crew, {"s": "r ~e r"}
    crew.lease_s = LONG_S
    async with await crew.open_runtime() as runtime:
        first = await crew.begin(runtime, questions, gate="first")
        await until(lambda: crew.did("waits", worker=first), "the first one waits at its gate")
        with psycopg.connect(crew.url, autocommit=True) as connection:
            connection.execute("UPDATE turns SET lease_until = 0")
        second = crew.start(gate="second")
        await until(lambda: crew.did("waits", worker=second), "the second one waits at its gate")
        await wake_and_see_it_leave(crew, runtime, first, (await last_turn(runtime, "s")).id, "first")
        crew.diary.open_gate("second")
        await ended(runtime, questions)
        assert crew.did("begun") == crew.did("begun", worker=second)
        await verify(runtime, crew.diary, questions)


@pytest.mark.parametrize("question", ["r h r", "r ~e r"], ids=["in an effect", "between two steps"])
@pytest.mark.slow
async def test_a_worker_away_for_longer_than_its_lease_whom_nobody_missed_has_its_effect_once(server_crew, question):
    crew, questions = server_crew, {"s": question}
    async with await crew.open_runtime() as runtime, Person(runtime):
        away = await freeze_at_gate(crew, runtime, questions)
        turn_id = (await last_turn(runtime, "s")).id

        async def is_over():
            return (await runtime.store.turns.get(turn_id)).lease_until < time.time()

        await until(is_over, "the lease of the worker is over")
        crew.diary.open_gate()
        away.wake()
        await ended(runtime, questions)
        await verify(runtime, crew.diary, questions)
    assert len(crew.did("did")) == 1


@pytest.mark.parametrize("question", ["r h r", "r ~e r"], ids=["before an effect", "between two steps"])
@pytest.mark.slow
async def test_on_a_file_a_frozen_worker_keeps_its_turn_and_ends_it_when_it_wakes(file_crew, question):
    crew, questions = file_crew, {"s": question}
    async with await crew.open_runtime() as runtime:
        frozen = await freeze_at_gate(crew, runtime, questions)
        others = {"other": "r e r"}
        other = crew.start(others)
        await ended(runtime, others)
        looked = len(crew.did("looked", worker=other))
        await until(lambda: len(crew.did("looked", worker=other)) >= looked + LOOKS, "the other one looks around")
        assert (await last_turn(runtime, "s")).status == "running"
        crew.diary.open_gate()
        frozen.wake()
        await ended(runtime, questions)
        logs = await verify(runtime, crew.diary, questions | others)
    assert not any(of_kind(events, e.TurnClaimed) for events in logs.values())
    assert len(crew.did("did", worker=frozen)) == 1
