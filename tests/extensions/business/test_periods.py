"""Which days are meant, and which they are compared with."""

from datetime import date

import pytest

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.periods import find_period

TODAY = date(2026, 11, 15)


def days(name: str | None = None, start: str = "", end: str = "", today: date = TODAY, ahead: bool = False):
    period = find_period(name, start, end, default="this_month", today=today, ahead=ahead)
    return f"{period.start}", f"{period.end}"


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        (None, "2026-11-01", "2026-11-15"), ("today", "2026-11-15", "2026-11-15"),
        ("yesterday", "2026-11-14", "2026-11-14"), ("this_week", "2026-11-09", "2026-11-15"),
        ("last_week", "2026-11-02", "2026-11-08"), ("last_month", "2026-10-01", "2026-10-31"),
        ("this_quarter", "2026-10-01", "2026-11-15"), ("last_quarter", "2026-07-01", "2026-09-30"),
        ("this_year", "2026-01-01", "2026-11-15"), ("last_year", "2025-01-01", "2025-12-31"),
        ("last_7_days", "2026-11-09", "2026-11-15"), ("last_90_days", "2026-08-18", "2026-11-15"),
        ("last_12_months", "2025-11-16", "2026-11-15"),
    ],
)  # fmt: skip
def test_a_name_means_these_days(name, start, end) -> None:
    assert days(name) == (start, end)


@pytest.mark.parametrize(
    ("name", "start", "end"),
    [
        ("this_week", "2026-11-09", "2026-11-15"), ("this_month", "2026-11-01", "2026-11-30"),
        ("tomorrow", "2026-11-16", "2026-11-16"), ("next_week", "2026-11-16", "2026-11-22"),
        ("next_month", "2026-12-01", "2026-12-31"), ("next_quarter", "2027-01-01", "2027-03-31"),
        ("this_quarter", "2026-10-01", "2026-12-31"), ("next_30_days", "2026-11-15", "2026-12-14"),
    ],
)  # fmt: skip
def test_where_the_future_counts_a_name_reaches_to_its_end(name, start, end) -> None:
    assert days(name, ahead=True) == (start, end)


@pytest.mark.parametrize(
    ("given", "ahead", "start", "end"),
    [
        ("March", False, "2026-03-01", "2026-03-31"), ("december", False, "2025-12-01", "2025-12-31"),
        ("Nov", False, "2026-11-01", "2026-11-30"), ("Q3", False, "2026-07-01", "2026-09-30"),
        ("q4", False, "2026-10-01", "2026-12-31"), ("December", True, "2026-12-01", "2026-12-31"),
        ("September", True, "2026-09-01", "2026-09-30"), ("Q1", True, "2027-01-01", "2027-03-31"),
    ],
)  # fmt: skip
def test_a_month_or_quarter_without_its_year_is_the_last_that_began_or_the_nearest(given, ahead, start, end) -> None:
    assert days(start=given, end=given, ahead=ahead) == (start, end)


@pytest.mark.parametrize("given", ["Ma", "Marchember", "Q5", "ju"])
def test_what_is_no_month_is_refused_by_its_name(given) -> None:
    with pytest.raises(BadArguments, match=given):
        days(start=given)


def test_the_turn_of_a_year_and_leap_days_are_right() -> None:
    january = date(2027, 1, 1)
    assert days("last_month", today=january) == ("2026-12-01", "2026-12-31")
    assert days("last_quarter", today=january) == ("2026-10-01", "2026-12-31")
    assert days("last_12_months", today=date(2028, 2, 29)) == ("2027-03-01", "2028-02-29")
    assert days(start="2028-02", end="2028-02") == ("2028-02-01", "2028-02-29")


@pytest.mark.parametrize(
    ("start", "end", "compare", "expected"),
    [
        ("2026-03", "2026-03", "previous_period", ("2026-02-01", "2026-02-28")),
        ("2026-Q1", "2026-Q1", "previous_period", ("2025-10-01", "2025-12-31")),
        ("2026", "2026", "previous_period", ("2025-01-01", "2025-12-31")),
        ("2026-03-10", "2026-03-19", "previous_period", ("2026-02-28", "2026-03-09")),
        ("2025-02", "2025-02", "last_year", ("2024-02-01", "2024-02-29")),
        ("2028-02-29", "2028-02-29", "last_year", ("2027-02-28", "2027-02-28")),
    ],
)
def test_periods_are_compared_with_their_like(start, end, compare, expected) -> None:
    other = find_period(None, start, end, default="all", today=date(2029, 1, 1)).against(compare)
    assert (f"{other.start}", f"{other.end}") == expected


def test_what_has_not_ended_is_compared_with_as_many_days() -> None:
    for today, name, expected in (
        (TODAY, "this_month", ("2026-10-01", "2026-10-15")),
        (date(2026, 3, 31), "this_month", ("2026-02-01", "2026-02-28")),
        (TODAY, "this_quarter", ("2026-07-01", "2026-08-15")),
        (TODAY, "this_year", ("2025-01-01", "2025-11-15")),
    ):
        other = find_period(name, "", "", default="all", today=today).against("previous_period")
        assert (f"{other.start}", f"{other.end}") == expected
