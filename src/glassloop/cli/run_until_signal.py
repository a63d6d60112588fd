"""Event loop, stop signals and log of commands that run until they are told to stop."""

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType

import msgspec

from glassloop.cli.ui.output import forgiving
from glassloop.cli.ui.problem_log import log_problems
from glassloop.runtime.assistants.assistant_files import survey_assistants
from glassloop.runtime.settings import Settings

_log = logging.getLogger("glassloop.extensions")
REPEATED_SIGNAL_S = 0.3


@contextmanager
def service_log(settings: Settings) -> Generator[None]:
    """The log of a server or worker; `glassloop --debug` makes it tell everything."""
    from glassloop.server.observability.logs import Logs

    if logging.getLogger("glassloop").level == logging.DEBUG:
        settings = msgspec.structs.replace(settings, log_level="debug")
    logs = Logs(settings, forgiving(sys.stderr))
    log_problems(("glassloop.plugins",))
    for problem in settings.extensions.problems:
        _log.warning("%s", problem)
    # What an untrusted folder has is told in one line when settings are loaded.
    for entry in (each for each in survey_assistants(settings)[1] if not each.untrusted):
        _log.warning("the assistant %r of %s is left out: %s", entry.name, entry.folder, entry.reason)
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
def stop_signals(stop: Callable[[], None], on_sigterm: Callable[[], None] | None = None) -> Generator[None]:
    """SIGTERM and Ctrl-C call `stop`, or SIGTERM `on_sigterm`; from a moment later on they end the process at once."""
    insisting: asyncio.TimerHandle | None = None

    def once(number: signal.Signals) -> None:
        nonlocal insisting
        if insisting is None:
            # Whoever stops a whole group of processes may have the same signal come twice: that is one.
            loop = asyncio.get_running_loop()
            insisting = loop.call_later(REPEATED_SIGNAL_S, handlers.restore, signal.SIG_DFL)
            (on_sigterm or stop)() if number == signal.SIGTERM else stop()

    handlers = LoopSignals((signal.SIGTERM, signal.SIGINT), once)
    try:
        yield
    finally:
        if insisting is not None:
            insisting.cancel()
        handlers.restore()


class LoopSignals:
    """Signals that call `handler` on the running event loop, until they are restored."""

    def __init__(self, numbers: Sequence[signal.Signals], handler: Callable[[signal.Signals], None]) -> None:
        self._loop = asyncio.get_running_loop()
        self._before = {number: signal.getsignal(number) for number in numbers}
        for number in numbers:
            # Where the event loop listens itself, no signal can slip by between two looks at its queue.
            if sys.platform != "win32":
                self._loop.add_signal_handler(number, handler, number)
            else:
                signal.signal(number, partial(self._from_signal, partial(handler, number)))

    def _from_signal(self, handler: Callable[[], None], _number: int, _frame: FrameType | None) -> None:
        self._loop.call_soon_threadsafe(handler)

    def restore(self, instead: signal.Handlers | None = None) -> None:
        """As it was before, or `instead`."""
        for number, before in self._before.items():
            if sys.platform != "win32":
                self._loop.remove_signal_handler(number)
            signal.signal(number, before if instead is None else instead)
