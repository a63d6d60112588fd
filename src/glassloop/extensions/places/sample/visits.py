"""Visitors of each place and month, their visits, and the truth about everybody.

The panel's visits are drawn one by one. Those of everybody else are drawn from the same distributions as numbers by
place and month: together they are the truth that estimates are judged by.
"""

import msgspec
import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.sample.demand import DAY_SLOTS, DaySlots, Demand
from glassloop.extensions.places.sample.people import CATCHMENTS, SLOTS, Floats, Ints, People
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.rhythms import HOURS, hour_odds
from glassloop.extensions.places.sample.sites import NO, Sites
from glassloop.extensions.places.sample.tables import SampleTables

REGULARS = 0.5
"""Of the visitors of a month, those that come to this place again and again."""
ERRANDS = 0.25
"""Of the visits, those on one of the days on which somebody does several errands."""
MAX_VISITS = 63
"""Of one person to one place in a month."""
GROUPS = 7
"""Circles of people who like the same places."""
HOUR_SLOTS = 256
PERSON_BITS, DAY_BITS, MINUTE_BITS = 17, 10, 11


class Visitors(msgspec.Struct, frozen=True, kw_only=True):
    """Persons of the panel at a place in a month, each once, sorted by place, month and person."""

    place: Ints
    month: Ints
    person: Ints
    visits: Ints

    def between(self, first: int, end: int) -> "Visitors":
        """Those of these places, by number."""
        low, high = np.searchsorted(self.place, (first, end))
        return Visitors(
            place=self.place[low:high],
            month=self.month[low:high],
            person=self.person[low:high],
            visits=self.visits[low:high],
        )


class Visits(msgspec.Struct, frozen=True, kw_only=True):
    """Visits of the panel, sorted by place, day and person."""

    place: NDArray[np.int32]
    day: NDArray[np.int32]
    person: NDArray[np.int32]
    minute: NDArray[np.int32]
    """Of the day, when it began."""
    dwell: NDArray[np.int32]
    """Whole minutes."""


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """By place and month, of everybody."""

    visits: Ints
    visitors: Ints


