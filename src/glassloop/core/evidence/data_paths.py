"""Places in the data that an observation's text was made of: where a value of the text stands in it."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, cast

from glassloop.core.charts import PICTURE_KEYS
from glassloop.core.evidence.answer_layout import NearbyText, fit
from glassloop.core.evidence.figures import read_figures
from glassloop.core.evidence.places import Path, Place, RowTable
from glassloop.core.records import Json

MAX_LEAVES = 50_000
MAX_TRIED = 64
Row = dict[str, Any]


class _Node:
    """A record or a list in some data. A record within a row is a part of this row."""

    def __init__(self, value: Any, path: Path = (), table: RowTable | None = None, row: Row | None = None) -> None:
        self._record = cast("Row", value) if isinstance(value, dict) else None
        self._rows = RowTable(cast("list[Any]", value) if isinstance(value, list) else [])
        self.path, self.table = path, table
        self.row = self._record if row is None else row

    def items(self) -> Iterable[tuple[str | int, Any]]:
        return enumerate(self._rows.rows) if self._record is None else self._record.items()

    def below(self, name: str | int, value: Any) -> "_Node":
        if self._record is None:
            return _Node(value, (*self.path, name), self._rows)
        if self.table is not None and isinstance(value, dict):
            return _Node(value, (*self.path, name), self.table, self.row)
        return _Node(value, (*self.path, name))

    def label(self, name: str | int) -> str:
        """What a value is called; a part of a row also by what it is a part of, as `visits` of `visits.value`."""
        if self._record is None or self.row is self._record:
            return str(name)
        return f"{self.path[-1]} {name}".removesuffix(" value")


class DataPaths:
    """The plain values of some data by their text and by their size. Pictures only draw what stands elsewhere in it."""

    def __init__(self, data: Json) -> None:
        self._texts: dict[str, list[Place]] = {}
        numbers: list[tuple[float, Place]] = []
        pending: deque[_Node] = deque([_Node(data)])
        left = MAX_LEAVES
        while pending and left > 0:
            node = pending.popleft()
            for name, value in node.items():
                left -= 1
                if type(value) in (dict, list):
                    if node.path or name not in PICTURE_KEYS:
                        pending.append(node.below(name, value))
                    continue
                place = Place(node.label(name), (*node.path, name), node.row, node.table)
                if type(value) in (int, float) and -1e15 < value < 1e15:
                    numbers.append((float(value), place))
                elif type(value) is str:
                    self._texts.setdefault(value.lower(), []).append(place)
        self._numbers = sorted(numbers, key=lambda one: one[0])
        self._values = [value for value, _ in self._numbers]

    def find(self, found: str, near: NearbyText) -> Path:
        """Of the places of a value the one whose row and label stand around the figure; empty where it has none."""
        places = self._texts.get(found.lower(), [])[:MAX_TRIED]
        if not places:
            for low, high in _intervals(found):
                first, last = bisect_left(self._values, low), bisect_right(self._values, high)
                places += [place for _, place in self._numbers[first : min(last, first + MAX_TRIED)]]
        return max(places, key=lambda place: fit(near, place)).path if places else ()


@lru_cache(512)
def _intervals(found: str) -> tuple[tuple[float, float], ...]:
    """The numbers that a text may stand for."""
    readings = [reading for mark in read_figures(found, prose=False) for reading in mark.readings]
    return tuple(reading.interval for reading in readings[:4] if not reading.base)
