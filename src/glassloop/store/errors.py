"""Why the store refused.

StoreError
├── Superseded    another worker runs this turn: its next event is already there, or its epoch is newer
├── TurnHeld      the turn's lease is another worker's and is not over
└── SessionBusy   another turn of the session runs or waits

Being away, full or damaged is a plain `StoreError`.
"""

from glassloop.core.errors import StoreError


class Superseded(StoreError):
    """This writer no longer owns the turn: it must stop, and must not have effects."""


class TurnHeld(StoreError):
    """A claim came while another worker's lease still runs."""


class SessionBusy(StoreError):
    """One turn at a time a session; `turn_id` is the one in the way."""

    def __init__(self, message: str, turn_id: str) -> None:
        super().__init__(message)
        self.turn_id = turn_id
