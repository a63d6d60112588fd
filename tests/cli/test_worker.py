"""`glassloop worker`: turns submitted elsewhere run here, and go on with others when this worker is told to stop."""

import signal
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from cli.porter import open_door
from glassloop.core import events as e
from glassloop.runtime.assistants.agents import AgentKey
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import load_settings

WAIT_S = 120.0


@pytest.fixture
def queue(postgres_tables: str, environment: dict[str, str]) -> str:
    """A PostgreSQL that every command of the test uses."""
    environment["DATABASE_URL"] = postgres_tables
    return postgres_tables


def ready(process: Any) -> str:
    """Waits for the worker; its name."""
    line = process.stdout.readline().decode()
    assert line.endswith(" is ready, 3 at once\n"), process.stderr.read()
    return line.split()[1]


def test_a_file_is_no_database_for_workers(here: Any) -> None:
    refused(here("worker"), "Workers need PostgreSQL: set DATABASE_URL")


def test_a_worker_that_cannot_run_anything_at_once_is_refused(here: Any) -> None:
    refused(here("worker", "--concurrency", "0"), "--concurrency", "--help")


def test_a_backup_of_postgresql_names_the_tool_for_it(here: Any, monkeypatch: Any, postgres_tables: str) -> None:
    monkeypatch.setenv("DATABASE_URL", postgres_tables)
    refused(here("db", "backup", "copy.db"), "pg_dump")


async def test_a_turn_goes_on_with_another_worker_when_its_own_is_told_to_stop(
    queue: str,
    start: Any,
    porter: str,
    folder: Path,
    environment: dict[str, str],
) -> None:
    # A worker opens what everybody can ask by name, and no folder that stands in a log.
    (Path(environment["GLASSLOOP_HOME"]) / "assistants").mkdir()
    (folder / porter).rename(Path(environment["GLASSLOOP_HOME"]) / "assistants" / porter)
    first = start("worker", "--concurrency", "3")
    name = ready(first)
    runtime = await open_runtime(load_settings(environment, folder), queue=True, runs_turns=False, recovers_turns=False)
    try:
        wanted = AgentKey(porter, "reflex")
        turn_id = (await runtime.submit("/tool wait_at_door", wanted=wanted)).turn_id
        events: list[e.AnyEvent] = []
        second: Any = None
        async for event in runtime.watch(turn_id):
            events.append(event)
            if isinstance(event, e.ToolCalled) and second is None:
                second = start("worker", "--concurrency", "3")
                other = ready(second)
                first.send_signal(signal.SIGTERM)
                assert first.stdout.readline().decode() == f"worker {name} is stopping, 1 running\n"
                open_door(folder)
        assert first.wait(WAIT_S) == 0, first.stderr.read()
        assert first.stdout.readline().decode() == f"worker {name} has stopped\n"
        claims = [event.worker for event in events if isinstance(event, e.TurnClaimed)]
        assert claims == [name, other]
        assert isinstance(events[-1], e.TurnFinished)
        assert events[-1].status == "completed"
        assert sum(isinstance(event, e.ToolCalled) for event in events) == 1
        second.send_signal(signal.SIGINT)
        assert second.wait(WAIT_S) == 0, second.stderr.read()
    finally:
        await runtime.aclose(0.0)
