"""Visits by day: every row accounted for, added to what is there."""

import random

import pytest

from extensions.places.import_files import PLACES, VISITS, table
from glassloop.extensions.places.importing.report import FileRefused


@pytest.fixture
def ready(imports):
    imports.take(PLACES)
    return imports


def test_visits_are_added_to_places_that_are_there(ready):
    report = ready.take(VISITS)
    assert (report.layout, report.read, report.taken) == ("daily visits", 4, 4)
    days = "SELECT place_id, CAST(day AS VARCHAR), visits, visitors FROM poi_visits_daily ORDER BY ALL"
    assert ready.rows(days)[1] == ("p1", "2026-01-31", 0, None)
    months = "SELECT place_id, CAST(month AS VARCHAR), visits, visitors, frequency FROM poi_visits_monthly ORDER BY ALL"
    assert ready.rows(months) == [
        ("p1", "2026-01-01", 10, 8, 1.25),
        ("p1", "2026-02-01", 5, 5, 1.0),
        ("p2", "2026-02-01", 7, 7, 1.0),
    ]
    more = ready.take("placekey,DATE,visit_counts\np1,2026-02-02T00:00:00,3\np1,2026-02-01,5\np2,2026-02-01,9\n")
    assert (more.taken, more.duplicates, more.skipped) == (1, 0, 2)
    assert ready.rows("SELECT sum(visits) FROM poi_visits_monthly") == ready.rows(
        "SELECT sum(visits) FROM poi_visits_daily"
    )
    assert ready.rows("SELECT count(*) FROM poi_places") == [(3,)]


def test_every_row_that_is_not_taken_is_told_with_its_line(ready):
    rows = [
        ["p1", "2026-01-01", "5", "4"],
        ["p1", "01/02/2026", "5", "4"],
        ["", "2026-01-02", "5", "4"],
        ["nobody", "2026-01-02", "5", "4"],
        ["p1", "2026-01-03", "5.5", "4"],
        ["p1", "2026-01-04", "-1", ""],
        ["p1", "2026-01-05", "5", "6"],
        ["p1", "1850-01-05", "5", ""],
        ["p1", "2026-01-06", "", ""],
        ["p1", "2026-01-07", "7.0", "none"],
        ["p1", "2026-01-01", "5", "4"],
        ["p1", "2026-01-08", "1e3", "x"],
        ["p1", "2026-02-30", "1", ""],
    ]
    report = ready.take(table(["place_id", "day", "visits", "visitors"], rows))
    assert (report.read, report.taken, report.skipped, report.duplicates) == (13, 2, 10, 1)
    assert [each.line for each in report.problems] == [3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14]
    assert report.problems[1].reason == "no id of a place"
    assert sum(report.reasons.values()) == 11
    assert ready.rows("SELECT sum(visits) FROM poi_visits_daily") == [(12,)]


def test_a_second_file_with_the_same_rows_is_all_duplicates_and_changes_nothing(ready):
    ready.take(VISITS)
    before = ready.data_set
    report = ready.take(VISITS + "\n")
    assert (report.taken, report.duplicates) == (0, 4)
    assert ready.data_set == before


def test_visits_without_places_are_refused(imports):
    with pytest.raises(FileRefused, match="import the places first"):
        imports.take(VISITS)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_clean_files_and_those_with_one_odd_row_agree(ready, seed, tmp_path):
    """The quick way and the careful one take the same rows."""
    made = random.Random(seed)
    days = [f"2026-03-{day:02d}" for day in range(1, 29)]
    rows = [[place, day, made.randrange(50), ""] for place in ("p1", "p2", "p3") for day in days]
    made.shuffle(rows)
    odd = [*rows, ["nobody", "2026-01-01", 1, ""]]
    made.shuffle(odd)
    columns = ["place_id", "day", "visits", "visitors"]
    text = table(columns, rows)
    quoted = "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in text.splitlines())
    base = ready.data_set
    found = []
    for content in (text, quoted, table(columns, odd), text.replace("\n", "\r\n"), text.replace("\n", "\n\n", 3)):
        ready.data_set = base
        report = ready.take(content)
        assert report.taken == len(rows)
        found.append(ready.rows("SELECT * FROM poi_visits_daily"))
    assert all(each == found[0] for each in found)
    assert sorted((place, str(day), visits) for place, day, visits, *_ in found[0]) == sorted(
        (place, day, visits) for place, day, visits, _ in rows
    )
