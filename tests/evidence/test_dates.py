"""Dates and times in their many shapes."""

from collections.abc import Callable

import pytest

from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

SHAPES = [
    "2026-11-14",
    "2026/11/14",
    "2026.11.14",
    "14 November 2026",
    "14 Nov 2026",
    "14-Nov-2026",
    "14th of November 2026",
    "November 14, 2026",
    "Nov. 14 2026",
    "NOV 14, 2026",
    "November 14th, 2026",
    "11/14/2026",
    "14/11/2026",
    "14.11.2026",
    "2026年11月14日",
    "2026 年 11 月 14 日",
    "２０２６年１１月１４日",
]


@pytest.mark.parametrize("written", SHAPES)
def test_a_date_of_any_shape_is_found_in_a_timestamp(check: Check, written: str) -> None:
    (figure,) = check(f"Due {written}.", {"due": "2026-11-14T09:30:00Z"})
    assert (figure.text, figure.kind, figure.source) == (written, "date", "c1")
    assert figure.found == "2026-11-14T09:30:00Z"


@pytest.mark.parametrize("written", SHAPES)
def test_a_date_is_found_in_a_source_of_any_shape(check: Check, written: str) -> None:
    (figure,) = check("Due 2026-11-14.", f"due: {written} (Saturday)")
    assert (figure.source, figure.found) == ("c1", written)


@pytest.mark.parametrize("written", SHAPES)
def test_another_day_has_no_source(check: Check, written: str) -> None:
    (figure,) = check(f"Due {written}.", {"due": "2026-11-15T09:30:00Z"}, {"due": 20261115}, "15 Nov 2026, 14.10.2026")
    assert figure.source is None


PARTS = [
    ("Nov 14", "2026-11-14"),
    ("14 November", "2026-11-14 09:30:00"),
    ("11月14日", "2026-11-14"),
    ("November 2026", "2026-11-14"),
    ("2026-11", "2026-11-14"),
    ("2026年11月", "14 November 2026"),
    ("2026年", "2026-11-14"),
    ("14:05", "2026-11-14T14:05:33+01:00"),
    ("14:05:33", "2026-11-14T14:05:33Z"),
    ("2:05 pm", "14:05"),
    ("2:05 p.m.", "14:05:00"),
    ("2 pm", "14:00"),
    ("下午2点05分"[2:], "下午2点05分"),
    ("14:05", "2:05 PM"),
    ("14点05分", "14:05"),
    ("2026-11-14T14:05:00Z", "2026-11-14 14:05"),
    ("21:00", "2026-11-14 18:30-21:00"),
    ("12:00", "2026-11-14 10:00-12:00"),
    ("9 pm", "2026-11-14 18:30-21:00, hall 2"),
    ("14:05", "2026-11-14T14:05-05:00"),
    ("14:05", "2026-11-14 14:05:33-0500"),
    ("03/04/2026", "2026-04-03"),
    ("03/04/2026", "2026-03-04"),
]


@pytest.mark.parametrize(("written", "source"), PARTS)
def test_the_part_of_a_moment_that_is_named_is_found(check: Check, written: str, source: str) -> None:
    (figure,) = check(f"See {written} there", source)
    assert (figure.text, figure.kind, figure.source) == (written, "date", "c1")


def test_an_afternoon_hour_in_chinese_is_found_on_the_24_hour_clock(check: Check) -> None:
    (figure,) = check("会议在下午2点30分开始", {"start": "2026-11-14T14:30:00"})
    assert (figure.text, figure.source) == ("2点30分", "c1")


@pytest.mark.parametrize(("written", "number"), [("14 Nov 2026", 20261114), ("2026年", 2026)])
def test_dates_kept_as_numbers_are_found(check: Check, written: str, number: int) -> None:
    (figure,) = check(written, [{"day": number}])
    assert figure.source == "c1"


def test_date_and_time_are_linked_each_to_where_it_stands(check: Check) -> None:
    figures = check("On 2026-11-14 14:05.", {"date": "14 Nov 2026"}, {"time": "14:05"})
    assert [(f.text, f.source) for f in figures] == [("2026-11-14", "c1"), ("14:05", "c2")]


