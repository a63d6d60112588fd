"""Store of an agent without a runtime: its log, its conversations after a restart, and its unfinished turns.

Opened when it is first needed, once for each event loop, so that `run_sync` and `asyncio.run` may be used again and
again. A turn is held like a worker's: by a process lock on a SQLite file, by a lease that is renewed on PostgreSQL.
What one process runs, no other resumes.
"""

import asyncio
import logging
import os
import time
from collections import OrderedDict
from collections.abc import Container, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.core.ports import Clock
from glassloop.core.records import ConversationTurn
from glassloop.memory.working_memory import SessionPosition
from glassloop.runtime.attachments.blobs import BlobCache
from glassloop.runtime.conversations.archive import StoreArchive
from glassloop.runtime.durable.turn_lease import TurnLease, now
from glassloop.runtime.durable.worker_identity import WorkerIdentity
from glassloop.runtime.settings import load_settings
from glassloop.runtime.stores import open_settings_store, worker_identity
from glassloop.store.engine.paging import MAX_LISTED
from glassloop.store.engine.urls import MEMORY
from glassloop.store.errors import TurnHeld
from glassloop.store.records import TurnRow
from glassloop.store.store import Store

MAX_TURNS = 10_000
"""Turns of an agent that are under way at once."""

RENEWALS = 3
_log = logging.getLogger(__name__)


class UnfinishedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn that `Agent.resume` can go on with: interrupted by the end of its process, or paused for people."""

    turn_id: str
    """What `Agent.resume` takes."""
    session_id: str
    """Its conversation."""
    user: str
    """Who asked."""
    question: str
    """What was asked."""
    status: Literal["interrupted", "paused"]
    """`interrupted` turns go on by themselves when resumed; `paused` ones need what people decide."""
    started_at: float
    """Seconds since 1970."""


class AgentStore:
    """Fills `EventStore`, the `Archive` of conversation memory and the `SessionBlobTable` of attachments. Closes only
    what it opened itself."""

    def __init__(self, store: "str | os.PathLike[str] | Store", clock: Clock = time.time) -> None:
        self._given = store if isinstance(store, Store) else None
        self._url = store.engine.url if isinstance(store, Store) else _absolute(os.fspath(store))
        self._clock = clock
        self._opened: dict[asyncio.AbstractEventLoop, asyncio.Task[Store]] = {}
        self._identity: WorkerIdentity | None = None
        self._epochs: OrderedDict[str, int] = OrderedDict()
        self._leases: dict[str, TurnLease] = {}
        self._renewing: asyncio.Task[None] | None = None
        self.unsaved_blobs = BlobCache()
        """What was given with questions, until their turns are stored."""

    async def opened(self) -> Store:
        """The store for the event loop that runs now."""
        if self._identity is None:
            self._identity = await asyncio.to_thread(worker_identity, self._url, None, self._clock)
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        for other in [each for each in self._opened if each.is_closed()]:
            await self._close(self._opened.pop(other))
        opening = self._opened.get(loop)
        if opening is None or (opening.done() and (opening.cancelled() or opening.exception() is not None)):
            opening = self._opened[loop] = loop.create_task(self._open())
        return await asyncio.shield(opening)

    def append_now(self, turn_id: str, events: Sequence[e.Durable]) -> bool:
        store = self._ready()
        if store is None or events[0].seq == 1:
            return False
        stored = store.turns.append_now(turn_id, events, epoch=self._epochs.get(turn_id, 0))
        if stored:
            self._let_go_after(events[-1])
        return stored

    async def append(self, turn_id: str, events: Sequence[e.Durable], *, sync: bool = False) -> None:
        store = await self.opened()
        try:
            if events[0].seq == 1:
                await self._begin(store, events, sync=sync)
            else:
                epoch = self._epochs.get(turn_id, 0)
                if sync:
                    await self._renew_if_lapsed(store, turn_id, epoch)
                await store.turns.append(turn_id, events, sync=sync, epoch=epoch)
        except StoreError:
            self._leases.pop(turn_id, None)
            raise
        self._let_go_after(events[-1])

    def holds(self, turn_id: str) -> bool:
        """Whether the turn is certainly ours still: asked before each effect."""
        lease = self._leases.get(turn_id)
        return lease is not None and lease.holds()

    async def take(self, turn_id: str, *, assistant: str, user: str | None = None) -> Sequence[e.Durable]:
        """Claims a turn that nobody runs, to go on with it: its events. Raises `UnknownName` for what is not there or
        another user's, `UsageError` for what cannot go on here."""
        store = await self.opened()
        row = await store.turns.get(turn_id)
        if row is None or (user is not None and row.user_id != user):
            raise UnknownName(f"There is no turn {turn_id!r}.")
        if row.status not in ("running", "paused"):
            raise UsageError(f"Turn {turn_id!r} is {row.status}: ask again, or fork it.")
        if row.assistant != assistant:
            raise UsageError(
                f"Turn {turn_id!r} belongs to {row.assistant!r}, not to {assistant!r}: resume it with that agent."
            )
        if not self._is_free(row):
            raise UsageError(f"Turn {turn_id!r} is running on {row.worker!r}: resume it after that ends.")
        identity = self._own
        asked_at = now()
        try:
            epoch = await store.turns.claim(turn_id, identity.name, identity.lease_s, epoch=row.epoch)
        except TurnHeld as held:
            raise UsageError(f"Turn {turn_id!r} was just resumed elsewhere: resume it after that ends.") from held
        self._hold(turn_id, epoch, asked_at)
        return await store.turns.read_unredacted(turn_id)

    async def give_back(self, turn_id: str) -> None:
        """Lets go of a turn that was taken and not gone on with."""
        epoch, lease = self._epochs.pop(turn_id, None), self._leases.pop(turn_id, None)
        if epoch is not None and lease is not None and lease.seconds:
            await (await self.opened()).turns.release(turn_id, epoch)

    async def unfinished(self, assistant: str, user: str | None = None) -> Sequence[UnfinishedTurn]:
        """The agent's turns that wait for people, or whose process is gone; the oldest first."""
        store = await self.opened()
        rows = [
            *await store.turns.list(MAX_LISTED, user, "running"),
            *await store.turns.list(MAX_LISTED, user, "paused"),
        ]
        found = [row for row in rows if row.assistant == assistant and self._is_free(row)]
        return [
            UnfinishedTurn(
                turn_id=row.id,
                session_id=row.session_id,
                user=row.user_id,
                question=row.question,
                status="paused" if row.status == "paused" else "interrupted",
                started_at=row.started_at,
            )
            for row in sorted(found, key=lambda row: (row.started_at, row.id))
        ]

    async def read(self, session_id: str, sha256: str) -> bytes | None:
        """The bytes of what was given in a session."""
        return await (await self.opened()).blobs.read(session_id, sha256)

    async def standing(self, session_id: str, user: str) -> SessionPosition | None:
        return await StoreArchive(await self.opened()).standing(session_id, user)

    async def turns(
        self, session_id: str, user: str, after: str | None, *, cut_off: str | None = None, known: Container[str] = ()
    ) -> Sequence[ConversationTurn]:
        archive = StoreArchive(await self.opened())
        return await archive.turns(session_id, user, after, cut_off=cut_off, known=known)

    async def save_summary(self, session_id: str, user: str, text: str, turn_id: str) -> None:
        await StoreArchive(await self.opened()).save_summary(session_id, user, text, turn_id)

    async def forget(self, session_id: str, user: str) -> None:
        await StoreArchive(await self.opened()).forget(session_id, user)

    async def aclose(self) -> None:
        """Closes what it opened. Used again, it opens again."""
        renewing, self._renewing = self._renewing, None
        if renewing is not None and not renewing.done() and not (loop := renewing.get_loop()).is_closed():
            loop.call_soon_threadsafe(renewing.cancel)
        opened, self._opened = self._opened, {}
        for opening in opened.values():
            await self._close(opening)
        self._leases.clear()
        identity, self._identity = self._identity, None
        if identity is not None:
            await asyncio.to_thread(identity.close)

    @property
    def _own(self) -> WorkerIdentity:
        assert self._identity is not None  # noqa: S101
        return self._identity

    def _ready(self) -> Store | None:
        """The store, where it is open for this event loop."""
        if self._given is not None:
            return self._given if self._identity is not None else None
        opening = self._opened.get(asyncio.get_running_loop())
        if opening is None or not opening.done() or opening.cancelled() or opening.exception() is not None:
            return None
        return opening.result()

    async def _open(self) -> Store:
        settings = await asyncio.to_thread(load_settings)
        return await open_settings_store(settings, self._url, clock=self._clock)

    async def _close(self, opening: "asyncio.Task[Store]") -> None:
        if opening.done() and not opening.cancelled() and opening.exception() is None:
            await asyncio.to_thread(opening.result().engine.close)

    async def _begin(self, store: Store, events: Sequence[e.Durable], *, sync: bool) -> None:
        identity, asked_at = self._own, now()
        # Several turns of a session may run side by side here: who asks knows what it asks.
        await store.turns.begin(
            events,
            worker=identity.name,
            lease_s=identity.lease_s,
            supersedes=True,
            sync=sync,
            blobs=self._given_blobs(events[0]),
        )
        self._hold(events[0].turn_id, 0, asked_at)

    def _given_blobs(self, started: e.Durable) -> dict[str, bytes]:
        given = [each for each in started.attachments if each.sha256] if isinstance(started, e.TurnStarted) else ()
        found = {each.sha256: self.unsaved_blobs.get("", each.sha256) for each in given}
        if None in found.values():
            raise UsageError("Too many large attachments at once: try again with fewer.")
        return {sha256: data for sha256, data in found.items() if data is not None}

    def _hold(self, turn_id: str, epoch: int, asked_at: float) -> None:
        seconds = self._own.lease_s
        self._epochs[turn_id] = epoch
        self._leases[turn_id] = TurnLease(seconds, asked_at)
        if len(self._epochs) > MAX_TURNS:
            oldest, _ = self._epochs.popitem(last=False)
            self._leases.pop(oldest, None)
        if seconds and (self._renewing is None or self._renewing.done()):
            self._renewing = asyncio.create_task(self._renew())

    def _let_go_after(self, last: e.Durable) -> None:
        if isinstance(last, e.TurnFinished | e.TurnWaiting):
            self._leases.pop(last.turn_id, None)
            self._epochs.pop(last.turn_id, None)

    def _is_free(self, row: TurnRow) -> bool:
        """Whether nobody runs it: neither this agent nor a process that lives."""
        if row.id in self._leases:
            return False
        if row.status == "paused" or not row.worker or row.worker == self._own.name:
            return True
        return self._own.is_gone(row.worker, row.lease_until)

    async def _renew_if_lapsed(self, store: Store, turn_id: str, epoch: int) -> None:
        lease = self._leases.get(turn_id)
        if lease is not None and not lease.holds():
            asked_at = now()
            await store.turns.renew(turn_id, epoch, lease.seconds)
            lease.until = asked_at + lease.seconds

    async def _renew(self) -> None:
        """Holds what runs, until nothing does."""
        while self._leases:
            await asyncio.sleep(self._own.lease_s / RENEWALS)
            held = {turn_id: self._epochs[turn_id] for turn_id in self._leases if turn_id in self._epochs}
            if not held:
                return
            asked_at = now()
            try:
                lost = await (await self.opened()).turns.renew_many(self._own.name, held, self._own.lease_s)
            except StoreError as error:
                _log.warning("the leases of %d turns are not renewed: %s", len(held), error)
                continue
            for turn_id in held:
                if (lease := self._leases.get(turn_id)) is not None:
                    lease.until = 0.0 if turn_id in lost else asked_at + lease.seconds


def _absolute(url: str) -> str:
    return url if "://" in url or url == MEMORY else str(Path(url).absolute())
