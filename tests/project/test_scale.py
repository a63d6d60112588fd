"""`bench/capacity.py` runs, comes out the same each time, and docs/scale.md shows its constants and what it prints."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from glassloop.runtime.settings import Settings


@pytest.fixture(scope="module")
def page() -> str:
    return (Path(__file__).resolve().parents[2] / "docs" / "scale.md").read_text("utf-8")


def test_the_page_shows_exactly_what_is_printed(run_script, page: str) -> None:
    printed = run_script("bench/capacity.py")
    assert printed.returncode == 0, printed.stderr
    shown = re.search(r"^```text\n(.*?)^```", page, re.M | re.S)
    assert shown is not None
    assert printed.stdout == shown[1], (
        "docs/scale.md shows what `python bench/capacity.py` printed once: put it in again"
    )


def test_every_constant_stands_in_the_table_and_is_an_option(run_script, page: str) -> None:
    table = {name: float(value) for name, value in re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", page, re.M)}
    doubled = [
        word for name, value in table.items() for word in (f"--{name.replace('_', '-')}", str(int(value * 2) or 1))
    ]
    done = run_script("bench/capacity.py", "--json", "--seconds", "0", *doubled)
    assert done.returncode == 0, done.stderr
    asked: dict[str, Any] = json.loads(done.stdout)["constants"]
    assert set(asked) == set(table)
    assert all(asked[name] == (int(value * 2) or 1) for name, value in table.items())


def test_limits_that_are_settings_are_those_of_the_settings(page: str) -> None:
    limits = dict(re.findall(r"^\| `\w+` \| (\d+) \| `GLASSLOOP_(MAX_\w+)`", page, re.M))
    assert {name.lower(): int(value) for value, name in limits.items()} == {
        "max_model_calls": Settings().max_model_calls,
        "max_turns": Settings().max_turns,
        "max_connections": Settings().max_connections,
    }


def test_the_nearest_wall_moves_with_its_constant(run_script) -> None:
    def walls(*options: str) -> list[dict[str, Any]]:
        return json.loads(run_script("bench/capacity.py", "--json", "--seconds", "0", *options).stdout)["walls"]

    before, after = walls(), walls("--model-calls", "640")
    assert before[0]["name"] == "model calls at once"
    assert after[0]["name"] != "model calls at once"
    assert after[-1] == before[-1]
