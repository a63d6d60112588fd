"""Metrics for operators, as a projection of events: turns, models, tools, errors, and our own share of the time.

A `Metrics` is an observer of turns, hears how long the store takes, and is asked for all of it by `/metrics`. Series
are bounded by bounding their labels: a name that comes from outside goes through `BoundedNames`. `Telemetry` puts log,
metrics and spans of a server or worker together, and measures what no event tells: how late the event loop is, how
much waits, how long sessions are.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal, get_args

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
    start_http_server,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from glassloop import __version__
from glassloop.core import events as e
from glassloop.core.errors import ErrorType, GlassloopError, UsageError
from glassloop.runtime.durable.observers import Observer
from glassloop.runtime.durable.runtime import Runtime
from glassloop.runtime.settings import Settings
from glassloop.server.observability.logs import TurnLog

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
MAX_ASSISTANTS = 50
MAX_MODELS = 50
MAX_TOOLS = 500
MAX_RECENT = 1024
OTHER = "other"
QUANTILES = (0.5, 0.9, 0.99)
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

_SHARE = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
_STORE = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_WORK = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
_STEPS = (0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0, 15.0, 20.0)
_OF_CHILDREN = (e.ModelResponded, e.ModelRetried, e.ToolCalled, e.ApprovalRequested, e.ToolReturned)
"""What counts of sub-agents: nobody asked for their turns, and their time is that of the calls they answer."""

# Only what our own events say is exported, not when a series was made.
disable_created_metrics()


class BoundedNames:
    """The first names it meets; any beyond are `other`."""

    def __init__(self, maximum: int) -> None:
        self._maximum = maximum
        self._met: set[str] = set()

    def __call__(self, name: str) -> str:
        if name in self._met:
            return name
        if not name or len(self._met) >= self._maximum:
            return OTHER
        self._met.add(name)
        return name


class RecentValues:
    """The last values of a quantity, exactly, and their quantiles."""

    def __init__(self, name: str, text: str) -> None:
        self._family = (name, text)
        self._values: deque[float] = deque(maxlen=MAX_RECENT)

    def add(self, value: float) -> None:
        self._values.append(value)

    def replace(self, values: Sequence[float]) -> None:
        self._values.clear()
        self._values.extend(values)

    def quantiles(self) -> Mapping[float, float]:
        """By nearest rank; nothing while there are no values."""
        ranked = sorted(self._values)
        return {part: ranked[min(len(ranked) - 1, int(part * len(ranked)))] for part in QUANTILES} if ranked else {}

    def family(self) -> GaugeMetricFamily:
        found = GaugeMetricFamily(*self._family, labels=("quantile",))
        for part, value in self.quantiles().items():
            found.add_metric((str(part),), value)
        return found


_BEFORE_RUN = (e.TurnStarted, e.GuardrailTriggered, e.TurnClaimed, e.HistoryLoaded)
"""Events of a turn that nobody has run yet."""


class _Run:
    """A turn while it runs here. `busy` is when its tools worked since the model last spoke."""

    __slots__ = ("assistant", "began", "busy", "calls", "others_s", "tools")

    def __init__(self, assistant: str, tools: Collection[str], began: float) -> None:
        self.assistant = assistant
        self.tools = tools
        self.began = began
        self.others_s = 0.0
        self.busy: list[tuple[float, float]] = []
        self.calls: dict[str, str] = {}


class Metrics(Collector):
    """Everything that is measured in this process. Bounded: labels have a limit, runs end."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._runs: dict[str, _Run] = {}
        self._assistants = BoundedNames(MAX_ASSISTANTS)
        self._models = BoundedNames(MAX_MODELS)
        self._tools = BoundedNames(MAX_TOOLS)
        self._guardrail_names = BoundedNames(MAX_TOOLS)
        self.gauges: dict[str, tuple[str, Callable[[], float]]] = {}
        self.streams = 0
        self.waiting: float | None = None
        self._registry = CollectorRegistry()
        self._registry.register(self)
        ProcessCollector(registry=self._registry)
        self._make_measures()
        for kind in get_args(ErrorType):
            self.errors.labels(kind)
        self._seen: Mapping[type[e.Event], Callable[[Any, _Run | None], None]] = {
            e.ModelResponded: self._responded,
            e.ModelRetried: self._retried,
            e.ToolCalled: self._called,
            e.ApprovalRequested: self._called,
            e.ToolReturned: self._returned,
            e.GuardrailTriggered: self._guarded,
            e.LogDelayed: self._delayed,
            e.TurnWaiting: self._paused,
            e.TurnFinished: self._finished,
        }

    def _make_measures(self) -> None:
        own = "Seconds of a turn's run that neither models nor tools took"
        self.turns = self._counter("glassloop_turns", "Turns that ended.", "assistant", "status")
        self.turn_s = self._histogram(
            "glassloop_turn_seconds", "How long turns took, waiting left out.", _WORK, "assistant"
        )
        self.wait_s = self._histogram("glassloop_turn_wait_seconds", "How long turns waited to begin.", _WORK)
        self.iterations = self._histogram("glassloop_turn_iterations", "Iterations of a turn.", _STEPS, "assistant")
        self.own_s = self._histogram("glassloop_overhead_seconds", f"{own}.", _SHARE)
        self.own_recent = RecentValues("glassloop_overhead_recent_seconds", f"{own}, of the last ones.")
        self.model_s = self._histogram("glassloop_model_seconds", "How long calls of a model took.", _WORK, "model")
        self.tokens = self._counter("glassloop_model_tokens", "Tokens of model calls.", "model", "direction")
        self.cost = self._counter("glassloop_model_cost_dollars", "What model calls cost, where it is known.", "model")
        self.retries = self._counter("glassloop_model_retries", "Model calls made again, by the model asked.", "model")
        self.tool_calls = self._counter("glassloop_tool_calls", "Tool calls by how they ended.", "tool", "outcome")
        self.tool_s = self._histogram("glassloop_tool_seconds", "How long tools took.", _WORK, "tool")
        self.guardrails = self._counter(
            "glassloop_guardrails", "What guardrails stopped or rewrote.", "guardrail", "stage", "action"
        )
        self.errors = self._counter("glassloop_errors", "What failed, by the contract's kinds.", "type")
        self.store_s = self._histogram("glassloop_store_seconds", "How long the database took.", _STORE, "operation")
        self.messages = RecentValues("glassloop_session_messages", "Messages of the newest sessions.")
        self.lag_s = self._histogram("glassloop_event_loop_lag_seconds", "How late the event loop wakes up.", _STORE)
        self.requests = self._counter("glassloop_http_requests", "HTTP answers.", "method", "route", "status")
        self.request_s = self._histogram("glassloop_http_seconds", "How long answers took, streams left out.", _STORE)

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(name, text, labels, registry=self._registry)

    def _histogram(self, name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=self._registry)

    # The turns that run here

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:
        started = events[0]
        if not isinstance(started, e.TurnStarted):
            return
        self._runs[started.turn_id] = _Run(self._assistants(started.assistant), tools, self._clock())
        if all(isinstance(event, _BEFORE_RUN) for event in events):
            self.wait_s.observe(max(0.0, time.time() - started.at))
            for event in events:
                self.see(event)

    def see(self, event: e.AnyEvent) -> None:
        told = e.innermost(event)
        seen = self._seen.get(type(told)) if told is event or isinstance(told, _OF_CHILDREN) else None
        if seen is not None:
            seen(told, self._runs.get(told.turn_id))

    def end(self, turn_id: str) -> None:
        self._runs.pop(turn_id, None)

    def _responded(self, event: e.ModelResponded, run: _Run | None) -> None:
        model, seconds, usage = self._models(event.model), event.latency_ms / 1000.0, event.usage
        self.model_s.labels(model).observe(seconds)
        self.tokens.labels(model, "input").inc(usage.input_tokens)
        self.tokens.labels(model, "output").inc(usage.output_tokens)
        if usage.cost is not None:
            self.cost.labels(model).inc(usage.cost)
        if run is not None:
            run.others_s += seconds
            _settle(run)

    def _retried(self, event: e.ModelRetried, _run: _Run | None) -> None:
        self.retries.labels(self._models(event.model)).inc()
        self.errors.labels("llm_error").inc()

    def _called(self, event: e.ToolCalled | e.ApprovalRequested, run: _Run | None) -> None:
        if run is not None:
            tool = event.call.tool
            run.calls[event.call.id] = self._tools(tool) if tool in run.tools else OTHER

    def _returned(self, event: e.ToolReturned, run: _Run | None) -> None:
        result = event.result
        if result.cause == "answered":
            return
        tool = OTHER if run is None else run.calls.get(event.call_id, OTHER)
        outcome = _outcome(event)
        self.tool_calls.labels(tool, outcome).inc()
        if outcome == "failure":
            self.errors.labels("tool_error").inc()
        if outcome in ("success", "failure"):
            seconds = result.duration_ms / 1000.0
            self.tool_s.labels(tool).observe(seconds)
            if run is not None:
                run.busy.append((event.at - seconds, event.at))

    def _guarded(self, event: e.GuardrailTriggered, _run: _Run | None) -> None:
        self.guardrails.labels(self._guardrail_names(event.name), event.stage, event.action).inc()

    def _delayed(self, _event: e.LogDelayed, _run: _Run | None) -> None:
        self.errors.labels("db_error").inc()

    def _paused(self, _event: e.TurnWaiting, run: _Run | None) -> None:
        self._share(run)

    def _finished(self, event: e.TurnFinished, run: _Run | None) -> None:
        assistant = OTHER if run is None else run.assistant
        self.turns.labels(assistant, event.status).inc()
        self.turn_s.labels(assistant).observe(event.seconds)
        self.iterations.labels(assistant).observe(event.iterations)
        if event.status == "failed":
            self.errors.labels(event.error_type or "system_error").inc()
        elif event.status == "completed":
            # Of others it is not known how long the model was waited for in vain.
            self._share(run)

    def _share(self, run: _Run | None) -> None:
        if run is not None:
            _settle(run)
            own = max(0.0, self._clock() - run.began - run.others_s)
            self.own_s.observe(own)
            self.own_recent.add(own)

    # Everything else

    def stored(self, operation: Literal["read", "append"], seconds: float) -> None:
        """The store took so long."""
        self.store_s.labels(operation).observe(seconds)

    def answered(self, method: str, route: str, status: int, seconds: float, *, stream: bool) -> None:
        """A request was answered."""
        self.requests.labels(method if method in METHODS else OTHER, route, str(status)).inc()
        if not stream:
            self.request_s.observe(seconds)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """All of it, as it stands."""
        yield _gauge("glassloop_info", "Which version runs.", 1.0, version=__version__)
        yield _gauge("glassloop_streams", "Event streams open now.", self.streams)
        if self.waiting is not None:
            yield _gauge("glassloop_queue_waiting", "Turns and jobs that wait for a worker.", self.waiting)
        for name, (text, value) in self.gauges.items():
            yield _gauge(name, text, value())
        yield self.own_recent.family()
        yield self.messages.family()

    def add(self, extension: str, collector: Collector) -> None:
        """What an extension measures is told too."""
        try:
            self._registry.register(collector)
        except ValueError as error:
            raise UsageError(f"The extension {extension!r} registers a metric that already exists: {error}.") from None

    def serve(self, address: str) -> Callable[[], None]:
        """Has a thread tell Prometheus at `host:port`, for a process that serves nothing else; how to end that."""
        host, _, port = address.rpartition(":")
        try:
            server, thread = start_http_server(int(port), host.strip("[]") or "127.0.0.1", self._registry)
        except (OSError, ValueError, OverflowError) as error:
            raise UsageError(
                f"Metrics cannot be served at {address!r} ({error}): give a free HOST:PORT of this machine."
            ) from None

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return stop

    def text(self) -> bytes:
        """In the words of Prometheus."""
        return generate_latest(self._registry)


