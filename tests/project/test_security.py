"""Every promise of docs/security.md names a test, and every test it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
PROOF = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")


def promises() -> list[list[str]]:
    lines = PAGE.partition("## What is promised")[2].partition("\n## ")[0].splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith(("| ---", "| promise |"))]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def test_every_promise_names_its_mechanism_and_a_test() -> None:
    assert len(promises()) > 20
    for cells in promises():
        assert len(cells) == 3, cells
        assert cells[1], cells
        assert PROOF.search(cells[2]), cells


def test_every_test_that_is_named_is_there() -> None:
    for file, name in PROOF.findall(PAGE):
        assert (ROOT / file).is_file(), file
        assert not name or re.search(rf"def {name}\b", (ROOT / file).read_text("utf-8")), f"{file}::{name}"


def test_each_attacker_is_answered_and_what_is_not_promised_is_said() -> None:
    attackers = re.findall(r"^\| (?!who |---)([^|]+) \|", PAGE.partition("## What is promised")[0], re.M)
    assert len(attackers) == 9
    open_ends = PAGE.partition("## What is not promised")[2]
    assert len(re.findall(r"^- \*\*", open_ends, re.M)) >= 10
