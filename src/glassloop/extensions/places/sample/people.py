"""The people of the sample: hexagons that they live in, and the panel that is watched.

Each member of the panel stands for a whole number of people, the same for all of a hexagon and the whole period: every
figure of the sample is a sum of these weights, and so all of them agree.
"""

from collections.abc import Sequence

import msgspec
import numpy as np
import shapely
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.views import AGES, EDUCATIONS, HOUSEHOLDS
from glassloop.extensions.places.sample.hexagons import cell_at, cells_around, middle_of
from glassloop.extensions.places.sample.tables import Catchment, Metro

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

PEOPLE_PER_MEMBER = 220
UNKNOWN_HOMES = 0.04
"""Members whose home is not known."""
MIN_MEMBERS = 4
MAX_WEIGHT = 4_095
SLOTS = 512
"""A place's visitors come from one of so many slots, each a hexagon."""
CATCHMENTS: dict[Catchment, tuple[float, float]] = {
    "walk": (0.8, 0.0),
    "near": (1.3, 0.01),
    "city": (3.5, 0.03),
    "region": (9.0, 0.06),
    "visitors": (6.0, 0.45),
}
"""Kilometers after which interest falls to a third, and the share of visitors from other metros."""
KM_A_DEGREE = 111.2
_AGES = (0.2, 0.09, 0.17, 0.15, 0.13, 0.12, 0.14)
_HOUSEHOLDS = (0.3, 0.33, 0.28, 0.09)
_EDUCATIONS = (0.3, 0.26, 0.27, 0.17)


class People(msgspec.Struct, frozen=True, kw_only=True):
    """Hexagons by number, in the order of their ids, and the members of the panel by number, hexagon by hexagon."""

    cells: tuple[str, ...]
    metro: Ints
    hood: Ints
    """The neighborhood, numbered through all metros."""
    lat: Floats
    lon: Floats
    population: Ints
    members: Ints
    weight: Ints
    first: Ints
    """The first member of each hexagon."""
    area_of: Ints
    """The hexagon of each member."""
    known: NDArray[np.bool_]
    """Whether the home of each member is known."""
    slots: NDArray[np.int32]
    """By catchment, hexagon of the place and slot: the hexagon that a member of the panel comes from."""

    @property
    def size(self) -> int:
        return len(self.area_of)


def make_people(metros: Sequence[Metro], seed: int, per_member: float = PEOPLE_PER_MEMBER) -> People:
    rng = np.random.default_rng([seed, 1])
    owners: dict[str, tuple[int, int, int]] = {}
    first_hood = 0
    for number, metro in enumerate(metros):
        for cell, hood in _land_cells(metro).items():
            owners[cell] = (number, first_hood + hood, metro.neighborhoods[hood].people)
        first_hood += len(metro.neighborhoods)
    cells = sorted(owners)
    metro_of, hood_of, usual = np.array([owners[cell] for cell in cells], np.int64).T
    lat, lon = np.array([middle_of(cell) for cell in cells]).T
    population = np.maximum(60, usual * rng.lognormal(-0.04, 0.28, len(cells))).astype(np.int64)
    members = np.maximum(MIN_MEMBERS, np.asarray(rng.binomial(population, 1 / per_member), np.int64))
    area_of = np.repeat(np.arange(len(cells)), members)
    return People(
        cells=tuple(cells),
        metro=metro_of,
        hood=hood_of,
        lat=lat,
        lon=lon,
        population=population,
        members=members,
        weight=np.clip(np.rint(population / members), 1, MAX_WEIGHT).astype(np.int64),
        first=np.concatenate(([0], np.cumsum(members)[:-1])),
        area_of=area_of,
        known=rng.random(len(area_of)) >= UNKNOWN_HOMES,
        slots=_catchment_slots(rng, metro_of, lat, lon, members),
    )


