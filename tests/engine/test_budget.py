"""Budgets are checked before a call, not after; a price nobody knows is said, never taken for free."""

import pytest

from glassloop import Agent, Limits, ScriptedModel, UsageError, tool
from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage, Reply, Usage
from glassloop.models.scripted_model import call


@tool(effect="read", volatile=True)
async def look(key: str = "a") -> str:
    """Looks."""
    return f"saw {key}"


async def play(agent):
    stream = agent.stream("Go")
    async for _ in stream:
        pass
    return stream


@pytest.mark.parametrize("limit", ["iterations", "tool_calls", "tokens", "cost", "seconds"])
def test_a_negative_limit_is_refused_in_one_sentence(limit):
    with pytest.raises(UsageError, match=limit):
        Limits(**{limit: -1})


def test_a_limit_of_no_iterations_is_refused():
    with pytest.raises(UsageError, match="at least 1"):
        Agent(ScriptedModel([]), [], max_iterations=0)


async def test_calls_beyond_the_tool_limit_are_not_made_and_the_turn_answers():
    model = ScriptedModel([[call("look", key="a"), call("look", key="b"), call("look", key="c")], "Two of three."])
    stream = await play(Agent(model, [look], limits=Limits(tool_calls=2)))
    assert sum(isinstance(event, e.ToolCalled) for event in stream.events) == 2
    assert "limit of 2 tool calls" in stream.response().response


async def test_a_token_budget_ends_the_turn_without_another_model_call():
    model = ScriptedModel([call("look")] * 5)
    stream = await play(Agent(model, [look], limits=Limits(tokens=200)))
    assert 1 <= len(model.requests) < 5
    assert "budget of 200 tokens" in stream.response().response
    assert "saw a" in stream.response().response


async def test_a_call_that_would_pass_the_money_limit_is_not_made():
    model = ScriptedModel([call("look")] * 5, price=0.001)
    stream = await play(Agent(model, [look], limits=Limits(cost=0.5)))
    assert model.requests == []
    assert "budget of $0.5" in stream.response().response
    assert stream.events[-1].cost == 0.0


async def test_a_money_limit_with_an_unpriced_model_is_refused_with_the_remedy():
    model = ScriptedModel(["Hello."], price=None)
    stream = await play(Agent(model, [look], limits=Limits(cost=1.0)))
    assert model.requests == []
    assert stream.events[-1].status == "failed"
    assert "No price is known" in stream.events[-1].error


async def test_an_unpriced_call_is_counted_as_unknown():
    stream = await play(Agent(ScriptedModel(["Hello."], price=None), [look]))
    assert stream.events[-1].cost is None
    assert stream.events[-1].unpriced_calls == 1


async def test_known_costs_add_up():
    spent = [Reply(message=AssistantMessage(calls=(call("look"),)), usage=Usage(input_tokens=5, cost=0.25))]
    spent += [Reply(message=AssistantMessage(text="Done."), usage=Usage(output_tokens=7, cost=0.5))]
    stream = await play(Agent(ScriptedModel(spent), [look]))
    finished = stream.events[-1]
    assert (finished.cost, finished.input_tokens, finished.output_tokens) == (0.75, 5, 7)


async def test_more_calls_than_a_step_may_have_are_told_back():
    model = ScriptedModel([[call("look", key=str(n)) for n in range(40)], "Some of them."])
    stream = await play(Agent(model, [look]))
    returned = [event.result for event in stream.events if isinstance(event, e.ToolReturned)]
    assert len(returned) == 40
    assert sum(result.success for result in returned) == 16
    assert all("at most 16 calls" in result.error for result in returned if not result.success)


async def test_a_reply_is_kept_as_short_as_the_tokens_left():
    model = ScriptedModel(["Hello."])
    await play(Agent(model, [look], limits=Limits(tokens=500)))
    assert 64 <= model.requests[0].max_tokens < 500


async def test_a_draft_that_was_sent_back_is_the_answer_when_nothing_more_can_be_had():
    import json

    from glassloop.core.errors import ModelUnavailable

    verdict = json.dumps({"completeness_score": 3, "quality_score": 5, "missing_info": ["unit"], "needs_retry": True})
    model = ScriptedModel(["It weighs 12.", verdict, ModelUnavailable("away")])
    agent = Agent(model, [look], reflection=True)
    response = await agent.run("Compare both and then say which is heavier.")
    assert response.text == "It weighs 12."


async def test_the_note_about_a_limit_is_not_itself_a_figure_without_a_source():
    stream = await play(Agent(ScriptedModel([*[call("look")] * 5, "Nothing new."]), [look], reflection=True))
    evaluated = next(event for event in stream.events if isinstance(event, e.AnswerEvaluated))
    assert evaluated.evidence.figures == ()
    assert "limit of 5 iterations" in stream.response().response


async def test_calls_beyond_the_limit_of_a_step_cost_no_commits_of_their_own():
    from volatile_store import VolatileStore

    commits = []

    class Counting(VolatileStore):
        def append_now(self, turn_id, events):
            return False

        async def append(self, turn_id, events, *, sync=False):
            commits.append(len(events))
            await super().append(turn_id, events, sync=sync)

    model = ScriptedModel([[call("look", key=str(n)) for n in range(200)], "Some."])
    await Agent(model, [look], store=Counting()).run("Go")
    assert len(commits) <= 4
