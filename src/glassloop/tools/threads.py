"""Where plain (not async) tool functions run: a bounded set of threads, apart from the event loop.

The threads are daemons on purpose: a function that hangs past its timeout cannot be stopped, and must not keep the
process from ending. Owns no timeouts: the caller stops waiting, and the thread is free again when its function is done.
"""

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from glassloop.core.errors import ToolUnavailable
from glassloop.core.ports import Progress

THREADS = 32
WAITING = 1_000

_Job = tuple["Future[Any]", contextvars.Context, Callable[..., Any], dict[str, Any]]


class Threads:
    """At most `limit` threads, started when needed; at most `waiting` calls queue for them."""

    def __init__(self, limit: int = THREADS, waiting: int = WAITING) -> None:
        self._limit = limit
        self._waiting = waiting
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0
        self._lock = threading.Lock()

    async def run(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Calls the function in a thread, with the caller's context variables."""
        if self._jobs.qsize() >= self._waiting:
            raise ToolUnavailable(f"All {self._limit} tool threads are busy: try again when others are done.")
        future: Future[Any] = Future()
        self._jobs.put((future, contextvars.copy_context(), function, arguments))
        self._ensure_thread()
        return await asyncio.wrap_future(future)

    def _ensure_thread(self) -> None:
        if self._idle.acquire(blocking=False):
            return
        with self._lock:
            if self._started >= self._limit:
                return
            self._started += 1
            name = f"glassloop-tool-{self._started}"
        threading.Thread(target=self._work, name=name, daemon=True).start()

    def _work(self) -> None:
        while True:
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                self._idle.release()
                job = self._jobs.get()
            _do(*job)
            # An idle thread must not keep the last call's arguments and result alive.
            del job


def _do(
    future: "Future[Any]", context: contextvars.Context, function: Callable[..., Any], arguments: dict[str, Any]
) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        value = context.run(function, **arguments)
    except StopIteration as error:
        # asyncio cannot carry a StopIteration in a future: the caller would wait for ever.
        future.set_exception(RuntimeError(f"raised StopIteration: {error}"))
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(value)


class Relay:
    """Carries progress from a thread to the loop, until the call is over: a thread left behind is not heard."""

    def __init__(self, report: Progress) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._open = True

    def __call__(self, message: str, fraction: float | None) -> None:
        if not self._open:
            return
        try:
            self._loop.call_soon_threadsafe(self._deliver, message, fraction)
        except RuntimeError:
            # The loop has closed under a thread that was left behind.
            self._open = False

    def close(self) -> None:
        self._open = False

    def _deliver(self, message: str, fraction: float | None) -> None:
        if self._open:
            self._report(message, fraction)


shared = Threads()
