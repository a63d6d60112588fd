"""Index of past conversations, derived from the store, for the users who had them.

New turns are added, deleted ones removed, and a hit is shown only if the store still has it, for its own user. Whatever
is interrupted is done again at the next look. `indexer` decides when.
"""

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import msgspec

from glassloop.core.errors import StoreAway, StoreError
from glassloop.core.records import Record
from glassloop.memory.search_text import searchable_turn, tools_used, words_about
from glassloop.runtime.embedding import ready_embedder
from glassloop.runtime.settings import Settings
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.records import Session, TurnRow, from_iso, to_iso
from glassloop.store.store import Store

if TYPE_CHECKING:
    from glassloop.retrieval.collections.conversation_ledger import IndexedSession
    from glassloop.retrieval.collections.conversations import ConversationHit, Conversations, IndexedTurn

_log = logging.getLogger(__name__)

SESSIONS_AT_ONCE = 100
TURNS_AT_ONCE = 200
"""So many go into the index together; others may have their turn in between."""

MAX_RESULTS = 5
MIN_RELEVANCE = 0.1
TOKEN_BUDGET = 2_000
QUESTION_CHARS = 500

Tell = Callable[[int], None]
"""How many sessions were looked at since the last time."""


class PastTurn(Record, frozen=True, kw_only=True):
    """A turn that was found: `passage` is what was found in it, `at` when it began (ISO 8601). Without `turn_id`: a
    session, by its title or a message that is no turn's."""

    session_id: str
    turn_id: str | None
    title: str
    at: str
    assistant: str
    question: str
    passage: str
    tools: tuple[str, ...]
    relevance: float
    why: str


class SearchOptions(TypedDict, total=False):
    """How it is searched. `session_id`: the session it is asked from; of that one also the steps of turns whose context
    was compacted."""

    session_id: str
    max_results: int
    min_relevance: float
    token_budget: int


class IndexIntervals(msgspec.Struct, frozen=True, kw_only=True):
    """How past conversations are followed.

    A turn goes in `rest_s` after its end, with those that ended meanwhile; every `catch_up_s` all are looked at. A
    search waits `freshen_s` at most for what is not in the index yet. For another process that writes it waits
    `wait_s`, and to remove something `forget_s`: what is not done then is done at the next look.
    """

    rest_s: float = 3.0
    catch_up_s: float = 600.0
    freshen_s: float = 5.0
    wait_s: float = 3.0
    forget_s: float = 10.0
    most_waiting: int = 10_000


