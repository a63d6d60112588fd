"""Versions of turns: exactly what the model is sent after an answer was made anew, a question edited, an answer gone on
with."""

import asyncio

import pytest

from glassloop import ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.loop.continuation import GO_ON
from glassloop.core.messages import AssistantMessage, Reply, TextChunk, Usage
from glassloop.models.scripted_model import call
from glassloop.projections.response import respond
from glassloop.runtime.attachments.parts import File
from glassloop.runtime.durable.submission import TurnPlace
from glassloop.store.errors import SessionBusy
from runtime.conftest import close
from runtime.test_runtime import watched
from waiting import until


def sent(model, number=-1):
    """What the model was sent, without the runtime's own notes on the time."""
    messages = model.requests[number].messages
    return [
        getattr(message, "content", None) or getattr(message, "text", "") or f"calls {message.calls[0].tool}"
        for message in messages
        if getattr(message, "note", None) != "context"
    ]


async def asked(runtime, question, **options):
    """Asks, and waits for the end; the id of the turn."""
    submitted = await runtime.submit(question, session_id="s", user="ann", **options)
    await watched(runtime, submitted.turn_id)
    return submitted.turn_id


async def again(runtime, turn_id, question=None, **options):
    submitted = await runtime.versions.regenerate(turn_id, question, user="ann", **options)
    assert submitted.session_id == "s"
    return submitted.turn_id, await watched(runtime, submitted.turn_id)


async def path(runtime):
    return [row.id for row in await runtime.store.turns.of_session("s", path_only=True)]


async def test_an_answer_made_anew_is_told_what_the_first_was_told_and_nothing_of_it(place, opens):
    model = ScriptedModel(["Hello Ann.", call("look"), "Rejected: it is 41.", "Later.", "It is 42.", "Yes."])
    runtime = await opens(place, model)
    first = await asked(runtime, "I am Ann.")
    wrong = await asked(runtime, "What is a?")
    after = await asked(runtime, "Are you sure?")
    assert sent(model)[2:] == ["What is a?", "calls look", "a is 42", "Rejected: it is 41.", "Are you sure?"]

    right, events = await again(runtime, wrong)
    assert sent(model) == ["I am Ann.", "Hello Ann.", "What is a?"]
    assert respond(event for event in events if type(event) not in e.TRANSIENT).response == "It is 42."
    last = await asked(runtime, "Thanks?")
    assert sent(model) == ["I am Ann.", "Hello Ann.", "What is a?", "It is 42.", "Thanks?"]
    assert await path(runtime) == [first, right, last]
    assert [row.id for row in await runtime.store.turns.of_session("s")] == [first, wrong, after, right, last]


async def test_an_edited_question_replaces_the_first_and_all_that_followed(place, opens):
    model = ScriptedModel(["Rejected one.", "Rejected two.", "Hello Bob.", "Bob."])
    runtime = await opens(place, model)
    first = await asked(runtime, "I am Ann.")
    await asked(runtime, "Who am I?")
    edited, events = await again(runtime, first, "I am Bob.")
    assert sent(model) == ["I am Bob."]
    assert events[0].previous_turn_id == ""
    last = await asked(runtime, "Who am I?")
    assert sent(model) == ["I am Bob.", "Hello Bob.", "Who am I?"]
    assert await path(runtime) == [edited, last]


async def test_going_on_after_an_earlier_version_tells_that_version(place, opens):
    model = ScriptedModel(["One.", "Two.", "Of one."])
    runtime = await opens(place, model)
    one = await asked(runtime, "A number?")
    await again(runtime, one)
    last = await asked(runtime, "Which?", place=TurnPlace(previous_turn_id=one))
    assert sent(model) == ["A number?", "One.", "Which?"]
    assert await path(runtime) == [one, last]


async def test_a_summary_of_what_was_replaced_is_not_told_again(place, opens):
    def answers(request):
        if request.purpose == "summarize":
            told = request.messages[-1].content
            return "Summary of " + ", ".join(f"question {number}" for number in range(20) if f"{number}?" in told)
        return "Reply. " + "x " * 60

    model = ScriptedModel(answers)
    runtime = await opens(place, model, profile={"history_tokens": 120})
    turns = [await asked(runtime, f"Is it {number}?") for number in range(9)]
    assert any("question 4" in text for text in sent(model))
    summarized = (await runtime.store.sessions.get("s")).summary_turn_id
    assert turns.index(summarized) > 4

    await again(runtime, turns[3], "Another?")
    assert sent(model)[-1] == "Another?"
    assert any("Is it 2?" in text for text in sent(model))
    for number in range(3, 9):
        assert not any(f"question {number}" in text or f"{number}?" in text for text in sent(model)), number
    await asked(runtime, "And then?")
    assert sent(model)[-3::2] == ["Another?", "And then?"]
    for number in range(3, 9):
        assert not any(f"question {number}" in text or f"{number}?" in text for text in sent(model)), number


