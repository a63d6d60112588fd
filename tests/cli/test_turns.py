"""Turns that outlive their process: decided, stopped, taken up, watched and replayed from another one."""

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from cli.porter import open_door
from glassloop.core import events as e
from glassloop.core.events import decode

WAIT_S = 120.0
SUM = "What is 18% of 2,450?"
NOTE = '/tool note {"text": "hi"}'


@pytest.fixture
def door(start: Callable[..., Any], porter: str) -> tuple[Any, str]:
    """A process whose turn waits at the door, and the turn's id."""
    process = start("ask", "-a", porter, "-m", "reflex", "--session", "s-1", "--json", "/tool wait_at_door")
    for line in process.stdout:
        event = decode(line)
        if isinstance(event, e.ToolCalled):
            return process, event.turn_id
    raise AssertionError(process.stderr.read())


@pytest.fixture
def waiting(here: Any, porter: str) -> str:
    """A turn that waits for an approval."""
    done = here("ask", "-a", porter, "-m", "reflex", "--session", "s-1", "--json", NOTE)
    assert done.code == 3, done.err
    return decode(done.out.splitlines()[-1]).turn_id


@pytest.fixture
def answered(here: Any) -> str:
    """A turn that is over."""
    done = here("ask", "-m", "reflex", "--session", "s-1", "--json", SUM)
    assert done.code == 0, done.err
    return decode(done.out.splitlines()[-1]).turn_id


def durable(lines: Any) -> list[e.AnyEvent]:
    events = [decode(line) for line in lines]
    return [event for event in events if type(event) not in e.TRANSIENT]


def status(here: Any, turn_id: str) -> str:
    """How the turn stands, as the log has it."""
    events = durable(here("watch", turn_id, "--json").out.splitlines())
    return {e.TurnFinished: lambda last: last.status, e.TurnWaiting: lambda _: "paused"}[type(events[-1])](events[-1])


def test_a_turn_whose_process_was_killed_goes_on_in_another(
    door: Any, start: Any, glassloop: Any, folder: Path, here: Any
) -> None:
    process, turn_id = door
    process.kill()
    process.wait(WAIT_S)
    open_door(folder)
    done = glassloop("resume", turn_id)
    assert done.returncode == 0, done.stderr
    assert "the door is open" in done.stdout.decode()
    events = durable(here("watch", turn_id, "--json").out.splitlines())
    assert sum(isinstance(event, e.TurnClaimed) for event in events) == 1
    assert events[-1].status == "completed"
    refused(here("resume", turn_id), turn_id, "completed")


def test_without_an_id_every_turn_that_nobody_runs_is_taken_up_and_no_other(
    door: Any, start: Any, here: Any, porter: str, folder: Path
) -> None:
    process, lost = door
    process.kill()
    process.wait(WAIT_S)
    other = start("ask", "-a", porter, "-m", "reflex", "--json", "/tool wait_at_door")
    kept = next(event.turn_id for event in map(decode, other.stdout) if isinstance(event, e.ToolCalled))
    refused(here("resume", kept), kept, "glassloop watch")
    open_door(folder)
    done = here("resume")
    assert done.code == 0, done.err
    assert lost in done.out
    assert kept not in done.out
    assert other.wait(WAIT_S) == 0
    assert here("resume").out == "There are no interrupted turns.\n"


def test_a_turn_whose_assistant_is_gone_is_told_and_does_not_keep_others_waiting(
    door: Any, here: Any, folder: Path, porter: str
) -> None:
    process, turn_id = door
    process.kill()
    process.wait(WAIT_S)
    (folder / porter).rename(folder.parent / "elsewhere")
    refused(here("resume", turn_id), "porter")
    done = here("resume")
    assert done.code == 1
    assert turn_id in done.err
    assert "porter" in done.err


@pytest.mark.slow
def test_a_watcher_in_another_process_sees_every_event_once(door: Any, start: Any, folder: Path) -> None:
    process, turn_id = door
    watcher, later = start("watch", turn_id, "--json"), start("watch", turn_id, "--json", "--after", "2")
    first = watcher.stdout.readline()
    open_door(folder)
    assert process.wait(WAIT_S) == 0
    seen, after = durable([first, *watcher.stdout]), durable(later.stdout)
    assert [event.seq for event in seen] == list(range(1, len(seen) + 1))
    assert isinstance(seen[-1], e.TurnFinished)
    assert after == seen[2:]
    assert watcher.wait(WAIT_S) == later.wait(WAIT_S) == 0


