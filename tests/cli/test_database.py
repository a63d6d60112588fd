"""`glassloop db`, and what every command says of a database it cannot use."""

import hashlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused


@pytest.fixture
def database(here: Any, environment: dict[str, str]) -> Path:
    """A database with a turn in it, at rest: nothing of it lies in the write-ahead log."""
    assert here("ask", "-m", "reflex", "--session", "s-1", "--json", "What is 18% of 2,450?").code == 0
    path = Path(environment["GLASSLOOP_HOME"]) / "glassloop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    connection.close()
    return path


def test_a_sound_database_is_said_to_be_sound(here: Any, database: Path) -> None:
    done = here("db", "check")
    assert done.code == 0
    assert "No problems found." in done.out
    assert "1 session, 1 turn, " in done.out
    found = here("db", "check", "--json").json
    assert (found["ok"], found["problems"], found["counts"]["turns"]) == (True, [], 1)


@pytest.mark.parametrize("command", [["check"], ["backup", "copy.db"]])
def test_a_database_that_is_not_there_is_neither_sound_nor_made(
    here: Any, tmp_path: Path, monkeypatch: Any, command: list[str]
) -> None:
    mistyped = tmp_path / "nowhere" / "copy.db"
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{mistyped}")
    refused(here("db", *command), f"There is no database {str(mistyped)!r}")
    assert not mistyped.parent.exists()


def test_a_gap_in_the_log_is_told_in_words(here: Any, database: Path) -> None:
    with sqlite3.connect(database) as connection:
        connection.execute("DELETE FROM events WHERE seq = 3")
    connection.close()
    done = here("db", "check")
    assert done.code == 1
    assert "the log has a gap" in " ".join(done.out.split())
    found = here("db", "check", "--json")
    assert found.code == 1
    assert found.json["ok"] is False
    assert len(found.json["problems"]) == 1


def test_a_backup_is_a_database_with_the_same_in_it(here: Any, database: Path, folder: Path, monkeypatch: Any) -> None:
    before = here("sessions", "show", "s-1", "--json").out
    assert here("db", "backup", "copy.db").code == 0
    assert (folder / "copy.db").stat().st_mode & 0o777 == 0o600
    taken = (folder / "copy.db").read_bytes()
    refused(here("db", "backup", "copy.db"), "'copy.db'", "another path")
    assert (folder / "copy.db").read_bytes() == taken
    monkeypatch.setenv("DATABASE_URL", str(folder / "copy.db"))
    assert here("sessions", "show", "s-1", "--json").out == before


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE glassloop_version SET version_num = 'v9999' WHERE version_num LIKE 'v%'")
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    connection.close()


def _cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-5000])


def _not_one(path: Path) -> None:
    path.write_bytes(b"Dear diary, today I wrote a file that is no database. " * 40)


@pytest.mark.parametrize(
    ("damage", "words"),
    [(_newer, ["'v9999'", "update glassloop"]), (_cut_off, ["cut off", "restore a backup"]), (_not_one, ["not a"])],
)
@pytest.mark.parametrize(
    "command",
    [
        ["sessions", "list"],
        ["db", "check"],
        ["db", "backup", "copy.db"],
        ["resume"],
        ["watch", "t-1"],
        ["jobs", "list"],
    ],
    ids=" ".join,
)
def test_a_database_that_cannot_be_used_is_told_in_one_sentence_and_left_alone(
    here: Any,
    database: Path,
    folder: Path,
    damage: Any,
    words: list[str],
    command: list[str],
) -> None:
    damage(database)
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    refused(here(*command), str(database), *words, code=1)
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("command", [["sessions", "list"], ["resume"], ["approve", "t-1"], ["worker"]], ids=" ".join)
def test_a_database_that_is_away_is_not_replaced_by_memory(here: Any, monkeypatch: Any, command: list[str]) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:hush@127.0.0.1:1/none")
    done = here(*command)
    refused(done, "cannot be reached", "127.0.0.1", code=1)
    assert "hush" not in done.err
