"""The calls of one step, or of a plan, run in the right order.

Reads that do not depend on each other run side by side; effects run alone and in order; a read after an effect waits
for it. A required call that fails stops the rest. Owns only the order: what a call is and whether it may run is the
caller's (`admit`), how it runs is the executor's (`execute`).
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence

import msgspec

from glassloop.core.messages import Effect
from glassloop.core.ports import Progress
from glassloop.core.records import ToolCall, ToolResult

WAITING_UPDATES = 256
"""Progress beyond this is dropped; results never are."""

DISMISSAL_S = 5.0
"""How long a cancelled call may take to let go before it is left behind."""


class Link(msgspec.Struct, frozen=True, kw_only=True):
    """A call with what decides its place. `needs` are the calls whose results its arguments refer to."""

    call: ToolCall
    effect: Effect
    required: bool = False
    needs: frozenset[str] = frozenset()
    reports_progress: bool = False


class Starting(msgspec.Struct, frozen=True):
    """These calls start when the caller asks for the next update: whatever must be stored before, is stored now."""

    calls: Sequence[ToolCall]
    effects: bool


class Finished(msgspec.Struct, frozen=True):
    """A call has its result. `ran` is False when it was answered without running."""

    call: ToolCall
    result: ToolResult
    ran: bool


class Progressed(msgspec.Struct, frozen=True):
    """A running call says how far it is."""

    call_id: str
    message: str
    fraction: float | None


class Halted(msgspec.Struct, frozen=True):
    """A required call failed: nothing new starts, and what was running has been cancelled."""

    call: ToolCall


Update = Starting | Finished | Progressed | Halted
Verdict = ToolCall | ToolResult | None
"""Of a call whose turn has come: run this; or this is its result; or it must wait for a person."""

Admit = Callable[[Link], Awaitable[Verdict]]
Execute = Callable[[ToolCall, Progress | None], Awaitable[ToolResult]]


def startable(waiting: Sequence[Link], running: Collection[str]) -> Sequence[Link]:
    """Which of the waiting calls, in order, may start beside the running ones."""
    first = waiting[0]
    if first.effect != "read":
        return () if running else waiting[:1]
    unfinished = {link.call.id for link in waiting}.union(running)
    ready: list[Link] = []
    for link in waiting:
        if link.effect != "read":
            break
        if not link.needs & unfinished:
            ready.append(link)
    return ready


async def run_chain(links: Sequence[Link], admit: Admit, execute: Execute) -> AsyncGenerator[Update, None]:
    """Runs the calls and tells what happens. Calls that wait for a person are left when nothing else can go on."""
    waiting, held = list(links), set[str]()
    crew = _Crew(execute)
    try:
        while waiting or crew.running:
            admitted, settled = list[tuple[Link, ToolCall]](), False
            for link in startable(waiting, crew.running) if waiting else ():
                if link.call.id in held:
                    continue
                verdict = await admit(link)
                if verdict is None:
                    held.add(link.call.id)
                    continue
                waiting.remove(link)
                if isinstance(verdict, ToolResult):
                    settled = True
                    yield Finished(link.call, verdict, False)
                    if link.required and not verdict.success:
                        yield Halted(link.call)
                        return
                else:
                    admitted.append((link, verdict))
            if admitted:
                yield Starting([call for _, call in admitted], admitted[0][0].effect != "read")
                if len(admitted) == 1 and not crew.running and not admitted[0][0].reports_progress:
                    link, call = admitted[0]
                    update = Finished(call, await execute(call, None), True)
                else:
                    crew.start(admitted)
                    link, update = await crew.next()
            elif crew.running:
                link, update = await crew.next()
            elif settled:
                continue
            else:
                return
            yield update
            if isinstance(update, Finished) and link.required and not update.result.success:
                await crew.dismiss()
                yield Halted(update.call)
                return
    finally:
        await crew.dismiss()


class _Crew:
    """The calls that run side by side, and what they say, in the order they say it."""

    def __init__(self, execute: Execute) -> None:
        self.running: dict[str, asyncio.Task[None]] = {}
        self._dismissed = False
        self._execute = execute
        self._updates: asyncio.Queue[tuple[Link, Finished | Progressed]] = asyncio.Queue()

    def start(self, admitted: Sequence[tuple[Link, ToolCall]]) -> None:
        for link, call in admitted:
            self.running[call.id] = asyncio.create_task(self._run(link, call))

    async def next(self) -> tuple[Link, Finished | Progressed]:
        link, update = await self._updates.get()
        if isinstance(update, Finished):
            del self.running[update.call.id]
        return link, update

    async def dismiss(self) -> None:
        self._dismissed = True
        tasks = list(self.running.values())
        self.running = {}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=DISMISSAL_S)

    async def _run(self, link: Link, call: ToolCall) -> None:
        def tell(message: str, fraction: float | None = None) -> None:
            if self._updates.qsize() < WAITING_UPDATES and call.id in self.running:
                self._updates.put_nowait((link, Progressed(call.id, message, fraction)))

        try:
            result = await self._execute(call, tell if link.reports_progress else None)
        except asyncio.CancelledError:
            if self._dismissed:
                raise
            result = ToolResult(success=False, error="The call was cancelled from within.")
        except Exception as error:
            result = ToolResult(success=False, error=f"{type(error).__name__}: {error}"[:500])
        self._updates.put_nowait((link, Finished(call, result, True)))