@pytest.mark.slow
def test_a_watcher_that_leaves_does_not_stop_the_turn(door: Any, start: Any, folder: Path) -> None:
    process, turn_id = door
    watcher = start("watch", turn_id, "--json")
    assert watcher.stdout.readline()
    watcher.send_signal(signal.SIGINT)
    assert watcher.wait(WAIT_S) == 130
    assert b"Traceback" not in watcher.stderr.read()
    open_door(folder)
    assert process.wait(WAIT_S) == 0


def test_what_is_over_can_be_watched_again(here: Any, answered: str) -> None:
    done = here("watch", answered)
    assert done.code == 0
    assert SUM in done.out
    assert "441" in done.out
    assert durable(here("watch", answered, "--json", "--after", "1000").out.splitlines()) == []


@pytest.mark.slow
def test_a_watcher_is_told_when_nobody_runs_the_turn_any_more(door: Any, glassloop: Any) -> None:
    process, turn_id = door
    process.kill()
    process.wait(WAIT_S)
    done = glassloop("watch", turn_id)
    assert done.returncode == 1
    assert f"glassloop resume {turn_id}" in done.stderr.decode()


def test_a_turn_is_cancelled_from_another_process(door: Any, here: Any) -> None:
    process, turn_id = door
    done = here("cancel", turn_id)
    assert (done.code, done.out) == (0, f"Turn {turn_id} is cancelled.\n"), done.err
    assert process.wait(WAIT_S) == 130
    refused(here("cancel", turn_id), "cancelled already")


def test_a_turn_that_waits_can_be_cancelled(here: Any, waiting: str, folder: Path) -> None:
    assert here("cancel", waiting).code == 0
    assert status(here, waiting) == "cancelled"
    assert not (folder / "notes.txt").exists()


def test_an_approval_from_another_process_runs_the_call_exactly_once(
    glassloop: Any, here: Any, waiting: str, folder: Path
) -> None:
    done = glassloop("approve", waiting, "--yes")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode()
    assert shown.index("Your approval is needed") < shown.index("Approved by --yes.") < shown.index("wrote hi")
    assert (folder / "notes.txt").read_text() == "hi\n"
    refused(here("approve", waiting, "--yes"), "completed", "nothing to decide")
    assert (folder / "notes.txt").read_text() == "hi\n"


@pytest.mark.slow
def test_of_two_who_approve_at_once_one_wins(start: Any, here: Any, waiting: str, folder: Path) -> None:
    both = [start("approve", waiting, "--yes") for _ in range(2)]
    codes = [process.wait(WAIT_S) for process in both]
    assert 0 in codes
    assert all(b"Traceback" not in process.stderr.read() for process in both)
    assert (folder / "notes.txt").read_text() == "hi\n"
    assert status(here, waiting) == "completed"


def test_a_refusal_is_told_with_its_reason_and_nothing_is_done(here: Any, waiting: str, folder: Path) -> None:
    done = here("approve", waiting, "--no", "--reason", "not that line")
    assert done.code == 0, done.err
    assert "Refused by --no." in done.out
    events = durable(here("watch", waiting, "--json").out.splitlines())
    decided = next(event for event in events if isinstance(event, e.ApprovalDecided))
    assert (decided.approved, decided.reason) == (False, "not that line")
    assert not (folder / "notes.txt").exists()


def test_what_a_person_refused_is_not_called_a_failure_and_ends_with_4(terminal: Any, waiting: str, here: Any) -> None:
    screen = terminal("approve", waiting)
    screen.expect("Approve?")
    screen.type("n not that line\n")
    assert screen.leave() == 4
    assert "refused The person refused this call: not that line" in " ".join(screen.text.split())
    assert "Not done. The person refused this call" in " ".join(screen.text.split())
    assert "Failed" not in screen.text
    assert here("watch", waiting).code == 4


