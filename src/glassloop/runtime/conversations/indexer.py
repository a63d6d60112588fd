"""Indexer of past conversations: shortly after a turn has ended here, now and then for other processes, and before each
search for the asker's own. No turn ever waits for it.
"""

import asyncio
import logging
from collections.abc import Awaitable, Collection, Sequence
from pathlib import Path
from typing import Unpack

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import GlassloopError, StoreAway, UsageError
from glassloop.runtime.conversations.index import ConversationIndex, IndexIntervals, PastTurn, SearchOptions
from glassloop.runtime.settings import Settings
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.store import Store

_log = logging.getLogger(__name__)


class PendingSession(msgspec.Struct, frozen=True):
    """A session with something new, and which of its turns to take though they have not ended."""

    user: str
    running: set[str]


class ConversationIndexer(ConversationIndex):
    """Past conversations that follow the store: an `Observer` of the turns that run here, and a background task."""

    def __init__(
        self, store: Store, folder: Path, settings: Settings, url: str | None, pace: IndexIntervals | None
    ) -> None:
        super().__init__(store, folder, settings, url, pace)
        self._turns: dict[str, e.TurnStarted] = {}
        """Those that run here."""
        self._waiting: dict[str, PendingSession] = {}
        """By session."""
        self._woken = asyncio.Event()
        self._is_behind = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """From now on, in the background."""
        self._task = asyncio.create_task(self._work())

    async def aclose(self) -> None:
        """What was not taken yet is taken by whoever looks next."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])
            self._task = None
        await super().aclose()

    def renew(self) -> None:
        super().renew()
        self._woken.set()

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:  # noqa: ARG002
        started = events[0]
        if isinstance(started, e.TurnStarted):
            self._turns[started.turn_id] = started
            if any(isinstance(event, e.ContextCompacted) for event in events):
                self._nudge(started.turn_id, ended=False)

    def see(self, event: e.AnyEvent) -> None:
        if isinstance(event, (e.TurnFinished, e.ContextCompacted)):
            self._nudge(event.turn_id, ended=isinstance(event, e.TurnFinished))

    def end(self, turn_id: str) -> None:
        self._turns.pop(turn_id, None)

    async def search(self, query: str, *, user: str, **given: Unpack[SearchOptions]) -> Sequence[PastTurn]:
        """As in `ConversationIndex`, with what the user's sessions have new."""
        await self._freshen(user)
        return await super().search(query, user=user, **given)

    async def forget(self, sessions: Sequence[str]) -> None:
        await self._or_later(super().forget(sessions))

    async def forget_user(self, user: str) -> None:
        await self._or_later(super().forget_user(user))

    async def _or_later(self, forgetting: Awaitable[None]) -> None:
        """What the store no longer has is found by nobody; where its words cannot be removed now, they are by the
        task, if there is one."""
        try:
            await forgetting
        except StoreAway as error:
            if self._task is None:
                raise
            _log.warning("what was deleted is removed from the index of conversations later: %s", error)
            self._is_behind = True
            self._woken.set()

    def _nudge(self, turn_id: str, *, ended: bool) -> None:
        started = self._turns.get(turn_id)
        if started is not None:
            self._await(started.session_id, PendingSession(started.user, set() if ended else {turn_id}))
            self._woken.set()

    def _await(self, session_id: str, more: PendingSession) -> None:
        """Beyond the bound they are left to the next look at all."""
        if session_id in self._waiting:
            self._waiting[session_id].running.update(more.running)
        elif len(self._waiting) < self._pace.most_waiting:
            self._waiting[session_id] = more

    async def _work(self) -> None:
        """Round by round: all there is, then what is told, until it is time to look at all again."""
        while True:
            until = asyncio.get_running_loop().time() + self._pace.catch_up_s
            try:
                # Not at once: whoever has just started has better things to do.
                await asyncio.sleep(self._pace.rest_s)
                self.renew()
                self._is_behind = False
                await self.catch_up()
                while not self._is_behind:
                    await self.embed_pending()
                    async with asyncio.timeout_at(until):
                        await self._woken.wait()
                    await asyncio.sleep(self._pace.rest_s)
                    await self._take_waiting()
            except TimeoutError:
                continue
            except UsageError as error:
                # What it needs is not installed.
                _log.info("past conversations are not kept findable: %s", error)
                return
            except GlassloopError as error:
                _log.warning("past conversations are followed again later: %s", error)
            except Exception:
                _log.exception("past conversations could not be followed; it is tried again")
            await asyncio.sleep(self._pace.rest_s)

    async def _take_waiting(self) -> None:
        self._woken.clear()
        waiting, self._waiting = self._waiting, {}
        try:
            found = [await self._store.sessions.get(ident) for ident in waiting]
            running = {ident: each.running for ident, each in waiting.items()}
            await self.take([session for session in found if session is not None], running)
        except BaseException:
            for ident, each in waiting.items():
                self._await(ident, each)
            raise

    async def _freshen(self, user: str) -> None:
        """Takes in what the user's sessions have new; within bounds, and without what cannot be had for now."""
        try:
            async with asyncio.timeout(self._pace.freshen_s):
                page = await self._store.sessions.list(MAX_LISTED, 0, user)
                running = {ident: set(each.running) for ident, each in self._waiting.items() if each.user == user}
                older = running.keys() - {session.id for session in page}
                others = [await self._store.sessions.get_owned(ident, user) for ident in older]
                await self.take([*page, *(session for session in others if session is not None)], running)
        except TimeoutError:
            _log.info("a search goes on with what is in the index after %g s", self._pace.freshen_s)
        except StoreAway as error:
            _log.warning("a search goes on with what is in the index: %s", error)
