"""One call of a listing: its arguments become conditions and a period, and these a report.

Owns how rows, totals, groups, trends and comparisons are asked for. What a listing is made of is `listing`'s.
"""

# Queries are put together from the listings' own text only; what a caller gives is a parameter.
# ruff: noqa: S608

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cached_property
from typing import Any

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.conditions import Conditions, clean, contains, in_cents, singular
from glassloop.extensions.business.database.source import Row
from glassloop.extensions.business.defects import find_defect
from glassloop.extensions.business.listing import BusinessListing, Filter, Grouping
from glassloop.extensions.business.periods import BEFORE_ALL, Period, find_period
from glassloop.extensions.business.report import BusinessReport, PeriodComparison, Ratio, figure_words, percent
from glassloop.extensions.business.snapshot import Snapshot

MAX_POINTS = 400
MAX_QUIET_DAYS = 31
"""After so many days without anything new the data may have ended, and not the business."""
TREND_CHARS = {"day": 10, "month": 7}
EVERY = ("any", "all")
LOWEST = "lowest first"

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

    def single(self, key: str) -> "ListingCall | None":
        """A call for the one row with the id that was given, whatever else was; none where no row has it."""
        given = clean(self[key], key)
        forms = {"a": given, "b": given.upper(), "c": given.lower()}
        table, column = self.listing.table.split()[0], key
        found = self.snapshot.rows(f"SELECT {column} AS id FROM {table} WHERE {column} IN (:a, :b, :c)", forms)
        if not found:
            return None
        every = {name: each for name, rule in self.listing.filters.items() for each in EVERY if each in rule.choices}
        one = ListingCall(self.snapshot, self.listing, {**self.defaults, **every, "period": "all"})
        one.where.add(f"{column} = :{column}", {column: found[0]["id"]}, **{column: found[0]["id"]})
        return one

    @cached_property
    def limit(self) -> int:
        return self.snapshot.bounded(self["limit"])

    @property
    def order(self) -> str:
        sort = self.arguments.get("by") or self.arguments.get("sort")
        order = self.listing.sorts[sort] if sort else self.listing.order
        return order.replace(" DESC", " ASC", 1) if self.is_reversed else order

    @property
    def is_reversed(self) -> bool:
        return self.arguments.get("order") == "lowest"

    @property
    def sort_words(self) -> str:
        """In which order the rows stand."""
        sort = str(self.arguments.get("sort") or "").replace("_", " ")
        if not sort:
            return self.listing.order_label
        words = f"{sort} first" if sort.partition(" ")[0].endswith("st") else f"by {sort}"
        return f"{words}, {LOWEST}" if self.is_reversed else words

    def trend_label(self, trend: Sequence[Row]) -> str:
        """That the last month of a trend has not ended, where that is so."""
        month = self.snapshot.today.isoformat()[:7]
        return f"{month} so far" if trend and trend[-1].get("month") == month else ""

    def report(self, derive: Derive = lambda row: row) -> BusinessReport:
        """The rows, what they add up to, and what else was asked for. `derive` makes other figures of the totals."""
        listing, where = self.listing, self.where
        inside = where.within(listing.day, self.period, listing.last_day)
        totals = self.totals(inside, derive)
        report = self.snapshot.report(listing.title, self.period, filters=where.filters, totals=totals)
        if not self.is_covered():
            report.totals = {}
            return report
        report.compared = self._compared(derive)
        group = self.arguments.get("group_by", listing.group)
        if group not in ("", "none"):
            report.rows, report.grouped = self._grouped(inside, listing.groups[group], derive), True
            report.of = self._group_count(inside, listing.groups[group], len(report.rows))
            report.sort_words = self._group_sort_words(listing.groups[group])
            if listing.share:
                whole = totals[listing.share]
                report.rows = [{**row, "share_percent": percent(row[listing.share], whole)} for row in report.rows]
        else:
            report.rows, report.of = self._rows(inside), next(iter(totals.values()))
            report.sort_words = self.sort_words
        report.trend = self._trend(inside, derive)
        report.trend_label = self.trend_label(report.trend)
        if report.trend and listing.states:
            told = ", ".join(figure_words(name) for name in listing.states)
            self.snapshot.notes.append(f"In the trend as they stand today: {told}.")
        for label, told in ((listing.group_label, group), (listing.sort_label, self.arguments.get("by"))):
            if label:
                report.filters[label] = told
        if self.is_reversed:
            report.filters["order"] = LOWEST
        return report

    def _compared(self, derive: Derive) -> PeriodComparison | None:
        """The totals of the other period, of states as they were then; none where they cannot be known."""
        compare, listing, notes = self.arguments.get("compare", "none"), self.listing, self.snapshot.notes
        if compare == "none" or self.period is None:
            return None
        other = self.period.against(compare)
        state = [name for name, rule in listing.filters.items() if rule.state and self[name] not in ("", False, *EVERY)]
        if state:
            notes.append(f"Not compared: {state[0]} picks by how things are today, and how they were then is not kept.")
            return None
        if not self.reaches(other):
            return None
        then = other.same_day(self.period, self.snapshot.today)
        inside = self.where.within(listing.day, other, listing.last_day)
        inside.values["then"] = then.isoformat()
        before = listing.before()
        for name, words in ((True, f"Compared as they were on {then}"), (False, "Not compared, as not kept by day")):
            if told := [figure_words(each) for each in listing.states if (each in before.totals) is name]:
                notes.append(f"{words}: {', '.join(told)}.")
        return PeriodComparison(other, ListingCall(self.snapshot, before, self.arguments).totals(inside, derive))

    @cached_property
    def coverage(self) -> tuple[date, date] | None:
        """The first and the last day there is anything of; None where there is no day at all."""
        return self.snapshot.days(self.listing.table, self.listing.day)

    def reaches(self, other: Period) -> bool:
        """Whether the data reach back to a period to compare with; says where they begin if not."""
        if self._covers(other) or self.coverage is None:
            return True
        self.snapshot.notes.append(f"Not compared: the earliest in the data is of {self.coverage[0]}.")
        return False

    def _covers(self, period: Period) -> bool:
        """Up to a tenth of it may be missing: not every day has something."""
        return self.coverage is None or period.misses(self.coverage[0]) * 10 <= period.days

    def is_covered(self) -> bool:
        """Whether the data have anything of the period's time; says where they begin or end if it reaches beyond."""
        period = self.period
        if period is None or period.start is None or period.end is None or not self.listing.day or not self.coverage:
            return True
        first, last = self.coverage
        if period.start > self.snapshot.today and not self.listing.lies_ahead:
            day = figure_words(self.listing.day.rpartition(".")[2])
            told = f"These days are still to come, and periods pick by {day!r}: leave the period out."
            self.snapshot.notes.append(told)
        if period.start > BEFORE_ALL and not self._covers(period):
            self.snapshot.notes.append(f"The earliest in the data is of {first}: of what was before nothing is known.")
        if period.start > last and (self.snapshot.today - last).days > MAX_QUIET_DAYS:
            self.snapshot.notes.append(f"The latest in the data is of {last}: of what is after nothing is known.")
            return False
        return period.end >= first

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
            value = contains(singular(told))
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
        names, figures = (f"{part}, " if part else "" for part in (groups.names, groups.figures))
        asked = self._group_figure(groups)
        first = f"g.{asked} DESC" if asked else listing.group_order or f"g.{next(iter(listing.totals))} DESC"
        last = groups.keys.rpartition(" AS ")[2]
        order = self.order if "by" in self.arguments else groups.order or f"{first}, g.{last}"
        rows = self.snapshot.rows(
            f"SELECT {names}g.* FROM (SELECT {groups.keys}, {figures}{listing.sums} FROM {listing.source} "
            f"{groups.joins} {where.sql} GROUP BY {numbers}) g {groups.named} ORDER BY {order} LIMIT {self.limit:d}",
            where.values,
        )
        return [self._derived(row, derive, measured=where.is_measured or groups.measured) for row in rows]

    @property
    def _group_sort(self) -> str:
        """What groups are to be sorted by; empty where it is the usual order, or none."""
        sort = self.arguments.get("sort") or ""
        return "" if sort == next(iter(self.listing.sorts), "") else sort

    def _group_figure(self, groups: Grouping) -> str:
        """The figure of each group that they are to be sorted by; empty where they have none."""
        sort = self._group_sort
        return sort if sort in self.listing.totals or f" AS {sort}" in groups.figures else ""

    def _group_sort_words(self, groups: Grouping) -> str:
        """In which order groups stand, where they were to be sorted; a note where they cannot be."""
        if not self._group_sort:
            return ""
        if self._group_figure(groups):
            return self.sort_words
        usual = next(iter(self.listing.sorts))
        told = f"Only single rows can be sorted by {self._group_sort}: these groups are sorted by {usual}."
        self.snapshot.notes.append(told)
        return f"by {usual}"

    def _group_count(self, where: Conditions, groups: Grouping, shown: int) -> int:
        """How many groups there are in all."""
        if shown < self.limit:
            return shown
        inside = f"SELECT DISTINCT {groups.keys} FROM {self.listing.source} {groups.joins} {where.sql}"
        return self.snapshot.one(f"SELECT count(*) AS many FROM ({inside}) g", where.values)["many"]

    def _trend(self, where: Conditions, derive: Derive) -> Sequence[Row]:
        step = self.arguments.get("trend", "none")
        if step == "none":
            return ()
        listing = self.listing
        rows = self.snapshot.rows(
            f"SELECT substr({listing.day}, 1, {TREND_CHARS[step]}) AS {step}, {listing.sums} "
            f"FROM {listing.source} {where.sql} GROUP BY 1 ORDER BY 1 DESC LIMIT {MAX_POINTS + 1:d}",
            where.values,
        )
        return [self._derived(row, derive, measured=where.is_measured) for row in self.latest(rows)]

    def latest(self, rows: Sequence[Row]) -> list[Row]:
        """As many points of a trend, given with the last first, as are shown; says where there are more."""
        if len(rows) > MAX_POINTS:
            told = f"The trend has only the latest {MAX_POINTS}: give a shorter period, or trend=month."
            self.snapshot.notes.append(told)
        return list(reversed(rows[:MAX_POINTS]))

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
