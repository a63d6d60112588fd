"""The figures of the views that have one row for a place and a month, a day, an hour, a bucket or a home area."""

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.estimates import MIN_PANEL
from glassloop.extensions.places.data_set.views import BUCKET_ENDS, BUCKETS, HOURS_OF_WEEK
from glassloop.extensions.places.sample.people import Ints, People
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.visits import Visitors, Visits

Columns = dict[str, NDArray[np.generic]]
"""Of a view; `place`, `month`, `day`, `area` and `other` are numbers, which the writer turns into ids and dates."""

AREA_BITS, VISIT_BITS = 13, 6
INDEX_BITS, DWELL_BITS = 25, 10
PLACE_BITS, WEIGHT_BITS, HASH_BITS = 15, 12, 24


def starts_of(keys: NDArray[np.integer]) -> Ints:
    """Where each run of equal keys begins."""
    return np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1)) if len(keys) else np.zeros(0, np.int64)


def weighted_medians(starts: Ints, values: NDArray[np.integer], weights: Ints) -> Ints:
    """The median of each run, of values that are sorted within it."""
    if not len(starts):
        return np.zeros(0, np.int64)
    until = np.cumsum(weights)
    before = until[starts] - weights[starts]
    total = np.append(before[1:], until[-1]) - before
    return values[np.searchsorted(until, before + (total + 1) // 2)].astype(np.int64)


def daily(visits: Visits, weights: Ints) -> Columns:
    keys = visits.place.astype(np.int64) << 10 | visits.day
    starts = starts_of(keys)
    new = np.diff(visits.person, prepend=-1) != 0
    new[starts] = True
    return {
        "place": visits.place[starts],
        "day": visits.day[starts],
        "visits": np.add.reduceat(weights, starts),
        "visitors": np.add.reduceat(weights * new, starts),
    }


def monthly(visits: Visits, visitors: Visitors, people: People, period: SamplePeriod, weights: Ints) -> Columns:
    months = len(period.months)
    keys = visits.place.astype(np.int64) * months + period.month_of[visits.day]
    starts = starts_of(keys)
    total = np.add.reduceat(weights, starts)
    key_of_visitor = visitors.place * months + visitors.month
    visitor_starts = starts_of(key_of_visitor)
    persons = np.add.reduceat(people.weight[people.area_of[visitors.person]], visitor_starts)
    order = (keys << DWELL_BITS | visits.dwell) << INDEX_BITS | np.arange(len(keys))
    order.sort()
    median = weighted_medians(
        starts, order >> INDEX_BITS & ((1 << DWELL_BITS) - 1), weights[order & ((1 << INDEX_BITS) - 1)]
    )
    return {
        "place": visits.place[starts],
        "month": keys[starts] % months,
        "visits": total,
        "visitors": persons,
        "dwell_median": median.astype(np.float64),
        "dwell_mean": np.round(np.add.reduceat(weights * visits.dwell, starts) / total, 2),
        "frequency": np.round(total / persons, 4),
        "panel_visits": np.diff(starts, append=len(keys)),
        "panel_visitors": np.diff(visitor_starts, append=len(key_of_visitor)),
    }


def hourly(visits: Visits, period: SamplePeriod, weights: Ints) -> Columns:
    months = len(period.months)
    packed = visits.place.astype(np.int64) * months + period.month_of[visits.day]
    packed = packed * HOURS_OF_WEEK + period.weekday_of[visits.day] * 24 + visits.minute // 60
    packed = packed << WEIGHT_BITS | weights
    packed.sort()
    keys = packed >> WEIGHT_BITS
    starts = starts_of(keys)
    keys = keys[starts]
    rest = keys // HOURS_OF_WEEK
    return {
        "place": rest // months,
        "month": rest % months,
        "hour_of_week": (keys % HOURS_OF_WEEK).astype(np.int16),
        "visits": np.add.reduceat(packed & ((1 << WEIGHT_BITS) - 1), starts),
    }


def dwell(visits: Visits, period: SamplePeriod, weights: Ints) -> Columns:
    """`bucket` is the number of its name; rows of a month are in the order of the names."""
    by_name = np.argsort(BUCKETS)
    bucket = np.argsort(by_name)[np.searchsorted(BUCKET_ENDS, visits.dwell, side="right")]
    months, first = len(period.months), visits.place[:1].astype(np.int64).sum()
    keys = ((visits.place - first) * months + period.month_of[visits.day]) * len(BUCKETS) + bucket
    total = np.bincount(keys, weights)
    (there,) = np.nonzero(total)
    rest = there // len(BUCKETS)
    return {
        "place": rest // months + first,
        "month": rest % months,
        "bucket": by_name[there % len(BUCKETS)],
        "visits": total[there].astype(np.int64),
    }


def homes(visitors: Visitors, people: People, period: SamplePeriod) -> Columns:
    """Of members whose home is known. Hexagons are numbered in the order of their ids."""
    (known,) = np.nonzero(people.known[visitors.person])
    months = len(period.months)
    keys = visitors.place[known] * months + visitors.month[known]
    packed = (keys << AREA_BITS | people.area_of[visitors.person[known]]) << VISIT_BITS | visitors.visits[known]
    packed.sort()
    keys = packed >> VISIT_BITS
    starts = starts_of(keys)
    area = keys & ((1 << AREA_BITS) - 1)
    weights = people.weight[area]
    rest = keys[starts] >> AREA_BITS
    return {
        "place": rest // months,
        "month": rest % months,
        "area": area[starts],
        "visits": np.add.reduceat(weights * (packed & ((1 << VISIT_BITS) - 1)), starts),
        "visitors": np.add.reduceat(weights, starts),
    }


def overlap(visitors: Visitors, people: People, period: SamplePeriod, least: int) -> Columns:
    """Pairs of places that share at least so many persons of the panel in a month, in both directions."""
    months = len(period.months)
    count = np.bincount(visitors.place * months + visitors.month)
    enough = count[visitors.place * months + visitors.month] >= MIN_PANEL
    order = (visitors.person[enough] * months + visitors.month[enough]) << PLACE_BITS | visitors.place[enough]
    order.sort()
    group, place = order >> PLACE_BITS, order & ((1 << PLACE_BITS) - 1)
    weight = people.weight[people.area_of[group // months]]
    first = (group % months << PLACE_BITS | place) << (PLACE_BITS + WEIGHT_BITS) | weight
    second = place << WEIGHT_BITS
    pairs = [np.zeros(0, np.int64)]
    step, same = 1, np.flatnonzero(np.diff(group) == 0)
    while same.size:
        pairs.append(first[same] | second[same + step])
        step += 1
        same = same[same + step < len(group)]
        same = same[group[same + step] == group[same]]
    packed = _frequent(np.concatenate(pairs), least)
    packed.sort()
    keys = packed >> WEIGHT_BITS
    starts = starts_of(keys)
    often = np.diff(starts, append=len(keys)) >= least
    total = np.add.reduceat(packed & ((1 << WEIGHT_BITS) - 1), starts)[often] if len(starts) else starts
    key = keys[starts[often]]
    month, one, other = (
        key >> (2 * PLACE_BITS),
        key >> PLACE_BITS & ((1 << PLACE_BITS) - 1),
        key & ((1 << PLACE_BITS) - 1),
    )
    both = [np.concatenate(each) for each in ((one, other), (other, one), (month, month), (total, total))]
    sort = np.argsort((both[0] * months + both[2]) << PLACE_BITS | both[1])
    return dict(zip(("place", "other", "month", "shared_visitors"), (each[sort] for each in both), strict=True))


def _frequent(packed: Ints, least: int) -> Ints:
    """Without most of the pairs that are there fewer than so many times: most are there once, and sorting all would
    take longer."""
    mixed = (packed >> WEIGHT_BITS).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    drawer = (mixed >> np.uint64(64 - HASH_BITS)).astype(np.int64)
    return packed[np.bincount(drawer, minlength=1)[drawer] >= least]


def rounded_minutes(values: NDArray[np.float32]) -> Ints:
    return np.clip(np.rint(values), 1, 180).astype(np.int64)
