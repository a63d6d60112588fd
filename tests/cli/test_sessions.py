"""`glassloop sessions`: what is stored can be listed, read, taken elsewhere and deleted, whoever stored it."""

import asyncio
import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.runtime.tools.notes import Notes
from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.runtime.tools.todos import Todos
from glassloop.store import open_store

SUM = "What is 18% of 2,450?"
DAY_S = 86_400


@pytest.fixture
def ask(here: Any) -> Any:
    """Asks a question in a session and gives the session's id."""

    def one(question: str = SUM, session: str = "s-1") -> str:
        assert here("ask", "-m", "reflex", "--session", session, "--json", question).code == 0
        return session

    return one


def without_numbers(shown: Any) -> Any:
    """Messages are numbered anew by every database."""
    return {**shown, "messages": [{**message, "id": 0} for message in shown["messages"]]}


def test_a_second_process_knows_what_was_said_in_the_first(glassloop: Any, here: Any) -> None:
    assert here("ask", "-m", "reflex", "--session", "s-1", SUM).code == 0
    done = glassloop("ask", "-m", "reflex", "--session", "s-1", "/history")
    assert done.returncode == 0, done.stderr
    assert SUM in done.stdout.decode()
    assert "441" in done.stdout.decode()


def test_the_list_is_newest_first_and_has_what_was_asked_for(here: Any, ask: Any) -> None:
    ask("First?", "s-1")
    ask("Second?", "s-2")
    assert [session["id"] for session in here("sessions", "list", "--json").json] == ["s-2", "s-1"]
    assert [session["id"] for session in here("sessions", "list", "--json", "--offset", "1").json] == ["s-1"]
    assert here("sessions", "list", "--json", "--user", "ada").json == []
    assert here("sessions", "list", "--json", "--status", "completed").json == []
    shown = here("sessions", "list", "--limit", "1").out
    assert "s-2  Second?" in shown
    assert "s-1" not in shown
    assert "--offset 1" in shown


def test_a_list_of_nothing_says_how_to_begin(here: Any) -> None:
    done = here("sessions", "list")
    assert done.code == 0
    assert "glassloop ask" in done.out


def test_show_tells_what_was_said_and_how_each_answer_came_about(here: Any, ask: Any) -> None:
    ask()
    ask("Convert 26.2 miles to kilometers")
    shown = here("sessions", "show", "s-1").out
    for part in (SUM, "calculate(expression=", "441", "convert_units(", "42.16", "1 tool · 2 steps"):
        assert part in shown
    assert shown.index("441") < shown.index("42.16")
    whole = here("sessions", "show", "s-1", "--json").json
    assert [message["role"] for message in whole["messages"]] == ["user", "assistant"] * 2
    assert whole["messages"][1]["turn_id"] in shown
    steps = [step["type"] for step in whole["messages"][1]["reasoning_trace"]]
    assert steps == ["think", "act", "observe", "think", "answer"]
    assert whole["session"]["id"] == "s-1"


def test_what_was_said_cannot_steer_the_terminal(here: Any, ask: Any) -> None:
    ask("\x1b[31mred\x1b]0;title\x07 \u202eback")
    for done in (here("sessions", "list"), here("sessions", "show", "s-1")):
        assert "red" in done.out
        assert not {"\x1b", "\x07", "\u202e"} & set(done.out)


def say(path: Path, session: str, at: float, user: str = "anonymous") -> None:
    """Stores a session with one message and a job, as of then."""

    async def store_it() -> None:
        async with await open_store(str(path), clock=lambda: at, ids=lambda: session) as store:
            await store.sessions.create(user)
            await store.sessions.add_message(session, "user", f"A secret of {user}.")
            await store.jobs.enqueue("index", user, {"path": f"A place of {user}."})

    asyncio.run(store_it())


@pytest.fixture
def database(environment: dict[str, str]) -> Path:
    return Path(environment["GLASSLOOP_HOME"]) / "glassloop.db"


def test_messages_outside_of_turns_are_shown_too(database: Path, here: Any) -> None:
    say(database, "s-old", 1_700_000_000.0)
    assert "user: A secret of anonymous." in here("sessions", "show", "s-old").out


def test_an_exported_session_comes_back_as_it_was(here: Any, ask: Any, folder: Path) -> None:
    ask()
    ask("Convert 26.2 miles to kilometers")
    before = here("sessions", "show", "s-1", "--json").json
    assert here("sessions", "export", "s-1", "talk.jsonl").out == "Exported session s-1 to talk.jsonl.\n"
    assert (folder / "talk.jsonl").stat().st_mode & 0o777 == 0o600
    assert here("sessions", "delete", "s-1", "--yes").out == "Deleted 1 session.\n"
    refused(here("sessions", "show", "s-1"), "There is no session 's-1'")
    assert here("sessions", "import", "talk.jsonl").out == "Imported session s-1.\n"
    assert without_numbers(here("sessions", "show", "s-1", "--json").json) == without_numbers(before)
    assert here("sessions", "export", "s-1").out == (folder / "talk.jsonl").read_text("utf-8")
    refused(here("sessions", "import", "talk.jsonl"), "'s-1' already exists", "delete")


