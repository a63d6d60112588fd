"""The event log in memory, for tests that need the port and no file."""

from glassloop.core.events import TurnStarted
from glassloop.store.errors import Superseded


class VolatileStore:
    """Fills `EventStore`. Nothing in it ever waits."""

    def __init__(self):
        self._turns = {}
        self._sessions = {}

    async def append(self, turn_id, events, *, sync=False):
        self._add(turn_id, events)

    def append_now(self, turn_id, events):
        self._add(turn_id, events)
        return True

    def _add(self, turn_id, events):
        log = self._turns.get(turn_id, [])
        for seq, event in enumerate(events, len(log) + 1):
            if event.seq != seq:
                raise Superseded(
                    f"Event {event.seq} of turn {turn_id!r} is taken or skips one: another worker runs this turn."
                )
        if events:
            self._turns[turn_id] = [*log, *events]
        for event in events:
            if isinstance(event, TurnStarted):
                self._sessions.setdefault(event.session_id, []).append(turn_id)

    async def read(self, turn_id, after=0):
        return tuple(self._turns.get(turn_id, ())[after:])

    async def ids(self, session_id):
        return tuple(self._sessions.get(session_id, ()))
