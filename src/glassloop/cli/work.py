"""Working for others: turns and jobs from the queue, until a signal comes."""

import asyncio
import signal
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

from glassloop.cli.tell import say
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings

GRACE_S = 10.0


async def work(settings: Settings) -> None:
    """Takes work until told to stop, then hands over what is under way."""
    stopping = asyncio.Event()
    with hearing(stopping.set):
        runtime = await open_runtime(settings, queue=True)
        name = runtime.worker
        try:
            say(f"worker {name} is ready, {settings.max_turns} at once")
            await stopping.wait()
            say(f"worker {name} stops, {runtime.running} under way")
        finally:
            await runtime.aclose(GRACE_S)
    say(f"worker {name} has stopped")


@contextmanager
def hearing(stop: Callable[[], None]) -> Generator[None]:
    """SIGTERM and Ctrl-C call `stop`; the second time they do what they always do."""
    loop = asyncio.get_running_loop()
    heard = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.getsignal(number) for number in heard}

    def hear() -> None:
        restore()
        stop()

    def restore() -> None:
        for number in heard:
            if sys.platform != "win32":
                loop.remove_signal_handler(number)
            signal.signal(number, before[number])

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
        restore()