def draw_visitors(
    tables: SampleTables, people: People, sites: Sites, monthly: Floats, seed: int
) -> tuple[Visitors, Truth]:
    """`monthly`: expected visits by place and month."""
    rng = np.random.default_rng([seed, 5])
    catchment = np.array([list(CATCHMENTS).index(kind.catchment) for kind in tables.kinds])[sites.kind]
    frequency = np.array([kind.frequency for kind in tables.kinds])[sites.kind]
    weights = people.weight[people.slots[catchment, sites.area]].mean(axis=1)
    visitors = monthly / frequency[:, None]
    peak = np.maximum(visitors.max(axis=1), 1e-9)
    activity = visitors / peak[:, None]

    regulars = _Draw(people, sites, catchment, rng)
    place = np.repeat(np.arange(sites.count), np.asarray(rng.poisson(REGULARS * peak / weights), np.int64))
    person = regulars.persons(place, place)
    (row, month) = np.nonzero(rng.random((len(place), monthly.shape[1])) < activity[place])
    chance = np.asarray(rng.poisson((1 - REGULARS) * visitors / weights[:, None]), np.int64).ravel()
    key = np.repeat(np.arange(chance.size), chance)
    occasional = regulars.persons(key // monthly.shape[1], key)
    keys = np.concatenate((place[row] * monthly.shape[1] + month, key)) << PERSON_BITS
    keys |= np.concatenate((person[row], occasional))
    keys.sort()
    keys = keys[np.diff(keys, prepend=-1) != 0]
    place_month = keys >> PERSON_BITS
    found = Visitors(
        place=place_month // monthly.shape[1],
        month=place_month % monthly.shape[1],
        person=keys & ((1 << PERSON_BITS) - 1),
        visits=np.minimum(rng.geometric(1 / frequency[place_month // monthly.shape[1]]), MAX_VISITS),
    )
    return found, _truth(found, place_month, visitors, peak, activity, weights, frequency, rng)


def _truth(
    found: Visitors,
    place_month: Ints,
    visitors: Floats,
    peak: Floats,
    activity: Floats,
    weights: Floats,
    frequency: Floats,
    rng: np.random.Generator,
) -> Truth:
    """The panel's own and those of the others."""
    unseen = (1 - 1 / weights)[:, None]
    regulars = rng.poisson(REGULARS * peak * unseen[:, 0])
    others = rng.binomial(regulars[:, None], activity) + rng.poisson((1 - REGULARS) * visitors * unseen)
    more = rng.negative_binomial(np.maximum(others, 1), 1 / frequency[:, None])
    panel = np.bincount(place_month, minlength=visitors.size).reshape(visitors.shape)
    panel_visits = np.bincount(place_month, found.visits, minlength=visitors.size).reshape(visitors.shape)
    return Truth(
        visits=(panel_visits + others + np.where(others > 0, more, 0)).astype(np.int64),
        visitors=(panel + others).astype(np.int64),
    )


class _Draw:
    """Draws persons of the panel for places. Those of one place and month are different, as far as there are enough:
    the members of a hexagon are counted through from a point that places of one circle have in common."""

    def __init__(self, people: People, sites: Sites, catchment: Ints, rng: np.random.Generator) -> None:
        self._people, self._rng = people, rng
        self._slots = people.slots.reshape(-1, SLOTS)
        self._row = catchment * len(people.cells) + sites.area
        leader = np.where(sites.parent == NO, np.arange(sites.count), sites.parent)
        self._circle = rng.integers(GROUPS, size=sites.count)[leader]
        self._start = rng.random((GROUPS, len(people.cells)))
        self._shift = 0.4 * rng.random(sites.count)[leader]
        self._taken = np.zeros(sites.count * len(people.cells), np.uint8)

    def persons(self, place: Ints, group: Ints) -> Ints:
        """One for each row; rows of one group are different, and none is among those of earlier calls for the place."""
        people = self._people
        areas = len(people.cells)
        area = self._slots[self._row[place], self._rng.integers(SLOTS, size=len(place))].astype(np.int64)
        key = group * areas + area
        order = np.argsort(key, kind="stable")
        key, place, area = key[order], place[order], area[order]
        begins = np.flatnonzero(np.diff(key, prepend=-1))
        counts = np.diff(begins, append=len(key))
        rank = np.arange(len(key)) - np.repeat(begins, counts)
        size = people.members[area]
        cell = place * areas + area
        taken = self._taken[cell].astype(np.int64)
        room = np.maximum(0, size - taken - np.repeat(counts, counts))
        gap = (np.repeat(self._rng.random(len(begins)), counts) * (room + 1)).astype(np.int64) * (taken > 0)
        start = ((self._start[self._circle[place], area] + self._shift[place]) * size).astype(np.int64)
        person = np.empty(len(key), np.int64)
        person[order] = people.first[area] + (start + taken + gap + rank) % size
        self._taken[cell[begins]] = np.minimum(255, taken[begins] + counts)
        return person


def draw_visits(
    tables: SampleTables,
    sites: Sites,
    found: Visitors,
    demand: Demand,
    slots: DaySlots,
    period: SamplePeriod,
    seed: list[int],
) -> Visits:
    """The days, hours and lengths of the visits of these visitors."""
    rng = np.random.default_rng(seed)
    row = np.repeat(np.arange(len(found.place)), found.visits)
    number = np.arange(len(row)) - np.repeat(np.cumsum(found.visits) - found.visits, found.visits)
    at = _hashed(((found.person[row] * len(period.months) + found.month[row]) << 6) + number)
    at = np.where(rng.random(len(row), dtype=np.float32) < ERRANDS, at, rng.random(len(row)))
    place, person = found.place[row], found.person[row]
    slot = (at * DAY_SLOTS).astype(np.int64)
    slot += (demand.shape_of[found.place] * len(period.months) + found.month)[row] * DAY_SLOTS
    day = slots.reshape(-1)[slot].astype(np.int64)
    minute = _minutes(tables, sites, place, period.weekday_of[day], rng)
    keys = ((place << DAY_BITS | day) << PERSON_BITS | person) << MINUTE_BITS | minute
    keys.sort()
    place = (keys >> (DAY_BITS + PERSON_BITS + MINUTE_BITS)).astype(np.int32)
    middle = np.log([kind.minutes for kind in tables.kinds]).astype(np.float32)
    usual = middle[sites.kind] + rng.normal(0, 0.12, sites.count).astype(np.float32)
    dwell = np.exp(usual[place] + 0.62 * rng.standard_normal(len(keys), dtype=np.float32))
    return Visits(
        place=place,
        day=(keys >> (PERSON_BITS + MINUTE_BITS) & ((1 << DAY_BITS) - 1)).astype(np.int32),
        person=(keys >> MINUTE_BITS & ((1 << PERSON_BITS) - 1)).astype(np.int32),
        minute=(keys & ((1 << MINUTE_BITS) - 1)).astype(np.int32),
        dwell=np.clip(dwell, 1, 900).astype(np.int32),
    )


def _minutes(tables: SampleTables, sites: Sites, place: Ints, weekday: Ints, rng: np.random.Generator) -> Ints:
    names = list(HOURS)
    slots = np.zeros((len(names), 7, HOUR_SLOTS), np.int16)
    for number, name in enumerate(names):
        for day in range(7):
            until = np.cumsum(hour_odds(name, day))
            if until[-1]:
                points = (np.arange(HOUR_SLOTS) + 0.5) / HOUR_SLOTS * until[-1]
                slots[number, day] = np.searchsorted(until, points, side="right")
    profile = np.array([names.index(kind.hours) for kind in tables.kinds])[sites.kind]
    drawn = rng.integers(HOUR_SLOTS * 60, size=len(place), dtype=np.int32)
    hour = slots.reshape(-1)[(profile[place] * 7 + weekday) * HOUR_SLOTS + drawn // 60]
    return hour.astype(np.int64) * 60 + drawn % 60


def _hashed(keys: Ints) -> Floats:
    """Numbers from 0 to 1 that are the same for the same keys (SplitMix64)."""
    mixed = keys.astype(np.uint64)
    for factor, shift in ((0x9E3779B97F4A7C15, 30), (0xBF58476D1CE4E5B9, 27), (0x94D049BB133111EB, 31)):
        mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(shift)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
