"""Telemetry of a process, put together: lines of the log, metrics, spans. For servers and for workers.

Owns what is measured now and then, because no event tells it: how late the event loop is, how much waits, how long
sessions are.
"""

import asyncio
import logging

from glassloop.core.errors import GlassloopError
from glassloop.runtime.durable.observers import Observer
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.server.observability.logs import TurnLog
from glassloop.server.observability.metrics import Metrics

_log = logging.getLogger(__name__)

LAG_S = 0.5
POLL_S = 10.0
SESSIONS = 200
"""How many of the newest sessions are measured."""


class Telemetry:
    """Made before the runtime, which is given its `observers`, and attached to it when that is open."""

    def __init__(self, settings: Settings) -> None:
        self.metrics = Metrics()
        self.observers: list[Observer] = [TurnLog(), self.metrics]
        self._spans = None
        self._sampling: asyncio.Task[None] | None = None
        if settings.otel_endpoint:
            from glassloop.server.observability.tracing import Spans

            self._spans = Spans(settings)
            self.observers.append(self._spans)

    def attach(self, runtime: Runtime) -> None:
        """From now on the runtime's store, queue and sessions are measured too, and what extensions measure is told."""
        for extension in runtime.context.settings.extensions:
            for collector in extension.metrics(runtime.context):
                self.metrics.add(extension.name, collector)
        runtime.store.engine.timed = self.metrics.stored
        self.metrics.gauges["glassloop_turns_running"] = ("Turns under way here.", lambda: runtime.running)
        self._sampling = asyncio.create_task(self._sample(runtime))

    async def detach(self) -> None:
        """Before the runtime closes: what it would say then is of no use."""
        if self._sampling is not None:
            self._sampling.cancel()
            await asyncio.wait([self._sampling])

    async def aclose(self) -> None:
        """Sends what is left; after the runtime has closed, as its turns end with it."""
        if self._spans is not None:
            await asyncio.to_thread(self._spans.shutdown)

    async def _sample(self, runtime: Runtime) -> None:
        clock = asyncio.get_running_loop().time
        looked = clock() - POLL_S
        while True:
            if clock() - looked >= POLL_S:
                looked = clock()
                await self._look(runtime)
            began = clock()
            await asyncio.sleep(LAG_S)
            self.metrics.lag_s.observe(max(0.0, clock() - began - LAG_S))

    async def _look(self, runtime: Runtime) -> None:
        try:
            self.metrics.waiting = await runtime.waiting()
            sessions = await runtime.store.sessions.list(SESSIONS, evals=False)
        except GlassloopError as error:
            self.metrics.waiting = None
            _log.warning("what waits cannot be counted: %s", error)
        except Exception:
            _log.exception("what waits cannot be counted")
        else:
            self.metrics.messages.replace([session.message_count for session in sessions])
