"""Evaluation: cases over processes, and one report of all of them."""

from training.evaluate import report, split_cases

from glassloop.evals.run_file import CaseResult
from glassloop.evals.score import Mismatch


def result(case, *, right, tags=("one tool",)):
    problems = () if right else (Mismatch(part="answer", expected="12", got="13"),)
    return CaseResult(
        case=case, run=1, tags=tags, question="?", session_id="s", turn_ids=(), tool=True, arguments=None, answer=right,
        problems=problems, status="completed", decisions=2, readable=2,
    )  # fmt: skip


def test_every_case_is_asked_once_and_no_process_has_none():
    cases = ["a", "b", "c", "d", "e"]
    parts = split_cases(cases, 3)
    assert sorted(case for part in parts for case in part) == cases
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert split_cases(["a"], 4) == [["a"]]


def test_a_report_has_figures_by_tag_with_intervals_and_the_wrong_cases():
    lines = report([result("a", right=True), result("b", right=False), result("c", right=True, tags=("none",))])
    assert lines[0].startswith("all: all 2/3 (")
    assert "answer 2/3" in lines[0]
    assert lines[1].startswith("one tool: all 1/2")
    assert lines[-1] == "  b: answer"
