"""The store as conversation memory sees it: fills the port `Archive` of `glassloop.memory`.

What was said comes from the rows of turns; steps, plan and evaluation of the newest turns from their events. Owns no
SQL and keeps nothing.
"""

import logging
from collections.abc import Container, Sequence
from contextlib import suppress

from glassloop.core.errors import StoreAway, StoreError, UnknownName
from glassloop.core.records import ConversationTurn
from glassloop.memory.working_memory import MAX_TURNS, SESSION_BYTES, SessionPosition, size_of
from glassloop.projections.response import ResponseFold
from glassloop.store.records import Session, TurnRow, from_iso, to_iso
from glassloop.store.store import Store

MAX_WHOLE_TURNS = 100
"""Turns of a session that are read with their steps."""

_log = logging.getLogger(__name__)


class StoreArchive:
    """The conversations of a store; the newest `whole_turns` of a session are read with their steps. A session of
    another user gives nothing and takes nothing."""

    def __init__(self, store: Store, *, whole_turns: int = MAX_WHOLE_TURNS) -> None:
        self._store = store
        self._whole_turns = whole_turns

    async def standing(self, session_id: str, user: str) -> SessionPosition | None:
        """One look at the session's row; a session that was once forgotten or branched takes a second one for its
        summary."""
        session = await self._store.sessions.get_owned(session_id, user)
        if session is None:
            return None
        # Every answer is a message, so their number tells whether a turn has finished.
        return SessionPosition(
            began=session.started_at,
            cut_off=session.forgotten_at,
            branches=session.branches,
            version=session.message_count,
            summary=await self._summary(session),
        )

    async def turns(
        self,
        session_id: str,
        user: str,
        after: str | None,
        *,
        cut_off: str | None = None,
        known: Container[str] = (),
    ) -> Sequence[ConversationTurn]:
        """The newest are whole, unless known, as many as conversation memory keeps; the others are question and
        answer."""
        if after is None:
            ids = await self._store.turns.ids(session_id)
            after = ids[-1 - MAX_TURNS] if len(ids) > MAX_TURNS else None
        since = from_iso(cut_off) if cut_off else 0.0
        rows = await self._store.turns.of_session(session_id, after, since, path_only=True)
        rows = [row for row in rows if row.user_id == user and _is_told(row)][-MAX_TURNS:]
        found: list[ConversationTurn] = []
        room = SESSION_BYTES
        for number, row in enumerate(reversed(rows)):
            is_whole = number < self._whole_turns and room > 0 and row.id not in known
            turn = await self._whole(row) if is_whole else _said(row)
            room -= size_of(turn)
            found.append(turn)
        return found[::-1]

    async def save_summary(self, session_id: str, user: str, text: str, turn_id: str) -> None:
        # A session that was deleted meanwhile needs no summary.
        with suppress(UnknownName):
            if await self._store.sessions.get_owned(session_id, user) is not None:
                await self._store.sessions.save_summary(session_id, text, turn_id)

    async def forget(self, session_id: str, user: str) -> None:
        with suppress(UnknownName):
            if await self._store.sessions.get_owned(session_id, user) is not None:
                await self._store.sessions.forget(session_id)

    async def _summary(self, session: Session) -> tuple[str, str] | None:
        text, turn_id = session.summary, session.summary_turn_id
        if not text or turn_id is None:
            return None
        if session.forgotten_at is not None or session.branches:
            # It may have been under way while the conversation was forgotten, or tell of turns that were replaced.
            row = await self._store.turns.get(turn_id)
            since = from_iso(session.forgotten_at) if session.forgotten_at else 0.0
            if row is None or row.started_at <= since or not row.on_path:
                return None
        return text, turn_id

    async def _whole(self, row: TurnRow) -> ConversationTurn:
        """With steps, plan and evaluation; where its events cannot be read, what was said."""
        folded = ResponseFold()
        try:
            for event in await self._store.turns.read(row.id, skip_unknown=True):
                folded.advance(event)
        except StoreAway:
            raise
        except (StoreError, LookupError) as error:
            # Of an imported log, or a newer version's, a call may have a result and no beginning.
            _log.warning("turn %s is remembered without its steps: %r", row.id, error)
            return _said(row)
        return folded.conversation_turn()


def _is_told(row: TurnRow) -> bool:
    return row.finished_at is not None and row.answer is not None and not row.question.startswith("/")


def _said(row: TurnRow) -> ConversationTurn:
    return ConversationTurn(
        id=row.id,
        session_id=row.session_id,
        user_query=row.question,
        agent_response=row.answer or "",
        created_at=to_iso(row.started_at),
    )
