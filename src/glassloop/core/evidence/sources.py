"""Values of observations: their numbers, texts, lengths and columns, offered to the claims of an answer.

Owns the reading of a `ToolResult`, bounded over all observations of a turn together. It does not decide which offer is
best (`claims` does).
"""

import math
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, repeat
from typing import Any, cast

import msgspec

from glassloop.core.evidence.claims import (
    COUNTED,
    DERIVED,
    EQUAL,
    ROUNDED,
    VERBATIM,
    AnswerClaims,
    Key,
    singular,
    squash,
)
from glassloop.core.evidence.figures import FigureMark, plain, read_figures
from glassloop.core.evidence.quantities import DIMENSIONS, NumberReading, agrees, scale_names, unit_of_key
from glassloop.core.records import Json, ToolResult

MAX_VALUES = 200_000
MAX_CHARS = 2_000_000
MAX_DEPTH = 64
_CONTAINERS = frozenset({dict, list, tuple})
_Node = dict[str, Any] | Sequence[Any]
_Hit = tuple[float, str, bool]
"""A number, the key it stands under, and whether it is written with a fraction."""
_MAX_PATH = 60
_MAX_TRIES = 32

_TEXT_COST = 4
"""Reading a figure out of a text costs about as much as four values of data."""

# A number that nothing around it can turn into a date, an amount, a range or a part of another.
_LONE_NUMBER = re.compile(
    r'(?:(?<=[\n\t|\[{"=])|(?<=[|:\[{=] )|(?<=  ))[0-9]{1,15}(?:\.[0-9]{1,9})?(?=[\n\t|\]}"]|[ ,;](?=[\s\]}|"]))'
)
_RULE = re.compile(r"[ \t|+:=-]*+")
_GAP = re.compile(r"\S {2,}(?=\S)")
_DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"[a-z]+|[^\W\d_a-z]+")


