"""Computed figures: sums, differences, products, quotients, shares and durations of figures that have a source.

Only figures that stand close together count: in one sentence, one column of the answer's table, one observed record.
The more a figure could be by chance, the fewer may be tried, so that an invented one is not explained away.
"""

import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import permutations
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from glassloop.core.evidence.answer_layout import AnswerLayout
from glassloop.core.evidence.figures import FigureMark, read_figures
from glassloop.core.evidence.moments import Moment
from glassloop.core.evidence.places import RowTable, words_of
from glassloop.core.evidence.quantities import NumberReading
from glassloop.core.evidence.source_texts import RepeatedArguments, SourceText
from glassloop.core.records import Figure

MAX_OPERANDS: Final = 8
MAX_SHORT_TEXT: Final = 300
MAX_FIELDS: Final = 8
_DAY: Final = 86_400
_TOTAL: Final = re.compile(r"total|sum|gesamt|altogether|合计|总计|总共", re.IGNORECASE)
_Scope = tuple[int, int]
MAX_CHANCE: Final = 0.1
MAX_UNNAMED_CHANCE: Final = 0.02
"""How likely one of the ways that are tried may hit a figure that was made up; of numbers that are not spoken of."""
_TELLING: Final = 100
"""A figure of less than three digits is a product or a quotient by chance."""


class ObservedNumbers(NamedTuple):
    """Numbers that were observed together: a record, or the rows of a list."""

    source: int
    record: Mapping[str, Any]
    rows: RowTable | None


class FigureOperand(NamedTuple):
    """A number to compute with, as it is written and where it came from; `percent` where it is one.

    `named`: the answer speaks of it. One that it does not mention is computed with only beside one that it does."""

    value: float
    text: str
    source: str
    unit: str = ""
    at: int = 0
    named: bool = True

    @property
    def percent(self) -> bool:
        return self.unit == "%"


