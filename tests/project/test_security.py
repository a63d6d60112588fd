"""Every promise of docs/security.md names a test, and every test it names is there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
PROOF = re.compile(r"`(tests/[\w/]+\.py)(?:::(test_\w+))?`")
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}


def promises(section: str) -> list[list[str]]:
    lines = SECTIONS[section].splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith(("| ---", "| promise |"))]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]


def test_every_promise_names_its_mechanism_and_a_test() -> None:
    rows = [cells for section in SECTIONS for cells in promises(section)]
    assert len(rows) > 40
    for cells in rows:
        assert len(cells) == 3, cells
        assert cells[1], cells
        assert PROOF.search(cells[2]), cells


def test_every_test_that_is_named_is_there() -> None:
    for file, name in PROOF.findall(PAGE):
        assert (ROOT / file).is_file(), file
        assert not name or re.search(rf"def {name}\b", (ROOT / file).read_text("utf-8")), f"{file}::{name}"


def test_each_actor_is_answered_and_what_is_not_promised_is_said() -> None:
    actors = re.findall(r"^\| \[([^\]]+)\]\(#", PAGE.partition("\n## ")[0], re.M)
    assert [actor.lower() for actor in actors] == [section.lower() for section in SECTIONS]
    for section, text in SECTIONS.items():
        assert promises(section), section
        assert re.search(r"^- \*\*", text.partition("Not promised:")[2], re.M), section
