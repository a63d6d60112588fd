"""Claims of an answer: its figures, indexed by everything that can stand for them.

Owns the keys a figure can be found under and what was offered for each. It does not read sources (`sources` does) and
does not choose among them (`figure_links` does).
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from glassloop.core.evidence.figures import FigureMark
from glassloop.core.evidence.places import Place
from glassloop.core.evidence.quarters import quarter_at
from glassloop.core.evidence.units.quantities import NumberReading

Key = NumberReading | tuple[str, str] | tuple[str, int] | tuple[str, int, str]
"""A reading, a text, a name, a name as it is `spelled`, a moment (`when`), a quarter, or a length (`count`, `lines`;
with the word for what is counted)."""


class Offer(NamedTuple):
    """A find: how good it is (the lowest is best), in which of the source texts, the text as it stands there, where."""

    rank: int
    source: int
    found: str
    place: Place | None = None


MAX_FOUND = 80
MAX_EQUAL = 64
"""Places kept of one value in one source: the right one is sought among them."""

# How good an offer is; the lowest wins. What was said ranks behind everything observed.
VERBATIM, EQUAL, COUNTED, ROUNDED, DERIVED = 0, 1, 3, 4, 6
SAID = 10
FAILED = 5 * SAID
"""What stands in the error of a failed call; it counts only where the answer tells of the failure."""
_COUNTED_BY_NAME = -1
_TELLING_DIGITS = 4
_MIN_COPY = 12
"""Characters of a line that tell where it was copied from."""

_NOUNS = frozenset(
    {"row", "record", "entry", "item", "result", "line", "file", "match", "hit", "occurrence"}
    | {"rows", "records", "entries", "items", "results", "lines", "files", "matches", "hits", "occurrences"}
)
_MEASURES = frozenset("个条家行项笔份名位台件次种张页款批只")
_CLAUSE = re.compile(r"[*_ \xa0]*([^.,;:!?()|\n，。；：]*)")


class AnswerClaims:
    """The figures of one answer, each with what was offered for it."""

    def __init__(self, answer: str, marks: Sequence[FigureMark]) -> None:
        self.handicap = 0
        self._answer = answer
        self._marks = marks
        self._offers: dict[Key, list[Offer]] = {}
        self._best: dict[Key, int] = {}
        self._counts: dict[tuple[Key, int], int] = {}
        self._copied: set[tuple[int, int]] = set()
        every = [*marks, *(part for mark in marks for part in mark.parts)]
        self._keys = {(mark.start, mark.end): list(self._keys_of(mark)) for mark in every}
        self.known = {key for keys in self._keys.values() for key, _ in keys}
        readings = dict.fromkeys(reading for mark in every for reading in mark.readings)
        self.spaces = {space: RoundingIndex(readings, space) for space in {"", *(each.space for each in readings)}}
        self.scales = {each.scale for each in readings if each.scale}
        self.names: dict[str, bool] = {}
        """Names to search for, and whether each is made of parts, so that it must not be a part itself."""
        self.spelled: dict[str, bool] = {}
        """The same of names in code, whose letters must be as large or small as they are told."""
        for mark in marks:
            if mark.kind in ("identifier", "name"):
                names = self.spelled if self._is_code(mark) else self.names
                for name in self._names_of(mark):
                    names[name] = mark.kind == "identifier" and any(char in "-_./:" for char in name)
        self.has_quarters = any(type(key) is tuple and key[0] == "quarter" for key in self.known)
        self.has_counts = any(mark.count is not None for mark in marks)
        self.has_figures = any(mark.kind in ("number", "date") for mark in marks)

    def _names_of(self, mark: FigureMark) -> Iterator[str]:
        name = self._answer[mark.start : mark.end]
        name = name if self._is_code(mark) else name.lower()
        yield name
        if mark.kind == "identifier" and name[0] in "vV" and name[1:2].isdigit():
            yield name[1:]

    def _keys_of(self, mark: FigureMark) -> Iterator[tuple[Key, int]]:
        """What may stand for a figure, each with what it costs against a plain find."""
        quarter = quarter_at(self._answer, mark.start, mark.end)
        if quarter is not None:
            yield quarter, 1
        if mark.kind in ("identifier", "name"):
            for cost, name in enumerate(self._names_of(mark)):
                yield ("spelled" if self._is_code(mark) else "name", name), cost
            return
        yield ("text", squash(self._answer[mark.start : mark.end])), 0
        for reading in mark.readings:
            yield reading, 0 if reading.sure else 1
        for moment in mark.moments:
            yield ("when", moment.key), 0 if mark.kind == "date" else 1
        if mark.count is not None:
            yield from _count_keys(mark.count, mark.noun)

    def _is_code(self, mark: FigureMark) -> bool:
        """One word in backticks."""
        within = self._answer[mark.start : mark.end]
        around = self._answer[mark.start - 1 : mark.start], self._answer[mark.end : mark.end + 1]
        return around == ("`", "`") and " " not in within

    def offers(self, mark: FigureMark) -> list[Offer]:
        """Everything that stands for a figure, with its cost."""
        return [
            offer._replace(rank=offer.rank + cost)
            for key, cost in self._keys[mark.start, mark.end]
            for offer in self._offers.get(key, ())
        ]

    def best_rank(self, mark: FigureMark) -> int | None:
        return min(
            (self._best[key] + cost for key, cost in self._keys[mark.start, mark.end] if key in self._best),
            default=None,
        )

    def offer(self, key: Key, rank: int, source: int, found: str, place: Place | None = None) -> None:
        if key not in self.known:
            return
        rank += self.handicap
        count = self._counts.get((key, source), 0)
        if count < MAX_EQUAL:
            self._counts[key, source] = count + 1
            self._offers.setdefault(key, []).append(Offer(rank, source, found[:MAX_FOUND], place))
            self._best[key] = min(rank, self._best.get(key, rank))

    def note_copies(self, text: str) -> None:
        """Notes the figures in lines that the answer has word for word from this text, if they were found in it."""
        copied = _copied_lines(self._answer, text)
        begins = [begin for begin, _ in copied]
        for mark in self._marks:
            at = bisect_right(begins, mark.start) - 1
            if at >= 0 and mark.end <= copied[at][1] and self.best_rank(mark) is not None:
                self._copied.add((mark.start, mark.end))

    @property
    def settled(self) -> bool:
        """Whether no older source can be better: everything is in a line that was copied, or stands somewhere word for
        word and is no common number."""
        return all(
            (mark.start, mark.end) in self._copied
            or (
                self.best_rank(mark) == VERBATIM
                and (
                    mark.kind != "number"
                    or sum(map(str.isdigit, self._answer[mark.start : mark.end])) >= _TELLING_DIGITS
                )
            )
            for mark in self._marks
        )

    @property
    def complete(self) -> bool:
        return all((best := self.best_rank(mark)) is not None and not is_of_failure(best) for mark in self._marks)


def _copied_lines(answer: str, text: str) -> list[tuple[int, int]]:
    """Where lines of the answer stand that the text has, too; a short one only after the same line as there."""
    lines = [line.strip() for line in text.splitlines()]
    long = {line for line in lines if len(line) >= _MIN_COPY}
    pairs = set(pairwise(lines))
    copied: list[tuple[int, int]] = []
    begin, before = 0, ""
    for line in answer.splitlines(keepends=True):
        end, said = begin + len(line), line.strip()
        if said in long or (said and (before, said) in pairs):
            copied.append((begin, end))
        begin, before = end, said
    return copied


def is_of_failure(rank: int) -> bool:
    return FAILED <= rank < FAILED + SAID


class RoundingIndex:
    """Which readings a value rounds to, by one bisection.

    Readings of one precision do not overlap, so however many there are a value falls into few of them.
    """

    def __init__(self, readings: Iterable[NumberReading], space: str) -> None:
        edges: list[tuple[float, int, NumberReading]] = []
        for reading in readings:
            if reading.space == space:
                low, high = reading.interval
                edges += [(low, 1, reading), (math.nextafter(high, math.inf), 0, reading)]
        edges.sort(key=lambda edge: edge[:2])
        self._bounds: list[float] = []
        self._cover: list[tuple[NumberReading, ...]] = [()]
        active: dict[NumberReading, None] = {}
        for place, opens, reading in edges:
            if opens:
                active[reading] = None
            else:
                active.pop(reading, None)
            self._bounds.append(place)
            self._cover.append(tuple(active))

    def at(self, value: float) -> tuple[NumberReading, ...]:
        return self._cover[bisect_right(self._bounds, value)]


def squash(text: str) -> str:
    """A figure's text without what only lays it out."""
    return "".join(text.split()).lower()


def _count_keys(count: int, noun: str) -> Iterator[tuple[Key, int]]:
    """A length is a weak witness for a bare number and a strong one for the things it is the length of."""
    clause = _CLAUSE.match(noun)
    words = clause[1].lower().split()[:3] if clause is not None else []
    generic = any(word in _NOUNS for word in words) or (bool(words) and words[0][0] in _MEASURES)
    yield ("count", count), _COUNTED_BY_NAME - COUNTED if generic else 0
    if generic:
        yield ("lines", count), 0
    for word in words:
        yield ("count", count, singular(word)), _COUNTED_BY_NAME - COUNTED


def singular(word: str) -> str:
    return word.removesuffix("s")
