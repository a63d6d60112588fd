"""Notifier: tells users at their own address that a turn ended or waits for them, while no page of theirs is in view.

An observer of the turns that run here. It never delays one: each notification is a task of its own, at most
`MAX_WAITING` at a time, tried a few times. What is lost is still in the inbox.
"""

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Collection, Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError
from glassloop.core.ports import Clock
from glassloop.runtime.notifications.delivery import (
    MAX_DETAILS_CHARS,
    Event,
    NotDelivered,
    Notification,
    check_address,
    deliver,
)
from glassloop.store.records import EVAL_USER
from glassloop.store.store import Store
from glassloop.store.tables.inbox import NotificationAddress

_log = logging.getLogger(__name__)

MAX_WAITING = 200
MAX_PER_HOUR = 30
MAX_USERS = 10_000
SEEN_S = 30.0
"""How long after a page asked for anything it counts as in view; it asks every 20 s."""
NOTED_S = 10.0
"""How often that is stored at most."""
PAUSES_S = (2.0, 10.0, 60.0)
"""Between the attempts of one notification."""


class _Observed(msgspec.Struct, kw_only=True):
    started: e.TurnStarted
    waits_for: Event = "approval_requested"
    details: str = ""


class Notifier:
    """Of one process. `domains` are those that the operator allows; without any nothing is sent."""

    def __init__(
        self,
        store: Store,
        domains: Sequence[str],
        clock: Clock,
        *,
        seen_s: float = SEEN_S,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._store, self.domains, self._clock = store, tuple(domains), clock
        self._seen_s, self._pauses_s = seen_s, tuple(pauses_s)
        self._running: dict[str, _Observed] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._sent: OrderedDict[str, deque[float]] = OrderedDict()
        self._noted: OrderedDict[str, float] = OrderedDict()

    @property
    def waiting(self) -> Collection[asyncio.Task[None]]:
        """Notifications that are on their way."""
        return frozenset(self._tasks)

    def begin(self, events: Sequence[e.Durable], tools: Collection[str]) -> None:  # noqa: ARG002
        started = events[0]
        if not self.domains or not isinstance(started, e.TurnStarted) or not started.settings.get("in_session"):
            return
        if started.user != EVAL_USER:
            self._running[started.turn_id] = _Observed(started=started)

    def see(self, event: e.AnyEvent) -> None:
        observed = self._running.get(event.turn_id)
        if observed is None:
            return
        match event:
            case e.ApprovalRequested():
                observed.waits_for, observed.details = "approval_requested", event.call.tool
            case e.QuestionAsked():
                observed.waits_for, observed.details = "question_asked", event.question
            case e.AnswerGiven():
                observed.details = event.text
            case e.TurnWaiting() if event.reason != "dependencies":
                self._take(observed, observed.waits_for)
            case e.TurnFinished() if event.status == "completed":
                self._take(observed, "turn_completed")
            case e.TurnFinished() if event.status == "failed":
                observed.details = event.error or ""
                self._take(observed, "turn_failed")
            case _:
                pass

    def end(self, turn_id: str) -> None:
        self._running.pop(turn_id, None)

    async def note_page(self, user: str) -> None:
        """A page of the user is in view."""
        now = self._clock()
        if not self.domains or now - self._noted.get(user, 0.0) < NOTED_S:
            return
        self._noted[user] = now
        self._noted.move_to_end(user)
        if len(self._noted) > MAX_USERS:
            self._noted.popitem(last=False)
        await self._store.notifications.mark_seen(user, now)

    async def test(self, address: NotificationAddress) -> None:
        """Sends a notification now, once. Raises `NotDelivered`."""
        note = Notification(event="test", title="Glassloop", link=address.page)
        await self._sent_once(address, note)

    def check(self, url: str) -> str:
        """The address, if it is allowed; raises `UsageError` if not."""
        return check_address(url, self.domains)

    async def aclose(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _take(self, observed: _Observed, event: Event) -> None:
        if len(self._tasks) >= MAX_WAITING:
            _log.warning("too many notifications are waiting: one of turn %s is not sent", observed.started.turn_id)
            return
        task = asyncio.create_task(self._tell(observed.started, event, observed.details))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _tell(self, started: e.TurnStarted, event: Event, details: str) -> None:
        try:
            address = await self._store.notifications.of_user(started.user)
            if address is None or await self._is_looked_at(address) or not await self._still_waits(started, event):
                return
            if not self._is_within_rate(started.user):
                _log.warning("a user has had %d notifications this hour: one more is not sent", MAX_PER_HOUR)
                return
            await self._deliver(address, await self._note(address, started, event, details))
        except StoreError as error:
            _log.warning("a notification of turn %s is not sent: %s", started.turn_id, error)
        except Exception:
            _log.exception("a notification of turn %s is not sent", started.turn_id)

    async def _is_looked_at(self, address: NotificationAddress) -> bool:
        """Whether a page of the user is in view: it asks again within the time that it counts for."""
        left = address.seen_at + self._seen_s - self._clock()
        if left <= 0:
            return False
        await asyncio.sleep(left)
        now = await self._store.notifications.of_user(address.user_id)
        return now is None or now.seen_at > address.seen_at

    async def _still_waits(self, started: e.TurnStarted, event: Event) -> bool:
        if event not in ("approval_requested", "question_asked"):
            return True
        row = await self._store.turns.get(started.turn_id)
        return row is not None and row.status == "paused"

    def _is_within_rate(self, user: str) -> bool:
        now, sent = self._clock(), self._sent.setdefault(user, deque(maxlen=MAX_PER_HOUR))
        self._sent.move_to_end(user)
        if len(self._sent) > MAX_USERS:
            self._sent.popitem(last=False)
        if len(sent) == MAX_PER_HOUR and now - sent[0] < 3_600:
            return False
        sent.append(now)
        return True

    async def _note(
        self, address: NotificationAddress, started: e.TurnStarted, event: Event, details: str
    ) -> Notification:
        session = await self._store.sessions.get(started.session_id)
        # The name of a conversation that is not kept is not told either.
        title = "" if session is None or session.temporary else session.title
        where = f"{address.page}#/s/{started.session_id}/{started.turn_id}" if address.page else ""
        return Notification(
            event=event,
            title=title,
            link=where,
            session_id=started.session_id,
            turn_id=started.turn_id,
            details=" ".join(details.split())[:MAX_DETAILS_CHARS] if address.details else "",
        )

    async def _deliver(self, address: NotificationAddress, note: Notification) -> None:
        for pause in (*self._pauses_s, None):
            try:
                return await self._sent_once(address, note)
            except NotDelivered as error:
                if pause is None or not error.again:
                    return None
            await asyncio.sleep(pause)
        return None

    async def _sent_once(self, address: NotificationAddress, note: Notification) -> None:
        try:
            await deliver(address, note, self.domains)
        except NotDelivered as error:
            _log.info("a notification was not delivered: %s", error)
            await self._store.notifications.set_problem(address.user_id, str(error))
            raise
        if address.problem:
            await self._store.notifications.set_problem(address.user_id, "")
