"""What a client sees while it happens: blocks, drafts, retries, progress, complaints, compaction, evidence."""

import json

import pytest

from glassloop import Agent, ScriptedModel, ToolContext, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.loop.fold import fold
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import Abilities, AssistantMessage, Reply, Retrying, TextChunk
from glassloop.models.scripted_model import call

VERDICT = {"completeness_score": 9, "quality_score": 9}


@tool(effect="read", volatile=True)
async def look(key: str = "a") -> dict[str, object]:
    """Looks."""
    return {"key": key, "units": 18420}


async def play(agent, question="Go"):
    stream = agent.stream(question)
    return [event async for event in stream]


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


async def test_the_pieces_of_the_answer_add_up_to_it_and_carry_their_offsets():
    events = await play(Agent(ScriptedModel(["An answer in pieces."], chunk=4), [look]))
    text = ""
    for delta in of(e.TextDelta, events):
        assert delta.offset == len(text)
        text += delta.text
    answer = of(e.AnswerGiven, events)[0]
    assert text == answer.text
    assert {delta.block for delta in of(e.TextDelta, events)} == {answer.block}


async def test_text_is_a_draft_while_it_may_still_be_taken_back():
    with_tools = await play(Agent(ScriptedModel(["Yes."]), [look]))
    alone = await play(Agent(ScriptedModel(["Yes."]), []))
    assert all(delta.draft for delta in of(e.TextDelta, with_tools))
    assert not any(delta.draft for delta in of(e.TextDelta, alone))


async def test_text_before_a_tool_call_is_the_thought_of_that_step():
    reply = Reply(message=AssistantMessage(text="Let me look.", calls=(call("look"),)))
    events = await play(Agent(ScriptedModel([reply, "Seen."]), [look]))
    assert of(e.ThoughtRecorded, events)[0].text == "Let me look."
    assert of(e.AnswerGiven, events)[0].text == "Seen."


async def test_a_retried_model_call_opens_a_new_block():
    class Stutters(ScriptedModel):
        async def stream(self, request):
            yield TextChunk("Wrong sta")
            yield Retrying(attempt=1, wait_s=0.0, reason="dropped", model="scripted")
            async for chunk in super().stream(request):
                yield chunk

    events = await play(Agent(Stutters(["Right."]), []))
    first, *rest = of(e.TextDelta, events)
    retried = of(e.ModelRetried, events)[0]
    answer = of(e.AnswerGiven, events)[0]
    assert retried.block == first.block != answer.block
    assert "".join(delta.text for delta in rest) == answer.text == "Right."
    assert of(e.ModelResponded, events)[0].attempts == 2


async def test_a_model_that_stays_away_fails_the_turn_with_one_clear_sentence():
    events = await play(Agent(ScriptedModel([ModelUnavailable("the provider is overloaded: try later")]), [look]))
    finished = events[-1]
    assert (finished.status, finished.error_type) == ("failed", "llm_error")
    assert finished.error == "the provider is overloaded: try later"


async def test_a_failed_turn_keeps_why_each_attempt_failed_and_a_mended_one_nothing():
    class Fails(ScriptedModel):
        async def stream(self, request):
            for attempt in (1, 2):
                yield Retrying(attempt=attempt + 1, wait_s=0.0, reason=f"HTTP 500 ({attempt})", model="scripted")
            async for chunk in super().stream(request):
                yield chunk

    finished = (await play(Agent(Fails([ModelUnavailable("HTTP 500 (3)")]), [])))[-1]
    assert (finished.attempts, finished.error) == (("HTTP 500 (1)", "HTTP 500 (2)"), "HTTP 500 (3)")
    assert e.decode(e.encode(finished)) == finished
    # Of a call that was made good nothing is left to tell.
    later = (await play(Agent(Fails([call("look"), ModelUnavailable("HTTP 500 (3)")]), [look])))[-1]
    assert len(later.attempts) == 2
    assert (await play(Agent(Fails(["Right."]), [])))[-1].attempts == ()


