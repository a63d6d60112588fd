"""One call's work at the business data: what is meant is looked up, asked for in SQL, and put into a report.

Owns how filters become conditions and how lists, totals, trends and comparisons are asked for. Only this
extension's own text is SQL; what a caller gives is compared with names there are, or passed as a parameter.
"""

# Queries are put together from this extension's own text only; what a caller gives is a parameter.
# ruff: noqa: S608

import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.core.ports import Clock
from glassloop.core.records import Json
from glassloop.extensions.business.periods import Compare, Period
from glassloop.extensions.business.report import Compared, Ratio, Report
from glassloop.extensions.business.sample import FILE_NAME, Sample, progress
from glassloop.extensions.business.source import Row, Source, Statements, open_source
from glassloop.tools.suggestion import closest
from glassloop.tools.tool import ToolContext

Trend = Literal["none", "day", "month"]

MOST_SHOWN = 200
MOST_POINTS = 400
LONGEST_TEXT = 200
MOST_AMOUNT = 1e13
_NAMES = 2_000
_TREND_CHARS = {"day": 10, "month": 7}

_KINDS = {
    "vendor": ("biz_vendors", "vendor_id", "name"),
    "warehouse": ("biz_warehouses", "warehouse_id", "name"),
    "item": ("biz_items", "item_id", "name"),
    "customer": ("biz_customers", "customer_id", "name"),
    "server": ("biz_servers", "server_id", "hostname"),
    "person": ("biz_employees", "email", "name"),
    "mold": ("biz_molds", "mold_id", "name"),
}
"""What can be asked for by id or name."""


class Where:
    """Conditions with their parameters, and what is told of them.

    A condition is `measured` where the ratios of the report are about it: by it alone they would be 0 or 100 percent.
    """

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

    def equal(self, column: str, label: str, value: str, *, measured: bool = False) -> None:
        """Only where the column has that value; `any` and `all` are every one."""
        if value not in ("any", "all"):
            (self.measure if measured else self.add)(f"{column} = :{label}", {label: value}, **{label: value})

    def at_least(self, column: str, label: str, amount: float) -> None:
        """Of an amount in cents; 0 is every one."""
        if amount:
            cents = in_cents(amount, label)
            self.add(f"{column} >= :least", {label: cents / 100}, least=cents)

    def within(self, column: str, period: Period) -> "Where":
        """These conditions and the period."""
        narrowed = self.base
        narrowed._measured = list(self._measured)
        if period.start is not None and period.end is not None:
            # Before the next day: so a moment of the last day is inside too.
            end = (period.end + timedelta(1)).isoformat()
            narrowed.add(f"{column} >= :from_day AND {column} < :to_day", from_day=period.start.isoformat(), to_day=end)
        return narrowed

    @property
    def base(self) -> "Where":
        """What ratios are taken over: the conditions without those that are measured."""
        base = Where()
        base._clauses, base.values = list(self._clauses), dict(self.values)
        return base

    @property
    def is_measured(self) -> bool:
        return bool(self._measured)

    @property
    def sql(self) -> str:
        clauses = [*self._clauses, *self._measured]
        return f"WHERE {' AND '.join(f'({clause})' for clause in clauses)}" if clauses else ""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """A list of things with a day each: where they are, what is added up, what is shown of one.

    `joins` are left joins: no row that counts in the totals is missing in the list, and the list is read in its order.
    """

    title: str
    base: str
    day: str
    totals: str
    columns: str
    order: str
    joins: str = ""


