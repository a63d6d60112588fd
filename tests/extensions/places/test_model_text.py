"""What a model reads of a result: which rows first, how to read on, ranges, notes and units."""

import duckdb
import pytest

from extensions.places.conftest import NO_LIMIT_S
from extensions.places.made_places import make_data_set
from glassloop import Agent, ScriptedModel
from glassloop.core.errors import BadArguments
from glassloop.core.messages import ToolMessage
from glassloop.extensions.places.data_set.open_databases import OpenDatabases
from glassloop.extensions.places.tools import tools_over
from glassloop.extensions.places.tools.reader import PlacesReader
from glassloop.models.scripted_model import call as calling


async def seen(call, *calls):
    """The results of one step as a model is shown them."""
    model = ScriptedModel([[calling(name, **arguments) for name, arguments in calls], "Done."])
    await Agent(model, list(call.tools.values())).stream("Look.").drain()
    return [message.content for message in model.requests[-1].messages if isinstance(message, ToolMessage)]


async def test_a_series_shows_its_newest_rows_with_ranges_and_reads_on_by_an_id(call):
    arguments = {"place_ids": ["p001", "p002"], "granularity": "day", "start_date": "2026-01-01"}
    (shown,) = await seen(call, ("compare_locations", arguments))
    rows = [line for line in shown.splitlines() if line.startswith("| 2026-")]
    assert rows[0].startswith("| 2026-03-15 |")
    assert len(rows) == 20
    assert " to " in rows[0]
    assert 'read_result(result="r1", offset=22)' in shown
    assert "Unit: visits" in shown
    data = (await call("compare_locations", **arguments)).data
    assert data["rows"][0]["day"] == "2026-01-01"


@pytest.mark.parametrize(("days", "cut"), [(20, False), (22, False), (40, True)])
async def test_a_series_is_not_cut_for_a_few_rows(call, days, cut):
    arguments = {"place_ids": ["p001", "p002"], "granularity": "day", "period": f"last_{days}_days"}
    (shown,) = await seen(call, ("compare_locations", arguments))
    assert ("read_result" in shown) == cut
    assert sum(line.startswith("| 2026-") for line in shown.splitlines()) == (20 if cut else days)


async def test_places_that_opened_or_closed_within_a_period_are_found_with_the_day(call):
    found = (await call("search_places", geo_filter="all", opened_within="2025-10", period="2025-10")).data
    assert found["total"] > 0
    assert {place["opened_on"] for place in found["places"]} == {"2025-10-06"}
    assert {place.get("days_open") for place in found["places"]} <= {26, None}
    closed = (await call("search_places", geo_filter="all", closed_within="all", limit=50)).data
    assert closed["total"] > 0 and all(place["closed_on"] for place in closed["places"])


async def test_places_are_found_by_their_opening_hours_and_those_without_are_told(call, tmp_path):
    every = (await call("search_places", geo_filter="all")).data["total"]
    found = await call("search_places", geo_filter="all", open_at="Sundays at 8 am")
    assert found.data["query_metadata"]["filters_applied"]["open_at"] == "Sunday 8:00"
    assert found.data["total"] == every
    assert (await call("search_places", geo_filter="all", open_at="Mon 22:30")).data["total"] == 0
    with pytest.raises(BadArguments, match="such as Sunday 8:00"):
        await call("search_places", geo_filter="all", open_at="early")
    file = make_data_set(tmp_path).folder / "poi_places.parquet"
    duckdb.sql(f"COPY (SELECT * EXCLUDE (hours) FROM '{file}') TO '{file}.new' (FORMAT parquet)")
    file.with_name(f"{file.name}.new").replace(file)
    bare = {each.name: each for each in tools_over(PlacesReader(OpenDatabases(tmp_path, query_s=NO_LIMIT_S)))}
    found = await bare["search_places"].execute({"geo_filter": "all", "open_at": "Sunday 8:00"})
    assert found.data["total"] == 0
    assert "opening hours: the data has none of these places" in found.output


async def test_a_name_of_a_city_and_a_metro_is_told_as_such_and_a_category_as_the_user_said_it(call):
    found = await call("search_places", geo_filter="Harbor", category_ids="coffee shops")
    heading = found.output.splitlines()[0]
    assert "coffee shops (Snack and Nonalcoholic Beverage Bars) in Harbor, CA (city)" in heading
    assert "taken as the city; there is also Harbor (metro): geo_filter {type: metro, name: Harbor}" in heading


async def test_a_lost_share_is_told_only_where_the_effect_is_certain(call):
    new = (await call("search_places", geo_filter="all", opened_within="2025-10")).data["places"]
    seen = set()
    for place in new:
        data = (await call("get_new_store_effect", place_id=place["id"], weeks=12)).data
        totals = [each for each in (data["total"], *data["totals_by_distance"]) if each]
        assert (
            sum(each["sisters"] for each in data["totals_by_distance"]) == (data["total"] or {"sisters": 0})["sisters"]
        )
        for total in totals:
            holds = total["effect"]["low"] <= 0 <= total["effect"]["high"]
            seen.add(holds)
            assert total["certain"] is not holds
            assert not holds or total["lost_share_of_new_visits_percent"] is None
            assert (total["lost_share_of_new_visits_percent"] or 0) <= 100
    assert True in seen


async def test_a_summary_tells_changes_per_day_what_is_certain_and_totals_alone(call):
    found = await call("get_place_summary", category_ids="722", geo_filter="all", compare="previous", limit=0)
    change = found.data["total"]["changes"]["previous"]
    now, was = found.data["total"]["visits"], change["visits"]
    assert found.data["places"] == [] and "Places:" not in found.output
    assert change["change_per_day_percent"] == pytest.approx(
        100 * (now["value"] / 28 * 31 / was["value"] - 1), abs=0.06
    )
    assert change["certain"] == (now["low"] > was["high"] or now["high"] < was["low"])
    assert 0 < change["places"] <= found.data["total"]["places"]
    every = await call("get_place_summary", category_ids="722", geo_filter="all", period="2025-Q4", compare="previous")
    assert "change_per_day_percent" not in every.data["total"]["changes"]["previous"]
    assert "| Address |" in every.output


async def test_a_closed_place_is_told_as_closed_and_not_as_suppressed(call):
    closed = (await call("search_places", geo_filter="all", closed_within="2025")).data["places"][0]
    summary = await call("get_place_summary", place_ids=[closed["id"]], period="last_month")
    assert summary.data["places"][0]["unusual"] == [
        f"Closed on {closed['closed_on']}, before the period: it had no visits."
    ]
    compared = await call("compare_locations", place_ids=[closed["id"], "p001"], granularity="month", period="all")
    assert f"closed on {closed['closed_on']}: it has no figures after that" in compared.output
    assert "2026-02" not in [row["month"] for row in compared.data["rows"] if list(row.values())[2] is not None]


async def test_what_cannot_be_told_of_a_place_without_a_metro_is_named(call):
    found = await call("get_trade_area_profile", place_ids=["p031"], period="2025-Q4")
    assert found.data["outside_metro_percent"] is None
    (missing,) = [each for each in found.data["query_metadata"]["missing"] if "no metro" in each]
    assert missing.startswith("visits from outside the metro (the data has no metro of these places")
    assert missing in found.output
    assert (await call("get_trade_area_profile", place_ids=["p001"])).data["query_metadata"]["missing"] == []
