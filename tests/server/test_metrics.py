"""What is measured: from events alone, for Prometheus, with a bounded number of series, for the operator's eyes."""

import asyncio
import time
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.messages import AssistantMessage, Usage
from glassloop.core.records import ToolCall, ToolResult
from glassloop.models.scripted_model import call
from glassloop.server.observability.metrics import Metrics, Telemetry
from hand_clock import Clock
from ports import free_port
from server.stock import stock_of

TOKEN = "an-admin-token-of-tests"
STARTED = e.TurnStarted(
    turn_id="t", seq=1, at=1000.0, question="?", user="ann", session_id="s", assistant="clerk", model="m",
    protocol="native",
)  # fmt: skip


def series(text):
    """Every sample by its name and labels."""
    families = text_string_to_metric_families(text if isinstance(text, str) else text.decode())
    return {(s.name, *sorted(s.labels.items())): s.value for family in families for s in family.samples}


def value(metrics, name, **labels):
    return series(metrics.text()).get((name, *sorted(labels.items())))


def at(second, kind, seq=2, **fields):
    return kind(turn_id="t", seq=seq, at=1000.0 + second, **fields)


def responded(second, latency_ms, model="m", **usage):
    return at(
        second, e.ModelResponded, purpose="decide", step=1, model=model, tier="balanced",
        message=AssistantMessage(), latency_ms=latency_ms, usage=Usage(**usage),
    )  # fmt: skip


def called(name, call_id="c"):
    return at(0.0, e.ToolCalled, step=1, call=ToolCall(id=call_id, tool=name), effect="read")


def returned(second, duration_ms, call_id="c", **result):
    result = ToolResult(**{"success": True, "duration_ms": duration_ms, **result})
    return at(second, e.ToolReturned, step=1, call_id=call_id, result=result)


def finished(status="completed", **fields):
    figures = {"iterations": 2, "tool_calls": 1, "input_tokens": 0, "output_tokens": 0, "cost": None}
    return at(9.0, e.TurnFinished, status=status, unpriced_calls=0, seconds=1.5, **{**figures, **fields})


async def ask(served, question="How many?"):
    taken = (await served.client.post("/api/turns", json={"question": question})).json()
    await served.client.get(taken["events"])


async def test_a_served_turn_is_measured_from_its_iterations_to_its_tokens(serve):
    metrics = Metrics()
    script = [call("stock_of", sku="a"), call("stock_of", sku="nothing"), call("no_such_tool"), "There are 140."]
    served = await serve(script=script, tools=[stock_of], observers=[metrics])
    await ask(served)
    found = series(metrics.text())
    assert found["glassloop_turns_total", ("assistant", "general"), ("status", "completed")] == 1
    assert found["glassloop_turn_iterations_sum", ("assistant", "general")] == 4
    assert found["glassloop_turn_seconds_count", ("assistant", "general")] == 1
    assert found["glassloop_tool_calls_total", ("outcome", "success"), ("tool", "stock_of")] == 1
    assert found["glassloop_tool_calls_total", ("outcome", "failure"), ("tool", "stock_of")] == 1
    assert found["glassloop_tool_calls_total", ("outcome", "failure"), ("tool", "other")] == 1
    assert found["glassloop_errors_total", ("type", "tool_error")] == 2
    assert found["glassloop_errors_total", ("type", "llm_error")] == 0
    assert found["glassloop_model_seconds_count", ("model", "scripted")] == 4
    assert found["glassloop_overhead_seconds_count",] == 1
    assert found["glassloop_turn_wait_seconds_count",] == 1


async def test_our_own_share_is_what_neither_models_nor_tools_took():
    clock = Clock(0.0)
    metrics = Metrics(clock)
    metrics.begin([STARTED], {"look"})
    for event in (responded(0.3, 300), called("look", "a"), called("look", "b"), called("look", "c")):
        metrics.see(event)
    # Side by side, from 0.4 to 0.6 and from 0.3 to 0.7, reported in that order; then one alone, from 0.8 to 0.9.
    for event in (returned(0.6, 200, "a"), returned(0.7, 400, "b"), returned(0.9, 100, "c"), responded(1.4, 500)):
        metrics.see(event)
    clock.now = 1.5
    metrics.see(finished())
    assert value(metrics, "glassloop_overhead_seconds_sum") == pytest.approx(1.5 - 0.3 - 0.4 - 0.1 - 0.5)
    assert value(metrics, "glassloop_overhead_recent_seconds", quantile="0.5") == pytest.approx(0.2)


