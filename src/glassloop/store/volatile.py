"""The event log in memory: for tests, for `SESSION_STORE_ENABLED=false`, for agents that need no file. Bounded."""

from collections import OrderedDict
from collections.abc import Sequence

from glassloop.core.events import Durable, TurnStarted
from glassloop.store.errors import Superseded

MOST_TURNS = 10_000


class VolatileStore:
    """Keeps the newest turns and forgets the oldest."""

    def __init__(self, most_turns: int = MOST_TURNS) -> None:
        self._turns: OrderedDict[str, list[Durable]] = OrderedDict()
        self._sessions: dict[str, list[str]] = {}
        self._most = most_turns

    async def append(self, turn_id: str, events: Sequence[Durable], *, sync: bool = False) -> None:  # noqa: ARG002
        self._add(turn_id, events)

    def append_now(self, turn_id: str, events: Sequence[Durable]) -> bool:
        """Nothing here ever waits."""
        self._add(turn_id, events)
        return True

    def _add(self, turn_id: str, events: Sequence[Durable]) -> None:
        if not events:
            return
        log = self._turns.get(turn_id, [])
        for seq, event in enumerate(events, len(log) + 1):
            if event.seq != seq:
                raise Superseded(
                    f"Event {event.seq} of turn {turn_id!r} is taken or skips one: another worker runs this turn."
                )
        log += events
        self._turns[turn_id] = log
        for event in events:
            if isinstance(event, TurnStarted):
                self._sessions.setdefault(event.session_id, []).append(turn_id)
        while len(self._turns) > self._most:
            self._forget_oldest()

    async def read(self, turn_id: str, after: int = 0) -> Sequence[Durable]:
        return tuple(self._turns.get(turn_id, ())[after:])

    async def turns(self, session_id: str) -> Sequence[str]:
        return tuple(self._sessions.get(session_id, ()))

    def _forget_oldest(self) -> None:
        turn_id, log = self._turns.popitem(last=False)
        first = log[0] if log else None
        if isinstance(first, TurnStarted):
            kept = [name for name in self._sessions[first.session_id] if name != turn_id]
            if kept:
                self._sessions[first.session_id] = kept
            else:
                del self._sessions[first.session_id]
