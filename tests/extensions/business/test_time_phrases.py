"""When a meeting begins: written out, or as people say it."""

from datetime import date

import pytest

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.time_phrases import read_moment

SUNDAY, MONDAY = date(2026, 11, 15), date(2026, 11, 16)


def read(given: str, asked: date = SUNDAY) -> str:
    return f"{read_moment(given, 'start', asked):%Y-%m-%d %H:%M}"


def test_moments_are_read_in_utc() -> None:
    assert read("2026-11-16 14:30") == "2026-11-16 14:30"
    assert read("2026-11-16T14:30:59+02:00") == "2026-11-16 12:30"
    assert read("2026-11-16T14:30Z") == "2026-11-16 14:30"


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("today 17:00", "2026-11-15 17:00"),
        ("tomorrow 10:00", "2026-11-16 10:00"),
        ("Tomorrow at 10am", "2026-11-16 10:00"),
        ("tomorrow, 12:15 pm UTC", "2026-11-16 12:15"),
        ("tomorrow 12am", "2026-11-16 00:00"),
        ("the day after tomorrow 9:05", "2026-11-17 09:05"),
        ("Tuesday 14:30", "2026-11-17 14:30"),
        ("next Tuesday 14:30", "2026-11-17 14:30"),
        ("on Tuesday next week at 14:30", "2026-11-17 14:30"),
        ("Sunday 08:00", "2026-11-22 08:00"),
        ("20 November 16:00", "2026-11-20 16:00"),
        ("Nov 20th at 16:00", "2026-11-20 16:00"),
        ("3 March 16:00", "2027-03-03 16:00"),
        ("29 February 09:00", "2028-02-29 09:00"),
        ("明天 10:00", "2026-11-16 10:00"),
        ("明天10:00", "2026-11-16 10:00"),
        ("后天 15:30", "2026-11-17 15:30"),
        ("周二 14:30", "2026-11-17 14:30"),
        ("下周二 14:30", "2026-11-17 14:30"),
        ("下个星期天 14:30", "2026-11-22 14:30"),
        ("本周日 14:30", "2026-11-15 14:30"),
        ("11月20日 16:00", "2026-11-20 16:00"),
    ],
)
def test_days_are_read_as_people_say_them(said: str, meant: str) -> None:
    assert read(said) == meant


def test_next_tuesday_on_a_monday_is_that_of_the_next_week_and_tuesday_the_first_to_come() -> None:
    assert read("Tuesday 14:30", MONDAY) == "2026-11-17 14:30"
    assert read("next Tuesday 14:30", MONDAY) == read("下周二 14:30", MONDAY) == "2026-11-24 14:30"
    assert read("Monday 14:30", MONDAY) == read("next Monday 14:30", MONDAY) == "2026-11-23 14:30"


@pytest.mark.parametrize(
    "given",
    [
        "2026-11-16", "noon", "2026-11-31 10:00", "9999-12-31 23:59+00:00", "tomorrow", "10:00", "tomorrow 25:00",
        "tomorrow 10:60", "tomorrow 13pm", "31 February 10:00", "next month 10:00", "yesterday 10:00", "",
        "13月40日 10:00", "tomorrow " * 1000 + "10:00", "1" * 100_000, "tomorrow' OR 1=1 -- 10:00",
    ],
)  # fmt: skip
def test_what_names_no_day_and_time_is_refused(given: str) -> None:
    with pytest.raises(BadArguments, match="start"):
        read(given)
