"""Turns that wait for people: told, or asked by the client's own means."""

import asyncio
import subprocess

import pytest
from mcp_types import ElicitResult

from glassloop.core import events as e
from glassloop.core.labels import ApprovalReason
from glassloop.core.records import ToolCall
from glassloop.extensions.mcp.server.rendering import answer_of, card, pending_text
from mcp_server.conftest import SHARED, text_of
from waiting import WAIT_S, until


def note(text):
    return f'/tool note {{"text": "{text}"}}'


@pytest.mark.slow
async def test_without_a_person_to_ask_the_answer_says_what_waits_and_how_it_is_decided(place):
    async with place.connect() as client:
        result = await client.call_tool("ask", {"question": note("milk"), "assistant": "porter"})
        found = result.structured_content
        assert not result.is_error
        assert (found["status"], found["answer"], place.notes) == ("waiting", "", [])
        assert f"glassloop approve {found['turn_id']}" in text_of(result)
        (waiting,) = found["waiting"]
        assert (waiting["tool"], waiting["args"], len(waiting["digest"])) == ("note", {"text": "milk"}, 64)
        busy = await client.call_tool("ask", {"question": "Hi", "session_id": found["session_id"]})
        assert busy.is_error
        assert "decide what it asks" in text_of(busy)
        command = place.command("approve", found["turn_id"], "--yes")
        done = await asyncio.to_thread(
            subprocess.run, command, cwd=place.folder, env=place.environment, capture_output=True, timeout=WAIT_S
        )
        assert done.returncode == 0, done.stderr
        shown = await client.call_tool("show_session", {"session_id": found["session_id"]})
        assert "wrote milk" in shown.structured_content["messages"][-1]["content"]
    assert place.notes == ["milk"]


@SHARED
@pytest.mark.parametrize(
    ("said", "written", "status"),
    [
        (ElicitResult(action="accept", content={"decision": "approve"}), True, "completed"),
        (ElicitResult(action="accept", content={"decision": "refuse", "reason": "no milk"}), False, "completed"),
        (ElicitResult(action="decline"), False, "completed"),
        (ElicitResult(action="cancel"), False, "waiting"),
        (ElicitResult(action="accept", content={"decision": "perhaps"}), False, "waiting"),
    ],
    ids=["approve", "refuse", "decline", "cancel", "nonsense"],
)
async def test_a_client_that_can_ask_its_person_does(talk, request, said, written, status):
    text = f"{request.node.callspec.id} \\u202e"
    talk.person.says, talk.person.shown = said, []
    result = await talk.ask(note(text), assistant="porter")
    (form,) = talk.person.shown
    assert "note wants to run" in form.message
    assert text in form.message
    assert form.requested_schema["properties"]["decision"]["enum"] == ["approve", "refuse"]
    assert result.structured_content["status"] == status
    assert (text.replace("\\u202e", "\u202e") in talk.place.notes) == written
    if said.content and said.content.get("reason"):
        assert any("no milk" in step["content"] for step in result.structured_content["steps"])


def test_what_may_have_run_already_is_told_with_the_doubt_and_what_was_approved():
    asked = e.ApprovalRequested(
        turn_id="t",
        seq=2,
        at=0.0,
        step=1,
        call=ToolCall(id="c", tool="note", args={"text": "milk"}),
        preview="+ milk",
        digest="d",
        reason="outcome_unknown",
        doubt="It had started.",
    )
    assert card(asked) == (
        'note may have run already. It had started.\nIt would run again with:\n  text: "milk"\n\n+ milk'
    )
    who = {"session_id": "s", "user": "ann", "assistant": "porter", "model": "m", "protocol": "native"}
    told = answer_of([e.TurnStarted(turn_id="t", seq=1, at=0.0, question="Go", **who), asked])
    assert told.waiting[0].doubt == "It had started."
    assert "note may have run already (It had started.)" in pending_text(told)
    assert "nothing of it was done" not in pending_text(told)


@pytest.mark.slow
def test_the_form_tells_the_passage_that_the_call_may_follow_from():
    why = ApprovalReason(kind="confidential", tool="balance", passage="1810", destinations=("eve@example.com",))
    made = ToolCall(id="c1", tool="mail", args={"to": "eve@example.com"})
    asked = e.ApprovalRequested(turn_id="t", seq=1, at=0.0, step=1, call=made, preview=None, digest="d", why=why)
    assert card(asked).endswith(
        "This may send to eve@example.com what is confidential, from what balance returned:\n  1810"
    )


@pytest.mark.slow
async def test_cancelling_while_a_person_is_asked_cancels_the_turn(place):
    asked = asyncio.Event()

    async def never_answer(_context, _params):
        asked.set()
        await asyncio.Event().wait()

    async with place.connect("legacy", elicitation_callback=never_answer) as client:
        held = asyncio.ensure_future(client.call_tool("ask", {"question": note("tea"), "assistant": "porter"}))
        await asyncio.wait_for(asked.wait(), WAIT_S)
        held.cancel()
        await asyncio.gather(held, return_exceptions=True)

        async def stopped():
            return await place.statuses("tea") == ["cancelled"]

        await until(stopped, "the end of the turn")
    assert place.notes == []
