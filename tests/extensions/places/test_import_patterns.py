"""Weekly and monthly patterns: what is spread adds up to what the file counts."""

import json
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extensions.places.import_files import PLACES, pattern, patterns
from glassloop.extensions.places.data_set.views import BUCKETS
from glassloop.extensions.places.importing.report import FileRefused
from glassloop.extensions.places.importing.rows.pattern_parts import PatternRow, apportion, share_out, spread

SUMS = """SELECT (SELECT sum(visits) FROM poi_visits_daily), (SELECT sum(visits) FROM poi_visits_monthly),
    (SELECT sum(visits) FROM poi_hours), (SELECT sum(visits) FROM poi_dwell)"""


def test_a_week_in_two_months_adds_up_by_day_hour_and_dwell(imports):
    imports.take(PLACES)
    report = imports.take(patterns(pattern()))
    assert (report.layout, report.taken, report.disagreements) == ("SafeGraph/Advan patterns", 1, 0)
    assert imports.rows(SUMS) == [(29, 29, 29, 29)]
    by_month = """SELECT CAST(month AS VARCHAR), visits, visitors, dwell_median, panel_visits FROM poi_visits_monthly
        ORDER BY month"""
    assert imports.rows(by_month) == [("2026-01-01", 20, 13, 22.0, 20), ("2026-02-01", 9, 6, 22.0, 9)]
    for view in ("poi_hours", "poi_dwell"):
        assert imports.rows(f"SELECT sum(visits) FROM {view} GROUP BY month ORDER BY month") == [(20,), (9,)]
    monday = imports.rows("SELECT hour_of_week, visits FROM poi_hours WHERE hour_of_week < 24 ORDER BY ALL")
    assert monday == [(9, 2), (17, 2)]
    sunday = imports.rows("SELECT hour_of_week, visits FROM poi_hours WHERE month = '2026-02-01' ORDER BY ALL")
    assert sunday == [(144 + 9, 4), (144 + 17, 5)]
    ((visits, visitors),) = imports.rows("SELECT sum(visits), sum(visitors) FROM poi_homes")
    assert (visits <= 29, visitors) == (True, 12)
    shared = "SELECT other_id, sum(shared_visitors) FROM poi_overlap GROUP BY other_id ORDER BY 1"
    assert imports.rows(shared) == [("blue", 2), ("walmart", 5)]


@pytest.mark.slow
def test_months_are_made_of_weeks_that_come_in_several_files(imports):
    imports.take(PLACES)
    first = date(2026, 3, 2)
    for number in range(4):
        start = first + timedelta(7 * number)
        report = imports.take(
            patterns(pattern(start=f"{start}T00:00:00-08:00", end=f"{start + timedelta(7)}T00:00:00-07:00"))
        )
        assert report.taken == 1
    assert imports.rows(SUMS) == [(4 * 29,) * 4]
    assert imports.rows("SELECT visits, visitors, panel_visitors FROM poi_visits_monthly") == [(116, 76, 19)]
    assert imports.rows("SELECT count(*) FROM poi_visits_daily") == [(28,)]


def test_weeks_that_overlap_and_rows_that_are_there_are_told(imports):
    imports.take(PLACES)
    other = pattern(start="2026-01-29T00:00:00-08:00", end="2026-02-05T00:00:00-08:00")
    report = imports.take(patterns(pattern(), pattern(), other, pattern("p2")))
    assert (report.taken, report.skipped, report.duplicates) == (2, 1, 1)
    assert [each.line for each in report.problems] == [3, 4]
    again = imports.take(patterns(pattern(), pattern(visits_by_day=[1, 1, 1, 1, 1, 1, 8]), pattern("p3")))
    assert (again.taken, again.duplicates, again.skipped) == (1, 2, 0)
    changed = imports.take(patterns(pattern(visits_by_day=[9, 9, 9, 9, 9, 9, 9]), pattern("p9")))
    assert (changed.taken, changed.skipped) == (1, 1)
    assert "overlaps days that are there already" in changed.problems[0].reason


def test_sums_that_disagree_are_told_and_left_out(imports):
    imports.take(PLACES)
    bad = [
        pattern("p1", raw_visit_counts=30),
        pattern("p2", visits_by_each_hour=[1] * 168),
        pattern("p3", bucketed_dwell_times={"<5": 1}),
        {**pattern("p4"), "visits_by_day": "[1, 2"},
        pattern("p5", bucketed_dwell_times={"forever": 29}),
        pattern("p6", raw_visitor_counts=99),
        pattern("p7", date_range_start="yesterday"),
        pattern("p8", end="2026-03-05T00:00:00-08:00"),
        pattern("p9", visitor_home_cbgs={"060750101001": -4}),
    ]
    report = imports.take(patterns(*bad))
    assert (report.taken, report.skipped, report.disagreements) == (2, 7, 2)
    assert len(report.problems) == 9
    assert imports.rows("SELECT place_id, sum(visits) FROM poi_hours GROUP BY 1") == [("p3", 29)]
    assert imports.rows("SELECT place_id, sum(visits) FROM poi_dwell GROUP BY 1") == [("p2", 29)]


