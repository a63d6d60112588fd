"""`glassloop ask`: answers, the event stream, exit codes."""

import re
import signal
import subprocess
import sys
from typing import Any

import pytest

from glassloop.core import events as e
from glassloop.core.events import decode


def test_ask_shows_the_trace_as_plain_text_where_there_is_no_terminal(here: Any) -> None:
    done = here("ask", "--model", "reflex", "What is 18% of 2,450?")
    shown = done.out
    assert done.code == 0, done.err
    assert "calculate(expression=" in shown
    assert "441" in shown
    assert "1 tool · 2 steps · " in shown
    assert "\x1b" not in shown
    assert not any(line.endswith(" ") for line in shown.splitlines())


def test_ask_json_prints_the_events_and_nothing_else(glassloop: Any) -> None:
    done = glassloop("ask", "-m", "reflex", "--json", "Convert 26.2 miles to kilometers")
    events = [decode(line) for line in done.stdout.splitlines()]
    durable = [event for event in events if type(event) not in e.TRANSIENT]
    assert done.returncode == 0
    assert done.stderr == b""
    assert [event.seq for event in durable] == list(range(1, len(durable) + 1))
    assert [type(event) for event in events].count(e.TurnFinished) == 1
    assert isinstance(durable[-1], e.TurnFinished)
    assert any(isinstance(event, e.AnswerGiven) and "42.16" in event.text for event in events)


def test_the_question_can_be_piped_in(here: Any) -> None:
    done = here("ask", "-m", "reflex", "-", stdin="What is 18% of 2,450?\n")
    assert done.code == 0
    assert "441" in done.out


def test_a_piped_question_has_a_bound(here: Any) -> None:
    done = here("ask", "-m", "reflex", stdin="x" * 200_001)
    assert done.code == 2
    assert "200,000 bytes" in done.err


def test_bytes_that_are_no_text_are_asked_all_the_same(glassloop: Any) -> None:
    done = glassloop("ask", "-m", "reflex", "--json", stdin=b"What is 2+2 \xff\xfe?")
    assert done.returncode == 0
    assert isinstance(decode(done.stdout.splitlines()[0]), e.TurnStarted)


def test_the_session_named_is_the_session_of_the_turn(here: Any) -> None:
    done = here("ask", "-m", "reflex", "--session", "s-1", "--json", "/help")
    started = decode(done.out.splitlines()[0])
    assert isinstance(started, e.TurnStarted)
    assert started.session_id == "s-1"
    assert "There is no conversation 's-1' yet, so this starts it" in done.err
    assert here("ask", "-m", "reflex", "--session", "s-1", "--json", "/help").err == ""


def test_what_tools_print_does_not_get_between_the_events(glassloop: Any, helper: str) -> None:
    done = glassloop("ask", "-a", helper, "-m", "reflex", "--json", "/tool shout")
    assert [decode(line) for line in done.stdout.splitlines()]
    assert b"printed by a tool" in done.stderr


def test_what_tools_return_cannot_steer_the_terminal(here: Any, helper: str) -> None:
    done = here("ask", "-a", helper, "-m", "reflex", "/tool shout")
    shown = done.out
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "[bold]not bold[/bold]" in shown


def test_ctrl_c_ends_the_turn_properly_and_the_command_with_130(start: Any, helper: str) -> None:
    process = start("ask", "-a", helper, "-m", "reflex", "--json", "/tool hang")
    lines = []
    for line in process.stdout:
        lines.append(line)
        if isinstance(decode(line), e.ToolCalled):
            process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    events = [decode(line) for line in lines]
    assert isinstance(events[-1], e.TurnFinished)
    assert events[-1].status == "cancelled"
    assert sum(isinstance(event, e.TurnFinished) for event in events) == 1
    assert b"Traceback" not in process.stderr.read()


