"""The figures of the views that have one row for a place and a month, a day, an hour, a bucket or a home area."""

import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.estimates import MIN_PANEL
from glassloop.extensions.places.data_set.views import BUCKET_ENDS, BUCKETS, HOURS_OF_WEEK
from glassloop.extensions.places.sample.people import Ints, People
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.rhythms import WeekSlots
from glassloop.extensions.places.sample.runs import starts_of
from glassloop.extensions.places.sample.steps import cut_steps
from glassloop.extensions.places.sample.suppression import suppressed_pairs, suppressed_parts
from glassloop.extensions.places.sample.visits import VISITOR_BITS, PanelVisits, Visitors

Columns = dict[str, NDArray[np.generic]]
"""Of a view; `place`, `month`, `day`, `area` and `other` are numbers, which the writer turns into ids and dates."""

AREA_BITS, VISIT_BITS, HOUR_BITS, BUCKET_BITS = 13, 6, 8, 3
DWELL_BITS = 10
PLACE_BITS, WEIGHT_BITS, HASH_BITS = 15, 12, 22
LOOK_BACK = 3
VISITOR_MASK, HOUR_MASK, BUCKET_MASK = (1 << VISITOR_BITS) - 1, (1 << HOUR_BITS) - 1, (1 << BUCKET_BITS) - 1


