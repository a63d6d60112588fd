"""Allowed for the rest of a session: one tool, as it is, in this session, until it is taken back or over."""

import time

import msgspec
import pytest

from glassloop import Approval, tool
from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.loop.policy import GRANTED_S
from glassloop.models.scripted_model import call
from runtime.conftest import close


async def told(runtime, submitted, after=0):
    return [event async for event in runtime.watch(submitted.turn_id, after=after) if type(event) not in e.TRANSIENT]


def asked(events):
    return [event for event in events if isinstance(event, e.ApprovalRequested)][-1]


def decided(events):
    return [event for event in events if isinstance(event, e.ApprovalDecided)]


async def allow(runtime, submitted, **changes):
    """Allows what the turn waits for, for the session; its events from then on."""
    events = await told(runtime, submitted)
    assert isinstance(events[-1], e.TurnWaiting)
    request = asked(events)
    given = {"call_id": request.call.id, "digest": request.digest, "approved": True, "by": "ann", "for_session": True}
    await runtime.approve(submitted.turn_id, [Approval(**given | changes)])
    return await told(runtime, submitted, after=events[-1].seq)


async def test_a_tool_that_was_allowed_for_the_session_runs_there_without_asking_again(place, opens, bench):
    script = [call("write", text="x"), "1.", call("write", text="y"), "2.", call("write", text="z"), "3."]
    runtime = await opens(place, script)
    rest = await allow(runtime, await runtime.submit("Write x", session_id="s"))
    assert decided(rest)[0].scope == "session"
    events = await told(runtime, await runtime.submit("Write y", session_id="s"))
    assert isinstance(events[-1], e.TurnFinished)
    assert bench.written == ["x", "y"]
    (decision,) = decided(events)
    assert (decision.approved, decision.by, decision.scope) == (True, "ann", "granted")
    assert decision.digest == asked(events).digest
    assert asked(events).preview == {"would write": "y"}
    events = await told(runtime, await runtime.submit("Write z", session_id="another"))
    assert isinstance(events[-1], e.TurnWaiting)
    assert bench.written == ["x", "y"]
    actions = [(note.action, note.subject, note.by_user, note.session_id) for note in await runtime.store.audit.list()]
    assert actions == [("allowed", "write", "ann", "s")]


async def test_what_was_taken_back_asks_again(shared, opens, bench):
    runtime = await opens(shared, [call("write", text="x"), "1.", call("write", text="y"), "2."])
    submitted = await runtime.submit("Write x", session_id="s")
    await allow(runtime, submitted)
    (grant,) = await runtime.store.grants.of_session("s")
    assert (grant.tool, grant.effect, grant.by_user, grant.turn_id) == ("write", "write", "ann", submitted.turn_id)
    assert await runtime.store.grants.revoke("s", "write")
    assert not await runtime.store.grants.revoke("s", "write")
    assert isinstance((await told(runtime, await runtime.submit("Write y", session_id="s")))[-1], e.TurnWaiting)
    assert bench.written == ["x"]


async def test_a_grant_survives_a_restart_but_not_another_version_of_the_tool(shared, opens, bench):
    first = await opens(shared, [call("write", text="x"), "1."])
    await allow(first, await first.submit("Write x", session_id="s"))
    await close(first)
    second = await opens(shared, [call("write", text="y"), "2."])
    assert isinstance((await told(second, await second.submit("Write y", session_id="s")))[-1], e.TurnFinished)
    await close(second)

    @tool(effect="write", confirm=True, name="write")
    async def other(text: str) -> str:
        """Write a text everywhere."""
        raise AssertionError(text)

    bench.tools = [other]
    third = await opens(shared, [call("write", text="z"), "3."])
    assert isinstance((await told(third, await third.submit("Write z", session_id="s")))[-1], e.TurnWaiting)
    await close(third)
    assert bench.written == ["x", "y"]


async def test_a_grant_is_over_after_half_a_day(shared, opens, bench):
    runtime = await opens(shared, [call("write", text="x"), "1.", call("write", text="y"), "2."])
    await allow(runtime, await runtime.submit("Write x", session_id="s"))
    (grant,) = await runtime.store.grants.of_session("s")
    assert grant.until - grant.at == GRANTED_S
    await runtime.store.grants.add(msgspec.structs.replace(grant, until=time.time() - 1))
    assert isinstance((await told(runtime, await runtime.submit("Write y", session_id="s")))[-1], e.TurnWaiting)
    assert bench.written == ["x"]


@pytest.mark.parametrize(
    "changes", [{"approved": False}, {"args": {"text": "other"}}], ids=["a refusal", "other arguments"]
)
async def test_only_a_plain_approval_can_count_for_the_session(shared, opens, bench, changes):
    runtime = await opens(shared, [call("write", text="x"), "1."])
    submitted = await runtime.submit("Write x", session_id="s")
    with pytest.raises(UsageError, match="plain approval"):
        await allow(runtime, submitted, **changes)
    assert await runtime.store.grants.of_session("s") == ()
    assert decided(await told(runtime, submitted)) == []
    assert bench.written == []


async def test_what_leaves_this_machine_cannot_be_allowed_for_the_session(shared, opens, bench):
    @tool(effect="external", confirm=True)
    async def send(text: str) -> str:
        """Send a text to somebody."""
        raise AssertionError(text)

    bench.tools = [send]
    runtime = await opens(shared, [call("send", text="x")])
    submitted = await runtime.submit("Send x", session_id="s")
    with pytest.raises(UsageError, match="cannot be allowed for the session"):
        await allow(runtime, submitted)
    assert decided(await told(runtime, submitted)) == []


async def test_a_fork_has_a_session_of_its_own_and_so_no_grant(shared, opens, bench):
    runtime = await opens(shared, [call("write", text="x"), "1.", call("write", text="y"), "2."])
    submitted = await runtime.submit("Write x", session_id="s")
    await allow(runtime, submitted)
    forked = await runtime.fork(submitted.turn_id, 1)
    assert isinstance((await told(runtime, forked))[-1], e.TurnWaiting)
    assert bench.written == ["x"]
