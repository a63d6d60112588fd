"""Search over past conversations, for the page, the API, MCP, the command and the tool alike.

Asks the index, which ranks by words and by meaning, and the store, for exact words, parts of words and titles. A turn
that has just ended, a new title, a deleted session are found, or not, as the store has them. Without an index the store
alone answers.
"""

import asyncio
import logging
from collections.abc import Sequence
from typing import Unpack

import msgspec

from glassloop.core.errors import StoreError, UsageError
from glassloop.memory.search_text import MAX_QUERY, sourced_passage
from glassloop.runtime.conversations.index import MAX_RESULTS, PastTurn, SearchOptions, to_searchable_turn
from glassloop.runtime.conversations.indexer import ConversationIndexer
from glassloop.store.records import Session
from glassloop.store.store import Store
from glassloop.store.tables.search import MAX_FOUND, SearchHit

_log = logging.getLogger(__name__)

LISTED_RELEVANCE = 0.5
"""From which on a session is listed as found: a reader of a list sees no reason why, a model weighs what it is told."""

LISTED_PASSAGES = 3
"""So many passages are looked at for each session that is wanted: several may be of the same one."""

_Key = tuple[str, str | None]


class ConversationSearch:
    """Each user finds their own conversations."""

    def __init__(self, store: Store, past: ConversationIndexer | None) -> None:
        self._store = store
        self._past = past

    async def search(self, query: str, *, user: str, **given: Unpack[SearchOptions]) -> Sequence[PastTurn]:
        """What the user said and was told before, best first: a turn's relevance, or the share of the words that it
        has exactly, whichever is more."""
        if len(query) > MAX_QUERY:
            raise UsageError(f"The search has {len(query):,} characters; the limit is {MAX_QUERY:,}.")
        most = given.get("max_results", MAX_RESULTS)
        exact = await self._exact(query, user, most, given.get("session_id", ""))
        indexed: Sequence[PastTurn] = ()
        try:
            if self._past is not None:
                indexed = await self._past.search(query, user=user, **given)
        except (StoreError, UsageError) as error:
            # What is missing or broken there keeps nobody from the exact words.
            if not exact:
                raise
            _log.warning("past conversations are searched for exact words only: %s", error)
        return (await self._joined(indexed, exact))[:most]

    async def sourced(self, found: Sequence[PastTurn]) -> tuple[str, ...]:
        """The figures of what was found that had a source when they were said, and when that was."""
        figures: dict[str, None] = dict.fromkeys(each.at for each in found)
        for each in found:
            if each.turn_id is not None:
                events = await self._store.turns.read(each.turn_id, skip_unknown=True)
                text = f"{each.question}\n\n{each.passage}"
                figures |= dict.fromkeys(await asyncio.to_thread(sourced_passage, text, events))
        return tuple(figures)

    async def sessions(self, query: str, *, user: str, limit: int) -> Sequence[tuple[Session, PastTurn]]:
        """The sessions that were found, best first, each with the best of it."""
        wanted = SearchOptions(max_results=min(limit, MAX_FOUND) * LISTED_PASSAGES, min_relevance=LISTED_RELEVANCE)
        best: dict[str, PastTurn] = {}
        for found in await self.search(query, user=user, **wanted):
            best.setdefault(found.session_id, found)
        shown = [(await self._store.sessions.get_owned(ident, user), found) for ident, found in best.items()]
        return [(session, found) for session, found in shown if session is not None][:limit]

    async def _exact(self, query: str, user: str, most: int, here: str) -> Sequence[SearchHit]:
        found = await self._store.search.find_words(user, query.split(), max(1, min(most, MAX_FOUND)))
        # The title of a conversation that is going on is its own question: that is no find.
        return [hit for hit in found if hit.turn_id is not None or hit.session.id != here]

    async def _joined(self, indexed: Sequence[PastTurn], exact: Sequence[SearchHit]) -> list[PastTurn]:
        by_index = {_key(found): found for found in indexed}
        joined = dict(by_index)
        for hit in exact:
            known = by_index.get((hit.session.id, hit.turn_id))
            found = known or await self._told(hit)
            if found is not None:
                joined[_key(found)] = msgspec.structs.replace(found, relevance=max(found.relevance, hit.share))

        def worth(found: PastTurn) -> tuple[float, float, str]:
            ranked = by_index.get(_key(found))
            return found.relevance, ranked.relevance if ranked else 0.0, found.at

        return sorted(joined.values(), key=worth, reverse=True)

    async def _told(self, hit: SearchHit) -> PastTurn | None:
        """As the store tells it; None where it has gone meanwhile."""
        if hit.turn_id is None:
            session = hit.session
            return PastTurn(
                session_id=session.id,
                turn_id=None,
                title=session.title,
                at=session.last_active,
                assistant=session.assistant,
                question="",
                passage=hit.excerpt,
                tools=(),
                relevance=hit.share,
                why="exact",
            )
        row = await self._store.turns.get(hit.turn_id)
        if row is None:
            return None
        return await to_searchable_turn(
            self._store, hit.session, row, passage=hit.excerpt, relevance=hit.share, why="exact"
        )


def _key(found: PastTurn) -> _Key:
    return found.session_id, found.turn_id
