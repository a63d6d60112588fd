"""The model's own plan: offered, checked, recorded, ticked off, and no step of its own."""

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.messages import Abilities
from glassloop.models.scripted_model import call

COMPLEX = "First look at one, then at the other, and then compare both."
STEPS = [
    {"description": "Look at one", "tool": "look"},
    {"description": "Look at the other", "tool": "look"},
    {"description": "Compare both", "depends_on": 2},
]


@tool(effect="read", volatile=True)
async def look(key: str = "a") -> str:
    """Looks."""
    return f"{key} weighs 12 kg"


async def play(script, question=COMPLEX, *, tools=(look,), **options):
    model = ScriptedModel(script, abilities=options.pop("abilities", None))
    stream = Agent(model, list(tools), planner=True, **options).stream(question)
    return [event async for event in stream], model, stream


def plans(events):
    return [event for event in events if isinstance(event, e.PlanMade | e.PlanAdjusted)]


async def test_a_plan_beside_other_calls_costs_no_step_and_no_call_of_its_own():
    script = [[call("update_plan", steps=STEPS), call("look"), call("look", key="b")], "Both weigh 12 kg."]
    events, model, stream = await play(script)
    classified, made = plans(events)
    assert (classified.plan.steps, made.plan.complexity) == ((), "complex")
    assert [step.tool_name for step in made.plan.steps] == ["look", "look", "answer"]
    assert (events[-1].iterations, events[-1].tool_calls) == (2, 2)
    assert {request.purpose for request in model.requests} == {"decide"}
    told = next(
        message.content for message in model.requests[1].messages if getattr(message, "tool", "") == "update_plan"
    )
    assert told == "Plan noted: 3 steps, 0 done."
    response = stream.response()
    assert response.plan == made.plan
    assert [step.action and step.action.tool for step in response.steps] == ["look", None]
    assert [other.action.tool for other in response.steps[0].parallel] == ["look"]
    assert not any(isinstance(event, e.ApprovalRequested) for event in events)


async def test_a_changed_plan_keeps_what_is_done_and_what_the_model_says_is():
    again = [STEPS[0], STEPS[1] | {"status": "done"}, {"description": "Weigh anew"}]
    script = [[call("update_plan", steps=STEPS), call("look")], call("update_plan", steps=again), "12 kg."]
    events, _, _ = await play(script)
    adjusted = plans(events)[-1]
    assert isinstance(adjusted, e.PlanAdjusted)
    assert (adjusted.reason, adjusted.done) == ("by the model", (1, 2))
    assert adjusted.plan.steps[-1].description == "Weigh anew"


async def test_one_step_for_a_complex_question_is_told_back_once():
    short = call("update_plan", steps=STEPS[:1])
    events, _, _ = await play([short, short, "12 kg."])
    first, second = [event.result for event in events if isinstance(event, e.ToolReturned)]
    assert (first.success, second.success) == (False, True)
    assert "at least two steps" in first.error
    assert plans(events)[-1].plan.complexity == "medium"
    assert len(plans(events)[-1].plan.steps) == 1


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([], "list of objects"),
        ("soon", "list of objects"),
        ([{"tool": "look", "description": "x"}] * 21, "at most 20"),
        ([{"description": "x", "tool": "nowhere"}], "'nowhere'"),
        ([{"description": " "}], "no description"),
    ],
)
async def test_a_plan_that_cannot_be_used_says_why_and_the_turn_goes_on(steps, words):
    events, _, stream = await play([call("update_plan", steps=steps), "12 kg."], "What is it?")
    (returned,) = [event for event in events if isinstance(event, e.ToolReturned)]
    assert words in returned.result.error
    assert stream.response().response == "12 kg."
    assert stream.response().plan.steps == ()


@pytest.mark.parametrize("protocol", ["native", "json", "text"])
async def test_the_plan_is_offered_in_every_protocol(protocol):
    _, model, _ = await play(["12 kg."], protocol=protocol)
    request = model.requests[0]
    assert "update_plan" in request.system or "update_plan" in [spec.name for spec in request.tools]


@pytest.mark.parametrize("abilities", [Abilities(small=True), Abilities(reads_prompts=False)])
async def test_small_models_and_those_that_read_no_prompts_are_offered_no_plan(abilities):
    _, model, stream = await play(["12 kg."], abilities=abilities)
    assert "update_plan" not in [spec.name for spec in model.requests[0].tools]
    assert stream.response().plan.steps == ()


async def test_a_tool_of_that_name_is_the_users_own():
    @tool(effect="read", name="update_plan")
    async def own(month: str) -> str:
        """Plans a month."""
        return f"{month} is planned"

    events, _, stream = await play([call("update_plan", month="May"), "Done."], "Plan May.", tools=(own,))
    assert [event.call.tool for event in events if isinstance(event, e.ToolCalled)] == ["update_plan"]
    assert stream.response().steps[0].observation.output == "May is planned"


async def test_references_count_calls_and_not_plans():
    @tool(effect="read")
    async def double(value: str) -> str:
        """Doubles."""
        return value * 2

    calls = [call("update_plan", steps=STEPS), call("look"), call("double", value="${step1.result}")]
    events, _, _ = await play([calls, "Done."], tools=(look, double))
    results = [event.result.output for event in events if isinstance(event, e.ToolReturned)]
    assert results[-1] == "a weighs 12 kg" * 2


async def test_a_plan_is_no_source_of_figures():
    events, _, _ = await play([call("update_plan", steps=STEPS), "There are 3 of them."])
    evidence = next(event.evidence for event in events if isinstance(event, e.AnswerEvaluated))
    assert all(figure.source is None for figure in evidence.figures)
