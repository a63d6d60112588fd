"""The orchestrator gives a result for every call: failures, timeouts and retries included."""

import asyncio
import logging
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator

from glassloop.core.errors import BadArguments, ToolError, ToolUnavailable
from glassloop.core.ports import CallContext, ToolExecutor
from glassloop.core.records import ToolCall, ToolResult
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import Tool, ToolContext, tool

CONTEXT = CallContext(turn_id="t1", session_id="s1", user="ada", call_id="c1")


@tool
async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


class Delays:
    """A sleep that only notes how long it should have been."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def failing(error: BaseException, times: int = 1000, **options: Any) -> tuple[Any, list[int]]:
    """A tool that raises the error the first `times` times, and the list it counts its calls in."""
    ran: list[int] = []

    @tool(name="flaky", **options)
    async def flaky(n: int = 0) -> str:
        """Fail."""
        ran.append(n)
        if len(ran) <= times:
            raise error
        return "well"

    return flaky, ran


def test_it_fills_the_port():
    executor: ToolExecutor = ToolOrchestrator(ToolRegistry([add]))
    assert executor.specs == {"add": add.spec}


async def test_a_call_gives_its_result_with_the_time_it_took(bench):
    ticks = iter([10.0, 10.25])
    result = await bench(add, clock=lambda: next(ticks)).call("add", {"a": 1, "b": 2})
    assert result == ToolResult(success=True, output="3", data=3, duration_ms=250.0)


async def test_a_clock_that_goes_back_gives_no_negative_time(bench):
    ticks = iter([10.0, 9.0])
    assert (await bench(add, clock=lambda: next(ticks)).call("add", {"a": 1, "b": 2})).duration_ms == 0.0


async def test_an_unknown_tool_is_answered_with_the_closest_names(bench):
    result = await bench(add).call("ad", {})
    assert not result.success
    assert result.error == "There is no tool 'ad'. Did you mean 'add'? Known: add."


async def test_bad_arguments_name_each_field(bench):
    result = await bench(add).call("add", {"a": "x", "c": 1})
    assert not result.success
    for words in ("'a': ", "'b' is missing", "there is no 'c'", "Allowed: a, b."):
        assert words in result.error


@pytest.mark.property(26)
@given(
    st.text(),
    st.sampled_from([ToolError, ToolUnavailable, BadArguments, ValueError, KeyError, ConnectionError, SystemExit]),
)
async def test_a_tools_failure_is_in_its_result(message, kind):
    broken, _ = failing(kind(message))
    result = await ToolOrchestrator(ToolRegistry([broken])).execute_tool(ToolCall(id="c", tool="flaky"), CONTEXT)
    assert not result.success
    assert result.error
    assert len(result.error) <= 500 or issubclass(kind, ToolError)
    assert "Traceback" not in result.error
    msgspec.json.encode(result)
    readable = message.strip()
    if issubclass(kind, ToolError) and readable.isascii() and readable:
        assert result.error == readable[:4000]
    if not issubclass(kind, ToolError):
        assert result.error.startswith(kind.__name__)


async def test_an_unforeseen_exception_is_told_shortly_and_logged_whole(bench, caplog):
    broken, _ = failing(RuntimeError("boom " * 200))
    with caplog.at_level(logging.ERROR, "glassloop.tools"):
        result = await bench(broken).call("flaky", {})
    assert result.error.startswith("RuntimeError: boom boom")
    assert len(result.error) == 500
    assert caplog.records[-1].exc_info[1].args == ("boom " * 200,)


async def test_an_exception_without_words_or_with_broken_ones_is_told_by_its_type(bench):
    class Mute(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    for error, told in [(ValueError(), "ValueError"), (ToolError(), "ToolError"), (Mute(), "Mute")]:
        broken, _ = failing(error)
        assert (await bench(broken).call("flaky", {})).error == told


async def test_groups_of_exceptions_are_told_too(bench):
    @tool
    async def many() -> None:
        """Fail in parts."""
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.sleep(0))
            raise ValueError("inside")

    assert (await bench(many).call("many", {})).error.startswith("ExceptionGroup: ")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


class Strange(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def check(cls, value: str) -> str:
        if value:
            raise KeyError(value)
        return value


@tool(effect="read")
async def curious(a: int, b: list[dict[str, float]] | None = None, c: Any = None, d: Strange | None = None) -> Any:
    """Take anything."""
    return [a, b, c, d]


@given(
    json_values | st.dictionaries(st.sampled_from(["a", "b", "c", "d", "A"]), json_values),
    st.sampled_from(["curious", "add", "no"]),
)
async def test_no_arguments_make_a_call_raise(args, name):
    orchestrator = ToolOrchestrator(ToolRegistry([add, curious]))
    call = ToolCall(id="c", tool=name, args=args)
    result = await orchestrator.execute_tool(call, CONTEXT)
    assert result.success or result.error
    msgspec.json.encode(result)
    problem = orchestrator.check(call)
    assert (problem is None) == result.success
    assert await orchestrator.preview(call, CONTEXT) == (None if problem is None else {"error": problem})


@pytest.mark.parametrize(
    ("options", "cause"),
    [
        ({"effect": "external"}, "in_doubt"),
        ({"effect": "write"}, "in_doubt"),
        ({"effect": "write", "idempotent": True}, "ran"),
        ({"effect": "read"}, "ran"),
    ],
)
async def test_a_timeout_says_so_and_whether_the_outcome_is_known(bench, options, cause):
    ended = []

    @tool(timeout_s=0.01, **options)
    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    result = await bench(hang).call("hang", {})
    assert not result.success
    assert result.error == "'hang' timed out after 0.01 s."
    assert result.cause == cause
    assert result.effect_unknown == (cause == "in_doubt")
    assert ended == [True]


async def test_a_tool_that_breaks_while_it_is_timed_out_has_timed_out(bench):
    @tool(timeout_s=0.01)
    async def hang() -> None:
        """Hang."""
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ValueError("on the way out") from None

    result = await bench(hang).call("hang", {})
    assert "timed out" in result.error
    assert result.cause == "in_doubt"


@pytest.mark.parametrize("error", [ToolUnavailable("away"), ConnectionResetError("reset"), TimeoutError("slow")])
async def test_a_passing_failure_of_a_read_is_tried_again(bench, error):
    flaky, ran = failing(error, times=2, effect="read")
    delays = Delays()
    result = await bench(flaky, sleep=delays).call("flaky", {})
    assert (result.output, result.metadata, len(ran)) == ("well", {"attempts": 3}, 3)
    assert delays.taken == [0.1, 0.2]


async def test_retries_end_and_the_last_failure_is_told(bench):
    flaky, ran = failing(ToolUnavailable("away"), effect="read", volatile=True, retries=7)
    delays = Delays()
    result = await bench(flaky, sleep=delays).call("flaky", {})
    assert (result.success, result.error, result.metadata) == (False, "away", {"attempts": 8})
    assert len(ran) == 8
    assert delays.taken == [0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]


@pytest.mark.parametrize(
    ("error", "options"),
    [
        (ToolUnavailable("away"), {"effect": "write", "idempotent": True}),
        (ConnectionError("gone"), {"effect": "external"}),
        (ToolUnavailable("away"), {"effect": "read", "retries": 0}),
        (ToolError("no such part"), {"effect": "read"}),
        (BadArguments("not that one"), {"effect": "read"}),
        (ValueError("wrong"), {"effect": "read"}),
    ],
)
async def test_effects_and_failures_that_stay_are_tried_once(bench, error, options):
    flaky, ran = failing(error, **options)
    delays = Delays()
    result = await bench(flaky, sleep=delays).call("flaky", {})
    assert not result.success
    assert result.metadata == {}
    assert (len(ran), delays.taken) == (1, [])


@pytest.mark.parametrize("effect", ["read", "external"])
async def test_cancelling_a_call_passes_through_and_reaches_the_tool(bench, effect):
    started, ended = asyncio.Event(), []

    @tool(effect=effect)
    async def hang() -> None:
        """Hang."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    call = asyncio.create_task(bench(hang).call("hang", {}))
    await asyncio.wait_for(started.wait(), 60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert ended == [True]


async def test_cancelling_during_a_retry_delay_passes_through(bench):
    waiting = asyncio.Event()

    async def sleep(seconds: float) -> None:
        waiting.set()
        await asyncio.Event().wait()

    flaky, ran = failing(ToolUnavailable("away"), effect="read")
    call = asyncio.create_task(bench(flaky, sleep=sleep).call("flaky", {}))
    await asyncio.wait_for(waiting.wait(), 60)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert len(ran) == 1


async def test_a_cancellation_inside_the_tool_is_its_failure_and_not_the_turns(bench):
    @tool
    async def lost() -> None:
        """Wait for something that is cancelled."""
        inner = asyncio.get_running_loop().create_future()
        inner.cancel()
        await inner

    result = await bench(lost).call("lost", {})
    assert not result.success
    assert result.error == "CancelledError: what the tool waited for was cancelled."


async def test_a_class_tool_runs_with_checked_input_and_context(bench):
    class Greet(Tool):
        name = "greet"

        class Input(BaseModel):
            name: str

        async def execute(self, given: Any, context: ToolContext) -> ToolResult:
            context.progress("greeting", 0.5)
            return ToolResult(
                success=True, output=f"{given.name} by {context.user}", metadata={"key": context.idempotency_key}
            )

    heard = []
    made = bench(Greet())
    result = await made.call("greet", {"name": "Bo"}, progress=lambda *said: heard.append(said))
    assert (result.output, result.metadata) == ("Bo by ada", {"key": "t1:c1"})
    assert heard == [("greeting", 0.5)]
    assert made.orchestrator.specs["greet"].reports_progress


def shown(a: int, b: int) -> dict[str, Any]:
    return {"would": {a, b}}


async def shown_later(context: ToolContext, a: int, b: int) -> str:
    return f"{context.user} adds {a} to {b}"


async def shown_broken(a: int, b: int) -> str:
    raise RuntimeError("no preview")


async def shown_slowly(a: int, b: int) -> str:
    await asyncio.Event().wait()


async def shown_odd(a: int, b: int) -> Any:
    return object()


@pytest.mark.parametrize(
    ("preview", "expected"),
    [
        (shown, {"would": [1, 2]}),
        (shown_later, "ada adds 1 to 2"),
        (shown_broken, {"error": "The preview could not be made: RuntimeError: no preview"}),
        (shown_slowly, {"error": "The preview could not be made: TimeoutError"}),
    ],
)
async def test_a_preview_is_plain_json_and_never_raises(preview, expected):
    made = tool(name="add", preview=preview, timeout_s=0.05 if preview is shown_slowly else 30)(add.__wrapped__)
    call = ToolCall(id="c", tool="add", args={"a": 1, "b": "2"})
    assert await ToolOrchestrator(ToolRegistry([made])).preview(call, CONTEXT) == expected


async def test_a_preview_that_is_not_json_says_so():
    made = tool(name="add", preview=shown_odd)(add.__wrapped__)
    preview = await ToolOrchestrator(ToolRegistry([made])).preview(
        ToolCall(id="c", tool="add", args={"a": 1, "b": 2}), CONTEXT
    )
    assert "object is not JSON" in preview["error"]


async def test_previews_of_tools_without_one_and_of_impossible_calls():
    orchestrator = ToolOrchestrator(ToolRegistry([add]))
    assert await orchestrator.preview(ToolCall(id="c", tool="add", args={"a": 1, "b": 2}), CONTEXT) is None
    assert (
        "'b' is missing" in (await orchestrator.preview(ToolCall(id="c", tool="add", args={"a": 1}), CONTEXT))["error"]
    )
    assert "no tool 'sub'" in (await orchestrator.preview(ToolCall(id="c", tool="sub"), CONTEXT))["error"]


def test_a_check_says_what_is_wrong_before_anything_runs():
    orchestrator = ToolOrchestrator(ToolRegistry([add]))
    assert orchestrator.check(ToolCall(id="c", tool="add", args={"a": 1, "b": 2})) is None
    assert "'b' is missing" in orchestrator.check(ToolCall(id="c", tool="add", args={"a": 1}))
    assert "no tool 'sub'" in orchestrator.check(ToolCall(id="c", tool="sub"))


def test_references_are_resolved_through_it():
    orchestrator = ToolOrchestrator(ToolRegistry())
    assert orchestrator.resolve_parameters({"a": "${step1.result.n}"}, {1: {"n": 4}}) == {"a": 4}


async def test_a_tool_registered_later_can_be_called():
    registry = ToolRegistry()
    orchestrator = ToolOrchestrator(registry)
    registry.register(add)
    result = await orchestrator.execute_tool(ToolCall(id="c", tool="add", args={"a": 1, "b": 2}), CONTEXT)
    assert (result.data, list(orchestrator.specs)) == (3, ["add"])
