"""Figures computed over days and clocks: the time between two of them, and days that the person means.

Days come from the answer where they have a source there, from the context (today), and from the person's words.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import islice, permutations
from typing import Final

from glassloop.core.evidence.answer_layout import AnswerLayout
from glassloop.core.evidence.computed.operands import Computed
from glassloop.core.evidence.computed.relative_days import days_meant, months_named
from glassloop.core.evidence.figures import FigureMark, read_figures
from glassloop.core.evidence.moments import Moment
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.evidence.units.quantities import NumberReading
from glassloop.core.records import Figure

_Dated = tuple[Moment, Figure]

MAX_MOMENTS: Final = 8
MAX_MEANT: Final = 24
"""Days that a person's words may mean."""
MAX_DUE: Final = 3
"""Days of one sentence or row that a time to today is worked out for."""
DAY_SECONDS: Final = 86_400
_AS_OF = re.compile(r"(?:\bas (?:of|at)|\btoday|\bnow|\bStand|\bheute|截至|今天)[^.;\n0-9]{0,24}$", re.IGNORECASE)
_DAY_WORDS: Final = frozenset({"day", "tage"})


class DayComputation:
    """The days and clocks of an answer that have a source."""

    def __init__(self, answer: str, layout: AnswerLayout, sources: Sequence[SourceText]) -> None:
        self._answer = answer
        self._layout = layout
        self._sources = sources
        self._moments: dict[tuple[int, int], list[_Dated]] = {}
        self._spans: dict[tuple[int, int], list[tuple[float, str]]] = {}
        self._as_of: list[_Dated] = []
        self._today: date | None = None
        self._meant: list[tuple[date, str]] | None = None

    def add(self, mark: FigureMark, figure: Figure) -> None:
        """A day or clock with a source."""
        for moment in mark.moments[:1]:
            for scope in self._layout.scopes(mark.start):
                self._moments.setdefault(scope, []).append((moment, figure))
            before = self._answer[max(0, mark.start - 40) : mark.start]
            if len(self._as_of) < MAX_DUE and _AS_OF.search(before) is not None:
                self._as_of.append((moment, figure))

    def add_span(self, mark: FigureMark, figure: Figure) -> None:
        """A length of time with a source."""
        lasts = next((reading.value for reading in mark.readings if reading.base and reading.unit == "time"), None)
        if lasts is not None:
            self._spans.setdefault(self._layout.scopes(mark.start)[2], []).append((lasts, figure.text))

    def explain(self, mark: FigureMark) -> Computed | None:
        if mark.kind == "date":
            return self._meant_day(mark) or self._clock(mark)
        lasting = self._lasting(mark)
        if lasting:
            return self._between(mark, lasting) or self._to_today(mark, lasting)
        return None

    def _lasting(self, mark: FigureMark) -> list[NumberReading]:
        """The readings of a figure as a time; in a column of days also those of a bare number."""
        lasting = [reading for reading in mark.readings if reading.base and reading.unit == "time"]
        if not lasting and mark.count is not None:
            near = self._layout.around(mark.start, mark.end)
            if near.tabular and any(word in _DAY_WORDS or "天" in word for word in near.noun):
                days = float(mark.count * DAY_SECONDS)
                lasting = [NumberReading(value=days, step=DAY_SECONDS, unit="time", base=True)]
        return lasting

    def _between(self, mark: FigureMark, lasting: Sequence[NumberReading]) -> Computed | None:
        """Time between two days or two clocks that stand together."""
        near = self._layout.scopes(mark.start)[2]
        if self._layout.around(mark.start, mark.end).tabular:
            near = self._layout.scopes(mark.start)[1]
        for (one, first), (other, second) in permutations(self._moments.get(near, [])[:MAX_MOMENTS], 2):
            between = _seconds(one, other)
            if between > 0 and any(_lasts(reading, between) for reading in lasting):
                return f"{second.text} - {first.text}", second.source or ""
        return None

    def _to_today(self, mark: FigureMark, lasting: Sequence[NumberReading]) -> Computed | None:
        """Time between a day beside the figure and today, or the day that the answer says it is as of."""
        sentence, line, _ = self._layout.scopes(mark.start)
        tabular = self._layout.around(mark.start, mark.end).tabular
        beside = self._moments.get(line if tabular else sentence, [])
        for moment, figure in beside[:MAX_DUE] if len(beside) <= MAX_DUE else ():
            for other, name in self._reference_days():
                between = abs(_seconds(moment, other) or _seconds(other, moment))
                if between and any(_lasts(reading, between) for reading in lasting):
                    return f"{name} - {figure.text}", figure.source or ""
        return None

    def _reference_days(self) -> Iterator[tuple[Moment, str]]:
        for moment, figure in self._as_of:
            yield moment, figure.text
        if (today := self._read_today()) is not None:
            yield Moment(year=today.year, month=today.month, day=today.day), today.isoformat()

    def _clock(self, mark: FigureMark) -> Computed | None:
        """A clock, so long before or after another."""
        wanted = [moment for moment in mark.moments if moment.hour is not None and moment.year is None]
        paragraph = self._layout.scopes(mark.start)[2]
        spans = self._spans.get(paragraph, [])[:MAX_MOMENTS] if wanted else ()
        clocks = [one for one in self._moments.get(paragraph, []) if one[0].hour is not None][:MAX_MOMENTS]
        for moment, figure in clocks if spans else ():
            for lasts, text in spans:
                for sign in (1, -1):
                    if any((_of_day(moment) + sign * lasts - _of_day(goal)) % DAY_SECONDS == 0 for goal in wanted):
                        return f"{figure.text} {'+' if sign > 0 else '-'} {text}", figure.source or ""
        return None

    def _meant_day(self, mark: FigureMark) -> Computed | None:
        """A day that the person means: so long before or after today, of this week or the next, or without its year;
        and a month of a year that is named in another way."""
        today = self._read_today()
        wanted = [one for one in mark.moments if one.month and one.hour is None]
        if today is None or not wanted:
            return None
        asked = "\n".join(source.text for source in self._sources if source.origin == "question")
        for year, month, words in islice(months_named(asked), MAX_MEANT):
            if any((one.year, one.month, one.day) == (year, month, None) for one in wanted):
                return words, "question"
        if self._meant is None:
            self._meant = list(islice(days_meant(asked, today), MAX_MEANT))
        for day, words in self._meant:
            for moment in wanted:
                if (moment.month, moment.day) == (day.month, day.day) and moment.year in (None, day.year):
                    return f"{words}, from {today.isoformat()}", "context"
        return None

    def _read_today(self) -> date | None:
        """The day that the context tells."""
        if self._today is None:
            told = next((source.text for source in reversed(self._sources) if source.origin == "context"), "")
            marks = islice(read_figures(told[:400], prose=False), MAX_MOMENTS)
            self._today = next((day for mark in marks for moment in mark.moments if (day := _date(moment))), None)
        return self._today


def _lasts(wanted: NumberReading, seconds: float) -> bool:
    low, high = wanted.interval
    return low <= seconds <= high


def _date(moment: Moment) -> date | None:
    if not (moment.year and moment.month and moment.day):
        return None
    try:
        return date(moment.year, moment.month, moment.day)
    except ValueError:
        return None


def _seconds(one: Moment, other: Moment) -> int:
    """From the first to the second; 0 where that cannot be told."""
    if one.day and other.day and one.month and other.month and (one.year or other.year):
        try:
            first = date(one.year or other.year or 1, one.month, one.day)
            return (date(other.year or one.year or 1, other.month, other.day) - first).days * DAY_SECONDS
        except ValueError:
            return 0
    if one.hour is not None and other.hour is not None and not one.day and not other.day:
        return (_of_day(other) - _of_day(one)) % DAY_SECONDS
    return 0


def _of_day(moment: Moment) -> int:
    return (moment.hour or 0) * 3600 + (moment.minute or 0) * 60 + (moment.second or 0)
