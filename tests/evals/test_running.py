"""Suites run on a real runtime: asked, judged, stored, bounded, and taken up again."""

import asyncio

import pytest

from evals.shop import ORDERED, TOOLS, WANTED, head_of, suite_of
from glassloop import Agent, ScriptedModel, tool
from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.loop.policy import Profile
from glassloop.core.messages import AssistantMessage, Reply, Usage
from glassloop.evals.run_file import RunFile, read_run
from glassloop.evals.suite_run import MAX_FAILURES, USER, SuiteRun, remaining_cases
from glassloop.models.scripted_model import call
from loop_clock import pass_time

ONE = """
[[cases]]
id = "lamp"
tags = ["shop", "sum"]
question = "What do 2 lamps cost?"
tools = ["price"]
arguments.price = { item = "lamp", pieces = 2 }
answer = { figures = [25], evidence = true }
"""
TWO = """
[[cases]]
id = "hello"
question = "Hello?"
tools = "none"
"""
LAMP = [call("price", item="lamp", pieces=2), "They cost 25."]


async def test_a_case_is_asked_judged_and_stored_as_a_turn_that_replays(asks, opens):
    (found,) = await asks(suite_of(ONE), LAMP)
    assert (found.tool, found.arguments, found.answer, found.passed) == (True, True, True, True)
    assert (found.steps, found.decisions, found.readable, found.status) == (2, 2, 2, "completed")
    assert found.input_tokens > 0
    assert found.seconds > 0
    runtime = asks.runtime
    (turn_id,) = found.turn_ids
    assert (await runtime.turn(turn_id)).user_id == USER
    assert (await runtime.replay(turn_id)).differences == ()


async def test_the_model_is_told_the_day_of_the_suite(opens, tmp_path):
    async def told(suite, script):
        model = ScriptedModel(script)
        profile = Profile(name="shop", tells_context=True)
        runtime = await opens(model, make=lambda _wanted: Agent(model, TOOLS, profile=profile))
        file = RunFile.open(tmp_path / f"{len(suite.cases[0].id)}.jsonl", head_of(suite), resume=False)
        await SuiteRun(runtime, suite, WANTED, file, {}, lambda _result: None).ask_all([(suite.cases[0], 1)], 1)
        file.close()
        return str(model.requests[0].messages)

    assert "Wednesday 14 May 2031, " in await told(suite_of(ONE, today="2031-05-14"), LAMP)
    assert "May 2031" not in await told(suite_of(TWO), ["Hello."])


async def test_what_went_wrong_says_what_was_expected_and_what_came(asks):
    (found,) = await asks(suite_of(ONE), [call("stock", item="lamp"), "There are 8."])
    assert (found.tool, found.arguments, found.answer) == (False, False, False)
    told = {problem.part: (problem.expected, problem.got) for problem in found.problems}
    assert told["tool"] == ("price", "stock")
    assert told["arguments"] == ("price(item: lamp, pieces: 2)", "no call of price")
    assert {problem.expected for problem in found.problems if problem.part == "answer"} == {
        "the figure 25",
        "a source for every figure",
    }


async def test_follow_ups_share_a_session_and_the_last_one_is_judged(asks):
    suite = suite_of(
        '[[cases]]\nid = "more"\nquestions = ["A lamp?", "And 2?"]\ntools = ["price"]\n'
        "arguments.price = { pieces = 2 }\n"
    )
    script = [call("price", item="lamp"), "12.5.", call("price", item="lamp", pieces=2), "25."]
    (found,) = await asks(suite, script)
    assert found.passed
    assert len(found.turn_ids) == 2
    rows = await asks.runtime.store.turns.of_session(found.session_id)
    assert [row.question for row in rows] == ["A lamp?", "And 2?"]
    assert found.steps == 4


async def test_an_unreadable_decision_is_counted(asks):
    bad = Reply(
        message=AssistantMessage(text='<tool_call>{"name": "price", "argu'), usage=Usage(), stop="end_turn", model="m"
    )
    (found,) = await asks(suite_of(TWO), [bad, "Hello."])
    assert found.readable < found.decisions


@pytest.mark.parametrize("approve", [False, True])
async def test_an_effect_that_asks_first_is_done_only_where_the_suite_says_so(asks, approve):
    ORDERED.clear()
    suite = suite_of('[[cases]]\nid = "buy"\nquestion = "Buy a lamp"\ntools = ["order"]\n', approve=approve)
    (found,) = await asks(suite, [call("order", item="lamp"), "Said."])
    assert found.passed
    assert (["lamp"] if approve else []) == ORDERED
    assert (await asks.runtime.turn(found.turn_ids[0])).status == "completed"


