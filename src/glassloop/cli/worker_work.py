"""What `glassloop worker` does: turns and jobs from the queue, until a signal comes."""

import asyncio
from contextlib import AsyncExitStack

from glassloop.cli.tell import say
from glassloop.cli.until_told import hearing, logging_as
from glassloop.runtime.build import open_runtime
from glassloop.runtime.settings import Settings

GRACE_S = 10.0


async def work(settings: Settings, metrics: str | None = None) -> None:
    """Takes work until told to stop, then hands over what is under way. `metrics` is where Prometheus may ask."""
    from glassloop.server.telemetry import Telemetry

    stopping = asyncio.Event()
    async with AsyncExitStack() as stack:
        stack.enter_context(hearing(stopping.set))
        stack.enter_context(logging_as(settings))
        telemetry = Telemetry(settings)
        stack.push_async_callback(telemetry.aclose)
        if metrics is not None:
            stack.callback(telemetry.metrics.serve(metrics))
        runtime = await open_runtime(settings, queue=True, observers=telemetry.observers, titles=settings.titles)
        stack.push_async_callback(runtime.aclose, GRACE_S)
        telemetry.attach(runtime)
        stack.push_async_callback(telemetry.detach)
        name = runtime.worker
        say(f"worker {name} is ready, {settings.max_turns} at once")
        await stopping.wait()
        say(f"worker {name} stops, {runtime.running} under way")
    say(f"worker {name} has stopped")
