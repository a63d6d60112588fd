"""Bytes of images and files that were given with questions, kept once for each session and deleted with it.

Content-addressed: what is stored under a digest never changes. A session never sees the bytes of another one.
"""

import base64
import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from glassloop.core.errors import UsageError
from glassloop.store.engine.database import SqlConnection
from glassloop.store.engine.engine import StoreEngine

MAX_SESSION_BYTES = 200_000_000
"""Of all attachments of one session."""
PIECE_BYTES = 3 * 65_536
"""Base64 of pieces that can be divided by three is that of the whole."""

_ADD = """INSERT INTO blobs (session_id, sha256, at, size, body) VALUES (:session, :sha, :at, :size, :body)
 ON CONFLICT (session_id, sha256) DO NOTHING"""
_READ = "SELECT body FROM blobs WHERE session_id = :session AND sha256 = :sha"
_PIECE = "SELECT substr(body, :begin, :count) FROM blobs WHERE session_id = :session AND sha256 = :sha"
_LIST = "SELECT sha256 FROM blobs WHERE session_id = :session ORDER BY at, sha256"
_ANY = "SELECT 1 FROM blobs WHERE session_id = :session LIMIT 1"
_SIZES = "SELECT sha256, size FROM blobs WHERE session_id = :session"


class ExportedBlob(msgspec.Struct, frozen=True, kw_only=True):
    """One of them in an exported session, in base64."""

    sha256: str
    data: str


class BlobTable:
    """Blobs by session and digest. They are stored with the turn that brings them: `Turns.begin`."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def read(self, session_id: str, sha256: str) -> bytes | None:
        """None where the session has no such bytes."""
        rows = await self._engine.read(lambda db: db.run(_READ, session=session_id, sha=sha256))
        return bytes(rows[0][0]) if rows else None

    async def any(self, session_id: str) -> bool:
        """Whether the session has any."""
        return bool(await self._engine.read(lambda db: db.run(_ANY, session=session_id)))

    async def read_many(self, session_id: str, wanted: Iterable[str]) -> dict[str, bytes]:
        """Those that are there, by digest."""
        found = {sha: await self.read(session_id, sha) for sha in wanted}
        return {sha: data for sha, data in found.items() if data is not None}


def add_blobs(db: SqlConnection, session_id: str, blobs: Mapping[str, bytes], at: float) -> None:
    """Raises `UsageError` where the session has no room for them."""
    if not blobs:
        return
    there = dict(db.run(_SIZES, session=session_id))
    new = {sha: body for sha, body in blobs.items() if sha not in there}
    held = sum(there.values())
    if held + sum(map(len, new.values())) > MAX_SESSION_BYTES:
        raise UsageError(
            f"This conversation holds {held:,} bytes of images and files, and {MAX_SESSION_BYTES:,} are kept for one: "
            "start a new conversation."
        )
    for sha, body in new.items():
        db.run(_ADD, session=session_id, sha=sha, at=at, size=len(body), body=body)


def digests(db: SqlConnection, session_id: str) -> Sequence[str]:
    """Those of a session, oldest first."""
    return [row[0] for row in db.run(_LIST, session=session_id)]


def encoded_piece(db: SqlConnection, session_id: str, sha256: str, begin: int) -> bytes:
    """A piece of a blob from that byte on, in base64: pieces from every `PIECE_BYTES` on are, together, all of it."""
    found = db.run(_PIECE, session=session_id, sha=sha256, begin=begin + 1, count=PIECE_BYTES)
    return base64.b64encode(bytes(found[0][0])) if found else b""


def decoded(blob: ExportedBlob) -> bytes:
    """Its bytes; raises `UsageError` where they are not those of its digest."""
    try:
        data = base64.b64decode(blob.data, validate=True)
    except ValueError as error:
        raise UsageError(f"The bytes of blob {blob.sha256[:64]!r} are no base64 ({error}): export it again.") from error
    if hashlib.sha256(data).hexdigest() != blob.sha256:
        raise UsageError(f"The bytes of blob {blob.sha256[:64]!r} are damaged: export the session again.")
    return data
