"""Everything that a folder would decide, with one digest over all of it.

A folder may be somebody else's, such as a clone. Kinds of parts say which files of it count for something once the user
trusts them, and what each would decide; looking at them runs nothing and believes nothing. Remembering what the user
decided is `trusted_folders`'s. Blocking.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from glassloop.core.errors import UsageError

MAX_PARTS = 500
MAX_PART_BYTES = 4_000_000
MAX_NAMES = 20
"""Of names in one sentence at most; the listing has all."""


class FolderPart(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a folder. `path` is seen from the folder, `names` are what it would decide in a word each, `decides`
    the same in a line each; `never` is what stands in it and does not count, trusted or not."""

    kind: str
    path: str
    digest: str
    names: tuple[str, ...] = ()
    decides: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


class FolderKind(msgspec.Struct, frozen=True, kw_only=True):
    """Files of a folder that count for something. `find` gives their paths, `describe` what the content of one would
    decide: `names`, `decides` and `never` of its part. It gets bytes of anybody's, and raises nothing."""

    name: str
    find: Callable[[Path], Iterable[Path]]
    describe: Callable[[Path, bytes], tuple[Sequence[str], Sequence[str], Sequence[str]]]


class FolderSurvey(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a folder, in the order of their kinds. `problem`: why it cannot be trusted as it is."""

    folder: str
    parts: tuple[FolderPart, ...] = ()
    problem: str = ""

    @property
    def waiting(self) -> tuple[FolderPart, ...]:
        """Those that count once they are trusted."""
        return tuple(part for part in self.parts if part.decides)

    @property
    def digest(self) -> str:
        """Of the place and of all content that would count."""
        told = [place_of(self.folder), [(part.path, part.digest) for part in self.waiting]]
        return hashlib.sha256(msgspec.json.encode(told)).hexdigest()


def survey_folder(folder: Path, kinds: Sequence[FolderKind]) -> FolderSurvey:
    """All that the folder would decide; what is too much of it, or cannot be read, is told in `problem`."""
    parts: dict[Path, FolderPart] = {}
    problem = ""
    try:
        for kind in kinds:
            for path in kind.find(folder):
                if path not in parts and (raw := _content(folder, path, len(parts))) is not None:
                    parts[path] = _part(kind, folder, path, raw)
    except UsageError as error:
        problem = str(error)
    told = tuple(part for part in parts.values() if part.decides or part.never)
    return FolderSurvey(folder=str(folder), parts=told, problem=problem)


def _content(folder: Path, path: Path, before: int) -> bytes | None:
    raw = read_plain(path, MAX_PART_BYTES)
    if raw is not None and before >= MAX_PARTS:
        raise UsageError(f"It has more than {MAX_PARTS} files with settings: remove some.")
    if raw is not None and len(raw) > MAX_PART_BYTES:
        raise UsageError(f"{_seen_from(folder, path)} is larger than {MAX_PART_BYTES:,} bytes: shorten it.")
    return raw


def place_of(folder: str | Path) -> str:
    """The folder as it is remembered: whole, without links, and as text that can be written."""
    return str(Path(folder).resolve()).encode("utf-8", "backslashreplace").decode()


def read_plain(path: Path, most: int) -> bytes | None:
    """The bytes of a plain file, one more than `most` of a larger one; None where there is none. A pipe or a device of
    that name would never come to an end."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}. Fix or remove it.") from None
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        with os.fdopen(handle, "rb", closefd=False) as file:
            return file.read(most + 1)
    finally:
        os.close(handle)


def _part(kind: FolderKind, folder: Path, path: Path, raw: bytes) -> FolderPart:
    names, decides, never = kind.describe(path, raw)
    return FolderPart(
        kind=kind.name,
        path=_seen_from(folder, path),
        digest=hashlib.sha256(raw).hexdigest(),
        names=tuple(names),
        decides=tuple(decides),
        never=tuple(never),
    )


def _seen_from(folder: Path, path: Path) -> str:
    shown = os.path.relpath(path, folder) if path.is_absolute() == folder.is_absolute() else str(path)
    return shown.encode("utf-8", "backslashreplace").decode()
