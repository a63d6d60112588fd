"""Fair queue: one at a time, sessions or users in turn, so that a busy one cannot keep the others waiting.

Knows nothing of what is waited for. All on one event loop, so nothing here is locked.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable

from glassloop.core.errors import GlassloopError


class QueueTicket:
    """A place in the queue."""

    __slots__ = ("_queue", "changed", "has_turn", "session")

    def __init__(self, queue: "FairQueue", session: str) -> None:
        self._queue = queue
        self.session = session
        self.has_turn = False
        self.changed = asyncio.Event()

    async def places(self) -> AsyncGenerator[int, None]:
        """How many come before, whenever that changes; ends when it is this one's turn."""
        told = 0
        while not self.has_turn:
            place = self._queue.position(self)
            if place != told:
                told = place
                yield place
                continue
            self.changed.clear()
            await self.changed.wait()

    def leave(self) -> None:
        """Gives the turn on, or the place up; leaving twice is fine."""
        self._queue.remove(self)


class FairQueue:
    """At most `most` wait, and one more is refused with `full`; one has the turn. A session without a name is
    everyone's who gave none."""

    def __init__(self, most: int, full: Callable[[], GlassloopError]) -> None:
        self._most = most
        self._full = full
        self._lines: dict[str, deque[QueueTicket]] = {}
        self._current: QueueTicket | None = None

    def __len__(self) -> int:
        return sum(map(len, self._lines.values()))

    @property
    def is_idle(self) -> bool:
        """Whether nobody has the turn, nor waits for it."""
        return self._current is None and not self._lines

    def join(self, session: str) -> QueueTicket:
        if len(self) >= self._most:
            raise self._full()
        ticket = QueueTicket(self, session)
        self._lines.setdefault(session, deque()).append(ticket)
        self._advance()
        return ticket

    def position(self, ticket: QueueTicket) -> int:
        """How many get their turn before it, the one that has it now included."""
        if ticket.has_turn:
            return 0
        line = self._lines[ticket.session]
        mine, before, passed = line.index(ticket), 0, False
        for session, other in self._lines.items():
            if session == ticket.session:
                passed = True
                continue
            before += min(len(other), mine if passed else mine + 1)
        return mine + before + (self._current is not None)

    def remove(self, ticket: QueueTicket) -> None:
        if ticket is self._current:
            self._current = None
        else:
            line = self._lines.get(ticket.session)
            if line is None or ticket not in line:
                return
            line.remove(ticket)
            if not line:
                del self._lines[ticket.session]
        ticket.has_turn = False
        self._advance()

    def _advance(self) -> None:
        if self._current is None and self._lines:
            session = next(iter(self._lines))
            line = self._lines.pop(session)
            self._current = line.popleft()
            self._current.has_turn = True
            if line:
                # Behind the others: its next call waits until each of them had one.
                self._lines[session] = line
            self._current.changed.set()
        for line in self._lines.values():
            for ticket in line:
                ticket.changed.set()
