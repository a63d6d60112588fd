"""What replay reports: differences where something was altered, and nothing where only the log was cut or cleaned."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from glassloop import Agent, Limits, Profile, ScriptedModel, UsageError, tool
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage
from glassloop.core.records import Evidence
from glassloop.models.scripted_model import call
from glassloop.runtime.replay.event_diff import MAX_DIFFERENCES
from glassloop.runtime.replay.replay import replay
from glassloop.store import open_store
from properties.strategies import TOOLS, agent, run, scripts
from runtime.replaying import World, assert_same, decide, drained, pending


async def logged(script, question="What is it?", tools=TOOLS, **options):
    stream = await drained(Agent(ScriptedModel(script), tools, **options).stream(question))
    return list(stream.events)


def altered(events, kind, **changes):
    """The log with the first event of that kind changed."""
    first = next(event for event in events if isinstance(event, kind))
    return [replace(event, **changes) if event is first else event for event in events]


async def differences(events, **options):
    report = await replay(events, Agent(ScriptedModel([]), TOOLS, **options))
    return [(found.kind, found.field, found.recorded, found.replayed) for found in report.differences]


async def test_an_altered_answer_is_told_where_it_begins_to_differ():
    text = (
        "It is, as far as anybody in the whole of this house has ever been able to make out, a very large cup of tea."
    )
    events = altered(await logged([text]), e.AnswerGiven, text=text.replace("cup", "pot"))
    ((kind, field, recorded, replayed),) = await differences(events)
    assert (kind, field) == ("answer_given", "text")
    assert "large pot" in recorded
    assert "large cup" in replayed
    assert len(recorded) <= 82


@pytest.mark.parametrize(
    ("recorded", "replayed", "shown"),
    [
        ("x" * 79 + "a", "x" * 79 + "b", ("x" * 79 + "a", "x" * 79 + "b")),
        ("a" + "x" * 80, "b" + "x" * 80, ("a" + "x" * 79 + "…", "b" + "x" * 79 + "…")),
        ("x" * 99 + "a", "x" * 99 + "b", ("…" + "x" * 20 + "a", "…" + "x" * 20 + "b")),
    ],
    ids=["fits", "end left out", "beginning left out"],
)
async def test_of_long_texts_it_is_shown_that_something_is_left_out(recorded, replayed, shown):
    events = altered(await logged([replayed]), e.AnswerGiven, text=recorded)
    ((*_, before, after),) = await differences(events)
    assert (before, after) == shown


async def test_an_altered_thought_is_told():
    events = altered(await logged([call("look"), "Done."]), e.ThoughtRecorded, text="Look twice.")
    assert await differences(events) == [("thought_recorded", "text", "Look twice.", "Use look.")]


async def test_an_altered_argument_is_told_by_its_path():
    events = await logged([call("look", key="a"), "Done."])
    made = next(event for event in events if isinstance(event, e.ToolCalled)).call
    events = altered(events, e.ToolCalled, call=replace(made, args={"key": "b", "more": [1]}))
    assert await differences(events) == [
        ("tool_called", "call.args.key", "b", "a"),
        ("tool_called", "call.args.more", "[1]", "nothing"),
    ]


async def test_an_altered_reply_differs_from_what_it_was_read_as():
    events = altered(await logged(["Hello."]), e.ModelResponded, message=AssistantMessage(text="Good night."))
    found = await differences(events)
    assert ("model_responded", "decision.answer", "Hello.", "Good night.") in found


async def test_one_difference_does_not_make_all_that_follows_differ():
    events = await logged([call("look"), call("look", key="b"), "Done."])
    second = [event for event in events if isinstance(event, e.ToolCalled)][1]
    events = altered(events, e.ToolCalled, effect="write")
    events = [replace(event, step=9) if event is second else event for event in events]
    assert [found[1] for found in await differences(events)] == ["effect", "step"]


async def test_a_reply_that_is_read_otherwise_today_differs_there_and_not_in_what_follows():
    @tool(effect="read", volatile=True, name="look")
    async def look(Key: str = "a") -> str:  # noqa: N803
        """Its parameter has another name now."""
        return Key

    events = await logged([call("look", Key="b"), "Done."])
    report = await replay(events, Agent(ScriptedModel([]), [look]))
    fields = {(found.kind, found.field) for found in report.differences}
    assert fields == {("model_responded", f"decision.calls[0].args.{name}") for name in ("key", "Key")}
    assert report.compared == len(events) - 1


@pytest.mark.parametrize("limits", [Limits(iterations=1), Limits(tool_calls=1), Limits(tokens=100)])
async def test_limits_that_changed_are_told_at_the_first_step_that_is_not_made(limits):
    events = await logged([call("look"), call("look"), "Done."])
    report = await replay(events, Agent(ScriptedModel([]), TOOLS, limits=limits))
    (found,) = report.differences
    assert found.kind == "model_responded"
    assert (found.field, found.recorded) in [("purpose", "decide"), ("type", "model_responded")]
    assert report.compared < len(events)


async def test_a_limit_that_is_gone_is_told_as_the_call_that_would_be_made():
    events = await logged([call("look")] * 3, limits=Limits(tokens=200))
    assert (await differences(events))[-1] == (
        "answer_evaluated",
        "type",
        "answer_evaluated",
        "a call of the model (decide)",
    )


async def test_a_planner_switched_on_is_told_as_another_kind_of_event():
    found = await differences(await logged([call("look"), "Done."]), planner=True)
    assert found == [("model_responded", "type", "model_responded", "plan_made")]


async def test_calls_that_ran_side_by_side_and_no_longer_may_are_told():
    @tool(effect="write", name="look")
    async def look(key: str = "a") -> str:
        """Now it writes."""
        return key

    events = await logged([[call("look"), call("look", key="b")], "Done."])
    report = await asyncio.wait_for(replay(events, Agent(ScriptedModel([]), [look])), 60)
    assert [found.field for found in report.differences] == ["effect", "type"]


async def test_a_turn_that_would_end_earlier_is_told():
    events = await logged([call("put"), "Done."], profile=Profile(approvals="effects"))
    assert isinstance(events[-1], e.TurnWaiting)
    longer = [*events, e.ThoughtRecorded(turn_id=events[0].turn_id, seq=len(events) + 1, at=0.0, step=1, text="?")]
    report = await replay(longer, Agent(ScriptedModel([]), TOOLS))
    assert report.differences[-1].replayed == "nothing: the turn is paused"


async def test_replay_stops_after_twenty_differences():
    events = await logged([*[call("look", key=str(n)) for n in range(30)], "Done."], limits=Limits(iterations=40))
    events = [replace(event, text="?") if isinstance(event, e.ThoughtRecorded) else event for event in events]
    assert len(await differences(events, limits=Limits(iterations=40))) == MAX_DIFFERENCES


async def test_what_is_different_each_time_is_not_compared():
    events = await logged(["Hello."])
    events = altered(events, e.ModelResponded, latency_ms=99_999.0)
    assert await differences(altered(events, e.TurnFinished, seconds=1e6, reference="abc")) == []


@pytest.mark.parametrize("cut", [slice(1, None), slice(0, 0)])
async def test_a_log_without_its_beginning_is_refused_in_one_sentence(cut):
    events = await logged(["Hello."])
    with pytest.raises(UsageError, match="turn_started"):
        await replay(events[cut], Agent(ScriptedModel([]), TOOLS))


async def test_a_log_with_a_gap_or_a_stray_result_is_refused_in_one_sentence():
    events = await logged([call("look"), "Done."])
    with pytest.raises(UsageError, match="gap"):
        await replay([*events[:2], *events[3:]], Agent(ScriptedModel([]), TOOLS))
    with pytest.raises(UsageError, match="damaged"):
        await replay(altered(events, e.ToolReturned, call_id="nobody"), Agent(ScriptedModel([]), TOOLS))


async def test_a_log_of_an_unknown_kind_is_refused_in_one_sentence():
    class Dreamt(e.Event, frozen=True, kw_only=True, tag="dreamt"):
        pass

    events = await logged(["Hello."])
    strange = Dreamt(turn_id=events[0].turn_id, seq=len(events) + 1, at=0.0)
    with pytest.raises(UsageError, match="Dreamt"):
        await replay([*events, strange], Agent(ScriptedModel([]), TOOLS))


@given(scripts, st.sampled_from(["native", "json", "text"]), st.booleans(), st.integers(1, 4))
def test_whatever_a_model_says_its_turn_replays(script, protocol, thorough, iterations):
    options = {"protocol": protocol, "planner": thorough, "reflection": thorough, "max_iterations": iterations}

    async def work():
        stream = await drained(agent(script, **options).stream("First look, then compare both and say why."))
        report = await replay([e.decode(e.encode(event)) for event in stream.events], agent([], **options))
        assert report.differences == ()
        assert report.compared == len(stream.events) - 1

    run(work())


@pytest.mark.slow
@given(scripts, st.data())
def test_a_turn_taken_over_after_any_event_replays(script, data):
    async def work():
        events = list((await drained(agent(script).stream("What is it?"))).events)
        for epoch in (1, 2):
            events = events[: data.draw(st.integers(1, len(events) - 1))]
            claim = e.TurnClaimed(turn_id=events[0].turn_id, seq=len(events) + 1, at=0.0, worker="w", epoch=epoch)
            report = await replay([*events, claim], agent([]))
            assert (report.differences, "not finished" in report.note) == ((), True)
            events = list((await drained(agent(["Going on."]).resume([*events, claim]))).events)
        report = await replay(events, agent([]))
        assert report.differences == ()

    run(work())


async def test_a_turn_cut_off_at_every_event_and_taken_over_replays():
    world = World()
    calls = [call("look"), call("put", name="cup"), call("look", key="c")]
    whole = Agent(ScriptedModel([calls, call("look"), "Done."]), world.tools)
    stream = await drained(whole.stream("Put it there", session_id="s"))
    stream = await drained(whole.resume(stream.events, [decide(pending(stream)[0])]))
    events = stream.events
    for cut in range(1, len(events)):
        claim = e.TurnClaimed(turn_id=stream.turn_id, seq=cut + 1, at=events[cut].at, worker="w", epoch=2)
        taker = Agent(ScriptedModel([call("look", key="d"), "Done."]), world.tools)
        taken = await drained(taker.resume([*events[:cut], claim]))
        await assert_same(taken, world)


async def test_a_turn_that_workers_gave_up_is_not_compared_further():
    events = (await logged([call("look"), "Done."]))[:2]
    claims = [e.TurnClaimed(turn_id=events[0].turn_id, seq=seq, at=0.0, worker="w", epoch=seq) for seq in (3, 4, 5)]
    end = {"iterations": 0, "tool_calls": 0, "input_tokens": 0, "output_tokens": 0, "cost": None, "unpriced_calls": 0}
    finished = e.TurnFinished(
        turn_id=events[0].turn_id, seq=6, at=0.0, status="failed", seconds=0.0, error="Gone.", **end
    )
    report = await replay([*events, *claims, finished], Agent(ScriptedModel([]), TOOLS))
    assert (report.compared, report.differences) == (1, ())


@pytest.mark.parametrize("approved", [True, False])
async def test_a_log_without_its_secrets_replays(tmp_path, approved):
    opened = []

    @tool(effect="write", confirm=True)
    async def unlock(token: int) -> str:
        """Opens the door."""
        opened.append(token)
        return f"opened with {token}"

    @tool(effect="read", volatile=True)
    async def look(key: str) -> dict[str, str]:
        """Looks."""
        return {"key": key}

    script = [call("look", key="abcdefgh12345678"), call("look", key="sk-${step1.result.key}")]
    script += [call("unlock", token=123456), "It is hunter2-hunter2, 12 kg."]
    async with await open_store(str(tmp_path / "log.db"), secrets=["hunter2-hunter2"]) as store:
        made = Agent(ScriptedModel(script), [look, unlock], store=store.turns)
        stream = await drained(made.stream("Where is hunter2-hunter2?"))
        stream = await drained(made.resume(stream.events, [decide(pending(stream)[0], approved)]))
        stored = await store.turns.read(stream.turn_id)
    assert opened == [123456] * approved
    assert not any(secret in str(stored) for secret in ("hunter2", "sk-abc", "token': 123"))
    events = altered(stored, e.AnswerEvaluated, evidence=Evidence())
    report = await replay(events, Agent(ScriptedModel([]), [look, unlock]))
    assert report.differences == ()


async def test_a_history_that_was_lost_on_the_way_replays():
    made = Agent(ScriptedModel([*["Yes."] * 3, "Summary.", "Four."]), TOOLS, history_tokens=10)
    for question in ("One?", "Two?", "Three?"):
        await made.run(question, session_id="s")
    events = (await drained(made.stream("Four?", session_id="s"))).events
    assert isinstance(events[2], e.HistoryLoaded)
    report = await replay(events[:2], Agent(ScriptedModel([]), TOOLS))
    assert (report.compared, report.differences) == (1, ())
