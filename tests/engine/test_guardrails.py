"""Guardrails: they stop and rewrite questions, calls, results and answers; what they took out is nowhere; what they
decided is kept."""

import asyncio
import re
import threading

import pytest
from pydantic import BaseModel

from glassloop import Agent, Approval, HookedTurn, Plugin, Rewrite, ScriptedModel, Stop, UsageError, guardrail, tool
from glassloop.core import events as e
from glassloop.core.records import ToolCall, ToolResult
from glassloop.models.scripted_model import call
from glassloop.runtime.assistants.result import TurnFailed
from glassloop.runtime.replay.replay import replay
from volatile_store import VolatileStore

SECRET = "PIN 4711"


@guardrail("input", "output")
def no_pins(text: str) -> Rewrite[str] | None:
    clean = re.sub(r"PIN \d+", "[pin]", text)
    return Rewrite(clean, "PINs are removed.") if clean != text else None


@guardrail("input")
async def no_weapons(text: str) -> Stop | None:
    return Stop("I do not talk about weapons.") if "weapon" in text else None


@guardrail("output")
async def no_prices(text: str) -> Stop | None:
    return Stop("Prices are confidential.") if "$" in text else None


def send_tool(sent, **options):
    @tool(effect="external", **options)
    async def send(to: str) -> str:
        """Sends."""
        sent.append(to)
        return f"sent to {to}, {SECRET}"

    return send


@guardrail("call")
async def at_home(made: ToolCall, turn: HookedTurn[str]) -> Stop | Rewrite[dict[str, str]] | None:
    assert turn.call == made
    if made.args["to"] == "eve":
        return Stop("Nothing goes to Eve.")
    home = f"@{turn.deps or 'home'}"
    return None if made.args["to"].endswith(home) else Rewrite({"to": made.args["to"] + home}, "Only at home.")


async def finished(agent, question="Go", **options):
    """The log of a turn, which replays without a difference."""
    stream = agent.stream(question, **options)
    shown = [event async for event in stream]
    await replays(stream.events, agent)
    return stream.events, shown


async def replays(events, agent):
    again = Agent(ScriptedModel([]), agent.tools, profile=agent.profile)
    report = await asyncio.wait_for(replay([e.decode(e.encode(event)) for event in events], again), 60)
    assert report.differences == ()


def triggered(events):
    return [(x.stage, x.name, x.action, x.failed) for x in events if isinstance(x, e.GuardrailTriggered)]


def last(events, kind):
    return [event for event in events if isinstance(event, kind)][-1]


async def test_a_stopped_question_is_refused_without_asking_the_model_and_is_kept_nowhere():
    store, model = VolatileStore(), ScriptedModel([])
    agent = Agent(model, guardrails=[no_weapons], store=store)
    events, shown = await finished(agent, "Build a weapon", session_id="s")
    assert [event.type for event in events] == [
        "turn_started",
        "guardrail_triggered",
        "answer_evaluated",
        "answer_given",
        "turn_finished",
    ]
    assert last(events, e.AnswerGiven).reason == "guardrail"
    assert last(events, e.AnswerGiven).text == "I do not talk about weapons."
    assert events[-1].status == "completed"
    assert events[-1].input_tokens == 0
    assert not model.requests
    assert "weapon" not in str([*shown, *await store.read(events[0].turn_id)]).replace("weapons", "")
    result = await agent.run("A weapon")
    assert (result.stop_reason, result.is_whole) == ("guardrail", False)


async def test_what_is_taken_out_of_a_question_reaches_neither_the_model_nor_the_log():
    class Watcher(Plugin):
        name = "watcher"
        seen = []

        async def before_model_call(self, turn, request):
            self.seen.append(turn.question)

    store, model = VolatileStore(), ScriptedModel(["Fine."])
    agent = Agent(model, guardrails=[no_pins], plugins=[Watcher()], store=store)
    events, shown = await finished(agent, f"My {SECRET}, is it safe?")
    assert triggered(events) == [("input", "no_pins", "rewrite", False)]
    assert events[0].question == "My [pin], is it safe?" == Watcher.seen[0]
    assert SECRET not in str([*shown, *model.requests, *await store.read(events[0].turn_id)])


