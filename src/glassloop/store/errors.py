"""Errors of the store.

StoreError
├── TurnLost
│   └── Superseded  another worker runs this turn or job: its next event is already there, or its epoch is newer
├── TurnHeld        the lease of the turn or job is another worker's and is not over, or it was just taken
├── SessionBusy     another turn of the session runs or waits
├── DamagedEvent    an event cannot be read, here or anywhere
├── ScheduleChanged the schedule is no longer as it was read: another worker or its user was quicker
└── WrongKey        the secrets of an unfinished turn were encrypted with another key

Being away, full or locked is `StoreAway`; newer or not ours is a plain `StoreError`.
"""

from glassloop.core.errors import StoreError, TurnLost


class Superseded(TurnLost):
    """This writer no longer owns the turn or job: it must stop, and must not have effects."""


class TurnHeld(StoreError):
    """A claim came while another worker's lease still runs, or after another worker's claim."""


class SessionBusy(StoreError):
    """One turn at a time a session; `turn_id` is the one in the way."""

    def __init__(self, message: str, turn_id: str) -> None:
        super().__init__(message)
        self.turn_id = turn_id


class DamagedEvent(StoreError):
    """A row of the log does not hold what it says: no version can read it."""


class ScheduleChanged(StoreError):
    """What was to be done with a schedule was decided on what is not so any more; nothing was changed."""


class WrongKey(StoreError):
    """The secrets of an unfinished turn were encrypted with a key that this process does not have."""
