"""Listings as data: the tables a tool reads, its filters, totals, groupings and sorts, from files in `data/listings`.

Owns what such a file may hold. SQL stands in these files and `data/queries.toml`; what a caller gives is a parameter.
"""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, cast

import msgspec

from glassloop.extensions.business.data_files import read_toml
from glassloop.extensions.business.report import Ratio

PERIODS = ("period", "ahead")
"""Parameters that bring `start_date` and `end_date` with them; `ahead` also has names of days to come."""

FilterType = Literal[
    "text", "lower text", "part", "words", "flag", "amount", "percent", "whole", "optional choice", "defect"
]
_TOTAL = re.compile(r"(count|sum)(?: (?!where )(.+?))?(?: where (.+))?", re.DOTALL)
_FRAGMENT = re.compile(r"\{(\w+)\}")


class Filter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A parameter of a listing, and the condition it becomes.

    The argument is compared with the `column`, or stands in `where` under the parameter's name. `find` is the kind of
    thing it names by id or name, `known` a table that must have it. `when` has the conditions of single choices;
    choices in `all_dates` are asked for whenever they were. `measured`: the ratios of the report are about this.
    `about` is for language models, `words` for what goes by words alone, if that is more.
    `state`: it picks by how things are today, which says nothing of how they were.
    """

    about: str = ""
    words: str = ""
    type: FilterType = "text"
    choices: tuple[str, ...] = ()
    default: int = 0
    column: str = ""
    where: str = ""
    find: str = ""
    known: str = ""
    when: dict[str, str] = {}
    all_dates: tuple[str, ...] = ()
    measured: bool = False
    state: bool = False

    def condition(self, label: str) -> str:
        """In SQL, with the label as its parameter; empty for an argument that is no condition by itself."""
        compared = f"{self.column} {'>=' if self.type == 'amount' else '='} :{label}"
        return self.where or (compared if self.column else "")


class Grouping(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Totals for each value of `keys` instead of rows.

    `names` are columns of the table `named` by, joined when all is added up: doing that for every row takes longer than
    the adding. `figures` are sums that only such a group has. `measured`: the ratios are about what rows are grouped
    by.
    """

    keys: str
    names: str = ""
    named: str = ""
    joins: str = ""
    order: str = ""
    figures: str = ""
    measured: bool = False


