"""Values of source texts: their numbers, names, lengths and columns, offered to the claims of an answer.

Owns the reading of one text or of the JSON it is, bounded over all sources together. It does not decide which offer is
right (`figure_links` does).
"""

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate, islice
from typing import Any, Final, cast

import msgspec

from glassloop.core.evidence.claims import (
    COUNTED,
    DERIVED,
    EQUAL,
    FAILED,
    ROUNDED,
    SAID,
    VERBATIM,
    AnswerClaims,
    Key,
    singular,
    squash,
)
from glassloop.core.evidence.computed.columns import derivations, number_columns, numbers_rows
from glassloop.core.evidence.computed.computation import ObservedNumbers
from glassloop.core.evidence.figures import FigureMark, plain, read_figures
from glassloop.core.evidence.name_search import find_name
from glassloop.core.evidence.places import ObservedTable, Owner, Path, Place, RowTable, TextPlaces, written_path
from glassloop.core.evidence.quarters import MAX_QUARTERS, Quarter, quarter_of_record, quarters_in
from glassloop.core.evidence.source_texts import RepeatedArguments, SourceText
from glassloop.core.evidence.text_lengths import lengths_of_text
from glassloop.core.evidence.units.labels import Unit, unit_of_label
from glassloop.core.evidence.units.quantities import COUNT, DIMENSIONS, NAME, NumberReading, agrees, scale_names
from glassloop.core.records import FigureOrigin, Json

MAX_VALUES = 200_000
MAX_CHARS = 2_000_000
MAX_SAID = 200_000
MAX_DEPTH = 64
MAX_NAME_PLACES = 16
MAX_LEAVES = 64
MAX_RECORDS = 40
"""Records whose numbers a figure may be worked out from: the totals of an observation, not its rows."""
MAX_TABLES = 12
MAX_SINGLE_KEYS = 64
MAX_ERROR = 2_000
MAX_ERROR_FIGURES = 50
ASKED = 100
"""What only repeats an argument ranks behind everything, and is no source."""

HANDICAPS: Final[dict[FigureOrigin, int]] = {
    "question": SAID,
    "earlier_words": 2 * SAID,
    "context": 3 * SAID,
    "earlier_answer": 4 * SAID,
}
_CONTAINERS = frozenset({dict, list, tuple})
_Node = dict[str, Any] | Sequence[Any]
_Where = tuple[Path, _Node, RowTable | None, Owner | None]
"""A record or list: its path, itself, the table it is a row of, the row it stands in."""
_Leaf = tuple[_Where, Any]
"""Where a value stands, and its name there."""
_Hit = tuple[float, str, bool]
"""A number, the key it stands under, and whether it is written with a fraction."""

_TEXT_COST = 4
"""Reading a figure out of a text costs about as much as four values of data."""

# Most of a table is not in the answer: numbers, dates and identifiers that nothing around them can turn into anything
# else are wiped before the scan, unless they are looked for.
_LONE = re.compile(
    r'(?:(?<=[\n\t|\[{"=])|(?<=[|:\[{=] )|(?<=  ))[0-9]{1,15}(?:\.[0-9]{1,9})?(?=[\n\t|\]}"]|[ ,;](?=[\s\]}|"]))'
    r"|(?<![0-9A-Za-z_.:/-])(?P<date>[0-9]{4}-(?P<month>[0-9]{2})-(?P<day>[0-9]{2}))(?=[\n\t|,;\"]| [|\n])"
    r"|(?<![0-9A-Za-z_.:/-])(?P<name>(?!USD|EUR|GBP|CNY|RMB|JPY|INR|CHF|CAD|AUD|HKD|SGD|TWD|KRW)[A-Z]{1,4}-[0-9]{1,12})"
    r"(?=[\n\t|,;\"]| [|\n])"
)
_WORD = re.compile(r"[a-z]+|[^\W\d_a-z]+")


