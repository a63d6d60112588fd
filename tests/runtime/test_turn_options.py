"""Options of one turn: its mode, preset, steps and protocol, kept with the turn."""

import pytest

from glassloop import Approval, tool
from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.models.scripted_model import call
from glassloop.runtime.durable.submission import TurnOptions


@pytest.fixture
def edit(bench):
    @tool(effect="write", confirm=True, grant="folder")
    async def edit(path: str) -> str:
        """Edit a file."""
        bench.written.append(path)
        return f"edited {path}"

    @tool(effect="write", confirm=True, grant="never")
    async def delete(path: str) -> str:
        """Delete a file."""
        bench.written.append(f"deleted {path}")
        return "gone"

    @tool(effect="external", confirm=True, grant="command", reaches="here", integrity="trusted")
    async def shell(command: str) -> str:
        """Run a command."""
        bench.written.append(command)
        return "ran"

    def secret(path: str) -> bool:
        return path == ".env"

    @tool(effect="read", asks=secret)
    async def read(path: str) -> str:
        """Read a file."""
        return f"{path}: text of a stranger"

    bench.tools += [edit, delete, shell, read]


async def told(runtime, submitted, after=0):
    return [event async for event in runtime.watch(submitted.turn_id, after=after) if type(event) not in e.TRANSIENT]


async def asked(runtime, question, **options):
    return await told(runtime, await runtime.submit(question, session_id="s", options=TurnOptions(**options)))


def requests(events):
    return [event for event in events if isinstance(event, e.ApprovalRequested)]


def results(events):
    return [event.result for event in events if isinstance(event, e.ToolReturned)]


async def approve(runtime, events, **given):
    request = requests(events)[-1]
    await runtime.approve(
        events[0].turn_id, [Approval(call_id=request.call.id, digest=request.digest, **{"approved": True, **given})]
    )
    return [event async for event in runtime.watch(events[0].turn_id, after=events[-1].seq)]


@pytest.mark.usefixtures("edit")
async def test_while_a_session_only_reads_no_tool_that_writes_is_offered_and_none_runs(place, opens, bench):
    runtime = await opens(place, [call("edit", path="a"), call("shell", command="ls"), "Nothing changed."])
    events = await asked(runtime, "Change it", mode="read")
    assert isinstance(events[-1], e.TurnFinished)
    assert not requests(events)
    assert [result.success for result in results(events)] == [False, False]
    assert not bench.written


@pytest.mark.usefixtures("edit")
async def test_in_plan_mode_nothing_changes_before_the_plan_is_approved(place, opens, bench):
    script = [call("edit", path="a"), call("present_plan", plan="Edit a."), call("edit", path="a"), "Done."]
    runtime = await opens(place, script)
    events = await asked(runtime, "Change it", mode="plan")
    assert isinstance(events[-1], e.TurnWaiting)
    assert "Show the user your plan" in results(events)[0].error
    assert requests(events)[0].preview == {"plan": "Edit a."}
    rest = await approve(runtime, events)
    assert isinstance(rest[-1], e.TurnWaiting)
    assert requests(rest)[0].call.tool == "edit"
    await approve(runtime, [events[0], *rest])
    assert bench.written == ["a"]


@pytest.mark.usefixtures("edit")
async def test_a_plan_that_is_refused_changes_nothing(place, opens, bench):
    runtime = await opens(place, [call("present_plan", plan="Edit a."), call("edit", path="a"), "Nothing done."])
    events = await asked(runtime, "Change it", mode="plan")
    rest = await approve(runtime, events, approved=False, reason="not a")
    assert isinstance(rest[-1], e.TurnFinished)
    assert "did not approve the plan: not a" in results(rest)[0].error
    assert not bench.written


@pytest.mark.usefixtures("edit")
async def test_in_edits_mode_file_changes_need_not_ask_while_deletes_and_commands_do(place, opens, bench):
    script = [call("read", path="x"), call("edit", path="a"), call("delete", path="a"), "Done."]
    runtime = await opens(place, [*script, call("shell", command="pytest"), "Ran."])
    events = await asked(runtime, "Change it", mode="edits")
    assert bench.written == ["a"]
    assert [request.call.tool for request in requests(events)] == ["delete"]
    await approve(runtime, events)
    events = await asked(runtime, "Test it")
    assert events[0].settings["mode"] == "edits"
    assert [request.call.tool for request in requests(events)] == ["shell"]
    await runtime.cancel(events[0].turn_id)


