"""`glassloop chat` as a person meets it, in a terminal of its own; and with its questions piped in."""

import json
from pathlib import Path
from typing import Any


def test_the_greeting_says_who_answers_and_that_no_language_model_is_configured(terminal: Any) -> None:
    screen = terminal("chat")
    screen.expect("Download it now?")
    screen.type("n\r")
    greeting = screen.expect("Ctrl-D exits.")
    assert "general · reflex" in greeting
    assert "No language model is configured" in greeting
    assert "ANTHROPIC_API_KEY" in greeting
    assert "What is 18% of 2,450?" in greeting
    screen.expect("› ")
    screen.type("\x04")
    assert screen.leave() == 0


def test_ctrl_c_stops_the_turn_and_not_the_chat(terminal: Any, helper: str) -> None:
    screen = terminal("chat", "-a", helper, "-m", "reflex")
    screen.expect("› ")
    screen.type("/tool hang\r")
    screen.expect("running hang")
    screen.type("\x03")
    screen.expect("The turn was cancelled.")
    screen.expect("› ")
    screen.type("/tools\r")
    screen.expect("hang()")
    screen.expect("› ")
    screen.interrupt_prompt()
    screen.expect("Press Ctrl-C again")
    screen.expect("› ")
    screen.interrupt_prompt()
    assert screen.leave() == 0


def test_an_approval_is_shown_whole_and_asked_for(terminal: Any, helper: str, folder: Path) -> None:
    screen = terminal("chat", "-a", helper, "-m", "reflex")
    screen.expect("› ")
    screen.type('/tool write_file {"name": "a.txt", "text": "one"}\r')
    card = screen.expect("Approve?")
    for part in ("Your approval is needed", "write_file", 'name: "a.txt"', 'text: "one"', "+++ a.txt", "+one"):
        assert part in card
    assert not (folder / "a.txt").exists()
    screen.type("perhaps\r")
    screen.expect("Please answer y, s, n or e.")
    screen.type("y\r")
    screen.expect("wrote a.txt")
    screen.expect("› ")
    screen.type("/quit\r")
    assert screen.leave() == 0
    assert (folder / "a.txt").read_text() == "one"


def test_what_was_allowed_for_the_session_is_not_asked_again_in_it(terminal: Any, helper: str, folder: Path) -> None:
    screen = terminal("chat", "-a", helper, "-m", "reflex")
    screen.expect("› ")
    screen.type('/tool write_file {"name": "a.txt", "text": "one"}\r')
    screen.expect("for the rest of this session")
    screen.type("n\r")
    screen.expect("Reason (passed to the model")
    screen.type("\r")
    screen.expect("› ")
    screen.type("y\r")
    screen.expect("Nothing is waiting for your approval any more")
    screen.type('/tool write_file {"name": "b.txt", "text": "two"}\r')
    screen.expect("Approve?")
    screen.type("s\r")
    screen.expect("wrote b.txt")
    screen.type('/tool write_file {"name": "c.txt", "text": "three"}\r')
    assert "Approve?" not in screen.expect("wrote c.txt")
    screen.type("/quit\r")
    assert screen.leave() == 0
    assert [name.name for name in sorted(folder.glob("*.txt"))] == ["b.txt", "c.txt"]


def test_a_refusal_is_told_with_its_reason_and_nothing_is_done(terminal: Any, helper: str, folder: Path) -> None:
    screen = terminal("ask", "-a", helper, "-m", "reflex", '/tool write_file {"name": "a.txt", "text": "one"}')
    screen.expect("Approve?")
    screen.type("n not today\r")
    screen.expect("refused this call: not today")
    assert screen.leave() == 4
    assert not (folder / "a.txt").exists()