def weighted_medians(starts: Ints, values: NDArray[np.integer], weights: Ints) -> Ints:
    """The median of each run, of values that are sorted within it."""
    if not len(starts):
        return np.zeros(0, np.int64)
    until = np.cumsum(weights)
    before = until[starts] - weights[starts]
    total = np.append(before[1:], until[-1]) - before
    return values[np.searchsorted(until, before + (total + 1) // 2)].astype(np.int64)


def daily(seen: PanelVisits) -> Columns:
    visits = seen.visits
    place = seen.visitors.place[visits.visitor]
    keys = place << 10 | visits.told_day
    starts = starts_of(keys)
    weights = seen.weight_of_visit
    new = np.ones(len(keys), bool)
    for back in range(1, min(LOOK_BACK + 1, len(keys))):
        # Whoever comes twice on a day is nearly always next to themselves.
        new[back:] &= (visits.visitor[back:] != visits.visitor[:-back]) | (keys[back:] != keys[:-back])
    panel = np.minimum.reduceat(visits.told_panel, starts)
    most = np.add.reduceat(seen.weight, seen.visitor_starts)[seen.group_of_visit[starts]]
    return {
        "place": place[starts],
        "day": visits.told_day[starts],
        "visits": np.add.reduceat(weights, starts),
        "visitors": np.minimum(np.add.reduceat(weights * new, starts), most),
        "panel_visitors": panel,
        "suppressed": panel < MIN_PANEL,
    }


def monthly(seen: PanelVisits) -> Columns:
    visits, starts = seen.visits, seen.starts
    weights = seen.weight_of_visit
    total = np.add.reduceat(weights, starts)
    persons = np.add.reduceat(seen.weight, seen.visitor_starts)
    order = (seen.group_of_visit << DWELL_BITS | visits.dwell) << VISITOR_BITS | visits.visitor
    order.sort()
    median = weighted_medians(
        starts, order >> VISITOR_BITS & ((1 << DWELL_BITS) - 1), seen.weight[order & VISITOR_MASK]
    )
    return {
        **seen.groups(),
        "visits": total,
        "visitors": persons,
        "dwell_median": median.astype(np.float64),
        "dwell_mean": np.round(np.add.reduceat(weights * visits.dwell, starts) / total, 2),
        "frequency": np.round(total / persons, 4),
        "panel_visits": np.diff(starts, append=len(weights)),
        "panel_visitors": seen.panel,
        "suppressed": seen.panel < MIN_PANEL,
    }


def hourly(seen: PanelVisits, period: SamplePeriod, week: WeekSlots, profile: Ints) -> Columns:
    """`profile` of each place is its number in `week`."""
    visits = seen.visits
    hour = period.weekday_of[visits.day] * 24 + visits.minute // 60
    packed = (seen.group_of_visit << HOUR_BITS | hour) << VISITOR_BITS | visits.visitor
    packed.sort()
    visitor = packed & VISITOR_MASK
    packed >>= VISITOR_BITS
    steps = cut_steps(seen.starts, visitor)
    at = profile[seen.visitors.place][visitor] * HOURS_OF_WEEK + (packed & HOUR_MASK)
    told = week.hours[steps.spread(week.first[at], week.last[at])]
    keys = packed & ~HOUR_MASK | told
    starts = starts_of(keys)
    keys = keys[starts]
    panel = np.minimum.reduceat(steps.panel, starts)
    return {
        **seen.groups(keys >> HOUR_BITS),
        "hour_of_week": (keys & HOUR_MASK).astype(np.int16),
        "visits": np.add.reduceat(seen.weight[visitor], starts),
        "panel_visitors": panel,
        "suppressed": panel < MIN_PANEL,
    }


def dwell(seen: PanelVisits) -> Columns:
    """`bucket` is the number of its name; rows of a month are in the order of the names."""
    visits = seen.visits
    by_name = np.argsort(BUCKETS)
    bucket = np.argsort(by_name)[np.searchsorted(BUCKET_ENDS, np.arange(1 << DWELL_BITS), side="right")][visits.dwell]
    total = np.bincount(seen.group_of_visit << BUCKET_BITS | bucket, seen.weight_of_visit)
    (there,) = np.nonzero(total)
    panel = distinct_by_kind(seen, visits.visitor, bucket, BUCKET_BITS)[there]
    return {
        **seen.groups(there >> BUCKET_BITS),
        "bucket": by_name[there & BUCKET_MASK],
        "visits": total[there].astype(np.int64),
        "panel_visitors": panel,
        "suppressed": suppressed_parts(starts_of(there >> BUCKET_BITS), panel),
    }


def distinct_by_kind(seen: PanelVisits, visitor: NDArray[np.integer], kind: Ints, bits: int) -> Ints:
    """How many different visitors of each group have visits of each kind, a number of so many bits: by
    `group << bits | kind`."""
    came = np.zeros(len(seen.weight) << bits, bool)
    came[visitor.astype(np.int64) << bits | kind] = True
    there = np.flatnonzero(came)
    keys = seen.group_of_visitor[there >> bits] << bits | there & ((1 << bits) - 1)
    return np.bincount(keys, minlength=len(seen.visitor_starts) << bits)


def homes(seen: PanelVisits, people: People) -> Columns:
    """Of members whose home is known. Hexagons are numbered in the order of their ids."""
    visitors = seen.visitors
    (known,) = np.nonzero(people.known[visitors.person])
    group = seen.group_of_visitor[known]
    packed = (group << AREA_BITS | people.area_of[visitors.person[known]]) << VISIT_BITS | visitors.visits[known]
    packed.sort()
    keys = packed >> VISIT_BITS
    starts = starts_of(keys)
    area = keys & ((1 << AREA_BITS) - 1)
    weights = people.weight[area]
    group = keys[starts] >> AREA_BITS
    panel = np.diff(starts, append=len(keys))
    groups = starts_of(group)
    return {
        **seen.groups(group),
        "area": area[starts],
        "visits": np.add.reduceat(weights * (packed & ((1 << VISIT_BITS) - 1)), starts),
        "visitors": np.add.reduceat(weights, starts),
        "panel_visitors": panel,
        "suppressed": suppressed_parts(groups, panel, seen.panel[group[groups]]),
    }


def overlap(visitors: Visitors, people: People, months: int) -> Columns:
    """Pairs of places that share enough persons of the panel in a month, in both directions."""
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
    packed = _frequent(np.concatenate(pairs))
    packed.sort()
    keys = packed >> WEIGHT_BITS
    starts = starts_of(keys)
    panel = np.diff(starts, append=len(keys))
    often = panel >= MIN_PANEL
    total = np.add.reduceat(packed & ((1 << WEIGHT_BITS) - 1), starts)[often] if len(starts) else starts
    key, panel = keys[starts[often]], panel[often]
    month, one, other = (
        key >> (2 * PLACE_BITS),
        key >> PLACE_BITS & ((1 << PLACE_BITS) - 1),
        key & ((1 << PLACE_BITS) - 1),
    )
    hidden = suppressed_pairs(panel, count[one * months + month], count[other * months + month])
    columns = ((one, other), (other, one), (month, month), (total, total), (panel, panel), (hidden, hidden))
    both = [np.concatenate(each) for each in columns]
    sort = np.argsort((both[0] * months + both[2]) << PLACE_BITS | both[1])
    names = ("place", "other", "month", "shared_visitors", "panel_visitors", "suppressed")
    return dict(zip(names, (each[sort] for each in both), strict=True))


def _frequent(packed: Ints) -> Ints:
    """Without most of the pairs that are there too few times: most are there once, and sorting all would take
    longer."""
    mixed = (packed >> WEIGHT_BITS).view(np.uint64)
    mixed *= np.uint64(0x9E3779B97F4A7C15)
    mixed >>= np.uint64(64 - HASH_BITS)
    drawer = mixed.view(np.int64)
    return packed[(np.bincount(drawer, minlength=1) >= MIN_PANEL)[drawer]]


def rounded_minutes(values: NDArray[np.float32]) -> Ints:
    return np.clip(np.rint(values), 1, 180).astype(np.int64)
