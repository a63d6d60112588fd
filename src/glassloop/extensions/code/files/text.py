"""Text of a file with how it is written: encoding, byte order mark, newlines. What is not changed stays as it was."""

import codecs
from typing import Literal

import msgspec

from glassloop.core.errors import BadArguments, ToolError

MAX_BYTES = 10_000_000
MAX_LINES = 50_000

Newline = Literal["lf", "crlf", "mixed"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"), (b"\xff\xd8\xff", "a JPEG image"), (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"), (b"PK\x03\x04", "a ZIP archive"), (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"), (b"\xfd7zXZ\0", "an xz archive"), (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"), (b"\x7fELF", "an ELF program"), (b"MZ", "a Windows program"),
    (b"SQLite format 3\0", "an SQLite database"), (b"\0asm", "a WebAssembly module"),
    (b"\xca\xfe\xba\xbe", "a class file"), (b"RIFF", "a RIFF file"), (b"OggS", "an Ogg file"),
    (b"ID3", "an MP3 file"), (b"wOFF", "a font"), (b"wOF2", "a font"),
    (b"\0\0\1\0", "an icon"), (b"II*\0", "a TIFF image"), (b"MM\0*", "a TIFF image"), (b"\x93NUMPY", "a NumPy array"),
)  # fmt: skip
_GUESSED = ("utf-8", "cp1252", "latin-1")
_NO_TEXT = frozenset(("idna", "punycode", "unicode-escape", "raw-unicode-escape", "undefined", "mbcs", "oem"))
_SNIFFED = 8_192


class FileText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a file and how it is written."""

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    """Its byte order mark."""

    @property
    def newline(self) -> Newline:
        return newline_of(self.text)

    @property
    def shown_encoding(self) -> str:
        return "utf-8-sig" if self.mark == codecs.BOM_UTF8 else self.encoding

    def encode(self, text: str) -> bytes:
        """Another text, written as this one was. Raises `ToolError` where the encoding has no such characters."""
        try:
            raw = self.mark + text.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise ToolError(
                f"The file is written in {self.encoding}, which has no {text[error.start]!r}: use other characters."
            ) from None
        if len(raw) > MAX_BYTES:
            raise ToolError(f"The file would have {len(raw):,} bytes: {MAX_BYTES:,} is the limit. Make several files.")
        return raw


def decode(raw: bytes, encoding: str = "utf-8") -> FileText:
    """The text of a file. Raises `ToolError` for what is binary, or is written otherwise: it says how."""
    for mark, marked in _MARKS:
        if raw.startswith(mark):
            return FileText(text=_decoded(raw[len(mark) :], marked), encoding=marked, mark=mark)
    wanted = _codec(encoding)
    if (wide := _wide(raw)) is not None and not wanted.startswith(("utf-16", "utf-32")):
        return FileText(text=_decoded(raw, wide), encoding=wide)
    if (kind := binary_kind(raw)) is not None and not wanted.startswith(("utf-16", "utf-32")):
        raise ToolError(f"it is binary ({kind}, {len(raw):,} bytes): only text can be read")
    return FileText(text=_decoded(raw, wanted), encoding=wanted)


def decode_to_change(raw: bytes, known: str | None) -> FileText:
    """The text of a file that is to be changed, in the encoding it was read in, else in the one that it fits."""
    for encoding in (known, *_GUESSED) if known else _GUESSED:
        try:
            found = decode(raw, encoding)
        except _Misfit:
            continue
        if found.mark + found.text.encode(found.encoding) == raw:
            return found
    raise ToolError("it is written in an encoding that could not be kept: change it by hand")


def binary_kind(raw: bytes) -> str | None:
    """What kind of binary file it looks like; None for text."""
    start = raw[:_SNIFFED]
    control = sum(start.count(bytes((byte,))) for byte in (*range(1, 7), *range(14, 27), 28, 29, 30, 31, 127))
    if b"\0" not in start and control * 20 <= len(start):
        return None if b"\0" not in raw else "data with NUL bytes"
    return next((kind for signature, kind in _SIGNATURES if raw.startswith(signature)), "binary data")


def newline_of(text: str) -> Newline:
    ends = text.count("\n")
    windows = text.count("\r\n")
    return "lf" if not windows else "crlf" if windows == ends else "mixed"


def split_lines(text: str) -> list[str]:
    """Lines without their ends, which are `\\n` or `\\r\\n` and nothing else; what follows the last end if anything."""
    lines = text.split("\n")
    last = lines.pop()
    lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    return [*lines, last] if last else lines


def with_newlines(text: str, newline: Newline) -> str:
    """The text with these ends of lines; as it is where the file has both kinds."""
    if newline == "mixed" or ("\r\n" not in text and newline == "lf"):
        return text
    plain = text.replace("\r\n", "\n")
    return plain if newline == "lf" else plain.replace("\n", "\r\n")


class _Misfit(ToolError):
    """Bytes that the encoding does not have."""


def _decoded(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        fitting = next((each for each in _GUESSED if each != encoding and _fits(raw, each)), "latin-1")
        raise _Misfit(
            f"it is not written in {encoding} (byte {error.start:,} does not fit): read it with encoding={fitting!r}"
        ) from None


def _fits(raw: bytes, encoding: str) -> bool:
    try:
        raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _codec(encoding: str) -> str:
    try:
        found = codecs.lookup(encoding)
    except (LookupError, ValueError):
        found = None
    if found is None or not getattr(found, "_is_text_encoding", True) or found.name.replace("_", "-") in _NO_TEXT:
        raise BadArguments(f"There is no encoding {encoding[:40]!r}: use one such as 'utf-8', 'utf-16' or 'cp1252'.")
    # Marks are recognised before: what has none is read without.
    return {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(found.name, found.name)


def _wide(raw: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of ordinary text is zero."""
    start = raw[: _SNIFFED // 2 * 2]
    if len(start) < 4 or len(raw) % 2:
        return None
    for encoding, zeros, others in (("utf-16-le", start[1::2], start[::2]), ("utf-16-be", start[::2], start[1::2])):
        if zeros.count(0) * 10 >= len(zeros) * 6 and not others.count(0) and _fits(raw, encoding):
            return encoding
    return None