async def test_a_tool_says_how_far_it_is_while_it_runs():
    @tool(effect="read", volatile=True)
    async def index(context: ToolContext) -> str:
        """Indexes."""
        context.progress("half", 0.5)
        return "done"

    events = await play(Agent(ScriptedModel([call("index"), "Indexed."]), [index]))
    told = of(e.ToolProgressed, events)
    assert [(event.message, event.fraction) for event in told] == [("half", 0.5)]


async def test_what_cannot_be_read_is_told_back_once_a_step_and_its_text_never_goes_back():
    model = ScriptedModel(["<think>never closed", call("look"), "Fine."])
    events = await play(Agent(model, [look]))
    assert of(e.ModelResponded, events)[0].decision.complaint
    assert "never closed" not in str(model.requests[1].messages)
    assert of(e.AnswerGiven, events)[0].text == "Fine."


async def test_a_model_that_never_makes_sense_still_ends_in_an_answer():
    events = await play(Agent(ScriptedModel(['{"action": "tool", "tool": "lo'] * 9), [look], protocol="json"))
    assert events[-1].status == "completed"
    assert of(e.AnswerGiven, events)[0].text.strip()
    assert sum(bool(r.decision.complaint) for r in of(e.ModelResponded, events)) <= 2


async def test_json_and_text_protocols_reach_the_same_tools():
    said = {
        "json": json.dumps({"reasoning": "look first", "action": "tool", "tool": "look", "args": {"key": "z"}}),
        "text": 'Thought: look first\nAction: look(key="z")',
    }
    done = {"json": json.dumps({"reasoning": "", "action": "answer", "response": "Seen."}), "text": "Answer: Seen."}
    for protocol, line in said.items():
        events = await play(Agent(ScriptedModel([line, done[protocol]]), [look], protocol=protocol))
        assert of(e.ToolCalled, events)[0].call.args == {"key": "z"}
        assert of(e.ThoughtRecorded, events)[0].text == "look first"
        assert of(e.AnswerGiven, events)[0].text == "Seen."


async def test_a_long_observation_is_shortened_for_the_model_and_kept_whole_in_the_log():
    @tool(effect="read", volatile=True)
    async def pour() -> str:
        """Much."""
        return "x" * 100_000

    model = ScriptedModel([call("pour"), "Much."])
    events = await play(Agent(model, [pour]))
    assert len(of(e.ToolReturned, events)[0].result.output) == 100_000
    assert len(model.requests[1].messages[-1].content) < 20_000


async def test_compaction_is_an_event_and_never_parts_a_call_from_its_result():
    lines = [[call("look", key="k" * 400), call("look", key="m" * 400)] for _ in range(6)]
    script = []
    for line in lines:
        script += [line]
    model = ScriptedModel([*script, *["A summary or an answer."] * 20])
    profile = Profile(context_tokens=500, limits=__import__("glassloop").Limits(iterations=8))
    events = await play(Agent(model, [look], profile=profile))
    assert of(e.ContextCompacted, events)
    for request in model.requests:
        if request.purpose != "decide":
            continue
        owed = set()
        for message in request.messages:
            if isinstance(message, AssistantMessage):
                owed |= {made.id for made in message.calls}
            elif hasattr(message, "call_id"):
                assert message.call_id in owed
                owed.discard(message.call_id)
        assert not owed
    assert events[-1].status == "completed"
    fold([event for event in events if type(event) not in e.TRANSIENT])


async def test_every_figure_of_the_answer_is_traced_to_its_observation():
    events = await play(Agent(ScriptedModel([call("look"), "There are 18,420 units and 77 boxes."]), [look]))
    evidence = of(e.AnswerEvaluated, events)[0].evidence
    called = of(e.ToolCalled, events)[0].call.id
    assert {figure.text: figure.source for figure in evidence.figures} == {"18,420": called, "77": None}
    assert evidence.sourced == 1


