"""What holds for every number, every date and every text."""

import json
from collections.abc import Callable
from datetime import date
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from glassloop.core.evidence import find_evidence
from glassloop.core.evidence.source_texts import SourceText
from glassloop.core.records import Figure

Check = Callable[..., list[Figure]]

numbers = st.decimals(min_value="0.01", max_value="9999999999", places=4)
roundings = st.sampled_from([ROUND_HALF_UP, ROUND_HALF_EVEN])


def indian(whole: str) -> str:
    head, tail = whole[:-3], whole[-3:]
    groups = []
    while head:
        head, group = head[:-2], head[-2:]
        groups.insert(0, group)
    return ",".join([*groups, tail])


def styled(plain: str, style: str) -> str:
    whole, _, fraction = plain.partition(".")
    dotted = f".{fraction}" if fraction else ""
    comma = f",{fraction}" if fraction else ""
    return {
        "plain": plain,
        "english": f"{int(whole):,}{dotted}",
        "german": f"{int(whole):,}".replace(",", ".") + comma,
        "french": f"{int(whole):,}".replace(",", "\u202f") + comma,
        "spaced": f"{int(whole):,}".replace(",", " ") + comma,
        "swiss": f"{int(whole):,}".replace(",", "'") + dotted,
        "indian": indian(whole) + dotted,
        "wide": f"{int(whole):,}{dotted}".translate({ord(a): ord(a) + 0xFEE0 for a in "0123456789,."}),
    }[style]


STYLES = ["plain", "english", "german", "french", "spaced", "swiss", "indian", "wide"]
AROUND = ["{}", "€{}", "$ {}", "{} EUR", "{} kg", "{}元", "**{}**", "共 {} 件", "it was {}."]
HOLDERS: list[Callable[[Decimal], Any]] = [
    lambda number: {"value": float(number)},
    lambda number: [{"id": "x", "deep": {"value": [0, float(number)]}}],
    lambda number: {"note": f"the value is {number}"},
    lambda number: f"value: {number}\n",
    lambda number: f"| a | {number} | b |",
]


@given(
    numbers, st.integers(0, 4), roundings, st.sampled_from(STYLES), st.sampled_from(AROUND), st.sampled_from(HOLDERS)
)
def test_a_number_in_any_style_rounded_to_any_digit_is_found(
    check: Check, number: Decimal, places: int, rounding: str, style: str, around: str, holder: Callable[[Decimal], Any]
) -> None:
    rounded = number.quantize(Decimal(1).scaleb(-places), rounding)
    assume(rounded)
    (figure,) = check(around.format(styled(str(rounded), style)), holder(number))
    assert (figure.kind, figure.source) == ("number", "c1")


SCALES = {
    "k": 3,
    "K": 3,
    " thousand": 3,
    "m": 6,
    " million": 6,
    "M": 6,
    " bn": 9,
    "万": 4,
    " 万": 4,
    " 亿元": 8,
    "千万": 7,
}


@given(numbers, st.integers(0, 3), st.sampled_from(sorted(SCALES)), st.booleans())
def test_a_scaled_number_is_found(check: Check, number: Decimal, places: int, scale: str, minus: bool) -> None:
    rounded = number.scaleb(-SCALES[scale]).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assume(rounded)
    sign = "-" if minus else ""
    (figure,) = check(f"{sign}{rounded:f}{scale}", {"value": float(f"{sign}{number}")})
    assert figure.source == "c1"


@given(
    st.decimals(min_value="0.0001", max_value="9.9999", places=6),
    st.integers(0, 3),
    st.sampled_from(["%", " %", " percent", "％"]),
)
def test_a_percentage_is_found_as_a_fraction(check: Check, ratio: Decimal, places: int, sign: str) -> None:
    rounded = (ratio * 100).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assume(rounded)
    (figure,) = check(f"{rounded:f}{sign}", {"share": float(ratio)})
    assert figure.source == "c1"


@given(
    st.decimals(min_value="0.01", max_value="99999999", places=2),
    st.dictionaries(st.sampled_from("abc"), st.floats(-1e9, 1e9, allow_nan=False), max_size=3),
    st.sampled_from(["{}", "€{}", "{} EUR"]),
)
def test_a_number_that_was_not_observed_has_no_source(
    check: Check, number: Decimal, values: dict[str, float], around: str
) -> None:
    half = Decimal("0.00500001")
    assume(all(abs(abs(Decimal(value)) - number) > half for value in values.values()))
    (figure,) = check(around.format(number), values)
    # Two of them may make it: that is said to be computed.
    assert figure.source is None or figure.origin == "computed"


MONTHS = ["January", "February", "March", "April", "May", "June"]
MONTHS += ["July", "August", "September", "October", "November", "December"]
SHAPES: list[Callable[[date], str]] = [
    date.isoformat,
    lambda day: f"{day.day} {MONTHS[day.month - 1]} {day.year}",
    lambda day: f"{MONTHS[day.month - 1][:3]} {day.day}, {day.year}",
    lambda day: f"{MONTHS[day.month - 1]} {day.day}",
    lambda day: f"{day.month:02}/{day.day:02}/{day.year}",
    lambda day: f"{day.day}.{day.month}.{day.year}",
    lambda day: f"{day.year}年{day.month}月{day.day}日",
    lambda day: f"{day.month}月{day.day}日",
]


@given(
    st.dates(date(1990, 1, 1), date(2099, 12, 31)), st.sampled_from(SHAPES), st.sampled_from(SHAPES[:3] + SHAPES[4:7])
)
def test_a_date_in_any_shape_is_found_in_any_other(
    check: Check, day: date, said: Callable[[date], str], seen: Callable[[date], str]
) -> None:
    (figure,) = check(f"due {said(day)}.", [{"due": f"on {seen(day)}"}])
    assert (figure.kind, figure.source, figure.found) == ("date", "c1", seen(day))


PIECES = "1|23|,|.| |\n|%|€|-|(|)|\"|“|”|`|```|万|年|月|日|第|Nov|T|WH-|http://|[|]|#|:|e|ms|k|９|，|'|_|/|@|\u202f|\ud800|İ|+|~~~"
pieces = st.sampled_from(["|", *PIECES.split("|")])
texts = st.one_of(st.text(max_size=60), st.lists(pieces, max_size=40).map("".join))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
sources = st.builds(
    SourceText,
    source=st.just("c1"),
    origin=st.sampled_from(["call", "earlier_call", "earlier_answer"]),
    text=texts | values.map(lambda value: json.dumps(value)),
    failed=st.booleans(),
    sourced=st.none() | st.lists(texts, max_size=3).map(tuple),
    data=values,
    args=st.lists(values, max_size=2).map(tuple),
)


@given(texts, st.lists(sources, max_size=3), texts)
def test_any_input_gives_figures_in_order_that_slice_the_answer(
    answer: str, seen: list[SourceText], question: str
) -> None:
    asked = SourceText(source="question", origin="question", text=question)
    evidence = find_evidence(answer, [asked, *seen])
    end = 0
    for figure in evidence.figures:
        assert figure.start >= end
        assert figure.text == answer[figure.start : figure.end] != ""
        assert figure.source in {None, "question", "c1"}
        assert (figure.source is None) == (figure.found is None) == (figure.origin is None)
        end = figure.end
    assert evidence == find_evidence(answer, [asked, *seen])


@given(texts)
def test_an_answer_that_repeats_its_observation_is_its_own_evidence(check: Check, text: str) -> None:
    names = [figure for figure in check(text, {"text": text}) if figure.kind == "identifier"]
    assert all(figure.source == "c1" for figure in names)
