"""Suppression: what rests on fewer than five visitors is not shown, nor can it be worked out from what is."""

import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest

from extensions.places.conftest import NO_LIMIT_S
from extensions.places.made_places import FIRST, LAST, MadePlaces, make_data_set
from extensions.places.places_oracle import Oracle
from extensions.places.suppression_rule import ENOUGH, few
from glassloop.extensions.places.data_set.open_databases import OpenDatabases
from glassloop.extensions.places.sample.steps import cut_steps
from glassloop.extensions.places.sample.suppression import suppressed_pairs, suppressed_parts
from glassloop.extensions.places.tools import tools_over
from glassloop.extensions.places.tools.reader import PlacesReader

PAIRS = 60
"""Of calls that an attacker subtracts, in the quick test; all of them take four times as long."""


def test_what_parts_leave_of_their_total_is_of_nobody_or_of_enough():
    drawn = random.Random(5)
    for persons in (False, True) * 1_000:
        panels = [drawn.choice([1, 2, 4, 5, 6, 9, 40]) for _ in range(drawn.randint(1, 12))]
        whole = sum(panels) + drawn.choice([0, 0, 2, 7])
        hidden = suppressed_parts(np.array([0]), np.array(panels), np.array([whole]) if persons else None)
        shown = [panel for panel, is_hidden in zip(panels, hidden, strict=True) if not is_hidden]
        assert not any(map(few, shown))
        if shown and persons:
            assert not few(whole - sum(shown))
        elif shown and hidden.any():
            # One person may be in several parts: enough only where one of them has enough alone.
            assert max(panel for panel, is_hidden in zip(panels, hidden, strict=True) if is_hidden) >= ENOUGH


def test_shared_visitors_are_not_told_where_those_of_one_place_alone_are_few():
    shared, one, other = np.array([5, 4, 7, 9, 20]), np.array([9, 30, 30, 9, 30]), np.array([30, 30, 30, 50, 24])
    assert suppressed_pairs(shared, one, other).tolist() == [True, True, False, False, True]


