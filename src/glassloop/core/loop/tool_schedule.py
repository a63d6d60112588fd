"""Schedule of the calls of one step or plan.

Reads that do not depend on each other run side by side; effects run alone and in order; a read after an effect waits
for it. A required call that fails stops the rest. Owns only the order: the caller decides whether a call may run
(`admit`), the executor runs it (`execute`).
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence

import msgspec

from glassloop.core.errors import TurnLost
from glassloop.core.events import AnyEvent
from glassloop.core.messages import Effect
from glassloop.core.records import ToolCall, ToolResult

WAITING_UPDATES = 256
"""Progress beyond this is dropped; results never are."""

_NOT_HEARD = "The turn that this one works for does not listen any more."

DISMISSAL_S = 5.0
"""How long a cancelled call may take to let go before it is left behind."""


class PendingCall(msgspec.Struct, frozen=True, kw_only=True):
    """A call with what decides its place. `needs` are the calls whose results its arguments refer to."""

    call: ToolCall
    effect: Effect
    required: bool = False
    needs: frozenset[str] = frozenset()
    reports_progress: bool = False


class CallsStarting(msgspec.Struct, frozen=True):
    """These calls start when the caller asks for the next update: whatever must be stored before, is stored now."""

    calls: Sequence[ToolCall]
    effects: bool


class CallFinished(msgspec.Struct, frozen=True):
    """A call has its result. `ran` is False when it was answered without running."""

    call: ToolCall
    result: ToolResult
    ran: bool


class CallProgressed(msgspec.Struct, frozen=True):
    """A running call says how far it is."""

    call_id: str
    message: str
    fraction: float | None


class CallRelayed(msgspec.Struct, frozen=True):
    """A running call is a turn of its own, and this happened in it. It goes on when `done` has a result: durable events
    are stored by then, for certain where `sync` is set."""

    call_id: str
    events: Sequence[AnyEvent]
    sync: bool
    done: "asyncio.Future[None]"

    def answer(self, error: Exception | None = None) -> None:
        """Lets it go on, or tells it why its events are not stored. Only the first answer counts."""
        if self.done.done():
            return
        if error is None:
            self.done.set_result(None)
        else:
            self.done.set_exception(error)


class CallHeld(msgspec.Struct, frozen=True):
    """A call that ran has no result yet: it waits for a person, or is left to another worker."""

    call: ToolCall


class ScheduleHalted(msgspec.Struct, frozen=True):
    """A required call failed: nothing new starts, and what was running has been cancelled."""

    call: ToolCall


Update = CallsStarting | CallFinished | CallProgressed | CallRelayed | CallHeld | ScheduleHalted
Verdict = ToolCall | ToolResult | None
"""Of a call whose turn has come: run this; or this is its result; or it must wait for a person."""

Admit = Callable[[PendingCall], Awaitable[Verdict]]
Execute = Callable[[ToolCall, "CallChannel | None"], Awaitable[ToolResult | None]]
"""Runs a call; None: it has no result yet. A channel is there for calls that report progress."""


def ready_calls(waiting: Sequence[PendingCall], running: Collection[str]) -> Sequence[PendingCall]:
    """Which of the waiting calls, in order, may start beside the running ones."""
    first = waiting[0]
    if first.effect != "read":
        return () if running else waiting[:1]
    unfinished = {pending.call.id for pending in waiting}.union(running)
    ready: list[PendingCall] = []
    for pending in waiting:
        if pending.effect != "read":
            break
        if not pending.needs & unfinished:
            ready.append(pending)
    return ready


async def run_calls(
    pending_calls: Sequence[PendingCall], admit: Admit, execute: Execute
) -> AsyncGenerator[Update, None]:
    """Runs the calls and tells what happens. Calls that wait for a person are left when nothing else can go on."""
    waiting, held = list(pending_calls), set[str]()
    places = {pending.call.id: place for place, pending in enumerate(pending_calls)}
    running_calls = _RunningCalls(execute)
    try:
        while waiting or running_calls.running:
            admitted, settled = list[tuple[PendingCall, ToolCall]](), False
            for pending in ready_calls(waiting, running_calls.running) if waiting else ():
                if pending.call.id in held:
                    continue
                verdict = await admit(pending)
                if verdict is None:
                    held.add(pending.call.id)
                    continue
                waiting.remove(pending)
                if isinstance(verdict, ToolResult):
                    settled = True
                    yield CallFinished(pending.call, verdict, False)
                    if pending.required and not verdict.success:
                        yield ScheduleHalted(pending.call)
                        return
                else:
                    admitted.append((pending, verdict))
            if admitted:
                yield CallsStarting([call for _, call in admitted], admitted[0][0].effect != "read")
                if len(admitted) == 1 and not running_calls.running and not admitted[0][0].reports_progress:
                    pending, call = admitted[0]
                    update = _ended(call, await execute(call, None))
                else:
                    running_calls.start(admitted)
                    pending, update = await running_calls.next()
            elif running_calls.running:
                pending, update = await running_calls.next()
            elif settled:
                continue
            else:
                return
            yield update
            if isinstance(update, CallHeld):
                held.add(pending.call.id)
                waiting.append(pending)
                waiting.sort(key=lambda one: places[one.call.id])
            if isinstance(update, CallFinished) and pending.required and not update.result.success:
                await running_calls.cancel_all()
                yield ScheduleHalted(update.call)
                return
    finally:
        await running_calls.cancel_all()


def _ended(call: ToolCall, result: ToolResult | None) -> CallFinished | CallHeld:
    return CallHeld(call) if result is None else CallFinished(call, result, True)


RunningUpdate = CallFinished | CallHeld | CallProgressed | CallRelayed


class CallChannel:
    """How a running call tells what happens in it. Called as a function it is its `Progress`."""

    def __init__(self, pending: PendingCall, call_id: str, running: "_RunningCalls") -> None:
        self._pending = pending
        self._call_id = call_id
        self._running = running

    def __call__(self, message: str, fraction: float | None = None) -> None:
        self._running.progressed(self._pending, CallProgressed(self._call_id, message, fraction))

    async def relay(self, events: Sequence[AnyEvent], *, sync: bool = False) -> None:
        """Has the events of a child turn recorded by the turn whose call this is. Raises `TurnLost` where nobody
        listens any more: then the child must not go on, and writes nothing."""
        done = asyncio.get_running_loop().create_future()
        self._running.relay(self._pending, CallRelayed(self._call_id, events, sync, done))
        await done


class _RunningCalls:
    """The calls that run side by side, and what they say, in the order they say it."""

    def __init__(self, execute: Execute) -> None:
        self.running: dict[str, asyncio.Task[None]] = {}
        self._dismissed = False
        self._execute = execute
        self._relays: set[asyncio.Future[None]] = set()
        self._updates: asyncio.Queue[tuple[PendingCall, RunningUpdate | TurnLost]] = asyncio.Queue()

    def start(self, admitted: Sequence[tuple[PendingCall, ToolCall]]) -> None:
        for pending, call in admitted:
            self.running[call.id] = asyncio.create_task(self._run(pending, call))

    async def next(self) -> tuple[PendingCall, RunningUpdate]:
        pending, update = await self._updates.get()
        if isinstance(update, TurnLost):
            raise update
        if isinstance(update, CallFinished | CallHeld):
            del self.running[update.call.id]
        return pending, update

    async def cancel_all(self) -> None:
        self._dismissed = True
        for done in self._relays:
            if not done.done():
                done.set_exception(TurnLost(_NOT_HEARD))
                # Where nobody waits for it any more, that is no news.
                done.exception()
        tasks = list(self.running.values())
        self.running = {}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=DISMISSAL_S)

    def progressed(self, pending: PendingCall, update: CallProgressed) -> None:
        if self._updates.qsize() < WAITING_UPDATES and update.call_id in self.running:
            self._updates.put_nowait((pending, update))

    def relay(self, pending: PendingCall, update: CallRelayed) -> None:
        """Each call has one at a time under way."""
        if self._dismissed:
            raise TurnLost(_NOT_HEARD)
        self._relays.add(update.done)
        update.done.add_done_callback(self._relays.discard)
        self._updates.put_nowait((pending, update))

    async def _run(self, pending: PendingCall, call: ToolCall) -> None:
        channel = CallChannel(pending, call.id, self) if pending.reports_progress else None
        try:
            result = await self._execute(call, channel)
        except asyncio.CancelledError:
            if self._dismissed:
                raise
            result = ToolResult(success=False, error="The call was cancelled from within.")
        except TurnLost as error:
            self._updates.put_nowait((pending, error))
            return
        except Exception as error:
            result = ToolResult(success=False, error=f"{type(error).__name__}: {error}"[:500])
        self._updates.put_nowait((pending, _ended(call, result)))
