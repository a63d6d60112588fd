"""`glassloop code` and `glassloop undo` as a person meets them: a folder, a terminal, and a model that is played."""

import json
from pathlib import Path
from typing import Any

import pytest

from extensions.code.conftest import BROKEN
from glassloop.extensions.code.terminal.code_chat import CODE_COMMANDS
from model_server import ModelServer

FIXED = "def add(a, b):\n    return a + b\n"
EDIT = {"edit_file": {"path": "src/calc.py", "old": "a - b", "new": "a + b"}}
MODEL = ("-m", "openai:played")


def last_asked(server: ModelServer) -> str:
    """The newest question as the model was told it."""
    said = [message for message in server.requests[-1]["messages"] if message["role"] == "user"]
    return json.dumps(said[-1])


def test_an_edit_is_shown_as_a_diff_in_colour_and_can_be_taken_back(terminal: Any, project: Path, played: Any) -> None:
    server = played({"fix": [EDIT, "It adds now."], "And now": ["As before."]})
    screen = terminal("code", *MODEL)
    screen.expect("mode ask")
    screen.expect("› ")
    screen.type("fix add\r")
    card = screen.expect("Approve?")
    assert "modify src/calc.py  +1 −1" in card
    assert "2 -     return a - b" in card
    assert "2 +     return a + b" in card
    assert b"\x1b[38" in screen.raw.split(b"Your approval is needed")[1]
    assert (project / "src/calc.py").read_text() == BROKEN
    screen.type("y\r")
    screen.expect("It adds now.")
    assert (project / "src/calc.py").read_text() == FIXED
    screen.expect("› ")
    screen.type("/diff\r")
    screen.expect("+     return a + b")
    screen.type("/undo\r")
    screen.expect("goes back to what it was")
    screen.expect("Take it back?")
    screen.type("y\r")
    screen.expect("Took back 1 file.")
    assert (project / "src/calc.py").read_text() == BROKEN
    screen.expect("› ")
    screen.type("/diff\r")
    screen.expect("changed no files")
    screen.expect("› ")
    screen.type("And now?\r")
    screen.expect("As before.")
    assert "took back changes of yours" in last_asked(server)
    screen.expect("› ")
    screen.type("/quit\r")
    assert screen.leave() == 0


@pytest.mark.slow
def test_a_file_is_completed_and_goes_with_the_question(terminal: Any, project: Path, played: Any) -> None:
    server = played({"What is in": ["A function."]})
    screen = terminal("code", *MODEL)
    screen.expect("› ")
    screen.type("What is in @s\t")
    screen.expect("@src/")
    screen.type("c\t?\r")
    screen.expect("A function.")
    assert "return a - b" in last_asked(server)
    assert "@src/calc.py" in last_asked(server)
    screen.expect("› ")
    screen.type("\x04")
    assert screen.leave() == 0
    assert project.exists()


@pytest.mark.slow
def test_a_command_of_ones_own_is_run_here_and_told_with_the_next_question(
    terminal: Any,
    project: Path,
    played: Any,
) -> None:
    server = played({"Why": ["Because."]})
    screen = terminal("code", str(project), *MODEL)
    screen.expect("› ")
    screen.type("!cat src/calc.py; exit 3\r")
    screen.expect("return a - b")
    screen.expect("Exit code 3.")
    screen.expect("› ")
    screen.type("!printf 'run%s' ning; sleep 100\r")
    screen.expect("running")
    screen.type("\x03")
    screen.expect("Stopped.")
    screen.expect("› ")
    screen.type("Why?\r")
    screen.expect("Because.")
    told = last_asked(server)
    assert "$ cat src/calc.py; exit 3" in told
    assert "(exit code 3)" in told
    assert "stopped it" in told
    screen.expect("› ")
    screen.type("/context\r")
    assert "With the next question" not in screen.expect("/context NAME")
    screen.expect("› ")
    screen.type("/quit\r")
    assert screen.leave() == 0


@pytest.mark.slow
def test_a_folder_is_indexed_and_searched_by_the_session(terminal: Any, project: Path, played: Any) -> None:
    search = {"search_code": {"query": "add", "min_relevance": 0.0}}
    played({"Look": [search, "Not indexed."], "Again": [search, "There it is."]})
    screen = terminal("code", *MODEL)
    screen.expect("› ")
    screen.type("Look\r")
    screen.expect("/index")
    screen.expect("Not indexed.")
    screen.expect("› ")
    screen.type("/index\r")
    screen.expect("this session searches it")
    screen.expect("› ")
    screen.type("Again\r")
    screen.expect('"path":"src/calc.py"')
    screen.expect("There it is.")
    screen.expect("› ")
    screen.type("/quit\r")
    assert screen.leave() == 0