async def test_a_turn_that_is_replaced_while_it_runs_is_not_told_to_the_next(place, opens, bench):
    model = ScriptedModel([call("hold"), "New.", "Next."])
    runtime = await opens(place, model)
    running = await runtime.submit("Wait.", session_id="s", user="ann")
    await bench.reached.wait()
    with pytest.raises(SessionBusy):
        await runtime.versions.regenerate(running.turn_id, user="ann")
    new, _ = await again(runtime, running.turn_id, "Do not wait.", supersedes=True)

    async def cancelled():
        return (await runtime.store.turns.get(running.turn_id)).status == "cancelled"

    assert await until(cancelled)
    last = await asked(runtime, "And?")
    assert sent(model) == ["Do not wait.", "New.", "And?"]
    assert await path(runtime) == [new, last]


async def test_effects_of_a_version_ask_where_the_first_had_effects(place, opens, bench):
    bench.gate.set()
    model = ScriptedModel([call("strike", text="x"), "Done.", call("strike", text="x"), "Again."])
    runtime = await opens(place, model)
    first = await asked(runtime, "Write x.")
    second, events = await again(runtime, first)
    assert isinstance(events[-1], e.TurnWaiting)
    assert bench.written == ["x"]
    await runtime.cancel(second)


async def test_what_was_given_with_a_question_goes_with_its_versions(place, opens):
    model = ScriptedModel(["One.", "Two."])
    runtime = await opens(place, model)
    first = await asked(runtime, ["What is it?", File(b"the file says 7", name="note.txt")])
    _, events = await again(runtime, first)
    assert [each.name for each in events[0].attachments] == ["note.txt"]
    assert any("the file says 7" in text for text in sent(model))


async def test_anothers_turn_cannot_be_replaced_or_gone_on_with(place, opens):
    runtime = await opens(place, ["One."])
    first = await asked(runtime, "Hi")
    with pytest.raises(UnknownName):
        await runtime.versions.regenerate(first, user="bob")
    with pytest.raises(UnknownName):
        await runtime.versions.continue_answer(first, user="bob")
    with pytest.raises(UsageError, match="was not stopped"):
        await runtime.versions.continue_answer(first, user="ann")


class Halting(ScriptedModel):
    """Stops in the middle of what ends in `…`, until it is stopped."""

    def __init__(self, script):
        super().__init__(script, chunk=4)
        self.halted = asyncio.Event()

    async def stream(self, request):
        async for chunk in super().stream(request):
            if isinstance(chunk, TextChunk) and "…" in chunk.text:
                yield TextChunk(chunk.text.partition("…")[0])
                self.halted.set()
                await asyncio.Event().wait()
            yield chunk


async def stopped(runtime, model, submitted):
    await model.halted.wait()
    model.halted.clear()
    await runtime.cancel(submitted.turn_id)
    return await watched(runtime, submitted.turn_id)


async def test_a_stopped_answer_goes_on_and_reads_as_one(place, opens):
    model = Halting(["Hello.", call("look"), "The value of a is for…", "forty-two, as it w…", "was before.", "Yes."])
    runtime = await opens(place, model)
    first = await asked(runtime, "Hi")
    half = await runtime.submit("What is a?", session_id="s", user="ann")
    await stopped(runtime, model, half)
    assert (await runtime.store.turns.get(half.turn_id)).answer == "The value of a is for"

    more = await runtime.versions.continue_answer(half.turn_id, user="ann")
    await stopped(runtime, model, more)
    assert (await runtime.store.turns.get(more.turn_id)).answer == "The value of a is forty-two, as it w"
    whole = await runtime.versions.continue_answer(more.turn_id, user="ann")
    await watched(runtime, whole.turn_id)
    *told, last = sent(model)
    assert told == ["Hi", "Hello.", "What is a?", "calls look", "a is 42", "The value of a is forty-two, as it "]
    assert GO_ON in last
    assert (await runtime.store.turns.get(whole.turn_id)).answer == "The value of a is forty-two, as it was before."
    assert await path(runtime) == [first, whole.turn_id]
    await asked(runtime, "Sure?")
    assert sent(model)[-2:] == ["The value of a is forty-two, as it was before.", "Sure?"]
    assert sent(model).count("What is a?") == 1


async def test_an_answer_that_the_limit_of_a_reply_cut_off_goes_on(place, opens):
    cut = Reply(message=AssistantMessage(text="One, two, thr"), usage=Usage(), stop="max_tokens", model="scripted")
    model = ScriptedModel([cut, "three, four."])
    runtime = await opens(place, model)
    first = await asked(runtime, "Count.")
    row = await runtime.store.turns.get(first)
    assert row.answer.startswith("One, two, thr\n\n")
    more = await runtime.versions.continue_answer(first)
    await watched(runtime, more.turn_id)
    assert (await runtime.store.turns.get(more.turn_id)).answer == "One, two, three, four."


async def test_a_version_whose_worker_is_gone_goes_on_on_its_branch(shared, opens, bench):
    first = await opens(shared, ScriptedModel(["Hello.", "Rejected.", call("hold"), "Never."]))
    begun = await asked(first, "Hi")
    wrong = await asked(first, "What is a?")
    version = await first.versions.regenerate(wrong, user="ann")
    await bench.reached.wait()
    await close(first)
    bench.gate.set()
    model = ScriptedModel(["It is 42.", "Yes."])
    second = await opens(shared, model)
    await second.reconcile()
    await watched(second, version.turn_id)
    assert sent(model)[:3] == ["Hi", "Hello.", "What is a?"]
    last = await asked(second, "Sure?")
    assert not any("Rejected" in text for text in sent(model))
    assert await path(second) == [begun, version.turn_id, last]
