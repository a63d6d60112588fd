"""GeoJSON, read one feature at a time: a collection, or one feature a line. Written as a clean CSV.

Properties become columns, members of objects inside them `outer.inner`, lists stay JSON; the geometry becomes
`geometry.lat` and `geometry.lon`, the middle of what is no point.
"""

import codecs
import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from glassloop.extensions.places.importing.csv_text import MAX_COLUMNS, Header
from glassloop.extensions.places.importing.file_kind import Encoding
from glassloop.extensions.places.importing.report import FileRefused, Findings

MAX_FEATURE_CHARS = 4_000_000
MAX_DEPTH = 4
READ_CHARS = 262_144
LAT, LON = "geometry.lat", "geometry.lon"
_SPACE = " \t\r\n,"
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

    def take(self, chars: int) -> None:
        self._move(self._at + chars)

    def value(self) -> Any:
        """The JSON value that begins here. Raises `FileRefused` where it has no end."""
        wanted = READ_CHARS
        while True:
            try:
                value, end = _decode(self._text, self._at)
            except (json.JSONDecodeError, RecursionError) as error:
                held = len(self._text) - self._at
                if isinstance(error, RecursionError) or held > MAX_FEATURE_CHARS:
                    raise FileRefused(f"Line {self.line:,} holds no JSON that can be read: nothing was imported.") from None
                broken = isinstance(error, json.JSONDecodeError) and error.pos < len(self._text) - 64
                if broken or not self._more(wanted):
                    raise self._cut(ended=not broken) from None
                wanted *= 2
                continue
            # A number at the end of what is held may go on.
            if end == len(self._text) and self._more():
                continue
            self._move(end)
            return value

    def _cut(self, *, ended: bool) -> FileRefused:
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
    """Each feature with its line. Raises `FileRefused` where the text is not GeoJSON."""
    text = _JsonText(path, encoding)
    try:
        first = text.skip()
        if first == "[":
            text.take(1)
            yield from _listed(text)
        elif not (yield from _members(text)):
            raise FileRefused('The JSON has no "features": export it as GeoJSON, or as one feature a line.')
    finally:
        text.close()


def _members(text: _JsonText) -> Iterator[tuple[int, Any]]:  # pyright: ignore[reportReturnType]
    """Of the outermost object up to its features; whether there were any. One that is a feature itself is one of many
    lines."""
    raise NotImplementedError
