"""A disk without room, or one that cannot be written, under turns: nothing is said to be stored that is not."""

import asyncio
import resource
import sqlite3

import pytest

from chaos.assistant import GATE
from chaos.crew import ended, last_turn
from chaos.here import Here, Watcher
from chaos.verdict import of_kind, verify
from glassloop.core import events as e
from waiting import until

PAGES = 140
PAGE_BYTES = 4096
MOMENT_S = 0.3


@pytest.fixture
async def here(tmp_path):
    opened = await Here.open(tmp_path, f"sqlite:///{tmp_path}/log.db?max_page_count={PAGES}")
    yield opened
    await opened.runtime.aclose(1.0)


def fill(tmp_path):
    """Takes all the room that the store may have."""
    connection = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
    connection.execute("CREATE TABLE filling (what)")
    connection.execute("INSERT INTO filling VALUES (zeroblob(?))", [PAGES * PAGE_BYTES])
    connection.close()


def empty(tmp_path):
    connection = sqlite3.connect(tmp_path / "log.db", isolation_level=None)
    connection.execute("DROP TABLE filling")
    connection.close()


async def test_a_turn_that_only_reads_goes_on_without_room_and_is_stored_when_there_is_some(here, tmp_path):
    watcher = await here.submit_to_gate("r ~n r")
    fill(tmp_path)
    here.open_gate()
    events = await watcher.to_its_end()
    assert of_kind(events, e.LogDelayed)
    assert events[-1].status == "completed"
    late = await Watcher(here.runtime, watcher.turn_id).to_its_end()
    assert of_kind(late, e.LogDelayed)
    assert late[-1] == events[-1]
    # While there is no room somebody looks for turns that nobody runs.
    await here.runtime.reconcile()
    assert (await here.runtime.turn(watcher.turn_id)).status == "running"
    empty(tmp_path)
    await watcher.stored()
    logs = await verify(here.runtime, here.diary, {"s": "r ~n r"})
    assert not of_kind(logs["s"], e.TurnClaimed)


async def test_an_effect_waits_for_room_and_then_runs_once(patient, here, tmp_path):
    watcher = await here.submit_to_gate("r ~n e r")
    fill(tmp_path)
    here.open_gate()
    await until(lambda: len(here.noted("asked")) == 3, "the effect is what comes next")
    # Long enough for one that would not wait.
    await asyncio.sleep(MOMENT_S)
    assert not here.effects
    empty(tmp_path)
    await watcher.to_its_end()
    assert here.effects == ["begun", "did"]
    await watcher.stored()
    await verify(here.runtime, here.diary, {"s": "r ~n e r"})


@pytest.mark.slow
async def test_an_effect_that_finds_no_room_in_time_does_not_run(here, tmp_path):
    watcher = await here.submit_to_gate("r ~n e r")
    fill(tmp_path)
    here.open_gate()
    await watcher.to_its_end()
    assert not here.effects
    empty(tmp_path)
    await watcher.stored()
    await verify(here.runtime, here.diary, {"s": "r ~n e r"})


def limit_file_size(worker, size):
    """Every write of the worker beyond that fails as an I/O error."""
    _, most = resource.prlimit(worker.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(worker.process.pid, resource.RLIMIT_FSIZE, (size, most))


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="nothing here makes a worker's writes fail from outside")
@pytest.mark.parametrize(
    "killed", [pytest.param(False, id="mended"), pytest.param(True, id="killed meanwhile", marks=pytest.mark.slow)]
)
async def test_an_effect_does_not_run_while_its_log_cannot_be_written_and_runs_once_afterwards(file_crew, killed):
    crew, questions = file_crew, {"s": "r ~n e r"}
    async with await crew.open_runtime() as runtime:
        worker = await crew.begin(runtime, questions, gate=GATE)
        await until(lambda: crew.did("waits"), "the worker waits at the gate")
        limit_file_size(worker, (crew.folder / "log.db-wal").stat().st_size)
        crew.diary.open_gate()
        await until(lambda: crew.did("delayed"), "the turn goes on in memory")
        promised = crew.diary.promises
        assert len(await runtime.store.turns.read((await last_turn(runtime, "s")).id)) >= promised
        await until(lambda: len(crew.did("asked")) == 3, "the effect is what comes next")
        # Long enough for one that would not wait.
        await asyncio.sleep(MOMENT_S)
        assert not crew.did("begun")
        if killed:
            worker.kill()
            worker = crew.start()
        else:
            limit_file_size(worker, resource.RLIM_INFINITY)
        await ended(runtime, questions)
        assert len(crew.did("did", worker=worker)) == len(crew.did("begun")) == 1
        await verify(runtime, crew.diary, questions)
