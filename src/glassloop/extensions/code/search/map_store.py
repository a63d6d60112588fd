"""The tags of a workspace's files on the disk, so that another process need not parse them again. Blocks.

A cache: what cannot be read or written is parsed anew. One SQLite file a workspace, for its owner only, those used
last kept.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from glassloop.extensions.code.search.tags import FileTags
from glassloop.own_folder import make_own, make_own_file

MAX_STORES = 20
MAX_BYTES = 200_000_000
"""Of all together."""
VERSION = 2

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(FileTags).decode


class StoredTags(msgspec.Struct, frozen=True):
    """Of a file as it was."""

    modified: int
    size: int
    tags: FileTags


class MapStore:
    """Those of one root."""

    def __init__(self, folder: Path, root: Path) -> None:
        self._folder = folder
        self._path = folder / f"{hashlib.blake2b(str(root).encode(), digest_size=16).hexdigest()}.db"

    def load(self) -> dict[str, StoredTags]:
        found: dict[str, StoredTags] = {}
        if not self._path.is_file():
            return found
        with suppress(sqlite3.Error, OSError, msgspec.MsgspecError), closing(self._open()) as store:
            for path, modified, size, raw in store.execute("SELECT path, modified, size, tags FROM files"):
                found[path] = StoredTags(modified, size, _decode(raw))
        return found

    def save(self, changed: Mapping[str, StoredTags], gone: Iterable[str]) -> None:
        with suppress(sqlite3.Error, OSError):
            make_own(self._folder)
            make_own_file(self._path)
            with closing(self._open()) as store, store:
                store.executemany("DELETE FROM files WHERE path = ?", ((path,) for path in gone))
                store.executemany(
                    "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)",
                    ((path, each.modified, each.size, _encode(each.tags)) for path, each in changed.items()),
                )
            _trim(self._folder, self._path)

    def _open(self) -> sqlite3.Connection:
        store = sqlite3.connect(self._path, timeout=1.0)
        store.execute("PRAGMA synchronous = OFF")
        if store.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            store.execute("DROP TABLE IF EXISTS files")
            store.execute(f"PRAGMA user_version = {VERSION}")
        store.execute(
            "CREATE TABLE IF NOT EXISTS files (path TEXT PRIMARY KEY, modified INTEGER, size INTEGER, tags BLOB)"
        )
        return store


def _trim(folder: Path, own: Path) -> None:
    stores = sorted(folder.glob("*.db"), key=lambda path: path.stat().st_mtime, reverse=True)
    left = MAX_BYTES
    for number, path in enumerate(stores):
        left -= path.stat().st_size
        if (left < 0 or number >= MAX_STORES) and path != own:
            path.unlink(missing_ok=True)
