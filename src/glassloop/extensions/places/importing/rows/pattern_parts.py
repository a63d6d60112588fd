"""One row of weekly or monthly patterns, spread over days, hours, lengths of stay and home areas, month by month.

Whole numbers throughout: what is spread adds up to what the row says.
"""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import msgspec

from glassloop.extensions.places.data_set.views import BUCKETS

MAX_COUNT = 1_000_000_000
MAX_DAYS = 31
MAX_HOMES = 20_000
MAX_BRANDS = 1_000
MAX_KEY_CHARS = 200
_SPLIT = {"5-20": (("5-10", 6), ("11-20", 10)), "61-240": (("61-120", 60), ("121-240", 120))}
"""Buckets of older files, which are two of ours: split by how many minutes each has."""

_lists = msgspec.json.Decoder(list[int])
_maps = msgspec.json.Decoder(dict[str, int])
_loose_lists = msgspec.json.Decoder(list[float])
_loose_maps = msgspec.json.Decoder(dict[str, float])


class PatternRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row as it was read; cells that it lacks are None."""

    start: date
    days: int
    visits: int
    visitors: int | None
    each_day: str | None
    each_hour: str | None
    dwell: str | None
    homes: str | None
    brands: str | None


class PatternParts(msgspec.Struct, kw_only=True):
    """The row by month, the month being its first day; `left_out` says which of its parts disagree with its count."""

    daily: list[tuple[date, int]] = []
    months: dict[date, tuple[int, int | None]] = {}
    hours: list[tuple[date, int, int]] = []
    dwell: list[tuple[date, str, int]] = []
    homes: list[tuple[date, str, int, int]] = []
    brands: list[tuple[date, str, int]] = []
    left_out: list[str] = []
    split: bool = False


def spread(row: PatternRow) -> PatternParts:
    """Raises `ValueError` with why the row cannot be used."""
    parts = PatternParts()
    each_day = _list(row.each_day, "visits_by_day")
    visits = _visits_by_month(row, each_day, parts)
    visitors = [None] * len(visits) if row.visitors is None else apportion(row.visitors, list(visits.values()))
    for (month, count), persons in zip(visits.items(), visitors, strict=True):
        parts.months[month] = (count, None if persons is None else min(persons, count))
    if each_day is not None:
        _add_hours(row, each_day, parts)
    _add_dwell(row, visits, parts)
    _add_homes(row, visits, parts)
    _add_brands(row, parts)
    return parts


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """The total in whole parts, in proportion to the weights: by largest remainder, the first of equal ones first."""
    whole = sum(weights)
    if not whole:
        return [total, *[0] * (len(weights) - 1)] if weights else []
    parts = [total * weight // whole for weight in weights]
    rest = total - sum(parts)
    largest = sorted(range(len(weights)), key=lambda at: (-(total * weights[at] % whole), at))
    for at in largest[:rest]:
        parts[at] += 1
    return parts


def share_out(counts: Sequence[int], totals: Sequence[int]) -> list[list[int]]:
    """Counts over parts with these totals, which have the same sum: both sums hold."""
    left = list(counts)
    shares: list[list[int]] = []
    for total in totals:
        given = apportion(total, left)
        left = [have - took for have, took in zip(left, given, strict=True)]
        shares.append(given)
    return shares


def _visits_by_month(row: PatternRow, each_day: list[int] | None, parts: PatternParts) -> dict[date, int]:
    if each_day is None:
        month = row.start.replace(day=1)
        if row.start != month or (row.start + timedelta(row.days)).day != 1:
            raise ValueError("no visits_by_day, and the range is not one whole month")
        return {month: row.visits}
    if len(each_day) != row.days:
        raise ValueError(f"visits_by_day has {len(each_day)} days and the range {row.days}")
    if (added := sum(each_day)) != row.visits:
        raise ValueError(f"visits_by_day adds up to {added:,} and raw_visit_counts is {row.visits:,}")
    months: dict[date, int] = {}
    for number, count in enumerate(each_day):
        day = row.start + timedelta(number)
        parts.daily.append((day, count))
        month = day.replace(day=1)
        months[month] = months.get(month, 0) + count
    return months


def _add_hours(row: PatternRow, each_day: list[int], parts: PatternParts) -> None:
    hours = _list(row.each_hour, "visits_by_each_hour")
    if not hours:
        return
    lengths = _day_lengths(hours, each_day, row.start)
    if lengths is None:
        parts.left_out.append("visits_by_each_hour disagrees with visits_by_day")
        return
    at = 0
    for number, length in enumerate(lengths):
        day = row.start + timedelta(number)
        month, first = day.replace(day=1), day.weekday() * 24
        for hour in range(length):
            if count := hours[at + hour]:
                parts.hours.append((month, first + _clock_hour(hour, length), count))
        at += length


def _clock_hour(hour: int, length: int) -> int:
    """On the day that the clocks change: two to three o'clock is missing, or one to two o'clock is there twice."""
    if length < 24:
        return hour if hour < 2 else hour + 1
    return hour if length == 24 or hour < 2 else hour - 1


def _day_lengths(hours: Sequence[int], each_day: Sequence[int], start: date) -> list[int] | None:
    """Hours of each day so that their sums are those of the days: 24, or 23 or 25 on one of them."""
    more = len(hours) - 24 * len(each_day)
    if more not in (-1, 0, 1):
        return None
    # Clocks change on Sundays, but not everywhere.
    days = sorted(range(len(each_day)), key=lambda number: (start + timedelta(number)).weekday() != 6)
    for changed in days if more else days[:1]:
        lengths = [24 + more * (number == changed) for number in range(len(each_day))]
        at = 0
        for length, count in zip(lengths, each_day, strict=True):
            if sum(hours[at : at + length]) != count:
                break
            at += length
        else:
            return lengths
    return None


def _add_dwell(row: PatternRow, visits: Mapping[date, int], parts: PatternParts) -> None:
    given = _map(row.dwell, "bucketed_dwell_times")
    if not given:
        return
    counts: dict[str, int] = dict.fromkeys(BUCKETS, 0)
    for key, count in given.items():
        name = key.strip()
        if name in counts:
            counts[name] += count
        elif name in _SPLIT:
            buckets = _SPLIT[name]
            parts.split = True
            for (bucket, _), part in zip(buckets, apportion(count, [width for _, width in buckets]), strict=True):
                counts[bucket] += part
        else:
            raise ValueError(f"bucketed_dwell_times has an unknown bucket {name[:20]!r}")
    if sum(counts.values()) != row.visits:
        parts.left_out.append("bucketed_dwell_times does not add up to raw_visit_counts")
        return
    for month, shares in zip(visits, share_out(list(counts.values()), list(visits.values())), strict=True):
        parts.dwell += [(month, bucket, count) for bucket, count in zip(counts, shares, strict=True) if count]


def _add_homes(row: PatternRow, visits: Mapping[date, int], parts: PatternParts) -> None:
    """The file counts visitors by home area; their visits are in proportion to them."""
    homes = _map(row.homes, "visitor_home_cbgs")
    if not homes:
        return
    if len(homes) > MAX_HOMES:
        raise ValueError(f"visitor_home_cbgs names {len(homes):,} areas and {MAX_HOMES:,} are taken")
    known = sum(homes.values())
    by_month = share_out(list(homes.values()), apportion(known, list(visits.values())))
    for (month, count), visitors in zip(visits.items(), by_month, strict=True):
        persons = parts.months[month][1] or sum(visitors)
        with_home = min(count, round(count * min(1.0, sum(visitors) / persons))) if persons else 0
        shares = apportion(with_home, visitors)
        rows = zip(homes, shares, visitors, strict=True)
        parts.homes += [(month, area, visit, visitor) for area, visit, visitor in rows if visitor]


def _add_brands(row: PatternRow, parts: PatternParts) -> None:
    """The file gives the percentage of the visitors who were at a brand on the same day."""
    brands = _map(row.brands, "related_same_day_brand")
    if not brands or row.visitors is None:
        return
    for month, (_, visitors) in parts.months.items():
        for brand, percent in list(brands.items())[:MAX_BRANDS]:
            if shared := round((visitors or 0) * min(percent, 100) / 100):
                parts.brands.append((month, brand, shared))


def _list(cell: str | None, name: str) -> list[int] | None:
    if cell is None:
        return None
    try:
        counts = _lists.decode(cell)
    except msgspec.MsgspecError:
        try:
            counts = [_whole(each, name) for each in _loose_lists.decode(cell)]
        except msgspec.MsgspecError:
            raise ValueError(f"{name} is not a list of numbers in JSON") from None
    if counts and (min(counts) < 0 or max(counts) > MAX_COUNT):
        raise ValueError(f"{name} has an impossible number")
    return counts


def _map(cell: str | None, name: str) -> dict[str, int]:
    if cell is None:
        return {}
    try:
        counts = _maps.decode(cell)
    except msgspec.MsgspecError:
        try:
            counts = {key: _whole(each, name) for key, each in _loose_maps.decode(cell).items()}
        except msgspec.MsgspecError:
            raise ValueError(f"{name} is not an object of numbers in JSON") from None
    for key, count in counts.items():
        if not 0 <= count <= MAX_COUNT or not key or len(key) > MAX_KEY_CHARS:
            raise ValueError(f"{name} has an impossible entry")
    return counts


def _whole(value: float, name: str) -> int:
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):
        raise ValueError(f"{name} has a number that is not whole")
    return int(value)
