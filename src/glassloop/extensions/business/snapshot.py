"""The business data as one call sees it: rows, things found by id or name, and the report they go into.

Owns when the sample company is made, and how what a caller calls a thing is found. What is asked of a listing is
`listing_call`'s.
"""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

import re
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from glassloop.core.errors import BadArguments
from glassloop.core.ports import Clock
from glassloop.extensions.business.conditions import Conditions, clean, contains
from glassloop.extensions.business.data_files import query_sql
from glassloop.extensions.business.database.sample import FILE_NAME, SampleFile, progress
from glassloop.extensions.business.database.source import DataSource, Row, Statements, Values, open_source
from glassloop.extensions.business.periods import Period
from glassloop.extensions.business.report import BusinessReport
from glassloop.tools.suggestion import closest
from glassloop.tools.tool import ToolContext

MAX_SHOWN = 200
_NAMES = 2_000
_LISTED = 20
_SHOWN = 5
_WORDS = 6

_KINDS = {
    "vendor": ("biz_vendors", "vendor_id", "name"),
    "warehouse": ("biz_warehouses", "warehouse_id", "name"),
    "item": ("biz_items", "item_id", "name"),
    "customer": ("biz_customers", "customer_id", "name"),
    "server": ("biz_servers", "server_id", "hostname"),
    "person": ("biz_employees", "email", "name"),
    "mold": ("biz_molds", "mold_id", "name"),
    "company": (
        "(SELECT customer_id AS id, name FROM biz_customers UNION ALL SELECT vendor_id, name FROM biz_vendors) k",
        "id",
        "name",
    ),
}
"""What can be asked for by id or name."""


class Snapshot:
    """A consistent view of the data for one call."""

    def __init__(self, statements: Statements, today: date, asked: date | None = None, *, sample: bool = False) -> None:
        self._statements = statements
        self._sample = sample
        rows = statements.rows("SELECT name, currency, as_of FROM biz_company", {})
        company = rows[0] if rows else {"name": "", "currency": "", "as_of": None}
        self.today = date.fromisoformat(str(company["as_of"])[:10]) if company["as_of"] else today
        self.asked = self.today if company["as_of"] else asked or today
        """The day that `tomorrow` comes after: also where the call had to wait for days until somebody approved it."""
        self.currency = str(company["currency"])
        self.notes: list[str] = []

    def rows(self, sql: str, values: Mapping[str, Any] | None = None) -> list[Row]:
        return self._statements.rows(sql, {"as_of": self.today.isoformat(), **(values or {})})

    def one(self, sql: str, values: Mapping[str, Any] | None = None) -> Row:
        return self.rows(sql, values)[0]

    def query(
        self, name: str, where: Conditions | None = None, /, *, values: Values | None = None, **parts: object
    ) -> list[Row]:
        """The rows of a query in `data/queries.toml`."""
        where = where or Conditions()
        return self.rows(query_sql(name, where=where.text, **parts), {**where.values, **(values or {})})

    def days(self, table: str, column: str) -> tuple[date, date] | None:
        """The first and the last day that the column has."""
        ends = (f"(SELECT {end}({column}) FROM {table}) AS {end}_day" for end in ("min", "max"))
        row = self.one(f"SELECT {', '.join(ends)}")
        first, last = (str(row[name] or "")[:10] for name in ("min_day", "max_day"))
        return (date.fromisoformat(first), date.fromisoformat(last)) if first else None

    def is_empty(self, table: str) -> bool:
        """Whether there is nothing at all: then nothing is known, which is not the same as none."""
        return not self.rows(f"SELECT 1 AS there FROM {table} LIMIT 1")

    def report(self, title: str, period: Period | None = None, **parts: Any) -> BusinessReport:
        return BusinessReport(
            title=title,
            as_of=self.today.isoformat(),
            currency=self.currency,
            sample=self._sample,
            period=period,
            notes=self.notes,
            **parts,
        )

    def bounded(self, limit: int) -> int:
        """How many rows to show: never more than the most, never fewer than one; said where it was changed."""
        used = min(max(limit, 1), MAX_SHOWN)
        if used != limit:
            self.notes.append(f"The limit {limit if abs(limit) < 10**15 else 'given'} was changed to {used}.")
        return used

    def find(self, kind: str, given: str) -> tuple[str, str]:
        """Id and name of the one thing that is meant; says what is near where there is none, or several."""
        table, key, name = _KINDS[kind]
        wanted = clean(given, kind)
        forms = {wanted.lower(), *_spelled(wanted)}
        marks = ", ".join(f":f{number}" for number in range(len(forms)))
        values = {f"f{number}": form for number, form in enumerate(sorted(forms))}
        select = f"SELECT {key} AS id, {name} AS name FROM {table}"
        found = self.rows(f"{select} WHERE lower({key}) IN ({marks}) OR lower({name}) IN ({marks}) LIMIT 2", values)
        if len(found) != 1:
            like = f"{select} WHERE {name} LIKE :part ESCAPE '!' ORDER BY {name} LIMIT 6"
            found = self.rows(like, {"part": contains(wanted)})
        if len(found) == 1:
            return str(found[0]["id"]), str(found[0]["name"])
        if found:
            several = ", ".join(f"{row['id']} ({row['name']})" for row in found[:5])
            raise BadArguments(f"{kind.capitalize()} {wanted!r} can mean several: {several}. Give the id of one.")
        raise BadArguments(f"There is no {kind} {wanted!r}. {self._near(kind, select, wanted)}")

    def one_of(self, label: str, given: str, table: str) -> str:
        """A value that the table has, whatever its case; says which there are where it has no such."""
        wanted = clean(given, label)
        query = f"SELECT DISTINCT {label} AS value FROM {table} ORDER BY 1 LIMIT {_NAMES:d}"
        known = {str(row["value"]).lower(): str(row["value"]) for row in self.rows(query)}
        if wanted.lower() in known:
            return known[wanted.lower()]
        inside = [value for lower, value in known.items() if wanted.lower() in lower]
        if len(inside) == 1:
            return inside[0]
        near = (inside or closest(wanted, known.values()))[:3]
        hint = f"Did you mean {' or '.join(repr(value) for value in near)}? " if near else ""
        several = list(known.values()) if len(known) <= _LISTED else nearest(wanted, known.values(), _LISTED)
        some = f"of {len(known):,}, the nearest " if len(several) < len(known) else ""
        raise BadArguments(f"There is no {label} {wanted!r}. {hint}There are: {some}{', '.join(several) or 'none'}.")

    def _near(self, kind: str, select: str, wanted: str) -> str:
        """The nearest names first, then how many there are."""
        every = self.rows(f"{select} ORDER BY 1 LIMIT {_NAMES:d}")
        many = f"{len(every):,}{'' if len(every) < _NAMES else ' or more'}"
        names = {str(row[part]): f"{row['id']} ({row['name']})" for row in every for part in ("name", "id")}
        if near := list(dict.fromkeys(names[name] for name in closest(wanted, names))):
            return f"Did you mean {' or '.join(near)}? There are {many} in all."
        if kind == "person":
            # A wrong guess must not read out the staff.
            return f"Give the full name or the address of an employee; there are {many}."
        several = [names[name] for name in nearest(wanted, {str(row["name"]) for row in every}, _SHOWN)]
        return f"Nearest of {many}: {', '.join(several)}." if several else "There are none."


