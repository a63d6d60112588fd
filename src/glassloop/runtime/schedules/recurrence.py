"""Recurrence: the due times of a schedule, from a cron expression or an interval, in a time zone.

Cron times follow Debian's cron over a change of the clock: a fixed time that the change skips is due right after it,
one that comes twice is due the first time, and what recurs by the minute or hour goes by elapsed time. Knows nothing
of what runs, and asks no clock.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from glassloop.core.errors import UsageError
from glassloop.store.records import ScheduleRow

if TYPE_CHECKING:
    from cronsim import CronSim

MAX_EVERY_CHARS = 200
MAX_ZONE_CHARS = 100
MAX_COUNTED = 100
"""Missed times that are told one by one; of more only that there were more."""

MAX_MOMENT = 4_102_444_800.0
"""The end of the century."""

GAPS_CHECKED = 100
CLOCK_CHANGE_S = 3 * 3600.0
"""More than any zone ever moves its clock at once."""

_MACROS = {
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
}  # fmt: skip
_INTERVAL = re.compile(r"([1-9][0-9]{0,5})([mhd])")
_UNITS = {"m": (60, "minute"), "h": (3600, "hour"), "d": (86_400, "day")}
_FORMS = 'give five cron fields ("0 9 * * 1-5"), an interval ("30m", "2h", "1d") or @hourly, @daily, @weekly, @monthly'


class Recurrence(msgspec.Struct, frozen=True):
    """When something recurs. Intervals count from `anchor`, in seconds since the epoch."""

    every: str
    timezone: str
    anchor: float

    def __post_init__(self) -> None:
        """Refuses what recurs never, or cannot be read."""
        zone_of(self.timezone)
        if self.interval is None and self.after(self.anchor) is None:
            raise UsageError(f"{self.every!r} never occurs: {_FORMS}.")

    @property
    def interval(self) -> int | None:
        """In seconds; None for a cron expression."""
        found = _INTERVAL.fullmatch(self.every.strip())
        return int(found[1]) * _UNITS[found[2]][0] if found else None

    def after(self, moment: float) -> float | None:
        """The first due time later than that; None where none comes any more."""
        if (interval := self.interval) is not None:
            past = max(0.0, moment - self.anchor)
            return self.anchor + (past // interval + 1) * interval
        return self._cron_after(moment, moment)

    def latest(self, first: float, moment: float) -> float:
        """The last due time up to that moment, where `first` is one that is not later than it."""
        if (interval := self.interval) is not None:
            return max(first, self.anchor + (moment - self.anchor) // interval * interval)
        near = next(self._cron(moment + 1, reverse=True), None)
        # Backwards the library does not give quite the same times around a change of the clock: only those forwards
        # count, from well before it.
        found, start = first, max(first, (near.timestamp() if near else moment) - CLOCK_CHANGE_S)
        while (due := self._cron_after(start, found)) is not None and due <= moment:
            found = start = due
        return found

    def between(self, first: float, last: float) -> list[float]:
        """Due times from `first`, itself one, to before `last`; at most `MAX_COUNTED`."""
        found: list[float] = []
        due: float | None = first
        while due is not None and due < last and len(found) < MAX_COUNTED:
            found.append(due)
            due = self.after(due)
        return found

    def smallest_gap(self) -> float:
        """Seconds between two due times, the least of the next hundred."""
        if (interval := self.interval) is not None:
            return float(interval)
        times = [due for due, _ in zip(self._from(self.anchor), range(GAPS_CHECKED), strict=False)]
        return min((later - earlier for earlier, later in pairwise(times)), default=float("inf"))

    def describe(self) -> str:
        """In plain words, such as "At 09:00 on Monday through Friday"."""
        found = _INTERVAL.fullmatch(self.every.strip())
        if found is None:
            return self._cron(self.anchor).explain()
        number, unit = int(found[1]), _UNITS[found[2]][1]
        return f"Every {unit}" if number == 1 else f"Every {number} {unit}s"

    def _from(self, moment: float) -> Iterator[float]:
        while (due := self.after(moment)) is not None:
            yield due
            moment = due

    def _cron_after(self, start: float, after: float) -> float | None:
        """The first time of the cron expression later than `after`, looked for from `start`."""
        for due in self._cron(start):
            # Two fixed times that one change of the clock skips fall on the same moment, and in an hour that comes
            # twice the library begins with the first.
            if due.timestamp() > after:
                return due.timestamp()
        return None

    def _cron(self, moment: float, *, reverse: bool = False) -> "CronSim":
        """Raises `UsageError` for an expression that cannot be read."""
        from cronsim import CronSim, CronSimError

        expression = _MACROS.get(self.every.strip().lower(), self.every)
        if len(expression) > MAX_EVERY_CHARS or len(expression.split()) != 5:
            raise UsageError(f"{self.every[:MAX_EVERY_CHARS]!r} is not a schedule: {_FORMS}.")
        try:
            return CronSim(expression, datetime.fromtimestamp(moment, zone_of(self.timezone)), reverse=reverse)
        except (CronSimError, AssertionError) as error:
            raise UsageError(f"{self.every!r} cannot be read ({error}): {_FORMS}.") from None


def recurrence_of(row: ScheduleRow) -> Recurrence:
    """When a schedule that recurs does so."""
    return Recurrence(row.every or "", row.timezone, float(int(row.created_at)))


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo:
    """The time zone of an IANA name. Raises `UsageError` where there is none."""
    if name == "UTC":
        # The library has a quicker way for this one.
        return UTC
    try:
        if len(name) > MAX_ZONE_CHARS:
            raise ValueError
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"There is no time zone {name[:MAX_ZONE_CHARS]!r}: give an IANA name, such as 'Europe/Paris' or 'UTC'."
        ) from None


def moment_of(at: datetime | float, timezone: str) -> float:
    """Seconds since the epoch of a time; one without an offset is of the time zone."""
    try:
        if isinstance(at, datetime):
            at = (at if at.tzinfo is not None else at.replace(tzinfo=zone_of(timezone))).timestamp()
        if not 0 <= at < MAX_MOMENT:
            raise ValueError
    except (ValueError, OverflowError, OSError):
        raise UsageError(f"{at} is too far away: give a time in this century.") from None
    return float(at)


def local_text(moment: float, timezone: str) -> str:
    """A moment as it is told to people and models: `Monday 16 November 2026, 09:00 CET`."""
    local = datetime.fromtimestamp(moment, zone_of(timezone))
    return f"{local:%A} {local.day} {local:%B %Y, %H:%M %Z}"