def test_programs_get_events_of_what_they_approve_and_resume_and_the_end_of_what_they_cancel(
    here: Any, waiting: str, porter: str
) -> None:
    done = here("approve", waiting, "--yes", "--json")
    assert done.code == 0, done.err
    assert isinstance(durable(done.out.splitlines())[-1], e.TurnFinished)
    assert "Approved by --yes." in done.err
    assert here("resume", "--json").out == ""
    other = here("ask", "-a", porter, "-m", "reflex", "--json", NOTE)
    turn = decode(other.out.splitlines()[-1]).turn_id
    assert here("cancel", turn, "--json").json == {"turn_id": turn, "status": "cancelled"}


def test_a_tool_can_be_allowed_for_the_session_from_outside(here: Any, waiting: str, porter: str, folder: Path) -> None:
    refused(here("approve", waiting, "--for-session", "--no"), "--for-session", "--no")
    done = here("approve", waiting, "--for-session")
    assert done.code == 0, done.err
    assert "Approved by --for-session." in done.out
    again = here("ask", "-a", porter, "-m", "reflex", "--session", "s-1", NOTE)
    assert again.code == 0, again.err
    assert "allowed for this session" in again.out
    other = here("ask", "-a", porter, "-m", "reflex", "--session", "s-2", NOTE)
    assert other.code == 3
    assert "note  by anonymous · until 20" in here("sessions", "grants", "s-1").out
    assert here("sessions", "grants", "s-1", "--revoke", "note", "--json").json == []
    refused(here("sessions", "grants", "s-1", "--revoke", "note"), "'note'")
    assert here("ask", "-a", porter, "-m", "reflex", "--session", "s-1", NOTE).code == 3
    assert (folder / "notes.txt").read_text() == "hi\nhi\n"


def test_the_last_turn_needs_no_id_and_an_unknown_one_is_told_with_the_remedy(here: Any, answered: str) -> None:
    assert here("sources", "last", "--json").out == here("sources", answered, "--json").out
    assert here("watch", "last", "--json").out == here("watch", answered, "--json").out
    assert "No difference" in here("replay", "last").out
    for command in ("watch", "replay", "approve", "cancel", "resume", "sources"):
        refused(here(command, "nonesuch"), "There is no turn 'nonesuch'", "glassloop sessions list")


def test_every_figure_of_an_answer_is_told_with_its_place(here: Any, answered: str, waiting: str) -> None:
    figures = here("sources", answered, "--json").json
    result = next(figure for figure in figures if figure["text"] == "441")
    assert (result["step"], result["tool"], result["path"]) == (1, "calculate", "result")
    shown = here("sources", answered).out
    assert "441  step 1 · calculate · result = 441" in shown
    assert shown.endswith("1 figure sourced, 2 from the question\n")
    refused(here("sources", "nonesuch"), "'nonesuch'")
    refused(here("sources", waiting), waiting, "no answer")


def test_nobody_is_asked_to_approve_what_cannot_work_and_a_replay_agrees(here: Any) -> None:
    done = here("ask", "-m", "reflex", "--json", '/tool forget {"note_id": 7}')
    events = durable(done.out.splitlines())
    assert not any(isinstance(event, e.ApprovalRequested) for event in events)
    returned = next(event for event in events if isinstance(event, e.ToolReturned))
    assert returned.result.error == "There is no note 7: use recall to see the notes and their ids."
    assert here("replay", events[0].turn_id).code == 0


def test_where_nobody_can_be_asked_the_turn_still_waits(here: Any, waiting: str) -> None:
    done = here("approve", waiting)
    assert done.code == 3
    for part in ("Your approval is needed", "note", 'text: "hi"', "Bound to exactly this"):
        assert done.out.count(part), "what is decided is shown to whoever reads the log"
    assert f"glassloop approve {waiting}" in done.err
    assert status(here, waiting) == "paused"
    assert here("watch", waiting).code == 3
    refused(here("resume", waiting), waiting, "approve")


def test_on_a_terminal_the_person_sees_what_led_here_and_decides(
    terminal: Any, here: Any, waiting: str, folder: Path
) -> None:
    screen = terminal("approve", waiting)
    screen.expect("Approve?")
    assert NOTE in screen.text
    assert "Your approval is needed" in screen.text
    screen.type("y\r")
    screen.expect("wrote hi")
    assert screen.leave() == 0
    assert f"turn {waiting} · session s-1" in screen.text
    assert (folder / "notes.txt").read_text() == "hi\n"


