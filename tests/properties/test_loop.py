"""Properties of the loop, for any model: 1–5, 26–30."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.errors import ModelRejected
from glassloop.core.messages import Abilities
from properties.strategies import TOOLS, agent, call_replies, calls, run, said, scripts, words


async def play(made: Agent, question: str = "What is it?") -> tuple[list[e.Event], object]:
    stream = made.stream(question)
    seen = [event async for event in stream]
    return seen, stream.response()


@pytest.mark.property(1)
@given(scripts)
def test_a_turn_takes_at_most_five_iterations_by_default(script):
    seen, response = run(play(agent(script)))
    assert seen[-1].iterations <= 5
    assert len({event.step for event in seen if isinstance(event, e.ToolCalled)}) <= 5
    assert len(response.steps) <= 5


@pytest.mark.property(2)
@given(scripts, st.sampled_from(["native", "json", "text"]))
def test_every_thought_says_something(script, protocol):
    seen, response = run(play(agent(script, protocol=protocol)))
    assert all(step.thought.strip() for step in response.steps)
    assert all(event.text.strip() for event in seen if isinstance(event, e.ThoughtRecorded))


@pytest.mark.property(3)
@given(scripts)
def test_every_thought_has_an_action_or_is_the_answer(script):
    """An answer from what was found when the limit was reached is no step."""
    _, response = run(play(agent(script)))
    answers = [step for step in response.steps if step.action is None]
    if answers:
        assert answers == list(response.steps[-1:])
    else:
        assert len(response.steps) == 5
        assert "limit of 5 iterations" in response.response


@pytest.mark.property(4)
@given(scripts)
def test_every_action_has_an_observation(script):
    seen, response = run(play(agent(script)))
    assert all(one.observation is not None for step in response.steps for one in step.calls)
    decided = [
        c.id for event in seen if isinstance(event, e.ModelResponded) and event.decision for c in event.decision.calls
    ]
    assert sorted(decided) == sorted(event.call_id for event in seen if isinstance(event, e.ToolReturned))


@pytest.mark.property(5)
@given(scripts)
def test_a_finished_turn_has_its_answer_and_its_full_trace(script):
    seen, response = run(play(agent(script)))
    assert response.success is (response.response != e.NOTHING_READ)
    assert response.response.strip()
    assert [event.type for event in map(_named, seen)].count("turn_finished") == 1
    decisions = [event.decision for event in seen if isinstance(event, e.ModelResponded) and event.decision]
    assert [one.action.id for step in response.steps for one in step.calls] == [
        one.id for decision in decisions for one in decision.calls
    ]
    assert [step.step_number for step in response.steps] == list(range(1, len(response.steps) + 1))


def _named(event):
    return type("Named", (), {"type": event.__struct_config__.tag})


@pytest.mark.property(26)
@given(words)
def test_what_went_wrong_in_a_tool_is_in_its_observation(key):
    made = agent([[calls_to("broken", key=key), calls_to("nowhere")]])
    _, response = run(play(made))
    failed, unknown = (one.observation for one in response.steps[0].calls)
    assert not failed.success
    assert repr(key) in failed.error
    assert not unknown.success
    assert "nowhere" in unknown.error


def calls_to(tool, **args):
    from glassloop.models.scripted_model import call

    return call(tool, **args)


@pytest.mark.property(27)
@given(st.integers(1, 6), st.lists(call_replies, min_size=7, max_size=7))
def test_a_turn_at_its_limit_still_answers_and_says_so(limit, script):
    made = Agent(ScriptedModel([*script[:limit], "As far as I got."]), TOOLS, max_iterations=limit)
    seen, response = run(play(made))
    assert response.success
    assert f"limit of {limit} iterations" in response.response
    assert "As far as I got." in response.response
    assert [event.reason for event in seen if isinstance(event, e.AnswerGiven)] == ["iterations"]


class _Explodes:
    name = "explosive"
    abilities = Abilities()

    def __init__(self, error):
        self._error = error

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        raise self._error
        yield


@pytest.mark.property(28)
@given(st.sampled_from([ModelRejected, ValueError, KeyError, RuntimeError, ZeroDivisionError]), words)
def test_an_exception_ends_the_turn_with_an_error_that_says_something(kind, message):
    seen, response = run(play(Agent(_Explodes(kind(message)), TOOLS)))
    assert not response.success
    assert response.error.strip()
    assert isinstance(seen[-1], e.TurnFinished)
    assert seen[-1].status == "failed"
    if kind is not ModelRejected:
        assert seen[-1].reference in response.error
        assert not message.strip() or len(message) < 4 or message not in response.error


@pytest.mark.property(29)
@given(st.from_regex(r"[A-Za-z]{2,8}( [a-z]{4,6}){0,4}\?", fullmatch=True).filter(lambda q: _simple(q)))
def test_a_simple_question_is_not_planned_in_detail(question):
    model = ScriptedModel(["Yes."])
    _, response = run(play(Agent(model, TOOLS, planner=True), question))
    assert response.plan.complexity == "simple"
    assert response.plan.steps == ()
    assert [request.purpose for request in model.requests] == ["decide"]


def _simple(question):
    from glassloop.core.planning.planner import classify

    return classify(question) == "simple"


@pytest.mark.property(30)
@given(words)
def test_what_starts_with_a_slash_goes_to_the_commands_and_not_to_the_model(rest):
    model = ScriptedModel([])
    seen, response = run(play(Agent(model, TOOLS), "/" + rest))
    assert model.requests == []
    if response.success:
        assert any(isinstance(event, e.CommandRead) for event in seen)
        assert response.response.strip()
    else:
        assert seen[-1].error_type == "validation_error"
        assert "/" in response.error


@given(said, calls)
def test_the_tool_command_runs_the_tool_it_names(question, made):
    import json

    seen, response = run(play(agent([]), f"/tool {made.tool} {json.dumps(made.args)}"))
    called = [event.call.tool for event in seen if isinstance(event, e.ToolCalled)]
    assert called == ([made.tool] if response.success else [])
    assert response.success or seen[-1].error_type == "validation_error"
    assert not any(isinstance(event, e.ModelResponded) for event in seen)
