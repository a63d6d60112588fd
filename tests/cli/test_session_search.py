"""`glassloop sessions search` and `index`: what was said is found again, by words, until it is deleted."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.runtime.tools.notes_file import NotesFile
from glassloop.runtime.tools.todos import Todos

SUM = "What is 18% of 2,450?"


@pytest.fixture
def asked(here: Any) -> None:
    for session, question in (("s-1", SUM), ("s-2", "Convert 26.2 miles to kilometers")):
        assert here("ask", "-m", "reflex", "--session", session, "--json", question).code == 0


def sessions(done: Any) -> list[str]:
    return [found["session_id"] for found in done.json]


def test_what_was_said_is_found_shown_and_gone_once_it_is_deleted(here: Any, asked: Any, tmp_path: Path) -> None:
    found = here("sessions", "search", "miles", "--json")
    assert sessions(found) == ["s-2"]
    assert found.json[0]["tools"] == ["convert_units"]
    shown = here("sessions", "search", "miles kilometers").out
    assert "s-2  Convert 26.2 miles" in shown
    assert "convert_units" in shown
    assert "general convert_units" not in " ".join(shown.split()), "what only the index needs is not told"
    assert sessions(here("sessions", "search", "miles", "--user", "ada", "--json")) == []
    assert "No matches" in here("sessions", "search", "miles", "--user", "ada").out
    assert here("sessions", "delete", "s-2", "--yes").code == 0
    files = [path for path in (tmp_path / "home" / "conversations").rglob("*") if path.is_file()]
    assert files
    assert not any(b"miles" in path.read_bytes().lower() for path in files)
    assert sessions(here("sessions", "search", "miles", "--json")) == []


def test_everything_of_a_user_is_gone_from_the_index_too(here: Any, asked: Any, tmp_path: Path) -> None:
    assert len(sessions(here("sessions", "search", "miles 2,450", "--json"))) == 2
    assert here("sessions", "delete", "--user", "anonymous", "--yes").code == 0
    files = [path for path in (tmp_path / "home" / "conversations").rglob("*") if path.is_file()]
    assert not any(b"miles" in path.read_bytes().lower() or b"2,450" in path.read_bytes() for path in files)


def test_an_index_that_was_lost_is_made_anew(here: Any, asked: Any, tmp_path: Path) -> None:
    assert here("sessions", "index").out.startswith("2 turns can be searched")
    shutil.rmtree(tmp_path / "home" / "conversations")
    assert here("sessions", "index", "--json").json["turns"] == 2
    assert sessions(here("sessions", "search", "miles", "--json")) == ["s-2"]


def test_what_is_in_memory_only_is_refused(here: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SESSION_STORE_ENABLED", "false")
    refused(here("sessions", "search", "miles"), "SESSION_STORE_ENABLED")
    monkeypatch.setenv("SESSION_STORE_ENABLED", "true")
    monkeypatch.setenv("DATABASE_URL", "sqlite:///:memory:")
    refused(here("sessions", "index"), "DATABASE_URL")


def test_the_to_dos_of_a_deleted_session_are_gone_and_those_of_others_stay(
    here: Any, asked: Any, tmp_path: Path
) -> None:
    todos = Todos(NotesFile(tmp_path / "home"), redact=str)
    for session in ("s-1", "s-2"):
        todos.change(session, "", "add", "Feed the quokka", 0)
    assert here("sessions", "delete", "s-1", "--yes").code == 0
    assert (todos.items("s-1"), len(todos.items("s-2"))) == ([], 1)
