"""Places in the data that an observation's text was made of: where a value of the text stands in it."""

from bisect import bisect_left, bisect_right
from collections import deque
from typing import Any, cast

from glassloop.core.evidence.answer_layout import NearbyText, fit
from glassloop.core.evidence.figures import read_figures
from glassloop.core.evidence.places import Path, Place, RowTable
from glassloop.core.records import Json

MAX_LEAVES = 50_000
MAX_TRIED = 64


class DataPaths:
    """The plain values of some data by their text and by their size."""

    def __init__(self, data: Json) -> None:
        self._texts: dict[str, list[Place]] = {}
        numbers: list[tuple[float, Place]] = []
        pending: deque[tuple[Any, Path, RowTable | None]] = deque([(data, (), None)])
        left = MAX_LEAVES
        while pending and left > 0:
            node, path, table = pending.popleft()
            is_row = isinstance(node, dict)
            listed = cast("list[Any]", node) if isinstance(node, list) else []
            rows = None if is_row else RowTable(listed)
            items = cast("dict[str, Any]", node).items() if is_row else enumerate(listed)
            for name, value in items:
                left -= 1
                if type(value) in (dict, list):
                    pending.append((value, (*path, name), rows))
                    continue
                place = Place(str(name), (*path, name), cast("dict[str, Any]", node) if is_row else None, table)
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
            readings = [reading for mark in read_figures(found, prose=False) for reading in mark.readings]
            for low, high in (reading.interval for reading in readings[:4] if not reading.base):
                first, last = bisect_left(self._values, low), bisect_right(self._values, high)
                places += [place for _, place in self._numbers[first : min(last, first + MAX_TRIED)]]
        return max(places, key=lambda place: fit(near, place)).path if places else ()