def test_arguments_can_be_edited_before_they_are_approved(terminal: Any, helper: str, folder: Path) -> None:
    screen = terminal("ask", "-a", helper, "-m", "reflex", '/tool write_file {"name": "a.txt", "text": "one"}')
    screen.expect("Approve?")
    screen.type("e\r")
    screen.expect("Arguments as JSON")
    screen.type("\x15nonsense\r")
    screen.expect("not a JSON object")
    screen.expect("Approve?")
    screen.type("e\r")
    screen.expect("Arguments as JSON")
    screen.type('\x15{"name": 5}\r')
    screen.expect("Approve?")
    screen.type("e\r")
    screen.expect("Arguments as JSON")
    screen.type('\x15{"name": "b.txt", "text": "two"}\r')
    screen.expect("+two")
    screen.expect("Approve?")
    screen.type("y\r")
    screen.expect("wrote b.txt")
    assert screen.leave() == 0
    assert (folder / "b.txt").read_text() == "two"
    assert not (folder / "a.txt").exists()


def test_ctrl_c_at_an_approval_cancels_the_turn(terminal: Any, helper: str, folder: Path) -> None:
    screen = terminal("ask", "-a", helper, "-m", "reflex", '/tool write_file {"name": "a.txt", "text": "one"}')
    screen.expect("Approve?")
    screen.interrupt_prompt()
    screen.expect("The turn was cancelled.")
    assert screen.leave() == 130
    assert not (folder / "a.txt").exists()


def test_model_assistant_and_conversation_can_be_changed(terminal: Any, helper: str) -> None:
    screen = terminal("chat", "-m", "reflex")
    screen.expect("› ")
    screen.type("What is 18% of 2,450?\r")
    screen.expect("1 tool · 2 steps")
    screen.expect("› ")
    screen.type("/model nonesuch:x\r")
    screen.expect("There is no provider 'nonesuch'")
    screen.type("/model reflex\r")
    screen.expect("reflex answers from now on.")
    screen.type("/history\r")
    screen.expect("441")
    screen.type("/new\r")
    screen.expect("Started a new conversation.")
    screen.type("/history\r")
    screen.expect("The conversation is empty.")
    screen.type(f"/assistant {helper}\r")
    screen.expect(f"{helper} · reflex")
    screen.type("/help\r")
    screen.expect("/tools: the tools")
    screen.expect("Chat commands:")
    screen.expect("/quit: exit")
    screen.type("/quit\r")
    assert screen.leave() == 0


def test_piped_questions_are_answered_line_by_line_in_one_session(glassloop: Any) -> None:
    done = glassloop("chat", "-m", "reflex", stdin="What is 18% of 2,450?\n\n/history\n/quit\nnever asked\n")
    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert shown.count("441") >= 2
    assert "> What is 18% of 2,450?" in shown
    assert "never asked" not in shown


def test_a_piped_chat_refuses_what_nobody_can_approve_and_goes_on(glassloop: Any, helper: str, folder: Path) -> None:
    asked = '/tool write_file {"name": "a.txt", "text": "one"}\n/tool shout\n'
    done = glassloop("chat", "-a", helper, "-m", "reflex", stdin=asked)
    shown = done.stdout.decode()
    assert done.returncode == 0, done.stderr
    assert "No one could be asked" in shown
    assert "[bold]not bold[/bold]" in shown
    assert not (folder / "a.txt").exists()


def test_the_lines_of_a_chat_are_kept_for_its_owner_only(terminal: Any, tmp_path: Path) -> None:
    screen = terminal("chat", "-m", "reflex")
    screen.expect("› ")
    screen.type("/quit\r")
    assert screen.leave() == 0
    kept = tmp_path / "home" / "chat_history"
    assert "/quit" in kept.read_text()
    assert kept.stat().st_mode & 0o077 == 0


def test_the_last_question_is_answered_again_or_edited_and_only_the_last_version_shown(glassloop: Any) -> None:
    lines = "/edit 1+1\nWhat is 18% of 2,450?\n/regenerate\n/edit What is 10% of 70?\n/continue\n"
    done = glassloop("chat", "-m", "reflex", stdin=lines)
    shown = done.stdout.decode()
    assert done.returncode == 0
    assert "There is nothing to edit yet" in shown
    assert "was not stopped" in shown
    listed = json.loads(glassloop("sessions", "list", "--json").stdout)
    session = glassloop("sessions", "show", listed[0]["id"]).stdout.decode()
    assert "What is 10% of 70?" in session
    assert "2,450" not in session.split("\n", 1)[1]