def _gauge(name: str, text: str, value: float, **labels: str) -> GaugeMetricFamily:
    """What something is right now."""
    found = GaugeMetricFamily(name, text, labels=tuple(labels))
    found.add_metric(tuple(labels.values()), value)
    return found


def _settle(run: _Run) -> None:
    """Adds the time in which tools worked; two at once count once."""
    until = 0.0
    for began, ended in sorted(run.busy):
        run.others_s += max(0.0, ended - max(began, until))
        until = max(until, ended)
    run.busy.clear()


def _outcome(event: e.ToolReturned) -> Literal["success", "failure", "cached", "not_run"]:
    result = event.result
    if result.success:
        return "cached" if result.cached else "success"
    return "not_run" if result.never_ran else "failure"


_log = logging.getLogger(__name__)

LAG_S = 0.5
POLL_S = 10.0
SESSIONS = 200
"""How many of the newest sessions are measured."""


class Telemetry:
    """Made before the runtime, which is given its `observers`, and attached to it when that is open."""

    def __init__(self, settings: Settings) -> None:
        self.metrics, self._turn_log, self._spans = Metrics(), TurnLog(), None
        self.observers: list[Observer] = [self._turn_log, self.metrics]
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
        self._turn_log.redactor_of = runtime.store.turns.redactor_of
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
