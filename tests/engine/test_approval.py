"""Approvals: bound to what was shown, decided one by one, and never run when refused."""

import asyncio
import hashlib

import pytest
from msgspec.structs import replace

from glassloop import Agent, Approval, Limits, ScriptedModel, ToolError, UsageError, tool
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch, BadArguments
from glassloop.core.loop.policy import Profile, digest_of
from glassloop.core.records import ToolCall, ToolResult
from glassloop.models.scripted_model import call


@pytest.fixture
def shelf():
    return []


@pytest.fixture
def put(shelf):
    def shown(name: str) -> str:
        return f"+ {name}"

    @tool(effect="write", confirm=True, preview=shown)
    async def put(name: str) -> str:
        """Puts something on the shelf."""
        shelf.append(name)
        return f"put {name}"

    return put


async def paused(agent):
    stream = agent.stream("Put it there")
    await stream.drain()
    assert stream.paused
    return stream


def pending(stream):
    return stream.pending[-1]


def decide(request, approved=True, **changes):
    return Approval(call_id=request.call.id, digest=request.digest, approved=approved, by="ann", **changes)


async def test_nothing_runs_before_it_is_approved_and_then_exactly_what_was_shown(put, shelf):
    agent = Agent(ScriptedModel([call("put", name="cup"), "It is there."]), [put])
    stream = await paused(agent)
    request = pending(stream)
    assert shelf == []
    assert request.preview == "+ cup"
    assert stream.events[-1].call_ids == (request.call.id,)
    response = await agent.resume(stream.events, [decide(request)]).drain()
    assert shelf == ["cup"]
    assert response.success
    assert response.response == "It is there."


async def test_declined_approval_ends_the_turn_without_calling_the_tool(put, shelf):
    model = ScriptedModel([call("put", name="cup"), "As you wish."])
    agent = Agent(model, [put])
    stream = await paused(agent)
    response = await agent.resume(stream.events, [decide(pending(stream), approved=False, reason="not mine")]).drain()
    assert shelf == []
    assert response.success
    assert "not mine" in response.steps[0].observation.error
    assert response.steps[0].observation.requires_confirmation


async def test_edited_arguments_are_shown_again_and_then_are_what_runs_and_what_the_model_is_told(put, shelf):
    model = ScriptedModel([call("put", name="cup"), "Done."])
    agent = Agent(model, [put])
    stream = await paused(agent)
    stream = agent.resume(stream.events, [decide(pending(stream), args={"name": "mug"})])
    await stream.drain()
    assert stream.paused
    assert shelf == []
    request = pending(stream)
    assert (request.call.args, request.preview) == ({"name": "mug"}, "+ mug")
    await agent.resume(stream.events, [decide(request)]).drain()
    assert shelf == ["mug"]
    assert "changed the arguments" in str(model.requests[-1].messages[-1])
    assert "mug" in str(model.requests[-1].messages[-1])


async def test_edited_arguments_of_a_tool_that_shows_nothing_else_run_at_once(shelf):
    @tool(effect="write", confirm=True)
    async def put(name: str) -> str:
        """Puts something on the shelf."""
        shelf.append(name)
        return f"put {name}"

    agent = Agent(ScriptedModel([call("put", name="cup"), "Done."]), [put])
    stream = await paused(agent)
    response = await agent.resume(stream.events, [decide(pending(stream), args={"name": "mug"})]).drain()
    assert shelf == ["mug"]
    assert response.success


async def test_what_would_happen_otherwise_than_it_was_shown_is_asked_again(shelf):
    def shown(name: str) -> str:
        return f"+ {name}, beside {shelf}"

    @tool(effect="write", confirm=True, preview=shown)
    async def put(name: str) -> str:
        """Puts something on the shelf."""
        shelf.append(name)
        return f"put {name}"

    agent = Agent(ScriptedModel([call("put", name="cup"), "It is there."]), [put])
    stream = await paused(agent)
    first = pending(stream)
    shelf.append("jug")
    stream = agent.resume(stream.events, [decide(first)])
    await stream.drain()
    assert stream.paused
    assert shelf == ["jug"]
    second = pending(stream)
    assert second.preview == "+ cup, beside ['jug']"
    assert second.digest != first.digest
    await agent.resume(stream.events, [decide(second)]).drain()
    assert shelf == ["jug", "cup"]


async def test_edited_arguments_that_do_not_fit_are_refused(put, shelf):
    agent = Agent(ScriptedModel([call("put", name="cup")]), [put])
    stream = await paused(agent)
    with pytest.raises(BadArguments, match="name"):
        agent.resume(stream.events, [decide(pending(stream), args={"name": 5})])
    assert shelf == []


async def test_a_decision_for_something_else_than_what_was_shown_is_refused(put, shelf):
    agent = Agent(ScriptedModel([call("put", name="cup")]), [put])
    stream = await paused(agent)
    request = pending(stream)
    with pytest.raises(ApprovalMismatch, match="reload"):
        agent.resume(stream.events, [Approval(call_id=request.call.id, digest="0" * 64, approved=True)])
    with pytest.raises(ApprovalMismatch, match="call_9"):
        agent.resume(stream.events, [Approval(call_id="call_9", digest=request.digest, approved=True)])
    assert shelf == []