def test_a_monthly_row_without_days_is_a_month(imports):
    imports.take(PLACES)
    month = {**pattern(start="1767254400", end="1769932800"), "visits_by_day": "", "visits_by_each_hour": ""}
    assert imports.take(patterns(month)).taken == 1
    found = "SELECT CAST(month AS VARCHAR), visits FROM poi_visits_monthly"
    assert imports.rows(found) == [("2026-01-01", 29)]
    # What is there as a whole month cannot be counted again by its weeks or days.
    again = imports.take(patterns(month, pattern(), pattern("p2")))
    assert (again.taken, again.skipped, again.duplicates) == (1, 1, 1)
    days = imports.take("place_id,day,visits\np1,2026-01-05,3\np3,2026-01-05,3\n")
    assert (days.taken, days.skipped) == (1, 1)
    assert imports.rows(f"{found} WHERE place_id = 'p1'") == [("2026-01-01", 29)]


def test_patterns_name_places_that_are_not_there_yet(imports):
    report = imports.take(patterns(pattern("new")))
    assert imports.rows("SELECT id, name, lat FROM poi_places") == [("new", "Place new", None)]
    assert any("no coordinates" in note for note in report.notes)
    nameless = pattern("other")
    del nameless["location_name"]
    with pytest.raises(FileRefused, match="import the core places first"):
        imports.take(patterns(nameless))


@pytest.mark.parametrize(("length", "twice_or_missing"), [(167, "missing"), (169, "twice")])
def test_hours_of_the_week_in_which_the_clocks_change(length, twice_or_missing):
    hours = [1] * length
    days = [24, 24, 24, 24, 24, 24, length - 144]
    row = PatternRow(
        start=date(2026, 3, 2), days=7, visits=length, visitors=None, each_day=json.dumps(days),
        each_hour=json.dumps(hours), dwell=None, homes=None, brands=None,
    )  # fmt: skip
    found = dict.fromkeys(range(168), 0)
    for _, hour, count in spread(row).hours:
        found[hour] += count
    odd = {hour - 144: count for hour, count in found.items() if count != 1}
    assert odd == ({2: 0} if twice_or_missing == "missing" else {1: 2})


homes = st.dictionaries(st.text("0123456789", min_size=1), st.integers(0, 50))
counts = st.lists(st.integers(0, 10_000), min_size=1, max_size=31)


@given(counts, st.integers(0, 100_000))
def test_whole_parts_add_up(weights, total):
    parts = apportion(total, weights)
    assert sum(parts) == total
    assert min(parts) >= 0


@given(counts, st.data())
def test_parts_of_parts_add_up_both_ways(whole, data):
    totals = apportion(sum(whole), data.draw(counts))
    shares = share_out(whole, totals)
    assert [sum(each) for each in shares] == totals
    assert [sum(each) for each in zip(*shares, strict=True)] == whole
    assert min(min(each) for each in shares) >= 0


@pytest.mark.slow
@given(
    st.dates(date(2018, 1, 1), date(2026, 12, 1)),
    st.lists(st.lists(st.integers(0, 40), min_size=24, max_size=24), min_size=1, max_size=31),
    st.data(),
)
def test_any_week_or_month_adds_up(start, each, data):
    days = [sum(hours) for hours in each]
    visits = sum(days)
    dwell = dict(
        zip(BUCKETS, apportion(visits, data.draw(st.lists(st.integers(0, 9), min_size=7, max_size=7))), strict=True)
    )
    visitors = data.draw(st.integers(0, visits))
    row = PatternRow(
        start=start, days=len(days), visits=visits, visitors=visitors, each_day=json.dumps(days),
        each_hour=json.dumps([count for hours in each for count in hours]), dwell=json.dumps(dwell),
        homes=json.dumps(data.draw(homes)), brands=None,
    )  # fmt: skip
    parts = spread(row)
    assert sum(count for _, count in parts.daily) == visits
    for month, (count, persons) in parts.months.items():
        assert count == sum(visit for day, visit in parts.daily if day.replace(day=1) == month)
        assert count == sum(visit for when, _, visit in parts.hours if when == month)
        assert count == sum(visit for when, _, visit in parts.dwell if when == month)
        assert sum(visit for when, _, visit, _ in parts.homes if when == month) <= count
        assert persons is not None
        assert persons <= count
    by_bucket = {bucket: sum(visit for _, each, visit in parts.dwell if each == bucket) for bucket in BUCKETS}
    assert by_bucket == dwell