def test_ctrl_c_instead_of_a_decision_leaves_the_turn_as_it_is(terminal: Any, here: Any, waiting: str) -> None:
    screen = terminal("approve", waiting)
    screen.expect("Approve?")
    screen.interrupt_prompt()
    assert screen.leave() == 130
    assert status(here, waiting) == "paused"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["approve", "nonesuch"], ["There is no turn 'nonesuch'"]),
        (["cancel", "nonesuch"], ["There is no turn 'nonesuch'"]),
        (["resume", "nonesuch"], ["There is no turn 'nonesuch'"]),
        (["watch", "nonesuch"], ["There is no turn 'nonesuch'"]),
        (["replay", "nonesuch"], ["There is no turn 'nonesuch'"]),
        (["replay", "nonesuch", "--from", "1"], ["There is no turn 'nonesuch'"]),
        (["replay", "nonesuch", "--edit", "a=b"], ["--from STEP"]),
        (["replay", "nonesuch", "--from", "0"], ["--from", "--help"]),
        (["replay", "nonesuch", "--from", "1", "--edit", "nothing"], ["'nothing'", "question=TEXT"]),
        (["replay", "x", "--from", "1", "--edit", "a=b", "--edit", "a=c"], ["'a'", "twice"]),
        (["approve", "nonesuch", "--yes", "--no"], ["--yes", "--no"]),
        (["approve", "nonesuch", "--reason", "why"], ["'why'", "--no"]),
        (["watch", "nonesuch", "--after", "-1"], ["--after", "--help"]),
    ],
)
def test_a_slip_is_told_with_its_remedy(here: Any, arguments: list[str], words: list[str]) -> None:
    refused(here(*arguments), *words)


def test_a_turn_replays_without_a_difference(here: Any, answered: str) -> None:
    done = here("replay", answered)
    assert done.code == 0, done
    assert done.out.startswith("No difference in ")
    report = here("replay", answered, "--json").json
    assert report["turn_id"] == answered
    assert report["differences"] == []
    assert f"No difference in {report['compared']} events." in done.out


def test_a_log_that_was_altered_is_told_by_its_replay(here: Any, answered: str, folder: Path) -> None:
    lines = here("sessions", "export", "s-1").out.splitlines()
    altered = [line.replace("441", "442") if '"answer_given"' in line else line for line in lines]
    assert altered != lines
    (folder / "altered.jsonl").write_text("\n".join(altered), "utf-8")
    assert here("sessions", "delete", "s-1", "--yes").code == 0
    assert here("sessions", "import", "altered.jsonl").code == 0
    done = here("replay", answered)
    assert done.code == 1
    for part in ("answer_given  text", "recorded: ", "442", "now: ", "441", "1 difference in "):
        assert part in done.out
    assert here("replay", answered, "--json").code == 1


def test_going_on_from_a_step_is_a_new_turn_in_a_session_of_its_own(here: Any, answered: str) -> None:
    done = here("replay", answered, "--from", "1", "--edit", "question=What is 10% of 2,450?", "--json")
    assert done.code == 0, done.err
    events = durable(done.out.splitlines())
    started = events[0]
    assert isinstance(started, e.TurnStarted)
    assert started.question == "What is 10% of 2,450?"
    assert started.forked_from.startswith(f"{answered}:")
    assert started.session_id != "s-1"
    assert any(isinstance(event, e.AnswerGiven) and "245" in event.text for event in events)
    assert len(here("sessions", "list", "--json").json) == 2
    refused(here("replay", answered, "--from", "9"), "no step 9")


def test_ask_ends_with_what_leads_back_to_the_turn(terminal: Any, here: Any) -> None:
    screen = terminal("ask", "-m", "reflex", SUM)
    assert screen.leave() == 0
    last = screen.text.rstrip().splitlines()[-1]
    turn, _, session = last.partition(" · ")
    assert here("replay", turn.removeprefix("turn ").strip()).code == 0
    assert here("sessions", "show", session.removeprefix("session ").strip()).code == 0
