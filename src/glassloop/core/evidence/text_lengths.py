"""Lengths of a text: the rows of its tables, and its lines. An answer may count them."""

import re
from collections.abc import Iterator

from glassloop.core.evidence.claims import Key

_RULE = re.compile(r"[ \t|+:=-]*+")
_GAP = re.compile(r"\S {2,}(?=\S)")
_DIGIT = re.compile(r"[0-9]")


def lengths_of_text(text: str) -> Iterator[tuple[Key, str]]:
    """Rows of the tables in a text, and its lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1:
        yield ("lines", len(lines)), "count of lines"
    shape, rows, ruled, titled = "", 0, False, False
    for line in [*lines, ""]:
        if rows and line and not _RULE.sub("", line, count=1) and "--" in line:
            rows, ruled = 0, True
            continue
        new = _shape(line)
        if new and (new == shape or (ruled and not rows)):
            shape, rows = new, rows + 1
            continue
        if rows > 1 or (ruled and rows):
            yield ("count", rows - (titled and not ruled)), "count of table rows"
        shape, rows, ruled, titled = new, 1 if new else 0, False, not _DIGIT.search(line)


def _shape(line: str) -> str:
    """What separates the cells of a line and how often; empty for a line that is no row."""
    for separator in ("|", "\t"):
        if separator in line:
            return f"{separator}{line.count(separator)}"
    if "," in line and ", " not in line:
        return f",{line.count(',')}"
    gaps = len(_GAP.findall(line))
    return f" {gaps}" if gaps else ""
