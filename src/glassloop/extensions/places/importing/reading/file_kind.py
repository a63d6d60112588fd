"""The kind of a file and the encoding of its text, by its bytes and never by its name."""

import codecs
from pathlib import Path
from typing import Literal

import msgspec

from glassloop.extensions.places.importing.report import FileRefused

FileKind = Literal["csv", "json", "parquet"]

HEAD_BYTES = 65_536
READ_AT_ONCE = 1_000_000
MAX_FOOTER_BYTES = 64_000_000
PARQUET, ENCRYPTED_PARQUET = b"PAR1", b"PARE"
_TAR_AT = 257

_ARCHIVES = (
    (b"PK\x03\x04", "a ZIP archive or a spreadsheet"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"\x1f\x8b", "compressed (gzip)"),
    (b"BZh", "compressed (bzip2)"),
    (b"\xfd7zXZ\x00", "compressed (xz)"),
    (b"\x28\xb5\x2f\xfd", "compressed (Zstandard)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
)
_OTHERS = (
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"%PDF-", "a PDF"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"ARROW1", "an Arrow file"),
    (b"Obj\x01", "an Avro file"),
    (b"<?xml", "an XML file"),
    (b"<!DOCTYPE", "a web page"),
    (b"<html", "a web page"),
)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Encoding(msgspec.Struct, frozen=True, kw_only=True):
    """How to decode the text. `mark` bytes are skipped. `plain` text is UTF-8 throughout; in other UTF-8 the rows with
    bytes that are none are skipped."""

    name: str
    mark: int = 0
    plain: bool = False


def kind_of(path: Path) -> FileKind:
    """Raises `FileRefused` for what is no table: archives are not unpacked."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if not head.strip(b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"):
        raise FileRefused("The file is empty: export it again.")
    for start, what in _ARCHIVES:
        if head.startswith(start):
            raise FileRefused(f"The file is {what}, which is not unpacked: unpack it, then import the CSV in it.")
    if head[_TAR_AT : _TAR_AT + 5] == b"ustar":
        raise FileRefused("The file is a TAR archive, which is not unpacked: unpack it, then import the files in it.")
    for start, what in _OTHERS:
        if head.lstrip().startswith(start):
            raise FileRefused(f"The file is {what}: export the table as CSV, GeoJSON or Parquet.")
    if head.startswith(ENCRYPTED_PARQUET):
        raise FileRefused("The Parquet file is encrypted: write it without encryption.")
    if head.startswith(PARQUET):
        _check_parquet(path)
        return "parquet"
    for mark, name in _MARKS:
        if head.startswith(mark):
            text = head[len(mark) :].decode(name, "ignore")
            return "json" if text.lstrip()[:1] in ("{", "[") else "csv"
    return "json" if head.lstrip()[:1] in (b"{", b"[") else "csv"


def _check_parquet(path: Path) -> None:
    """Its two ends, before a library is trusted with them."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 8))
        tail = file.read(8)
    if size < 12 or tail[4:] != PARQUET:
        raise FileRefused("The Parquet file has no end: it was not copied whole. Copy it again.")
    footer = int.from_bytes(tail[:4], "little")
    if not 0 < footer <= min(size - 12, MAX_FOOTER_BYTES):
        raise FileRefused("The footer of the Parquet file has an impossible length: write the file again.")


def encoding_of(path: Path) -> Encoding:
    """UTF-8, UTF-16 or UTF-32 by its mark or its zero bytes, else Windows-1252, of which Latin-1 is a part."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    for mark, name in _MARKS:
        if head.startswith(mark) and name != "utf-8":
            return Encoding(name=name, mark=len(mark))
    if (wide := _without_mark(head)) is not None:
        return Encoding(name=wide)
    mark = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    broken = _first_broken_piece(path)
    if broken is None:
        return Encoding(name="utf-8", mark=mark, plain=True)
    good, bad = _sequences(broken)
    return Encoding(name="utf-8", mark=mark) if mark or good > bad else Encoding(name="cp1252")


def _without_mark(head: bytes) -> str | None:
    """UTF-16 without a mark: in Latin script every other byte is zero."""
    odd, even = head[1::2].count(0), head[0::2].count(0)
    half = len(head) // 2
    if half and odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    if half and even > half * 0.4 and odd < half * 0.05:
        return "utf-16-be"
    return None


def _first_broken_piece(path: Path) -> bytes | None:
    """Where the file is not UTF-8, or None."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    piece = b""
    with path.open("rb") as file:
        try:
            while piece := file.read(READ_AT_ONCE):
                decoder.decode(piece)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return piece
    return None


def _sequences(data: bytes) -> tuple[int, int]:
    """Characters of several bytes in UTF-8, and bytes that belong to none."""
    text = data.decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= each <= "\udcff" for each in text)
    return sum(each > "\x7f" for each in text) - bad, bad
