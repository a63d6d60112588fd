"""CSV as text: its delimiter and header, and a reader that accounts for every row of a file that is not clean.

Clean files are read by DuckDB (`import_database.py`). This reader writes what it can use of any other as a clean
one, each row with the line it began at.
"""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from glassloop.extensions.places.importing.reading.file_kind import Encoding
from glassloop.extensions.places.importing.reading.layouts import known_columns, normal_name
from glassloop.extensions.places.importing.report import FileRefused, Findings

DELIMITERS = (",", "\t", ";", "|")
MAX_FIELD_CHARS = 16_000_000
MAX_COLUMNS = 1_000
MAX_HEADER_CHARS = 200_000
TELL_EVERY = 20_000
_ENDS = ("\n", "\r")
_FIRST_SURROGATE, _LAST_SURROGATE = "\udc80", "\udcff"


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first row: the columns as the file names them, and what parts them."""

    delimiter: str
    columns: tuple[str, ...]


def read_header(path: Path, encoding: Encoding) -> Header:
    """Raises `FileRefused` where the first line is no header."""
    with path.open("rb") as file:
        file.seek(encoding.mark)
        raw = file.read(MAX_HEADER_CHARS)
    # The last character may be cut in two.
    text = codecs.getincrementaldecoder(encoding.name)("replace").decode(raw)
    found = [Header(delimiter=each, columns=_first_row(text, each)) for each in DELIMITERS]
    known = known_columns()
    best = max(found, key=lambda each: (sum(normal_name(name) in known for name in each.columns), len(each.columns)))
    if any("\x00" in name for name in best.columns):
        raise FileRefused("The file is not text: export the table as CSV, GeoJSON or Parquet.")
    if not best.columns:
        raise FileRefused("The file has no header: its first line must name the columns.")
    if len(best.columns) > MAX_COLUMNS:
        raise FileRefused(f"The file has {len(best.columns):,} columns and {MAX_COLUMNS:,} are read: export fewer.")
    return best


def _first_row(text: str, delimiter: str) -> tuple[str, ...]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            if any(each.strip() for each in row):
                return tuple(each.strip() for each in row)
    except csv.Error:
        return ()
    return ()


class CleanRows(msgspec.Struct, frozen=True, kw_only=True):
    """What the reader made of a file: rows written, and rows read at all."""

    written: int
    read: int


def write_clean(path: Path, encoding: Encoding, header: Header, clean: Path, findings: Findings) -> CleanRows:
    """Writes the rows that have all columns to `clean`, with their line as the last; the others are skipped.

    Raises `FileRefused` where the file ends in the middle of a row.
    """
    csv.field_size_limit(MAX_FIELD_CHARS)
    width, written, read = len(header.columns), 0, 0
    with (
        path.open("rb") as raw,
        clean.open("w", encoding="utf-8", newline="") as made,
    ):
        raw.seek(encoding.mark)
        text = io.TextIOWrapper(raw, encoding=encoding.name, errors="surrogateescape", newline="")
        lines = _CountedLines(text)
        writer = csv.writer(made, delimiter=",", quoting=csv.QUOTE_ALL, lineterminator="\n")
        for number, row in enumerate(_rows(lines, header.delimiter)):
            if number == 0:
                continue
            read += 1
            if reason := _fault(row, width, lines):
                findings.skip(lines.begun, *reason)
            else:
                writer.writerow((*row, lines.begun))
                written += 1
    return CleanRows(written=written, read=read)


class _CountedLines:
    """The lines of a text, with the number of the one that a row began at."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self.number = 0
        self.begun = 0
        self.last = ""

    def __iter__(self) -> Iterator[str]:
        for line in self._text:
            self.number += 1
            self.last = line
            yield line

    @property
    def is_cut(self) -> bool:
        """Whether the file ended without the end of a line."""
        return not self.last.endswith(_ENDS)


def _rows(lines: _CountedLines, delimiter: str) -> Iterator[Sequence[str]]:
    """Rows that are not blank. An open quote would take in the rest of the file: it is refused."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.begun = lines.number + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                raise FileRefused(
                    f"The quote that opens in the row of line {lines.begun:,} is never closed: the file is cut off or "
                    "the quote is a stray one. Nothing was imported."
                ) from None
            if "field larger" in str(error):
                raise FileRefused(
                    f"A field of line {lines.begun:,} has more than {MAX_FIELD_CHARS:,} characters: is a quote missing "
                    "there? Nothing was imported."
                ) from None
            row = [_BROKEN]
        if any(each.strip() for each in row):
            yield row


_BROKEN = "\x00broken"


def _fault(row: Sequence[str], width: int, lines: _CountedLines) -> tuple[str, object] | None:
    """Why a row cannot be used, with what is there."""
    if row == [_BROKEN]:
        return "a quote stands in the middle of a field", ""
    if len(row) != width:
        if len(row) < width and lines.is_cut:
            raise FileRefused(
                f"The file ends in the middle of a row (line {lines.begun:,}): it was not copied whole. Nothing was "
                "imported. Copy it again."
            )
        return f"{width} columns are named and the row has {'fewer' if len(row) < width else 'more'}", len(row)
    for value in row:
        if "\x00" in value:
            return "the row holds a zero byte", value.replace("\x00", "?")
        if not value.isascii() and any(_FIRST_SURROGATE <= each <= _LAST_SURROGATE for each in value):
            return "the row is not in the encoding of the file", value.encode("utf-8", "replace").decode()
    return None
