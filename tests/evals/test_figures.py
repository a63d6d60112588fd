"""What a run comes to, and how two runs differ."""

import msgspec
import pytest

from evals.shop import head_of, suite_of
from glassloop.evals.comparison import compare
from glassloop.evals.run_file import CaseResult
from glassloop.evals.score import Mismatch
from glassloop.evals.summary import by_tag, summarize, wilson

HEAD = head_of(suite_of('[[cases]]\nid = "a"\nquestion = "Q"\ntools = "none"\n'))


def result(case, right, run=1, **keys):
    given = {"tags": (), "question": f"{case}?", "status": "completed", "arguments": None, "answer": None} | keys
    problems = () if right else (Mismatch(part="tool", expected="x", got="y"),)
    return CaseResult(case=case, run=run, session_id="s", turn_ids=(), tool=right, problems=problems, **given)


def run_of(rights, **head):
    """A run in which these cases are right, or wrong."""
    results = {(case, 1): result(case, right) for case, right in rights.items()}
    return msgspec.structs.replace(HEAD, **head), results


def test_shares_are_of_the_cases_that_judge_them():
    found = summarize([result("a", True, answer=False), result("b", False), result("c", True)])
    assert (found.tool.right, found.tool.of) == (2, 3)
    assert (found.tool.low, found.tool.high) == wilson(2, 3)
    assert (found.answer.right, found.answer.of, found.answer.share) == (0, 1, 0.0)
    assert (found.arguments.of, found.arguments.share) == (0, None)


def test_asking_the_same_again_does_not_narrow_the_interval():
    once = [result(case, case != "b") for case in "abcd"]
    thrice = [result(case, case != "b", run) for run in (1, 2, 3) for case in "abcd"]
    assert summarize(thrice).tool == summarize(once).tool
    assert summarize(thrice).asked == 12
    mixed = summarize([result("a", True, 1), result("a", False, 2), result("b", True, 1), result("b", True, 2)])
    assert (mixed.tool.right, mixed.tool.of) == (1.5, 2)


def test_steps_tokens_and_seconds_have_median_total_and_p90():
    found = summarize(
        [result(str(number), True, seconds=float(number), input_tokens=10 * number) for number in range(1, 12)]
    )
    assert (found.seconds.median, found.seconds.p90, found.seconds.total) == (6.0, pytest.approx(10.0), 66.0)
    assert (found.input_tokens.median, found.input_tokens.total) == (60, 660)


def test_readable_decisions_are_counted_one_by_one_and_unknown_costs_stay_unknown():
    found = summarize(
        [result("a", True, decisions=3, readable=2, cost=0.5), result("b", True, decisions=1, readable=1)]
    )
    assert (found.readable.right, found.readable.of) == (3, 4)
    assert found.cost is None
    assert summarize([result("a", True, cost=0.5), result("b", True, cost=0.25)]).cost == 0.75


def test_tags_have_figures_of_their_own():
    found = by_tag([result("a", True, tags=("x", "y")), result("b", False, tags=("x",)), result("c", True)])
    assert {tag: (each.tool.right, each.cases) for tag, each in found.items()} == {"x": (1, 2), "y": (1, 1)}


def test_nothing_has_no_share():
    assert summarize([]).tool.share is None


def test_flips_are_told_by_case_with_their_difference_and_p():
    before = run_of({case: case in "ab" for case in "abcdefgh"}, model="old")
    after = run_of({case: case != "a" for case in "abcdefgh"}, model="new")
    found = compare(before, after)
    tool = next(each for each in found.differences if each.measure == "tool")
    assert (tool.gained, tool.lost) == (tuple("cdefgh"), ("a",))
    assert (tool.before, tool.after, tool.difference) == (0.25, 0.875, 0.625)
    assert tool.low < 0.625 < tool.high
    assert tool.p == pytest.approx(2 * (1 + 7) / 2**7)
    assert {each.measure for each in found.differences} == {"passed", "tool"}
    assert found.note == ""


def test_only_cases_that_both_asked_with_the_same_question_are_compared():
    before, after = run_of({"a": True, "b": True}), run_of({"a": False, "c": True}, digest="other")
    found = compare(before, after)
    assert {each.cases for each in found.differences} == {1}
    assert "1 of 3 cases" in found.note
    after[1]["a", 1] = msgspec.structs.replace(after[1]["a", 1], question="another?")
    assert compare(before, after).differences == ()


def test_with_repetitions_a_case_is_right_where_most_of_them_are():
    before = (HEAD, {("a", run): result("a", run == 1, run) for run in (1, 2, 3)})
    after = (HEAD, {("a", run): result("a", run != 1, run) for run in (1, 2, 3)})
    tool = next(each for each in compare(before, after).differences if each.measure == "tool")
    assert (tool.gained, tool.lost, tool.p) == (("a",), (), 1.0)


def test_runs_with_other_tools_to_choose_from_say_so():
    assert "3 and 4 tools" in compare(run_of({"a": True}), run_of({"a": True}, offered=4)).note
