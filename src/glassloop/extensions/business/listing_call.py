"""One call of a listing: its arguments become conditions and a period, and these a report.

Owns how rows, totals, groups, trends and comparisons are asked for. What a listing is made of is `listing`'s.
"""

# Queries are put together from the listings' own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import Conditions, clean, contains, in_cents
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.defects import find_defect
from glassloop.extensions.business.listing import BusinessListing, Filter, Grouping
from glassloop.extensions.business.periods import Period, find_period
from glassloop.extensions.business.report import BusinessReport, PeriodComparison, Ratio
from glassloop.extensions.business.snapshot import Snapshot

MAX_POINTS = 400
TREND_CHARS = {"day": 10, "month": 7}
EVERY = ("any", "all")

Derive = Callable[[Row], Row]


class ListingCall:
    """Arguments by name. The period and the conditions are worked out when first asked for."""

    def __init__(self, snapshot: Snapshot, listing: BusinessListing, arguments: Mapping[str, Any]) -> None:
        self.snapshot = snapshot
        self.listing = listing
        self.arguments = arguments

    def __getitem__(self, name: str) -> Any:
        return self.arguments[name]

    @cached_property
    def period(self) -> Period | None:
        listing, given = self.listing, self.arguments
        if "period" not in given:
            return None
        every = any(given[name] in rule.all_dates for name, rule in listing.filters.items() if rule.all_dates)
        return find_period(
            given["period"],
            given["start_date"],
            given["end_date"],
            default="all" if every else listing.default_period,
            today=self.snapshot.today,
            ahead=listing.lies_ahead,
        )

    @property
    def whole_period(self) -> Period:
        """The period of a listing that always has one."""
        return self.period or Period(name="all")

    @property
    def defaults(self) -> Mapping[str, Any]:
        """The arguments of a call that gives none."""
        return {
            name: rule.choices[0] if rule.choices else rule.default or "" for name, rule in self.listing.filters.items()
        }

    @cached_property
    def where(self) -> Conditions:
        return self.conditions()

    def conditions(self, without: str = "") -> Conditions:
        """What the arguments say, but for the one that is left out."""
        _ = self.period  # A period that cannot be read is told first.
        where = Conditions()
        if self.listing.only:
            where.add(self.listing.only, self.listing.told)
        for name in self.listing.filter_order or self.listing.filters:
            rule, label = self.listing.filters[name], name.removesuffix("_id")
            given = self[name]
            if name == without or not given or not rule.condition(label) or (rule.choices and given in EVERY):
                continue
            self._narrow(where, rule, label, given)
        return where

    @property
    def limit(self) -> int:
        return self.snapshot.bounded(self["limit"])

    @property
    def order(self) -> str:
        sort = self.arguments.get("by") or self.arguments.get("sort")
        return self.listing.sorts[sort] if sort else self.listing.order

    def report(self, derive: Derive = lambda row: row) -> BusinessReport:
        """The rows, what they add up to, and what else was asked for. `derive` makes other figures of the totals."""
        listing, where = self.listing, self.where
        inside = where.within(listing.day, self.period, listing.last_day)
        totals = self.totals(inside, derive)
        report = self.snapshot.report(listing.title, self.period, filters=where.filters, totals=totals)
        compare = self.arguments.get("compare", "none")
        if compare != "none" and self.period is not None:
            other = self.period.against(compare)
            inside_other = where.within(listing.day, other, listing.last_day)
            report.compared = PeriodComparison(other, self.totals(inside_other, derive))
        group = self.arguments.get("group_by", listing.group)
        if group not in ("", "none"):
            report.rows, report.grouped = self._grouped(inside, listing.groups[group], derive), True
        else:
            report.rows, report.of = self._rows(inside), next(iter(totals.values()))
        report.trend = self._trend(inside, derive)
        for label, told in ((listing.group_label, group), (listing.sort_label, self.arguments.get("by"))):
            if label:
                report.filters[label] = told
        return report

    def _narrow(self, where: Conditions, rule: Filter, label: str, given: Any) -> None:
        value: Any = given
        told: Any = given
        if rule.type in ("part", "words"):
            if not given.strip():
                return
            told = clean(given, label)
            if rule.type == "words":
                where.add_words(rule.column, told)
                return
            value = contains(told)
        elif rule.type == "lower text":
            value = told = clean(given, label).lower()
        elif rule.type == "amount":
            value = in_cents(given, label)
            told = value / 100
        elif rule.type == "percent" and not 0 <= given <= 100:
            raise BadArguments(f"{label} {given} is no percentage: give 0 to 100.")
        elif rule.type == "defect":
            defect = find_defect(given)
            value, told = defect.code, defect.label
        elif rule.find:
            value, name = self.snapshot.find(rule.find, given)
            told = f"{name} <{value}>" if rule.find == "person" else f"{value} {name}"
        elif rule.known:
            value = told = self.snapshot.one_of(label, given, rule.known)
        clause = (rule.when.get(given) if rule.when else None) or rule.condition(label)
        (where.measure if rule.measured else where.add)(clause, {label: told}, **{label: value})

    def _rows(self, where: Conditions) -> list[Row]:
        listing = self.listing
        return self.snapshot.rows(
            f"SELECT {listing.columns} FROM {listing.source} {listing.joins} {where.sql} "
            f"ORDER BY {self.order} LIMIT {self.limit:d}",
            where.values,
        )

    def totals(self, where: Conditions, derive: Derive = lambda row: row) -> Row:
        """What all rows add up to. Ratios are over all that the other filters leave, and say so."""
        query, shares = f"SELECT {self.listing.sums} FROM {self.listing.source}", self.listing.shares
        totals = self.snapshot.one(f"{query} {where.sql}", where.values)
        apart = shares and where.is_measured
        base = self.snapshot.one(f"{query} {where.base.sql}", where.values) if apart else totals
        return derive(self._averaged(totals)) | stated(shares, base)

    def _grouped(self, where: Conditions, groups: Grouping, derive: Derive) -> list[Row]:
        listing = self.listing
        numbers = ", ".join(str(number) for number in range(1, groups.keys.count(" AS ") + 1))
        names = f"{groups.names}, " if groups.names else ""
        first = listing.group_order or f"g.{next(iter(listing.totals))} DESC"
        order = self.order if listing.sorts else groups.order or f"{first}, g.{groups.keys.rpartition(' AS ')[2]}"
        rows = self.snapshot.rows(
            f"SELECT {names}g.* FROM (SELECT {groups.keys}, {listing.sums} FROM {listing.source} {groups.joins} "
            f"{where.sql} GROUP BY {numbers}) g {groups.named} ORDER BY {order} LIMIT {self.limit:d}",
            where.values,
        )
        return [self._derived(row, derive, measured=where.is_measured or groups.measured) for row in rows]

    def _trend(self, where: Conditions, derive: Derive) -> Sequence[Row]:
        step = self.arguments.get("trend", "none")
        if step == "none":
            return ()
        listing = self.listing
        rows = self.snapshot.rows(
            f"SELECT substr({listing.day}, 1, {TREND_CHARS[step]}) AS {step}, {listing.sums} "
            f"FROM {listing.source} {where.sql} GROUP BY 1 ORDER BY 1 DESC LIMIT {MAX_POINTS:d}",
            where.values,
        )
        return [self._derived(row, derive, measured=where.is_measured) for row in reversed(rows)]

    def _derived(self, row: Row, derive: Derive, *, measured: bool) -> Row:
        """A sum of some rows with its ratios, which are left out where they are about why these rows were picked."""
        shares = () if measured else self.listing.shares
        return derive(self._averaged(row)) | {name: value for each in shares for name, value in each.share(row).items()}

    def _averaged(self, row: Row) -> Row:
        shown = dict(row)
        for name, (part, many) in self.listing.averages.items():
            total = shown.pop(part)
            shown[name] = round(total / row[many], 1) if row[many] else None
        return shown


def stated(ratios: Sequence[Ratio], base: Row) -> Row:
    """The ratios of these totals, each with its base."""
    return {name: value for ratio in ratios for name, value in ratio.stated(base).items()}
