"""Flows before and after visits, by the order of each person's visits of a day."""

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.views import HOME, WORK
from glassloop.extensions.places.sample.figures import Columns, rounded_minutes, starts_of, weighted_medians
from glassloop.extensions.places.sample.people import KM_A_DEGREE, Ints, People, kilometers
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.sites import Sites
from glassloop.extensions.places.sample.visits import Visits

LINKED_MINUTES = 120
"""A later visit that begins after more than this came from home again."""
KM_A_MINUTE = 0.45
MAX_MINUTES = 120
FROM_WORK = 0.35
INDEX_BITS, OTHER_BITS, MINUTE_BITS, WEIGHT_BITS = 25, 16, 8, 12


def end_names(sites: Sites) -> list[str]:
    """What the numbers in the column `other` mean, here and in overlaps: places by their number, then home and work."""
    return [*sites.ids, HOME, WORK]


def flows(
    visits: Visits, people: People, sites: Sites, period: SamplePeriod, weights: Ints, seed: list[int]
) -> Columns:
    rng = np.random.default_rng(seed)
    home, work = sites.count, sites.count + 1
    count = len(visits.place)
    before = np.full(count, home, np.int64)
    minutes = _way_home(visits, people, sites) + 4 * rng.standard_exponential(count, np.float32)
    at_work = (period.weekday_of[visits.day] < 5) & (visits.minute >= 10 * 60) & (visits.minute < 19 * 60)
    at_work &= rng.random(count, dtype=np.float32) < FROM_WORK
    before[at_work] = work
    minutes[at_work] = 4 + 9 * rng.standard_exponential(int(at_work.sum()), np.float32)
    after, minutes_after = before.copy(), minutes.copy()
    _link(visits, sites, (before, minutes), (after, minutes_after))
    parts = [
        _rows(visits, period, weights, other, rounded_minutes(np.minimum(gap, MAX_MINUTES)), is_before)
        for is_before, other, gap in ((False, after, minutes_after), (True, before, minutes))
    ]
    columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    months = len(period.months)
    order = np.argsort(
        (columns["place"].astype(np.int64) * months + columns["month"].astype(np.int64)) * 2
        + columns["direction"].astype(np.int64),
        kind="stable",
    )
    return {name: values[order] for name, values in columns.items()}


def _way_home(visits: Visits, people: People, sites: Sites) -> NDArray[np.float32]:
    """Minutes from the middle of the home area."""
    area = people.area_of[visits.person]
    stretch = np.cos(np.radians(sites.lat))
    north = people.lat.astype(np.float32)[area] - sites.lat.astype(np.float32)[visits.place]
    east = people.lon.astype(np.float32)[area] - sites.lon.astype(np.float32)[visits.place]
    east *= stretch.astype(np.float32)[visits.place]
    return 3 + np.sqrt(north * north + east * east) * np.float32(KM_A_DEGREE / KM_A_MINUTE)


def _link(
    visits: Visits, sites: Sites, before: tuple[Ints, NDArray[np.float32]], after: tuple[Ints, NDArray[np.float32]]
) -> None:
    """Ties each visit to the next one of the same person and day."""
    keys = ((visits.person.astype(np.int64) << 10 | visits.day) << 11 | visits.minute) << INDEX_BITS
    keys |= np.arange(len(visits.place))
    keys.sort()
    index = keys & ((1 << INDEX_BITS) - 1)
    same = np.flatnonzero(np.diff(keys >> (INDEX_BITS + 11)) == 0)
    one, other = index[same], index[same + 1]
    gap = visits.minute[other] - visits.minute[one] - visits.dwell[one]
    linked = (gap <= LINKED_MINUTES) & (visits.place[one] != visits.place[other])
    one, other, gap = one[linked], other[linked], gap[linked]
    here, there = visits.place[one], visits.place[other]
    travel = 1 + kilometers(sites.lat[here], sites.lon[here], sites.lat[there], sites.lon[there]) / KM_A_MINUTE
    minutes = np.maximum(travel, gap)
    before[0][other], before[1][other] = here, minutes
    after[0][one], after[1][one] = there, minutes


def _rows(visits: Visits, period: SamplePeriod, weights: Ints, other: Ints, minutes: Ints, is_before: bool) -> Columns:
    months = len(period.months)
    packed = (visits.place.astype(np.int64) * months + period.month_of[visits.day]) << OTHER_BITS | other
    packed = (packed << MINUTE_BITS | minutes) << WEIGHT_BITS | weights
    packed.sort()
    keys = packed >> (MINUTE_BITS + WEIGHT_BITS)
    starts = starts_of(keys)
    weight = packed & ((1 << WEIGHT_BITS) - 1)
    rest = keys[starts] >> OTHER_BITS
    return {
        "place": rest // months,
        "month": rest % months,
        "direction": np.full(len(starts), is_before, np.int64),
        "other": keys[starts] & ((1 << OTHER_BITS) - 1),
        "visits": np.add.reduceat(weight, starts),
        "minutes_median": weighted_medians(starts, packed >> WEIGHT_BITS & ((1 << MINUTE_BITS) - 1), weight).astype(
            float
        ),
    }
