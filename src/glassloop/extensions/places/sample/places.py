"""Rows of the views that list places, categories and chains."""

import re
from collections.abc import Container
from datetime import date

import numpy as np

from glassloop.extensions.places.sample.people import Ints, People
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.rhythms import HOURS, open_hours
from glassloop.extensions.places.sample.sites import NO, Sites, chain_list
from glassloop.extensions.places.sample.tables import SampleTables

_NO_WORD = re.compile(r"[^a-z0-9]+")
RETAIL = "44-45"
"""The sector that NAICS writes with two numbers."""


def opening_hours() -> list[str]:
    """All opening hours that there are, as lists of flags in SQL; `place_rows` names them by number."""
    return [str(open_hours(name, closed_on_sundays=sundays).tolist()) for name in HOURS for sundays in (False, True)]


def hours_profiles(tables: SampleTables, sites: Sites) -> Ints:
    """The number of each place's opening hours among them."""
    hours = np.array([2 * list(HOURS).index(kind.hours) for kind in tables.kinds])[sites.kind]
    closed = [number for number, (name, _) in enumerate(chain_list(tables)) if name in tables.closed_on_sundays]
    return hours + np.isin(sites.chain, closed)


def place_rows(tables: SampleTables, people: People, sites: Sites, period: SamplePeriod) -> list[list[object]]:
    chains = chain_list(tables)
    hoods = [hood for metro in tables.metros for hood in metro.neighborhoods]
    hours = hours_profiles(tables, sites).tolist()

    def day(number: int) -> date | None:
        return None if number == NO else period.days[number]

    rows: list[list[object]] = []
    for place, name in enumerate(sites.names):
        kind = tables.kinds[int(sites.kind[place])]
        metro = tables.metros[int(sites.metro[place])]
        hood = hoods[people.hood[sites.area[place]]]
        chain = None if sites.chain[place] == NO else chains[int(sites.chain[place])][0]
        parent = sites.parent[place]
        rows.append(
            [
                sites.ids[place],
                name,
                sites.addresses[place],
                hood.city,
                metro.state,
                hood.zip,
                metro.name,
                float(sites.lat[place]),
                float(sites.lon[place]),
                kind.id,
                None if chain is None else chain_id(chain),
                [kind.words[0], *(["chain"] if chain else ["independent"]), *(["in a mall"] if parent != NO else [])],
                day(int(sites.opened[place])),
                day(int(sites.closed[place])),
                float(sites.area_m2[place]),
                None if parent == NO else sites.ids[parent],
                hours[place],
            ]
        )
    return rows


def category_rows(tables: SampleTables) -> list[list[object]]:
    names = {each.id: (each.name, each.words) for each in (*tables.above, *tables.kinds)}
    return [[each, name, _parent(each, names), list(words)] for each, (name, words) in sorted(names.items())]


def chain_rows(tables: SampleTables) -> list[list[object]]:
    rows: list[list[object]] = [
        [chain_id(chain.name), chain.name, list(chain.words), category]
        for category, chains in tables.chains.items()
        for chain in chains
    ]
    return sorted(rows, key=lambda row: str(row[0]))


def chain_id(name: str) -> str:
    return _NO_WORD.sub("_", name.lower().replace("'", "")).strip("_")


def _parent(code: str, names: Container[str]) -> str | None:
    """The longest code above this one that there is."""
    for length in range(len(code) - 1, 1, -1):
        if code[:length] in names and code != RETAIL:
            return code[:length]
    return RETAIL if code[:2] in ("44", "45") and code != RETAIL else None
