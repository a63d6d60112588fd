"""Thread pool for plain (not async) tool functions, bounded and apart from the event loop.

The threads are daemons on purpose: a function that hangs past its timeout cannot be stopped, and must not keep the
process from ending. Owns no timeouts: the caller stops waiting, and the thread is free again when its function is done.
`tools.context` tells the function that nobody waits any more.
"""

import asyncio
import contextvars
import inspect
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from glassloop.core.errors import ToolUnavailable

THREADS = 32
WAITING = 1_000

_Job = tuple["Future[Any]", contextvars.Context, Callable[..., Any], dict[str, Any]]


class ToolThreads:
    """At most `limit` threads, started when needed; at most `waiting` calls queue for them."""

    def __init__(self, limit: int = THREADS, waiting: int = WAITING, purpose: str = "tool") -> None:
        self._limit = limit
        self._waiting = waiting
        self._purpose = purpose
        self._abandoned = 0
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._started = 0
        self._lock = threading.Lock()

    @property
    def abandoned(self) -> int:
        """How many threads still work for a call that was given up."""
        return self._abandoned

    async def run(self, function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
        """Calls the function in a thread, with the caller's context variables; not at all if cancelled before."""
        future = self.submit(function, arguments)
        try:
            return await asyncio.wrap_future(future)
        except (asyncio.CancelledError, GeneratorExit):
            self._give_up(future)
            raise

    def submit(self, function: Callable[..., Any], arguments: dict[str, Any]) -> "Future[Any]":
        if self._jobs.qsize() >= self._waiting:
            raise ToolUnavailable(
                f"All {self._limit} {self._purpose} threads are busy: try again when others are done."
            )
        future: Future[Any] = Future()
        self._jobs.put((future, contextvars.copy_context(), function, arguments))
        self._ensure_thread()
        return future

    def _give_up(self, future: "Future[Any]") -> None:
        if not future.cancel():
            with self._lock:
                self._abandoned += 1
            # Called at once where the function is done by now.
            future.add_done_callback(self._came_back)

    def _came_back(self, future: "Future[Any]") -> None:
        with self._lock:
            self._abandoned -= 1
        if future.exception() is None and inspect.iscoroutine(late := future.result()):
            late.close()

    def _ensure_thread(self) -> None:
        if self._idle.acquire(blocking=False):
            return
        with self._lock:
            if self._started >= self._limit:
                return
            self._started += 1
            name = f"glassloop-{self._purpose}-{self._started}"
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


shared = ToolThreads()
