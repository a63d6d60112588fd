"""The sample from its tables to its files: people, places and what is expected, then visits, then figures of them."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import msgspec
import numpy as np

from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.views import BUCKETS, SHARES
from glassloop.extensions.places.sample import figures
from glassloop.extensions.places.sample.demand import Demand, make_demand
from glassloop.extensions.places.sample.figures import Columns
from glassloop.extensions.places.sample.files import ParquetFiles
from glassloop.extensions.places.sample.flows import end_names, flows
from glassloop.extensions.places.sample.hexagons import outline_of
from glassloop.extensions.places.sample.people import PEOPLE_PER_MEMBER, People, area_profiles, make_people
from glassloop.extensions.places.sample.period import MONTHS, SamplePeriod
from glassloop.extensions.places.sample.places import (
    category_rows,
    chain_rows,
    hours_profiles,
    opening_hours,
    place_rows,
)
from glassloop.extensions.places.sample.rhythms import WeekSlots
from glassloop.extensions.places.sample.sites import Sites, make_sites
from glassloop.extensions.places.sample.tables import SampleTables, load_tables
from glassloop.extensions.places.sample.visits import (
    PackedVisitors,
    PanelVisits,
    Truth,
    draw_visitors,
    draw_visits,
)
from glassloop.runtime.importers import Tell

NAME = "Sample: six metros of the United States"
TRUTH_FILE = "truth.parquet"
"""What really happened, by place and month; no view shows it."""
NUMBERED = {
    "place_id": "place",
    "month": "month",
    "day": "day",
    "area_id": "area",
    "bucket": "bucket",
    "direction": "direction",
    "other_id": "other",
}
"""Columns of views, and the numbers that they are made of."""


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """How much is made. Tests make less."""

    scale: float = 1.0
    """Places beside what the tables say."""
    months: int = MONTHS
    metros: int = 6
    people_per_member: float = PEOPLE_PER_MEMBER


class World(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was made, before it is counted and written."""

    tables: SampleTables
    period: SamplePeriod
    people: People
    sites: Sites
    demand: Demand
    visitors: list[PackedVisitors]
    """By metro."""
    truth: Truth


def generate(folder: Path, *, seed: int, today: date, tell: Tell, extent: Extent | None = None) -> About:
    world = make_world(seed, today, tell, extent or Extent())
    files = ParquetFiles(folder)
    try:
        _write(files, world, seed, tell)
    finally:
        files.close()
    about = About(
        name=NAME,
        first_day=world.period.days[0],
        last_day=world.period.days[-1],
        as_of=world.period.days[-1],
        sample=True,
        panel_size=world.people.size,
    )
    about.write(folder)
    tell("Done", 1.0)
    return about


def make_world(seed: int, today: date, tell: Tell, extent: Extent) -> World:
    tell("Placing people and shops", 0.0)
    tables = load_tables()
    tables = msgspec.structs.replace(tables, metros=tables.metros[: extent.metros])
    period = SamplePeriod.before(today, extent.months)
    people = make_people(tables.metros, seed, extent.people_per_member)
    sites = make_sites(tables, people, len(period.days), seed, extent.scale)
    tell("Sending people to places", 0.1)
    demand = make_demand(tables, sites, period, seed)
    visitors, truth = draw_visitors(tables, people, sites, demand.monthly, seed)
    return World(
        tables=tables, period=period, people=people, sites=sites, demand=demand, visitors=visitors, truth=truth
    )


def count_visits(world: World, seed: int, tell: Tell) -> Iterator[tuple[str, Columns]]:
    """The columns of the views about visits. Counted metro by metro, as smaller arrays are sorted more quickly."""
    slots, week = world.demand.day_slots(world.period), WeekSlots.make()
    months, profile = len(world.period.months), hours_profiles(world.tables, world.sites)
    views: dict[str, Callable[[PanelVisits, int], Columns]] = {
        "poi_visits_daily": lambda seen, _: figures.daily(seen),
        "poi_visits_monthly": lambda seen, _: figures.monthly(seen),
        "poi_hours": lambda seen, _: figures.hourly(seen, world.period, week, profile),
        "poi_dwell": lambda seen, _: figures.dwell(seen),
        "poi_homes": lambda seen, _: figures.homes(seen, world.people),
        "poi_overlap": lambda seen, _: figures.overlap(seen.visitors, world.people, months),
        "poi_flows": lambda seen, metro: flows(seen, world.people, world.sites, world.period, [seed, 7, metro]),
    }
    parts: dict[str, list[Columns]] = {view: [] for view in views}
    for number, metro in enumerate(world.tables.metros):
        tell(f"Following people in {metro.name}", 0.2 + 0.5 * number / len(world.tables.metros))
        visitors = world.visitors[number].unpacked()
        visits = draw_visits(world.tables, world.sites, visitors, world.demand, slots, world.period, [seed, 6, number])
        seen = PanelVisits.of(visitors, visits, world.people, months)
        for view, count in views.items():
            parts[view].append(_packed(count(seen, number)))
    for done, view in enumerate(views):
        tell("Writing", 0.7 + 0.3 * done / len(views))
        counted = parts.pop(view)
        yield view, {name: np.concatenate([part[name] for part in counted]) for name in counted[0]}


def _packed(columns: Columns) -> Columns:
    """Whole numbers in as few bytes as they need."""
    return {
        name: values.astype(np.min_scalar_type(values.max())) if values.dtype.kind == "i" and values.size else values
        for name, values in columns.items()
    }


def _write(files: ParquetFiles, world: World, seed: int, tell: Tell) -> None:
    people, sites, period = world.people, world.sites, world.period
    files.name("place", sites.ids)
    files.name_days("month", period.months)
    files.name_days("day", period.days)
    files.name("area", people.cells, few=True)
    files.name("bucket", BUCKETS, few=True)
    files.name("direction", ("after", "before"), few=True)
    files.name("other", end_names(sites))
    files.name("hours", opening_hours(), "BOOLEAN[]")
    files.write_rows("poi_places", place_rows(world.tables, people, sites, period), hours="hours")
    files.write_rows("poi_categories", category_rows(world.tables))
    files.write_rows("poi_chains", chain_rows(world.tables))
    files.write_rows("poi_areas", _area_rows(world, seed))
    for view, columns in count_visits(world, seed, tell):
        files.write(view, columns, **{column: number for column, number in NUMBERED.items() if number in columns})
    place, month = np.nonzero(world.truth.visits)
    truth: Columns = {
        "place_id": np.array(sites.ids, dtype=object)[place],
        "month": np.array([str(each) for each in period.months], dtype=object)[month],
        "visits": world.truth.visits[place, month],
        "visitors": world.truth.visitors[place, month],
    }
    files.write_table(TRUTH_FILE, truth)


def _area_rows(world: World, seed: int) -> list[list[object]]:
    people = world.people
    hoods = [f"{hood.name}, {hood.city}" for metro in world.tables.metros for hood in metro.neighborhoods]
    profile = area_profiles(people, world.tables.metros, seed)
    facts = [profile[name].tolist() for name in ("population", "households", "income_median", *SHARES)]
    rows: list[list[object]] = []
    for area, cell in enumerate(people.cells):
        metro = world.tables.metros[int(people.metro[area])].name
        where: list[object] = [
            cell,
            hoods[people.hood[area]],
            "hex",
            round(people.lat[area], 6),
            round(people.lon[area], 6),
            metro,
        ]
        rows.append([*where, outline_of(cell), *(values[area] for values in facts)])
    return rows
