"""Suppression: what rests on fewer than five visitors is not shown, nor can it be worked out from what is."""

import random

import pytest

from extensions.places.made_places import MadePlaces
from extensions.places.places_oracle import Oracle
from glassloop.extensions.places.query.suppression import MIN_PANEL, hidden_parts


def test_hidden_parts_cannot_be_worked_out_from_the_total():
    drawn = random.Random(5)
    for _ in range(2_000):
        panels = [drawn.choice([0, 1, 2, 4, 5, 6, 9, 40, 4.9]) for _ in range(drawn.randint(1, 12))]
        hidden = hidden_parts(panels)
        small = {at for at, panel in enumerate(panels) if 0 < panel < MIN_PANEL}
        assert small <= hidden
        assert bool(hidden) == bool(small)
        shown = [panel for at, panel in enumerate(panels) if at not in hidden and panel]
        if hidden and shown:
            # What the total leaves after everything that is shown is of two or more, who are enough together.
            assert len(hidden) > 1 and sum(panels[at] for at in hidden) >= MIN_PANEL
            assert max(panels[at] for at in hidden - small) <= min(shown) if hidden - small else True


def test_a_count_without_a_panel_is_never_hidden():
    assert hidden_parts([None, None, 3]) == {2}
    assert hidden_parts([None, None]) == set()


@pytest.fixture
def oracle(made_home):
    return Oracle.of_home(made_home)


async def test_small_places_are_in_no_total_so_that_two_searches_do_not_tell_them(call, oracle):
    every = await call("search_places", geo_filter="all", limit=200)
    small = [row["id"] for row in every.data["places"] if (row.get("visits") or {}).get("suppressed")]
    assert small and all(oracle.panel_of(place, "2026-02") < MIN_PANEL for place in small)
    others = [place["id"] for place in MadePlaces().places if place["id"] not in small]
    without = await call("search_places", geo_filter={"type": "places", "ids": others}, limit=200)
    assert every.data["totals"]["visits"] == without.data["totals"]["visits"]
    shown = [row["visits"]["value"] for row in every.data["places"] if (row.get("visits") or {}).get("value")]
    assert every.data["totals"]["visits"]["value"] == sum(shown)


async def test_nothing_is_told_of_a_small_place_by_any_tool(call, oracle):
    small = next(place for place in oracle.ids if 0 < oracle.panel_of(place, "2026-02") < MIN_PANEL)
    found = [
        await call("get_place_summary", place_ids=[small], compare="previous"),
        await call("get_trade_area_profile", place_ids=[small], period="last_month"),
        await call("get_profile_and_overlap", place_ids=[small], period="last_month"),
        await call("get_visit_flows", place_id=small, period="last_month"),
        await call("compare_locations", place_ids=[small, "p001"], period="last_month", granularity="month"),
        await call("find_similar_places", place_id=small),
    ]
    visits = oracle.visits(small, "2026-02")
    assert visits > 0
    (row,) = found[0].data["places"]
    assert row["visits"] == row["visitors"] == {"value": None, "suppressed": True}
    assert all(row[name] is None for name in ("frequency", "visits_per_m2", "busiest_day", "busiest_hours"))
    assert found[1].data["areas"] == [] and found[1].data["visits_with_known_home"] == 0
    assert found[4].data["series"][0]["total"] is None
    assert [each[found[4].data["series"][0]["name"]] for each in found[4].data["rows"]] == [None]
    for each in found:
        assert str(visits) not in each.output.replace(small, "")


async def test_parts_of_a_shown_total_hide_at_least_two(call, oracle):
    checked = 0
    for place in oracle.ids:
        found = (await call("get_visit_flows", place_id=place, limit=50, period="last_month")).data
        for way in ("before", "after"):
            if not isinstance(found[way], list) or not found[f"{way}_total"]["others"]:
                continue
            total = found[f"{way}_total"]
            listed = [*found[way], *(total[own] for own in ("home", "work") if own in total)]
            shown = [row["visits"]["value"] for row in listed if row["visits"]["value"] is not None]
            hidden = oracle.flow_parts(place, "2026-02", way) - len(shown)
            left = total["visits"]["value"] - sum(shown)
            if hidden:
                checked += 1
                scale = oracle.panel_of(place, "2026-02") / oracle.visits(place, "2026-02")
                assert (hidden > 1 and left * scale >= MIN_PANEL) or not shown
    assert checked > 10


async def test_a_group_over_time_leaves_out_its_small_places_everywhere(call, oracle):
    ids = sorted(oracle.ids)[:12]
    small = [place for place in ids if oracle.panel_of(place, "2026-02") < MIN_PANEL]
    found = await call(
        "compare_locations", groups=[{"name": "a", "place_ids": ids}, {"name": "b", "place_ids": ["p001"]}],
        period="2026-02", granularity="month",
    )  # fmt: skip
    total = sum(oracle.visits(place, "2026-02") for place in ids if place not in small)
    assert small and found.data["series"][0]["total"]["value"] == total == found.data["rows"][0]["a"]