class Computation:
    """Figures without a source, explained by those that have one."""

    def __init__(
        self, answer: str, layout: AnswerLayout, sources: Sequence[SourceText], records: Sequence[ObservedNumbers]
    ) -> None:
        self._answer = answer
        self._layout = layout
        self._sources = sources
        self._records = records
        self._operands: dict[_Scope, list[FigureOperand]] = {}
        self._moments: dict[_Scope, list[tuple[Moment, Figure]]] = {}
        self._said: list[list[FigureOperand]] | None = None
        self._asked: dict[int, set[float]] = {}

    def add(self, mark: FigureMark, figure: Figure) -> None:
        """A figure that may be computed with, where it has a source."""
        source = figure.source
        if source is None or figure.origin == "asked":
            return
        sentence, _, paragraph = self._layout.scopes(mark.start)
        if mark.kind == "date":
            self._moments.setdefault(paragraph, []).extend((moment, figure) for moment in mark.moments[:1])
        elif (reading := _main(mark, figure.found)) is not None:
            operand = FigureOperand(reading.value, figure.text, source, reading.unit, mark.start)
            for scope in (sentence, paragraph):
                insort(self._operands.setdefault(scope, []), operand, key=_position)

    def explain(self, mark: FigureMark, figure: Figure) -> Figure:
        """The figure with how it was computed; itself where nothing explains it."""
        if figure.source is not None:
            return figure
        made = self._duration(mark) or self._clock(mark) if mark.kind in ("number", "date") else None
        for wanted in _plain(mark) if made is None else ():
            ways = (found for group in self._groups(mark) for found in _results(wanted, mark, group))
            made = made or next(ways, None) or self._column_sum(mark, wanted)
        if made is None:
            return figure
        explained = replace(figure, source=made[1], origin="computed", found=made[0])
        self.add(mark, explained)
        return explained

    def _groups(self, mark: FigureMark) -> Iterator[Sequence[FigureOperand]]:
        """Numbers that belong together, the closest first."""
        within, _, paragraph = self._layout.scopes(mark.start)
        yield _nearest(self._operands.get(within, []), mark.start)
        beside = self._operands.get(paragraph, [])
        if len(beside) <= MAX_OPERANDS // 2:
            yield beside
        sentence = self._layout.around(mark.start, mark.end).sentence if self._records else ""
        words = words_of(sentence)
        for seen in self._records:
            rows = [seen.record] if seen.rows is None else seen.rows.named_in(sentence)[:2]
            for row in rows:
                group = self._fields(row, seen.source, words)
                if 2 <= len(group) <= MAX_FIELDS:
                    yield group
        yield from self._said_together()

    def _said_together(self) -> list[list[FigureOperand]]:
        """The numbers of what was said, and of short observations."""
        if self._said is None:
            self._said = []
            for number, source in enumerate(self._sources):
                whole = not source.failed and source.sourced is None and source.text[:1] not in ("{", "[")
                if whole and len(source.text) <= MAX_SHORT_TEXT:
                    group = [_operand(mark, source) for mark in read_figures(source.text, prose=False)]
                    asked = self._arguments(number)
                    numbers = [one for one in group if one is not None and one.value not in asked]
                    if 2 <= len(numbers) <= MAX_OPERANDS // 2:
                        self._said.append(numbers)
        return self._said

    def _fields(self, row: Mapping[str, Any], source: int, words: frozenset[str]) -> list[FigureOperand]:
        asked, call = self._arguments(source), self._sources[source].source
        numbers = [
            (name, float(value))
            for name, value in row.items()
            if type(value) in (int, float) and -1e15 < value < 1e15 and value not in asked
        ]
        return [
            FigureOperand(value, f"{name} {value:.15g}", call, named=bool(words & words_of(name)))
            for name, value in numbers[: MAX_FIELDS + 1]
        ]

    def _arguments(self, source: int) -> set[float]:
        """What the model itself gave the call is nothing to compute with."""
        if source not in self._asked:
            self._asked[source] = RepeatedArguments(self._sources[source].args).numbers
        return self._asked[source]

    def _column_sum(self, mark: FigureMark, wanted: NumberReading) -> tuple[str, str] | None:
        """A total under a column of the answer's own table."""
        line = self._answer.rfind("\n", 0, mark.start) + 1
        column = self._answer.count("|", line, mark.start)
        if column < 2 or _TOTAL.search(self._answer, line, mark.start) is None:
            return None
        beside = self._operands.get(self._layout.scopes(mark.start)[2], [])
        above = [one for one in beside if one.at < line and self._column(one.at) == column]
        if len(above) > 1 and _is(wanted, sum(one.value for one in above)):
            return f"sum of {len(above)} figures above", above[0].source
        return None

    def _column(self, at: int) -> int:
        return self._answer.count("|", self._answer.rfind("\n", 0, at) + 1, at)

    def _duration(self, mark: FigureMark) -> tuple[str, str] | None:
        """Time between two dates or two clocks."""
        lasting = [reading for reading in mark.readings if reading.base and reading.unit == "time"]
        if not lasting or mark.kind != "number":
            return None
        near = self._moments.get(self._layout.scopes(mark.start)[2], [])[:MAX_OPERANDS]
        for (one, first), (other, second) in permutations(near, 2):
            between = _seconds(one, other)
            if between > 0 and any(_is(reading, between) for reading in lasting):
                return f"{second.text} - {first.text}", second.source or ""
        return None

    def _clock(self, mark: FigureMark) -> tuple[str, str] | None:
        """A clock, so long before or after another."""
        wanted = [moment for moment in mark.moments if moment.hour is not None and moment.year is None]
        paragraph = self._layout.scopes(mark.start)[2]
        spans = [one for one in self._operands.get(paragraph, []) if one.unit == "time"][:MAX_OPERANDS]
        clocks = [one for one in self._moments.get(paragraph, []) if one[0].hour is not None][:MAX_OPERANDS]
        for moment, figure in clocks if wanted else ():
            for span in spans:
                lasts = next((r.value for m in read_figures(span.text) for r in m.readings if r.base), 0.0)
                for sign in (1, -1):
                    if any((_clock(moment) + sign * lasts - _clock(goal)) % _DAY == 0 for goal in wanted):
                        return f"{figure.text} {'+' if sign > 0 else '-'} {span.text}", figure.source or ""
        return None


def _position(operand: FigureOperand) -> int:
    return operand.at


def _nearest(operands: Sequence[FigureOperand], at: int) -> Sequence[FigureOperand]:
    """The few around a place, the closest first."""
    place = bisect_left(operands, at, key=_position)
    around = operands[max(0, place - MAX_OPERANDS) : place + MAX_OPERANDS]
    return sorted(around, key=lambda one: abs(one.at - at))[:MAX_OPERANDS]


def _operand(mark: FigureMark, source: SourceText) -> FigureOperand | None:
    reading = _main(mark) if mark.kind == "number" else None
    if reading is None:
        return None
    text = source.text[mark.start : mark.end]
    return FigureOperand(reading.value, text, source.source, reading.unit, mark.start)


