"""A process of ours for CPU-bound work of turns: in a thread it would hold the interpreter, and all turns would wait.

One for each server or worker, of low priority, started when it is first needed and ended when nothing came for a while.
It does one piece of work at a time, users in turn. Where it ends or takes too long, whoever asked does the work in a
thread, as everybody does who has no such process. Run as a module it is that process.
"""

import asyncio
import os
import pickle
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from glassloop.core.cpu_work import CannotWork, doing_cpu_work
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.core.fair_queue import FairQueue
from glassloop.python_child import HEAD_BYTES, end_with_parent, limit_resources, python_child, read_frame, write_frame
from glassloop.runtime.child_processes.frames import HELD_BYTES, next_frame

MAX_WAITING = 10_000
MAX_ANSWER_BYTES = 200_000_000
MAX_MEMORY = 2_000_000_000
NICENESS = 10
LIMIT_S = 60.0
IDLE_S = 300.0


class CpuChild:
    """The process, as those see it who ask. Close it on the event loop that used it."""

    def __init__(self, limit_s: float = LIMIT_S, idle_s: float = IDLE_S) -> None:
        self._limit_s = limit_s
        self._idle_s = idle_s
        self._queue = FairQueue(MAX_WAITING, _too_many)
        self._process: asyncio.subprocess.Process | None = None
        self._ending: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        return None if self._process is None else self._process.pid

    async def run(self, owner: str, function: Callable[..., Any], *args: Any) -> Any:
        """What a function of a module of ours returns. Raises `CannotWork` where the process could not tell."""
        try:
            raw = pickle.dumps((function, args), pickle.HIGHEST_PROTOCOL)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise CannotWork(str(error)) from error
        # Where nobody waits any more, its answer is still taken: the next one is for somebody else.
        exchange = asyncio.ensure_future(self._exchange(owner, raw))
        exchange.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(exchange)

    async def aclose(self) -> None:
        if self._ending is not None:
            self._ending.cancel()
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    async def _exchange(self, owner: str, raw: bytes) -> Any:
        ticket = self._queue.join(owner)
        try:
            async for _ in ticket.places():
                pass
            async with asyncio.timeout(self._limit_s):
                answer = await self._ask(raw)
        except (OSError, TimeoutError, GlassloopError) as error:
            await self.aclose()
            raise CannotWork(str(error)) from error
        finally:
            ticket.leave()
        if answer is None:
            await self.aclose()
            raise CannotWork("the process ended")
        done, value = pickle.loads(answer)  # noqa: S301
        if not done:
            raise CannotWork(value)
        return value

    async def _ask(self, raw: bytes) -> bytes | None:
        if self._ending is not None:
            self._ending.cancel()
        process = await self._started()
        if process.stdin is None or process.stdout is None:
            return None
        process.stdin.writelines((len(raw).to_bytes(HEAD_BYTES, "big"), raw))
        await process.stdin.drain()
        answer = await next_frame(process.stdout, MAX_ANSWER_BYTES)
        self._ending = asyncio.get_running_loop().call_later(self._idle_s, self._end_idle, process)
        return answer

    async def _started(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            child = python_child(__name__)
            self._process = await asyncio.create_subprocess_exec(
                *child.argv,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                cwd=child.cwd,
                env=child.env,
                limit=HELD_BYTES,
                # Ctrl-C in a terminal is for the server, which ends it.
                start_new_session=True,
            )
        return self._process

    def _end_idle(self, process: asyncio.subprocess.Process) -> None:
        if not len(self._queue) and process.stdin is not None:
            process.stdin.close()


@asynccontextmanager
async def cpu_child() -> AsyncGenerator[CpuChild]:
    """All CPU-bound work of this process goes there meanwhile."""
    child = CpuChild()
    try:
        with doing_cpu_work(child):
            yield child
    finally:
        await child.aclose()


def _too_many() -> GlassloopError:
    return UsageError("This server is overloaded: try again later.")


def work_until_told() -> None:
    """The child: until its standard input ends."""
    limit_resources(MAX_MEMORY, NICENESS)
    end_with_parent()
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever writes to standard output must not end up among the answers.
    os.dup2(2, 1)
    while (raw := read_frame(sys.stdin.buffer)) is not None:
        try:
            function, args = pickle.loads(raw)  # noqa: S301
            answer = pickle.dumps((True, function(*args)), pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            answer = pickle.dumps((False, f"{type(error).__name__}: {error}"[:500]))
        write_frame(answers, answer)


if __name__ == "__main__":
    work_until_told()