def test_a_session_can_be_piped_from_one_home_to_another(glassloop: Any, here: Any, ask: Any, tmp_path: Path) -> None:
    ask()
    written = here("sessions", "export", "s-1", "-").out
    other = {"GLASSLOOP_HOME": str(tmp_path / "other")}
    done = glassloop("sessions", "import", "-", "--user", "ada", stdin=written, **other)
    assert done.returncode == 0, done.stderr
    shown = here("sessions", "list", "--user", "ada", "--json", **other).json
    assert [session["id"] for session in shown] == ["s-1"]


def test_the_last_session_needs_no_id(here: Any, ask: Any, folder: Path) -> None:
    refused(here("sessions", "show", "last"), "There is no session 'last'")
    ask()
    assert here("sessions", "show", "last", "--json").json["session"]["id"] == "s-1"
    assert here("sessions", "export", "last").out == here("sessions", "export", "s-1").out


def test_another_users_session_is_no_session(here: Any, ask: Any, folder: Path) -> None:
    ask()
    refused(here("sessions", "show", "s-1", "--user", "ada"), "There is no session 's-1'")
    refused(here("sessions", "export", "s-1", "talk.jsonl", "--user", "ada"), "There is no session 's-1'")
    assert list(folder.iterdir()) == []


def test_an_export_overwrites_nothing_and_leaves_nothing_half_written(here: Any, ask: Any, folder: Path) -> None:
    ask()
    (folder / "talk.jsonl").write_text("mine", "utf-8")
    refused(here("sessions", "export", "s-1", "talk.jsonl"), "'talk.jsonl'", "another path")
    refused(here("sessions", "export", "s-1", "no/such/folder.jsonl"), "'no/such/folder.jsonl'", "another path")
    refused(here("sessions", "export", "nonesuch", "other.jsonl"), "There is no session 'nonesuch'")
    assert {path.name: path.read_text() for path in folder.iterdir()} == {"talk.jsonl": "mine"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("missing.jsonl", None, ["'missing.jsonl'", "No such file"]),
        (".", None, ["'.'", "directory"]),
        ("bad.jsonl", "not JSON", ["Line 1"]),
        ("bad.jsonl", '{"format": "glassloop.session", "version": 99}', ["99"]),
        ("bad.jsonl", "", ["Line 1"]),
    ],
)
def test_what_is_no_export_is_refused(here: Any, folder: Path, name: str, text: Any, words: list[str]) -> None:
    if text is not None:
        (folder / name).write_text(text, "utf-8")
    refused(here("sessions", "import", name), *words)
    assert here("sessions", "list", "--json").json == []


def test_an_export_that_was_cut_off_is_refused_whole(here: Any, ask: Any, folder: Path) -> None:
    ask()
    lines = here("sessions", "export", "s-1").out.splitlines(keepends=True)
    assert here("sessions", "delete", "s-1", "--yes").code == 0
    (folder / "cut.jsonl").write_text("".join(lines[:-1]), "utf-8")
    refused(here("sessions", "import", "cut.jsonl"), "is not finished")
    assert here("sessions", "list", "--json").json == []


@pytest.mark.slow
def test_an_import_that_is_interrupted_stores_nothing(start: Any, here: Any, ask: Any, folder: Path) -> None:
    ask()
    lines = here("sessions", "export", "s-1").out.splitlines(keepends=True)
    assert here("sessions", "delete", "s-1", "--yes").code == 0
    os.mkfifo(folder / "pipe")
    process = start("sessions", "import", "pipe")
    with (folder / "pipe").open("w", encoding="utf-8") as pipe:
        pipe.writelines(lines)
        pipe.flush()
        process.send_signal(signal.SIGINT)
        # A signal that comes just before it begins to wait is not seen until it wakes up.
        with suppress(BrokenPipeError):
            os.write(pipe.fileno(), b"\n")
        assert process.wait(60) == 130
    assert process.stderr.read() == b""
    assert here("sessions", "list", "--json").json == []


@pytest.mark.parametrize("command", [["show", "s-9"], ["export", "s-9"], ["delete", "s-9", "--yes"]])
def test_an_unknown_id_is_told(here: Any, command: list[str]) -> None:
    refused(here("sessions", *command), "There is no session 's-9'", "sessions list")


def test_nothing_is_deleted_where_nobody_can_be_asked(here: Any, ask: Any) -> None:
    ask()
    for given in (["s-1"], ["--user", "anonymous"], ["--older-than", "0.00001"]):
        refused(here("sessions", "delete", *given), "--yes")
    assert len(here("sessions", "list", "--json").json) == 1


