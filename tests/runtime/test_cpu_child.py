"""CPU-bound work in a process of ours: what it returns, and what happens where it ends."""

import asyncio
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from glassloop.core.cpu_work import LARGE_CHARS, CannotWork, run_cpu_bound
from glassloop.core.evidence import check_answer
from glassloop.core.messages import UserMessage
from glassloop.python_child import python_child
from glassloop.runtime.cpu_child import NICENESS, CpuChild, cpu_child


async def test_large_work_is_done_elsewhere_and_small_work_here() -> None:
    async with cpu_child():
        assert await run_cpu_bound("pid", LARGE_CHARS, os.getpid) != os.getpid()
        assert await run_cpu_bound("pid", LARGE_CHARS - 1, os.getpid) == os.getpid()
    assert await run_cpu_bound("pid", LARGE_CHARS, os.getpid) == os.getpid()


async def test_evidence_is_the_same_in_the_child() -> None:
    given = "It was 4,200.", [UserMessage("How much?"), UserMessage("4,200 " + "x " * LARGE_CHARS)], "How much?"
    async with cpu_child() as child:
        assert await child.run("ann", check_answer, *given) == check_answer(*given)


async def test_work_whose_process_ends_is_done_here() -> None:
    async with cpu_child() as child:
        first = await run_cpu_bound("pid", LARGE_CHARS, os.getpid)
        os.kill(first, signal.SIGKILL)
        assert await run_cpu_bound("pid", LARGE_CHARS, os.getpid) in (os.getpid(), child.pid)
        # The next one has a process again.
        assert await run_cpu_bound("pid", LARGE_CHARS, os.getpid) not in (first, os.getpid())


async def test_what_cannot_be_sent_or_raises_is_done_here() -> None:
    async with cpu_child():
        assert await run_cpu_bound("thread", LARGE_CHARS, lambda: threading.get_ident()) != threading.get_ident()
        with pytest.raises(ZeroDivisionError):
            await run_cpu_bound("sum", LARGE_CHARS, divmod, 1, 0)


async def test_work_that_takes_too_long_is_ended() -> None:
    child = CpuChild(limit_s=1.0)
    try:
        with pytest.raises(CannotWork):
            await child.run("ann", time.sleep, 30.0)
        assert child.pid is None
    finally:
        await child.aclose()


async def test_the_answer_of_somebody_who_left_is_not_the_next_ones() -> None:
    async with cpu_child() as child:
        await child.run("ann", os.getpid)
        leaving = asyncio.create_task(child.run("ann", time.sleep, 0.2))
        await asyncio.sleep(0.05)
        leaving.cancel()
        assert await child.run("ann", divmod, 7, 2) == (3, 1)


async def test_an_idle_process_ends() -> None:
    child = CpuChild(idle_s=0.1)
    try:
        pid = await child.run("ann", os.getpid)
        async with asyncio.timeout(20):
            while _is_alive(pid):
                await asyncio.sleep(0.05)
        assert await child.run("ann", os.getpid) != pid
    finally:
        await child.aclose()


def test_the_process_ends_with_whoever_started_it() -> None:
    child = python_child("glassloop.runtime.cpu_child")
    with subprocess.Popen(child.argv, stdin=subprocess.PIPE, cwd=child.cwd, env=child.env) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0


def _autogroup() -> str:
    path = Path("/proc/self/autogroup")
    return path.read_text() if path.exists() else ""


@pytest.mark.skipif(not _autogroup(), reason="this system does not share the processor by sessions")
async def test_its_session_has_a_low_priority_too() -> None:
    async with cpu_child() as child:
        assert (await child.run("ann", Path.read_text, Path("/proc/self/autogroup"))).endswith(f"nice {NICENESS}\n")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
