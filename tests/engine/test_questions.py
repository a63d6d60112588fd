"""Questions of the assistant's: the turn waits for the person, whose words are the observation."""

import pytest
from msgspec.structs import replace

from glassloop import Agent, Answer, Approval, ScriptedModel, TurnPaused, UsageError, tool
from glassloop.core import events as e
from glassloop.core.errors import ApprovalMismatch
from glassloop.core.loop.user_question import ASK_USER, MAX_ANSWER_CHARS
from glassloop.core.messages import Abilities
from glassloop.models.scripted_model import call
from glassloop.runtime.replay.replay import replay

ASKED = call(ASK_USER, question="Which city?", options=["Bern", "Basel"])


def asking(*replies, tools=(), **more):
    return Agent(ScriptedModel(list(replies)), tools, ask_user=True, **more)


async def paused(agent, question="How far is it?"):
    with pytest.raises(TurnPaused) as found:
        await agent.run(question)
    return found.value


async def test_a_question_pauses_the_turn_and_the_persons_words_are_what_the_model_is_told():
    model = ScriptedModel([ASKED, "It is 96 km to Basel."])
    agent = Agent(model, ask_user=True)
    waits = await paused(agent)
    [asked] = waits.questions
    assert (asked.question, asked.options) == ("Which city?", ("Bern", "Basel"))
    assert isinstance(waits.events[-1], e.TurnWaiting)
    assert waits.events[-1].reason == "question"
    assert "Which city?" in str(waits)
    result = await agent.resume(waits.events, answers=[Answer(asked.call_id, "  Basel, 96 km away ")]).result()
    assert result.text == "It is 96 km to Basel."
    told = model.requests[-1].messages[-1]
    assert (told.tool, told.content) == (ASK_USER, "The user answered: Basel, 96 km away")


async def test_figures_of_an_answer_are_the_users_own():
    @tool(effect="read")
    async def look() -> str:
        """Looks."""
        return "nothing of 1,234"

    agent = asking(call("look"), ASKED, "It is 96 km.", tools=[look])
    waits = await paused(agent)
    answer = Answer(waits.questions[0].call_id, "The one that is 96 km away")
    result = await agent.resume(waits.events, answers=[answer]).result()
    [figure] = [each for each in result.evidence.figures if "96" in each.text]
    assert figure.origin == "question"


async def test_several_questions_and_an_approval_in_one_step_are_settled_one_by_one():
    ran = list[str]()

    @tool(effect="write", confirm=True)
    async def put(name: str) -> str:
        """Puts."""
        ran.append(name)
        return "put"

    first = call(ASK_USER, question="Which?")
    second = call(ASK_USER, question="Where?")
    model = ScriptedModel([[first, second, call("put", name="cup")], "Done."])
    agent = Agent(model, [put], ask_user=True)
    waits = await paused(agent)
    assert [each.question for each in waits.questions] == ["Which?", "Where?"]
    one, two = waits.questions
    half = agent.resume(waits.events, answers=[Answer(two.call_id, "there")])
    await half.drain()
    assert [each.question for each in half.questions] == ["Which?"]
    whole = agent.resume(half.events, answers=[Answer(one.call_id, "the cup")])
    await whole.drain()
    [request] = whole.pending
    assert ran == []
    approval = Approval(call_id=request.call.id, digest=request.digest, approved=True)
    result = await agent.resume(whole.events, [approval]).result()
    assert (ran, result.text) == (["cup"], "Done.")
    told = [each.content for each in model.requests[-1].messages if getattr(each, "tool", "") == ASK_USER]
    assert told == ["The user answered: the cup", "The user answered: there"]


@pytest.mark.parametrize(
    ("call_id", "text", "error"),
    [("nonesuch", "yes", ApprovalMismatch), ("", "  ", UsageError), ("", "x" * (MAX_ANSWER_CHARS + 1), UsageError)],
)
async def test_an_answer_to_nothing_or_without_words_or_too_long_is_refused(call_id, text, error):
    agent = asking(ASKED, "Fine.")
    waits = await paused(agent)
    with pytest.raises(error):
        agent.resume(waits.events, answers=[Answer(call_id or waits.questions[0].call_id, text)])


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"question": " "},
        {"question": "Q?", "options": "a"},
        {"question": "Q?", "options": ["x"] * 5 + list("abcdefgh")},
    ],
)
async def test_a_question_that_cannot_be_shown_is_told_back_to_the_model(args):
    model = ScriptedModel([call(ASK_USER, **args), "Then without."])
    result = await Agent(model, ask_user=True).run("Go")
    assert result.text == "Then without."
    assert model.requests[-1].messages[-1].is_error


async def test_nobody_is_asked_unless_the_agent_may_and_its_model_reads_prompts():
    for agent in (
        Agent(ScriptedModel(["Fine."])),
        Agent(ScriptedModel(["Fine."], abilities=Abilities(small=True)), ask_user=True),
        Agent(ScriptedModel(["Fine."], abilities=Abilities(reads_prompts=False)), ask_user=True),
    ):
        await agent.run("Go")
        assert ASK_USER not in [spec.name for spec in agent.models["balanced"].requests[0].tools]
    model = ScriptedModel(["Fine.", "Fine."])
    agent = Agent(model, ask_user=True)
    await agent.run("Go")
    await agent.run("Go on")
    first, second = model.requests
    assert ASK_USER in [spec.name for spec in first.tools]
    assert (first.system, first.tools) == (second.system, second.tools)


async def test_a_waiting_question_ends_with_a_cancelled_turn_and_replays():
    agent = asking(ASKED, "It is Basel.")
    waits = await paused(agent)
    stream = agent.resume(waits.events)
    stream.cancel()
    await stream.drain()
    assert stream.events[-1].status == "cancelled"
    assert stream.questions == []
    answered = agent.resume(waits.events, answers=[Answer(waits.questions[0].call_id, "Basel")])
    await answered.drain()
    for events in (stream.events, answered.events):
        report = await replay(events, agent)
        assert report.differences == ()
        assert report.compared > 3
    assert replace(report, differences=()).turn_id == waits.turn_id
