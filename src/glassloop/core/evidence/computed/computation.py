"""Computed figures: sums, differences, products, quotients, shares and durations of figures that have a source.

Only figures that stand close together count: in one sentence, one column of the answer's table, one observed record.
The more a figure could be by chance, the fewer may be tried, so that an invented one is not explained away.
"""

import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from glassloop.core.evidence.answer_layout import AnswerLayout, NearbyText
from glassloop.core.evidence.computed.days import DayComputation
from glassloop.core.evidence.computed.operands import (
    Computed,
    FigureOperand,
    digits_told,
    is_value,
    sum_or_difference,
    units_fit,
)
from glassloop.core.evidence.computed.row_counts import RowCounts
from glassloop.core.evidence.computed.tables import TableComputation
from glassloop.core.evidence.figures import FigureMark, read_figures
from glassloop.core.evidence.places import ObservedTable, RowTable, words_of
from glassloop.core.evidence.source_texts import RepeatedArguments, SourceText
from glassloop.core.evidence.units.quantities import NumberReading
from glassloop.core.records import Figure

MAX_OPERANDS: Final = 8
MAX_SHORT_TEXT: Final = 300
MAX_FIELDS: Final = 8
MAX_ANYWHERE: Final = 16
MAX_ALIKE: Final = 3
_Scope = tuple[int, int]
MAX_CHANCE: Final = 0.1
MAX_UNNAMED_CHANCE: Final = 0.02
"""How likely one of the ways that are tried may hit a figure that was made up; of numbers that are not spoken of."""
_TELLING: Final = 100
"""A figure of less than three digits is a product or a quotient by chance."""
_TELLING_ANYWHERE: Final = 100_000
"""From six digits on no two figures of an answer make a third by chance."""
_ROUND: Final = 100
_NEARLY: Final = 0.025
_WHOLE = re.compile(r"[0-9][*_]{0,3} (?:out )?(?:of|von)(?: the| den)? [*_]{0,3}$", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.|some|nearly|almost|close to|circa|ca\.|rund|etwa|knapp|fast)"
    r"|[约近~≈])[ \xa0]?[*_]{0,3}$",
    re.IGNORECASE,
)


class ObservedNumbers(NamedTuple):
    """Numbers that were observed together: a record, or the rows of a list."""

    source: int
    record: Mapping[str, Any]
    rows: RowTable | None


class Observed(NamedTuple):
    """What figures may be computed from beside those of the answer itself."""

    sources: Sequence[SourceText]
    records: Sequence[ObservedNumbers]
    tables: Sequence[ObservedTable]


