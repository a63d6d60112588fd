"""PostgreSQL is killed under turns: what was promised is kept, reads go on, effects wait for their log."""

import logging

import pytest

from chaos.crew import Person, ended
from chaos.here import Here, Watcher
from chaos.verdict import of_kind, verify
from chaos.worker import submit_missing
from glassloop.core import events as e
from waiting import until


@pytest.mark.slow
async def test_two_workers_outlive_a_killed_server_and_keep_every_promise(hire, server):
    crew = hire(server.url)
    questions = {}
    async with await crew.open_runtime() as runtime, Person(runtime):
        workers = [crew.start(), crew.start()]
        for worker in workers:
            await crew.ready(worker)
        for kill in (1, 2):
            # New ones, as those that went on in memory meanwhile promise nothing any more.
            fresh = {f"s{kill}-{number}": "r e rr ri e r" for number in range(6)}
            questions |= fresh
            await submit_missing(runtime, fresh)
            goal = crew.diary.promises + 60
            await until(lambda goal=goal: crew.diary.promises >= goal, f"kill {kill}: {goal} events are published")
            await server.kill()
            await server.start()
        await ended(runtime, questions)
        assert [worker.end() for worker in workers] == [0, 0]
        await verify(runtime, crew.diary, questions)


@pytest.fixture
async def opens(server, tmp_path):
    """Opens a runtime in this process on a server of its own."""
    opened = []

    async def open_here(**options):
        opened.append(await Here.open(tmp_path, server.url, **options))
        return opened[-1]

    yield open_here
    for here in opened:
        await here.runtime.aclose(1.0)


async def test_a_turn_that_only_reads_goes_on_without_its_server_and_is_stored_when_it_is_back(opens, server):
    here = await opens()
    watcher = await here.submit_to_gate("r ~r r")
    await server.kill()
    here.open_gate()
    events = await watcher.to_its_end()
    assert of_kind(events, e.LogDelayed)
    assert events[-1].status == "completed"
    await server.start()
    await watcher.stored()
    await verify(here.runtime, here.diary, {"s": "r ~r r"})


@pytest.mark.slow
async def test_a_turn_can_begin_without_its_server_and_is_stored_when_it_is_back(opens, server):
    here = await opens()
    here.open_gate()
    await server.kill()
    watcher = await here.submit("r rr r")
    events = await watcher.to_its_end()
    assert of_kind(events, e.LogDelayed)
    assert events[-1].status == "completed"
    late = await Watcher(here.runtime, watcher.turn_id).to_its_end()
    assert of_kind(late, e.LogDelayed)
    assert [event for event in late if type(event) not in e.TRANSIENT][-1] == events[-1]
    await server.start()
    await watcher.stored()
    await verify(here.runtime, here.diary, {"s": "r rr r"})


@pytest.mark.slow
async def test_a_turn_that_began_without_its_server_is_not_taken_for_anothers_when_it_is_back(opens, server):
    here = await opens(lease_s=0.3)
    await server.kill()
    watcher = await here.submit_to_gate("r ~e r")
    await server.start()
    await until(lambda: here.runtime.store.turns.get(watcher.turn_id), "the turn's beginning is stored")
    here.open_gate()
    await watcher.to_its_end()
    await watcher.stored()
    logs = await verify(here.runtime, here.diary, {"s": "r ~e r"})
    assert not of_kind(logs["s"], e.TurnClaimed)


@pytest.mark.slow
async def test_a_turn_that_ended_without_its_server_is_not_begun_anew_when_it_is_back(opens, server):
    here = await opens(lease_s=0.5)
    watcher = await here.submit_to_gate("r ~r r")
    await server.kill()
    here.open_gate()
    await watcher.to_its_end()
    await server.start()
    # Long before what is kept in memory is looked at again.
    await here.runtime.reconcile()
    await watcher.stored()
    logs = await verify(here.runtime, here.diary, {"s": "r ~r r"})
    assert not of_kind(logs["s"], e.TurnClaimed)


@pytest.mark.parametrize(
    "lease_s",
    [pytest.param(None, id="within its lease"), pytest.param(0.6, id="after its lease", marks=pytest.mark.slow)],
)
async def test_an_effect_waits_for_its_server_and_then_runs_once(patient, opens, server, caplog, lease_s):
    here = await opens(lease_s=lease_s)
    watcher = await here.submit_to_gate("r ~e r")
    await server.kill()
    with caplog.at_level(logging.WARNING, "glassloop"):
        here.open_gate()
        await until(lambda: "is not stored, try 3" in caplog.text, "the intent is tried to be stored")
    assert not here.effects
    await server.start()
    await watcher.to_its_end()
    assert here.effects == ["begun", "did"]
    await watcher.stored()
    logs = await verify(here.runtime, here.diary, {"s": "r ~e r"})
    assert not of_kind(logs["s"], e.ApprovalRequested)


@pytest.mark.slow
@pytest.mark.parametrize("question", ["r ~e r", "~r e r", "r ~re r"])
async def test_an_effect_that_cannot_be_logged_in_time_does_not_run(opens, server, question):
    here = await opens()
    watcher = await here.submit_to_gate(question)
    await server.kill()
    here.open_gate()
    events = await watcher.to_its_end()
    assert events[-1].status == "completed"
    assert not here.effects
    await server.start()
    await watcher.stored()
    logs = await verify(here.runtime, here.diary, {"s": question})
    (refused,) = [x for x in of_kind(logs["s"], e.ToolReturned) if not x.result.success]
    assert refused.result.cause == "unlogged"
