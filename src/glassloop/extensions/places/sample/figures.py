"""The figures of the views that have one row for a place and a month, a day, an hour, a bucket or a home area."""

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.views import BUCKET_ENDS, BUCKETS, HOURS_OF_WEEK
from glassloop.extensions.places.sample.people import Floats, Ints, People
from glassloop.extensions.places.sample.period import Period
from glassloop.extensions.places.sample.visits import MAX_VISITS, Visitors, Visits

Columns = dict[str, NDArray[np.generic]]
"""Of a view; `place`, `month`, `day`, `area` and `other` are numbers, which the writer turns into ids and dates."""

AREA_BITS, VISIT_BITS = 13, 6
INDEX_BITS, DWELL_BITS = 25, 10
CHUNK = 2_000
"""Places at once where a table of all hours of the week is laid out."""


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


def monthly(visits: Visits, visitors: Visitors, people: People, period: Period, weights: Ints) -> Columns:
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


def hourly(visits: Visits, period: Period, weights: Ints, places: int) -> Columns:
    hour = period.weekday_of[visits.day] * 24 + visits.minute // 60
    months = len(period.months)
    parts: list[tuple[Ints, Ints]] = []
    for first in range(0, places, CHUNK):
        low, high = np.searchsorted(visits.place, (first, first + CHUNK))
        key = (
            (visits.place[low:high] - first) * np.int64(months) + period.month_of[visits.day[low:high]]
        ) * HOURS_OF_WEEK
        total = np.bincount(key + hour[low:high], weights[low:high])
        (there,) = np.nonzero(total)
        parts.append((there + first * months * HOURS_OF_WEEK, total[there].astype(np.int64)))
    keys, total = (np.concatenate(each) for each in zip(*parts, strict=True))
    rest = keys // HOURS_OF_WEEK
    return {
        "place": rest // months,
        "month": rest % months,
        "hour_of_week": (keys % HOURS_OF_WEEK).astype(np.int16),
        "visits": total,
    }


def dwell(visits: Visits, period: Period, weights: Ints) -> Columns:
    """`bucket` is a number; within a month in the order of the names, as the file is sorted by them."""
    names = np.argsort(np.argsort(BUCKETS))
    bucket = names[np.searchsorted(BUCKET_ENDS, visits.dwell, side="right")]
    months = len(period.months)
    keys = (visits.place.astype(np.int64) * months + period.month_of[visits.day]) * len(BUCKETS) + bucket
    total = np.bincount(keys, weights)
    (there,) = np.nonzero(total)
    rest = there // len(BUCKETS)
    return {
        "place": rest // months,
        "month": rest % months,
        "bucket": np.argsort(BUCKETS)[there % len(BUCKETS)],
        "visits": total[there].astype(np.int64),
    }


def homes(visitors: Visitors, people: People, period: Period, rank: Ints) -> Columns:
    """`rank`: the place of each hexagon in the order of their ids."""
    (known,) = np.nonzero(people.known[visitors.person])
    area = people.area_of[visitors.person[known]]
    months = len(period.months)
    keys = (visitors.place[known] * months + visitors.month[known]) << AREA_BITS | rank[area]
    packed = keys << VISIT_BITS | np.minimum(visitors.visits[known], MAX_VISITS)
    packed.sort()
    keys = packed >> VISIT_BITS
    starts = starts_of(keys)
    area_of_rank = np.argsort(rank)
    where = area_of_rank[keys & ((1 << AREA_BITS) - 1)]
    weights = people.weight[where]
    rest = keys[starts] >> AREA_BITS
    return {
        "place": rest // months,
        "month": rest % months,
        "area": where[starts],
        "visits": np.add.reduceat(weights * (packed & MAX_VISITS), starts),
        "visitors": np.add.reduceat(weights, starts),
    }


def overlap(visitors: Visitors, people: People, period: Period, least: int) -> Columns:
    """Pairs of places that share at least so many persons of the panel in a month, in both directions."""
    months = len(period.months)
    order = (visitors.person * months + visitors.month) << 15 | visitors.place
    order.sort()
    group, place = order >> 15, order & 32_767
    weight = people.weight[people.area_of[group // months]]
    pairs: list[Ints] = []
    step = 1
    while (same := np.flatnonzero(group[step:] == group[:-step])).size:
        month = group[same] % months
        pairs.append(((month << 15 | place[same]) << 15 | place[same + step]) << 12 | np.minimum(weight[same], 4_095))
        step += 1
    packed = np.concatenate(pairs) if pairs else np.zeros(0, np.int64)
    packed.sort()
    keys = packed >> 12
    starts = starts_of(keys)
    count = np.diff(starts, append=len(keys))
    total = np.add.reduceat(packed & 4_095, starts) if len(starts) else starts
    (often,) = np.nonzero(count >= least)
    key, total = keys[starts[often]], total[often]
    month, one, other = key >> 30, key >> 15 & 32_767, key & 32_767
    both = [np.concatenate(each) for each in ((one, other), (other, one), (month, month), (total, total))]
    sort = np.lexsort((both[1], both[2], both[0]))
    return dict(zip(("place", "other", "month", "shared_visitors"), (each[sort] for each in both), strict=True))


def rounded_minutes(values: Floats) -> Ints:
    return np.clip(np.rint(values), 1, 180).astype(np.int64)
