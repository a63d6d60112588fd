"""Flows before and after visits, by the order of each person's visits of a day."""

import msgspec
import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.views import HOME, WORK
from glassloop.extensions.places.sample.figures import (
    VISITOR_MASK,
    Columns,
    distinct_by_kind,
    rounded_minutes,
    weighted_medians,
)
from glassloop.extensions.places.sample.people import KM_A_DEGREE, Ints, People, kilometers
from glassloop.extensions.places.sample.period import SamplePeriod
from glassloop.extensions.places.sample.runs import are_new, starts_of
from glassloop.extensions.places.sample.sites import Sites
from glassloop.extensions.places.sample.suppression import suppressed_parts
from glassloop.extensions.places.sample.visits import VISITOR_BITS, PanelVisits

LINKED_MINUTES = 120
"""A later visit that begins after more than this came from home again."""
KM_A_MINUTE = 0.45
MAX_MINUTES = 120
FROM_WORK = 0.35
INDEX_BITS, OTHER_BITS, MINUTE_BITS = 25, 15, 8

Links = tuple[Ints, Ints, Ints]
"""Visits, the places before or after them, and the minutes in between."""
WholeColumns = dict[str, Ints]


def end_names(sites: Sites) -> list[str]:
    """What the numbers in the column `other` mean, here and in overlaps: places by their number, then home and work."""
    return [*sites.ids, HOME, WORK]


def flows(seen: PanelVisits, people: People, sites: Sites, period: SamplePeriod, seed: list[int]) -> Columns:
    rng = np.random.default_rng(seed)
    visits = seen.visits
    count = len(visits.visitor)
    minutes = _way_home(seen, people, sites) + 4 * rng.standard_exponential(count, np.float32)
    at_work = (period.weekday_of[visits.day] < 5) & (visits.minute >= 10 * 60) & (visits.minute < 19 * 60)
    at_work &= rng.random(count, dtype=np.float32) < FROM_WORK
    minutes[at_work] = 4 + 9 * rng.standard_exponential(int(at_work.sum()), np.float32)
    before, after = _links(seen, sites)
    # From home or work, both ways alike: sorted once, and without those that are linked.
    order = (seen.group_of_visit << 1 | at_work) << MINUTE_BITS | rounded_minutes(np.minimum(minutes, MAX_MINUTES))
    order = (order << VISITOR_BITS | visits.visitor) << 2
    order[before[0]] |= 1
    order[after[0]] |= 2
    order.sort()
    own = _OwnVisits.of(seen, order)
    parts = [
        (rows, is_before)
        for is_before, flag, links in ((0, 2, after), (1, 1, before))
        for rows in (own.rows(seen, flag, sites.count), _linked_rows(seen, links))
    ]
    columns = {name: np.concatenate([rows[name] for rows, _ in parts]) for name in parts[0][0]}
    columns["direction"] = np.repeat([is_before for _, is_before in parts], [len(rows["group"]) for rows, _ in parts])
    group = columns.pop("group") << 1 | columns["direction"]
    # Places before home and work.
    order = np.argsort(group << OTHER_BITS | columns["other"])
    columns, group = {name: values[order] for name, values in columns.items()}, group[order]
    return {
        **seen.groups(group >> 1),
        **columns,
        "suppressed": suppressed_parts(starts_of(group), columns["panel_visitors"]),
    }


def _way_home(seen: PanelVisits, people: People, sites: Sites) -> NDArray[np.float32]:
    """Minutes from the middle of the home area."""
    visitors = seen.visitors
    area = people.area_of[visitors.person]
    north = people.lat[area] - sites.lat[visitors.place]
    east = (people.lon[area] - sites.lon[visitors.place]) * np.cos(np.radians(sites.lat))[visitors.place]
    return (3 + np.hypot(north, east) * (KM_A_DEGREE / KM_A_MINUTE)).astype(np.float32)[seen.visits.visitor]


def _links(seen: PanelVisits, sites: Sites) -> tuple[Links, Links]:
    """Each visit that follows another one of the same person and day, and that one."""
    visits = seen.visits
    keys = ((seen.visitors.person[visits.visitor] << 10 | visits.day) << 11 | visits.minute) << INDEX_BITS
    keys |= np.arange(len(keys))
    keys.sort()
    same = np.flatnonzero(np.diff(keys >> (INDEX_BITS + 11)) == 0)
    index = keys & ((1 << INDEX_BITS) - 1)
    one, other = index[same], index[same + 1]
    gap = visits.minute[other].astype(np.int64) - visits.minute[one] - visits.dwell[one]
    here, there = (seen.visitors.place[visits.visitor[each]] for each in (one, other))
    linked = (gap <= LINKED_MINUTES) & (here != there)
    one, other, gap, here, there = (each[linked] for each in (one, other, gap, here, there))
    travel = 1 + kilometers(sites.lat[here], sites.lon[here], sites.lat[there], sites.lon[there]) / KM_A_MINUTE
    minutes = rounded_minutes(np.minimum(np.maximum(travel, gap), MAX_MINUTES).astype(np.float32))
    return (other, here, minutes), (one, there, minutes)


class _OwnVisits(msgspec.Struct, frozen=True, kw_only=True):
    """Visits from home and from work, sorted; those with the flag of a link are from elsewhere."""

    order: Ints
    visitor: Ints
    weight: Ints
    keys: Ints
    """The group, and whether it is from work."""
    starts: Ints

    @classmethod
    def of(cls, seen: PanelVisits, order: Ints) -> "_OwnVisits":
        visitor, keys = order >> 2 & VISITOR_MASK, order >> (2 + VISITOR_BITS + MINUTE_BITS)
        return cls(order=order, visitor=visitor, weight=seen.weight[visitor], keys=keys, starts=starts_of(keys))

    def rows(self, seen: PanelVisits, flag: int, home: int) -> WholeColumns:
        unlinked = self.order & flag == 0
        weight, keys = self.weight * unlinked, self.keys[self.starts]
        panel = distinct_by_kind(seen, self.visitor[unlinked], self.keys[unlinked] & 1, 1)
        rows = {
            "group": keys >> 1,
            "other": home + (keys & 1),
            "visits": np.add.reduceat(weight, self.starts),
            "minutes_median": _medians(self.order, self.starts, weight),
            "panel_visitors": panel[keys],
        }
        (there,) = np.nonzero(rows["visits"])
        return {name: values[there] for name, values in rows.items()}


def _medians(order: Ints, starts: Ints, weight: Ints) -> Ints:
    return weighted_medians(starts, order >> (2 + VISITOR_BITS) & ((1 << MINUTE_BITS) - 1), weight)


def _linked_rows(seen: PanelVisits, links: Links) -> WholeColumns:
    visit, other, minutes = links
    group = np.searchsorted(seen.starts, visit, side="right") - 1
    order = ((group << OTHER_BITS | other) << MINUTE_BITS | minutes) << VISITOR_BITS | seen.visits.visitor[visit]
    order.sort()
    keys = order >> (VISITOR_BITS + MINUTE_BITS)
    starts = starts_of(keys)
    visitor = order & VISITOR_MASK
    weight = seen.weight[visitor]
    persons = keys << VISITOR_BITS | visitor
    persons.sort()
    new = are_new(persons)
    return {
        "group": keys[starts] >> OTHER_BITS,
        "other": keys[starts] & ((1 << OTHER_BITS) - 1),
        "visits": np.add.reduceat(weight, starts) if len(starts) else starts,
        "minutes_median": _medians(order << 2, starts, weight),
        "panel_visitors": np.add.reduceat(new.astype(np.int64), starts) if len(starts) else starts,
    }