class SourceScan:
    """Reads source texts and offers what it sees."""

    def __init__(self, claims: AnswerClaims) -> None:
        self._claims = claims
        self._values = MAX_VALUES
        self._chars = MAX_CHARS
        self._columns: list[tuple[int, Path, str, Sequence[Any]]] = []
        self._raw = claims.spaces[""]
        self._bases = {unit: space for unit, space in claims.spaces.items() if unit}
        self._single: dict[tuple[str, ...], tuple[list[Any], RowTable]] = {}
        self.records: list[ObservedNumbers] = []
        self._texts: list[tuple[int, TextPlaces]] = []
        self._source = 0
        self._repeated = RepeatedArguments(())
        self._places: Callable[[int, int], list[Place | None]] = _nowhere

    @property
    def spent(self) -> bool:
        return self._values <= 0 or self._chars <= 0

    def read(self, number: int, source: SourceText) -> None:
        """A failed call is a witness for its error: see `answer_layout.tells_of_failure`."""
        self._source, self._claims.handicap = number, HANDICAPS.get(source.origin, 0)
        self._repeated, self._places = RepeatedArguments(source.args), _nowhere
        if source.origin in HANDICAPS:
            # What was said is short, and counts however much was observed.
            self._chars, self._values = max(self._chars, MAX_SAID), max(self._values, MAX_SAID)
        if source.sourced is not None:
            self._read(self._bounded("\n".join(each for each in source.sourced if each in source.text)))
        elif source.failed:
            self._read_error(self._bounded(source.text))
        elif isinstance(data := _parsed(source.text), str):
            text = self._bounded(data)
            self._read_text(text)
            if not self._claims.handicap:
                self._claims.note_copies(plain(text))
        else:
            self._walk(data)

    def _read_error(self, text: str) -> None:
        self._find_names(text)
        within, self._claims.handicap = TextPlaces(text), FAILED
        self._places = lambda start, end: [within.at(start, end)]
        for mark in islice(read_figures(text[:MAX_ERROR], prose=False), MAX_ERROR_FIGURES):
            self._see_mark(mark, text[mark.start : mark.end], frozenset())

    def _read_text(self, text: str) -> None:
        within = TextPlaces(text)
        self._places = lambda start, end: [within.at(start, end)]
        self._read(text)
        if not self._claims.handicap and "--" in text and "|" in text:
            self._texts.append((self._source, within))
        if self._claims.has_counts:
            for key, found in lengths_of_text(text):
                self._offer(key, COUNTED, found, None)

    def tables(self) -> list[ObservedTable]:
        """The latest tables that were observed."""
        listed = [ObservedTable(seen.source, seen.rows) for seen in self.records if seen.rows is not None]
        for number, within in self._texts:
            listed += [ObservedTable(number, rows) for rows in within.tables()]
        return sorted(listed, key=lambda table: -table.source)[:MAX_TABLES]

    def _bounded(self, text: str) -> str:
        text = text[: max(0, self._chars)]
        self._chars -= len(text)
        return text

    def _offer(self, key: Key, rank: int, found: str, place: Place | None) -> None:
        self._claims.offer(key, rank, self._source, found, place)

    def _read(self, text: str) -> None:
        """A text: its names by search, its figures by the scan that reads the answer too."""
        lowered = self._find_names(text)
        if self._claims.has_quarters:
            for quarter in islice(quarters_in(text), MAX_QUARTERS):
                self._see_quarter(quarter)
        if not self._claims.has_figures:
            return
        scales = self._scales_in(lowered)
        telling = _LONE.sub(self._blank, text)
        for mark in islice(read_figures(telling, prose=False), max(0, self._values // _TEXT_COST)):
            self._values -= _TEXT_COST
            self._see_mark(mark, text[mark.start : mark.end], scales)

    def _blank(self, found: re.Match[str]) -> str:
        self._values -= 1
        text, kind = found[0], found.lastgroup
        if kind is None:
            return text if self._raw.at(float(text)) else " " * len(text)
        if kind == "name":
            return " " * len(text)
        year, month, day = text[:4], found["month"], found["day"]
        keys = (text, year, f"{year}-{month}", f"{month}-{day}")
        return text if any(("when", key) in self._claims.known for key in keys) else " " * len(text)

    def _see_mark(self, mark: FigureMark, found: str, scales: frozenset[str]) -> None:
        at, asked = (mark.start, mark.end), self._repeated
        for seen in (mark, *mark.parts):
            if not any(reading.value in asked.numbers for reading in seen.readings):
                for reading in seen.readings:
                    if not reading.scale:
                        self._see_in_text(reading, found, scales, at)
            elif mark.kind == "number":
                return
        if mark.moments:
            later = ASKED if any(moment.key in asked.moments for moment in mark.moments) else 0
            self._offer_at(("text", squash(found)), VERBATIM + later, found, at)
            for key in {key for moment in mark.moments for key in moment.parts()}:
                self._offer_at(("when", key), EQUAL + later, found, at)

    def _offer_at(self, key: Key, rank: int, found: str, at: tuple[int, int] | list[Place | None]) -> None:
        if key in self._claims.known:
            for place in self._places(*at) if isinstance(at, tuple) else at:
                self._offer(key, rank, found, place)

    def _see(
        self, seen: NumberReading, found: str, scales: frozenset[str], at: tuple[int, int] | list[Place | None]
    ) -> None:
        """One value, offered to every figure it rounds to. `scales` are those the text around it names."""
        space = self._claims.spaces.get(seen.space)
        for wanted in space.at(seen.value) if space is not None else ():
            how = agrees(wanted, seen)
            if how is None or (wanted.scale and wanted.scale not in scales):
                continue
            self._offer_at(wanted, (EQUAL if how == "exactly" else ROUNDED) + (not seen.sure), found, at)
            if how == "exactly":
                self._offer_at(("text", squash(found)), VERBATIM, found, at)

    def _see_in_text(self, seen: NumberReading, found: str, scales: frozenset[str], at: tuple[int, int]) -> None:
        """A number without a unit has that of its column or of the words before its colon."""
        place = self._places(*at)[0] if not seen.unit and self._raw.at(seen.value) else None
        for reading in (seen,) if place is None else _labelled(seen, unit_of_label(place.told_by(found))):
            self._see(reading, found, scales, at)

    def _scales_in(self, lowered: str) -> frozenset[str]:
        return frozenset(scale for scale in self._claims.scales if any(name in lowered for name in scale_names(scale)))

    def _find_names(self, text: str) -> str:
        written, lowered = plain(text), plain(text).lower()
        shown = text if len(text) == len(lowered) else lowered
        kinds = (("name", self._claims.names, lowered, shown), ("spelled", self._claims.spelled, written, text))
        for kind, names, within, said in kinds:
            for name, compound in names.items():
                later = ASKED if self._repeated.holds(name.lower()) else 0
                for start, end in islice(find_name(within, name, compound), MAX_NAME_PLACES):
                    self._offer_at((kind, name), VERBATIM + later, said[start:end], (start, end))
        return lowered

    def _see_quarter(self, quarter: Quarter) -> None:
        later = ASKED if quarter.first_day in self._repeated.moments else 0
        for key in quarter.names():
            self._offer(key, EQUAL + later, quarter.found, None)

    def _walk(self, data: Json) -> None:
        """A JSON value, breadth first: its numbers against the figures, its strings and keys as one text."""
        texts: dict[str, list[_Leaf]] = {}
        hits: dict[_Hit, list[_Leaf]] = {}
        pending: deque[tuple[_Where, str]] = deque([(((), cast("_Node", data), None, None), "")])
        while pending and self._values > 0:
            where, key = pending.popleft()
            path, node, table, owner = where
            rows: RowTable | None = None
            items: Iterable[tuple[Any, Any]]
            if isinstance(node, dict):
                for name in islice(node, self._values):
                    if name not in texts and type(name) is str:
                        texts[name] = []
                items = node.items()
                if self._claims.has_quarters and (quarter := quarter_of_record(node)) is not None:
                    self._see_quarter(quarter)
                if table is not None:
                    owner = Owner(node, table, owner)
                elif len(self.records) < MAX_RECORDS:
                    self.records.append(ObservedNumbers(self._source, node, None))
                if not path:
                    where = path, node, self._table_of_single(node), None
            else:
                items, rows = enumerate(node), RowTable(node)
                self._measure(path, key, node, rows)
            for name, value in islice(items, self._values):
                kind = cast("type[object]", type(value))
                if kind is float or kind is int:
                    self._note(value, key if rows else str(name), (where, name), texts, hits)
                elif kind is str:
                    if (leaves := texts.get(value)) is None:
                        texts[value] = [(where, name)]
                    else:
                        leaves.append((where, name))
                elif kind in _CONTAINERS and len(path) < MAX_DEPTH:
                    pending.append((((*path, name), value, rows, owner), key if rows else str(name)))
            self._values -= len(node)
        self._settle(texts, hits)

    def _table_of_single(self, record: dict[str, Any]) -> RowTable | None:
        """Results of several calls that have the same keys are rows of one table."""
        if self._claims.handicap or len(record) > MAX_SINGLE_KEYS or len(self._single) > MAX_TABLES:
            return None
        keys = tuple(record)
        if keys not in self._single:
            rows = list[Any]()
            self._single[keys] = rows, RowTable(rows)
        self._single[keys][0].append(record)
        return self._single[keys][1]

    def _note(
        self, value: float, key: str, leaf: _Leaf, texts: dict[str, list[_Leaf]], hits: dict[_Hit, list[_Leaf]]
    ) -> None:
        """Keep a number that some figure may mean; the bounds keep out NaN and what a float cannot hold."""
        if not -1e300 < value < 1e300:
            return
        if self._raw.at(value) or (self._bases and self._is_measured(value, key)):
            hits.setdefault((float(value), key, type(value) is float), []).append(leaf)
        if not -1e15 < value < 1e15 and type(value) is int:
            texts.setdefault(str(value), []).append(leaf)

    def _is_measured(self, value: float, key: str) -> bool:
        unit, factor = unit_of_label(key)
        return unit in self._bases and bool(self._bases[unit].at(value * factor))

    def _settle(self, texts: dict[str, list[_Leaf]], hits: dict[_Hit, list[_Leaf]]) -> None:
        text = self._bounded("\n".join(texts))
        scales = self._scales_in(text.lower())
        for (value, key, fractional), leaves in hits.items():
            if value in self._repeated.numbers:
                continue
            found, places = _written(value, fractional), _places_of(leaves)
            seen = NumberReading(value=value, step=0.1 if fractional else 1.0)
            for reading in _labelled(seen, unit_of_label(key)):
                self._see(reading, found, scales, places)
        standing = list(texts.values())
        starts = list(accumulate((len(each) + 1 for each in texts), initial=0))
        self._places = lambda start, _end: _places_of(standing[bisect_right(starts, start) - 1])
        self._read(text)

    def _measure(self, path: Path, key: str, node: Sequence[Any], rows: RowTable) -> None:
        """A list's length may be what an answer counts; its columns may be what it adds up."""
        if self._claims.has_counts:
            found = f"count of {written_path(path, indexed=False) or 'rows'}"
            place = Place(key, path)
            self._offer(("count", len(node)), COUNTED, found, place)
            for word in _WORD.findall(key.lower()):
                self._offer(("count", len(node), singular(word)), COUNTED, found, place)
        if len(node) > 1 and self._claims.has_figures and not self._claims.handicap:
            self._columns.append((self._source, path, key, node))
            if len(self.records) < MAX_RECORDS:
                self.records.append(ObservedNumbers(self._source, {}, rows))

    def derive(self) -> None:
        """Sums, means and differences of one column, for the figures that nothing else explains."""
        self._claims.handicap = 0
        for source, path, key, node in self._columns:
            self._source, where = source, written_path(path, indexed=False)
            for name, values in number_columns(node).items():
                unit = unit_of_label(name or key)[0]
                if unit == NAME or numbers_rows(values):
                    continue
                label = where if name is None else f"{where}[].{name}" if where else name
                for how, value in derivations(values):
                    self._see_derived(value, unit, f"{how} of {label}")

    def _see_derived(self, value: float, unit: str, found: str) -> None:
        """Small round figures agree with some mean by chance: they count only when they are equal."""
        seen = NumberReading(value=value, step=0.1, unit=unit)
        for wanted in self._raw.at(value):
            telling = abs(wanted.value) >= 100 * wanted.step or abs(wanted.value - value) <= 1e-6 * wanted.step
            # A difference of two percentages is no percentage.
            sound = wanted.sure and not (wanted.ratio and found.startswith("difference"))
            if sound and telling and agrees(wanted, seen):
                self._offer(wanted, DERIVED, found, None)


def _nowhere(_start: int, _end: int) -> list[Place | None]:
    return [None]


def _places_of(leaves: Sequence[_Leaf]) -> list[Place | None]:
    return [_place(leaf) for leaf in leaves[:MAX_LEAVES]] or [None]


def _place(leaf: _Leaf) -> Place:
    (path, node, table, owner), name = leaf
    row = node if isinstance(node, dict) else None
    label = str(name) if row is not None else next((part for part in reversed(path) if isinstance(part, str)), "")
    return Place(label, (*path, name), row, table, owner)


def _labelled(seen: NumberReading, told: Unit) -> Sequence[NumberReading]:
    """A bare number with the unit of its label; also in the base unit of a dimension. Only whole numbers count."""
    unit, factor = told
    if not unit or (unit == COUNT and not seen.value.is_integer()):
        return (seen,)
    named = msgspec.structs.replace(seen, unit=unit)
    if unit not in DIMENSIONS:
        return (named,)
    return named, msgspec.structs.replace(named, value=seen.value * factor, step=seen.step * factor, base=True)


def _written(value: float, fractional: bool) -> str:
    return str(value) if fractional else str(int(value))


def _parsed(output: str) -> Json:
    """Text that is a JSON list or object is read as one; everything else stays the text it is."""
    if output[:1] not in ("{", "[") or len(output) > MAX_CHARS:
        return output
    try:
        return msgspec.json.decode(output)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return output