@pytest.mark.parametrize(
    ("written", "source"),
    [
        ("14:05", "14:50"),
        ("2:05 pm", "02:05"),
        ("05:00", "2026-11-14T14:05-05:00"),
        ("05:00", "2026-11-14 14:05:33-05:00"),
        ("2026-11-14T14:05:00Z", "2026-11-14 15:05"),
        ("Nov 2026", "Nov 14"),
    ],
)
def test_what_the_source_does_not_say_has_no_source(check: Check, written: str, source: str) -> None:
    (figure,) = check(written, source)
    assert (figure.kind, figure.source) == ("date", None)


@pytest.mark.parametrize("answer", ["Sie kam im April 3-mal zu spät", "im Mai 3 Mal", "In May 3 times"])
def test_how_often_something_was_in_a_month_is_no_day(check: Check, answer: str) -> None:
    (figure,) = check(answer, "late: 3")
    assert (figure.text, figure.kind, figure.source) == ("3", "number", "c1")


def test_numbers_that_look_like_dates_stay_numbers(check: Check) -> None:
    figures = check("13/25/2026, 99:99, 3:1, may 5 people", "nothing")
    assert {figure.kind for figure in figures} == {"number"}


@pytest.mark.parametrize(
    ("answer", "texts"),
    [
        ("14–16 November 2026", ["14", "16 November 2026"]),
        ("Nov 14–16", ["Nov 14", "16"]),
        ("11月14日至16日", ["11月14日", "16"]),
        ("14 to 16 Nov", ["14", "16 Nov"]),
    ],
)
def test_the_days_of_a_range_share_their_month(check: Check, answer: str, texts: list[str]) -> None:
    seen = check(answer, {"start": "2026-11-14", "end": "2026-11-16"})
    assert [(f.text, f.kind, f.source) for f in seen] == [(text, "date", "c1") for text in texts]
    assert [f.source for f in check(answer, {"start": "2026-10-14", "end": "2026-10-16"})] == [None, None]


def test_a_decade_is_no_number_of_seconds(check: Check) -> None:
    (figure,) = check("in the 1990s", {"founded": "1990-05-01", "uptime_s": 7})
    assert (figure.text, figure.source) == ("1990s", "c1")


@pytest.mark.parametrize(
    ("answer", "days"),
    [
        ("It arrives Fri 11-20.", ["11-20"]),
        ("It arrives on Friday, 11-20, at noon.", ["11-20"]),
        ("Am Freitag (11-20).", ["11-20"]),
        ("周五（11-20）到货。", ["11-20"]),
        ("It is due on 11-20.", ["11-20"]),
        ("Next week (2026-11-20 to 11-29) has none.", ["2026-11-20", "11-29"]),
        ("下周（2026-11-20 至 11-29）没有。", ["2026-11-20", "11-29"]),
        ("Open from Fri 11-20 to 11-29.", ["11-20", "11-29"]),
    ],
)
def test_a_day_without_a_year_is_a_date_after_its_weekday_or_another_date(
    check: Check, answer: str, days: list[str]
) -> None:
    figures = check(answer, {"first": "2026-11-20", "last": "2026-11-29"})
    assert [(each.text, each.kind, each.source) for each in figures] == [(day, "date", "c1") for day in days]
    assert None in [each.source for each in check(answer, {"first": "2026-11-21", "last": "2026-11-28"})]


@pytest.mark.parametrize("answer", ["It rained on 11-12 days.", "So 11-12 people came.", "Seats 11-12 are free."])
def test_two_numbers_are_no_day_without_a_sign_of_it(check: Check, answer: str) -> None:
    found = [(each.kind == "date", each.source) for each in check(answer, "between 11 and 12")]
    assert found == [(False, "c1"), (False, "c1")]


def test_days_without_a_year_are_dates_before_a_time_and_in_a_range(check: Check) -> None:
    raised, time = check("Raised 11-14 16:00.", {"raised": "2026-11-14 16:00"})
    assert (raised.text, raised.kind, raised.source, time.source) == ("11-14", "date", "c1", "c1")
    first, last = check("Umsatz (01.07.–30.09.)", {"from": "2026-07-01", "to": "2026-09-30"})
    assert [(each.kind, each.source) for each in (first, last)] == [("date", "c1"), ("date", "c1")]
    wrong, _ = check("Raised 11-13 16:00.", {"raised": "2026-11-14 16:00"})
    assert wrong.source is None
    days, price = (
        check("It takes 11-14 days.", "between 11 and 14 days"),
        check("It costs 30.09.", {"on": "2026-09-30"}),
    )
    assert all(each.source == "c1" for each in days)
    assert all(each.source is None for each in price)