@pytest.mark.slow
def test_ctrl_c_stops_the_turn_and_keeps_what_was_done(terminal: Any, project: Path, played: Any) -> None:
    server = played({"go on": ["Here I am."], "fix": [EDIT, "never"]})
    screen = terminal("code", *MODEL)
    screen.expect("› ")
    server.hold = "model:2"
    screen.type("fix add\r")
    screen.expect("Approve?")
    screen.type("y\r")
    assert server.held.wait(60)
    screen.type("\x03")
    screen.expect("The turn was cancelled.")
    server.released.set()
    assert (project / "src/calc.py").read_text() == FIXED
    screen.expect("› ")
    screen.type("go on\r")
    screen.expect("Here I am.")
    assert "ended before it had an answer" in last_asked(server)
    assert "fix add" in last_asked(server)
    screen.expect("› ")
    screen.type("/quit\r")
    assert screen.leave() == 0


@pytest.mark.slow
def test_the_mode_is_the_sessions_and_reading_offers_nothing_that_writes(
    terminal: Any,
    project: Path,
    played: Any,
) -> None:
    server = played({"Look": ["Seen."]})
    screen = terminal("code", *MODEL, "--mode", "read", "--session", "s1")
    screen.expect("read › ")
    screen.type("Look\r")
    screen.expect("Seen.")
    offered = {each["function"]["name"] for each in server.requests[-1]["tools"]}
    assert "read_file" in offered
    assert offered.isdisjoint({"write_file", "edit_file", "delete_file", "run_command"})
    screen.expect("› ")
    screen.type("/mode nonsense\r")
    screen.expect("There is no mode 'nonsense'")
    screen.expect("› ")
    screen.type("/mode plan\r")
    screen.expect("The mode is plan.")
    screen.expect("plan › ")
    screen.type("\x04")
    assert screen.leave() == 0
    again = terminal("code", *MODEL, "--session", "s1")
    again.expect("plan › ")
    again.type("\x04")
    assert again.leave() == 0
    assert (project / "src/calc.py").read_text() == BROKEN


def test_one_question_ends_as_ask_does_and_undo_needs_a_yes(played: Any, here: Any, project: Path) -> None:
    played({"fix": [EDIT, "It adds now."], "Hello": ["Hello."]})
    answered = here("code", *MODEL, "-p", "Hello")
    assert (answered.code, "Hello." in answered.out) == (0, True)
    waiting = here("code", *MODEL, "-p", "fix add", "--json")
    assert waiting.code == 3
    turn = json.loads(waiting.out.splitlines()[0])["turn_id"]
    assert here("approve", turn, "--yes").code == 0
    assert (project / "src/calc.py").read_text() == FIXED
    unasked = here("undo")
    assert unasked.code == 2
    assert "--yes" in unasked.err
    assert (project / "src/calc.py").read_text() == FIXED
    (project / "src/calc.py").write_text(f"# mine\n\n\n\n{FIXED}")
    done = here("undo", "--yes", "--json")
    assert (done.code, done.json["turn_id"], done.json["files"][0]["action"]) == (0, turn, "merge")
    assert (project / "src/calc.py").read_text() == f"# mine\n\n\n\n{BROKEN}"
    back = here("undo", done.json["undo_id"], "--yes")
    assert (back.code, "Took back 1 file." in back.out) == (0, True)
    assert (project / "src/calc.py").read_text() == f"# mine\n\n\n\n{FIXED}"


def test_a_session_goes_on_in_its_own_folder(played: Any, here: Any, project: Path, tmp_path: Path) -> None:
    played({"Where": [{"read_file": {"path": "mark.txt"}}, "Found."]})
    other = tmp_path / "other"
    other.mkdir()
    (other / "mark.txt").write_text("marked")
    assert here("code", str(other), *MODEL, "-p", "Where?", "--session", "s9").code == 0
    again = here("code", *MODEL, "-p", "Where?", "--session", "s9")
    assert (again.code, "marked" in again.out) == (0, True)
    assert project.exists()


def test_mistakes_are_one_sentence(here: Any, project: Path) -> None:
    for arguments, word in (
        (("code", "nowhere"), "nowhere"),
        (("code", "--mode", "loud"), "loud"),
        (("code", "--json"), "-p"),
        (("undo",), "No turn changed files"),
        (("undo", "t1"), "t1"),
    ):
        done = here(*arguments)
        assert done.code in (1, 2)
        assert word in done.err
        assert len(done.err.strip().splitlines()) == 1
    assert project.exists()


def test_doctor_says_what_holds_commands(here: Any) -> None:
    off = here("code", "--doctor", "--json", GLASSLOOP_CODE_SANDBOX="off")
    assert (off.code, off.json["in_force"]) == (0, "off")
    said = here("code", "--doctor", GLASSLOOP_CODE_SANDBOX="off")
    assert "GLASSLOOP_CODE_SANDBOX is off" in said.out


def test_every_command_of_the_chat_is_documented() -> None:
    docs = (Path(__file__).parents[3] / "docs" / "code.md").read_text("utf-8")
    for line in CODE_COMMANDS.splitlines():
        assert f"| `{line.split(':')[0]}` |" in docs, line
