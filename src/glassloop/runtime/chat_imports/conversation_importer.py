"""Import of other chats' conversations: each becomes a session of the user, its tree of turns kept and marked."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.records import Json, Record
from glassloop.runtime.assistants.assistant_files import default_assistant
from glassloop.runtime.chat_imports.export_files import read_export
from glassloop.runtime.chat_imports.message_tree import ForeignConversation, ForeignTurn, moment, turns_of
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.ids import time_ordered_id
from glassloop.runtime.settings import Settings
from glassloop.runtime.uploads import Uploads
from glassloop.store.records import Session, to_iso
from glassloop.store.store import Store
from glassloop.store.tables.session_export import FORMAT, VERSION, ExportHeader

IMPORT = "conversations_import"
IMPORTED_FROM = "imported_from"
"""In the metadata of a session: the chat that it was held in."""
AT_ONCE = 20
TITLE_CHARS = 200


class ConversationImport(Record, frozen=True, kw_only=True):
    """What became of a file: `present` were imported before, `unreadable` are no conversations or too large."""

    imported: int
    turns: int
    present: int
    unreadable: int


class NewSessionFile(Record, frozen=True, kw_only=True):
    """A conversation as lines that `SessionExports.load` takes."""

    session_id: str
    turns: int
    lines: Sequence[bytes]


class ConversationImporter:
    """Imports what users uploaded, as jobs."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._uploads = Uploads(settings)

    async def run(self, context: JobContext, params: dict[str, Json]) -> Json:
        upload_id = str(params["upload_id"])
        _, path = await self._uploads.get(context.user, upload_id)
        report = await self.take_in(path, context)
        await self._uploads.delete(context.user, upload_id)
        return msgspec.to_builtins(report)

    async def take_in(self, path: Path, context: JobContext) -> ConversationImport:
        """Stores each conversation that is not here yet, whole or not at all."""
        assistant = default_assistant(self._settings)
        found = _files(path, context.user, assistant)
        imported = turns = present = unreadable = 0
        while batch := await asyncio.to_thread(lambda: list(islice(found, AT_ONCE))):
            for file in batch:
                if file is None:
                    unreadable += 1
                elif await self._store.sessions.get(file.session_id) is not None:
                    present += 1
                else:
                    await self._store.exports.load(file.lines, user_id=context.user)
                    imported, turns = imported + 1, turns + file.turns
            context.progress(f"{imported} conversations imported")
        if not imported and not present:
            raise UsageError("The file holds no conversation that can be read: give an export as it was downloaded.")
        return ConversationImport(imported=imported, turns=turns, present=present, unreadable=unreadable)


def chats_kind(store: Store, settings: Settings) -> JobKind:
    """The job that imports conversations."""
    return JobKind(name=IMPORT, run=ConversationImporter(store, settings).run, resumable=True, one_at_a_time=IMPORT)


def _files(path: Path, user: str, assistant: str) -> Iterator[NewSessionFile | None]:
    for conversation in read_export(path):
        yield None if conversation is None else to_session_file(conversation, user, assistant)


def to_session_file(conversation: ForeignConversation, user: str, assistant: str) -> NewSessionFile | None:
    """The conversation as an export of ours, with ids that are the same each time; None where nothing was said."""
    turns = turns_of(conversation)
    if not turns:
        return None
    began = min(moment(conversation.at), turns[0].at)
    session_id = time_ordered_id(began, _digest(user, conversation.source, conversation.id or turns[0].key))
    ids = {turn.key: time_ordered_id(turn.at, _digest(session_id, turn.key)) for turn in turns}
    session = Session(
        id=session_id, user_id=user, channel="web", started_at=to_iso(began), ended_at=None, message_count=0,
        status="active", rating=None, rating_note=None, metadata={IMPORTED_FROM: conversation.source},
        title=" ".join(conversation.title.split())[:TITLE_CHARS], assistant=assistant,
        last_active=to_iso(turns[-1].at), summary=None, summary_turn_id=None, forgotten_at=None,
        pinned=conversation.pinned and not conversation.archived, archived=conversation.archived,
    )  # fmt: skip
    head: list[object] = [ExportHeader(format=FORMAT, version=VERSION), {"session": session}]
    lines = [msgspec.json.encode(each) for each in head]
    for turn in turns:
        lines += (b'{"event":' + e.encode(event) + b"}" for event in _events(turn, ids, session, user))
    return NewSessionFile(session_id=session_id, turns=len(turns), lines=lines)


def _events(turn: ForeignTurn, ids: dict[str, str], session: Session, user: str) -> Iterator[e.Durable]:
    turn_id, at = ids[turn.key], turn.at
    yield e.TurnStarted(
        turn_id=turn_id, seq=1, at=at, question=turn.question, user=user, session_id=session.id,
        assistant=session.assistant, model=turn.model[:TITLE_CHARS] or "unknown", protocol="native",
        settings={"channel": "web", "titled": False}, previous_turn_id=ids.get(turn.previous, ""),
    )  # fmt: skip
    if turn.answer is not None:
        yield e.AnswerGiven(turn_id=turn_id, seq=2, at=at, text=turn.answer)
    yield e.TurnFinished(
        turn_id=turn_id, seq=2 if turn.answer is None else 3, at=at,
        status="cancelled" if turn.answer is None else "completed", iterations=0, tool_calls=0, input_tokens=0,
        output_tokens=0, cost=0.0, unpriced_calls=0, seconds=0.0,
    )  # fmt: skip


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()[:10]