def area_profiles(people: People, metros: Sequence[Metro], seed: int) -> dict[str, NDArray[np.generic]]:
    """Columns of `poi_areas` about who lives there."""
    rng = np.random.default_rng([seed, 2])
    count = len(people.cells)
    usual = np.array([hood.income for metro in metros for hood in metro.neighborhoods])[people.hood]
    income = usual * rng.lognormal(-0.005, 0.1, count)
    density = np.log(people.population / 2_500)
    # Few children and many young adults where it is dense, more degrees where incomes are high.
    ages = _shares(rng, _AGES, np.outer(density, (-0.35, 0.25, 0.35, 0.1, -0.05, -0.1, -0.1)))
    homes = _shares(rng, _HOUSEHOLDS, np.outer(density, (0.3, 0.05, -0.25, -0.25)))
    degrees = _shares(rng, _EDUCATIONS, np.outer(np.log(income / 90), (-1.1, -0.5, 0.6, 0.9)))
    size = homes @ np.array([1.0, 2.0, 3.4, 5.6])
    columns: dict[str, NDArray[np.generic]] = {
        "population": people.population,
        "households": np.maximum(1, people.population / size).astype(np.int64),
        "income_median": np.round(income, 1) * 1000,
    }
    for start, names, values in (
        ("age", AGES, ages),
        ("household", HOUSEHOLDS, homes),
        ("education", EDUCATIONS, degrees),
    ):
        columns |= {f"{start}_{name}": values[:, number] for number, name in enumerate(names)}
    return columns


def kilometers(lat: Floats, lon: Floats, other_lat: Floats | float, other_lon: Floats | float) -> Floats:
    """Straight-line distances, good for within a metro."""
    across = (lon - other_lon) * np.cos(np.radians((lat + other_lat) / 2))
    return np.hypot(lat - other_lat, across) * KM_A_DEGREE


def _land_cells(metro: Metro) -> dict[str, int]:
    """The hexagons of a metro with their nearest neighborhood, without those whose middle lies in water."""
    water = shapely.union_all([shapely.Polygon([(lon, lat) for lat, lon in outline]) for outline in metro.water])
    middles = np.array([(hood.lat, hood.lon) for hood in metro.neighborhoods])
    found: dict[str, int] = {}
    for hood in metro.neighborhoods:
        for cell in cells_around(cell_at(hood.lat, hood.lon), hood.rings):
            lat, lon = middle_of(cell)
            if cell not in found and not shapely.contains_xy(water, lon, lat):
                found[cell] = int(np.argmin(kilometers(middles[:, 0], middles[:, 1], lat, lon)))
    return found


def _catchment_slots(
    rng: np.random.Generator, metro_of: Ints, lat: Floats, lon: Floats, members: Ints
) -> NDArray[np.int32]:
    slots = np.empty((len(CATCHMENTS), len(metro_of), SLOTS), np.int32)
    for metro in np.unique(metro_of):
        (here,) = np.nonzero(metro_of == metro)
        (elsewhere,) = np.nonzero(metro_of != metro)
        apart = kilometers(lat[here, None], lon[here, None], lat[None, here], lon[None, here])
        for number, (reach, tourists) in enumerate(CATCHMENTS.values()):
            interest = members[here] * np.exp(-apart / reach)
            until = np.cumsum(interest, axis=1)
            until /= until[:, -1:]
            far = round(SLOTS * tourists) if len(elsewhere) else 0
            slots[number, here, : SLOTS - far] = here[_spread(until, SLOTS - far)]
            if far:
                odds = members[elsewhere] / members[elsewhere].sum()
                slots[number, here, SLOTS - far :] = rng.choice(elsewhere, (len(here), far), p=odds)
    return slots


def _spread(until: Floats, count: int) -> Ints:
    """Column numbers by row, each as often among `count` as its share; `until` are the shares, added up."""
    edges = np.rint(until * count).astype(np.int64)
    counts = np.diff(edges, axis=1, prepend=0)
    columns = np.tile(np.arange(len(until[0])), len(until))
    return np.repeat(columns, counts.ravel()).reshape(len(until), count)


def _shares(rng: np.random.Generator, usual: Sequence[float], change: Floats) -> Floats:
    """Shares that add up to 1, rounded to four places; the first takes what rounding leaves."""
    odds = np.array(usual) * np.exp(change + rng.normal(0, 0.12, change.shape))
    shares = np.asarray(np.round(odds / odds.sum(axis=1, keepdims=True), 4), np.float64)
    shares[:, 0] = np.round(1 - shares[:, 1:].sum(axis=1), 4)
    return shares