async def test_a_turn_that_waits_for_people_is_measured_by_its_runs():
    clock = Clock(0.0)
    metrics = Metrics(clock)
    metrics.begin([STARTED], ())
    clock.now = 0.25
    metrics.see(at(0.2, e.TurnWaiting, reason="approval", call_ids=("c",)))
    metrics.end("t")
    clock.now = 500.0
    metrics.begin([STARTED, responded(0.1, 50)], ())
    clock.now = 500.5
    metrics.see(finished())
    assert value(metrics, "glassloop_overhead_seconds_sum") == pytest.approx(0.75)
    assert value(metrics, "glassloop_overhead_seconds_count") == 2
    assert value(metrics, "glassloop_turn_wait_seconds_count") == 1


async def test_of_a_turn_that_failed_nobody_knows_our_share():
    metrics = Metrics()
    metrics.begin([STARTED], ())
    metrics.see(finished("failed", error="away", error_type="llm_error"))
    assert value(metrics, "glassloop_overhead_seconds_count") == 0
    assert value(metrics, "glassloop_errors_total", type="llm_error") == 1
    assert value(metrics, "glassloop_turns_total", assistant="clerk", status="failed") == 1


async def test_cached_and_refused_calls_are_told_apart_from_those_that_failed():
    metrics = Metrics()
    metrics.begin([STARTED], {"look"})
    for event in (
        called("look"), returned(0.1, 100), returned(0.1, 0, cached=True),
        returned(0.1, 0, success=False, cause="refused"), returned(0.2, 50, success=False),
    ):  # fmt: skip
        metrics.see(event)
    counts = {
        outcome: value(metrics, "glassloop_tool_calls_total", tool="look", outcome=outcome)
        for outcome in ("success", "cached", "not_run", "failure")
    }
    assert counts == {"success": 1, "cached": 1, "not_run": 1, "failure": 1}
    assert value(metrics, "glassloop_tool_seconds_count", tool="look") == 2


async def test_what_guardrails_did_is_counted_also_before_the_turn_ran():
    metrics = Metrics()
    guarded = at(0.0, e.GuardrailTriggered, stage="input", name="no_pins", action="rewrite", reason="")
    metrics.begin([STARTED, guarded], set())
    metrics.see(guarded)
    assert value(metrics, "glassloop_guardrails_total", guardrail="no_pins", stage="input", action="rewrite") == 2


async def test_tokens_costs_and_retries_are_counted_by_model():
    metrics = Metrics()
    metrics.see(responded(0.1, 100, "openai:a", input_tokens=70, output_tokens=9, cost=0.25))
    metrics.see(responded(0.1, 100, "openai:b", input_tokens=1, output_tokens=1))
    metrics.see(at(0.1, e.ModelRetried, block=1, attempt=2, wait_s=1.0, reason="busy", model="openai:a"))
    metrics.see(at(0.1, e.LogDelayed, reason="the disk is full"))
    assert value(metrics, "glassloop_model_tokens_total", model="openai:a", direction="input") == 70
    assert value(metrics, "glassloop_model_cost_dollars_total", model="openai:a") == 0.25
    assert value(metrics, "glassloop_model_cost_dollars_total", model="openai:b") is None
    assert value(metrics, "glassloop_model_retries_total", model="openai:a") == 1
    assert value(metrics, "glassloop_errors_total", type="llm_error") == 1
    assert value(metrics, "glassloop_errors_total", type="db_error") == 1


