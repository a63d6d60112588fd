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
_MAX_OFFSET: Final = 14
_MAX_SECONDS: Final = 1_000
_MAX_FRACTIONS: Final = 20_000

_SECONDS: Final = {f"{second:02}": 1000 * second for second in range(60)}
_SECOND = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}))? ([0-9]{1,2}):([0-9]{2}):([0-9]{2})", re.ASCII)
_FRACTION = re.compile(r"([0-9]{3})([+-]?[0-9]{1,2}(?:\.[0-9]{1,2})?)", re.ASCII)


@final
class Clock:
    """`year` is that of the first date without one; without it, the latest in which the date is not after `written_at`
    (ms), when the file was written."""

    def __init__(self, year: int | None, written_at: int) -> None:
        self._year = year
        self._written_at = written_at
        self._seconds: dict[str, int] = {}
        self._offset: float | None = None
        self.fractions: dict[str, int] = {f"{ms:03}": ms for ms in range(1000)}
        """What is behind the point, in ms, as far as it has been seen."""
        self._minute = ""
        self._minute_at = 0
        self.last: int | None = None
        """The last second that was accepted."""

    def second(self, text: str) -> int:
        """What is before the point. Nothing is remembered until it is accepted. Raises `BadLine`."""
        known = self._seconds.get(text)
        if known is not None:
            return known
        minute, _, second = text.rpartition(":")
        if minute == self._minute and second in _SECONDS:
            return self._minute_at + _SECONDS[second]
        match = _SECOND.fullmatch(text)
        if match is None:
            raise BadLine("no timestamp")
        month, day, year, *clock = match.groups()
        hour, minute, second = clock
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
        self._minute, _, second = text.rpartition(":")
        self._minute_at = at - _SECONDS[second]

    def fraction(self, text: str) -> int:
        """What is behind the point, in ms. Raises `BadLine`."""
        known = self.fractions.get(text)
        if known is None:
            match = _FRACTION.fullmatch(text)
            if match is None or abs(float(match[2])) > _MAX_OFFSET:
                raise BadLine("no timestamp")
            offset = float(match[2])
            self._offset = offset if self._offset is None else self._offset
            if len(self.fractions) >= _MAX_FRACTIONS:
                self.fractions.clear()
                self.fractions |= {f"{ms:03}": ms for ms in range(1000)}
            behind = -round((offset - self._offset) * 3_600_000)
            self.fractions |= {f"{ms:03}{match[2]}": ms + behind for ms in range(1000)}
            known = self.fractions[text]
        return known

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
