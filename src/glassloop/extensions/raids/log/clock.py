"""Times of a log in milliseconds since 1970 of its own clock.

The game writes two forms: `5/24 11:43:00.077`, without a year, and `5/24/2026 11:43:00.077-7`, with the offset from UTC
directly after the milliseconds. Offsets do not move times to UTC, as a raider knows the night by the clock on the wall;
only their changes within a log count, so that the end of summer time repeats no hour.
"""

import re
from datetime import UTC, datetime
from typing import Final, final

from glassloop.extensions.raids.log.fields import BadLine

DAY_MS: Final = 86_400_000
JUMP_MS: Final = 30_000
"""Times that differ by more from the line before are believed only if the line after agrees."""
_BACKWARDS_MS: Final = 60 * DAY_MS
"""Logs are joined in the wrong order now and then: a date without a year may lie so far before the last one."""
_FIRST_YEAR: Final = 2004
_MAX_SECONDS: Final = 1_000

_SECOND = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}))? ([0-9]{1,2}):([0-9]{2}):([0-9]{2})", re.ASCII)
_FRACTION = re.compile(r"([0-9]{3})([+-]?[0-9]{1,2}(?:\.[0-9]{1,2})?)?", re.ASCII)


@final
class Clock:
    """`year` is that of the first date without one; without it, the latest in which the date is not after `written_at`
    (ms), when the file was written."""

    def __init__(self, year: int | None, written_at: int) -> None:
        self._year = year
        self._written_at = written_at
        self._offset: float | None = None
        self._seconds: dict[str, int] = {}
        self.last: int | None = None
        """The last second that was accepted."""

    def second(self, text: str) -> int:
        """What is before the point. Nothing is remembered until it is accepted. Raises `BadLine`."""
        known = self._seconds.get(text)
        if known is not None:
            return known
        match = _SECOND.fullmatch(text)
        if match is None:
            raise BadLine("no timestamp")
        month, day, year, hour, minute, second = match.groups()
        rest = (int(month), int(day), int(hour), int(minute), int(second))
        at = _since_1970(int(year), *rest) if year else self._without_year(rest)
        if at is None:
            raise BadLine("no such date")
        return at

    def accept(self, text: str, at: int) -> None:
        """That the log goes on from there."""
        if len(self._seconds) >= _MAX_SECONDS:
            self._seconds.clear()
        self._seconds[text] = at
        self.last = at

    def fraction(self, text: str) -> int:
        """What is behind the point, in ms. Raises `BadLine`."""
        match = _FRACTION.fullmatch(text)
        if match is None:
            raise BadLine("no timestamp")
        if match[2] is None:
            return int(match[1])
        offset = float(match[2])
        if abs(offset) > 14:
            raise BadLine("no timestamp")
        if self._offset is None:
            self._offset = offset
        return int(match[1]) - round((offset - self._offset) * 3_600_000)

    def written(self, at: int) -> None:
        """Another file of the same log begins, written then."""
        self._written_at = at

    def _without_year(self, rest: tuple[int, int, int, int, int]) -> int | None:
        if self.last is not None:
            earliest = self.last - _BACKWARDS_MS
            first = datetime.fromtimestamp(earliest / 1000, UTC).year
            years = (_since_1970(year, *rest) for year in range(first, first + 9))
            return next((at for at in years if at is not None and at >= earliest), None)
        if self._year is not None:
            return _since_1970(self._year, *rest)
        latest = datetime.fromtimestamp(self._written_at / 1000, UTC).year + 1
        years = (_since_1970(year, *rest) for year in range(latest, _FIRST_YEAR - 1, -1))
        return next((at for at in years if at is not None and at <= self._written_at + DAY_MS), None)


def _since_1970(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    if not _FIRST_YEAR <= year <= 2200:
        return None
    try:
        return int(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()) * 1000
    except ValueError:
        return None
