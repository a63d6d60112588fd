"""The days, the dice and the sink of rows that every department of the sample company is made with.

The same seed, today and scale give the same rows. Each department rolls its own dice, so that a change in one leaves
the others as they were.
"""

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]
Sink = Callable[[str, Row], None]
"""Takes a row of a table, in the order of its columns."""

MONTHS = 24
LARGER = 10
"""Of a company a hundred times as busy the vendors, items and people are only ten times as many."""


class Frame:
    """`scale` times as many orders, deals, alerts and mails; days are numbered from the first."""

    def __init__(self, sink: Sink, *, today: date, seed: int = 7, scale: int = 1) -> None:
        months = today.year * 12 + today.month - 1 - MONTHS
        self.first = date(months // 12, months % 12 + 1, 1)
        self.last = (today - self.first).days
        self.today = today
        self.seed = seed
        self.scale = scale
        self.larger = max(1, scale // LARGER)
        self.add = sink
        # Due dates lie ahead of today, and customers were won before the first day: both ends have room.
        self._isos = [(self.first + timedelta(number)).isoformat() for number in range(self.last + 800)]
        self._weekdays = [(self.first + timedelta(number)).weekday() for number in range(self.last + 800)]

    def dice(self, department: str) -> "Dice":
        return Dice(f"{self.seed}:{department}")

    def iso(self, number: int) -> str:
        """A day by its number."""
        return self._isos[number] if number >= 0 else (self.first + timedelta(number)).isoformat()

    def workday(self, number: int) -> int:
        """That day, or the Monday after it."""
        weekday = self._weekdays[number] if number >= 0 else (self.first + timedelta(number)).weekday()
        return number if weekday < 5 else number + 7 - weekday

    def past(self, number: int) -> str | None:
        """The day, unless it is still to come."""
        return self.iso(number) if number <= self.last else None

    def month_ends(self) -> set[int]:
        ends = {number for number in range(self.last) if self._isos[number][:7] != self._isos[number + 1][:7]}
        return ends | {self.last}


class Dice(Random):
    """Random choices by name."""

    def pick(self, options: Sequence[T]) -> T:
        return options[int(self.random() * len(options))]

    def between(self, low: int, high: int) -> int:
        return low + int(self.random() * (high - low + 1))

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def weighted(self, options: dict[T, float]) -> T:
        """A key, as often as its value says."""
        left = self.random() * sum(options.values())
        for option, weight in options.items():
            left -= weight
            if left < 0:
                return option
        return next(reversed(options))
