"""Assistants that a log names: by name among those the user has; a folder only where a person gives it."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.core.events import decode

TOOLS = """
from pathlib import Path

from glassloop import tool

Path("ran").touch()


@tool(effect="write", confirm=True)
def note(text: str) -> str:
    "Write a line."
    return f"wrote {text}"
"""
NOTE = '/tool note {"text": "hi"}'


def make_assistant(folder: Path, name: str) -> str:
    """A folder with code that leaves a trace when it is loaded."""
    folder.mkdir(parents=True)
    (folder / "assistant.toml").write_text(f'name = "{name}"\nprompt = "Help."\ntools = ["tools.py"]\n', "utf-8")
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    return str(folder)


@pytest.fixture
def ran(folder: Path) -> Path:
    """What is there once the code of an assistant was loaded."""
    return folder / "ran"


@pytest.fixture
def imported(here: Any, folder: Path) -> Any:
    """A turn from an export in which another assistant was written."""

    def take_in(assistant: str) -> str:
        assert here("ask", "-m", "reflex", "--session", "s-1", "What is 18% of 2,450?").code == 0
        here("sessions", "export", "s-1", "talk.jsonl")
        lines = [json.loads(line) for line in (folder / "talk.jsonl").read_text("utf-8").splitlines()]
        started = next(line["event"] for line in lines if line.get("event", {}).get("type") == "turn_started")
        started["settings"]["wanted"] = {"assistant": assistant, "model": "reflex"}
        (folder / "talk.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        assert here("sessions", "delete", "s-1", "--yes").code == 0
        assert here("sessions", "import", "talk.jsonl").code == 0
        return started["turn_id"]

    return take_in


@pytest.mark.parametrize("form", ["evil/clerk", "./evil/clerk", "{folder}/evil/clerk", "clerk"])
def test_an_imported_conversation_never_chooses_which_code_of_the_folder_runs(
    here: Any, imported: Any, folder: Path, ran: Path, form: str
) -> None:
    make_assistant(folder / ("clerk" if form == "clerk" else "evil/clerk"), "clerk")
    turn_id = imported(form.format(folder=folder))
    for command in (["replay", turn_id], ["replay", turn_id, "--from", "1"]):
        refused(here(*command), turn_id, "clerk", "--assistant")
    refused(here("eval", "add", turn_id, "suite.toml", "--rating", "good"), "--assistant")
    assert not ran.exists()
    assert not (folder / "suite.toml").exists()


def test_a_person_may_give_the_folder_for_an_imported_turn(here: Any, imported: Any, folder: Path, ran: Path) -> None:
    make_assistant(folder / "mine", "mine")
    turn_id = imported("/elsewhere/mine")
    assert here("replay", turn_id, "-a", "./mine").code in (0, 1)
    assert ran.exists()


def test_an_imported_turn_of_an_assistant_one_has_is_replayed_by_its_name(here: Any, imported: Any) -> None:
    assert here("replay", imported("general")).code == 0


def test_an_imported_turn_that_names_its_assistant_in_no_readable_way_is_told(here: Any, imported: Any) -> None:
    refused(here("replay", imported(["general"])), "names no assistant")


@pytest.fixture
def waiting(here: Any, tmp_path: Path, ran: Path) -> tuple[str, str]:
    """A turn of an assistant in a folder, asked by its path, that waits for an approval; and the folder."""
    place = make_assistant(tmp_path / "other" / "clerk", "clerk")
    done = here("ask", "-a", place, "-m", "reflex", "--session", "s-1", "--json", NOTE)
    assert done.code == 3, done.err
    turn_id = decode(done.out.splitlines()[-1]).turn_id
    assert f"glassloop approve {turn_id} -a {place}" in done.err
    ran.unlink()
    return turn_id, place


def test_a_turn_that_was_asked_by_path_goes_on_where_the_path_is_given_again(
    here: Any, waiting: tuple[str, str], ran: Path
) -> None:
    turn_id, place = waiting
    done = here("approve", turn_id, "--yes")
    assert done.code == 2
    assert f"--assistant {place}" in done.err
    refused(here("replay", turn_id), f"--assistant {place}")
    assert not ran.exists()
    assert here("approve", turn_id, "--yes", "-a", place).code == 0
    assert here("replay", turn_id, "-a", place).code == 0


def test_a_turn_can_be_cancelled_without_opening_its_assistant(here: Any, waiting: tuple[str, str], ran: Path) -> None:
    done = here("cancel", waiting[0], "--json")
    assert done.code == 0, done.err
    assert done.json == {"turn_id": waiting[0], "status": "cancelled"}
    assert not ran.exists()


def test_a_folder_of_the_home_is_the_users_own_by_path_as_well(here: Any, environment: Any) -> None:
    place = make_assistant(Path(environment["GLASSLOOP_HOME"]) / "assistants" / "clerk", "clerk")
    done = here("ask", "-a", place, "-m", "reflex", "--json", NOTE)
    turn_id = decode(done.out.splitlines()[-1]).turn_id
    assert here("approve", turn_id, "--yes").code == 0
