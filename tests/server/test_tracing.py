"""Turns as spans: one trace a turn, under the names that tools for watching models know, without what was said."""

import asyncio
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import msgspec
import pytest
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from glassloop import tool
from glassloop.core import events as e
from glassloop.extensions.openai import OpenAISettings
from glassloop.models.scripted_model import call
from glassloop.server.observability.metrics import Telemetry
from glassloop.server.observability.tracing import Spans
from server.stock import stock_of

SECRET = "my-own-hidden-value"
STARTED = e.TurnStarted(
    turn_id="not a uuid", seq=1, at=1.0, question="?", user="u", session_id="s", assistant="a", model="openai:gpt",
    protocol="native",
)  # fmt: skip


@tool(effect="write", confirm=True)
async def order(sku: str) -> str:
    """Order more."""
    return f"ordered {sku}"


class Trace:
    """Spans of a server's turns."""

    def __init__(self, settings):
        self.exporter = InMemorySpanExporter()
        self.observer = Spans(settings, self.exporter)

    @property
    def spans(self):
        self.observer.shutdown()
        return self.exporter.get_finished_spans()


@pytest.fixture
def trace(settings):
    return lambda *of_extensions, **changes: Trace(settings(*of_extensions, **changes))


async def answered(serve, spans, *script, question="How many BRG-6204?"):
    served = await serve(script=script, tools=[stock_of, order], observers=[spans.observer])
    taken = (await served.client.post("/api/turns", json={"question": question})).json()
    events = [event async for event in served.runtime.watch(taken["turn_id"])]
    return served, taken, events


async def test_a_turn_is_one_trace_under_its_own_id_with_its_calls_inside(serve, trace):
    spans = trace()
    served, taken, _ = await answered(serve, spans, call("stock_of", sku="BRG-6204"), "There are 140.")
    await served.runtime.aclose(1.0)
    found = {span.name: span for span in spans.spans}
    assert set(found) == {"invoke_agent general", "chat scripted", "execute_tool stock_of"}
    assert len(spans.spans) == 4
    turn = found["invoke_agent general"]
    assert turn.context.trace_id == uuid.UUID(taken["turn_id"]).int
    for span in spans.spans:
        assert span.context.trace_id == turn.context.trace_id
        assert span is turn or span.parent.span_id == turn.context.span_id
        assert turn.start_time <= span.start_time <= span.end_time <= turn.end_time
    assert turn.parent is None
    assert turn.status.status_code is StatusCode.UNSET


async def test_spans_have_the_names_of_the_genai_conventions(serve, trace):
    spans = trace()
    served, taken, _ = await answered(serve, spans, call("stock_of", sku="BRG-6204"), "There are 140.")
    await served.runtime.aclose(1.0)
    found = {span.name: dict(span.attributes) for span in spans.spans}
    turn, chat, done = found["invoke_agent general"], found["chat scripted"], found["execute_tool stock_of"]
    assert turn["gen_ai.operation.name"] == "invoke_agent"
    assert turn["gen_ai.agent.name"] == "general"
    assert turn["gen_ai.conversation.id"] == taken["session_id"]
    assert turn["gen_ai.usage.input_tokens"] >= chat["gen_ai.usage.input_tokens"] >= 0
    assert chat["gen_ai.operation.name"] == "chat"
    assert chat["gen_ai.request.model"] == chat["gen_ai.response.model"] == "scripted"
    assert chat["gen_ai.response.finish_reasons"] == ("end_turn",)
    assert done["gen_ai.operation.name"] == "execute_tool"
    assert done["gen_ai.tool.name"] == "stock_of"
    assert done["gen_ai.tool.call.id"]


async def test_what_was_said_is_left_out(serve, trace):
    spans = trace()
    served, *_ = await answered(
        serve, spans, call("stock_of", sku="INS-PA66"), "Plenty.", question="Polyamide, please?"
    )
    await served.runtime.aclose(1.0)
    told = str([(span.name, dict(span.attributes), span.events) for span in spans.spans])
    assert "stock_of" in told
    for said in ("INS-PA66", "Plenty", "Polyamide"):
        assert said not in told