class BusinessData:
    """The data of the company, wherever it is."""

    def __init__(self, home: Path, clock: Clock, database_url: str | None = None) -> None:
        self._clock = clock
        self._sample = None if database_url else SampleFile(home, clock)
        self._source: DataSource = open_source(database_url or str(home / FILE_NAME))

    @contextmanager
    def reading(self, context: ToolContext) -> Generator[Snapshot]:
        """Makes the sample company first, where it is needed and not there."""
        self.prepare(context)
        with self._source.reading(lambda: context.cancelled) as statements:
            asked = _day(context.asked_at) if context.asked_at else None
            yield Snapshot(statements, _day(self._clock()), asked, sample=bool(self.sample_stamp))
        context.raise_if_cancelled()

    @contextmanager
    def writing(self, context: ToolContext) -> Generator[Statements]:
        """One transaction; nothing of it stays where it fails."""
        self.prepare(context)
        with self._source.writing() as statements:
            yield statements

    @property
    def sample_stamp(self) -> str:
        """Tells one sample company from another; empty where the data is a company's own."""
        return self._sample.stamp if self._sample is not None else ""

    def prepare(self, context: ToolContext) -> None:
        if self._sample is not None:
            self._sample.ensure(progress(context.progress))


def nearest(wanted: str, names: Iterable[str], most: int) -> list[str]:
    """So many names, the likest first: each word of what is wanted counts by the word of the name that is likest.

    One word that is nearly the same counts more than several that share some letters.
    """
    # Imported late: only mistakes need it.
    from difflib import SequenceMatcher

    words = wanted.lower().split()[:_WORDS]

    @cache
    def alike(part: str, word: str) -> float:
        return SequenceMatcher(None, part, word).ratio() ** 4

    def likeness(name: str) -> float:
        return sum(max((alike(part, word) for part in name.lower().split()), default=0.0) for word in words)

    return sorted(sorted(names), key=likeness, reverse=True)[:most]


def _day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds, UTC).date()


def _spelled(wanted: str) -> set[str]:
    """Ids as people write them: `wh 1` and `WH1` for `WH-001`."""
    match = re.fullmatch(r"(?i)(?:warehouse|([a-z]{1,4}))[\s-]*0*(\d{1,7})", wanted)
    if match is None:
        return set()
    letters = (match[1] or "wh").lower()
    return {f"{letters}-{match[2].zfill(width)}" for width in (3, 4, 5, 6)}
