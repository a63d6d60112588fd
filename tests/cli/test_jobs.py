"""`glassloop jobs`: long work of another process, listed, followed and stopped."""

import asyncio
import json
from typing import Any

import pytest

from cli.here import refused
from glassloop.core.errors import UsageError
from glassloop.runtime.build import open_runtime
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.settings import load_settings

WAIT_S = 120.0


class Yard:
    """A runtime in this process that does jobs, and a gate that holds them up."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()

    async def dig(self, context: JobContext, params: dict[str, Any]) -> Any:
        context.progress("half of the \x1b[31mhole", 0.5)
        await self.gate.wait()
        if params.get("stone"):
            raise UsageError("There is a stone.")
        return {"deep": 3}


@pytest.fixture
async def yard(environment: dict[str, str], folder: Any) -> Any:
    yard = Yard()
    kinds = [JobKind(name="dig", run=yard.dig)]
    runtime = await open_runtime(load_settings(environment, folder), recovers_turns=False, kinds=kinds)
    yield yard, runtime.jobs
    yard.gate.set()
    await runtime.aclose(1.0)


async def under_way(jobs: Any, job_id: str) -> None:
    """Waits until the job has said how far it is."""
    async with asyncio.timeout(WAIT_S):
        async for row in jobs.watch(job_id):
            if row.fraction is not None:
                return


@pytest.mark.slow
async def test_a_job_of_another_process_is_listed_followed_and_shown(yard: Any, glassloop: Any, start: Any) -> None:
    gate, jobs = yard
    job = await jobs.submit("dig", {"where": "garden"}, user="ada")
    await under_way(jobs, job.id)
    listed = await asyncio.to_thread(glassloop, "jobs", "list", "--status", "running", "--user", "ada")
    assert job.id in listed.stdout.decode()
    assert "running 50% half of the [31mhole" in listed.stdout.decode()
    follower = start("jobs", "show", job.id, "--follow", "--json")
    first = json.loads(await asyncio.to_thread(follower.stdout.readline))
    assert (first["status"], first["fraction"]) == ("running", 0.5)
    gate.gate.set()
    rest = await asyncio.to_thread(follower.stdout.read)
    assert await asyncio.to_thread(follower.wait, WAIT_S) == 0
    assert json.loads(rest.splitlines()[-1])["status"] == "completed"
    shown = await asyncio.to_thread(glassloop, "jobs", "show", job.id)
    assert 'result: {"deep":3}' in shown.stdout.decode()
    assert 'with: {"where":"garden"}' in shown.stdout.decode()


async def test_a_job_that_fails_is_followed_to_its_reason(yard: Any, start: Any) -> None:
    gate, jobs = yard
    job = await jobs.submit("dig", {"stone": True})
    await under_way(jobs, job.id)
    follower = start("jobs", "show", job.id, "--follow")
    assert (await asyncio.to_thread(follower.stdout.readline)).decode() == "running 50% half of the [31mhole\n"
    gate.gate.set()
    rest = await asyncio.to_thread(follower.stdout.read)
    assert await asyncio.to_thread(follower.wait, WAIT_S) == 1
    assert "error: There is a stone." in rest.decode()


async def test_on_a_terminal_a_job_has_a_bar(yard: Any, terminal: Any) -> None:
    gate, jobs = yard
    job = await jobs.submit("dig")
    await under_way(jobs, job.id)
    screen = terminal("jobs", "show", job.id, "--follow")
    await asyncio.to_thread(screen.expect, "50%")
    gate.gate.set()
    assert await asyncio.to_thread(screen.leave) == 0
    assert 'result: {"deep":3}' in screen.text


async def test_a_job_is_cancelled_from_another_process(yard: Any, glassloop: Any) -> None:
    _, jobs = yard
    job = await jobs.submit("dig")
    await under_way(jobs, job.id)
    done = await asyncio.to_thread(glassloop, "jobs", "cancel", job.id)
    assert done.returncode == 0, done.stderr
    async with asyncio.timeout(WAIT_S):
        assert [row.status async for row in jobs.watch(job.id)][-1] == "cancelled"
    again = await asyncio.to_thread(glassloop, "jobs", "cancel", job.id)
    assert again.returncode == 2
    assert "cancelled already" in again.stderr.decode()


@pytest.mark.parametrize("command", [["show"], ["show", "--follow"], ["cancel"]], ids=" ".join)
def test_an_unknown_job_is_told(here: Any, command: list[str]) -> None:
    refused(here("jobs", *command, "nonesuch"), "There is no job 'nonesuch'")


def test_a_status_that_does_not_exist_is_told(here: Any) -> None:
    refused(here("jobs", "list", "--status", "nonesuch"), "'nonesuch'", "queued")
    assert here("jobs", "list", "--json").json == []