class ConversationIndex:
    """The conversations of a store, with their index in that folder or in the PostgreSQL of that URL. Nothing is
    opened, loaded or made there before it is needed."""

    def __init__(
        self,
        store: Store,
        folder: Path,
        settings: Settings,
        database_url: str | None = None,
        pace: IndexIntervals | None = None,
    ) -> None:
        self._store = store
        self._folder = folder
        self._settings = settings
        self._database_url = database_url
        self._pace = pace or IndexIntervals()
        self._opened: Conversations | None = None
        self._lock = asyncio.Lock()

    async def aclose(self) -> None:
        async with self._lock:
            opened, self._opened = self._opened, None
            if opened is not None:
                await opened.aclose()

    async def search(self, query: str, *, user: str, **given: Unpack[SearchOptions]) -> Sequence[PastTurn]:
        """What the user said and was told before, best first."""
        wanted = SearchOptions(max_results=MAX_RESULTS, min_relevance=MIN_RELEVANCE, token_budget=TOKEN_BUDGET) | given
        hits = await self._conversations().search(query, user=user, **wanted)
        found = [await self._found(hit, user) for hit in hits]
        return [each for each in found if each is not None]

    async def catch_up(self, tell: Tell | None = None) -> int:
        """Brings the index to what the store has; how many turns went in."""
        if self._database_url is not None:
            # Earlier versions kept an index on each machine: nobody would remove from it what is deleted.
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
        total, seen = 0, set[str]()
        async for page in self._pages():
            seen.update(session.id for session in page)
            total += await self.take(page)
            if tell is not None:
                tell(len(page))
        await self._forget_unseen(seen)
        return total

    async def rebuild(self, tell: Tell | None = None) -> int:
        """Makes the index anew; how many turns are in it."""
        async with self._lock:
            await self._conversations().drop()
        return await self.catch_up(tell)

    async def embed_pending(self) -> int:
        """Gives what is in the index its vectors; how many passages got one."""
        return await self._conversations().embed_pending()

    def renew(self) -> None:
        """With the embedder that is there now: its weights may have come meanwhile."""
        if self._opened is not None:
            self._opened.use(ready_embedder(self._settings))

    async def forget(self, sessions: Sequence[str]) -> None:
        """After these sessions were deleted."""
        async with self._lock:
            await self._conversations().forget(sessions)

    async def forget_user(self, user: str) -> None:
        """After everything of a user was deleted."""
        async with self._lock:
            await self._conversations().forget_user(user)

    async def forget_gone(self) -> None:
        """After sessions were deleted, whichever they were."""
        if await self._conversations().kept():
            await self._forget_unseen({session.id async for page in self._pages() for session in page})

    async def take(self, sessions: Sequence[Session], running: Mapping[str, set[str]] | None = None) -> int:
        """Puts what these sessions have new into the index; how many turns. `running`: by session, turns to take
        though they have not ended."""
        total = 0
        sessions = [session for session in sessions if not session.temporary]
        for begin in range(0, len(sessions), SESSIONS_AT_ONCE):
            async with self._lock:
                total += await self._take(sessions[begin : begin + SESSIONS_AT_ONCE], running or {})
        return total

    async def _take(self, sessions: Sequence[Session], running: Mapping[str, set[str]]) -> int:
        conversations = self._conversations()
        kept = await conversations.kept([session.id for session in sessions])
        changed = [each for each in sessions if running.get(each.id) or _has_changed(each, kept.get(each.id))]
        anew = [each.id for each in changed if each.id in kept and not _goes_on(each, kept[each.id])]
        if anew:
            await conversations.forget(anew)
        total = 0
        for user in dict.fromkeys(session.user_id for session in changed):
            turns: list[IndexedTurn] = []
            done: list[Session] = []
            for session in (each for each in changed if each.user_id == user):
                turns += await self._new_turns(session, running.get(session.id, set()))
                done.append(session)
                if len(turns) >= TURNS_AT_ONCE:
                    total += await self._put(user, turns, done)
                    turns, done = [], []
            total += await self._put(user, turns, done)
        return total

    async def _put(self, user: str, turns: "Sequence[IndexedTurn]", sessions: Sequence[Session]) -> int:
        conversations = self._conversations()
        await conversations.add(user, turns, {session.id: mark_of(session) for session in sessions})
        # One that was deleted meanwhile was perhaps not in the index yet when it was removed from there.
        gone = [session.id for session in sessions if await self._store.sessions.get_owned(session.id, user) is None]
        if gone:
            await conversations.forget(gone)
        return len(turns)

    async def _new_turns(self, session: Session, running: set[str]) -> "Sequence[IndexedTurn]":
        known = await self._conversations().known_turns(session.id)
        rows = await self._store.turns.of_session(session.id, since=_cut_off(session))
        wanted = [row for row in rows if row.id not in known and (row.finished_at is not None or row.id in running)]
        found = [await self._told(row) for row in wanted]
        return [each for each in found if each is not None]

    async def _told(self, row: TurnRow) -> "IndexedTurn | None":
        from glassloop.retrieval.collections.conversations import IndexedTurn

        try:
            made = searchable_turn(await self._store.turns.read(row.id, skip_unknown=True))
        except StoreAway:
            raise
        except StoreError as error:
            _log.warning("turn %s cannot be searched: %s", row.id, error)
            return None
        return None if made is None else IndexedTurn(session_id=row.session_id, **msgspec.structs.asdict(made))

    async def _found(self, hit: "ConversationHit", user: str) -> PastTurn | None:
        """What the store has of it, where it is still there and still the user's."""
        for session_id, turn_id in ((hit.session_id, hit.turn_id), *hit.others):
            row, session = await self._store.turns.get(turn_id), await self._store.sessions.get_owned(session_id, user)
            if row is None or session is None or row.session_id != session_id or row.started_at <= _cut_off(session):
                continue
            if not row.on_path:
                continue
            passage = hit.passage
            return await to_searchable_turn(
                self._store, session, row, passage=passage.text, relevance=passage.relevance, why=passage.why
            )
        return None

    async def _pages(self) -> AsyncGenerator[Sequence[Session], None]:
        offset = 0
        while page := await self._store.sessions.list(MAX_LISTED, offset):
            yield page
            offset += len(page)

    async def _forget_unseen(self, seen: set[str]) -> None:
        conversations = self._conversations()
        missing = [ident for ident in await conversations.kept() if ident not in seen]
        # A page may have missed one that moved while we looked.
        gone = [ident for ident in missing if await self._store.sessions.get(ident) is None]
        for begin in range(0, len(gone), SESSIONS_AT_ONCE):
            await self.forget(gone[begin : begin + SESSIONS_AT_ONCE])

    def _conversations(self) -> "Conversations":
        if self._opened is None:
            from glassloop.retrieval import Library
            from glassloop.retrieval.collections.conversations import Conversations

            library = Library(
                self._folder,
                ready_embedder(self._settings),
                dense_weight=self._settings.rag_dense_weight,
                sparse_weight=self._settings.rag_sparse_weight,
                database_url=self._database_url,
            )
            self._opened = Conversations(library, wait_s=self._pace.wait_s, forget_s=self._pace.forget_s)
        return self._opened


async def to_searchable_turn(
    store: Store, session: Session, row: TurnRow, *, passage: str, relevance: float, why: str
) -> PastTurn:
    """With what the store has of it."""
    tools = tuple(tools_used(await store.turns.read(row.id, skip_unknown=True)))
    about = words_about(row.started_at, row.assistant, tools)
    return PastTurn(
        session_id=session.id,
        turn_id=row.id,
        title=session.title,
        at=to_iso(row.started_at),
        assistant=row.assistant,
        question=row.question[:QUESTION_CHARS],
        passage=passage.removesuffix(about).rstrip(),
        tools=tools,
        relevance=relevance,
        why=why,
    )


def mark_of(session: Session) -> str:
    """Differs when a turn began or ended, when the conversation was forgotten, and when the session is another one."""
    return f"{session.message_count} {_since(session)}"


def _since(session: Session) -> str:
    return f"{session.started_at} {session.forgotten_at or ''}"


def _cut_off(session: Session) -> float:
    """Of what began before then memory tells nothing."""
    return from_iso(session.forgotten_at) if session.forgotten_at else 0.0


def _has_changed(session: Session, kept: "IndexedSession | None") -> bool:
    return kept is None or kept.mark != mark_of(session) or not _goes_on(session, kept)


def _goes_on(session: Session, kept: "IndexedSession") -> bool:
    """Whether what is in the index is the beginning of what the session is now: it may have become another user's, or
    have been forgotten."""
    from glassloop.retrieval.collections.conversations import owner_of

    return kept.owner == owner_of(session.user_id) and kept.mark.partition(" ")[2] == _since(session)
