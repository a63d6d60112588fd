"""Properties of planning and reflection: 10–14, 21–25, 31."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from glassloop import Agent, ScriptedModel
from glassloop.core import events as e
from glassloop.core.messages import ToolSpec
from glassloop.core.planning.planner import Planner, adjust_plan, classify, read_plan, unplanned
from glassloop.core.planning.reflection import evaluate_output, graded, should_continue
from glassloop.core.records import ExecutionPlan, PlanStep
from glassloop.models.scripted_model import call
from glassloop.projections.response import legacy
from properties.strategies import TOOLS, agent, run, said, scripts, words

SPECS = {name: ToolSpec(name=name, description=f"Use {name}.", parameters={}) for name in ("look", "put")}
questions = st.one_of(
    words,
    st.lists(
        st.sampled_from(["compare", "then", "stock", "why", "orders?", "and then", "比较", "库存。", "first"]),
        max_size=9,
    ).map(" ".join),
)
plan_steps = st.fixed_dictionaries(
    {"description": words},
    optional={
        "tool": st.sampled_from(["look", "put", "nowhere", "", None]),
        "depends_on": st.none() | st.integers(-3, 9),
        "status": st.sampled_from(["pending", "done", "completed", "?"]),
    },
)
raw_plans = st.one_of(
    st.none(),
    st.lists(plan_steps | words, max_size=22).map(lambda steps: {"steps": steps}),
    st.lists(plan_steps, max_size=4).map(lambda steps: {"steps": json.dumps(steps)}),
    st.sampled_from([{"steps": 5}, {"steps": [1, None]}, {"steps": [{"tool": 5}]}, {}, []]),
)


def planned(question, raw):
    read = read_plan(question, raw, SPECS)
    return unplanned(question, 5) if isinstance(read, str) else read.plan


def planner(raw):
    async def ask(purpose, question):
        assert purpose == "plan"
        return json.dumps(raw)

    return Planner(SPECS, ask)


@pytest.mark.property(10)
@given(st.text() | questions)
def test_every_question_has_exactly_one_complexity(question):
    assert [name for name in ("simple", "medium", "complex") if classify(question) == name] == [classify(question)]


@pytest.mark.parametrize(
    ("question", "complexity"),
    [
        ("List overdue invoices and the vendors with the highest spend and which servers are down", "complex"),
        ("How did gross margin develop over six months and which category drove it?", "medium"),
        ("Remember my appointment with Dr. Weiss.", "simple"),
        ("What is 18% of 2,450?", "simple"),
    ],
)
def test_questions_of_several_parts_are_told_from_others(question, complexity):
    assert classify(question) == complexity


@pytest.mark.property(11)
@given(questions, raw_plans)
def test_a_complex_plan_has_at_least_two_steps(question, raw):
    for plan in (planned(question, raw), run(planner(raw).create_plan(question))):
        assert plan.complexity != "complex" or len(plan.steps) >= 2


@pytest.mark.property(12)
@given(questions, raw_plans)
def test_every_plan_step_names_a_tool_there_is_or_none(question, raw):
    for plan in (planned(question, raw), run(planner(raw).create_plan(question))):
        assert all(step.tool_name in {*SPECS, "answer"} for step in plan.steps)
        assert [step.step_number for step in plan.steps] == list(range(1, len(plan.steps) + 1))
        assert all(step.depends_on is None or 0 < step.depends_on < step.step_number for step in plan.steps)


@pytest.mark.property(13)
@given(questions, raw_plans)
def test_every_plan_expects_at_least_one_iteration(question, raw):
    assert planned(question, raw).estimated_iterations > 0
    assert run(planner(raw).create_plan(question)).estimated_iterations > 0


@given(questions, raw_plans)
def test_a_plan_that_cannot_be_used_is_told_back_with_a_reason(question, raw):
    read = read_plan(question, raw, SPECS)
    assert read.strip() if isinstance(read, str) else read.plan.steps


plans = st.lists(st.sampled_from(["look", "put"]), min_size=1, max_size=5).map(
    lambda names: ExecutionPlan(
        query="q",
        complexity="medium" if len(names) < 2 else "complex",
        steps=tuple(PlanStep(step_number=i, description=f"Use {n}", tool_name=n) for i, n in enumerate(names, 1)),
        estimated_iterations=len(names) + 1,
    )
)


@pytest.mark.property(14)
@given(plans, st.data(), words)
def test_a_failed_sub_task_changes_the_plan(plan, data, why):
    failed = data.draw(st.integers(1, len(plan.steps)))
    changed = run(planner({}).adjust_plan(plan, why, failed=failed))
    assert [new != old for new, old in zip(changed.steps, plan.steps, strict=True)] == [
        step.step_number == failed for step in plan.steps
    ]
    assert changed.complexity == plan.complexity
    assert adjust_plan(changed, why, failed=failed) != changed


@pytest.mark.property(14)
@given(words)
def test_a_failed_sub_task_is_seen_as_a_changed_plan_in_the_turn(key):
    steps = [{"description": "try", "tool": "broken"}, {"description": "see", "tool": "look"}]
    model = ScriptedModel([[call("update_plan", steps=steps), call("broken", key=key)], call("look", key="a"), "Done."])

    async def work():
        stream = Agent(model, TOOLS, planner=True).stream("First try it and then compare both.")
        return [event async for event in stream]

    seen = run(work())
    made = [event.plan for event in seen if isinstance(event, e.PlanMade)][-1]
    (adjusted,) = [event for event in seen if isinstance(event, e.PlanAdjusted)]
    assert adjusted.plan != made
    assert "failed" in adjusted.plan.steps[0].description
    assert {request.purpose for request in model.requests} == {"decide"}


numbers = st.floats(allow_nan=True, allow_infinity=True)


@pytest.mark.property(21)
@given(numbers, st.booleans())
def test_completeness_is_between_0_and_10(score, wants):
    assert 0 <= graded(score, 5.0, (), wants, ()).completeness_score <= 10


@pytest.mark.property(22)
@given(numbers, st.booleans())
def test_quality_is_between_0_and_10(score, wants):
    assert 0 <= graded(5.0, score, (), wants, ()).quality_score <= 10


def opinion(completeness, quality, wants):
    async def ask(purpose, question, schema, draft):
        assert (purpose, draft) == ("evaluate", "a")
        said = {"completeness_score": completeness, "quality_score": quality, "missing_info": [], "needs_retry": wants}
        return json.dumps(said | {"suggestions": []})

    return run(evaluate_output(ask, "a"))


any_score = st.floats(-5, 20)


@pytest.mark.property(23)
@given(st.floats(-5, 7, exclude_max=True), any_score, st.booleans())
def test_below_seven_it_is_tried_again(low, other, wants):
    assert opinion(low, other, wants).needs_retry
    assert opinion(other, low, wants).needs_retry


@pytest.mark.property(24)
@given(st.floats(8, 20), st.floats(8, 20), st.booleans())
def test_from_eight_on_it_is_not_tried_again(completeness, quality, wants):
    assert not opinion(completeness, quality, wants).needs_retry


@given(st.floats(7, 8, exclude_max=True), st.floats(7, 20), st.booleans())
def test_at_seven_the_evaluators_own_word_stands(low, other, wants):
    assert opinion(low, other, wants).needs_retry is wants
    assert opinion(other, low, wants).needs_retry is wants


@pytest.mark.property(25)
@given(st.integers(1, 30), st.integers(0, 60), st.booleans())
def test_more_steps_than_the_estimate_and_two_stop_the_loop(estimate, steps, wants):
    plan = ExecutionPlan(query="q", complexity="medium", estimated_iterations=estimate)
    going = should_continue(plan, steps, graded(5.0 if wants else 9.0, 9.0, (), wants, ()))
    assert going is (wants and steps <= estimate + 2)


@pytest.mark.property(25)
@given(st.integers(4, 12))
def test_a_turn_stops_two_steps_beyond_its_estimate(limit):
    plan = call("update_plan", steps=[{"description": "see", "tool": "look"}])
    script = [[plan, call("look", key="0")], *[call("look", key=str(n)) for n in range(1, 12)]]
    model = ScriptedModel([*script[: min(limit, 6)], "That is all."])

    async def work():
        stream = Agent(model, TOOLS, planner=True, max_iterations=limit).stream("What is it?")
        return [event async for event in stream]

    seen = run(work())
    assert [event.plan.estimated_iterations for event in seen if isinstance(event, e.PlanMade)] == [limit, 3]
    assert seen[-1].iterations == min(limit, 6)
    assert next(event.reason for event in seen if isinstance(event, e.AnswerGiven)) == (
        "iterations" if limit <= 6 else "estimate"
    )


@pytest.mark.property(31)
@given(scripts, said)
def test_a_response_serialises_to_the_legacy_schema(script, question):
    assume(not question.startswith("/"))
    response = run(agent(script).stream(question).drain())
    old = json.loads(json.dumps(legacy(response)))
    assert set(old) == {"success", "message", "data", "error", "session_id"}
    assert old["success"] is response.success
    assert old["message"] == response.response
    assert old["session_id"] == response.session_id
    assert (old["error"] is None) is response.success
