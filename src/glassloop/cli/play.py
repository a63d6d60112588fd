"""A turn played to its end: events shown, people asked, Ctrl-C heeded.

The same for one question and for a chat. Who is asked, and where events are shown, is handed in.
"""

import asyncio
import signal
import sys
from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Protocol

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import BadArguments
from glassloop.core.policy import is_grantable
from glassloop.projections.pending import pending
from glassloop.runtime.agent import Approval
from glassloop.runtime.agents import Wanted
from glassloop.runtime.runtime import Runtime, Submitted

COMPLETED, FAILED, BAD_INPUT, WAITING, REFUSED, CANCELLED = 0, 1, 2, 3, 4, 130

# Where the event loop listens itself, no signal can slip by between two looks at its queue.
_LOOP_HEARS_SIGNALS = sys.platform != "win32"


class Display(Protocol):
    """Entered for each stretch of a turn that runs without a person; shows the events of that stretch."""

    async def __aenter__(self) -> object: ...

    async def __aexit__(self, *_error: object) -> None: ...

    def show(self, event: e.Event) -> None: ...


class Decider(Protocol):
    """Whoever decides about pending calls; is told when a decision could not be used, and then asked again.

    `grantable` are the tools that may be allowed for the rest of the session.
    """

    def decide(self, requests: Sequence[e.ApprovalRequested], grantable: Container[str]) -> Sequence[Approval]: ...

    def complain(self, problem: str) -> None: ...


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a turn ended; without `finished` it waits for people who could not be asked. `refused`: a person did not
    want something of it."""

    turn_id: str
    finished: e.TurnFinished | None
    waiting: tuple[e.ApprovalRequested, ...] = ()
    refused: bool = False

    @property
    def exit_code(self) -> int:
        if self.finished is None:
            return WAITING
        if self.finished.error_type == "validation_error":
            return BAD_INPUT
        completed = REFUSED if self.refused else COMPLETED
        return {"completed": completed, "failed": FAILED, "cancelled": CANCELLED}[self.finished.status]


class Player:
    """Plays turns, one after the other, on one event loop."""

    def __init__(self, runner: asyncio.Runner, runtime: Runtime, *, user: str = "anonymous") -> None:
        self._runner = runner
        self._runtime = runtime
        self._user = user

    def play(
        self,
        question: str,
        *,
        wanted: Wanted,
        session_id: str | None,
        display: Display,
        decider: Decider | None,
        supersedes: bool = False,
    ) -> Outcome:
        """One turn; where `decider` is None, a turn that needs people stays where it is."""
        submit = self._runtime.submit(
            question,
            session_id=session_id,
            user=self._user,
            wanted=wanted,
            channel="cli",
            supersedes=supersedes,
        )
        return self.follow(self._runner.run(submit), display=display, decider=decider)

    def follow(self, submitted: Submitted, *, display: Display, decider: Decider | None, after: int = 0) -> Outcome:
        """A turn that was taken already, from the event after `after` on."""
        turn_id, seen = submitted.turn_id, list[e.Durable]()
        self._runner.run(self._watch(turn_id, display, seen, after))
        while not isinstance(seen[-1] if seen else None, e.TurnFinished):
            events = self._runner.run(self._runtime.store.turns.read(turn_id, skip_unknown=True))
            waiting = pending(events)
            if decider is None or not waiting:
                ended = end_of(events)
                return Outcome(turn_id=turn_id, finished=ended, waiting=waiting, refused=any_refused(events))
            try:
                decide(self._runner, self._runtime, decider, events)
            except KeyboardInterrupt:
                self._runner.run(self._runtime.cancel(turn_id))
            self._runner.run(self._watch(turn_id, display, seen, events[-1].seq))
        return Outcome(turn_id=turn_id, finished=end_of(seen), refused=any_refused(seen))

    async def _watch(self, turn_id: str, display: Display, seen: list[e.Durable], after: int) -> None:
        loop, stopping = asyncio.get_running_loop(), set[asyncio.Task[bool]]()

        def cancel() -> None:
            stopping.add(loop.create_task(self._runtime.cancel(turn_id)))

        async with display:
            with _interrupting(cancel):
                async for event in self._runtime.watch(turn_id, after=after):
                    if type(event) not in e.TRANSIENT:
                        seen.append(event)  # pyright: ignore[reportArgumentType]
                    display.show(event)
        await asyncio.gather(*stopping)


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


def decide(runner: asyncio.Runner, runtime: Runtime, decider: Decider, events: Sequence[e.Durable]) -> None:
    """Has what is pending decided, and stores it."""
    grantable = runner.run(_grantable(runtime, events[0]))
    while True:
        decisions = decider.decide(pending(events), grantable)
        try:
            runner.run(runtime.approve(events[0].turn_id, decisions))
        except BadArguments as error:
            decider.complain(str(error))
        else:
            return


async def _grantable(runtime: Runtime, started: e.Durable) -> frozenset[str]:
    if not isinstance(started, e.TurnStarted):
        return frozenset()
    specs = (await runtime.agents.of(started)).tools.specs
    return frozenset(name for name, spec in specs.items() if is_grantable(spec))


def end_of(events: Sequence[e.Durable]) -> e.TurnFinished | None:
    return next((event for event in reversed(events) if isinstance(event, e.TurnFinished)), None)


def any_refused(events: Sequence[e.Durable]) -> bool:
    return any(isinstance(event, e.ApprovalDecided) and not event.approved for event in events)