async def test_a_cached_result_shows_as_such():
    runs = []

    @tool(effect="read")
    async def rate(day: str) -> str:
        """A rate."""
        runs.append(day)
        return "1.5"

    events = await play(Agent(ScriptedModel([call("rate", day="mon"), call("rate", day="mon"), "1.5"]), [rate]))
    assert [event.result.cached for event in of(e.ToolReturned, events)] == [False, True]
    assert runs == ["mon"]


async def test_reflection_sends_the_loop_back_once_with_what_is_missing():
    verdict = {"completeness_score": 3, "quality_score": 5, "missing_info": ["the unit"], "needs_retry": True}
    model = ScriptedModel(["12", json.dumps(verdict | {"suggestions": ["say it in kg"]}), "12 kg", json.dumps(VERDICT)])
    events = await play(Agent(model, [look], reflection=True), "Which is heavier?")
    assert [event.accepted for event in of(e.AnswerEvaluated, events)] == [False, True]
    assert of(e.AnswerGiven, events)[0].text == "12 kg"
    told = model.requests[2].messages[-1]
    assert told.author == "runtime"
    for words in ("automatic check", "the user has not seen it", "the unit", "say it in kg", "the whole answer"):
        assert words in told.content


async def test_the_evaluator_sees_what_the_decider_saw_and_the_draft():
    model = ScriptedModel([call("look", key="x" * 600), "Right.", json.dumps(VERDICT)])
    events = await play(Agent(model, [look], reflection=True, prompt="You weigh."), "Which is heavier?")
    decided, checked = model.requests[1:]
    assert (checked.purpose, checked.tool_choice) == ("evaluate", "none")
    assert (checked.system, checked.tools) == (decided.system, decided.tools)
    assert checked.messages[: len(decided.messages)] == decided.messages
    draft, asked = checked.messages[len(decided.messages) :]
    assert (draft.text, asked.author) == ("Right.", "runtime")
    assert of(e.AnswerEvaluated, events)[0].evaluation.quality_score == 9


@pytest.mark.parametrize(("scores", "retried"), [((9, 4), True), ((4, 9), True), ((9, 9), False)])
async def test_a_low_score_of_either_kind_sends_the_draft_back(scores, retried):
    verdict = dict(zip(("completeness_score", "quality_score"), scores, strict=True))
    model = ScriptedModel(["I do not know.", json.dumps(verdict), "It is 441.", json.dumps(VERDICT)])
    events = await play(Agent(model, [look], reflection=True), "What is 18% of 2,450?")
    assert of(e.AnswerEvaluated, events)[0].accepted is not retried
    assert of(e.AnswerGiven, events)[0].text == ("It is 441." if retried else "I do not know.")


async def test_a_second_draft_that_lost_half_of_the_first_is_not_the_answer():
    low, lower = ({"completeness_score": score, "quality_score": 8} for score in (6, 3))
    model = ScriptedModel(["The weight is 76.2 kg.", json.dumps(low), "You're right, 3.81 kg.", json.dumps(lower)])
    events = await play(Agent(model, [look], reflection=True), "The weight, and 5% of it?")
    assert of(e.AnswerGiven, events)[0].text == "The weight is 76.2 kg."
    assert of(e.AnswerEvaluated, events)[-1].evaluation.completeness_score == 6


@pytest.mark.parametrize(
    ("verdict", "abilities"),
    [("no idea", None), (ModelUnavailable("away"), None), (None, Abilities(small=True))],
    ids=["unreadable", "away", "small"],
)
async def test_without_an_evaluator_there_is_no_score(verdict, abilities):
    script = ["I do not know."] if verdict is None else ["I do not know.", verdict]
    model = ScriptedModel(script, abilities=abilities)
    events = await play(Agent(model, [look], reflection=True), "What is 18% of 2,450?")
    assert of(e.AnswerEvaluated, events)[0].evaluation is None
    assert len(model.requests) == len(script)