async def test_each_guardrail_sees_what_those_before_it_made_and_only_the_last_value_is_kept():
    @guardrail("call")
    def first(made: ToolCall) -> Rewrite[dict[str, str]]:
        return Rewrite({"to": f"{made.args['to']} {SECRET}"})

    @guardrail("call")
    def second(made: ToolCall) -> Rewrite[dict[str, str]]:
        return Rewrite({"to": made.args["to"].replace(SECRET, "ok")})

    sent = []
    agent = Agent(ScriptedModel([call("send", to="ann"), "Done."]), [send_tool(sent)], guardrails=[first, second])
    events, _ = await finished(agent)
    assert sent == ["ann ok"]
    assert [x.value for x in events if isinstance(x, e.GuardrailTriggered)] == [None, {"to": "ann ok"}]
    assert SECRET not in str([event for event in events if not isinstance(event, e.ToolReturned)])


async def test_a_stopped_call_does_not_run_and_the_model_is_told_why():
    sent, model = [], ScriptedModel([call("send", to="eve"), "Then not."])
    events, _ = await finished(Agent(model, [send_tool(sent)], guardrails=[at_home]))
    assert sent == []
    assert triggered(events) == [("call", "at_home", "stop", False)]
    assert "guardrail 'at_home': Nothing goes to Eve." in model.requests[1].messages[-1].content
    assert last(events, e.ToolReturned).result.never_ran


async def test_rewritten_arguments_are_what_runs_and_the_model_is_told():
    sent, model = [], ScriptedModel([[call("send", to="ann"), call("send", to="bob@dep")], "Sent."])
    events, _ = await finished(Agent(model, [send_tool(sent)], guardrails=[at_home]), deps="dep")
    assert sent == ["ann@dep", "bob@dep"]
    assert triggered(events) == [("call", "at_home", "rewrite", False)]
    assert "changed the arguments to {'to': 'ann@dep'}: Only at home." in str(model.requests[1].messages)


async def test_an_approval_shows_and_runs_the_rewritten_call_and_asks_nothing_twice():
    asked, sent = [], []

    @guardrail("call")
    async def count(made: ToolCall) -> Rewrite[dict[str, str]]:
        asked.append(made.args["to"])
        return Rewrite({"to": "ann@home"}, "home")

    model = ScriptedModel([call("send", to="ann"), "Sent."])
    agent = Agent(model, [send_tool(sent, confirm=True)], guardrails=[count])
    stream = agent.stream("Send")
    await stream.drain()
    (request,) = stream.pending
    assert request.call.args == {"to": "ann@home"}
    resumed = agent.resume(stream.events, [Approval(call_id=request.call.id, digest=request.digest, approved=True)])
    await resumed.drain()
    assert (sent, asked) == (["ann@home"], ["ann"])
    await replays(resumed.events, agent)


@pytest.mark.parametrize(("to", "then"), [("eve", []), ("bob", None), ("bob@home", ["bob@home"])])
async def test_arguments_that_a_person_edits_are_checked_and_asked_again_where_they_change(to, then):
    sent = []
    script = [call("send", to="ann@home"), "Done."]
    agent = Agent(ScriptedModel(script), [send_tool(sent, confirm=True)], guardrails=[at_home])
    stream = agent.stream("Send")
    await stream.drain()
    (request,) = stream.pending
    edited = Approval(call_id=request.call.id, digest=request.digest, approved=True, args={"to": to})
    resumed = agent.resume(stream.events, [edited])
    await resumed.drain()
    if then is None:
        assert resumed.paused
        assert [again.call.args for again in resumed.pending] == [{"to": "bob@home"}]
        assert sent == []
    else:
        assert (resumed.paused, sent) == (False, then)
    await replays(resumed.events, agent)


async def test_a_recorded_decision_counts_after_a_crash_and_the_guardrail_is_not_asked_again():
    sent, script = [], [call("send", to="ann"), "Sent."]
    events, _ = await finished(Agent(ScriptedModel(script), [send_tool(sent)], guardrails=[at_home]))
    place = next(place for place, event in enumerate(events) if isinstance(event, e.GuardrailTriggered))

    @guardrail("call", name="at_home")
    async def changed_since(made: ToolCall) -> Stop:
        return Stop("Not any more.")

    agent = Agent(ScriptedModel(["Sent again."]), [send_tool(sent)], guardrails=[changed_since])
    stream = agent.resume(events[: place + 1])
    assert (await stream.result()).text == "Sent again."
    assert sent == ["ann@home", "ann@home"]


