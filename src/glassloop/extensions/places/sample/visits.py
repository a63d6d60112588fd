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
from glassloop.extensions.places.sample.runs import are_new, starts_of
from glassloop.extensions.places.sample.sites import NO, Sites
from glassloop.extensions.places.sample.steps import cut_steps
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
PERSON_BITS, VISITOR_BITS, SLOT_BITS, MINUTE_BITS = 17, 23, 9, 11


class Visitors(msgspec.Struct, frozen=True, kw_only=True):
    """Persons of the panel at a place in a month, each once, sorted by place, month and person."""

    place: Ints
    month: Ints
    person: Ints
    visits: Ints


class PackedVisitors(msgspec.Struct, frozen=True, kw_only=True):
    """The same in a quarter of the memory."""

    place: NDArray[np.int32]
    month: NDArray[np.int8]
    person: NDArray[np.int32]
    visits: NDArray[np.int8]

    def unpacked(self) -> Visitors:
        return Visitors(
            place=self.place.astype(np.int64),
            month=self.month.astype(np.int64),
            person=self.person.astype(np.int64),
            visits=self.visits.astype(np.int64),
        )


class Visits(msgspec.Struct, frozen=True, kw_only=True):
    """Visits of the panel, sorted by place, month and day."""

    starts: Ints
    """The first visit of each place and month."""
    visitor: NDArray[np.int32]
    """Its number among the visitors that they were drawn for."""
    day: NDArray[np.int16]
    minute: NDArray[np.int16]
    """Of the day, when it began."""
    dwell: NDArray[np.int16]
    """Whole minutes."""
    told_day: NDArray[np.int16]
    """The day that is published, in the same order."""
    told_panel: NDArray[np.int32]
    """Different visitors of the panel in the step that it was placed by."""


class PanelVisits(msgspec.Struct, frozen=True, kw_only=True):
    """Visitors and their visits, as figures are made of them: in groups of one place and month."""

    visitors: Visitors
    visits: Visits
    weight: Ints
    """How many people each visitor stands for."""
    visitor_starts: Ints
    """The first visitor of each group."""
    group_of_visitor: Ints
    group_of_visit: Ints
    weight_of_visit: Ints

    @classmethod
    def of(cls, visitors: Visitors, visits: Visits, people: People, months: int) -> "PanelVisits":
        starts, weight = (
            starts_of(visitors.place * months + visitors.month),
            people.weight[people.area_of[visitors.person]],
        )
        return cls(
            visitors=visitors,
            visits=visits,
            weight=weight,
            visitor_starts=starts,
            group_of_visitor=np.repeat(np.arange(len(starts)), np.diff(starts, append=len(weight))),
            group_of_visit=np.repeat(np.arange(len(visits.starts)), np.diff(visits.starts, append=len(visits.visitor))),
            weight_of_visit=weight[visits.visitor],
        )

    @property
    def starts(self) -> Ints:
        """The first visit of each group."""
        return self.visits.starts

    @property
    def panel(self) -> Ints:
        """Visitors of each group."""
        return np.diff(self.visitor_starts, append=len(self.weight))

    def groups(self, rows: Ints | None = None) -> dict[str, NDArray[np.generic]]:
        """The columns `place` and `month` of these groups; of all."""
        first = self.visitor_starts if rows is None else self.visitor_starts[rows]
        return {"place": self.visitors.place[first], "month": self.visitors.month[first]}


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """By place and month, of everybody."""

    visits: Ints
    visitors: Ints


def draw_visitors(
    tables: SampleTables, people: People, sites: Sites, monthly: Floats, seed: int
) -> tuple[list[PackedVisitors], Truth]:
    """Those of each metro, and the truth of all. `monthly`: expected visits by place and month."""
    rng = np.random.default_rng([seed, 5])
    catchment = np.array([list(CATCHMENTS).index(kind.catchment) for kind in tables.kinds])[sites.kind]
    frequency = np.array([kind.frequency for kind in tables.kinds])[sites.kind]
    weights = people.weight[people.slots[catchment, sites.area]].mean(axis=1)
    draw = _Draw(people, sites, catchment, rng)
    found, parts = list[PackedVisitors](), list[Truth]()
    for metro in range(len(tables.metros)):
        first, end = np.searchsorted(sites.metro, (metro, metro + 1))
        here = slice(first, end)
        visitors, truth = _of_metro(draw, first, monthly[here], weights[here], frequency[here], rng)
        found.append(visitors)
        parts.append(truth)
    truth = Truth(
        visits=np.concatenate([part.visits for part in parts]),
        visitors=np.concatenate([part.visitors for part in parts]),
    )
    return found, truth


