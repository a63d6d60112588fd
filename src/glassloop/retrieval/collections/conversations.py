"""Index of past conversations, one partition for each user.

Owns what is in the index and what is not. Callers know where conversations come from and which still exist: all of it
is derived, and can be dropped and made again. Owners are kept as hashes, so that no file holds a name.
"""

import asyncio
import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from glassloop.core.errors import StoreAway, UnknownName
from glassloop.core.ports import Embedder, Passage
from glassloop.retrieval.collections.conversation_ledger import IndexedSession
from glassloop.retrieval.index.index import Index
from glassloop.retrieval.index.library import Library
from glassloop.retrieval.index.sources import DocumentSource

NAME = "conversations"
SAID = "said"
KIND = ".txt"

_TO_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_FROM_LETTERS = str.maketrans("ghijklmnop", "0123456789")

T = TypeVar("T")


class IndexedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn to be found. `said` is found from every session of its user, `steps` from its own only."""

    session_id: str
    turn_id: str
    title: str
    said: str
    steps: str = ""
    ended: bool = True


class ConversationHit(msgspec.Struct, frozen=True, kw_only=True):
    """Where a passage was found. `others`: sessions and turns with the same text."""

    session_id: str
    turn_id: str
    passage: Passage
    others: tuple[tuple[str, str], ...] = ()


def owner_of(user: str) -> str:
    """A user as the index knows them."""
    return hashlib.blake2b(user.encode("utf-8", "surrogatepass"), digest_size=16, person=b"conversations").hexdigest()


class Conversations:
    """In a library, which is its own from then on; nothing is made there before something goes in. It waits so long
    for another process that writes: `wait_s` to put something in, `forget_s` to remove it."""

    def __init__(self, library: Library, *, wait_s: float = 3.0, forget_s: float = 10.0) -> None:
        self._library = library
        self._wait_s = wait_s
        self._forget_s = forget_s
        self._ledger = library.ledger(NAME)

    async def aclose(self) -> None:
        await self._library.aclose()
        await asyncio.to_thread(self._ledger.close)

    async def kept(
        self, sessions: Sequence[str] | None = None, *, user: str | None = None
    ) -> Mapping[str, IndexedSession]:
        """Which of these sessions, of this user's or of all have something in the index."""
        owner = None if user is None else owner_of(user)
        return await self._look(lambda: self._ledger.sessions(sessions, owner), {})

    async def known_turns(self, session_id: str) -> set[str]:
        """The turns of the session that need not be told again."""
        return await self._look(lambda: self._ledger.ended(session_id), set[str]())

    async def add(self, user: str, turns: Sequence[IndexedTurn], marks: Mapping[str, str] | None = None) -> None:
        """Turns of one user's sessions. `marks`: of sessions of which then all is in, what says so at the next look."""
        marks, owner = marks or {}, owner_of(user)
        sessions = {turn.session_id for turn in turns} | marks.keys()
        if not sessions:
            return
        if self._index() is None:
            # What was written down is of an index that is no longer there.
            await self._do(self._ledger.clear)
        index = self._library.index(NAME, make=True)
        await self._do(lambda: self._ledger.begin(sessions, owner))
        said = [_source(turn, turn.said) for turn in turns if turn.said]
        if said:
            await index.add(said, owner=owner, domain=SAID, wait_s=self._wait_s)
        for turn in turns:
            if turn.steps:
                own = _steps(turn.session_id)
                await index.add([_source(turn, turn.steps)], owner=owner, domain=own, wait_s=self._wait_s)
        went = [(turn.session_id, turn.turn_id, turn.ended) for turn in turns]
        await self._do(lambda: self._ledger.add(went))
        await self._do(lambda: self._ledger.mark(marks.items()))

    async def forget(self, sessions: Sequence[str]) -> int:
        """Removes these sessions; how many of them had something in the index."""
        kept = await self.kept(sessions)
        if not kept:
            return 0
        for owner in {each.owner for each in kept.values()}:
            await self._forget(owner, {each.id for each in kept.values() if each.owner == owner})
        await self._do(lambda: self._ledger.remove(list(kept)))
        return len(kept)

    async def forget_user(self, user: str) -> int:
        """Removes everything of a user; how many sessions that were."""
        kept = await self.kept(user=user)
        await self._forget(owner_of(user), None)
        if kept:
            await self._do(lambda: self._ledger.remove(list(kept)))
        return len(kept)

    async def drop(self) -> None:
        """Removes all of it, to be made again."""
        await self._library.drop(NAME)
        await self._do(self._ledger.clear)

    async def search(
        self,
        query: str,
        *,
        user: str,
        session_id: str = "",
        max_results: int = 5,
        min_relevance: float = 0.0,
        token_budget: int = 2_000,
    ) -> Sequence[ConversationHit]:
        """Best first. `session_id`: the session that is asked from, whose steps are searched as well."""
        domains = [SAID, _steps(session_id)] if session_id else [SAID]
        try:
            found = await self._library.search(
                query,
                index=NAME,
                user=owner_of(user),
                domains=domains,
                max_results=max_results,
                min_relevance=min_relevance,
                token_budget=token_budget,
            )
        except UnknownName:
            return ()
        return [_hit(passage) for passage in found]

    async def embed_pending(self) -> int:
        """Gives what came in its vectors; how many passages got one."""
        try:
            return await self._library.index(NAME).embed_pending()
        except UnknownName:
            return 0

    def use(self, embedder: Embedder | None) -> None:
        """From now on, for meaning."""
        if embedder is not self._library.embedder:
            self._library.use(embedder)

    async def _forget(self, owner: str, sessions: set[str] | None) -> None:
        """Of the owner these sessions, or all. By what the index has: the ledger may lack what was going in."""
        try:
            index = self._library.index(NAME)
            listed = await index.documents(owner=owner)
        except UnknownName:
            return
        mine = [each for each in listed if sessions is None or _place(each.name)[0] in sessions]
        for domain in {each.domain for each in mine}:
            names = [each.name for each in mine if each.domain == domain]
            await index.remove(names, owner=owner, domain=domain, wait_s=self._forget_s)
        await index.settled()

    def _index(self) -> Index | None:
        try:
            return self._library.index(NAME)
        except UnknownName:
            return None

    async def _look(self, work: Callable[[], T], nothing: T) -> T:
        """What the ledger says; nothing where there is no index, as after a loss of it."""
        if self._index() is None:
            return nothing
        return await self._do(work)

    async def _do(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except self._ledger.faults as error:
            raise StoreAway(
                f"The index of conversations cannot be read or written ({error}): `glassloop sessions index` makes it "
                "anew."
            ) from error


def _source(turn: IndexedTurn, text: str) -> DocumentSource:
    return DocumentSource(
        name=f"{_letters(turn.session_id)}/{_letters(turn.turn_id)}", text=text, title=turn.title, kind=KIND
    )


def _letters(ident: str) -> str:
    """As one word that nobody looks for: the names of documents are searched as well, and ids hold numbers."""
    return ident.encode("utf-8", "surrogatepass").hex().translate(_TO_LETTERS)


def _place(name: str) -> tuple[str, str]:
    """The session and the turn that a document is of."""
    session_id, turn_id = (bytes.fromhex(part.translate(_FROM_LETTERS)) for part in name.split("/"))
    return session_id.decode("utf-8", "surrogatepass"), turn_id.decode("utf-8", "surrogatepass")


def _steps(session_id: str) -> str:
    return f"steps of {session_id}"


def _hit(passage: Passage) -> ConversationHit:
    session_id, turn_id = _place(passage.document)
    return ConversationHit(
        session_id=session_id, turn_id=turn_id, passage=passage, others=tuple(map(_place, passage.also))
    )