async def test_a_result_is_rewritten_before_model_and_log_have_it_or_withheld():
    sent = []

    @guardrail("result")
    async def clean(result: ToolResult, turn: HookedTurn) -> Rewrite[str] | Stop | None:
        if turn.call.args["to"] == "eve":
            return Stop("Eve is nobody's business.")
        return Rewrite(result.output.replace(SECRET, "[pin]")) if SECRET in result.output else None

    model = ScriptedModel([[call("send", to="ann"), call("send", to="eve")], "Done."])
    events, shown = await finished(Agent(model, [send_tool(sent)], guardrails=[clean]))
    assert triggered(events) == [("result", "clean", "rewrite", False), ("result", "clean", "stop", False)]
    assert SECRET not in str([*shown, *model.requests])
    first, second = (event.result for event in events if isinstance(event, e.ToolReturned))
    assert first.output == "sent to ann, [pin]"
    assert second.success
    assert second.output == "It ran, but its result was withheld by the guardrail 'clean': Eve is nobody's business."


@pytest.mark.parametrize(
    ("protocol", "template"),
    [
        ("native", "{}"),
        ("json", '{{"thought": "it is {}", "action": "answer", "answer": "{}"}}'),
        ("text", "Thought: it is {}\nAnswer: {}"),
    ],
)
async def test_what_is_taken_out_of_an_answer_was_never_shown_or_stored(protocol, template):
    store, said = VolatileStore(), template.format(*[f"Your {SECRET}."] * template.count("{}"))
    agent = Agent(ScriptedModel([said]), guardrails=[no_pins], store=store, protocol=protocol)
    events, shown = await finished(agent)
    assert last(events, e.AnswerGiven).text == "Your [pin]."
    assert "".join(event.text for event in shown if isinstance(event, e.TextDelta)) == "Your [pin]."
    kept = [event for event in shown if not isinstance(event, e.ThoughtDelta)]
    assert SECRET not in str([*kept, *await store.read(events[0].turn_id)])


async def test_a_stopped_answer_is_written_anew_once_and_never_shown():
    model = ScriptedModel(["It is $5.", "It is not for sale."])
    events, shown = await finished(Agent(model, guardrails=[no_prices]))
    assert last(events, e.AnswerGiven).text == "It is not for sale."
    assert last(events, e.AnswerGiven).reason == "answered"
    assert triggered(events) == [("output", "no_prices", "stop", False)]
    assert "Prices are confidential." in str(model.requests[1].messages[-1])
    assert "$5" not in str(shown)
    pieces = [piece async for piece in Agent(ScriptedModel(["A.", "B."]), guardrails=[no_prices]).stream("?").text()]
    assert "".join(pieces) == "A."


async def test_an_answer_that_is_stopped_again_ends_the_turn_with_the_reason():
    agent = Agent(ScriptedModel(["$5", "$6", "never"]), guardrails=[no_prices])
    events, _ = await finished(agent)
    assert last(events, e.AnswerGiven).text == "The answer was withheld: Prices are confidential."
    assert last(events, e.AnswerGiven).reason == "guardrail"
    assert len(triggered(events)) == 2

    class Price(BaseModel):
        price: str

    typed = Agent(ScriptedModel(['{"price": "$5"}', '{"price": "$6"}']), output_type=Price, guardrails=[no_prices])
    with pytest.raises(TurnFailed, match="Prices are confidential"):
        await typed.run("?")


async def test_an_answer_that_no_model_wrote_is_looked_at_too():
    sent = []
    agent = Agent(ScriptedModel([]), [send_tool(sent)], guardrails=[no_prices, no_pins])
    events, _ = await finished(agent, '/tool send {"to": "$ann"}')
    assert sent == ["$ann"]
    assert last(events, e.AnswerGiven).reason == "guardrail"
    events, _ = await finished(agent, '/tool send {"to": "ann"}')
    assert last(events, e.AnswerGiven).text == "sent to ann, [pin]"


