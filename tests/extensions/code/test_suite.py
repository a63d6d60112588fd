"""The suite `code`: its kinds of questions, that each can be answered with the tools, and that copies are changed."""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from extensions.code.suite_replies import REPLIES
from glassloop.evals.suite_files import find_suite
from glassloop.evals.workspace_copy import workspace_files
from glassloop.runtime.settings import Settings

SUITE = find_suite("code", Settings(home="nowhere"))
PROJECT = Path(SUITE.file).parent / SUITE.workspace
MODEL = ("-m", "openai:played")
COMPUTED = ("count-clamp", "litres-of-a-bed")
"""Their figures follow from what is read and stand nowhere."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: Any) -> Path:
    """The folder that copies are made in."""
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    return tmp_path / "copies"


def contents() -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in workspace_files(PROJECT)}


def wrong(done: Any) -> dict[str, list[str]]:
    assert done.code == 0, done.err
    return {each["case"]: [problem["expected"] for problem in each["problems"]] for each in done.json["wrong"]}


def observations(request: Any) -> str:
    return "\n".join(str(message["content"]) for message in request["messages"] if message["role"] == "tool")


def test_there_are_as_many_questions_of_each_kind_as_promised() -> None:
    assert Counter(case.tags[0] for case in SUITE.cases) == {
        "find": 5,
        "value": 6,
        "explain": 4,
        "tests": 2,
        "edit": 4,
        "no tool": 2,
        "missing": 1,
    }
    assert Counter(case.tags[-1] for case in SUITE.cases) == {"English": 21, "German": 3}
    assert {case.id for case in SUITE.cases} == set(REPLIES)
    assert 150 <= sum(text.count(b"\n") for text in contents().values()) <= 350


def test_every_question_can_be_answered_with_the_tools_and_leaves_the_project_as_it_is(
    played: Any, here: Any, temporary: Path
) -> None:
    before = contents()
    server = played({case.asked[-1]: REPLIES[case.id] for case in SUITE.cases})
    assert wrong(here("eval", "code", *MODEL, "--concurrency", "4", "--json")) == {}
    assert contents() == before
    assert list(temporary.iterdir()) == []
    for case in SUITE.cases:
        asked = [each for each in server.requests if case.asked[-1] in json.dumps(each, ensure_ascii=False)]
        seen = observations(asked[-1])
        assert "Error" not in seen, (case.id, seen)
        if case.answer is not None and case.tags[0] not in ("no tool", "missing", "tests"):
            assert all(word.casefold() in seen.casefold() for word in case.answer.all), case.id
            found = any(word in seen for word in case.answer.any) or not case.answer.any
            assert found or case.id in COMPUTED, case.id


def test_who_only_says_that_it_was_changed_and_who_does_not_look_is_wrong(played: Any, here: Any) -> None:
    said = {case.asked[-1]: ["Done: there is no mistake left."] for case in SUITE.cases}
    played(said)
    found = wrong(here("eval", "code", *MODEL, "--json"))
    assert set(found) == {case.id for case in SUITE.cases}
    assert "in greenhouse/moisture.py: not the word 'len(readings) + 1'" in found["fix-average"]


def test_no_command_is_run_even_where_no_sandbox_holds_it(played: Any, here: Any, folder: Path) -> None:
    mark = folder / "mark"
    command = {"run_command": {"command": f"touch {mark}"}}
    outside = {"write_file": {"path": str(mark), "content": "x"}}
    server = played({"average_moisture": [command, outside, *REPLIES["fix-average"]]})
    done = here("eval", "code", *MODEL, "--cases", "fix-average", "--json", GLASSLOOP_CODE_SANDBOX="off")
    assert wrong(done) == {}
    assert not mark.exists()
    assert "run_command is not approved" in observations(server.requests[-1])
    assert "outside the workspace" in observations(server.requests[-1])
