"""The oracle's figures of tools that look at two or more places: comparison, overlap, flows, likeness, new stores."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from extensions.places.oracle_figures import (
    HIDDEN,
    Span,
    is_open,
    mean_of,
    months_for,
    open_months,
    ranged,
    rows_in,
    share,
    total_of,
    visits_of,
)
from extensions.places.places_oracle import Oracle, Row, meters
from glassloop.extensions.places.data_set.views import SHARES

WEEK = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def compare(oracle: Oracle, groups: Sequence[Sequence[str]], span: Span, granularity: str, *, indexed: bool) -> Row:
    """Of visits; the values of each group by bucket in order, totals, and correlations with the first."""
    series, totals = [], []
    for ids in groups:
        kept = [place for place in ids if (seen := oracle.seen(place, *span)) and seen["certain"] >= 5]
        totals.append(total_of(oracle, ids, span))
        values = _values(oracle, kept, span, granularity)
        series.append(
            {name: value if _is_open(oracle, ids, name, granularity) else None for name, value in values.items()}
        )
    buckets = list(series[0])
    if granularity == "hour_of_day":
        buckets = [name for name in buckets if any(each[name] != 0 for each in series)]
    if indexed:
        series = [_indexed(each) for each in series]
    rows = [[each[name] for each in series] for name in buckets]
    return {
        "names": buckets, "rows": rows, "totals": totals,
        "correlations": [None, *(_pearson(series[0], each) for each in series[1:])],
    }  # fmt: skip


def _values(oracle: Oracle, kept: Sequence[str], span: Span, granularity: str) -> dict[str, float | None]:
    months = months_for(oracle, span)
    rows = [row for place in kept for row in rows_in(oracle, "poi_visits_monthly", place, months)]
    sums: dict[str, float] = {}
    counts: Counter[str] = Counter()
    if granularity == "month":
        sums = {f"{month:%Y-%m}": 0.0 for month in months}
        for row in rows:
            sums[f"{row['month']:%Y-%m}"] += row["visits"]
        there = {f"{row['month']:%Y-%m}" for row in rows}
        return {name: value if name in there else None for name, value in sums.items()}
    if granularity == "hour_of_day":
        sums = {f"{hour:02d} h": 0.0 for hour in range(24)}
        for place in kept:
            for row in rows_in(oracle, "poi_hours", place, months):
                sums[f"{row['hour_of_week'] % 24:02d} h"] += row["visits"]
    else:
        days = [span[0] + timedelta(days=at) for at in range((span[1] - span[0]).days + 1)]
        names = {day: _bucket(day, granularity) for day in days}
        if granularity == "week":
            whole = Counter(names.values())
            names = {day: name for day, name in names.items() if whole[name] == 7}
        counts.update(names.values())
        order = WEEK if granularity == "day_of_week" else list(counts)
        sums = {name: 0.0 for name in order if name in counts}
        for place in kept:
            for row in oracle.days[place]:
                if row["day"] in names:
                    sums[names[row["day"]]] += row["visits"]
    each = counts if granularity == "day_of_week" else Counter(dict.fromkeys(sums, 1))
    return {name: round(value / each[name], 1) if kept else None for name, value in sums.items()}


def _is_open(oracle: Oracle, ids: Sequence[str], name: str, granularity: str) -> bool:
    """Whether any of the places was open on a day of the bucket."""
    if granularity not in ("day", "week", "month"):
        return True
    first = date.fromisoformat(f"{name}-01" if granularity == "month" else name)
    last = first + timedelta(days={"day": 0, "week": 6, "month": 27}[granularity])
    if granularity == "month":
        last = (last + timedelta(days=4)).replace(day=1) - timedelta(days=1)
    places = [oracle.places[one] for one in ids]
    opened, closed = ([place[key] for place in places] for key in ("opened_on", "closed_on"))
    return (None in opened or min(opened) <= last) and (None in closed or max(closed) >= first)


def _bucket(day: date, granularity: str) -> str:
    if granularity == "day_of_week":
        return WEEK[day.weekday()]
    return str(day - timedelta(days=day.weekday()) if granularity == "week" else day)


def _indexed(values: dict[str, float | None]) -> dict[str, float | None]:
    known = [value for value in values.values() if value is not None]
    mean = sum(known) / len(known) if known else 0
    return {name: None if value is None or not mean else 100 * value / mean for name, value in values.items()}


def _pearson(one: dict[str, float | None], two: dict[str, float | None]) -> float | None:
    pairs = [(one[name], two[name]) for name in one if one[name] is not None and two[name] is not None]
    if len(pairs) < 3:
        return None
    xs, ys = zip(*pairs, strict=True)
    n = len(pairs)
    upper = n * sum(x * y for x, y in pairs) - sum(xs) * sum(ys)
    lower = (n * sum(x * x for x in xs) - sum(xs) ** 2) * (n * sum(y * y for y in ys) - sum(ys) ** 2)
    return upper / math.sqrt(lower) if lower > 1e-6 else None


def overlap(oracle: Oracle, places: Sequence[str], span: Span, limit: int, *, by_chain: bool) -> list[Row]:
    months = open_months(oracle, places, months_for(oracle, span))
    monthly = {place: rows_in(oracle, "poi_visits_monthly", place, months) for place in oracle.ids}
    kept = [place for place in places if monthly[place]]
    own = sum(row["visitors"] for place in kept for row in monthly[place])
    metros = {oracle.places[place]["metro"] for place in kept}
    people = sum(area["population"] for area in oracle.areas.values() if area["metro"] in metros)
    shared: Counter[str] = Counter()
    panels: Counter[str] = Counter()
    for place in kept:
        for row in rows_in(oracle, "poi_overlap", place, months):
            if row["other_id"] not in kept:
                shared[row["other_id"]] += row["shared_visitors"]
                panels[row["other_id"]] += row["panel_visitors"]
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for other, count in shared.items():
        key = oracle.places[other]["chain_id"] if by_chain else other
        if key is not None:
            sums[key][0] += count
            sums[key][1] += sum(row["visitors"] for row in monthly[other])
            sums[key][2] += panels[other]
    order = sorted(sums, key=lambda key: (-sums[key][0], key))[:limit]
    return [
        {"id": key, "shared_visitors": ranged(count, panel, None, panel, len(months), of_visits=False),
         "share_of_own_percent": share(count, own), "share_of_theirs_percent": share(count, theirs),
         "lift": count * people * len(months) / (own * theirs) if theirs and people else None}
        for key in order for count, theirs, panel in (sums[key],)
    ]  # fmt: skip


def flows(oracle: Oracle, place: str, span: Span, way: str, level: str, limit: int) -> Row:
    months = open_months(oracle, [place], months_for(oracle, span))
    rows = rows_in(oracle, "poi_visits_monthly", place, months)
    parts: dict[Any, list[tuple[float | None, float]]] = defaultdict(list)
    panels: Counter[Any] = Counter()
    for row in rows_in(oracle, "poi_flows", place, months):
        if row["direction"] == way:
            other = row["other_id"]
            if other not in ("home", "work") and level != "place":
                other = (oracle.places.get(other) or {}).get(f"{level}_id")
            parts[other].append((row["minutes_median"], row["visits"]))
            panels[other] += row["panel_visitors"]
    visits = {key: sum(weight for _, weight in pairs) for key, pairs in parts.items()}
    order = sorted(visits, key=lambda key: (-visits[key], key is None, key))
    whole = sum(row["visits"] for row in rows)

    def told(key: Any) -> Row:
        return {
            "visits": ranged(visits[key], panels[key], None, panels[key], len(months)),
            "share_percent": share(visits[key], whole),
            "minutes_median": mean_of(parts[key]),
        }

    own = {key: told(key) for key in ("home", "work") if key in visits}
    others = [key for key in order if key not in own]
    listed = [{"id": key, **told(key)} for key in others][:limit]
    return {way: listed, f"{way}_total": {"others": len(others), **own}}


def similar(oracle: Oracle, place: str, span: Span, select: Any, limit: int) -> list[Row]:
    months = months_for(oracle, span)
    own, scores = oracle.places[place], []
    near = [other for other, about in oracle.places.items()
            if select(about) and about["category_id"][:4] == own["category_id"][:4]]  # fmt: skip
    for view in ("poi_homes", "poi_hours"):
        oracle.prefetch(view, [place, *near])
    for other, about in oracle.places.items():
        after = about["closed_on"] is None or about["closed_on"] > span[1]
        like = about["category_id"][:4] == own["category_id"][:4]
        visits = oracle.shown(other, *span)
        if other == place or not like or not select(about) or not is_open(about, span) or not after or not visits:
            continue
        pairs = ((oracle.shown(place, *span), visits), (own["area_m2"], about["area_m2"]))
        sizes = [min(pair) / max(pair) for pair in pairs if all(pair)]
        parts = [1.0 if own["category_id"] == about["category_id"] else 0.5, sum(sizes) / len(sizes),
                 _like_areas(oracle, place, other, months), _like_hours(oracle, place, other, months)]  # fmt: skip
        known = [part for part in parts if part is not None]
        scores.append((100 * sum(known) / len(known), other))
    scores.sort(key=lambda pair: (-round(pair[0], 1), pair[1]))
    return [{"id": other, "score": score} for score, other in scores[:limit]]


def _like_areas(oracle: Oracle, one: str, two: str, months: Sequence[date]) -> float | None:
    means = []
    for place in (one, two):
        homes = [(oracle.areas[row["area_id"]], row["visitors"]) for row in rows_in(oracle, "poi_homes", place, months)
                 if row["area_id"] in oracle.areas]  # fmt: skip
        means.append(
            {name: mean_of([(area[name], weight) for area, weight in homes]) for name in ("income_median", *SHARES)}
        )
    if any(mean["income_median"] is None for mean in means):
        return None
    incomes = sorted(mean["income_median"] for mean in means)
    common = sum(min(means[0][name], means[1][name]) for name in SHARES) / sum(means[0][name] for name in SHARES)
    return (incomes[0] / incomes[1] + min(1.0, common)) / 2


def _like_hours(oracle: Oracle, one: str, two: str, months: Sequence[date]) -> float | None:
    shares = []
    for place in (one, two):
        hours: Counter[int] = Counter()
        for row in rows_in(oracle, "poi_hours", place, months):
            hours[row["hour_of_week"]] += row["visits"]
        whole = sum(hours.values())
        shares.append({at: visits / whole for at, visits in hours.items()})
    common = shares[0].keys() & shares[1].keys()
    return sum(min(shares[0][at], shares[1][at]) for at in common) if common else None


def new_store(oracle: Oracle, place: str, weeks: int) -> Row:
    own = oracle.places[place]
    opened = own["opened_on"]
    held = min(weeks, ((min(oracle.last, own["closed_on"] or oracle.last) - opened).days + 1) // 7,
               (opened - oracle.first).days // 7)  # fmt: skip
    span = timedelta(days=7 * held)
    before, after = (opened - span, opened - timedelta(days=1)), (opened, opened + span - timedelta(days=1))
    sisters, control = [], [0.0, 0.0, 0]
    near = [other for other, about in oracle.places.items() if about["metro"] == own["metro"]
            and (about["chain_id"] or about["category_id"]) in (own["chain_id"], own["category_id"])]  # fmt: skip
    oracle.prefetch("poi_visits_daily", [place, *near])
    for other, about in oracle.places.items():
        always = (about["opened_on"] or date.min) <= before[0] and (about["closed_on"] or date.max) >= after[1]
        if other == place or not always or about["metro"] is None or about["metro"] != own["metro"]:
            continue
        far = meters(own["lat"], own["lon"], about["lat"], about["lon"])
        same = about["category_id"] == own["category_id"]
        if about["chain_id"] == own["chain_id"] if own["chain_id"] else same and far <= 10_000:
            sisters.append((far, other))
        elif (
            same
            and (was := oracle.shown(other, *before)) is not None
            and (now := oracle.shown(other, *after)) is not None
        ):
            control = [control[0] + was, control[1] + now, control[2] + 1]
    grown = control[1] / control[0] if control[2] >= 3 and control[0] else 1.0
    told = []
    for far, other in sorted(sisters):
        was, now = oracle.shown(other, *before), oracle.shown(other, *after)
        row: Row = {"id": other, "distance_m": far}
        if was is None or now is None:
            told.append(row | {"effect": HIDDEN, "expected": None})
            continue
        told.append(row | {
            "before": visits_of(oracle, other, before), "after": visits_of(oracle, other, after),
            "expected": was * grown,
            "effect": {"value": round(now - was * grown)}, "effect_percent": share(now - was * grown, was * grown),
        })  # fmt: skip
    return {
        "sisters": told, "new_place": {"visits_since": visits_of(oracle, place, after) or HIDDEN},
        "region": {"places": control[2], "before": control[0], "after": control[1]},
    }  # fmt: skip