def test_a_turn_that_needs_approval_where_nobody_can_be_asked_ends_with_3(here: Any, helper: str, folder: Any) -> None:
    done = here("ask", "-a", helper, "-m", "reflex", "--json", '/tool write_file {"name": "a.txt", "text": "hi"}')
    assert done.code == 3
    assert "--yes" in done.err
    assert isinstance(decode(done.out.splitlines()[-1]), e.TurnWaiting)
    assert not (folder / "a.txt").exists()


def test_what_waits_is_shown_also_where_nobody_can_be_asked(here: Any, helper: str) -> None:
    done = here("ask", "-a", helper, "-m", "reflex", '/tool write_file {"name": "a.txt", "text": "hi"}')
    assert done.code == 3
    for part in ("Your approval is needed", 'name: "a.txt"', "+hi", "Bound to exactly this"):
        assert part in done.out


def test_yes_approves_and_says_so(here: Any, helper: str, folder: Any) -> None:
    done = here("ask", "-a", helper, "-m", "reflex", "--yes", '/tool write_file {"name": "a.txt", "text": "hi"}')
    assert done.code == 0, done.err
    assert "Approved by --yes." in done.out
    assert "+hi" in done.out
    assert (folder / "a.txt").read_text() == "hi"


def test_a_failed_turn_ends_with_1_and_its_reason_on_standard_error(here: Any, rejecting: Any) -> None:
    done = here("ask", "-m", "openai:none", "--json", "Who are you?", **rejecting)
    assert done.code == 1
    finished = decode(done.out.splitlines()[-1])
    assert isinstance(finished, e.TurnFinished)
    assert finished.status == "failed"
    assert done.err.strip() == finished.error
    assert "Traceback" not in done.err


def test_a_failure_is_told_once_where_both_streams_are_one(
    environment: dict[str, str], folder: Any, rejecting: Any
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "glassloop", "ask", "-m", "openai:none", "Who are you?"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        cwd=folder,
        env={**environment, **rejecting},
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert done.stdout.decode().count("did not accept the key") == 1, done.stdout.decode()


def test_a_reader_that_leaves_is_no_reason_for_a_stack_trace(start: Any) -> None:
    process = start("ask", "-m", "reflex", "--json", "What is 18% of 2,450?")
    process.stdout.close()
    assert process.wait(60) != 0
    assert b"Traceback" not in process.stderr.read()


@pytest.mark.slow
def test_characters_the_terminal_does_not_have_are_spelt_in_ascii(glassloop: Any) -> None:
    done = glassloop("ask", "-m", "reflex", "What is 18% of 2,450? · 披锋", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode("ascii")
    assert shown.startswith("> What is 18% of 2,450? - ??")
    assert "1 step - " in shown


@pytest.mark.slow
def test_without_colour_the_trace_has_none(terminal: Any) -> None:
    screen = terminal("ask", "-m", "reflex", "What is 18% of 2,450?", NO_COLOR="1")
    assert screen.leave() == 0
    assert b"\x1b[38" not in screen.raw
    assert "441" in screen.text


@pytest.mark.slow
def test_colours_forced_into_a_pipe_bring_no_movement(glassloop: Any) -> None:
    done = glassloop("ask", "-m", "reflex", "What is 18% of 2,450?", FORCE_COLOR="1")
    assert done.returncode == 0
    assert b"\x1b[3" in done.stdout
    assert not re.search(rb"\x1b\[[0-9;?]*[A-LN-Za-ln-z]", done.stdout)


def test_in_a_terminal_the_trace_is_whole_when_it_is_over(terminal: Any) -> None:
    screen = terminal("ask", "-m", "reflex", "What is 18% of 2,450?")
    assert screen.leave() == 0
    assert b"\x1b[38" in screen.raw
    assert screen.raw.rfind(b"\x1b[?25h") > screen.raw.rfind(b"\x1b[?25l"), "the cursor is shown again"
    last = screen.text[screen.text.rindex("› What is 18% of 2,450?") :]
    for part in ("think", "act", "observe", "answer", "441", "1 tool · 2 steps"):
        assert part in last
