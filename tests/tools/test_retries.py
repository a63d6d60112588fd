"""Retries that a tool declares: what is tried again, how often, and within which time."""

import pytest

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import BadArguments, ToolError, ToolUnavailable
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolCall
from glassloop.models.scripted_model import call
from glassloop.tools.execution.orchestrator import ToolOrchestrator
from glassloop.tools.registry import ToolRegistry
from glassloop.tools.tool import ToolContext, tool


class Clock:
    """Time that only passes by being waited for."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


async def run(made, clock=None, told=None):
    clock = clock or Clock()
    orchestrator = ToolOrchestrator(ToolRegistry([made]), clock=clock, sleep=clock.sleep)
    progress = None if told is None else lambda text, _: told.append(text)
    context = CallContext(turn_id="t", session_id="s", user="u", call_id="c", progress=progress)
    return await orchestrator.execute_tool(ToolCall(id="c", tool=made.name), context)


async def test_an_idempotent_effect_that_declares_retries_is_tried_again_with_the_same_key():
    keys: list[str] = []

    @tool(effect="write", idempotent=True, retries=1)
    async def book(context: ToolContext) -> str:
        """Books."""
        keys.append(context.idempotency_key)
        if len(keys) == 1:
            raise ToolUnavailable("away")
        return "booked"

    result = await run(book)
    assert (result.output, result.metadata, keys) == ("booked", {"attempts": 2}, ["t:c", "t:c"])


@pytest.mark.parametrize(("error", "attempts"), [(LookupError("not yet"), 3), (BadArguments("not that one"), 1)])
async def test_retry_on_names_further_failures_but_never_bad_arguments(error, attempts):
    ran: list[int] = []

    @tool(effect="read", retries=2, retry_on=(LookupError, ToolError))
    async def flaky() -> str:
        """Fails."""
        ran.append(1)
        raise error

    assert not (await run(flaky)).success
    assert len(ran) == attempts


async def test_all_attempts_share_the_time_of_one_call_and_the_waiting_is_told():
    clock, told = Clock(), []

    @tool(effect="read", retries=9, timeout_s=1.0)
    async def slow() -> str:
        """Fails slowly."""
        clock.now += 0.4
        raise ToolUnavailable("away")

    assert slow.spec.reports_progress
    result = await run(slow, clock, told)
    assert (result.error, result.metadata) == ("away", {"attempts": 2})
    assert clock.now <= 1.0
    assert told == ["attempt 2 of 10 in 0.1 s: away"]


async def test_whoever_watches_a_turn_is_told_while_a_tool_waits_to_be_tried_again():
    failures = [ToolUnavailable("The calendar is away.")]

    @tool(effect="read", retries=1)
    async def calendar() -> str:
        """Reads."""
        if failures:
            raise failures.pop()
        return "free"

    agent = Agent(ScriptedModel([call("calendar"), "You are free."]), [calendar])
    events = [event async for event in agent.stream("Am I free?")]
    told = [event.message for event in events if isinstance(event, e.ToolProgressed)]
    assert "attempt 2 of 2 in 0.1 s: The calendar is away." in told
    (returned,) = [event.result for event in events if isinstance(event, e.ToolReturned)]
    assert (returned.output, returned.metadata) == ("free", {"attempts": 2})