def test_on_a_terminal_only_a_yes_deletes(terminal: Any, here: Any, ask: Any) -> None:
    ask()
    screen = terminal("sessions", "delete", "s-1")
    screen.expect("Permanently delete 1 session with 2 messages?")
    screen.type("\r")
    screen.expect("Nothing was deleted.")
    assert screen.leave() == 1
    assert len(here("sessions", "list", "--json").json) == 1
    screen = terminal("sessions", "delete", "--user", "anonymous")
    screen.expect("everything stored for 'anonymous' (1 session)")
    screen.type("y\r")
    screen.expect("Deleted everything stored for 'anonymous'")
    assert screen.leave() == 0
    assert here("sessions", "list", "--json").json == []


def test_of_several_sessions_all_are_deleted_or_none(here: Any, ask: Any) -> None:
    ask("First?", "s-1")
    ask("Second?", "s-2")
    refused(here("sessions", "delete", "s-1", "s-9", "s-2", "--yes"), "There is no session 's-9'")
    assert len(here("sessions", "list", "--json").json) == 2
    assert here("sessions", "delete", "s-1", "s-2", "s-1", "--yes").out == "Deleted 2 sessions.\n"
    assert here("sessions", "list", "--json").json == []


def test_deleting_a_user_leaves_no_trace_of_them_and_all_of_the_others(database: Path, here: Any) -> None:
    say(database, "s-1", time.time(), "ada")
    say(database, "s-2", time.time(), "bob")
    done = here("sessions", "delete", "--user", "ada", "--yes")
    assert done.out == "Deleted everything stored for 'ada': 1 session, 1 job.\n"
    kept = b"".join(path.read_bytes() for path in database.parent.glob("glassloop.db*") if path.is_file())
    assert b"of ada." not in kept
    assert kept.count(b"of bob.") >= 2


def test_a_users_notes_are_deleted_with_them(database: Path, here: Any) -> None:
    kept = NotesFile(database.parent)
    notes, todos = Notes(kept, time.time, redact=str), Todos(kept, redact=str)
    for number, user in enumerate(("ada", "bob")):
        say(database, f"s-{number}", time.time(), user)
        notes.remember(user, "", f"{user} likes herons.", "")
        todos.change(f"s-{number}", "", "add", f"{user} feeds the herons", 0)
    assert here("sessions", "delete", "--user", "ada", "--yes").out.endswith("1 session, 1 job, 1 note.\n")
    left = b"".join(path.read_bytes() for path in database.parent.glob("notes.db*"))
    assert b"ada" not in left
    assert b"bob likes" in left
    assert b"bob feeds" in left
    refused(here("sessions", "delete", "--user", "ada", "--yes"), "'ada'")


def test_deleting_a_user_nobody_knows_is_no_success(here: Any) -> None:
    refused(here("sessions", "delete", "--user", "nobody", "--yes"), "'nobody'")


def test_only_what_is_older_is_deleted(database: Path, here: Any) -> None:
    todos = Todos(NotesFile(database.parent), redact=str)
    for session, days in (("s-old", 40), ("s-new", 0)):
        say(database, session, time.time() - days * DAY_S)
        todos.change(session, "", "add", "Feed the herons", 0)
    assert here("sessions", "delete", "--older-than", "30", "--yes").out == "Deleted 1 session.\n"
    assert [session["id"] for session in here("sessions", "list", "--json").json] == ["s-new"]
    assert (todos.items("s-old"), len(todos.items("s-new"))) == ([], 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["delete"], ["--user NAME", "--older-than DAYS"]),
        (["delete", "s-1", "--user", "ada"], ["one way"]),
        (["delete", "--older-than", "0", "--yes"], ["--older-than", "more than 0"]),
        (["delete", "--older-than", "nan", "--yes"], ["--older-than", "nan"]),
        (["list", "--status", "nonesuch"], ["'nonesuch'", "awaiting_approval"]),
        (["list", "--limit", "0"], ["--limit", "--help"]),
        (["list", "--offset", "-1"], ["--offset", "--help"]),
        (["nonesuch"], ["nonesuch", "glassloop sessions --help"]),
    ],
)
def test_a_slip_is_told_with_its_remedy(here: Any, arguments: list[str], words: list[str]) -> None:
    refused(here("sessions", *arguments), *words)


def test_a_group_alone_tells_what_it_has(here: Any) -> None:
    done = here("sessions")
    assert (done.code, done.err) == (0, "")
    assert done.out == here("sessions", "--help").out


def test_where_nothing_is_stored_that_is_said(here: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SESSION_STORE_ENABLED", "false")
    refused(here("sessions", "list"), "SESSION_STORE_ENABLED")


@pytest.mark.slow
def test_a_terminal_shows_how_far_an_import_is_and_a_pipe_does_not(
    terminal: Any,
    glassloop: Any,
    here: Any,
    ask: Any,
) -> None:
    ask()
    assert here("sessions", "export", "s-1", "talk.jsonl").code == 0
    assert here("sessions", "delete", "s-1", "--yes").code == 0
    screen = terminal("sessions", "import", "talk.jsonl")
    assert screen.leave() == 0
    assert "Reading talk.jsonl" in screen.text or "Storing" in screen.text
    assert screen.text.rstrip().endswith("Imported session s-1.")
    done = glassloop("sessions", "delete", "s-1", "--yes")
    assert done.stderr == b""
