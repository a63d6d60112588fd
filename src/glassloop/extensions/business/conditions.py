"""Conditions of a query with their parameters, and what is told of them.

Owns how a filter's argument is made fit for SQL: bounded, escaped, in cents. It is never part of the text.
"""

import math
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json
from glassloop.extensions.business.periods import Period

MAX_TEXT_CHARS = 200
MAX_AMOUNT = 1e13
MAX_WORDS = 10


class Conditions:
    """All of them hold. One is `measured` where the ratios of the report are about it: by it alone they would be 0 or
    100 percent."""

    def __init__(self) -> None:
        self._clauses: list[str] = []
        self._measured: list[str] = []
        self.values: dict[str, Any] = {}
        self.filters: dict[str, Json] = {}

    def add(self, clause: str, told: Mapping[str, Json] | None = None, /, **values: Any) -> None:
        self._clauses.append(clause)
        self.values |= values
        self.filters |= told or {}

    def measure(self, clause: str, told: Mapping[str, Json], /, **values: Any) -> None:
        """Adds a condition that the ratios are about."""
        self._measured.append(clause)
        self.values |= values
        self.filters |= told

    def add_words(self, column: str, query: str) -> None:
        """Every word of the query is in the column."""
        words = query.split()
        if len(words) > MAX_WORDS:
            raise BadArguments(f"query has {len(words)} words: {MAX_WORDS} at most.")
        for number, word in enumerate(words):
            self.add(f"{column} LIKE :word{number} ESCAPE '!'", **{f"word{number}": contains(singular(word))})
        self.filters["query"] = query

    def within(self, column: str, period: Period | None, last: str = "") -> "Conditions":
        """These conditions and the period: from `column` to `last` for what lasts longer than a day."""
        narrowed = self.base
        narrowed._measured = list(self._measured)
        if period is not None and period.start is not None and period.end is not None:
            # Before the next day: so a moment of the last day is inside too.
            end = (period.end + timedelta(1)).isoformat()
            clause = f"{last or column} >= :from_day AND {column} < :to_day"
            narrowed.add(clause, from_day=period.start.isoformat(), to_day=end)
        return narrowed

    @property
    def base(self) -> "Conditions":
        """What ratios are taken over: the conditions without those that are measured."""
        base = Conditions()
        base._clauses, base.values = list(self._clauses), dict(self.values)
        return base

    @property
    def is_measured(self) -> bool:
        return bool(self._measured)

    @property
    def sql(self) -> str:
        return f"WHERE {self.text}" if self._clauses or self._measured else ""

    @property
    def text(self) -> str:
        """Without WHERE; true where there is none."""
        return " AND ".join(f"({clause})" for clause in (*self._clauses, *self._measured)) or "1 = 1"


def clean(given: str, label: str) -> str:
    """A text filter fit for a query: bounded, of one line."""
    text = " ".join(given.replace("\0", " ").split())
    if not text:
        raise BadArguments(f"{label} is empty: give a value, or leave it out.")
    if len(text) > MAX_TEXT_CHARS:
        raise BadArguments(f"{label} has {len(text):,} characters: {MAX_TEXT_CHARS} at most.")
    return text


def contains(text: str) -> str:
    """A pattern for LIKE … ESCAPE '!' that finds the text anywhere."""
    escaped = re.sub(r"([!%_])", r"!\1", text.lower())
    return f"%{escaped}%"


def singular(text: str) -> str:
    """A word in a form that its plural has in it too: who asks for invoices means every invoice."""
    return text[:-1] if len(text) > 4 and text[-1] in "sS" else text


def in_cents(amount: float, label: str) -> int:
    if not math.isfinite(amount) or abs(amount) > MAX_AMOUNT:
        raise BadArguments(f"{label} {amount!r} is no amount there can be: give one below {MAX_AMOUNT:,.0f}.")
    return round(amount * 100)
