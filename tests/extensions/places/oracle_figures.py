"""Every figure of every tool of places by the oracle: what an answer must hold, as data to compare with."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import Any

from extensions.places.places_oracle import Oracle, Row, meters
from glassloop.extensions.places.data_set.estimates import estimate
from glassloop.extensions.places.data_set.views import BUCKETS, SHARES

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
HIDDEN = {"value": None, "suppressed": True}
Span = tuple[date, date]
Select = Callable[[Row], bool]


def touched(span: Span) -> int:
    return len({(span[0] + timedelta(days=at)).replace(day=1) for at in range((span[1] - span[0]).days + 1)})


def ranged(value: float | None, panel: float, visits: float | None, certain: float, months: int, **of: bool) -> Any:
    if value is None:
        return None
    if certain < 5:
        return HIDDEN
    found = estimate(value, max(5, round(panel)), None if visits is None else round(visits), months=months, **of)
    return {"value": round(found.value), "low": round(found.low), "high": round(found.high), "panel": found.panel}


def visits_of(oracle: Oracle, place: str, span: Span) -> Any:
    found = oracle.seen(place, *span)
    return found and ranged(found["visits"], found["panel"], found["panel_visits"], found["certain"], touched(span))


def total_of(oracle: Oracle, places: Sequence[str], span: Span) -> Any:
    rows = [row for place in places if (row := oracle.seen(place, *span)) and row["certain"] >= 5]
    sums = {key: sum(row[key] for row in rows) for key in ("visits", "panel", "panel_visits", "certain")}
    return ranged(sums["visits"], sums["panel"], sums["panel_visits"], sums["certain"], touched(span)) if rows else None


def months_for(oracle: Oracle, span: Span) -> list[date]:
    whole = oracle.whole_months(*span)
    if whole:
        return whole
    inside = Counter((span[0] + timedelta(days=at)).replace(day=1) for at in range((span[1] - span[0]).days + 1))
    return [min(inside, key=lambda month: (-inside[month], month))]


def open_months(oracle: Oracle, places: Sequence[str], months: list[date]) -> list[date]:
    """Those of the months in which any of the places was open on a day; all, where none was."""

    def is_open_in(month: date) -> bool:
        last = (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return any(is_open(oracle.places[place], (month, last)) for place in places)

    return [month for month in months if is_open_in(month)] or months


def rows_in(oracle: Oracle, view: str, place: str, months: Sequence[date]) -> list[Row]:
    found = oracle.months if view == "poi_visits_monthly" else oracle.by_place[view]
    return [row for row in found[place] if row["month"] in months]


def mean_of(pairs: Sequence[tuple[float | None, float]]) -> float | None:
    known = [(value, weight) for value, weight in pairs if value is not None]
    weights = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / weights if weights else None


def change(now: float | None, before: float | None) -> float | None:
    return None if now is None or not before else 100 * (now - before) / before


def share(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else 100 * part / whole


def is_open(place: Row, span: Span) -> bool:
    return (place["opened_on"] or date.min) <= span[1] and (place["closed_on"] or date.max) >= span[0]


def search(oracle: Oracle, select: Select, span: Span, sort: str, before: Span | None, limit: int, offset: int) -> Row:
    chosen = [place for place in oracle.places.values() if select(place) and is_open(place, span)]
    oracle.prefetch("poi_visits_daily", [place["id"] for place in chosen])
    shown = {place["id"]: oracle.shown(place["id"], *span) for place in chosen}
    trend = {}
    for place in shown:
        now, then = shown[place], before and oracle.shown(place, *before)
        new = before is not None and (oracle.places[place]["opened_on"] or before[0]) > before[0]
        trend[place] = None if now is None or not then or new else _half_away(change(now, then))
    keys = {
        "visits": lambda p: (shown[p["id"]] is None, -(shown[p["id"]] or 0), p["name"], p["id"]),
        "name": lambda p: (p["name"], p["id"]),
        "trend": lambda p: (trend[p["id"]] is None, -(trend[p["id"]] or 0), p["name"], p["id"]),
    }
    listed = sorted(chosen, key=keys[sort])[offset : offset + limit]
    return {
        "total": len(chosen),
        "totals": {"visits": total_of(oracle, list(shown), span)} if any(shown.values()) else {},
        "places": [
            {"id": place["id"], "name": place["name"], "category_id": place["category_id"],
             **({"visits": found} if (found := visits_of(oracle, place["id"], span)) else {}),
             **({"trend_percent": trend[place["id"]]} if sort == "trend" else {})}
            for place in listed
        ],
    }  # fmt: skip


def _half_away(value: float) -> float:
    """Rounded as SQL does."""
    return math.copysign(math.floor(abs(value) * 10 + 0.5) / 10, value)


def summary(oracle: Oracle, places: Sequence[str], span: Span, compared: dict[str, Span]) -> Row:
    months = months_for(oracle, span)
    told = [_place(oracle, place, span, months, compared) for place in places]
    total: Row = {"places": len(places)}
    if len(places) > 1:
        total["visits"] = total_of(oracle, places, span)
        total["changes"] = {
            kind: {"visits": (was := total_of(oracle, places, each)),
                   "change_percent": change(_value(total["visits"]), _value(was))}
            for kind, each in compared.items()
        }  # fmt: skip
    return {"places": told, "total": total}


def _value(found: Any) -> float | None:
    return found and found["value"]


def _place(oracle: Oracle, place: str, span: Span, months: Sequence[date], compared: dict[str, Span]) -> Row:
    about, found, now = oracle.places[place], visits_of(oracle, place, span), oracle.shown(place, *span)
    told: Row = {"id": place, "visits": found}
    told["changes"] = {
        kind: {"visits": (was := visits_of(oracle, place, each)), "change_percent": change(now, _value(was))}
        for kind, each in compared.items()
    }
    told["visits_per_m2"] = now / about["area_m2"] if now is not None and about["area_m2"] else None
    rows = rows_in(oracle, "poi_visits_monthly", place, months)
    visitors, visits = sum(row["visitors"] for row in rows), sum(row["visits"] for row in rows)
    panel, certain = (fold(row["panel_visitors"] for row in rows) if rows else 0 for fold in (sum, max))
    if found is None or not rows:
        return told
    if now is None:
        return told | {"visitors": HIDDEN, "frequency": None, "busiest_day": None, "busiest_hours": None}
    told["visitors"] = ranged(visitors, panel, None, certain, len(months), of_visits=False)
    if certain >= 5:
        told["frequency"] = visits / visitors
        told["dwell"] = {
            "median_minutes": mean_of([(row["dwell_median"], row["visits"]) for row in rows]),
            "mean_minutes": mean_of([(row["dwell_mean"], row["visits"]) for row in rows]),
        }
    seen = oracle.seen(place, *span)
    told["busiest_day"] = _busiest_day(oracle, place, span, seen["panel"] / seen["visits"])
    told["busiest_hours"] = _busiest_hours(oracle, place, months)
    told.setdefault("dwell", {})["buckets"] = _buckets(oracle, place, months, visits)
    return told | {"trend_percent_per_month": _trend(oracle, place, months[-1])} | _ranks(oracle, place, span)


def _busiest_day(oracle: Oracle, place: str, span: Span, ratio: float) -> Row | None:
    days = {row["day"]: row["visits"] for row in oracle.days[place] if span[0] <= row["day"] <= span[1]}
    if not days:
        return None
    best = min(days, key=lambda day: (-days[day], day))
    sums, counts = defaultdict(float), Counter()
    for at in range((span[1] - span[0]).days + 1):
        day = span[0] + timedelta(days=at)
        counts[day.weekday()] += 1
        sums[day.weekday()] += days.get(day, 0)
    means = {day: sums[day] / counts[day] for day in sums if sums[day]}
    week = max(sorted(means), key=lambda day: means[day])
    return {
        "date": None if days[best] * ratio < 5 else str(best),
        "date_visits": HIDDEN if days[best] * ratio < 5 else {"value": days[best]},
        "day_of_week": DAYS[week], "average_visits": None if sums[week] * ratio < 5 else means[week],
    }  # fmt: skip


def _busiest_hours(oracle: Oracle, place: str, months: Sequence[date]) -> list[Row]:
    hours: dict[int, float] = defaultdict(float)
    for row in rows_in(oracle, "poi_hours", place, months):
        hours[row["hour_of_week"]] += row["visits"]
    best = sorted(hours, key=lambda at: (-hours[at], at))[:3]
    whole = sum(hours.values())
    return [{"day": DAYS[at // 24], "hour": at % 24, "share_percent": share(hours[at], whole)} for at in best]


def _buckets(oracle: Oracle, place: str, months: Sequence[date], whole: float) -> list[Row]:
    sums = dict.fromkeys(BUCKETS, 0.0)
    for row in rows_in(oracle, "poi_dwell", place, months):
        sums[row["bucket"]] += row["visits"]
    known = sum(sums.values()) == whole
    return [
        {"bucket": name, "visits": visits if visits or known else None,
         "share_percent": share(visits, whole) if visits or known else None}
        for name, visits in sums.items()
    ]  # fmt: skip


def _trend(oracle: Oracle, place: str, last: date) -> float | None:
    """By the textbook's formula of the least squares."""
    if (oracle.last + timedelta(days=1)).day != 1:
        last = min(last, (oracle.last.replace(day=1) - timedelta(days=1)).replace(day=1))
    about, values, years = oracle.places[place], [], {}
    for row in sorted(oracle.months[place], key=lambda row: row["month"]):
        end = (row["month"] + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        back = (last.year - row["month"].year) * 12 + last.month - row["month"].month
        always = (about["opened_on"] or date.min) <= row["month"] and (about["closed_on"] or date.max) >= end
        if 0 <= back < 24 and row["panel_visitors"] >= 5 and always:
            years[row["month"]] = row["visits"] / end.day
        if 0 <= back < 12 and row["panel_visitors"] >= 5 and always:
            values.append((11 - back, row["visits"] / end.day))
    pairs = [(years[then], now) for day, now in years.items() if (then := day.replace(year=day.year - 1)) in years]
    if len(pairs) >= 6:
        mean = sum(then + now for then, now in pairs) / len(pairs) / 2
        return 100 * sum(now - then for then, now in pairs) / len(pairs) / 12 / mean if mean else None
    n, xs, ys = len(values), [x for x, _ in values], [y for _, y in values]
    if n < 3 or not sum(ys):
        return None
    slope = (n * sum(x * y for x, y in values) - sum(xs) * sum(ys)) / (n * sum(x * x for x in xs) - sum(xs) ** 2)
    return 100 * slope / (sum(ys) / n)


def _ranks(oracle: Oracle, place: str, span: Span) -> Row:
    about, own = oracle.places[place], oracle.shown(place, *span)
    kinds = {
        "category": lambda p: (
            about["metro"] and p["metro"] == about["metro"] and p["category_id"] == about["category_id"]
        ),
        "chain": lambda p: about["chain_id"] and p["chain_id"] == about["chain_id"],
        "region": lambda p: about["metro"] and p["metro"] == about["metro"],
    }
    ranks, told = {}, {}
    for kind, belongs in kinds.items():
        peers = [visits for other in oracle.ids if belongs(oracle.places[other])
                 and (visits := _shown_once(oracle, other, span)) is not None]  # fmt: skip
        if not peers:
            continue
        below = sum(visits < own for visits in peers)
        ranks[kind] = {"rank": 1 + sum(visits > own for visits in peers), "of": len(peers),
                       "percentile": round(100 * below / (len(peers) - 1)) if len(peers) > 1 else None}  # fmt: skip
        if kind == "category":
            told["share_of_category_percent"] = share(own, sum(peers))
    return {"rank": ranks, **told}


_SHOWN: dict[tuple[int, str, Span], float | None] = {}


def _shown_once(oracle: Oracle, place: str, span: Span) -> float | None:
    key = (id(oracle), place, span)
    if key not in _SHOWN:
        _SHOWN[key] = oracle.shown(place, *span)
    return _SHOWN[key]


def trade_area(oracle: Oracle, places: Sequence[str], span: Span, wanted: float, limit: int) -> Row:
    months = open_months(oracle, places, months_for(oracle, span))
    sums: dict[str, Counter] = defaultdict(Counter)
    far: list[tuple[float, float]] = []
    every = outside = of_metro = panel = panel_visits = 0.0
    for place in places:
        rows = rows_in(oracle, "poi_visits_monthly", place, months)
        about = oracle.places[place]
        every += sum(row["visits"] for row in rows)
        panel += sum(row["panel_visitors"] for row in rows)
        panel_visits += sum(row["panel_visits"] for row in rows)
        for row in rows_in(oracle, "poi_homes", place, months):
            area = oracle.areas.get(row["area_id"])
            found = sums[row["area_id"]]
            found["visits"] += row["visits"]
            found["visitors"] += row["visitors"]
            found["panel"] += row["panel_visitors"]
            if about["metro"] is not None:
                of_metro += row["visits"]
                outside += row["visits"] if area is None or area["metro"] != about["metro"] else 0
            if area is not None:
                distance = meters(about["lat"], about["lon"], area["lat"], area["lon"])
                found["metered"] += distance * row["visits"]
                found["located"] += row["visits"]
                far.append((distance, row["visits"]))
    return _areas_told(oracle, sums, every, months, wanted, limit) | {
        "visits": ranged(every, panel, panel_visits, panel, len(months)) if every else None,
        "told_home_percent": share(sum(each["visits"] for each in sums.values()), every),
        "outside_metro_percent": share(outside, of_metro),
        "distance": {"median_m": _reached(far, 0.5), "share_70_m": _reached(far, 0.7)},
    }


def _areas_told(
    oracle: Oracle, sums: dict[str, Counter], visits: float, months: Sequence[date], wanted: float, limit: int
) -> Row:
    order = sorted(sums, key=lambda area: (-sums[area]["visits"], area))
    visitors = sum(each["visitors"] for each in sums.values())
    listed, held = [], 0.0
    for area in order:
        if held >= wanted * visits:
            continue
        found, about = sums[area], oracle.areas.get(area)
        held += found["visits"]
        panel = (found["panel"], None, found["panel"], len(months))
        listed.append({
            "area_id": area, "visits": ranged(found["visits"], *panel),
            "visitors": ranged(found["visitors"], *panel, of_visits=False),
            "share_of_visits_percent": share(found["visits"], visits),
            "share_of_visitors_percent": share(found["visitors"], visitors),
            "cumulated_share_percent": share(held, visits),
            "penetration_percent": about and share(found["visitors"] / len(months), about["population"]),
            "distance_m": found["metered"] / found["located"] if found["located"] else None,
        })  # fmt: skip
    return {"areas": listed[:limit], "areas_holding_share": len(listed), "areas_in_all": len(sums),
            "share_held_percent": share(held, visits)}  # fmt: skip


def _reached(far: list[tuple[float, float]], part: float) -> float | None:
    whole, reached = sum(visits for _, visits in far), 0.0
    for distance, visits in sorted(far):
        reached += visits
        # In whole numbers: 0.7 is none of the floats.
        if 10 * reached >= round(10 * part) * whole:
            return distance
    return None


def profile(oracle: Oracle, places: Sequence[str], span: Span) -> list[Row]:
    months = months_for(oracle, span)
    kept = [place for place in places if _kept(oracle, place, months)]
    homes = [(oracle.areas[row["area_id"]], row["visitors"]) for place in kept
             for row in rows_in(oracle, "poi_homes", place, months) if row["area_id"] in oracle.areas]  # fmt: skip
    metros = {oracle.places[place]["metro"] for place in kept}
    region = [(area, area["population"]) for area in oracle.areas.values() if area["metro"] in metros]
    told = []
    for name in ("income_median", *SHARES):
        mine = mean_of([(area[name], weight) for area, weight in homes])
        theirs = mean_of([(area[name], weight) for area, weight in region])
        factor = 1 if name == "income_median" else 100
        if mine is not None:
            told.append({"visitors": factor * mine, "region": None if theirs is None else factor * theirs,
                         "index": 100 * mine / theirs if theirs else None})  # fmt: skip
    return told


def _kept(oracle: Oracle, place: str, months: Sequence[date]) -> bool:
    rows = rows_in(oracle, "poi_visits_monthly", place, months)
    return bool(rows) and max(row["panel_visitors"] for row in rows) >= 5
