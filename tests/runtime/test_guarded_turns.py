"""Guardrails of turns that a runtime stores, and of assistants in files."""

import pytest

from glassloop import Approval, Rewrite, ScriptedModel, Stop, UsageError, guardrail
from glassloop.core import events as e
from glassloop.models.scripted_model import call
from glassloop.runtime.build import build_agent
from glassloop.runtime.settings import Settings

SECRET = "PIN 4711"


@guardrail("input")
def no_pins(text: str) -> Rewrite[str] | None:
    return Rewrite(text.replace(SECRET, "[pin]"), "PINs are removed.") if SECRET in text else None


@guardrail("input")
async def no_weapons(text: str) -> Stop | None:
    return Stop("No, not that.") if "weapon" in text else None


@guardrail("call")
async def upper(made):
    return Rewrite({"text": made.args["text"].upper()}, "Louder.") if made.tool == "write" else None


async def events_of(runtime, turn_id):
    return [event async for event in runtime.watch(turn_id) if type(event) not in e.TRANSIENT]


async def test_what_is_taken_out_of_a_question_is_stored_nowhere_and_a_stopped_one_is_not_told_later(place, opens):
    model = ScriptedModel(["Fine.", "Yes."])
    runtime = await opens(place, model, profile={"guardrails": [no_pins, no_weapons]})
    first = await runtime.submit(f"My {SECRET} please", session_id="s")
    (_, rewritten, *_), session = await events_of(runtime, first.turn_id), "s"
    assert (rewritten.stage, rewritten.action, rewritten.name) == ("input", "rewrite", "no_pins")
    stopped = await events_of(runtime, (await runtime.submit("A weapon", session_id=session)).turn_id)
    assert [event.type for event in stopped][-2:] == ["answer_given", "turn_finished"]
    assert len(model.requests) == 1
    again = await events_of(runtime, (await runtime.submit("And now?", session_id=session)).turn_id)
    assert again[-2].text == "Yes."
    told = str(model.requests)
    assert SECRET not in told
    assert "weapon" not in told
    row = await runtime.store.turns.get(first.turn_id)
    assert row.question == "My [pin] please"
    assert (await runtime.store.sessions.get(session)).title.startswith("My [pin]")


async def test_an_approval_over_a_store_shows_and_runs_what_the_guardrail_wrote(shared, opens, bench):
    runtime = await opens(shared, [call("write", text="hi"), "Written."], profile={"guardrails": [upper]})
    submitted = await runtime.submit("Write")
    events = await events_of(runtime, submitted.turn_id)
    (request,) = [event for event in events if isinstance(event, e.ApprovalRequested)]
    assert request.preview == {"would write": "HI"}
    decided = Approval(call_id=request.call.id, digest=request.digest, approved=True)
    await runtime.approve(submitted.turn_id, [decided])
    events = await events_of(runtime, submitted.turn_id)
    assert bench.written == ["HI"]
    assert sum(isinstance(event, e.GuardrailTriggered) for event in events) == 1


async def test_an_edited_question_of_a_fork_is_looked_at_and_the_fork_replays(place, opens):
    runtime = await opens(place, ["One.", "Two.", "Three."], profile={"guardrails": [no_pins, no_weapons]})
    first = await runtime.submit(f"{SECRET}?")
    await events_of(runtime, first.turn_id)
    edited = await runtime.fork(first.turn_id, 1, edits={"question": f"Again {SECRET}"})
    events = await events_of(runtime, edited.turn_id)
    assert (events[0].question, events[1].type, events[-2].text) == ("Again [pin]", "guardrail_triggered", "Two.")
    refused = await runtime.fork(first.turn_id, 1, edits={"question": "A weapon"})
    assert (await events_of(runtime, refused.turn_id))[-2].reason == "guardrail"


async def test_the_tools_file_of_an_assistant_brings_guardrails(tmp_path):
    folder = tmp_path / "assistants" / "careful"
    folder.mkdir(parents=True)
    (folder / "assistant.toml").write_text('name = "careful"\nprompt = "Careful."\ntools = ["tools.py"]\n')
    (folder / "tools.py").write_text(
        "from glassloop import Stop, guardrail\n\n\n"
        '@guardrail("input")\ndef never(text: str) -> Stop:\n    return Stop("Never.")\n'
    )
    agent = build_agent("careful", Settings(home=str(tmp_path)), "reflex")
    async with agent:
        assert (await agent.run("Hello?")).text == "Never."


async def test_messages_and_answers_are_looked_at_before_they_are_stored(shared, opens, bench):
    script = [call("ask_user", question="Which?"), call("hold"), "Done."]
    runtime = await opens(shared, script, profile={"guardrails": [no_pins, no_weapons], "ask_user": True})
    submitted = await runtime.submit("Go")
    turn_id = submitted.turn_id
    (asked,) = [event for event in await events_of(runtime, turn_id) if isinstance(event, e.QuestionAsked)]
    with pytest.raises(UsageError, match=r"guardrail 'no_weapons': No, not that\."):
        await runtime.answer(turn_id, asked.call_id, "A weapon")
    await runtime.answer(turn_id, asked.call_id, f"{SECRET} it is")
    await bench.reached.wait()
    with pytest.raises(UsageError, match="no_weapons"):
        await runtime.steer(turn_id, "A weapon")
    await runtime.steer(turn_id, f"Use {SECRET}")
    assert [message.text for message in await runtime.store.turn_messages.after(turn_id, 0)] == ["Use [pin]"]
    bench.gate.set()
    events = await events_of(runtime, turn_id)
    said = [event.text for event in events if isinstance(event, e.QuestionAnswered | e.MessageReceived)]
    assert said == ["[pin] it is", "Use [pin]"]
