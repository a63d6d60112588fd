"""Locations in files: `src/app.py:12` and `app.py:12-20` say where something stands and are no figures.

Only of files that a call was about, by its arguments or its data: a file that nothing names stays without a source.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import NamedTuple, cast

import msgspec

from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure, Json

MAX_VALUES = 20_000
"""Of arguments and data, over all sources."""
MAX_PATH = 4_096
_PATHS = ("path", "file_path", "source", "target")
_LOCATION = re.compile(r"(?P<path>[^\s:]++):(?P<first>[0-9]{1,7})(?:[-–:](?P<last>[0-9]{1,7}))?")
_BEFORE = re.compile(r"(?P<path>[\w./-]{1,300}):(?:[0-9]{1,7}[-–,])?$")
"""What stands before a number that is the line of a file, or the last line of a range."""


class SeenLines(NamedTuple):
    """Lines of a file that a source showed; `first` is 0 where it only named the file."""

    source: SourceText
    path: str
    first: int
    last: int


class NamedFiles:
    """The files that calls were about, the latest first."""

    def __init__(self, sources: Sequence[SourceText]) -> None:
        self._seen: dict[str, list[SeenLines]] = {}
        budget = repeat(None, MAX_VALUES)
        for source in reversed(sources):
            for found in _walk(source, budget):
                self._seen.setdefault(_base(found.path), []).append(found)

    def link(self, answer: str, figure: Figure) -> Figure:
        """The figure with the call that showed those lines, where one did."""
        seen, first, last = self._of(answer, figure)
        shown = next((each for each in seen if each.first <= first and last <= each.last), None)
        if shown is None:
            return figure
        source = shown.source
        return msgspec.structs.replace(figure, source=source.source, origin=source.origin, found=shown.path)

    def _of(self, answer: str, figure: Figure) -> tuple[Sequence[SeenLines], int, int]:
        if not self._seen:
            return (), 0, 0
        if figure.kind == "number":
            before = _BEFORE.search(answer, max(0, figure.start - 310), figure.start)
            if before is None or not figure.text.isdecimal():
                return (), 0, 0
            path, first, last = before["path"], int(figure.text), int(figure.text)
        else:
            found = _LOCATION.fullmatch(figure.text)
            if found is None:
                return (), 0, 0
            path, first = found["path"], int(found["first"])
            last = int(found["last"] or first) if ":" not in figure.text[found.end("first") :] else first
        path = path.removeprefix("./")
        seen = self._seen.get(_base(path), ())
        return [each for each in seen if each.path == path or each.path.endswith(f"/{path}")], first, last


def _base(path: str) -> str:
    return path.rpartition("/")[2]


def _walk(source: SourceText, budget: Iterator[None]) -> Iterator[SeenLines]:
    """The files that a call's data and arguments name, while the budget lasts."""
    waiting: list[Json] = [*source.args, source.data]
    while waiting and next(budget, False) is None:
        each = waiting.pop()
        if isinstance(each, dict):
            table = cast("dict[str, Json]", each)
            first, last = _lines(table)
            for name in _PATHS:
                if isinstance(path := table.get(name), str) and 0 < len(path) <= MAX_PATH:
                    yield SeenLines(source, path.removeprefix("./"), first, last)
            waiting += [one for one in table.values() if isinstance(one, dict | list)]
        elif isinstance(each, list):
            waiting += [one for one in cast("list[Json]", each)[:MAX_VALUES] if isinstance(one, dict | list)]


def _lines(table: dict[str, Json]) -> tuple[int, int]:
    """The lines that a table is about: as a range, as one line, or those of a diff; 0 where it says none."""
    first, last, line = table.get("first_line"), table.get("last_line"), table.get("line")
    if isinstance(first, int) and isinstance(last, int):
        return first, last
    if isinstance(line, int):
        return line, line
    if isinstance(diff := table.get("diff_lines"), list):
        tables = (cast("dict[str, Json]", each) for each in cast("list[Json]", diff) if isinstance(each, dict))
        numbers = [number for each in tables if isinstance(number := each.get("line_number"), int)]
        return min(numbers, default=0), max(numbers, default=0)
    return 0, 0