class Groups(msgspec.Struct, frozen=True):
    """Totals for each value instead of rows. `names` are columns of the table `named` by, joined when all is added up:
    doing that for every row takes longer than the adding. `measured`: the ratios are about what they are grouped by."""

    keys: str
    names: str = ""
    named: str = ""
    joins: str = ""
    measured: bool = False


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a listing beside its filters."""

    period: Period
    limit: int = 20
    order: str = ""
    compare: Compare = "none"
    trend: Trend = "none"
    groups: Groups | None = None
    ratios: tuple[Ratio, ...] = ()
    derive: Callable[[Row], Row] = lambda row: row


class Desk:
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

    def report(self, title: str, period: Period | None = None, **parts: Any) -> Report:
        return Report(
            title=title,
            as_of=self.today.isoformat(),
            currency=self.currency,
            sample=self._sample,
            period=period,
            notes=self.notes,
            **parts,
        )

    def answer(self, listing: Listing, where: Where, wish: Wish) -> Report:
        """The rows, what they add up to, and what else was wished for."""
        inside = where.within(listing.day, wish.period)
        totals = self._totals(listing, inside, wish)
        compared = None
        if wish.compare != "none":
            other = wish.period.against(wish.compare)
            compared = Compared(other, self._totals(listing, where.within(listing.day, other), wish))
        limit = self.bounded(wish.limit)
        if wish.groups is not None:
            rows = self._grouped(listing, inside, wish, wish.groups, limit)
        else:
            rows = self.rows(
                f"SELECT {listing.columns} FROM {listing.base} {listing.joins} {inside.sql} "
                f"ORDER BY {wish.order or listing.order} LIMIT {limit:d}",
                inside.values,
            )
        return self.report(
            listing.title,
            wish.period,
            filters=where.filters,
            totals=totals,
            compared=compared,
            trend=self._trend(listing, inside, wish),
            rows=rows,
            grouped=wish.groups is not None,
            of=None if wish.groups is not None else next(iter(totals.values())),
        )

    def _totals(self, listing: Listing, where: Where, wish: Wish) -> Row:
        """What all rows add up to. Ratios are over all that the other filters leave, and say so."""
        query = f"SELECT {listing.totals} FROM {listing.base}"
        totals = self.one(f"{query} {where.sql}", where.values)
        if not wish.ratios:
            return wish.derive(totals)
        base = self.one(f"{query} {where.base.sql}", where.values) if where.is_measured else totals
        return wish.derive(dict(totals)) | stated(wish.ratios, base)

    def _grouped(self, listing: Listing, where: Where, wish: Wish, groups: Groups, limit: int) -> list[Row]:
        keys = ", ".join(str(number) for number in range(1, groups.keys.count(" AS ") + 1))
        inner = f"SELECT {groups.keys}, {listing.totals} FROM {listing.base} {groups.joins} {where.sql} GROUP BY {keys}"
        names = f"{groups.names}, " if groups.names else ""
        query = f"SELECT {names}g.* FROM ({inner}) g {groups.named} ORDER BY {wish.order} LIMIT {limit:d}"
        return [
            _derived(row, wish, measured=where.is_measured or groups.measured) for row in self.rows(query, where.values)
        ]

    def _trend(self, listing: Listing, where: Where, wish: Wish) -> Sequence[Row]:
        if wish.trend == "none":
            return ()
        query = (
            f"SELECT substr({listing.day}, 1, {_TREND_CHARS[wish.trend]}) AS {wish.trend}, {listing.totals} "
            f"FROM {listing.base} {where.sql} GROUP BY 1 ORDER BY 1 DESC LIMIT {MOST_POINTS:d}"
        )
        rows = reversed(self.rows(query, where.values))
        return [_derived(row, wish, measured=where.is_measured) for row in rows]

    def bounded(self, limit: int) -> int:
        """How many rows to show: never more than the most, never fewer than one; said where it was changed."""
        used = min(max(limit, 1), MOST_SHOWN)
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

    def only(self, where: Where, column: str, kind: str, given: str) -> None:
        """Narrows to the one thing that is meant; to nothing less where none is given."""
        if given:
            key, name = self.find(kind, given)
            where.add(f"{column} = :{kind}", {kind: f"{key} {name}"}, **{kind: key})

    def only_value(self, where: Where, column: str, label: str, given: str, table: str) -> None:
        """The same by a value that the table has under that label."""
        if given:
            value = self.one_of(label, given, table)
            where.add(f"{column} = :{label}", {label: value}, **{label: value})

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
        near = closest(wanted, known.values()) or inside
        hint = f"Did you mean {' or '.join(repr(value) for value in near[:3])}? " if near else ""
        listed = ", ".join(list(known.values())[:20])
        raise BadArguments(f"There is no {label} {wanted!r}. {hint}There are: {listed or 'none'}.")

    def _near(self, kind: str, select: str, wanted: str) -> str:
        every = self.rows(f"{select} ORDER BY 1 LIMIT {_NAMES:d}")
        names = {str(row[part]): row for row in every for part in ("name", "id")}
        near = [f"{names[name]['id']} ({names[name]['name']})" for name in closest(wanted, names)]
        if near:
            return f"Did you mean {' or '.join(dict.fromkeys(near))}?"
        if kind == "person":
            # A wrong guess must not read out the staff.
            return "Give the full name or the address of an employee."
        listed = ", ".join(f"{row['id']} ({row['name']})" for row in every[:8])
        more = f" and {len(every) - 8} more" if len(every) > 8 else ""
        return f"There are {listed}{more}." if every else "There are none."


class Business:
    """The data of the company, wherever it is."""

    def __init__(self, home: Path, clock: Clock, database_url: str | None = None) -> None:
        self._clock = clock
        self._sample = None if database_url else Sample(home, clock)
        self._source: Source = open_source(database_url or str(home / FILE_NAME))

    @contextmanager
    def desk(self, context: ToolContext) -> Generator[Desk]:
        """Makes the sample company first, where it is needed and not there."""
        self.prepare(context)
        with self._source.reading(lambda: context.cancelled) as statements:
            asked = _day(context.asked_at) if context.asked_at else None
            yield Desk(statements, _day(self._clock()), asked, sample=bool(self.sample_stamp))
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


def stated(ratios: Sequence[Ratio], base: Row) -> Row:
    """The ratios of these totals, each with its base."""
    return {name: value for ratio in ratios for name, value in ratio.stated(base).items()}


def _derived(row: Row, wish: Wish, *, measured: bool) -> Row:
    """A sum of some rows with its ratios, which are left out where they are about why these rows were picked."""
    shares = {} if measured else {name: value for ratio in wish.ratios for name, value in ratio.share(row).items()}
    return wish.derive(dict(row)) | shares


def _day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds, UTC).date()


def clean(given: str, label: str) -> str:
    """A text filter fit for a query: bounded, of one line."""
    text = " ".join(given.replace("\0", " ").split())
    if not text:
        raise BadArguments(f"{label} is empty: give a value, or leave it out.")
    if len(text) > LONGEST_TEXT:
        raise BadArguments(f"{label} has {len(text):,} characters: {LONGEST_TEXT} at most.")
    return text


def contains(text: str) -> str:
    """A pattern for LIKE … ESCAPE '!' that finds the text anywhere."""
    escaped = re.sub(r"([!%_])", r"!\1", text.lower())
    return f"%{escaped}%"


def in_cents(amount: float, label: str) -> int:
    if not math.isfinite(amount) or abs(amount) > MOST_AMOUNT:
        raise BadArguments(f"{label} {amount!r} is no amount there can be: give one below {MOST_AMOUNT:,.0f}.")
    return round(amount * 100)


def _spelled(wanted: str) -> set[str]:
    """Ids as people write them: `wh 1` and `WH1` for `WH-001`."""
    match = re.fullmatch(r"(?i)(?:warehouse|([a-z]{1,4}))[\s-]*0*(\d{1,7})", wanted)
    if match is None:
        return set()
    letters = (match[1] or "wh").lower()
    return {f"{letters}-{match[2].zfill(width)}" for width in (3, 4, 5, 6)}
