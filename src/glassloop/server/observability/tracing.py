"""Turns as OpenTelemetry spans under GenAI names: `invoke_agent`, in it `chat` and `execute_tool`. From events alone.

A trace has the turn's own id, so that all runs of a turn, in whichever process, are one trace. What was said is left
out unless settings ask for it. The SDK is an extra, loaded when an endpoint is set.
"""

import hashlib
import threading
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from glassloop import __version__
from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.runtime.settings import Settings
from glassloop.store.log.redaction import Redactor

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.export import SpanExporter
    from opentelemetry.trace import Span

MAX_CHARS = 8_000
MAX_CALLS = 1_000
SHUTDOWN_S = 3.0
_encode = msgspec.json.Encoder(enc_hook=str).encode


class _Run:
    """A turn while it runs here."""

    __slots__ = ("calls", "children", "context", "last_at", "span", "started")

    def __init__(self, started: e.TurnStarted, span: "Span", context: "Context") -> None:
        self.started = started
        self.span = span
        self.context = context
        self.last_at = started.at
        self.calls: dict[str, e.ToolCalled] = {}
        self.children: dict[str, e.TurnStarted] = {}


class Spans:
    """An `Observer` that makes spans. `exporter` is where they go; by default to the endpoint of the settings."""

    def __init__(self, settings: Settings, exporter: "SpanExporter | None" = None) -> None:
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.trace import Status, StatusCode, set_span_in_context
        except ImportError as error:
            raise UsageError(
                f"OTEL_EXPORTER_OTLP_ENDPOINT is set and {error.name!r} is missing: "
                "`pip install 'glassloop[otel]'`, or unset it."
            ) from None
        endpoint = f"{(settings.otel_endpoint or '').rstrip('/')}/v1/traces"
        self._ids = _trace_ids()
        resource = Resource.create({"service.name": "glassloop", "service.version": __version__})
        self._names = {name: each.trace_name for name, each in settings.extensions.providers.items() if each.trace_name}
        self._provider = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter or OTLPSpanExporter(endpoint)))
        self._tracer = self._provider.get_tracer("glassloop", __version__)
        self._redactor = Redactor(settings.secrets)
        self._with_content = settings.trace_content
        self._within = set_span_in_context
        self._failed: Callable[[str], Status] = lambda why: Status(StatusCode.ERROR, why)
        self._runs: dict[str, _Run] = {}
        self._seen: Mapping[type[e.Event], Callable[[Any, _Run], None]] = {
            e.ModelResponded: self._responded,
            e.ModelRetried: self._retried,
            e.ToolCalled: self._called,
            e.ToolReturned: self._returned,
            e.AnswerGiven: self._answered,
            e.TurnWaiting: self._paused,
            e.TurnFinished: self._finished,
        }

    def _provider_name(self, model: str) -> str:
        """As OpenTelemetry calls it."""
        name = model.partition(":")[0]
        return self._names.get(name, name)

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:  # noqa: ARG002
        started = events[0]
        if not isinstance(started, e.TurnStarted):
            return
        self._ids.turn_id = started.turn_id
        span = self._tracer.start_span(
            f"invoke_agent {started.assistant}", attributes=self._attributes(started), start_time=_ns(events[-1].at)
        )
        self._runs[started.turn_id] = run = _Run(started, span, self._within(span))
        for event in events:
            if isinstance(event, e.ChildRecorded) and isinstance(told := e.innermost(event), e.TurnStarted):
                run.children[told.turn_id] = told

    def _attributes(self, started: e.TurnStarted) -> dict[str, Any]:
        return {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": started.assistant,
            "gen_ai.conversation.id": started.session_id,
            "gen_ai.request.model": _model(started.model),
            "gen_ai.provider.name": self._provider_name(started.model),
            "glassloop.turn.id": started.turn_id,
            "user.id": started.user,
        } | self._content("gen_ai.input.messages", [{"role": "user", "content": started.question}])

    def see(self, event: e.AnyEvent) -> None:
        if isinstance(event, e.ChildRecorded | e.ChildStreamed):
            self._see_child(event, self._runs.get(event.turn_id))
            return
        seen = self._seen.get(type(event))
        run = None if seen is None else self._runs.get(event.turn_id)
        if seen is not None and run is not None:
            run.last_at = event.at
            seen(event, run)

    def _see_child(self, event: e.ChildRecorded | e.ChildStreamed, root: _Run | None) -> None:
        """A sub-agent's turn is an `invoke_agent` of its own, inside that of its parent."""
        told = e.innermost(event)
        if root is None:
            return
        if isinstance(told, e.TurnStarted):
            root.children[told.turn_id] = told
        started = root.children.get(told.turn_id)
        if started is None or len(root.children) > MAX_CALLS:
            return
        run = self._runs.get(told.turn_id)
        if run is None:
            parent = self._runs.get(started.parent_turn_id or "", root)
            attributes = self._attributes(started)
            span = self._span(parent, f"invoke_agent {started.assistant}", told.at, told.at, attributes)
            run = self._runs[told.turn_id] = _Run(started, span, self._within(span))
        run.last_at = root.last_at = told.at
        if (seen := self._seen.get(type(told))) is not None:
            seen(told, run)
        if isinstance(told, e.TurnFinished | e.TurnWaiting):
            self.end(told.turn_id)

    def end(self, turn_id: str) -> None:
        if (run := self._runs.pop(turn_id, None)) is not None:
            for child in run.children:
                self.end(child)
            run.span.end(_ns(run.last_at))

    def shutdown(self) -> None:
        """Sends what is left. Blocks, a few seconds at most; for a thread that may."""
        # In one that nobody waits for: with a collector that is away, the SDK takes half a minute.
        sending = threading.Thread(target=self._provider.shutdown, name="glassloop-spans", daemon=True)
        sending.start()
        sending.join(SHUTDOWN_S)

    def _responded(self, event: e.ModelResponded, run: _Run) -> None:
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": self._provider_name(event.model),
            "gen_ai.request.model": _model(run.started.model if event.purpose == "decide" else event.model),
            "gen_ai.response.model": _model(event.model),
            "gen_ai.response.finish_reasons": [event.stop],
            "gen_ai.usage.input_tokens": event.usage.input_tokens,
            "gen_ai.usage.output_tokens": event.usage.output_tokens,
            "gen_ai.usage.cache_read.input_tokens": event.usage.cached_tokens,
            "gen_ai.conversation.id": run.started.session_id,
            "glassloop.purpose": event.purpose,
            "glassloop.attempts": event.attempts,
        } | self._content("gen_ai.output.messages", [{"role": "assistant", "content": event.message.text}])
        name = f"chat {_model(event.model)}"
        self._span(run, name, event.at - event.latency_ms / 1000.0, event.at, attributes).end(_ns(event.at))

    def _retried(self, event: e.ModelRetried, run: _Run) -> None:
        facts: Any = {"attempt": event.attempt, "wait_s": event.wait_s, "model": event.model}
        run.span.add_event("model_retried", facts, _ns(event.at))

    def _called(self, event: e.ToolCalled, run: _Run) -> None:
        if len(run.calls) < MAX_CALLS:
            run.calls[event.call.id] = event

    def _returned(self, event: e.ToolReturned, run: _Run) -> None:
        called, result = run.calls.pop(event.call_id, None), event.result
        if called is None:
            return
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": called.call.tool,
            "gen_ai.tool.call.id": event.call_id,
            "gen_ai.tool.type": "function",
            "glassloop.tool.effect": called.effect,
            "glassloop.tool.cached": result.cached,
            "glassloop.attempts": result.metadata.get("attempts", 1),
        }
        attributes |= self._content("gen_ai.tool.call.arguments", called.call.args)
        attributes |= self._content("gen_ai.tool.call.result", result.output if result.success else result.error)
        span = self._span(run, f"execute_tool {called.call.tool}", called.at, event.at, attributes)
        if not result.success:
            span.set_attribute("error.type", "tool_error")
            span.set_status(self._failed("the tool failed"))
        span.end(_ns(event.at))

    def _answered(self, event: e.AnswerGiven, run: _Run) -> None:
        said = self._content("gen_ai.output.messages", [{"role": "assistant", "content": event.text}])
        run.span.set_attributes(said)

    def _paused(self, event: e.TurnWaiting, run: _Run) -> None:
        run.span.set_attribute("glassloop.paused", event.reason)

    def _finished(self, event: e.TurnFinished, run: _Run) -> None:
        figures: Any = {
            "gen_ai.usage.input_tokens": event.input_tokens,
            "gen_ai.usage.output_tokens": event.output_tokens,
            "glassloop.status": event.status,
            "glassloop.iterations": event.iterations,
        }
        run.span.set_attributes(figures if event.cost is None else figures | {"glassloop.cost": event.cost})
        if event.status == "failed":
            run.span.set_attribute("error.type", event.error_type or "system_error")
            run.span.set_status(self._failed(self._redactor.text(event.error or "")[:MAX_CHARS]))

    def _span(self, run: _Run, name: str, began: float, ended: float, attributes: dict[str, Any]) -> "Span":
        began = min(max(began, run.started.at), ended)
        return self._tracer.start_span(name, run.context, attributes=attributes, start_time=_ns(began))

    def _content(self, name: str, value: object) -> dict[str, Any]:
        if not self._with_content or value is None:
            return {}
        return {name: self._redactor.clean(_encode(value)).decode()[:MAX_CHARS]}


def _trace_ids() -> Any:
    """Makes ids: a trace's from the turn it is about, which is set before each one begins."""
    from opentelemetry.sdk.trace.id_generator import RandomIdGenerator

    class TraceIds(RandomIdGenerator):
        turn_id = ""

        def generate_trace_id(self) -> int:
            try:
                return uuid.UUID(self.turn_id).int
            except ValueError:
                return int.from_bytes(hashlib.sha256(self.turn_id.encode()).digest()[:16], "big")

        def is_trace_id_random(self) -> bool:
            return False

    return TraceIds()


def _model(name: str) -> str:
    return name.partition(":")[2] or name


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