class BusinessListing(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A list of things: where they are, what is added up, what is shown of one.

    `joins` are left joins, for the rows only: no row that counts in the totals is missing in the list. `day` is what
    periods are about, from `day` to `last_day` for what lasts. `only` always holds, and `told` says so. `group` is how
    rows are grouped unless `group_by` says otherwise. `order_label` says how rows stand that are not sorted otherwise.
    `filter_order`: in which order filters are told, if not in that of the parameters. `states` are totals of how things
    are today: they are compared as they were on the day `:then`, by the totals in `then`, or not at all. `needs` is the
    table without which nothing is known, if not the first one it reads; `parts` are figures that come from another
    table, by its name. `share` is the total of which each group is told its part. `free_text`: the rows hold sentences
    that people or programs wrote, strangers among them, and not only names and figures.
    """

    name: str
    domain: str
    about: str
    words: str = ""
    title: str
    parameters: str
    filters: dict[str, Filter] = {}
    source: str = msgspec.field(name="from", default="")
    joins: str = ""
    only: str = ""
    told: dict[str, str] = {}
    day: str = ""
    last_day: str = ""
    default_period: str = ""
    lies_ahead: bool = False
    columns: str = ""
    order: str = ""
    order_label: str = ""
    sorts: dict[str, str] = {}
    sort_label: str = ""
    totals: dict[str, str] = {}
    states: tuple[str, ...] = ()
    then: dict[str, str] = {}
    needs: str = ""
    parts: dict[str, tuple[str, ...]] = {}
    averages: dict[str, tuple[str, str]] = {}
    ratios: dict[str, tuple[str, ...]] = {}
    groups: dict[str, Grouping] = {}
    group: str = ""
    group_order: str = ""
    group_label: str = ""
    share: str = ""
    free_text: bool = False
    filter_order: tuple[str, ...] = ()

    @property
    def sums(self) -> str:
        """The totals in SQL."""
        return ", ".join(f"{_total(text)} AS {name}" for name, text in self.totals.items())

    @property
    def table(self) -> str:
        """Where its rows are, with its short name: `biz_leads l`."""
        return self.source.partition(" LEFT JOIN")[0].partition(" JOIN")[0]

    def before(self) -> "BusinessListing":
        """With the totals that can be told of an earlier day."""
        totals = {
            name: self.then.get(name, text)
            for name, text in self.totals.items()
            if name not in self.states or name in self.then
        }
        ratios = {name: parts for name, parts in self.ratios.items() if set(parts) <= set(totals)}
        averages = {name: parts for name, parts in self.averages.items() if set(parts) <= set(totals)}
        return msgspec.structs.replace(self, totals=totals, ratios=ratios, averages=averages)

    @property
    def shares(self) -> tuple[Ratio, ...]:
        return tuple(Ratio(name, parts[0], parts[1:]) for name, parts in self.ratios.items())


@cache
def load_listings(domain: str) -> Mapping[str, BusinessListing]:
    """The listings of a domain, by the names of their tools."""
    raw = read_toml(f"listings/{domain}.toml")
    fragments = raw.pop("fragments", {})
    made = {name: _filled({**raw.get(own.pop("like", ""), {}), **own}, fragments) for name, own in raw.items()}
    return {
        name: msgspec.convert(
            {**own, "name": name, "domain": domain, "filters": _filters(own), "groups": _groups(own)}, BusinessListing
        )
        for name, own in made.items()
    }


def _filters(own: Mapping[str, Any]) -> dict[str, Any]:
    """Each with what all listings share of it; a text alone is the column."""
    shared, given = _shared(), own.get("filters", {})
    found: dict[str, Any] = {}
    for parameter in own["parameters"].split():
        for name in (parameter, "start_date", "end_date") if parameter in PERIODS else (parameter,):
            key = "period" if name in PERIODS else name
            mine = given.get(key, {})
            mine = {"column": mine} if isinstance(mine, str) else mine
            # Whoever says in other words what it is does not mean the words of others.
            others = {"words": ""} if "about" in mine else {}
            found[key] = {**shared.get(name, {}), **others, **mine}
    if "period" in found:
        found["period"]["about"] += _when_none(own, found)
    if "group_by" in found:
        found["group_by"]["choices"] = [*([] if own.get("group") else ["none"]), *own["groups"]]
    for name in {"sort", "by"} & set(found):
        found[name]["choices"] = list(own["sorts"])
    return found


def _when_none(own: Mapping[str, Any], filters: Mapping[str, Any]) -> str:
    """Which days a call without any is about."""
    every = [choice for rule in filters.values() for choice in rule.get("all_dates", ())]
    usual = f" Else {own['default_period'].replace('_', ' ')}."
    return f"{usual[:-1]}, or all for {', '.join(every)}." if every else usual


def _groups(own: Mapping[str, Any]) -> dict[str, Any]:
    given = own.get("groups", {})
    return {name: {"keys": f"{each} AS {name}"} if isinstance(each, str) else each for name, each in given.items()}


@cache
def _shared() -> dict[str, Any]:
    return read_toml("listings/parameters.toml")


def _filled(value: Any, fragments: Mapping[str, str]) -> Any:
    """With the fragments in place of their names."""
    if isinstance(value, str):
        return _FRAGMENT.sub(lambda match: fragments[match[1]], value)
    if isinstance(value, dict):
        return {key: _filled(each, fragments) for key, each in cast("dict[str, Any]", value).items()}
    return [_filled(each, fragments) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _total(text: str) -> str:
    """`count`, `count where …`, `sum …` or `sum … where …` in SQL."""
    match = _TOTAL.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no total: write 'count' or 'sum …', and 'where …' after it.")
    value, condition = match[2] or "1", match[3]
    if match[1] == "count" and not condition:
        return "count(*)"
    return f"coalesce(sum({f'CASE WHEN {condition} THEN {value} ELSE 0 END' if condition else value}), 0)"