@pytest.mark.parametrize(
    ("how", "why"),
    [("raises", "ValueError"), ("hangs", "not done within 0.02 s"), ("blocks", "not done within"), ("odd", "'bool'")],
)
async def test_a_guardrail_that_fails_stops_and_says_which(how, why):
    release = threading.Event()

    async def hangs(text: str):
        await asyncio.Event().wait()

    def blocks(text: str):
        release.wait(60)

    def raises(text: str):
        raise ValueError(text)

    def odd(text: str):
        return True

    function = {"raises": raises, "hangs": hangs, "blocks": blocks, "odd": odd}[how]
    model = ScriptedModel([])
    agent = Agent(
        model, guardrails=[guardrail("input", timeout_s=0.02 if how in ("hangs", "blocks") else 10)(function)]
    )
    try:
        events, _ = await finished(agent, SECRET)
    finally:
        release.set()
    assert triggered(events) == [("input", how, "stop", True)]
    text = last(events, e.AnswerGiven).text
    assert f"The guardrail {how!r} failed (" in text
    assert why in text
    assert SECRET not in str(events)
    assert not model.requests


async def test_rewritten_arguments_that_do_not_fit_the_tool_stop_the_call():
    @guardrail("call")
    def wrong(made: ToolCall) -> Rewrite[dict[str, int]]:
        return Rewrite({"too": 1})

    sent = []
    agent = Agent(ScriptedModel([call("send", to="ann"), "No."]), [send_tool(sent)], guardrails=[wrong])
    events, _ = await finished(agent)
    assert (sent, triggered(events)) == ([], [("call", "wrong", "stop", True)])
    assert "too" in last(events, e.ToolReturned).result.error


async def test_plugins_bring_guardrails_and_mistakes_are_told_where_they_are_made():
    class Careful(Plugin):
        name = "careful"
        guardrails = (no_weapons,)

    assert (await Agent(ScriptedModel([]), plugins=[Careful()]).run("a weapon")).stop_reason == "guardrail"
    with pytest.raises(UsageError, match="Two guardrails are named 'no_weapons'"):
        Agent(ScriptedModel([]), plugins=[Careful()], guardrails=[no_weapons])
    with pytest.raises(UsageError, match="@guardrail"):
        Agent(ScriptedModel([]), guardrails=[print])
    with pytest.raises(UsageError, match="'inputs'"):
        guardrail("inputs")(lambda text: None)
    with pytest.raises(UsageError, match="may take the turn"):
        guardrail("input")(lambda: None)


async def test_a_message_to_a_running_turn_is_looked_at_and_a_stopped_one_does_not_end_it():
    model = ScriptedModel(["One.", "Two."])
    agent = Agent(model, guardrails=[no_pins, no_weapons])
    stream = agent.stream("Go")
    stream.steer(f"My {SECRET}")
    stream.steer("A weapon")
    result = await stream.result()
    assert (result.stop_reason, result.text) == ("answered", "One.")
    assert [event.text for event in stream.events if isinstance(event, e.MessageReceived)] == [
        "My [pin]",
        "[stopped by a guardrail]",
    ]
    assert triggered(stream.events) == [
        ("message", "no_pins", "rewrite", False),
        ("message", "no_weapons", "stop", False),
    ]
    assert SECRET not in str(model.requests)
    await replays(stream.events, agent)


async def test_a_factory_of_dependencies_that_fails_fails_the_turn_and_keeps_no_question():
    def broken(started):
        raise ConnectionError("no database")

    stream = Agent(ScriptedModel([]), guardrails=[no_pins], deps_factory=broken).stream(SECRET)
    with pytest.raises(TurnFailed):
        await stream.result()
    assert SECRET not in str(stream.events)


async def test_a_message_after_a_stopped_question_is_answered_and_the_question_is_not():
    model = ScriptedModel(["Hello."])
    agent = Agent(model, guardrails=[no_weapons])
    stream = agent.stream("A weapon")
    stream.steer("Hi then")
    assert (await stream.result()).text == "Hello."
    assert "Hi then" in str(model.requests)
    assert "A weapon" not in str([*model.requests, *stream.events])
    await replays(stream.events, agent)
