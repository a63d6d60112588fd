"""A turn played to its end: events shown, people asked, Ctrl-C heeded.

The same for one question and for a chat. Who is asked, and where events are shown, is handed in.
"""

import asyncio
import signal
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import BadArguments
from glassloop.runtime.agent import Agent, Approval, TurnStream

COMPLETED, FAILED, BAD_INPUT, WAITING, CANCELLED = 0, 1, 2, 3, 130

# Where the event loop listens itself, no signal can slip by between two looks at its queue.
_LOOP_HEARS_SIGNALS = sys.platform != "win32"


class Display(Protocol):
    """Entered for each stretch of a turn that runs without a person; shows the events of that stretch."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(self, *_error: object) -> None: ...

    def show(self, event: e.Event) -> None: ...


class Decider(Protocol):
    """Whoever decides about pending calls; is told when a decision could not be used, and then asked again."""

    def decide(self, requests: Sequence[e.ApprovalRequested]) -> Sequence[Approval]: ...

    def complain(self, problem: str) -> None: ...


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a turn ended; without `finished` it waits for people who could not be asked."""

    finished: e.TurnFinished | None
    waiting: tuple[e.ApprovalRequested, ...] = ()

    @property
    def exit_code(self) -> int:
        if self.finished is None:
            return WAITING
        if self.finished.error_type == "validation_error":
            return BAD_INPUT
        return {"completed": COMPLETED, "failed": FAILED, "cancelled": CANCELLED}[self.finished.status]


class Player:
    """Plays turns of one agent, one after the other, on one event loop."""

    def __init__(self, runner: asyncio.Runner, *, user: str = "anonymous") -> None:
        self._runner = runner
        self._user = user

    def play(
        self, agent: Agent, question: str, *, session_id: str | None, display: Display, decider: Decider | None
    ) -> Outcome:
        """One turn; where `decider` is None, a turn that needs people stays where it is."""
        stream = agent.stream(question, session_id=session_id, user=self._user)
        self._runner.run(_watch(stream, display))
        while stream.paused:
            waiting = pending(stream.events)
            if decider is None:
                return Outcome(finished=None, waiting=waiting)
            stream = _decided(agent, stream, decider, waiting)
            self._runner.run(_watch(stream, display))
        return Outcome(finished=_end(stream.events))


def pending(events: Sequence[e.Durable]) -> tuple[e.ApprovalRequested, ...]:
    """What a paused turn waits for: the last request of each call it names."""
    paused = next((event for event in reversed(events) if isinstance(event, e.TurnPaused)), None)
    requests = {event.call.id: event for event in events if isinstance(event, e.ApprovalRequested)}
    return tuple(requests[name] for name in paused.call_ids if name in requests) if paused else ()


def _decided(agent: Agent, stream: TurnStream, decider: Decider, waiting: Sequence[e.ApprovalRequested]) -> TurnStream:
    """The turn with what people decided; Ctrl-C instead of a decision cancels it."""
    while True:
        try:
            return agent.resume(stream.events, decider.decide(waiting))
        except BadArguments as error:
            decider.complain(str(error))
        except KeyboardInterrupt:
            cancelled = agent.resume(stream.events)
            cancelled.cancel()
            return cancelled


async def _watch(stream: TurnStream, display: Display) -> None:
    async with display:
        with _interrupting(stream.cancel):
            async for event in stream:
                display.show(event)


@contextmanager
def _interrupting(cancel: Callable[[], None]) -> Generator[None]:
    """Ctrl-C calls `cancel`, so that the turn still ends properly; a second one stops the program."""
    loop = asyncio.get_running_loop()
    before = signal.getsignal(signal.SIGINT)

    def interrupt() -> None:
        restore()
        cancel()

    def restore() -> None:
        if _LOOP_HEARS_SIGNALS:
            loop.remove_signal_handler(signal.SIGINT)
        signal.signal(signal.SIGINT, before)

    def from_signal(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(interrupt)

    if _LOOP_HEARS_SIGNALS:
        loop.add_signal_handler(signal.SIGINT, interrupt)
    else:
        signal.signal(signal.SIGINT, from_signal)
    try:
        yield
    finally:
        restore()


def _end(events: Sequence[e.Durable]) -> e.TurnFinished | None:
    return next((event for event in reversed(events) if isinstance(event, e.TurnFinished)), None)
