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
from bars import OURS, Bar, span
from figures import IDEAL_SECONDS, imports, iteration_calls, long_run, together
from glassloop_peer import glassloop_peer
from long_run import LENGTHS, LONG, SHORT, slope

DELAY, STEPS = 0.05, 5
STREAMED = 1000


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

    async def concurrent(self, runs: int) -> float:
        """Wall time, to the ideal."""
        began = time.perf_counter()
        await asyncio.gather(*[asyncio.create_task(self.run(STEPS, DELAY)) for _ in range(runs)])
        return (time.perf_counter() - began) / IDEAL_SECONDS

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
    each = [{n: await alone.cpu(n, 20 if n in SHORT else 1) for n in LENGTHS} for _ in range(rounds)]
    cpu = {n: min(one[n] for one in each) for n in LENGTHS}
    short, long = slope(cpu, *SHORT), slope(cpu, *LONG)
    progress("calls, stream, concurrency")
    made = (await alone.calls(20) - await alone.calls(1)) / 19
    streamed = [await alone.streamed() * 1e6 for _ in range(rounds)]
    wall = [await alone.concurrent(1000) for _ in range(rounds)]
    progress("imports")
    costs = import_cost.measure(Path(sys.executable), rounds * 2)
    return [
        *imports([], costs),
        Bar(title="CPU per iteration (marginal)", unit=" µs", figures={OURS: short * 1e6},
            spread=span(slope(one, *SHORT) * 1e6 for one in each)),
        iteration_calls({OURS: made}),
        long_run({OURS: long / short}, [slope(one, *LONG) / slope(one, *SHORT) for one in each]),
        Bar(title="CPU per streamed event", unit=" µs", figures={OURS: statistics.median(streamed)},
            spread=span(streamed)),
        together({OURS: wall}),
    ]  # fmt: skip
