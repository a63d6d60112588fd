"""The sample from its tables to its files: people, places and what is expected, then visits, then figures of them."""

from datetime import date
from pathlib import Path

import h3
import msgspec
import numpy as np

from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.views import BUCKETS, SHARES
from glassloop.extensions.places.sample import figures
from glassloop.extensions.places.sample.demand import make_demand
from glassloop.extensions.places.sample.files import ParquetFiles
from glassloop.extensions.places.sample.flows import flows
from glassloop.extensions.places.sample.people import PEOPLE_PER_MEMBER, Ints, People, area_profiles, make_people
from glassloop.extensions.places.sample.period import MONTHS, Period
from glassloop.extensions.places.sample.places import category_rows, chain_rows, place_rows
from glassloop.extensions.places.sample.sites import Sites, make_sites
from glassloop.extensions.places.sample.tables import Tables, load_tables
from glassloop.extensions.places.sample.visits import Truth, Visitors, Visits, draw_visitors, draw_visits
from glassloop.runtime.importers import Tell

NAME = "Sample: six metros of the United States"
TRUTH_FILE = "truth.parquet"
"""What really happened, by place and month; no view shows it."""
LEAST_SHARED = 3
"""Pairs of places with fewer persons of the panel in common in a month are not told of."""


class Extent(msgspec.Struct, frozen=True, kw_only=True):
    """How much is made. Tests make less."""

    scale: float = 1.0
    """Places beside what the tables say."""
    months: int = MONTHS
    metros: int = 6
    people_per_member: float = PEOPLE_PER_MEMBER


class World(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was made, before it is written."""

    tables: Tables
    period: Period
    people: People
    sites: Sites
    visitors: Visitors
    visits: Visits
    truth: Truth


def generate(folder: Path, *, seed: int, today: date, tell: Tell, extent: Extent | None = None) -> About:
    world = make_world(seed, today, tell, extent or Extent())
    files = ParquetFiles(folder, world.period.days[0])
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
    period = Period.before(today, extent.months)
    people = make_people(tables.metros, seed, extent.people_per_member)
    sites = make_sites(tables, people, len(period.days), seed, extent.scale)
    tell("Sending people to places", 0.15)
    demand = make_demand(tables, sites, period, seed)
    visitors, truth = draw_visitors(tables, people, sites, demand.monthly, seed)
    tell("Choosing days and hours", 0.3)
    visits = draw_visits(tables, sites, visitors, demand, period, seed)
    return World(
        tables=tables, period=period, people=people, sites=sites, visitors=visitors, visits=visits, truth=truth
    )


def _write(files: ParquetFiles, world: World, seed: int, tell: Tell) -> None:
    people, sites, period, visits = world.people, world.sites, world.period, world.visits
    weights: Ints = people.weight[people.area_of[visits.person]]
    rank = np.argsort(np.argsort(np.array(people.cells)))
    files.name("place", sites.ids)
    files.name("month", period.months)
    files.name("day", period.days)
    files.name("area", people.cells)
    files.name("bucket", BUCKETS)
    files.name("direction", ("after", "before"))
    files.write_rows("poi_places", place_rows(world.tables, people, sites, period))
    files.write_rows("poi_categories", category_rows(world.tables))
    files.write_rows("poi_chains", chain_rows(world.tables))
    files.write_rows("poi_areas", _area_rows(world, seed))
    by_month = {"place_id": "place", "month": "month"}
    tell("Counting visits by day", 0.45)
    files.write("poi_visits_daily", figures.daily(visits, weights), place_id="place", day="day")
    monthly = figures.monthly(visits, world.visitors, people, period, weights)
    files.write("poi_visits_monthly", monthly, **by_month)
    tell("Counting visits by hour", 0.6)
    files.write("poi_hours", figures.hourly(visits, period, weights, sites.count), **by_month)
    files.write("poi_dwell", figures.dwell(visits, period, weights), **by_month, bucket="bucket")
    tell("Counting home areas", 0.7)
    files.write("poi_homes", figures.homes(world.visitors, people, period, rank), **by_month, area_id="area")
    files.name("other", sites.ids)
    shared = figures.overlap(world.visitors, people, period, LEAST_SHARED)
    files.write("poi_overlap", shared, **by_month, other_id="other")
    tell("Following people from place to place", 0.8)
    moves, names = flows(visits, people, sites, period, weights, seed)
    files.name("end", names)
    files.write("poi_flows", {**moves, "end": moves["other"]}, **by_month, direction="direction", other_id="end")
    place, month = np.nonzero(world.truth.visits)
    files.write_table(
        TRUTH_FILE,
        {
            "place_id": np.array(sites.ids, dtype=object)[place],
            "month": np.array([str(each) for each in period.months], dtype=object)[month],
            "visits": world.truth.visits[place, month],
            "visitors": world.truth.visitors[place, month],
        },
    )


def _area_rows(world: World, seed: int) -> list[list[object]]:
    people = world.people
    hoods = [f"{hood.name}, {hood.city}" for metro in world.tables.metros for hood in metro.neighborhoods]
    profile = area_profiles(people, world.tables.metros, seed)
    facts = [profile[name].tolist() for name in ("population", "households", "income_median", *SHARES)]
    rows: list[list[object]] = []
    for area in sorted(range(len(people.cells)), key=people.cells.__getitem__):
        cell = people.cells[area]
        outline = [[round(lon, 6), round(lat, 6)] for lat, lon in h3.cell_to_boundary(cell)]
        metro = world.tables.metros[people.metro[area]].name
        where = [cell, hoods[people.hood[area]], "hex", round(people.lat[area], 6), round(people.lon[area], 6), metro]
        rows.append([*where, [*outline, outline[0]], *(values[area] for values in facts)])
    return rows
