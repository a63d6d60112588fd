"""Context of a tool call: how a tool reports progress, and learns that nobody waits any more.

A tool asks for it with a parameter annotated `ToolContext`. It holds no handle to the loop or the store. Asyncio is
imported when a call runs, and not before.
"""

import math
import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.labels import OWN, Labels
from glassloop.core.ports import CallContext, Progress

PROGRESS_CHARS = 500

T = TypeVar("T")
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    DepsT = TypeVarWithDefault("DepsT", default=None)
else:
    DepsT = TypeVar("DepsT")


class ToolCancelled(BaseException):
    """Ends a tool's work in a thread: nobody waits for it any more, so nobody is told.

    Not an `Exception`, as `asyncio.CancelledError` is none: a tool that catches what goes wrong must not catch this.
    """


class ToolContext(msgspec.Struct, Generic[DepsT], frozen=True, kw_only=True):
    """The call a tool serves, with the dependencies that the program gave the turn (`ToolContext[Database].deps`). All
    defaults, so that a tool can be called by hand with `ToolContext()`.

    `asked_at` is when the question was asked, in seconds since 1970 (0: not known): what `tomorrow` in it means does
    not change while somebody thinks about approving the call.
    """

    turn_id: str = ""
    """The turn that calls."""
    session_id: str = ""
    """Its conversation."""
    user: str = "anonymous"
    """Who asked."""
    call_id: str = ""
    """The call, unique within its turn."""
    report: Progress | None = None
    """Receives progress; call `progress` instead."""
    cancellation: threading.Event | None = None
    """Set when nobody waits any more; see `cancelled` and `wait`."""
    asked_at: float = 0.0
    deps: DepsT = cast("DepsT", None)
    decided_from: Callable[[str], Labels] | None = None
    """Says where a call comes from; read `labels` instead."""
    room: Callable[[], int] | None = None
    """How much of the result the model is shown for certain, whatever the other calls of the step return; None where
    that is not known. A tool whose results can be read in parts returns no more than this."""

    temporary: bool = False
    """Whether the conversation is temporary: a tool keeps nothing for later then."""

    @classmethod
    def of(cls, context: CallContext) -> "ToolContext[Any]":
        """The context of a call of the loop."""
        return cls(
            turn_id=context.turn_id,
            session_id=context.session_id,
            user=context.user,
            call_id=context.call_id,
            report=context.progress,
            asked_at=context.asked_at,
            deps=context.deps,
            decided_from=context.decided_from,
            room=context.room,
            temporary=context.temporary,
        )

    @property
    def labels(self) -> Labels:
        """The labels of all that the call may follow from. What a tool keeps for later is no more trusted than these;
        a call by hand is the program's own."""
        return OWN if self.decided_from is None else self.decided_from(self.call_id)

    @property
    def shown_chars(self) -> int | None:
        """How many characters of the result the model is shown for certain; None where nobody says."""
        return None if self.room is None else self.room()

    @property
    def idempotency_key(self) -> str:
        """Stable over retry, approval and resume: hand it to a service that can tell a repeated request by it."""
        return f"{self.turn_id}:{self.call_id}"

    def progress(self, message: str, fraction: float | None = None) -> None:
        """Says how far the work is; from any thread, at any rate, and without effect when nobody listens."""
        if self.report is None:
            return
        if fraction is not None:
            fraction = min(1.0, max(0.0, float(fraction))) if math.isfinite(fraction) else None
        self.report(str(message)[:PROGRESS_CHARS], fraction)

    @property
    def cancelled(self) -> bool:
        """Whether nobody waits for this call any more: cancelled, out of time, shut down. From any thread."""
        return self.cancellation is not None and self.cancellation.is_set()

    def raise_if_cancelled(self) -> None:
        """Raises `ToolCancelled` when nobody waits any more: call it between two pieces of long work in a thread."""
        if self.cancelled:
            raise ToolCancelled

    def wait(self, seconds: float) -> bool:
        """Sleeps in a thread, until the call is cancelled at the longest; whether it was."""
        refuse_on_loop("ToolContext.wait()", "asyncio.sleep()")
        # A context made by hand is never cancelled.
        return (self.cancellation or threading.Event()).wait(min(max(0.0, seconds), threading.TIMEOUT_MAX))


async def attended(work: Callable[[ToolContext], Awaitable[T]], context: ToolContext) -> T:
    """Does the work with a context that is heard while somebody waits, and is told when nobody does any more."""
    cancellation = threading.Event()
    relay = None if context.report is None else _Relay(context.report)
    try:
        return await work(msgspec.structs.replace(context, report=relay, cancellation=cancellation))
    except BaseException:
        cancellation.set()
        raise
    finally:
        if relay is not None:
            relay.close()


def refuse_on_loop(what: str, instead: str) -> None:
    """Refuses what would block an event loop, where one runs in this thread."""
    import asyncio

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return
    raise UsageError(f"{what} would block the event loop: in an async tool 'await {instead}'.")


class _Relay:
    """Carries progress to the loop, until the call is over: a thread left behind is not heard."""

    def __init__(self, report: Progress) -> None:
        import asyncio

        self._report = report
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._open = True

    def __call__(self, message: str, fraction: float | None) -> None:
        if not self._open:
            return
        if threading.get_ident() == self._thread:
            self._report(message, fraction)
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
