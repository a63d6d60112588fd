"""Export of a session as JSON lines, and import.

The first line says what this is; then come the session, the bytes of images and files given in it, and in the order of
time each turn's events and each message that belongs to no turn. Reading trusts nothing: every line is bounded and
validated before anything is written.
"""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import Record
from glassloop.ready_types import make_ready
from glassloop.store.engine.database import SqlConnection, column_json, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.log import blobs, turn_log
from glassloop.store.log.blobs import ExportedBlob
from glassloop.store.log.event_codec import KINDS, EventBatch, to_batch
from glassloop.store.log.redaction import Redactor
from glassloop.store.records import IMPORTED, Session, SessionMessage, from_iso, to_iso
from glassloop.store.tables import sessions

FORMAT = "glassloop.session"
VERSION = 1
MAX_LINE_BYTES = 32_000_000
MAX_LINES = 1_000_000
MESSAGES = 16
"""How many are read at once."""


class ExportHeader(Record, frozen=True, kw_only=True):
    """The first line."""

    format: str
    version: int


make_ready(ExportHeader, dict[str, Session], SessionMessage, ExportedBlob)


class ImportedFile(Record, frozen=True, kw_only=True):
    """A file that was read whole and found good."""

    session: Session
    pieces: tuple[EventBatch | SessionMessage, ...]
    blobs: dict[str, bytes] = {}


class SessionExports:
    """Sessions to files and back."""

    def __init__(self, engine: StoreEngine, redactor: Redactor, trace: turn_log.TraceOf | None) -> None:
        self._engine = engine
        self._trace = trace
        self._redactor = redactor

    async def dump(self, session_id: str) -> Sequence[bytes]:
        """The session as JSON lines, without newlines."""
        whole = b"".join([piece async for piece in self.pieces(session_id)])
        return whole.removesuffix(b"\n").split(b"\n")

    async def pieces(self, session_id: str) -> AsyncGenerator[bytes, None]:
        """The same with newlines, in pieces: never all of a long session at once."""
        read = self._engine.read
        session = await read(lambda db: _existing(db, session_id))
        yield _line(ExportHeader(format=FORMAT, version=VERSION)) + b"\n" + _line({"session": session}) + b"\n"
        for sha in await read(lambda db: blobs.digests(db, session_id)):
            yield b'{"blob":{"sha256":' + _line(sha) + b',"data":"'
            begin = 0
            while piece := await read(lambda db, sha=sha, at=begin: blobs.encoded_piece(db, session_id, sha, at)):
                yield piece
                begin += blobs.PIECE_BYTES
            yield b'"}}\n'
        told, after = set[str](), 0
        while page := await read(lambda db, after=after: sessions.messages(db, session_id, after, MESSAGES)):
            after = page[-1].id
            for message in page:
                if message.turn_id is None:
                    yield _line({"message": message}) + b"\n"
                elif message.turn_id not in told:
                    told.add(message.turn_id)
                    async for piece in self._turn(message.turn_id):
                        yield piece
        # Whoever gets an end without an error has all of it.
        await read(lambda db: _existing(db, session_id))

    async def _turn(self, turn_id: str) -> AsyncGenerator[bytes, None]:
        after, more = 0, True
        while more:
            events, after, more = await self._engine.read(lambda db, at=after: turn_log.read_page(db, turn_id, at))
            yield b"".join(b'{"event":' + e.encode(_unmarked(event)) + b"}\n" for event in events)

    async def load(self, lines: Iterable[bytes | str], *, user_id: str | None = None) -> str:
        """Stores an exported session, all or nothing; its id. `user_id`: as another user's."""
        imported = await asyncio.to_thread(_read, lines, self._redactor, user_id)
        return await self._engine.write(lambda db: _store(db, imported, self._trace), sync=True)


def _existing(db: SqlConnection, session_id: str) -> Session:
    session = sessions.get(db, session_id)
    if session is None:
        raise UnknownName(f"There is no session {session_id!r}.")
    return session


def _unmarked(event: e.Durable) -> e.Durable:
    """As it was before it was imported here, so that what is taken on is the same everywhere."""
    if not isinstance(event, e.TurnStarted) or IMPORTED not in event.settings:
        return event
    kept = {name: value for name, value in event.settings.items() if name != IMPORTED}
    return msgspec.structs.replace(event, settings=kept)


def _read(lines: Iterable[bytes | str], redactor: Redactor, user_id: str | None) -> ImportedFile:
    """What the lines hold; raises `UsageError`, naming the line, for anything that is not an export of ours."""
    numbered = _numbered(lines)
    head = _decoded(next(numbered, (1, b"")), ExportHeader)
    if head.format != FORMAT or head.version > VERSION:
        raise UsageError(
            f"This is {head.format!r} of version {head.version} and not {FORMAT!r} up to {VERSION}: "
            "give an export of this version, or update glassloop."
        )
    found = _decoded(next(numbered, (2, b"")), dict[str, Session])
    if list(found) != ["session"]:
        raise UsageError(f"Line 2 is not the session but {list(found)[:3]}: give a whole export.")
    session = found["session"]
    if user_id is not None:
        session = msgspec.structs.replace(session, user_id=user_id)
    for name in ("started_at", "last_active", "ended_at", "forgotten_at"):
        if (text := getattr(session, name)) is not None:
            _check_moment(text, name)
    pieces: list[EventBatch | SessionMessage] = []
    held: dict[str, bytes] = {}
    for turn_id, group in groupby((_piece(line) for line in numbered), _turn_of):
        if turn_id is not None:
            pieces.append(_batch(turn_id, list(group), session, redactor))
            continue
        for piece in group:
            if isinstance(piece, ExportedBlob):
                held[piece.sha256] = blobs.decoded(piece)
            elif isinstance(piece, SessionMessage):
                pieces.append(piece)
    return ImportedFile(session=session, pieces=tuple(pieces), blobs=held)


