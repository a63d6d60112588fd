"""Event loop of callers that have none: one thread for the process, so that what was opened stays open between calls.

Connections, the store and MCP servers belong to an event loop; a new one for each call would open them anew.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

from glassloop.core.errors import UsageError

T = TypeVar("T")

_starting = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None


def run_in_loop(work: Coroutine[Any, Any, T], instead: str) -> T:
    """The result of `work`. Raises `UsageError` in a thread that runs an event loop, which it would block; `instead`
    is what to await there."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        work.close()
        raise UsageError(
            f"An event loop is running in this thread and this call would block it: await {instead} instead."
        )
    running = asyncio.run_coroutine_threadsafe(work, _started())
    try:
        return running.result()
    except BaseException:
        # Ctrl-C: the work is told, and ends its turn as cancelled.
        running.cancel()
        raise


def _started() -> asyncio.AbstractEventLoop:
    global _loop
    with _starting:
        if _loop is None:
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="glassloop-sync", daemon=True).start()
        return _loop


def _forget_in_child() -> None:
    """The thread is not there in a forked process: the next call starts one."""
    global _loop, _starting
    _loop, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_in_child)
