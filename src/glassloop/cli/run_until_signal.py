"""Event loop, stop signals and log of commands that run until they are told to stop."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import msgspec

from glassloop.cli.ui.stdio import forgiving
from glassloop.runtime.settings import Settings

REPEATED_SIGNAL_S = 0.3


@contextmanager
def service_log(settings: Settings) -> Generator[None]:
    """The log of a server or worker; `glassloop --debug` makes it tell everything."""
    from glassloop.server.observability.logs import Logs

    if logging.getLogger("glassloop").level == logging.DEBUG:
        settings = msgspec.structs.replace(settings, log_level="debug")
    logs = Logs(settings, forgiving(sys.stderr))
    try:
        yield
    finally:
        logs.close()


def loop_runner() -> asyncio.Runner:
    """Runs an event loop, the quick one where there is one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.Runner()
    return asyncio.Runner(loop_factory=uvloop.new_event_loop)


@contextmanager
def stop_signals(stop: Callable[[], None]) -> Generator[None]:
    """SIGTERM and Ctrl-C call `stop`; from a moment later on they end the process at once."""
    loop = asyncio.get_running_loop()
    heard = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in heard}
    insisting: asyncio.TimerHandle | None = None

    def hear() -> None:
        nonlocal insisting
        if insisting is None:
            # Whoever stops a whole group of processes may have the same signal come twice: that is one.
            insisting = loop.call_later(REPEATED_SIGNAL_S, put_back, dict.fromkeys(heard, signal.SIG_DFL))
            stop()

    def put_back(handlers: Mapping[Any, Any]) -> None:
        for number in heard:
            if sys.platform != "win32":
                loop.remove_signal_handler(number)
            signal.signal(number, handlers[number])

    def from_signal(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(hear)

    for number in heard:
        if sys.platform != "win32":
            loop.add_signal_handler(number, hear)
        else:
            signal.signal(number, from_signal)
    try:
        yield
    finally:
        if insisting is not None:
            insisting.cancel()
        put_back(before)