async def test_several_approvals_of_one_step_are_decided_one_by_one(put, shelf):
    agent = Agent(ScriptedModel([[call("put", name="a"), call("put", name="b")], "Both seen to."]), [put])
    stream = await paused(agent)
    stream = agent.resume(stream.events, [decide(pending(stream))])
    await stream.drain()
    assert stream.paused
    assert shelf == ["a"]
    response = await agent.resume(stream.events, [decide(pending(stream), approved=False)]).drain()
    assert shelf == ["a"]
    assert [one.observation.success for one in response.steps[0].calls] == [True, False]


async def test_arguments_that_cannot_work_are_told_to_the_model_and_not_to_a_person(put, shelf):
    agent = Agent(ScriptedModel([call("put", nam="cup"), "I was wrong."]), [put])
    response = await agent.run("Put it there")
    assert "name" in response.steps[0].observation.error
    assert shelf == []


async def test_the_tool_command_asks_as_well(put, shelf):
    agent = Agent(ScriptedModel([]), [put])
    stream = agent.stream('/tool put {"name": "cup"}')
    await stream.drain()
    assert stream.paused
    assert shelf == []
    response = await agent.resume(stream.events, [decide(pending(stream))]).drain()
    assert response.response == "put cup"


async def test_a_profile_can_ask_for_every_effect(shelf):
    @tool(effect="write")
    async def quiet(name: str) -> str:
        """Says nothing about asking."""
        shelf.append(name)
        return name

    agent = Agent(ScriptedModel([call("quiet", name="x"), "Done."]), [quiet], profile=Profile(approvals="effects"))
    await paused(agent)
    assert shelf == []


async def test_an_effect_cut_off_by_a_crash_asks_and_is_not_repeated_by_itself(shelf):
    @tool(effect="external")
    async def send(name: str) -> str:
        """Sends a letter."""
        shelf.append(name)
        return "sent"

    agent = Agent(ScriptedModel([call("send", name="letter"), "Sent."]), [send])
    stream = agent.stream("Send it")
    await stream.drain()
    before = stream.events[: next(i for i, event in enumerate(stream.events) if isinstance(event, e.ToolCalled)) + 1]
    again = Agent(ScriptedModel(["I left it."]), [send])
    stream = again.resume(before)
    await stream.drain()
    assert stream.paused
    assert pending(stream).reason == "outcome_unknown"
    assert shelf == ["letter"]
    response = await again.resume(stream.events, [decide(pending(stream), approved=False)]).drain()
    assert shelf == ["letter"]
    assert response.steps[0].observation.effect_unknown


async def test_nobody_is_asked_about_a_call_whose_preview_says_that_it_cannot_work(shelf):
    full = [True]

    def shown(name: str) -> str:
        if full[0]:
            raise ToolError("The shelf is full: take something off first.")
        return f"+ {name}"

    @tool(effect="write", confirm=True, preview=shown)
    async def put(name: str) -> str:
        """Puts something on the shelf."""
        shelf.append(name)
        return f"put {name}"

    agent = Agent(ScriptedModel([call("put", name="cup"), "It is full."]), [put])
    refused = (await agent.stream("Put it there").drain()).steps[0].observation
    assert (refused.error, refused.cause) == ("The shelf is full: take something off first.", "refused")
    # Also where it says so only after somebody has approved.
    full[0] = False
    agent = Agent(ScriptedModel([call("put", name="cup"), "It is full."]), [put])
    stream = await paused(agent)
    full[0] = True
    response = await agent.resume(stream.events, [decide(pending(stream))]).drain()
    assert "full" in response.steps[0].observation.error
    assert shelf == []


async def test_a_week_of_waiting_does_not_count_against_the_time_limit(put, shelf):
    now = [1000.0]
    model = ScriptedModel([call("put", name="cup"), "It is there."])
    agent = Agent(model, [put], limits=Limits(seconds=60), clock=lambda: now[0])
    stream = await paused(agent)
    now[0] += 7 * 86_400
    response = await agent.resume(stream.events, [decide(pending(stream))]).drain()
    assert shelf == ["cup"]
    assert response.response == "It is there."
    assert response.execution_time < 60


async def test_a_finished_turn_cannot_be_resumed(put):
    agent = Agent(ScriptedModel(["Hello."]), [put])
    stream = agent.stream("Hi")
    await stream.drain()
    with pytest.raises(UsageError, match="completed"):
        agent.resume(stream.events)


async def test_what_was_refused_or_not_decided_stays_so_under_a_laxer_profile(shelf):
    @tool(effect="write")
    async def quiet(name: str) -> str:
        """Says nothing about asking."""
        shelf.append(name)
        return name

    strict = Agent(ScriptedModel([call("quiet", name="x")]), [quiet], profile=Profile(approvals="effects"))
    stream = await paused(strict)
    lax = Agent(ScriptedModel(["As you wish."] * 2), [quiet])
    undecided = lax.resume(stream.events)
    await undecided.drain()
    assert undecided.paused
    await lax.resume(stream.events, [decide(pending(stream), approved=False)]).drain()
    assert shelf == []


