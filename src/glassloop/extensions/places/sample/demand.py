"""The expected visits of each place: the truth that people then follow by chance.

Places of a category and metro share the shape of their days; one that opened, closed, lost visits to a new store or has
a story of its own has its own.
"""

from datetime import date

import msgspec
import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.sample.people import Floats, Ints, kilometers
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.rhythms import day_factors
from glassloop.extensions.places.sample.sites import NO, Sites, chain_list
from glassloop.extensions.places.sample.tables import SampleTables

DAYS_A_MONTH = 30.4
RAMP_DAYS = 60
"""So long a new place takes until everybody knows it."""
LOST_AT_ONCE, LOST_KM, MAX_LOST_KM = 0.42, 1.3, 3.0
"""What a new store takes from another of its chain at its door, how fast that falls with the distance, and where it
ends."""
DECLINE = 0.6
"""What a mall in decline loses over the whole period."""
DAY_SLOTS = 512
"""The days of a month are drawn from so many slots."""
_MATCHES = {
    "summer": ((4, 5, 6, 7, 8, 9), 0.45),
    "autumn": ((9, 10, 11, 12), 0.09),
    "winter": ((10, 11, 12, 1, 2, 3, 4), 0.24),
}
"""Months with matches, and the share of their days."""
_NO_MATCH = 0.012

DaySlots = NDArray[np.int16]
"""By shape, month and slot: the number of the day, each as often as its share of the month."""


class Demand(msgspec.Struct, frozen=True, kw_only=True):
    """What is expected of each place."""

    shapes: Floats
    """Visits by shape and day, where the average place has 1 on the average day."""
    shape_of: Ints
    """The shape of each place."""
    monthly: Floats
    """Visits by place and month."""

    def day_slots(self, period: SamplePeriod) -> DaySlots:
        slots = np.zeros((len(self.shapes), len(period.months), DAY_SLOTS), np.int16)
        for month, (start, end) in enumerate(zip(period.starts[:-1], period.starts[1:], strict=True)):
            until = np.cumsum(self.shapes[:, start:end], axis=1)
            until /= np.maximum(until[:, -1:], 1e-9)
            edges = np.rint(until * DAY_SLOTS).astype(np.int64)
            edges[:, -1] = DAY_SLOTS
            counts = np.diff(edges, axis=1, prepend=0)
            days = np.broadcast_to(np.arange(start, end, dtype=np.int16), counts.shape)
            slots[:, month] = np.repeat(days.ravel(), counts.ravel()).reshape(len(slots), DAY_SLOTS)
        return slots


def make_demand(tables: SampleTables, sites: Sites, period: SamplePeriod, seed: int) -> Demand:
    rng = np.random.default_rng([seed, 4])
    days, metros = period.days, len(tables.metros)
    kinds = np.array([day_factors(days, kind.hours, kind.week, kind.season) for kind in tables.kinds])
    weather = rng.lognormal(0, 0.05, (metros, len(days)))
    usual = (kinds[:, None] * weather).reshape(-1, len(days))
    shape_of = sites.kind * metros + sites.metro
    changes = _changes(tables, sites, days, rng)
    own = np.array(sorted(changes), np.int64)
    shapes = np.concatenate(
        (usual, usual[shape_of[own]] * np.array([changes[place] for place in own]).reshape(-1, len(days)))
    )
    # Many begin or end within a month: the last day with people then has the rest of its slots.
    shape_of[own] = np.arange(len(usual), len(shapes))
    base = np.array([kind.visits for kind in tables.kinds])[sites.kind] * sites.size / DAYS_A_MONTH
    growth = np.exp(np.outer(rng.normal(0.01, 0.07, sites.count), np.arange(len(period.months)) / 12))
    monthly = np.add.reduceat(shapes, period.starts[:-1], axis=1)[shape_of] * growth * base[:, None]
    return Demand(shapes=shapes, shape_of=shape_of, monthly=monthly)


def _changes(tables: SampleTables, sites: Sites, days: list[date], rng: np.random.Generator) -> dict[int, Floats]:
    """Factors by day of the places that differ from others of their kind."""
    time = np.arange(len(days))
    changes: dict[int, Floats] = {}

    def change(place: int, factors: Floats) -> None:
        changes[place] = changes.get(place, np.ones(len(days))) * factors

    for place, story in enumerate(sites.stories):
        if story == "decline":
            for each in (place, *np.flatnonzero(sites.parent == place)):
                change(int(each), np.linspace(1, 1 - DECLINE, len(days)))
        elif story:
            change(place, _match_days(story, days, rng))
    sundays = np.array([0.0 if day.weekday() == 6 else 7 / 6 for day in days])
    closed = [number for number, (name, _) in enumerate(chain_list(tables)) if name in tables.closed_on_sundays]
    for place in np.flatnonzero(np.isin(sites.chain, closed)):
        change(int(place), sundays)
    for place in np.flatnonzero(sites.opened != NO):
        ramp = np.clip(0.45 + 0.55 * (time - sites.opened[place]) / RAMP_DAYS, 0, 1)
        change(int(place), np.where(time < sites.opened[place], 0, ramp))
        for sister, lost in _losses(sites, int(place)):
            change(sister, np.where(time < sites.opened[place], 1, 1 - lost))
    for place in np.flatnonzero(sites.closed != NO):
        change(int(place), np.where(time > sites.closed[place], 0.0, 1.0))
    return changes


def _match_days(story: str, days: list[date], rng: np.random.Generator) -> Floats:
    months, share = _MATCHES[story.split()[0]]
    likely = np.array([share * (1.6 if day.weekday() >= 4 else 0.7) if day.month in months else 0 for day in days])
    match = np.where(rng.random(len(days)) < likely, 1.0, _NO_MATCH)
    return match / match.mean()


def _losses(sites: Sites, new: int) -> list[tuple[int, float]]:
    """What a new store of a chain takes from those of the chain around it."""
    if sites.chain[new] == NO:
        return []
    (sisters,) = np.nonzero((sites.chain == sites.chain[new]) & (sites.metro == sites.metro[new]))
    apart = kilometers(sites.lat[sisters], sites.lon[sisters], sites.lat[new], sites.lon[new])
    lost = LOST_AT_ONCE * np.exp(-apart / LOST_KM)
    near = (apart < MAX_LOST_KM) & (sisters != new)
    return [(int(sister), float(share)) for sister, share in zip(sisters[near], lost[near], strict=True)]
