"""GeoJSON, read one feature at a time: a collection, or one feature a line. Written as a clean CSV.

Properties become columns, members of objects inside them `outer.inner`, lists stay JSON; the geometry becomes
`geometry.lat` and `geometry.lon`, the middle of what is no point.
"""

import codecs
import csv
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from glassloop.extensions.places.importing.reading.csv_text import MAX_COLUMNS, Header
from glassloop.extensions.places.importing.reading.file_kind import Encoding
from glassloop.extensions.places.importing.report import FileRefused, Findings

MAX_FEATURE_CHARS = 4_000_000
MAX_DEPTH = 4
READ_CHARS = 262_144
LAT, LON = "geometry.lat", "geometry.lon"
_SPACE = " \t\r\n,\x1e"
_COLLECTION = re.compile(r'"features"\s*:')
_WHOLE = ("open_hours", "hours", "visitor_home_cbgs", "bucketed_dwell_times", "related_same_day_brand")
"""Objects that are read as JSON later, not as columns."""
_decode = json.JSONDecoder(parse_constant=lambda _: None).raw_decode


class _JsonText:
    """The text of a file, of which only a window is held."""

    def __init__(self, path: Path, encoding: Encoding) -> None:
        self._file = path.open("rb")
        self._file.seek(encoding.mark)
        self._decoder = codecs.getincrementaldecoder(encoding.name)("replace")
        self._text = ""
        self._at = 0
        self._ended = False
        self.line = 1

    def close(self) -> None:
        self._file.close()

    def skip(self) -> str:
        """The next character that is neither blank nor a comma, which stays; empty at the end."""
        while True:
            text, end = self._text, self._at
            while end < len(text) and text[end] in _SPACE:
                end += 1
            self._move(end)
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def holds(self, pattern: re.Pattern[str]) -> bool:
        """Whether what is held of the text has it."""
        return pattern.search(self._text) is not None

    def take(self, chars: int) -> None:
        self._move(self._at + chars)

    def value(self) -> Any:
        """The JSON value that begins here. Raises `FileRefused` where it has no end."""
        wanted = READ_CHARS
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                held = len(self._text) - self._at
                # Others are about numbers of too many digits.
                if not isinstance(error, json.JSONDecodeError) or held > MAX_FEATURE_CHARS:
                    raise FileRefused(
                        f"Line {self.line:,} holds no JSON that can be read: nothing was imported."
                    ) from None
                broken = error.pos < len(self._text) - 64
                if broken or not self._more(wanted):
                    raise self.cut(ended=not broken) from None
                wanted *= 2
                continue
            # A number at the end of what is held may go on.
            if end == len(self._text) and self._more():
                continue
            self._move(end)
            return value

    def cut(self, *, ended: bool) -> FileRefused:
        where = "ends in the middle of a value: it was not copied whole" if ended else "is no JSON there"
        return FileRefused(f"The file {where} (after line {self.line:,}). Nothing was imported.")

    def _move(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end

    def _more(self, chars: int = READ_CHARS) -> bool:
        if self._ended:
            return False
        raw = self._file.read(chars)
        self._ended = not raw
        self._text = self._text[self._at :] + self._decoder.decode(raw, final=self._ended)
        self._at = 0
        return bool(raw)


def read_features(path: Path, encoding: Encoding) -> Iterator[tuple[int, Any]]:
    """Each feature with its line. Raises `FileRefused` where the text is no JSON to its end."""
    text = _JsonText(path, encoding)
    try:
        first = text.skip()
        if first == "[":
            yield from _listed(text)
        elif text.holds(_COLLECTION):
            yield from _collected(text)
        else:
            while text.skip():
                line = text.line
                yield line, text.value()
    finally:
        text.close()


def _listed(text: _JsonText) -> Iterator[tuple[int, Any]]:
    text.take(1)
    while (following := text.skip()) != "]":
        if not following:
            raise text.cut(ended=True)
        line = text.line
        yield line, text.value()
    text.take(1)


def _collected(text: _JsonText) -> Iterator[tuple[int, Any]]:
    """The features of the outermost object; its other members are passed over."""
    text.take(1)
    while (following := text.skip()) != "}":
        if not following:
            raise text.cut(ended=True)
        key = text.value()
        if text.skip() != ":":
            raise text.cut(ended=not text.skip())
        text.take(1)
        if text.skip() == "[" and key == "features":
            yield from _listed(text)
        else:
            text.value()


def write_features(path: Path, encoding: Encoding, clean: Path, findings: Findings) -> tuple[Header, int]:
    """Writes the features as rows with their line as the last column; the header, and how many were read."""
    columns: dict[str, None] = {}
    for _, feature in read_features(path, encoding):
        columns.update(dict.fromkeys(_row(feature)))
        if len(columns) > MAX_COLUMNS:
            raise FileRefused(f"The features have more than {MAX_COLUMNS:,} properties: export fewer.")
    read = 0
    with clean.open("w", encoding="utf-8", newline="") as made:
        writer = csv.writer(made, delimiter=",", quoting=csv.QUOTE_ALL, lineterminator="\n")
        for line, feature in read_features(path, encoding):
            read += 1
            if not isinstance(feature, dict):
                findings.skip(line, "no feature but another value", json.dumps(feature)[:40])
                continue
            row = _row(cast("dict[str, Any]", feature))
            writer.writerow((*(row.get(name, "") for name in columns), line))
    if not columns:
        raise FileRefused("The JSON has no features with properties: export it as GeoJSON.")
    return Header(delimiter=",", columns=tuple(columns)), read


def _row(feature: Any) -> dict[str, str]:
    """A feature as columns; of what is none, nothing."""
    if not isinstance(feature, dict):
        return {}
    members = cast("dict[str, Any]", feature)
    row: dict[str, str] = {}
    properties = members.get("properties") if members.get("type") == "Feature" else members
    if isinstance(properties, dict):
        _flatten(cast("dict[str, Any]", properties), "", row, 0)
    if members.get("id") is not None:
        row.setdefault("id", str(members["id"]))
    if isinstance(geometry := members.get("geometry"), dict) and (
        middle := _middle(cast("Mapping[str, Any]", geometry))
    ):
        row[LON], row[LAT] = map(repr, middle)
    return row


def _flatten(value: Mapping[str, Any], start: str, row: dict[str, str], depth: int) -> None:
    for key, inner in value.items():
        name = f"{start}{key}"
        if isinstance(inner, dict) and depth < MAX_DEPTH and name not in _WHOLE:
            _flatten(cast("dict[str, Any]", inner), f"{name}.", row, depth + 1)
        elif inner is None:
            row[name] = ""
        elif isinstance(inner, (dict, list)):
            row[name] = json.dumps(inner, ensure_ascii=False)
        else:
            row[name] = _text(inner)


def _text(value: object) -> str:
    text = str(value) if not isinstance(value, bool) else str(value).lower()
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def _middle(geometry: Mapping[str, Any]) -> tuple[float, float] | None:
    """Longitude and latitude; of a shape the middle of its bounds."""
    try:
        if geometry.get("type") == "Point":
            lon, lat = geometry["coordinates"][:2]
            return float(lon), float(lat)
        lons, lats = zip(*_pairs(geometry.get("coordinates"), 0), strict=True)
        return (min(lons) + max(lons)) / 2, (min(lats) + max(lats)) / 2
    except (TypeError, ValueError, KeyError, OverflowError):
        return None


def _pairs(value: Any, depth: int) -> Iterator[tuple[float, float]]:
    if depth > MAX_DEPTH:
        raise ValueError(depth)
    if isinstance(value[0], (int, float)):
        yield float(value[0]), float(value[1])
        return
    for inner in value:
        yield from _pairs(inner, depth + 1)