@pytest.mark.usefixtures("edit")
async def test_a_read_may_ask_by_what_it_reads(place, opens):
    runtime = await opens(place, [call("read", path="a.py"), call("read", path=".env"), "Read."])
    events = await asked(runtime, "Read")
    assert [request.call.args for request in requests(events)] == [{"path": ".env"}]
    rest = await approve(runtime, events)
    assert results(rest)[0].success
    assert requests(events)[0].allow is None


@pytest.mark.usefixtures("edit")
async def test_edits_are_allowed_below_a_folder_and_nowhere_else(place, opens, bench):
    script = [call("edit", path="src/a.py"), "1.", call("read", path="x"), call("edit", path="src/b/c.py"), "2."]
    runtime = await opens(place, [*script, call("edit", path="src/../setup.py"), "3."])
    events = await asked(runtime, "Edit a")
    assert (requests(events)[0].allow.kind, requests(events)[0].allow.scope) == ("folder", "src/")
    rest = await approve(runtime, events, for_session=True)
    (decided,) = [event for event in rest if isinstance(event, e.ApprovalDecided)] or [
        event for event in await runtime.store.turns.read(events[0].turn_id) if isinstance(event, e.ApprovalDecided)
    ]
    assert decided.allowed == "src/"
    (grant,) = await runtime.store.grants.of_session("s")
    assert (grant.tool, grant.scope) == ("edit", "src/")
    events = await asked(runtime, "Edit b")
    assert isinstance(events[-1], e.TurnFinished)
    assert bench.written == ["src/a.py", "src/b/c.py"]
    events = await asked(runtime, "Edit setup")
    assert isinstance(events[-1], e.TurnWaiting)
    assert requests(events)[0].allow is None
    await runtime.cancel(events[0].turn_id)


@pytest.mark.usefixtures("edit")
async def test_a_command_is_allowed_by_its_first_words_until_it_can_follow_from_untrusted_text(place, opens, bench):
    script = [call("shell", command="npm test -- --fast"), "1.", call("shell", command="npm test"), "2."]
    more = [call("shell", command="npm test; rm x"), "3.", call("read", path="x"), call("shell", command="npm test")]
    runtime = await opens(place, [*script, *more, "4."])
    events = await asked(runtime, "Test")
    assert requests(events)[0].allow.scope == "npm test"
    await approve(runtime, events, for_session=True)
    assert isinstance((await asked(runtime, "Test"))[-1], e.TurnFinished)
    assert bench.written == ["npm test -- --fast", "npm test"]
    events = await asked(runtime, "Test")
    assert isinstance(events[-1], e.TurnWaiting)
    await approve(runtime, events, approved=False)
    events = await told(runtime, await runtime.submit("Test", session_id="t"))
    assert isinstance(events[-1], e.TurnWaiting)
    assert bench.written == ["npm test -- --fast", "npm test"]
    await runtime.cancel(events[0].turn_id)


@pytest.mark.usefixtures("edit")
async def test_what_can_never_be_allowed_is_refused_as_a_grant(place, opens):
    runtime = await opens(place, [call("delete", path="a"), "1."])
    events = await asked(runtime, "Delete a")
    with pytest.raises(UsageError, match="cannot be allowed for the session"):
        await approve(runtime, events, for_session=True)
    await approve(runtime, events, approved=False)


async def test_steps_preset_and_protocol_count_for_the_turn_alone(place, opens):
    runtime = await opens(place, [call("look"), "Done.", "Again."])
    events = await asked(runtime, "Look", max_iterations=1, preset="quality")
    assert events[0].settings["limits"]["iterations"] == 1
    assert events[0].settings["preset"] == "quality"
    (given,) = [event for event in events if isinstance(event, e.AnswerGiven)]
    assert given.reason == "iterations"
    tiers = {event.tier for event in events if isinstance(event, e.ModelResponded)}
    assert tiers == {"powerful"}
    events = await asked(runtime, "Again", protocol="text", preset="best")
    assert events[0].protocol == "text"
    assert events[0].settings["preset"] == "balanced"
    assert events[0].settings["notices"] == [{"kind": "info", "text": "There is no preset 'best': balanced is used."}]
    assert "limits" not in events[0].settings or events[0].settings["limits"]["iterations"] != 1


def test_more_than_fifty_steps_are_refused():
    with pytest.raises(UsageError, match="1 to 50 steps"):
        TurnOptions(max_iterations=51)
