"""The session interface: conversations, their messages, their ratings and summaries, and what memory may tell."""

from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.errors import StoreError
from glassloop.core.records import Json
from glassloop.store import keeping, session_table
from glassloop.store.access import Access
from glassloop.store.database import Database, column_text
from glassloop.store.records import Session, SessionMessage


class Sessions(Access):
    """Conversations of all users."""

    async def create_session(
        self, user_id: str, channel: str = "api", metadata: Mapping[str, Json] | None = None
    ) -> Session:
        session_id, now = self._ids(), self._clock()
        clean = self._redactor.value(msgspec.to_builtins(metadata or {}))

        def work(db: Database) -> Session | None:
            session_table.create(db, session_id, user_id, channel, clean, now)
            return session_table.get(db, session_id)

        session = await self._writer.do(work)
        if session is None:
            raise StoreError(f"Session {session_id!r} was not stored: look at the database.")
        return session

    async def get_session(self, session_id: str) -> Session | None:
        return await self._read(lambda db: session_table.get(db, session_id))

    async def session_of(self, session_id: str, user_id: str) -> Session | None:
        """The session if it is this user's; None where it is another's, or nobody's."""
        session = await self.get_session(session_id)
        return session if session is not None and session.user_id == column_text(user_id) else None

    async def list_sessions(
        self,
        limit: int = 50,
        offset: int = 0,
        user_id: str | None = None,
        status: str | None = None,
        *,
        evals: bool = True,
    ) -> Sequence[Session]:
        """Newest first. Without `evals` those of `glassloop eval` are left out, unless that user's are asked for."""
        return await self._read(lambda db: session_table.listed(db, limit, offset, user_id, status, evals=evals))

    async def update_session_status(self, session_id: str, status: str) -> None:
        now = self._clock()
        await self._writer.do(lambda db: session_table.set_status(db, session_id, status, now))

    async def add_rating(self, session_id: str, rating: str, note: str | None = None) -> None:
        clean = None if note is None else self._redactor.text(note)
        await self._writer.do(lambda db: session_table.rate(db, session_id, rating, clean))

    async def rename_session(self, session_id: str, title: str) -> None:
        clean = self._redactor.text(title)
        await self._writer.do(lambda db: session_table.rename(db, session_id, clean))

    async def retitle_session(self, session_id: str, old: str, title: str) -> bool:
        """Another title, unless somebody gave one meanwhile; whether it has it now."""
        clean = self._redactor.text(title)
        return await self._writer.do(lambda db: session_table.retitle(db, session_id, old, clean))

    async def save_summary(self, session_id: str, summary: str, turn_id: str) -> None:
        """What the turns up to that one come down to."""
        clean = self._redactor.text(summary)
        await self._writer.do(lambda db: session_table.summarize(db, session_id, clean, turn_id))

    async def forget_session(self, session_id: str) -> None:
        """From now on memory tells nothing of the turns so far; they stay in the log."""
        now = self._clock()
        await self._writer.do(lambda db: session_table.forget(db, session_id, now))

    async def add_message(
        self,
        session_id: str,
        role: str,
        content: str,
        reasoning_trace: Json = None,
        tool_calls: Json = None,
        metrics: Mapping[str, Json] | None = None,
    ) -> int:
        """A message that belongs to no turn; its id. `metrics`: `tokens_prompt`, `tokens_completion`, `latency_ms`."""
        clean = self._redactor.value
        trace, calls = clean(msgspec.to_builtins(reasoning_trace)), clean(msgspec.to_builtins(tool_calls))
        text, figures, now = self._redactor.text(content), dict(metrics or {}), self._clock()
        return await self._writer.do(
            lambda db: session_table.add_message(db, session_id, role, text, trace, calls, figures, now)
        )

    async def messages(self, session_id: str) -> Sequence[SessionMessage]:
        """Oldest first; the answer of a turn with the turn's calls and trace."""
        trace = self._trace
        return await self._read(lambda db: keeping.messages_with_traces(db, session_id, trace))

    async def delete_session(self, session_id: str) -> bool:
        """Everything of a session; whether there was one."""
        return await self._writer.do(lambda db: session_table.delete(db, session_id))