def _store(db: SqlConnection, imported: ImportedFile, trace: turn_log.TraceOf | None) -> str:
    """Writes it, projected as it was the first time; refuses a session that is already there."""
    session = imported.session
    if sessions.get(db, session.id) is not None:
        raise UsageError(f"Session {session.id!r} already exists: delete it first.")
    sessions.create(db, session.id, session.user_id, session.channel, {}, from_iso(session.started_at))
    blobs.add_blobs(db, session.id, imported.blobs, from_iso(session.started_at))
    for piece in imported.pieces:
        if isinstance(piece, EventBatch):
            turn_log.append(db, piece, None)
            turn_log.trace_message(db, piece, trace)
        else:
            metrics = {name: getattr(piece, name) for name in ("tokens_prompt", "tokens_completion", "latency_ms")}
            at = from_iso(piece.created_at)
            sessions.add_message(
                db, session.id, piece.role, piece.content, piece.reasoning_trace, piece.tool_calls, metrics, at
            )
    db.run(
        """UPDATE sessions SET ended_at = :ended, last_active = :active, status = :status, rating = :rating,
 rating_note = :note, metadata = :metadata, title = :title, assistant = :assistant, summary = :summary,
 summary_turn_id = :reaches, forgotten_at = :forgotten, pinned = :pinned, archived = :archived,
 folder = :folder WHERE id = :session""",
        ended=None if session.ended_at is None else from_iso(session.ended_at),
        forgotten=None if session.forgotten_at is None else from_iso(session.forgotten_at),
        active=from_iso(session.last_active),
        status=session.status,
        rating=session.rating,
        note=_text(session.rating_note),
        metadata=column_json(session.metadata),
        title=column_text(session.title),
        assistant=column_text(session.assistant),
        summary=_text(session.summary),
        reaches=session.summary_turn_id,
        pinned=int(session.pinned),
        archived=int(session.archived),
        folder=column_text(sessions.check_folder(session.folder)),
        session=session.id,
    )
    return session.id


def _text(value: str | None) -> str | None:
    return None if value is None else column_text(value)


def _line(value: Any) -> bytes:
    return msgspec.json.encode(value)


def _numbered(lines: Iterable[bytes | str]) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(lines, 1):
        raw = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
        if len(raw) > MAX_LINE_BYTES or number > MAX_LINES:
            raise UsageError(
                f"Line {number} is beyond what is read (lines of {MAX_LINE_BYTES:,} bytes, {MAX_LINES:,} lines)."
            )
        if raw.strip():
            yield number, raw


def _decoded(line: tuple[int, bytes], kind: Any) -> Any:
    number, raw = line
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"Line {number} is not part of an exported session: {error}.") from error


def _piece(line: tuple[int, bytes]) -> e.Durable | SessionMessage | ExportedBlob:
    found = _decoded(line, dict[str, msgspec.Raw])
    if list(found) == ["blob"]:
        return _decoded((line[0], bytes(found["blob"])), ExportedBlob)
    if list(found) == ["message"]:
        message: SessionMessage = _decoded((line[0], bytes(found["message"])), SessionMessage)
        _check_moment(message.created_at, "created_at")
        return message
    if list(found) == ["event"]:
        event = _decoded((line[0], bytes(found["event"])), e.AnyEvent)
        if type(event) in KINDS:
            return event
    raise UsageError(
        f"Line {line[0]} is neither an event, a message nor a blob but {list(found)[:3]}: give a whole export."
    )


def _turn_of(piece: e.Durable | SessionMessage | ExportedBlob) -> str | None:
    return None if isinstance(piece, SessionMessage | ExportedBlob) else piece.turn_id


def _batch(turn_id: str, events: Sequence[Any], session: Session, redactor: Redactor) -> EventBatch:
    first, last = events[0], events[-1]
    if not isinstance(first, e.TurnStarted) or first.session_id != session.id or first.seq != 1:
        raise UsageError(f"Turn {turn_id!r} does not start in session {session.id!r}: give a whole export.")
    if not isinstance(last, e.TurnFinished):
        raise UsageError(f"Turn {turn_id!r} is not finished: export it after it ends.")
    marked = msgspec.structs.replace(first, user=session.user_id, settings={**first.settings, IMPORTED: True})
    return to_batch(turn_id, [marked, *events[1:]], redactor)


def _check_moment(text: str, name: str) -> None:
    try:
        to_iso(from_iso(text))
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"{text!r} is not a time for {name!r}: write it as ISO 8601.") from error
