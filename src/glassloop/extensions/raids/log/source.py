"""The lines of a log file: plain, `.gz` or `.zip`, in blocks of bounded size.

What is compressed is read as a stream and never trusted: its size is bounded, and so is how much may come of how
little.
"""

import gzip
import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, final

from glassloop.core.errors import UsageError

MAX_LINE: Final = 1 << 16
"""Bytes. The longest that the game writes, `COMBATANT_INFO`, has some thousands."""
MAX_MEMBERS: Final = 200

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
_DATE_IN_NAME = re.compile(r"-([0-9]{2})([0-9]{2})([0-9]{2})_([0-9]{6})", re.ASCII)
_ALPHABET: Final = "0123456789ABCDEFGHJKLMNPQRSTVWXYZabcdefghjkmnpqrstuvwxyz"


class ReadLimits(NamedTuple):
    """How a file is read, and how much may come of it."""

    block_bytes: int = 1 << 18
    bytes: int = 16 << 30
    ratio: int = 300
    """Of a stream to what it was compressed to. Logs come to 30 at most."""
    free_bytes: int = 64 << 20
    """Below this the ratio does not matter."""


@final
class LogSource:
    """A file and what was read of it so far: `lines`, `progress` (0 to 1), `code`."""

    def __init__(self, path: Path, limits: ReadLimits = ReadLimits()) -> None:  # noqa: B008
        self._path = path
        self._limits = limits
        # Tells contents apart, and keeps nothing safe: the faster one, also where the processor has no part for it.
        self._digest = hashlib.sha1(usedforsecurity=False)
        self._read = 0
        self._packed = path.stat().st_size
        self._expected = max(self._packed, 1)
        self._raw: BinaryIO | None = None
        self.written_at = int(path.stat().st_mtime * 1000)
        """When the present file, or member of an archive, was written, in ms."""
        self.cut = False
        """Whether the last block ended without the end of a line."""

    @property
    def progress(self) -> float:
        done = self._read if self._raw is None else self._raw.tell()
        return min(done / self._expected, 1.0)

    @property
    def code(self) -> str:
        """Ten letters and digits, from all that was read."""
        number = int.from_bytes(self._digest.digest()[:12])
        letters: list[str] = []
        for _ in range(10):
            number, rest = divmod(number, len(_ALPHABET))
            letters.append(_ALPHABET[rest])
        return "".join(letters)

    def blocks(self) -> Iterator[list[str]]:
        """The lines, some thousands at a time, without their ends. A line that is too long comes cut, once.

        A character stands for a byte, which is all that most lines need; `decoded` makes text of one.
        """
        for stream in self.streams():
            rest, skipping = "", False
            while data := self.read(stream):
                text = rest + data.decode("latin-1")
                lines = (text.replace("\r\n", "\n") if "\r" in text else text).split("\n")
                rest = lines.pop()
                if skipping and lines:
                    del lines[0]
                    skipping = False
                if len(rest) > MAX_LINE:
                    if not skipping:
                        lines.append(rest[: MAX_LINE + 1])
                    rest, skipping = "", True
                yield lines
            if rest and not skipping:
                self.cut = True
                yield [rest]
                self.cut = False

    def streams(self) -> Iterator[BinaryIO]:
        """Of a plain or gzipped file one; of an archive those of its members, oldest first."""
        with self._path.open("rb") as raw:
            start = raw.read(4)
            raw.seek(0)
            if start == _ZIP:
                yield from self._members(raw)
                return
            self._raw = raw
            if start[:2] == _GZIP:
                with gzip.open(raw) as stream:
                    yield stream  # pyright: ignore[reportReturnType]
            else:
                yield raw
            self._expected, self._raw = 1, None
            self._read = max(self._read, 1)

    def read(self, stream: BinaryIO, size: int | None = None) -> bytes:
        """The next bytes, decompressed. Raises `UsageError` for what is damaged or grows beyond its bounds."""
        try:
            data = stream.read(self._limits.block_bytes if size is None else size)
        except (EOFError, OSError, zlib.error, zipfile.BadZipFile, RuntimeError, NotImplementedError) as error:
            raise UsageError(
                f"{self._path.name} cannot be decompressed ({error}). Pack the log again, or give it plain."
            ) from error
        self._read += len(data)
        most = max(self._limits.free_bytes, self._limits.ratio * self._packed)
        if self._read > min(most, self._limits.bytes):
            raise UsageError(f"{self._path.name} holds more than a log can: give the log itself, as the game wrote it.")
        self._digest.update(data)
        return data

    def _members(self, raw: BinaryIO) -> Iterator[BinaryIO]:
        try:
            archive = zipfile.ZipFile(raw)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise UsageError(f"{self._path.name} is no readable zip file ({error}). Pack the log again.") from error
        with archive:
            members = [member for member in archive.infolist() if _is_log(member)]
            if not members or len(members) > MAX_MEMBERS:
                raise UsageError(
                    f"{self._path.name} has {len(members)} logs (.txt, .log, .json). Pack between 1 and {MAX_MEMBERS}."
                )
            self._expected = max(sum(member.file_size for member in members), 1)
            for member in sorted(members, key=lambda member: _order(member.filename)):
                self.written_at = _written(member, self.written_at)
                try:
                    stream = archive.open(member)
                except (RuntimeError, NotImplementedError, zipfile.BadZipFile, OSError) as error:
                    raise UsageError(
                        f"{member.filename!r} in {self._path.name} cannot be read ({error}). "
                        "Pack the log again without a password."
                    ) from error
                with stream:
                    yield stream  # pyright: ignore[reportReturnType]


def decoded(line: str) -> str:
    """The text of a line of `blocks`."""
    return line if line.isascii() else line.encode("latin-1").decode("utf-8", "replace")


def _is_log(member: zipfile.ZipInfo) -> bool:
    name = member.filename.rpartition("/")[2]
    return (
        not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not name.startswith(".")
        and name.lower().endswith((".txt", ".log", ".json"))
    )


def _order(name: str) -> tuple[str, str]:
    """By the date in names such as `WoWCombatLog-052426_194500.txt`, else by name."""
    match = _DATE_IN_NAME.search(name)
    return (f"{match[3]}{match[1]}{match[2]}{match[4]}" if match else "", name)


def _written(member: zipfile.ZipInfo, otherwise: int) -> int:
    try:
        return int(datetime(*member.date_time, tzinfo=UTC).timestamp()) * 1000
    except ValueError:
        return otherwise