def _plain(mark: FigureMark) -> list[NumberReading]:
    """The readings of a number as it is written, the likeliest first."""
    plain = [one for one in mark.readings if one.value and not (one.base or one.ratio or one.scale)]
    return sorted(plain, key=lambda one: not one.sure)


def _main(mark: FigureMark, found: str | None = None) -> NumberReading | None:
    """The reading that was found, else the likeliest."""
    readings = _plain(mark)
    if found is not None and len(readings) > 1:
        seen = [each for one in read_figures(found, prose=False) for each in _plain(one)]
        readings.sort(key=lambda one: not any(_is(one, each.value) for each in seen))
    return readings[0] if readings else None


def _is(wanted: NumberReading, value: float) -> bool:
    low, high = wanted.interval
    return low <= value <= high or low <= -value <= high


def _results(wanted: NumberReading, mark: FigureMark, group: Sequence[FigureOperand]) -> Iterator[tuple[str, str]]:
    """How numbers that belong together make a figure, unless so many would that one of them does by chance."""
    is_percent = wanted.unit == "%"
    chance = wanted.step / (100 if is_percent else abs(wanted.value))
    pairs = list(permutations(group, 2))
    if len(pairs) * chance > MAX_UNNAMED_CHANCE:
        pairs = [(one, other) for one, other in pairs if one.named or other.named]
    if len(pairs) * chance > MAX_CHANCE and not (mark.count is not None and len(group) == 2):
        return
    for one, other in pairs:
        yield from _shares(wanted, one, other) if is_percent else ()
        if _fits(one, other, wanted) and min(abs(one.value), abs(other.value)) >= wanted.step:
            if _is(wanted, one.value - other.value):
                yield f"{one.text} - {other.text}", one.source
            if one.at <= other.at and _is(wanted, one.value + other.value):
                yield f"{one.text} + {other.text}", one.source
        if not is_percent and abs(wanted.value) >= _TELLING * wanted.step:
            yield from _products(wanted, one, other)
    total = sum(each.value for each in group)
    if len(group) > 2 and not is_percent and _is(wanted, total):
        yield " + ".join(each.text for each in group), group[0].source
    if len(group) > 1 and not is_percent and mark.count != len(group) and _is(wanted, total / len(group)):
        yield f"mean of {', '.join(each.text for each in group)}", group[0].source


def _shares(wanted: NumberReading, one: FigureOperand, other: FigureOperand) -> Iterator[tuple[str, str]]:
    a, b = one.value, other.value
    if one.percent or other.percent or not b or len({one.unit, other.unit} - {""}) > 1:
        return
    if abs(a) <= abs(b) and _is(wanted, 100 * a / b):
        yield f"{one.text} / {other.text}", one.source
    if _is(wanted, 100 * (a - b) / b):
        yield f"({one.text} - {other.text}) / {other.text}", one.source


def _products(wanted: NumberReading, one: FigureOperand, other: FigureOperand) -> Iterator[tuple[str, str]]:
    a, b = one.value, other.value
    if _is(wanted, a) or _is(wanted, b):
        return
    if other.percent and _is(wanted, a * b / 100):
        yield f"{one.text} * {other.text}", one.source
    if not one.percent and not other.percent:
        if one.at <= other.at and _is(wanted, a * b):
            yield f"{one.text} * {other.text}", one.source
        if b and _is(wanted, a / b):
            yield f"{one.text} / {other.text}", one.source


def _fits(one: FigureOperand, other: FigureOperand, wanted: NumberReading) -> bool:
    """Whether units allow it: unlike ones are not added."""
    if wanted.unit == "%" and not (one.percent and other.percent):
        return False
    return len({one.unit, other.unit, wanted.unit} - {""}) <= 1


def _seconds(one: Moment, other: Moment) -> int:
    """From the first to the second; 0 where that cannot be told."""
    if one.day and other.day and one.month and other.month and (one.year or other.year):
        try:
            first = date(one.year or other.year or 1, one.month, one.day)
            return (date(other.year or one.year or 1, other.month, other.day) - first).days * _DAY
        except ValueError:
            return 0
    if one.hour is not None and other.hour is not None and not one.day and not other.day:
        return (_clock(other) - _clock(one)) % _DAY
    return 0


def _clock(moment: Moment) -> int:
    return (moment.hour or 0) * 3600 + (moment.minute or 0) * 60 + (moment.second or 0)
