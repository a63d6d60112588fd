"""Glassloop's own figures, in one process, for where the peers' folder is missing.

Has a script and a counter of its own in the shape of the folder's `adapters`, so that the same adapter is measured.
What is judged against the floor is only shown here.
"""

import asyncio
import contextvars
import cProfile
import pstats
import statistics
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import import_cost
from bars import OURS, Bar, import_ratio, iteration_calls, long_run, together
from figures import IDEAL_SECONDS, STREAMED
from glassloop_peer import glassloop_peer
from long_run import LENGTHS, LONG, SHORT, slope

DELAY, STEPS = 0.05, 5


class Script:
    """What the fake model does: `n` tool calls and the answer, or `tokens` pieces of text."""

    def __init__(self, n: int = 0, delay: float = 0.0, tokens: int = 0) -> None:
        self.left, self.made, self.delay, self.tokens = n, 0, delay, tokens

    async def step(self) -> str | None:
        if self.delay:
            await asyncio.sleep(self.delay)
        if self.made == self.left:
            return None
        self.made += 1
        return f"call_{self.made}"

    async def chunks(self) -> AsyncIterator[str]:
        for number in range(self.tokens):
            yield f"t{number} "


def own_adapters() -> ModuleType:
    """A stand-in for the folder's module: base class, script, arguments and counter."""
    module: Any = ModuleType("own_adapters")
    module.Peer, module.ARGS, module.tool_calls = object, '{"a": 2, "b": 3}', 0
    module.PLAN = contextvars.ContextVar[Script]("plan")

    def count() -> None:
        module.tool_calls += 1

    module.count = count
    return module


class Alone:
    """The measurements, on one peer that was set up."""

    def __init__(self, adapters: Any, peer: Any) -> None:
        self.adapters, self.peer = adapters, peer

    async def run(self, n: int, delay: float = 0.0) -> None:
        self.adapters.PLAN.set(Script(n, delay))
        answer = await self.peer.run(n)
        if answer != "done":
            raise RuntimeError(f"A run of {n} iterations answered {answer!r} and not 'done': mend the adapter.")

    async def cpu(self, n: int, runs: int) -> float:
        took: list[float] = []
        for _ in range(runs):
            began = time.process_time()
            await self.run(n)
            took.append(time.process_time() - began)
        return statistics.median(took)

    async def calls(self, n: int) -> int:
        profile = cProfile.Profile()
        profile.enable()
        await self.run(n)
        profile.disable()
        return vars(pstats.Stats(profile))["total_calls"]

    async def concurrent(self, runs: int) -> tuple[float, float]:
        """Wall and CPU time, to the ideal."""
        wall, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*[asyncio.create_task(self.run(STEPS, DELAY)) for _ in range(runs)])
        return (time.perf_counter() - wall) / IDEAL_SECONDS, (time.process_time() - cpu) / IDEAL_SECONDS

    async def streamed(self) -> float:
        self.adapters.PLAN.set(Script(tokens=STREAMED))
        seen: list[None] = []
        began = time.process_time()
        await self.peer.stream(lambda: seen.append(None))
        return (time.process_time() - began) / STREAMED


async def measure(rounds: int, progress: Callable[[str], None]) -> list[Bar]:
    adapters = own_adapters()
    peer: Any = glassloop_peer(adapters)()
    await peer.setup()
    alone = Alone(adapters, peer)
    await alone.cpu(5, 50)  # the first runs load what is imported when used
    await alone.streamed()
    progress("loop")
    cpu = {n: min([await alone.cpu(n, 20 if n in SHORT else 1) for _ in range(rounds)]) for n in LENGTHS}
    short, long = slope(cpu, *SHORT), slope(cpu, *LONG)
    progress("calls, stream, concurrency")
    made = (await alone.calls(20) - await alone.calls(1)) / 19
    streamed = statistics.median([await alone.streamed() for _ in range(rounds)])
    crowds = [await alone.concurrent(1000) for _ in range(rounds)]
    wall, cpu_time = (min(times) for times in zip(*crowds, strict=True))
    progress("imports")
    costs = import_cost.measure(Path(sys.executable), rounds * 2)
    base = costs[import_cost.BASE]
    return [
        Bar(title="CPU per iteration (N=20, marginal)", limit=None, unit=" µs", figures={OURS: short * 1e6}),
        iteration_calls({OURS: made}),
        long_run({OURS: long / short}),
        *together({OURS: wall}, {OURS: cpu_time}),
        Bar(title="CPU per streamed event", limit=None, unit=" µs", figures={OURS: streamed * 1e6}),
        *(import_ratio(what, import_cost.BASE, {OURS: costs[what] / base}) for what in import_cost.STATEMENTS),
    ]