def _of_metro(
    draw: "_Draw", first: int, monthly: Floats, weights: Floats, frequency: Floats, rng: np.random.Generator
) -> tuple[PackedVisitors, Truth]:
    """`first` is the number of the metro's first place."""
    months = monthly.shape[1]
    visitors = monthly / frequency[:, None]
    peak = np.maximum(visitors.max(axis=1), 1e-9)
    activity = visitors / peak[:, None]
    place = np.repeat(np.arange(len(monthly)), np.asarray(rng.poisson(REGULARS * peak / weights), np.int64))
    person = draw.persons(first + place, place)
    (row, month) = np.nonzero(rng.random((len(place), months), np.float32) < activity[place])
    chance = np.asarray(rng.poisson((1 - REGULARS) * visitors / weights[:, None]), np.int64).ravel()
    key = np.repeat(np.arange(chance.size), chance)
    occasional = draw.persons(first + key // months, key)
    keys = np.concatenate((place[row] * months + month, key)) << PERSON_BITS
    keys |= np.concatenate((person[row], occasional))
    keys.sort()
    keys = keys[are_new(keys)]
    group = keys >> PERSON_BITS
    found = PackedVisitors(
        place=(first + group // months).astype(np.int32),
        month=(group % months).astype(np.int8),
        person=(keys & ((1 << PERSON_BITS) - 1)).astype(np.int32),
        visits=np.minimum(rng.geometric(1 / frequency[group // months]), MAX_VISITS).astype(np.int8),
    )
    return found, _truth(found, group, visitors, peak, activity, weights, frequency, rng)


def _truth(
    found: PackedVisitors,
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
        # Sorted with their numbers, which takes less time than a stable sort of these.
        numbered = key << VISITOR_BITS | np.arange(len(key))
        numbered.sort()
        order = numbered & ((1 << VISITOR_BITS) - 1)
        key, place, area = numbered >> VISITOR_BITS, place[order], area[order]
        begins = starts_of(key)
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
    months = len(period.months)
    group = found.place * months + found.month
    shape = (demand.shape_of[found.place] * months + found.month) * DAY_SLOTS
    days = slots.reshape(-1)
    visitor = np.repeat(np.arange(len(found.place)), found.visits)
    errands = np.flatnonzero(rng.random(len(visitor), dtype=np.float32) < ERRANDS)
    at, of = rng.random(len(visitor)), visitor[errands]
    number = errands - (np.cumsum(found.visits) - found.visits)[of]
    at[errands] = _hashed(((found.person * months + found.month) << 6)[of] + number)
    slot = (at * DAY_SLOTS).astype(np.int64)
    weekday = period.weekday_of[days[shape[visitor] + slot]]
    minute = _minutes(_hours_of(tables, sites)[found.place][visitor], weekday, rng)
    keys = ((group[visitor] << SLOT_BITS | slot) << VISITOR_BITS | visitor) << MINUTE_BITS | minute
    keys.sort()
    visitor = keys >> MINUTE_BITS & ((1 << VISITOR_BITS) - 1)
    slot = keys >> (MINUTE_BITS + VISITOR_BITS) & (DAY_SLOTS - 1)
    first = shape[visitor]
    starts = starts_of(keys >> (MINUTE_BITS + VISITOR_BITS + SLOT_BITS))
    steps = cut_steps(starts, visitor)
    middle = np.log([kind.minutes for kind in tables.kinds]).astype(np.float32)
    usual = middle[sites.kind] + rng.normal(0, 0.12, sites.count).astype(np.float32)
    dwell = np.exp(usual[found.place][visitor] + 0.62 * rng.standard_normal(len(keys), dtype=np.float32))
    return Visits(
        starts=starts,
        visitor=visitor.astype(np.int32),
        day=days[first + slot],
        minute=(keys & ((1 << MINUTE_BITS) - 1)).astype(np.int16),
        dwell=np.clip(dwell, 1, 900).astype(np.int16),
        told_day=days[first + steps.spread(slot, slot)],
        told_panel=steps.panel,
    )


def _hours_of(tables: SampleTables, sites: Sites) -> Ints:
    """The number in `HOURS` of each place."""
    names = list(HOURS)
    return np.array([names.index(kind.hours) for kind in tables.kinds])[sites.kind]


def _minutes(profile: Ints, weekday: Ints, rng: np.random.Generator) -> Ints:
    """Of the day, by the number in `HOURS` and the weekday of each visit."""
    names = list(HOURS)
    slots = np.zeros((len(names), 7, HOUR_SLOTS), np.int16)
    for number, name in enumerate(names):
        for day in range(7):
            until = np.cumsum(hour_odds(name, day))
            if until[-1]:
                points = (np.arange(HOUR_SLOTS) + 0.5) / HOUR_SLOTS * until[-1]
                slots[number, day] = np.searchsorted(until, points, side="right")
    drawn = rng.integers(HOUR_SLOTS * 60, size=len(profile), dtype=np.int32)
    hour = slots.reshape(-1)[(profile * 7 + weekday) * HOUR_SLOTS + drawn // 60]
    return hour.astype(np.int64) * 60 + drawn % 60


def _hashed(keys: Ints) -> Floats:
    """Numbers from 0 to 1 that are the same for the same keys (SplitMix64)."""
    mixed = keys.astype(np.uint64)
    for factor, shift in ((0x9E3779B97F4A7C15, 30), (0xBF58476D1CE4E5B9, 27), (0x94D049BB133111EB, 31)):
        mixed *= np.uint64(factor)
        mixed ^= mixed >> np.uint64(shift)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
