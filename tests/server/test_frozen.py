"""Requests that were made to keep a server busy for minutes: each is answered, and so is everybody else meanwhile."""

import asyncio
import os
import signal
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest

from cli.conftest import environment, folder, start  # noqa: F401
from waiting import until

WAIT_S = 120.0
PAUSE_S = 0.02
"""Between two questions of somebody else's: what they take of the machine is not what is looked at."""


@pytest.fixture
def server(start, environment):  # noqa: F811
    """A server in a process of its own: its address and its process."""
    process = start("serve", "--port", "0")
    return process.stdout.readline().decode().split()[-1], process


@asynccontextmanager
async def others(url):
    """A client; while it is at it, somebody else asks all the time whether the server is alive, and is answered."""

    async def ask():
        async with httpx.AsyncClient(base_url=url, timeout=WAIT_S) as other:
            while not over.is_set():
                assert (await other.get("/livez")).status_code == 200
                await asyncio.sleep(PAUSE_S)

    over = asyncio.Event()
    asking = asyncio.ensure_future(ask())
    async with httpx.AsyncClient(base_url=url, timeout=WAIT_S) as client:
        yield client
        over.set()
        await asking


@pytest.mark.slow
async def test_a_question_made_to_be_slow_is_answered_and_others_meanwhile(server):
    async with others(server[0]) as client:
        for question in ("plus 5" + " " * 3_000 + "x", "乘(" * 40_000, "2+" * 40_000, "a" + "\n" * 90_000 + "b"):
            body = {"question": question, "model": "reflex"}
            answer = await client.post("/api/turns", json=body)
            assert answer.status_code in (200, 201, 202), answer.text
            told = await client.get(answer.json()["events"])
            assert "turn_finished" in told.text


@pytest.mark.slow
async def test_a_context_full_of_what_looks_like_tokens_is_stored_and_others_are_served_meanwhile(server):
    async with others(server[0]) as client:
        body = {"query": "What is 2+2?", "context": {"a": "eyJaaaaaaaa-" * 80_000}}
        answer = await client.post("/api/agent/execute", json=body)
        assert answer.status_code == 200, answer.text


@pytest.mark.slow
async def test_a_file_that_freezes_its_reader_ends_its_job_and_others_are_served_meanwhile(server):
    url, process = server
    async with others(url) as client:
        made = await client.post("/api/uploads", params={"name": "a.html"}, content=b"<a " * 200_000)
        told = await client.post("/api/knowledge", json={"upload_id": made.json()["id"]})
        assert told.status_code == 202, told.text
        # It would be stopped after a minute; the test is not to take as long.
        os.kill(await until(lambda: reader_of(process.pid), "a process that reads"), signal.SIGKILL)
        path = f"/api/jobs/{told.json()['id']}"

        async def ended():
            job = (await client.get(path)).json()
            return job if job["status"] in ("completed", "failed", "cancelled") else None

        job = await until(ended, "the end of the job")
    assert job["status"] == "failed"
    assert "stopped its reader" in job["error"]


def reader_of(parent: int) -> int | None:
    """The process below this one that has run long enough to be at the document."""
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            figures = (place / "stat").read_text().rpartition(")")[2].split()
            is_reader = int(figures[1]) == parent and b"documents.child" in (place / "cmdline").read_bytes()
            if is_reader and sum(map(int, figures[11:13])) > 2 * os.sysconf("SC_CLK_TCK"):
                return int(place.name)
    return None