class Computation:
    """Figures without a source, explained by those that have one."""

    def __init__(self, answer: str, layout: AnswerLayout, observed: Observed) -> None:
        self._answer = answer
        self._layout = layout
        self._sources, self._records, tables = observed
        self._days = DayComputation(answer, layout, self._sources)
        self._tables = TableComputation(answer, layout, [one.source for one in self._sources], tables)
        self._counts = RowCounts(answer, layout, self._sources, tables)
        self._operands: dict[_Scope, list[FigureOperand]] = {}
        self._all: list[FigureOperand] = []
        self._computed: list[FigureOperand] = []
        self._said: list[list[FigureOperand]] | None = None
        self._asked: dict[int, set[float]] = {}

    def add(self, mark: FigureMark, figure: Figure, column: str = "") -> None:
        """A figure that may be computed with, where it has a source; `column` is its label there."""
        source = figure.source
        if source is None or figure.origin == "asked":
            return
        if mark.kind == "date":
            self._days.add(mark, figure)
        elif mark.kind == "name":
            self._counts.add_quote(mark, figure)
        elif (reading := _main(mark, figure.found)) is not None:
            if reading.unit == "time":
                self._days.add_span(mark, figure)
            near = self._layout.around(mark.start, mark.end)
            noun = near.noun if mark.count is not None else frozenset[str]()
            place = f"{source} {column}" if column else ""
            operand = FigureOperand(
                reading.value, figure.text, source, reading.unit, mark.start, column=place, noun=noun, step=reading.step
            )
            self._add_operand(operand, near)
            if figure.origin == "computed":
                self._computed.append(operand)

    def _add_operand(self, operand: FigureOperand, near: NearbyText) -> None:
        self._tables.add(operand, near)
        sentence, _, paragraph = self._layout.scopes(operand.at)
        for scope in (sentence, paragraph):
            insort(self._operands.setdefault(scope, []), operand, key=_position)
        insort(self._all, operand, key=_position)

    def explain(self, mark: FigureMark, figure: Figure) -> Figure:
        """The figure with how it was computed; itself where nothing explains it."""
        if figure.source is not None or mark.kind not in ("number", "date"):
            return figure
        made = self._days.explain(mark)
        for wanted in _plain(mark) if made is None else ():
            made = made or self._made(mark, wanted)
        if made is None and not self._is_whole(mark):
            made = self._counts.explain(mark)
        if made is None:
            return figure
        explained = replace(figure, source=made[1], origin="computed", found=made[0])
        self.add(mark, explained)
        return explained

    def _made(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        ways = (found for group in self._groups(mark) for found in _results(wanted, mark, group))
        if self._is_whole(mark):
            # It is neither a difference nor a mean of what stands beside it.
            ways = (found for found in ways if " - " not in found[0] and not found[0].startswith("mean"))
        if wanted.unit == "%" and not self._tables.tells_change(mark):
            ways = (found for found in ways if not found[0].startswith("("))
        return (
            next(ways, None)
            or self._tables.explain(mark, wanted, self._told_beside(mark))
            or self._column_parts(mark, wanted)
            or self._anywhere(mark, wanted)
            or self._alike(mark, wanted)
            or self._repeated(mark, wanted)
        )

    def _is_whole(self, mark: FigureMark) -> bool:
        """Whether a part is told of a number: 9 in "6 of the 9"."""
        before = _WHOLE.search(self._answer, max(0, mark.start - 24), mark.start)
        return mark.count is not None and before is not None

    def _told_beside(self, mark: FigureMark) -> int:
        """How many amounts its own sentence tells: where there are two, a change in percent is one of these."""
        beside = self._operands.get(self._layout.scopes(mark.start)[0], ())
        return sum(not one.percent and abs(one.value) >= _TELLING * one.step for one in beside)

    def _column_parts(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        """The sum of the numbers beside a figure that stand in one column of a source."""
        if digits_told(wanted) < _TELLING or wanted.unit == "%":
            return None
        for scope in self._layout.scopes(mark.start)[::2]:
            columns: dict[str, list[FigureOperand]] = {}
            for one in _nearest(self._operands.get(scope, []), mark.start):
                if one.column and units_fit(one, one, wanted):
                    columns.setdefault(one.column, []).append(one)
            for parts in columns.values():
                if len(parts) > 1 and is_value(wanted, sum(one.value for one in parts)):
                    return " + ".join(one.text for one in sorted(parts, key=_position)), parts[0].source
        return None

    def _anywhere(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        """Two figures of the answer, wherever they stand, where the figure has too many digits for chance."""
        if digits_told(wanted) < _TELLING_ANYWHERE or wanted.unit == "%":
            return None
        beside = _nearest(self._all, mark.start, MAX_ANYWHERE)
        pairs = combinations(beside, 2)
        return next((made for one, other in pairs if (made := sum_or_difference(wanted, one, other))), None)

    def _alike(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        """Two numbers of the same things: 721 orders, 243 orders."""
        if mark.count is None or digits_told(wanted) < _TELLING:
            return None
        noun = self._layout.around(mark.start, mark.end).noun
        alike = [one for one in self._all if one.noun & noun] if noun else []
        pairs = combinations(alike, 2) if len(alike) <= MAX_ALIKE else ()
        return next((made for one, other in pairs if (made := sum_or_difference(wanted, one, other))), None)

    def _repeated(self, mark: FigureMark, wanted: NumberReading) -> Computed | None:
        """A figure that was computed before; said roughly, at what is left of its digits."""
        value, about = abs(wanted.value), _ABOUT.search(self._answer, max(0, mark.start - 20), mark.start) is not None
        for one in self._computed:
            if one.unit and wanted.unit and one.unit != wanted.unit:
                continue
            if value == abs(one.value) and digits_told(wanted) >= _TELLING:
                return one.text, one.source
            rounded = about and wanted.step == 1 and value >= 10 * _ROUND and value % _ROUND == 0
            if rounded and abs(value - abs(one.value)) <= min(_step_of(value) / 2, _NEARLY * value):
                return f"about {one.text}", one.source
        return None

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


def _position(operand: FigureOperand) -> int:
    return operand.at


def _nearest(operands: Sequence[FigureOperand], at: int, most: int = MAX_OPERANDS) -> Sequence[FigureOperand]:
    """The few around a place, the closest first."""
    place = bisect_left(operands, at, key=_position)
    around = operands[max(0, place - most) : place + most]
    return sorted(around, key=lambda one: abs(one.at - at))[:most]


def _step_of(value: float) -> float:
    """What the last digit of a round number is worth that is no zero: 90,000 is told in ten thousands."""
    step = 1.0
    while value % (10 * step) == 0:
        step *= 10
    return step


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
        readings.sort(key=lambda one: not any(is_value(one, each.value) for each in seen))
    return readings[0] if readings else None


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
        if units_fit(one, other, wanted) and min(abs(one.value), abs(other.value)) >= wanted.step:
            if is_value(wanted, one.value - other.value):
                yield f"{one.text} - {other.text}", one.source
            if one.at <= other.at and is_value(wanted, one.value + other.value):
                yield f"{one.text} + {other.text}", one.source
        if not is_percent and abs(wanted.value) >= _TELLING * wanted.step:
            yield from _products(wanted, one, other)
    total = sum(each.value for each in group)
    if len(group) > 2 and not is_percent and is_value(wanted, total):
        yield " + ".join(each.text for each in group), group[0].source
    if len(group) > 1 and not is_percent and mark.count != len(group) and is_value(wanted, total / len(group)):
        yield f"mean of {', '.join(each.text for each in group)}", group[0].source


def _shares(wanted: NumberReading, one: FigureOperand, other: FigureOperand) -> Iterator[tuple[str, str]]:
    a, b = one.value, other.value
    if one.percent or other.percent or not b or len({one.unit, other.unit} - {""}) > 1:
        return
    if abs(a) <= abs(b) and is_value(wanted, 100 * a / b):
        yield f"{one.text} / {other.text}", one.source
    if is_value(wanted, 100 * (a - b) / b):
        yield f"({one.text} - {other.text}) / {other.text}", one.source


def _products(wanted: NumberReading, one: FigureOperand, other: FigureOperand) -> Iterator[tuple[str, str]]:
    a, b = one.value, other.value
    if is_value(wanted, a) or is_value(wanted, b):
        return
    if other.percent and is_value(wanted, a * b / 100):
        yield f"{one.text} * {other.text}", one.source
    if not one.percent and not other.percent:
        if one.at <= other.at and is_value(wanted, a * b):
            yield f"{one.text} * {other.text}", one.source
        if b and is_value(wanted, a / b):
            yield f"{one.text} / {other.text}", one.source
