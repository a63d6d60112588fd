"""The memory of a session as text, and without what it forgets."""

from glassloop.cli.ui.trace_rows import RemarkRow
from glassloop.core.events import TurnStarted
from glassloop.extensions.code.chat.memory import ConversationMemory, RememberedTurn, TouchedFile
from glassloop.extensions.code.project.project_info import ProjectInfo


def test_the_context_has_its_headings_and_clear_forgets_turns_files_and_project():
    turns = tuple(RememberedTurn(query=f"q{number}", response="a", tools_used=(), timestamp=0.0) for number in range(7))
    memory = ConversationMemory(
        session_id="s",
        workspace="code/shop",
        context_name="main",
        turns=turns,
        files=(TouchedFile(path="a.py", content="x = 1"),),
        project=ProjectInfo(type="python", name="shop", dependencies=[f"d{number}" for number in range(12)]),
    )
    text = memory.get_context_for_prompt()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Workspace", "## Project", "## Recent conversation", "## Recently accessed files"]
    assert ("User: q1\n" in text, "User: q2\n" in text) == (False, True)
    assert ("d9" in text, "d10" in text) == (True, False)
    assert "a.py" not in memory.get_context_for_prompt(include_file_context=False)
    cleared = memory.clear()
    assert (cleared.turns, cleared.files, cleared.project) == ((), (), None)
    assert (cleared.workspace, cleared.context_name) == ("code/shop", "main")
    assert cleared.get_context_for_prompt() == "## Workspace\ncode/shop"


def _started(settings):
    who = {"user": "ann", "session_id": "s", "assistant": "code", "model": "scripted", "protocol": "native"}
    return TurnStarted(turn_id="t", seq=1, at=0.0, question="Hi", settings=settings, **who)


def test_notices_of_a_turn_are_rows_of_its_trace():
    notices = [{"kind": "info", "text": "first\nsecond"}, {"kind": "error", "text": "no index"}]
    rows = RemarkRow.of_notices(_started({"notices": notices}))
    assert [(row.text, row.style, row.whole) for row in rows] == [
        ("first\nsecond", "soft", True),
        ("no index", "trouble", True),
    ]
    assert RemarkRow.of_notices(_started({})) == []
