"""What was computed rightly has a source, and what is a little off has none: tables, days, quarters, quotations."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.evidence.conftest import observed

from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.computed.relative_days import days_meant, moved
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

cents = st.integers(100_000, 99_999_999)
slips = st.integers(-5_000, 5_000).filter(bool)
days = st.dates(date(2001, 1, 1), date(2098, 12, 31))


def money(value: int) -> str:
    return f"{value / 100:,.2f}"


def shown(rows: list[int]) -> str:
    lines = "".join(f"| SI-{number:04} | {money(value)} |\n" for number, value in enumerate(rows, 1))
    return f"| Invoice | Amount |\n| --- | --- |\n{lines}"


def by_text(figures: list[Figure], text: str) -> Figure:
    return next(figure for figure in figures if figure.text == text)


def with_today(answer: str, today: date, question: str, *seen: Any) -> list[Figure]:
    context = SourceText(source="context", origin="context", text=f"{today:%A %d %B %Y}, 10:21 UTC.", observed=False)
    asked = SourceText(source="question", origin="question", text=question, observed=False)
    return list(find_evidence(answer, [context, asked, *observed(*seen)]).figures)


@given(st.lists(cents, min_size=2, max_size=8, unique=True), slips, st.booleans())
def test_a_column_of_the_answer_adds_up_to_its_sum_and_to_nothing_near_it(
    check: Check, rows: list[int], slip: int, above: bool
) -> None:
    table, total = shown(rows), sum(rows)
    seen = [{"invoice": f"SI-{number:04}", "amount": value / 100} for number, value in enumerate(rows, 1)]
    seen.append({"invoice": "SI-9999", "amount": 1.5})
    for value, origin in ((total, "computed"), (total + slip, None)):
        assume(all(value != row for row in rows) and value != total + 150)
        assume(not any(abs(value) in (abs(a - b), a + b) for a in rows for b in rows) or value == total)
        said = f"Together {money(value)}."
        figures = check(f"{said}\n\n{table}" if above else f"{table}\n{said}", seen)
        assert by_text(figures, money(value)).origin == origin


@given(cents, cents, slips)
def test_two_totals_of_different_results_have_one_difference(check: Check, one: int, other: int, slip: int) -> None:
    assume(abs(one - other) >= 100_000 and 50 * min(one, other, abs(one - other)) > max(one, other))
    difference = abs(one - other)
    assume(difference + slip not in (one, other, one + other))
    for value, origin in ((difference, "computed"), (difference + slip, None)):
        answer = f"{money(value)} are left.\n\nAll: {money(one)}.\n\nGone: {money(other)}."
        assume(value not in (one, other))
        (figure, *_) = check(answer, {"total": one / 100}, {"total": other / 100})
        assert figure.origin == origin


@given(days, st.integers(1, 400), st.integers(-30, 30).filter(bool))
def test_days_late_are_those_between_the_day_and_today(today: date, late: int, slip: int) -> None:
    due = today - timedelta(days=late)
    for value, origin in ((late, "computed"), (late + slip, None)):
        # There is one row, and parts of the days that were observed are numbers too.
        assume(value > 1 and value not in (due.day, due.month, today.day, today.month, 10, 21))
        answer = f"| Order | Due | Days late |\n| --- | --- | --- |\n| PO-7781 | {due} | {value} |"
        figures = with_today(answer, today, "Which are late?", [{"order": "PO-7781", "due": str(due)}])
        assert figures[-1].text == str(value)
        assert figures[-1].origin == origin


@given(days, st.integers(1, 24), st.sampled_from(["day", "week", "month", "year"]), st.integers(-20, 20).filter(bool))
def test_so_long_ago_is_one_day(today: date, count: int, unit: str, slip: int) -> None:
    day = moved(today, -count, unit)
    assert day is not None
    for value, origin in ((day, "computed"), (day + timedelta(days=slip), None)):
        assume(value != today)
        question = f"What was it {count} {unit}s ago?"
        (figure,) = with_today(f"Nothing is known of {value.day} {value:%B %Y}.", today, question, "no data")
        assert figure.origin == origin


@pytest.mark.parametrize(
    ("words", "day"),
    [
        ("three months ago", date(2026, 2, 28)),
        ("a week ago", date(2026, 5, 24)),
        ("in 10 days", date(2026, 6, 10)),
        ("vor zwei Wochen", date(2026, 5, 17)),
        ("三个月前", date(2026, 2, 28)),
        ("by the end of the year", date(2026, 12, 31)),
        ("at month's end", date(2026, 5, 31)),
        ("until tomorrow", date(2026, 6, 1)),
        ("a few weeks ago", None),
        ("at next year's end", None),
        ("in 2 or 3 days", None),
        ("明年年底", None),
    ],
)
def test_words_mean_a_day_only_where_they_are_exact(words: str, day: date | None) -> None:
    meant = [one for one, _ in days_meant(words, date(2026, 5, 31))]
    assert meant == ([] if day is None else [day])


@pytest.mark.parametrize(
    ("words", "days"),
    [
        ("who is on this friday", ["2030-08-23"]),
        ("on Friday this week", ["2030-08-23"]),
        ("and on friday?", ["2030-08-23", "2030-08-16"]),
        ("next Monday", ["2030-08-26", "2030-08-26"]),
        ("next friday", ["2030-08-23", "2030-08-30"]),
        ("friday of next week", ["2030-08-30"]),
        ("next week Friday", ["2030-08-30"]),
        ("last friday", ["2030-08-16", "2030-08-16"]),
        ("last tuesday", ["2030-08-20", "2030-08-13"]),
        ("Freitag nächster Woche", ["2030-08-30"]),
        ("nächsten Montag", ["2030-08-26", "2030-08-26"]),
        ("下周一", ["2030-08-26"]),
        ("下下周一", ["2030-09-02"]),
        ("thursday of the week after next", ["2030-09-05"]),
        ("am Donnerstag in der übernächsten Woche", ["2030-09-05"]),
        ("Freitagvormittag", ["2030-08-23", "2030-08-16"]),
        ("the 12th", ["2030-08-12", "2030-07-12", "2030-09-12"]),
        ("am 31. vielleicht", ["2030-08-31", "2030-07-31"]),
        ("am 3. Januar", ["2030-01-03", "2031-01-03"]),
        ("first of january 2032", ["2032-01-01"]),
        ("24号呢", ["2030-08-24", "2030-07-24", "2030-09-24"]),
        ("本周五", ["2030-08-23"]),
        ("today", ["2030-08-21"]),
        ("the day after tomorrow", ["2030-08-23"]),
        ("übermorgen", ["2030-08-23"]),
        ("on 26 august", ["2030-08-26"]),
        ("aug 26", ["2030-08-26"]),
        ("the 3rd of january", ["2030-01-03", "2031-01-03"]),
        ("26 august 2033", ["2033-08-26"]),
        ("am 22.8.", ["2030-08-22"]),
        ("12月3日", ["2030-12-03", "2029-12-03"]),
        ("from 25 to 28 august 2030", ["2030-08-28", "2030-08-25"]),
        ("19th - 21st of august 2032", ["2032-08-21", "2032-08-19"]),
        ("august 25 to 28, 2030", ["2030-08-28", "2030-08-25"]),
        ("vom 3. bis zum 5. september", ["2030-09-05", "2029-09-05", "2030-09-03", "2029-09-03"]),
        ("31 february", []),
        ("may 2030 be better", []),
        ("version 22.8.1", []),
    ],
)
def test_days_of_the_week_and_of_the_year_as_people_type_them(words: str, days: list[str]) -> None:
    assert [str(one) for one, _ in days_meant(words, date(2030, 8, 21))] == days


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("visits last month", "2030-07-01", "2030-07-31"),
        ("im letzten Monat", "2030-07-01", "2030-07-31"),
        ("上个月的访问量", "2030-07-01", "2030-07-31"),
        ("this week", "2030-08-19", "2030-08-25"),
        ("next week's shifts", "2030-08-26", "2030-09-01"),
        ("下周有什么", "2030-08-26", "2030-09-01"),
        ("the previous quarter", "2030-04-01", "2030-06-30"),
        ("im laufenden Jahr", "2030-01-01", "2030-12-31"),
        ("去年", "2029-01-01", "2029-12-31"),
    ],
)
def test_a_period_means_its_first_and_its_last_day(words: str, first: str, last: str) -> None:
    assert [str(one) for one, _ in days_meant(words, date(2030, 8, 21))] == [first, last]


def last_day(year: int, quarter: int) -> date:
    return date(year + quarter // 4, quarter % 4 * 3 + 1, 1) - timedelta(days=1)


@given(st.integers(1990, 2090), st.integers(1, 4), st.integers(1990, 2090), st.integers(1, 4), st.booleans())
def test_a_quarter_is_its_days_and_no_others(
    check: Check, year: int, quarter: int, other_year: int, other: int, data: bool
) -> None:
    first, last = date(year, quarter * 3 - 2, 1), last_day(year, quarter)
    seen = {"from": str(first), "to": str(last)} if data else f"Summary · {first} to {last}"
    for said_year, said in ((year, quarter), (other_year, other), (year, other), (other_year, quarter)):
        (figure, *_) = check(f"In Q{said} {said_year} nothing happened.", seen)
        assert (figure.text, figure.source is not None) == (f"Q{said}", (said_year, said) == (year, quarter))


@given(st.integers(1990, 2090), st.integers(1, 4), st.integers(1, 200).filter(bool), st.booleans())
def test_a_part_of_a_quarter_is_no_quarter(check: Check, year: int, quarter: int, less: int, late: bool) -> None:
    first, last = date(year, quarter * 3 - 2, 1), last_day(year, quarter)
    first, last = (first + timedelta(days=less), last) if late else (first, last - timedelta(days=less))
    (figure, *_) = check(f"In Q{quarter} {year} nothing happened.", f"Summary · {first} to {last}")
    assert figure.source is None


words = st.lists(st.text("abcdefghij", min_size=4, max_size=8), min_size=6, max_size=12, unique=True)


@given(words, st.data())
def test_a_shortened_quotation_is_word_for_word_on_both_sides(
    check: Check, text: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(2, len(text) - 3))
    stop = data.draw(st.integers(start, len(text) - 2))
    kept = [*text[:start], "…", *text[stop:]]
    seen = {"body": " ".join(text), "other": "kkkk llll"}
    assert [one.source for one in check(f'"{" ".join(kept)}"', seen)] == ["c1"]
    changed = data.draw(st.sampled_from([at for at, word in enumerate(kept) if word != "…"]))
    for other in ("kkkk", "zzzz", text[changed - 1] if changed < start else "llll"):
        wrong = [*kept[:changed], other, *kept[changed + 1 :]]
        if " ".join(wrong) != " ".join(kept):
            assert [one.source for one in check(f'"{" ".join(wrong)}"', seen)] == [None]


@given(st.lists(st.sampled_from(["open", "partial", "late"]), min_size=3, max_size=20), st.integers(2, 25))
def test_rows_with_a_value_are_as_many_as_there_are(check: Check, states: list[str], count: int) -> None:
    rows = [{"order": f"PO-{number:05}", "state": state} for number, state in enumerate(states, 70_000)]
    assume(count != len(states))
    (figure,) = check(f"{count} partial orders are left.", rows)
    assert (figure.origin == "computed") == (states.count("partial") == count)
