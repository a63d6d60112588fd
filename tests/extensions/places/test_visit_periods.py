"""Periods: as models name them, in whole days, from the last day of the data."""

from datetime import date

import pytest

from glassloop.core.errors import BadArguments
from glassloop.extensions.places.query.periods import DataDays, compared_periods, day_ranges, read_period

DAYS = DataDays(date(2025, 1, 1), date(2026, 3, 15))
"""A Sunday in the middle of a month."""


@pytest.mark.parametrize(
    ("text", "start", "end", "complete"),
    [
        ("last_month", "2026-02-01", "2026-02-28", True), ("Last Month", "2026-02-01", "2026-02-28", True),
        ("this_month", "2026-03-01", "2026-03-15", False), ("last_week", "2026-03-09", "2026-03-15", True),
        ("last_90_days", "2025-12-16", "2026-03-15", True), ("last 2 weeks", "2026-03-02", "2026-03-15", True),
        ("last_3_months", "2025-12-01", "2026-02-28", True), ("last_quarter", "2025-10-01", "2025-12-31", True),
        ("2026-Q1", "2026-01-01", "2026-03-15", False), ("Q4 2025", "2025-10-01", "2025-12-31", True),
        ("2025-02", "2025-02-01", "2025-02-28", True), ("2025", "2025-01-01", "2025-12-31", True),
        ("2026-03-05", "2026-03-05", "2026-03-05", True), ("last_year", "2025-01-01", "2025-12-31", True),
        ("March 2025", "2025-03-01", "2025-03-31", True), ("december", "2025-12-01", "2025-12-31", True),
        ("2025-11..2026-01", "2025-11-01", "2026-01-31", True), ("all", "2025-01-01", "2026-03-15", True),
        ("2025-06-03 to 2025-06-09", "2025-06-03", "2025-06-09", True), ("ytd", "2026-01-01", "2026-03-15", False),
    ],
)  # fmt: skip
def test_a_period_is_read_as_it_is_meant(text, start, end, complete):
    found = read_period(text, DAYS)
    assert (str(found.start), str(found.end), found.complete) == (start, end, complete)


@pytest.mark.parametrize(
    ("text", "previous", "year"),
    [
        ("last_month", ("2026-01-01", "2026-01-31"), ("2025-02-01", "2025-02-28")),
        ("2026-03", ("2026-02-01", "2026-02-15"), ("2025-03-01", "2025-03-15")),
        ("2025-Q4", ("2025-07-01", "2025-09-30"), None),
        ("last_90_days", ("2025-09-17", "2025-12-15"), None),
        ("2025-01", None, None),
    ],
)
def test_a_period_is_compared_with_as_many_days_where_there_are_any(text, previous, year):
    found = dict(compared_periods(read_period(text, DAYS), "both", DAYS))
    told = {kind: each and (str(each.start), str(each.end)) for kind, each in found.items()}
    assert told == {"previous": previous, "year": year}


def test_dates_take_the_place_of_a_period():
    found = read_period("last_month", DAYS, start="2025-12-20", end="2026-01-10")
    assert (found.days, found.label) == (22, "2025-12-20 to 2026-01-10")
    months, ends = day_ranges(found, DAYS)
    assert months is None and ends == ((date(2025, 12, 20), date(2026, 1, 10)),)
    assert day_ranges(read_period("2025-12-20..2026-03-15", DAYS), DAYS) == (
        (date(2026, 1, 1), date(2026, 3, 1)),
        [(date(2025, 12, 20), date(2025, 12, 31))],
    )


@pytest.mark.parametrize("text", ["soon", "2026-13", "2026-02-30", "last_0_days", "last 9999 years", "2026-Q5", "٢٠٢٦"])
def test_what_is_no_period_is_told_with_examples(text):
    with pytest.raises(BadArguments, match="give last_month, last_quarter, last_90_days, 2026-Q1"):
        read_period(text, DAYS)


@pytest.mark.parametrize("text", ["2024", "2027-01", "2026-03-16"])
def test_a_period_without_data_says_which_there_is(text):
    with pytest.raises(BadArguments, match="the data has 2025-01-01 to 2026-03-15"):
        read_period(text, DAYS)