async def test_a_log_that_no_longer_holds_what_was_approved_runs_nothing(put, shelf):
    agent = Agent(ScriptedModel([call("put", name="secret"), "Not done."]), [put])
    stream = await paused(agent)
    request = pending(stream)
    redacted = replace(request, call=replace(request.call, args={"name": "[redacted]"}))
    events = [redacted if event is request else event for event in stream.events]
    response = await agent.resume(events, [decide(redacted)]).drain()
    assert shelf == []
    assert "not what was approved" in response.steps[0].observation.error


async def test_one_approval_is_for_one_run(shelf):
    @tool(effect="external", confirm=True, timeout_s=0.02)
    async def send(name: str) -> str:
        """Sends, and never hears back."""
        shelf.append(name)
        await asyncio.Event().wait()
        return "sent"

    agent = Agent(ScriptedModel([call("send", name="letter")]), [send])
    stream = await paused(agent)
    for runs in (1, 2):
        stream = agent.resume(stream.events, [decide(pending(stream))])
        await stream.drain()
        assert stream.paused
        assert pending(stream).reason == "outcome_unknown"
        assert len(shelf) == runs
    assert sum(isinstance(event, e.ToolCalled) for event in stream.events) == 2


def until_killed(events):
    """The log of a turn whose process was killed in the last call that it started."""
    last = max(place for place, event in enumerate(events) if isinstance(event, e.ToolCalled))
    return events[: last + 1]


async def test_an_approval_from_before_a_kill_does_not_run_the_effect_again(put, shelf):
    agent = Agent(ScriptedModel([call("put", name="cup"), *["It is there."] * 3]), [put])
    stream = await paused(agent)
    requests = [pending(stream)]
    for runs in (1, 2):
        stream = agent.resume(stream.events, [decide(requests[-1])])
        await stream.drain()
        stream = agent.resume(until_killed(stream.events))
        await stream.drain()
        request = pending(stream)
        assert (request.preview, request.reason) == ("+ cup", "outcome_unknown")
        assert request.doubt == "It had started when the work was interrupted."
        for stale in requests:
            with pytest.raises(ApprovalMismatch):
                agent.resume(stream.events, [decide(stale)])
        assert shelf == ["cup"] * runs
        requests.append(request)
    await agent.resume(stream.events, [decide(requests[-1], approved=False)]).drain()
    assert shelf == ["cup"] * 2


async def test_a_preview_of_other_arguments_is_not_shown_for_what_may_have_run(shelf):
    def shown(name: str) -> str | None:
        return "+ cup" if name == "cup" else None

    @tool(effect="external", confirm=True, preview=shown)
    async def send(name: str) -> ToolResult:
        """Sends, and does not say what became of it."""
        shelf.append(name)
        return ToolResult(success=False, error="", cause="in_doubt", effect_unknown=True)

    agent = Agent(ScriptedModel([call("send", name="cup")]), [send])
    stream = await paused(agent)
    stream = agent.resume(stream.events, [decide(pending(stream), args={"name": "mug"})])
    await stream.drain()
    assert shelf == ["mug"]
    request = pending(stream)
    assert (request.call.args, request.preview, request.reason) == ({"name": "mug"}, None, "outcome_unknown")
    assert request.doubt


def test_digests_of_requests_without_doubt_are_those_of_older_logs():
    asked = ToolCall(id="c", tool="put", args={"name": "cup"})
    assert digest_of(asked, "+ cup") == hashlib.sha256(b'["put",{"name":"cup"},"+ cup"]').hexdigest()


async def test_a_tool_that_is_gone_is_asked_about_too(shelf):
    @tool(effect="external")
    async def send(name: str) -> str:
        """Sends."""
        return "sent"

    stream = Agent(ScriptedModel([call("send", name="letter"), "Sent."]), [send]).stream("Send it")
    await stream.drain()
    before = stream.events[: next(i for i, event in enumerate(stream.events) if isinstance(event, e.ToolCalled)) + 1]
    stream = Agent(ScriptedModel([]), []).resume(before)
    await stream.drain()
    assert stream.paused


async def test_a_tool_can_ask_for_some_of_its_calls(shelf):
    def shown(name: str) -> str:
        return f"{name} is a secret"

    def asks(name: str) -> bool:
        return name.startswith(".")

    @tool(effect="read", volatile=True, asks=asks, preview=shown)
    async def look(name: str) -> str:
        """Looks at something."""
        shelf.append(name)
        return f"{name} was seen"

    agent = Agent(ScriptedModel([call("look", name="cup"), call("look", name=".env"), "Seen."]), [look])
    stream = await paused(agent)
    assert shelf == ["cup"]
    assert pending(stream).preview == ".env is a secret"
    assert pending(stream).why.kind == "declared"
    response = await agent.resume(stream.events, [decide(pending(stream))]).drain()
    assert (shelf, response.response) == (["cup", ".env"], "Seen.")