async def test_what_was_said_is_told_where_a_setting_says_so_but_for_secrets(serve, trace):
    spans = trace(OpenAISettings(api_key=SECRET), trace_content=True)
    question = f"Is {SECRET} polyamide?"
    served, *_ = await answered(serve, spans, call("stock_of", sku="INS-PA66"), "Plenty.", question=question)
    await served.runtime.aclose(1.0)
    told = {span.name: dict(span.attributes) for span in spans.spans}
    assert "polyamide?" in told["invoke_agent general"]["gen_ai.input.messages"]
    assert "Plenty." in told["invoke_agent general"]["gen_ai.output.messages"]
    assert msgspec.json.decode(told["execute_tool stock_of"]["gen_ai.tool.call.arguments"]) == {"sku": "INS-PA66"}
    assert "140 of" in told["execute_tool stock_of"]["gen_ai.tool.call.result"]
    assert SECRET not in str(told)


async def test_a_tool_that_fails_is_an_error_of_its_own_span_only(serve, trace):
    spans = trace()
    served, *_ = await answered(serve, spans, call("stock_of", sku="nothing"), "None.")
    await served.runtime.aclose(1.0)
    found = {span.name: span for span in spans.spans}
    assert found["execute_tool stock_of"].status.status_code is StatusCode.ERROR
    assert found["execute_tool stock_of"].attributes["error.type"] == "tool_error"
    assert found["invoke_agent general"].status.status_code is StatusCode.UNSET


async def test_both_runs_of_a_turn_that_waited_for_people_are_one_trace(serve, trace):
    spans = trace()
    served, taken, events = await answered(serve, spans, call("order", sku="BRG-6204"), "Done.")
    request = next(event for event in events if isinstance(event, e.ApprovalRequested))
    decision = {"call_id": request.call.id, "digest": request.digest, "approved": True}
    await served.client.post(f"/api/turns/{taken['turn_id']}/approvals", json={"decisions": [decision]})
    await served.client.get(taken["events"])
    await served.runtime.aclose(1.0)
    runs = [span for span in spans.spans if span.name == "invoke_agent general"]
    assert [run.attributes.get("glassloop.paused") for run in runs] == ["approval", None]
    assert {run.context.trace_id for run in runs} == {uuid.UUID(taken["turn_id"]).int}


async def test_a_turn_that_failed_is_an_error_with_its_kind(trace):
    spans = trace()
    spans.observer.begin([STARTED], ())
    spans.observer.see(
        e.TurnFinished(
            turn_id="not a uuid",
            seq=2,
            at=2.0,
            status="failed",
            iterations=0,
            tool_calls=0,
            input_tokens=0,
            output_tokens=0,
            cost=None,
            unpriced_calls=0,
            seconds=1.0,
            error="away",
            error_type="llm_error",
        )
    )
    spans.observer.end("not a uuid")
    (span,) = spans.spans
    assert span.status.status_code is StatusCode.ERROR
    assert span.attributes["error.type"] == "llm_error"
    assert span.attributes["gen_ai.provider.name"] == "openai"
    assert span.attributes["gen_ai.request.model"] == "gpt"


async def test_without_an_endpoint_nothing_is_traced_and_with_one_it_is(settings):
    assert not any(isinstance(each, Spans) for each in Telemetry(settings()).observers)
    telemetry = Telemetry(settings(otel_endpoint="http://127.0.0.1:9"))
    assert any(isinstance(each, Spans) for each in telemetry.observers)
    await telemetry.aclose()


class Collector(BaseHTTPRequestHandler):
    """Takes spans, and keeps where they were sent."""

    def do_POST(self):
        self.server.taken.append((self.path, self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_parts):
        """Says nothing."""


async def test_spans_reach_the_collector_that_is_set(settings):
    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        collector.taken = []
        thread = threading.Thread(target=collector.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            spans = Spans(settings(otel_endpoint=f"http://127.0.0.1:{collector.server_port}/"))
            spans.begin([STARTED], ())
            spans.end(STARTED.turn_id)
            await asyncio.to_thread(spans.shutdown)
        finally:
            collector.shutdown()
            thread.join()
    ((path, body),) = collector.taken
    assert path == "/v1/traces"
    assert b"invoke_agent a" in body