def test_every_step_has_five_visitors_or_is_all_there_is():
    drawn = np.random.default_rng(3)
    for _ in range(20):
        sizes = drawn.integers(1, 120, drawn.integers(1, 12))
        starts = np.cumsum(sizes) - sizes
        visitors = np.concatenate([drawn.integers(1 + size // drawn.integers(1, 6), size=size) for size in sizes])
        steps = cut_steps(starts, visitors)
        at = np.sort(drawn.integers(500, size=len(visitors)))
        told = steps.spread(at, at)
        assert set(starts) <= set(steps.begins) and steps.lengths.sum() == len(visitors)
        for first, length, distinct in zip(steps.begins, steps.lengths, steps.distinct, strict=True):
            group = np.searchsorted(starts, first, side="right") - 1
            persons = len(set(visitors[starts[group] : starts[group] + sizes[group]]))
            step = slice(first, first + length)
            assert first + length <= starts[group] + sizes[group]
            assert len(set(visitors[step])) >= min(ENOUGH, persons)
            assert set(steps.panel[step]) == {distinct} and distinct <= len(set(visitors[step]))
            assert at[step].min() <= told[step].min() and told[step].max() <= at[step].max()


@pytest.fixture(scope="module")
def attacked(tmp_path_factory):
    """Few places and persons, each of whom stands for a number that gives them away."""
    home = tmp_path_factory.mktemp("attacked")
    made = MadePlaces(7, places=14, weights=(10**8, 10**9), spread=True)
    make_data_set(home, made)
    tools = {each.name: each for each in tools_over(PlacesReader(OpenDatabases(home, query_s=NO_LIMIT_S)))}

    async def calling(name: str, **arguments: Any) -> dict[str, Any]:
        return (await tools[name].execute(arguments)).data

    return calling, Oracle.of_home(home)


def _secrets(oracle: Oracle) -> set[int]:
    """Figures of rows that rest on one to four persons."""
    found: set[int] = set()
    for view in ("poi_visits_monthly", "poi_dwell", "poi_homes", "poi_flows", "poi_overlap"):
        for row in oracle.tables[view]:
            if few(row["panel_visitors"]):
                found |= {row[name] for name in ("visits", "visitors", "shared_visitors") if row.get(name)}
    return found


def _figures(found: Any) -> Iterator[float]:
    """All whole numbers of an answer that are large enough to be of somebody."""
    if isinstance(found, dict):
        for name, each in found.items():
            if name not in ("low", "high", "query_metadata", "map", "chart"):
                yield from _figures(each)
    elif isinstance(found, list):
        for each in found:
            yield from _figures(each)
    elif isinstance(found, int | float) and not isinstance(found, bool) and abs(found) >= 10**8:
        yield float(found)


def _sums(found: dict[str, Any]) -> Iterator[float]:
    """Totals without the parts that are listed."""
    for name, listed in (("total", "places"), ("totals", "places"), ("visits", "areas"), ("before_total", "before"),
                         ("after_total", "after")):  # fmt: skip
        total, parts = found.get(name), found.get(listed)
        if isinstance(total, dict) and isinstance(parts, list):
            whole = total.get("visits", total) or {}
            shown = [(part["visits"] or {}).get("value") or 0 for part in (*parts, *_own(total))]
            if isinstance(whole, dict) and whole.get("value"):
                yield whole["value"] - sum(shown)
    for place in found.get("places", ()):
        buckets = (place.get("dwell") or {}).get("buckets") or ()
        if (place.get("visits") or {}).get("value"):
            yield place["visits"]["value"] - sum(each["visits"] or 0 for each in buckets)


def _own(total: dict[str, Any]) -> list[dict[str, Any]]:
    return [total[name] for name in ("home", "work") if name in total]


def _attack(drawn: random.Random, ids: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Two calls that differ a little: a longer period, one more place, one direction of two, another grouping."""
    start = FIRST + timedelta(days=drawn.randrange(300))
    end = start + timedelta(days=drawn.choice([27, 30, 58, 89, 120]))
    later = min(LAST, end + timedelta(days=drawn.choice([1, 2, 7, 28, 31])))
    months = [f"2025-{drawn.randint(1, 6):02d}", "2025-09", "2025-10"]
    spans = [{"start_date": str(start), "end_date": str(each)} for each in (end, later)]
    if drawn.random() < 0.6:
        spans = [{"period": f"{months[0]}..{last}"} for last in months[1:]]
    few_ids, more = sorted(ids[:-1]), sorted(ids)
    tool = drawn.choice(["search_places", "get_place_summary", "compare_locations", "get_trade_area_profile",
                         "get_visit_flows", "get_profile_and_overlap"])  # fmt: skip
    base: dict[str, Any] = {}
    if tool == "search_places":
        variants = [{"geo_filter": {"type": "places", "ids": each}, "limit": 200} for each in (few_ids, more)]
    elif tool == "compare_locations":
        base = {"granularity": drawn.choice(["month", "week", "day", "hour_of_day"])}
        variants = [{"groups": [{"name": "a", "place_ids": each}, {"name": "b", "place_ids": [ids[0]]}]}
                    for each in (few_ids, more)]  # fmt: skip
    elif tool == "get_visit_flows":
        base, variants = {"place_id": ids[0], "limit": 50}, [{"level": "place"}, {"level": "category"}]
    else:
        variants = [{"place_ids": each} for each in (few_ids, more)]
        base = {"share": 1, "limit": 200} if tool == "get_trade_area_profile" else {}
    if drawn.random() < 0.5:
        yield from ((tool, {**base, **variants[0], **span}) for span in spans)
    else:
        yield from ((tool, {**base, **variant, **spans[0]}) for variant in variants)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 5))])
async def test_no_difference_of_two_answers_tells_of_fewer_than_five(attacked, seed):
    call, oracle = attacked
    secrets, drawn = _secrets(oracle), random.Random(seed)
    assert len(secrets) > 500
    compared = 0
    for _ in range(PAIRS):
        ids = drawn.sample(oracle.ids, drawn.choice([2, 2, 3, 5]))
        one, two = [(await call(tool, **arguments), (tool, arguments)) for tool, arguments in _attack(drawn, ids)]
        tried: dict[float, str] = defaultdict(str)
        numbers, others = [sorted(set(_figures(each[0]))) for each in (one, two)]
        tried |= dict.fromkeys((*numbers, *others), "shown")
        tried |= dict.fromkeys((*_sums(one[0]), *_sums(two[0])), "a total without its parts")
        tried |= {abs(number - other): "a difference" for number in numbers for other in others}
        compared += len(tried)
        # Days and hours are means or in steps, and so no sums of whole persons.
        told = {number for number in tried if number == round(number) and int(number) in secrets}
        assert not told, (tried[min(told)], min(told), one[1], two[1])
    assert compared > 1_000


async def test_an_attack_would_find_what_is_not_suppressed(tmp_path, attacked):
    """The same calls on data that tells of no panel."""
    _, oracle = attacked
    made = MadePlaces(7, places=14, weights=(10**8, 10**9), spread=True)
    make_data_set(tmp_path, made, panel=False)
    tools = {each.name: each for each in tools_over(PlacesReader(OpenDatabases(tmp_path, query_s=NO_LIMIT_S)))}
    secrets, told = _secrets(oracle), set[int]()
    for place in oracle.ids[:6]:
        found = (await tools["get_trade_area_profile"].execute({"place_ids": [place], "share": 1, "limit": 200})).data
        told |= {int(number) for number in _figures(found)} & secrets
        shorter, longer = [
            (await tools["search_places"].execute({"geo_filter": {"type": "places", "ids": [place]}, "period": period}))
            .data["totals"].get("visits", {}).get("value", 0)
            for period in ("2025-02..2025-05", "2025-02..2025-06")
        ]  # fmt: skip
        told |= {longer - shorter} & secrets
    assert told


@pytest.fixture
def oracle(made_home):
    return Oracle.of_home(made_home)


async def test_small_places_are_in_no_total_so_that_two_searches_do_not_tell_them(call, oracle):
    every = await call("search_places", geo_filter="all", limit=200)
    small = [row["id"] for row in every.data["places"] if (row.get("visits") or {}).get("suppressed")]
    others = [place["id"] for place in MadePlaces().places if place["id"] not in small]
    without = await call("search_places", geo_filter={"type": "places", "ids": others}, limit=200)
    assert small and every.data["totals"]["visits"] == without.data["totals"]["visits"]
    shown = [row["visits"]["value"] for row in every.data["places"] if (row.get("visits") or {}).get("value")]
    assert every.data["totals"]["visits"]["value"] == sum(shown)


async def test_nothing_is_told_of_a_small_place_by_any_tool(call, oracle):
    row = next(row for row in oracle.tables["poi_visits_monthly"] if row["suppressed"] and row["month"].month == 2
               and row["month"].year == 2026)  # fmt: skip
    small = row["place_id"]
    found = [
        await call("get_place_summary", place_ids=[small], compare="previous"),
        await call("get_trade_area_profile", place_ids=[small], period="last_month"),
        await call("get_profile_and_overlap", place_ids=[small], period="last_month"),
        await call("get_visit_flows", place_id=small, period="last_month"),
        await call("compare_locations", place_ids=[small, "p001"], period="last_month", granularity="month"),
        await call("find_similar_places", place_id=small),
    ]
    (told,) = found[0].data["places"]
    assert told["visits"] == told["visitors"] == {"value": None, "suppressed": True}
    assert all(told[name] is None for name in ("frequency", "visits_per_m2", "busiest_day", "busiest_hours"))
    assert found[1].data["areas"] == [] and found[1].data["visits"] is None
    assert found[4].data["series"][0]["total"] is None
    assert [each[found[4].data["series"][0]["name"]] for each in found[4].data["rows"]] == [None]
    for each in found:
        assert not [figure for figure in _shown(each.data) if figure == row["visits"]]


def _shown(found: Any) -> list[Any]:
    """The values of all figures with a range."""
    if isinstance(found, dict):
        own = [found["value"]] if "value" in found else []
        return [*own, *(each for value in found.values() for each in _shown(value))]
    return [each for value in found for each in _shown(value)] if isinstance(found, list) else []


async def test_a_month_of_too_few_is_in_no_longer_period(call, oracle):
    place, month = next(
        (row["place_id"], row["month"]) for row in oracle.tables["poi_visits_monthly"]
        if row["suppressed"] and oracle.months[row["place_id"]] and row["month"].year == 2025
    )  # fmt: skip
    shown = [row for row in oracle.months[place] if row["month"].year == 2025]
    found = await call("get_place_summary", place_ids=[place], period="2025")
    assert found.data["places"][0]["visits"]["value"] == sum(row["visits"] for row in shown)
    assert month not in {row["month"] for row in shown}