async def test_a_turn_that_takes_too_long_is_cancelled_and_wrong(asks):
    @tool(effect="read", volatile=True, timeout_s=600)
    async def hang() -> str:
        """Never returns."""
        pass_time(30)
        await asyncio.Event().wait()
        return ""

    suite = suite_of('[[cases]]\nid = "slow"\nquestion = "Q"\ntools = ["hang"]\n', seconds=30)
    (found,) = await asks(suite, [call("hang"), "never"], tools=[hang])
    assert (found.status, found.tool, found.passed) == ("cancelled", True, False)
    assert "longer than 30 s" in found.problems[-1].got
    assert (await asks.runtime.turn(found.turn_ids[0])).status == "cancelled"


async def test_repetitions_are_runs_of_their_own(asks):
    found = await asks(suite_of(ONE + TWO), [*LAMP, "Hi.", "No idea.", "Hi."], repeat=2)
    assert [(each.case, each.run, each.passed) for each in found] == [
        ("lamp", 1, True),
        ("hello", 1, True),
        ("lamp", 2, False),
        ("hello", 2, True),
    ]


async def test_many_are_asked_at_once_up_to_the_limit_that_was_given(asks):
    under_way, most, met = 0, 0, asyncio.Event()

    @tool(effect="read", volatile=True)
    async def meet() -> str:
        """Waits a moment for others."""
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        if most == 3:
            met.set()
        await asyncio.wait_for(met.wait(), 60)
        under_way -= 1
        return "met"

    cases = "".join(
        f'[[cases]]\nid = "c{number}"\nquestion = "/tool meet"\ntools = [\'meet\']\n' for number in range(9)
    )
    found = await asks(suite_of(cases), [], concurrency=3, tools=[meet])
    assert most == 3
    assert all(each.passed for each in found)


async def test_what_is_done_is_not_asked_again_and_what_the_model_failed_at_is(asks, tmp_path):
    path = tmp_path / "kept.jsonl"
    suite = suite_of(ONE + TWO)
    first = await asks(suite, [*LAMP, ModelUnavailable("away")], path=path)
    assert (first[0].passed, first[1].status, first[1].error_type) == (True, "failed", "llm_error")
    second = await asks(suite, ["Hello."], path=path, resume=True)
    assert second[0] == first[0]
    assert second[1].passed
    assert read_run(path)[1]["hello", 1] == second[1]


async def test_a_model_that_stays_away_ends_the_run(asks, tmp_path):
    cases = "".join(f'[[cases]]\nid = "c{number}"\nquestion = "Q"\ntools = "none"\n' for number in range(20))
    with pytest.raises(ModelUnavailable, match=r"5 times in a row.*away.*--resume"):
        await asks(suite_of(cases), [ModelUnavailable("away")] * 20, path=tmp_path / "away.jsonl")
    assert len(read_run(tmp_path / "away.jsonl")[1]) == MAX_FAILURES


async def test_a_run_that_is_cancelled_cancels_its_turns_and_stops_what_an_earlier_one_left(opens, tmp_path):
    reached = asyncio.Event()

    @tool(effect="read", volatile=True)
    async def hang() -> str:
        """Never returns."""
        reached.set()
        await asyncio.Event().wait()
        return ""

    suite = suite_of('[[cases]]\nid = "slow"\nquestion = "/tool hang"\ntools = ["hang"]\n')
    runtime = await opens([], [hang])
    file = RunFile.open(tmp_path / "run.jsonl", head_of(suite), resume=False)
    run = SuiteRun(runtime, suite, WANTED, file, {}, lambda _result: None)
    asking = asyncio.create_task(run.ask_all(remaining_cases(suite.cases, 1, file), 1))
    await asyncio.wait_for(reached.wait(), 60)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    file.close()
    (row,) = await runtime.store.turns.list(user_id=USER, limit=10)
    events = await asyncio.wait_for(_all(runtime, row.id), 60)
    assert isinstance(events[-1], e.TurnFinished)
    assert events[-1].status == "cancelled"
    again = RunFile.open(tmp_path / "run.jsonl", head_of(suite), resume=True)
    again.close()
    assert again.left == (row.session_id,)
    assert remaining_cases(suite.cases, 1, again) == [(suite.cases[0], 1)]


async def _all(runtime, turn_id):
    return [event async for event in runtime.watch(turn_id)]