async def test_names_that_models_and_users_make_up_do_not_make_series():
    metrics = Metrics()
    for number in range(1000):
        started = e.TurnStarted(
            turn_id="t", seq=1, at=0.0, question="?", user="u", session_id="s", assistant=f"a{number}", model="m",
            protocol="native",
        )  # fmt: skip
        metrics.begin([started], {"look"})
        metrics.see(called(f"made_up_{number}"))
        metrics.see(returned(0.1, 1))
        metrics.see(responded(0.1, 1, f"model {number}"))
        metrics.see(finished())
        metrics.end("t")
        metrics.answered(f"METHOD{number}", "unknown", 404, 0.1, stream=False)
    found = series(metrics.text())
    assert sum(name == "glassloop_turns_total" for name, *_ in found) == 51
    assert sum(name == "glassloop_tool_calls_total" for name, *_ in found) == 1
    assert sum(name == "glassloop_model_seconds_count" for name, *_ in found) == 51
    assert sum(name == "glassloop_http_requests_total" for name, *_ in found) == 1
    assert found["glassloop_turns_total", ("assistant", "other"), ("status", "completed")] == 950


async def test_what_no_event_tells_is_looked_up_now_and_then(serve, settings):
    telemetry = Telemetry(settings())
    served = await serve(script=["One.", "Two."], observers=telemetry.observers)
    await ask(served)
    telemetry.attach(served.runtime)
    await ask(served)
    metrics = telemetry.metrics
    end = time.monotonic() + 60
    while value(metrics, "glassloop_event_loop_lag_seconds_count") < 1 and time.monotonic() < end:
        await asyncio.sleep(0.01)
    await telemetry.detach()
    await telemetry.aclose()
    found = series(metrics.text())
    assert found["glassloop_queue_waiting",] == 0
    assert found["glassloop_turns_running",] == 0
    assert found["glassloop_session_messages", ("quantile", "0.5")] >= 1
    assert found["glassloop_store_seconds_count", ("operation", "append")] >= 1
    assert found["glassloop_store_seconds_count", ("operation", "read")] >= 1
    assert found["glassloop_event_loop_lag_seconds_count",] >= 1


async def test_in_local_mode_metrics_are_there_for_whoever_is_on_the_machine(serve):
    served = await serve()
    assert (await served.client.get("/metrics")).status_code == 503
    served.app.state.metrics = Metrics()
    answer = await served.client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert "glassloop_turns" in answer.text


async def test_with_keys_only_the_operator_sees_metrics(serve, settings):
    served = await serve(settings(auth="keys", admin_token=TOKEN))
    served.app.state.metrics = Metrics()
    await served.runtime.store.users.add("ann")
    key, _ = await served.runtime.store.keys.create("ann")
    assert (await served.client.get("/metrics")).status_code == 401
    assert (await served.client.get("/metrics", headers={"authorization": f"Bearer {key}"})).status_code == 401
    assert (await served.client.get("/metrics", headers={"admin-token": TOKEN})).status_code == 200


async def test_a_worker_tells_prometheus_at_an_address_of_its_own():
    address = f"127.0.0.1:{free_port()}"
    stop = Metrics().serve(address)
    try:
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(f"http://{address}/metrics", timeout=60).read())
        assert b"glassloop_turns" in text
        with pytest.raises(UsageError, match="a free HOST:PORT"):
            Metrics().serve(address)
    finally:
        await asyncio.to_thread(stop)


@pytest.mark.parametrize("address", ["9100x", "203.0.113.7:9100", "127.0.0.1:99999"])
async def test_an_address_for_metrics_that_cannot_be_had_is_refused_in_a_sentence(address):
    with pytest.raises(UsageError, match="give a free HOST:PORT"):
        Metrics().serve(address)


@pytest.mark.slow
async def test_an_event_costs_less_than_two_microseconds():
    metrics = Metrics()
    delta = at(0.1, e.TextDelta, block=1, offset=0, text="word ")
    step = [responded(0.1, 100), called("look"), returned(0.2, 50)]
    turn = [*step, *[delta] * 20] * 2

    def once():
        began = time.thread_time()
        for _ in range(500):
            metrics.begin([STARTED], {"look"})
            for event in turn:
                metrics.see(event)
            metrics.see(finished())
            metrics.end("t")
        return (time.thread_time() - began) / (500 * (len(turn) + 1))

    assert min(once() for _ in range(10)) < 2e-6