class ObservationScan:
    """Reads observations and offers what it sees."""

    def __init__(self, claims: AnswerClaims) -> None:
        self._claims = claims
        self._values = MAX_VALUES
        self._chars = MAX_CHARS
        self._columns: list[tuple[str, str, str, Sequence[Any]]] = []
        self._raw = claims.spaces[""]
        self._bases = {unit: space for unit, space in claims.spaces.items() if unit}
        self._units: dict[str, tuple[str, float]] = {}

    @property
    def spent(self) -> bool:
        return self._values <= 0 or self._chars <= 0

    def observe(self, source: str, result: ToolResult) -> None:
        """A failed call is a witness for the names in its error and for nothing else."""
        if not result.success:
            self._find_names(source, self._bounded(result.error or result.output))
            return
        data = _parsed(result.output) if result.data is None else result.data
        if isinstance(data, str):
            text = self._bounded(data)
            self._read(source, text)
            if self._claims.has_counts:
                for key, found in _lengths_of_text(text):
                    self._claims.offer(key, COUNTED, source, found)
        else:
            self._walk(source, data)

    def ask(self, question: str) -> None:
        """What the person said."""
        self._chars, self._values = MAX_CHARS, MAX_VALUES
        self._read("question", self._bounded(question))

    def _bounded(self, text: str) -> str:
        text = text[: max(0, self._chars)]
        self._chars -= len(text)
        return text

    def _read(self, source: str, text: str) -> None:
        """A text: its names by search, its figures by the scan that reads the answer too."""
        lowered = self._find_names(source, text)
        if not self._claims.has_figures:
            return
        scales = self._scales_in(lowered)
        telling = _LONE_NUMBER.sub(self._blank, text)
        for mark in islice(read_figures(telling, prose=False), max(0, self._values // _TEXT_COST)):
            self._values -= _TEXT_COST
            self._see_mark(source, mark, text[mark.start : mark.end], scales)

    def _blank(self, found: re.Match[str]) -> str:
        """Most numbers of a table are not in the answer: those that stand alone are wiped before the scan."""
        self._values -= 1
        number = found[0]
        return number if self._raw.at(float(number)) else " " * len(number)

    def _see_mark(self, source: str, mark: FigureMark, found: str, scales: frozenset[str]) -> None:
        for seen in (mark, *mark.parts):
            for reading in seen.readings:
                if not reading.scale:
                    self._see(source, reading, found, scales)
        if mark.moments:
            self._claims.offer(("text", squash(found)), VERBATIM, source, found)
            for moment in mark.moments:
                for key in moment.parts():
                    self._claims.offer(("when", key), EQUAL, source, found)

    def _see(self, source: str, seen: NumberReading, found: str, scales: frozenset[str]) -> None:
        """One value, offered to every figure it rounds to. `scales` are those the text around it names."""
        space = self._claims.spaces.get(seen.space)
        for wanted in space.at(seen.value) if space is not None else ():
            how = agrees(wanted, seen)
            if how is None or (wanted.scale and wanted.scale not in scales):
                continue
            self._claims.offer(wanted, (EQUAL if how == "exactly" else ROUNDED) + (not seen.sure), source, found)
            if how == "exactly":
                self._claims.offer(("text", squash(found)), VERBATIM, source, found)

    def _scales_in(self, lowered: str) -> frozenset[str]:
        return frozenset(scale for scale in self._claims.scales if any(name in lowered for name in scale_names(scale)))

    def _find_names(self, source: str, text: str) -> str:
        lowered = plain(text).lower()
        shown = text if len(text) == len(lowered) else lowered
        for name, compound in self._claims.names.items():
            if not self._claims.has(("name", name), source) and (at := _find_name(lowered, name, compound)) >= 0:
                self._claims.offer(("name", name), VERBATIM, source, shown[at : at + len(name)])
        return lowered

    def _walk(self, source: str, data: Json) -> None:
        """A JSON value, breadth first: its numbers against the figures, its strings and keys as one text."""
        texts: dict[str, None] = {}
        hits: dict[_Hit, str] = {}
        pending: deque[tuple[_Node, str, str, int]] = deque([((data,), "", "", 0)])
        while pending and self._values > 0:
            node, path, key, depth = pending.popleft()
            items: Iterable[tuple[str, Any]]
            if isinstance(node, dict):
                texts.update((name, None) for name in islice(node, self._values) if type(name) is str)
                items = node.items()
            else:
                items = zip(repeat(key), node, strict=False)
                if depth:
                    self._measure(source, path, key, node)
            for name, value in islice(items, self._values):
                kind = cast("type[object]", type(value))
                if kind is float or kind is int:
                    self._note(value, name, texts, hits)
                elif kind is str:
                    texts[value] = None
                elif kind in _CONTAINERS and depth < MAX_DEPTH:
                    inner = f"{path}.{name}".strip(".") if isinstance(node, dict) else f"{path}[]" if depth else ""
                    pending.append((value, inner[:_MAX_PATH], str(name), depth + 1))
            self._values -= len(node)
        self._settle(source, texts, hits)

    def _note(self, value: float, key: str, texts: dict[str, None], hits: dict[_Hit, str]) -> None:
        """Keep a number that some figure may mean; the bounds keep out NaN and what a float cannot hold."""
        if not -1e300 < value < 1e300:
            return
        if self._raw.at(value) or (self._bases and self._is_measured(value, key)):
            hits.setdefault((float(value), key, type(value) is float), str(value))
        if not -1e15 < value < 1e15 and type(value) is int:
            texts[str(value)] = None

    def _is_measured(self, value: float, key: str) -> bool:
        unit, factor = self._unit(key)
        return unit in self._bases and bool(self._bases[unit].at(value * factor))

    def _unit(self, key: str) -> tuple[str, float]:
        unit = self._units.get(key)
        if unit is None:
            unit = self._units[key] = unit_of_key(key) if type(key) is str else ("", 1.0)
        return unit

    def _settle(self, source: str, texts: dict[str, None], hits: dict[_Hit, str]) -> None:
        text = self._bounded("\n".join(texts))
        scales = self._scales_in(text.lower())
        for (value, key, fractional), found in hits.items():
            unit, factor = self._unit(key)
            seen = NumberReading(value=value, step=0.1 if fractional else 1.0, unit=unit)
            self._see(source, seen, found, scales)
            if unit in DIMENSIONS:
                based = NumberReading(value=value * factor, step=seen.step * factor, unit=unit, base=True)
                self._see(source, based, found, scales)
        self._read(source, text)

    def _measure(self, source: str, path: str, key: str, node: Sequence[Any]) -> None:
        """A list's length may be what an answer counts; its columns may be what it adds up."""
        if self._claims.has_counts:
            found = f"count of {path or 'rows'}"
            self._claims.offer(("count", len(node)), COUNTED, source, found)
            for word in _WORD.findall(key.lower()):
                self._claims.offer(("count", len(node), singular(word)), COUNTED, source, found)
        if len(node) > 1 and self._claims.has_figures:
            self._columns.append((source, path, key, node))

    def derive(self) -> None:
        """Sums, means and differences of one column, for the figures that nothing else explains."""
        for source, path, key, node in self._columns:
            for name, values in _columns(node).items():
                label = path if name is None else f"{path}[].{name}" if path else name
                for how, value in _derivations(values):
                    self._see_derived(source, value, self._unit(name or key)[0], f"{how} of {label}")

    def _see_derived(self, source: str, value: float, unit: str, found: str) -> None:
        """Small round figures agree with some mean by chance: they count only when they are equal."""
        seen = NumberReading(value=value, step=0.1, unit=unit)
        for wanted in self._raw.at(value):
            telling = abs(wanted.value) >= 100 * wanted.step or abs(wanted.value - value) <= 1e-6 * wanted.step
            # A difference of two percentages is no percentage.
            sound = wanted.sure and not (wanted.ratio and found.startswith("difference"))
            if sound and telling and agrees(wanted, seen):
                self._claims.offer(wanted, DERIVED, source, found)


def _parsed(output: str) -> Json:
    """Text that is a JSON list or object is read as one; everything else stays the text it is."""
    if output[:1] not in ("{", "[") or len(output) > MAX_CHARS:
        return output
    try:
        return msgspec.json.decode(output)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return output


def _find_name(text: str, name: str, compound: bool) -> int:
    """Where a name stands on its own; -1 where it is only a part of longer ones."""
    at = text.find(name)
    for _ in range(_MAX_TRIES):
        if at < 0 or _stands_alone(text, at, at + len(name), compound):
            return at
        at = text.find(name, at + 1)
    return -1


def _stands_alone(text: str, start: int, end: int, compound: bool) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if _is_word(text[start]) and _joins(before[::-1], compound):
        return False
    return not (_is_word(text[end - 1]) and _joins(after, compound))


def _joins(outward: str, compound: bool) -> bool:
    """Whether the characters next to a name make it longer, looking away from it."""
    if not outward:
        return False
    if _is_word(outward[0]):
        return True
    return compound and outward[0] in "-_." and _is_word(outward[1:2])


def _is_word(char: str) -> bool:
    """CJK needs no blanks between words, so only ASCII letters and digits run on."""
    return char.isascii() and char.isalnum()


def _columns(node: Sequence[Any]) -> dict[str | None, list[float]]:
    """The numeric columns of a list of objects by key; of a list of numbers itself, under None."""
    columns: dict[str | None, list[float]] = {}
    for row in islice(node, MAX_VALUES):
        cells: Iterable[tuple[Any, Any]] = (
            cast("dict[Any, Any]", row).items() if isinstance(row, dict) else [(None, row)]
        )
        for name, value in cells:
            if type(value) in (int, float) and -1e15 < value < 1e15:
                columns.setdefault(name, []).append(float(value))
    return columns


def _derivations(values: list[float]) -> Iterator[tuple[str, float]]:
    if len(values) < 2:
        return
    total = math.fsum(values)
    yield "sum", total
    yield "mean", total / len(values)
    if len(values) == 2:
        yield "difference", values[0] - values[1]
        yield "difference", values[1] - values[0]


def _lengths_of_text(text: str) -> Iterator[tuple[Key, str]]:
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
