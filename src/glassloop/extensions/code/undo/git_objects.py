"""Contents of files from git's objects, for files that are as git's index has them. Blocks.

The index is read here, and objects with git itself, but never with the repository's own settings: a workspace may be a
stranger's, and those can name programs to run.
"""

import hashlib
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from glassloop.extensions.code.sandbox.snapshot import FileMark

MAX_INDEX_BYTES = 50_000_000
GIT_S = 20.0

_ENTRY = struct.Struct(">10I20sH")
_STAGE, _EXTENDED, _ADDED_LATER = 0x3000, 0x4000, 0x2000


class IndexEntry(NamedTuple):
    """A file as it was when git last looked at it; times in nanoseconds, numbers cut to 32 bits."""

    path: str
    blob: str
    changed_ns: int
    modified_ns: int
    inode: int
    size: int


class IndexState(NamedTuple):
    """What changes when git writes its index anew."""

    inode: int
    modified_ns: int
    changed_ns: int
    size: int

    @classmethod
    def of(cls, facts: os.stat_result) -> "IndexState":
        return cls(facts.st_ino, facts.st_mtime_ns, facts.st_ctime_ns, facts.st_size)


def index_state(root: Path) -> IndexState | None:
    """None where there is no index, or no git."""
    if shutil.which("git") is None:
        return None
    try:
        with _opened_index(root) as file:
            return IndexState.of(os.fstat(file.fileno()))
    except OSError:
        return None


def read_index(root: Path) -> bytes | None:
    """The index as git wrote it; None where there is none that can be used."""
    try:
        with _opened_index(root) as file:
            return _index_bytes(file) or None
    except OSError:
        return None


def unchanged_blobs(root: Path, files: Mapping[str, FileMark]) -> dict[str, str]:
    """The ids of the contents of all files that did not change since git looked at them, by path."""
    state = index_state(root)
    if state is None:
        return {}
    try:
        entries = _read_index(root, state)
    except (OSError, struct.error, ValueError, IndexError):
        return {}
    found: dict[str, str] = {}
    for entry in entries:
        mark = files.get(entry.path)
        # What changed as the index was written may have changed once more within the same tick.
        if mark is not None and entry.modified_ns < state.modified_ns and _is_same(entry, mark):
            found[entry.path] = entry.blob
    return found


def read_blobs(root: Path, sizes: Mapping[str, int]) -> dict[str, bytes]:
    """The contents by id, of those that are there with the size given for each."""
    with tempfile.TemporaryDirectory(prefix="glassloop-git-") as made:
        empty = Path(made)
        (empty / "refs").mkdir()
        (empty / "objects").mkdir()
        (empty / "HEAD").write_text("ref: refs/heads/none\n")
        ids = list(sizes)
        try:
            checked = _git(root, empty, ["cat-file", "--batch-check=%(objecttype) %(objectsize)"], ids).splitlines()
            there = [each for each, said in zip(ids, checked, strict=False) if said == f"blob {sizes[each]}".encode()]
            said = _git(root, empty, ["cat-file", "--batch=%(objectsize)"], there) if there else b""
        except (OSError, subprocess.SubprocessError):
            return {}
    found: dict[str, bytes] = {}
    for each in there:
        head, _, said = said.partition(b"\n")
        if head != str(sizes[each]).encode():
            break
        content, said = said[: sizes[each]], said[sizes[each] + 1 :]
        if hashlib.sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest() == each:
            found[each] = content
    return found


def _git(root: Path, empty: Path, words: Sequence[str], ids: Sequence[str]) -> bytes:
    """What git says of objects, with an empty repository's settings."""
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(empty),
        "GIT_DIR": str(empty),
        "GIT_OBJECT_DIRECTORY": str(root / ".git" / "objects"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_NO_REPLACE_OBJECTS": "1",
    }
    given = "".join(f"{each}\n" for each in ids).encode()
    return subprocess.run(  # noqa: S603
        ["git", *words],  # noqa: S607
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=empty,
        env=env,
        timeout=GIT_S,
        check=True,
    ).stdout


@contextmanager
def _opened_index(root: Path) -> Generator[BinaryIO]:
    folder = os.open(root / ".git", os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        file = os.open("index", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    with os.fdopen(file, "rb") as opened:
        yield opened


@lru_cache(maxsize=4)
def _read_index(root: Path, state: IndexState) -> Sequence[IndexEntry]:
    """The index that has this state; raises where it has another by now, or cannot be used."""
    with _opened_index(root) as opened:
        if IndexState.of(os.fstat(opened.fileno())) != state:
            raise ValueError("it changed meanwhile")
        raw = _index_bytes(opened)
    return tuple(_entries(raw)) if raw else ()


def _index_bytes(file: BinaryIO) -> bytes:
    """Nothing where the index is too large or broken."""
    raw = file.read(MAX_INDEX_BYTES + 1)
    # Where git's ids are no SHA-1, neither is this.
    whole = raw[:4] == b"DIRC" and hashlib.sha1(raw[:-20], usedforsecurity=False).digest() == raw[-20:]
    return raw if whole and len(raw) <= MAX_INDEX_BYTES else b""


def _entries(raw: bytes) -> Iterator[IndexEntry]:
    """Ordinary files without conflicts."""
    version, count = struct.unpack_from(">2I", raw, 4)
    at, path = 12, b""
    for _ in range(count):
        begin = at
        fields = _ENTRY.unpack_from(raw, at)
        changed, changed_ns, modified, modified_ns, _, inode, mode, _, _, size, blob, flags = fields
        at += _ENTRY.size
        later = False
        if flags & _EXTENDED:
            later = bool(struct.unpack_from(">H", raw, at)[0] & _ADDED_LATER)
            at += 2
        if version == 4:
            cut, at = _varint(raw, at)
            path = path[: len(path) - cut]
        else:
            path = b""
        end = raw.index(b"\0", at)
        path += raw[at:end]
        at = end + 1 if version == 4 else begin + (end - begin + 8) // 8 * 8
        if not flags & _STAGE and not later and mode >> 12 == 0o10:
            times = changed * 10**9 + changed_ns, modified * 10**9 + modified_ns
            yield IndexEntry(os.fsdecode(path), blob.hex(), *times, inode, size)


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    value = raw[at] & 0x7F
    while raw[at] & 0x80:
        at += 1
        value = ((value + 1) << 7) | (raw[at] & 0x7F)
    return value, at + 1


def _is_same(entry: IndexEntry, mark: FileMark) -> bool:
    return (entry.changed_ns, entry.modified_ns, entry.inode, entry.size) == (
        mark.changed_ns,
        mark.modified_ns,
        mark.inode & 0xFFFFFFFF,
        mark.size,
    )
