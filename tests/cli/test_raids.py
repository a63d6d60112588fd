"""`glassloop import raids` and `glassloop raids`: a night in, listed, and out again."""

from pathlib import Path
from typing import Any

import pytest

from cli.here import refused
from glassloop.extensions.raids.sample.raid import make_raid


@pytest.fixture
def night(folder: Path) -> Path:
    made = folder / "night.txt"
    made.write_text("".join(f"{line}\n" for line in make_raid(3, size=5, health=0.02).lines()))
    return made


def test_a_log_is_imported_listed_shown_and_deleted(night: Path, here: Any) -> None:
    done = here("import", "raids", night.name, "--json")
    assert done.code == 0, done.err
    (result,) = (each["result"] for each in done.json)
    assert result["lines"] == result["taken"] + result["bad"] + result["outside"] == len(night.read_text().splitlines())
    listed = here("raids", "list").out
    assert result["code"] in listed
    assert "1 report" in listed
    assert "The Curator" in here("raids", "show").out
    again = here("import", "raids", night.name, night.name)
    assert again.out.count(result["code"]) == 2
    assert len(here("raids", "list", "--json").json) == 1
    assert here("raids", "delete", result["code"], "--yes").code == 0
    assert here("raids", "list", "--json").json == []


def test_me_becomes_a_character(night: Path, here: Any) -> None:
    report = here("import", "raids", night.name, "--json").json[0]["result"]
    names = [each["name"] for each in here("raids", "show", report["code"], "--json").json["players"]]
    done = here("import", "raids", night.name, "--me", names[0].upper())
    assert f"{names[0]} (" in done.out
    assert [each["name"] for each in here("raids", "characters", "--json").json] == [names[0]]
    assert "Nobody called" in here("import", "raids", night.name, "--me", "Xyzzy").out
    added = here("raids", "characters", "--add", "Brak-Firemaw", "--class", "warrior", "--spec", "arms", "--json").json
    assert (added[1]["name"], added[1]["realm"], added[1]["spec"]) == ("Brak", "Firemaw", "Arms")
    assert len(here("raids", "characters", "--remove", "brak", "--json").json) == 1


def test_a_file_that_is_not_there_is_refused(here: Any) -> None:
    refused(here("import", "raids", "nowhere.txt"), "check the path")
