"""`convert_units`: exact factors, units by every name people use, and clear words where they cannot be."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.conversion import units
from glassloop.extensions.general.tools import convert_units

CASES = tomllib.loads((Path(__file__).parent / "expressions.toml").read_text("utf-8"))


@pytest.mark.parametrize(("value", "source", "target", "text"), CASES["conversions"])
def test_a_value_is_converted_by_its_exact_factor(value: float, source: str, target: str, text: str) -> None:
    assert convert_units(value, source, target)["text"] == text


def test_the_other_unit_tells_which_ounce_is_meant() -> None:
    assert convert_units(8, "oz", "g")["from"] == "ounce"
    assert convert_units(8, "oz", "ml")["from"] == "US fluid ounce"


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("mb", "gb", r"'Mb' \(megabit\) or 'MB' \(megabyte\)"),
        ("mw", "kW", r"'mW' \(milliwatt\) or 'MW' \(megawatt\)"),
        ("ton", "kg", "short ton"),
    ],
)
def test_a_name_with_several_meanings_is_asked_back(source: str, target: str, words: str) -> None:
    with pytest.raises(BadArguments, match=words):
        convert_units(1, source, target)


def test_units_of_different_things_are_refused_by_name() -> None:
    with pytest.raises(BadArguments, match=r"'kg' \(mass\) to 'm' \(length\)"):
        convert_units(1, "kg", "m")


def test_an_unknown_unit_is_answered_with_the_closest_ones() -> None:
    with pytest.raises(BadArguments, match="kilometre"):
        convert_units(1, "kilomtre", "m")


@pytest.mark.parametrize("currency", ["USD", "euros", "€", "人民币"])
def test_currencies_are_refused_because_rates_change(currency: str) -> None:
    with pytest.raises(BadArguments, match="currency"):
        convert_units(1, currency, "km")


@pytest.mark.parametrize(
    ("value", "source", "target", "words"),
    [
        (-500, "C", "K", "absolute zero"),
        (0, "L/100km", "mpg", "without limit"),
        (float("nan"), "km", "m", "out of range"),
        (float("inf"), "km", "m", "out of range"),
        (1e300, "km", "m", "too large"),
        (1, "m" * 100, "m", "too long"),
        (1, "", "m", "no unit"),
    ],
)
def test_impossible_values_are_refused(value: float, source: str, target: str, words: str) -> None:
    with pytest.raises(BadArguments, match=words):
        convert_units(value, source, target)


def test_every_unit_of_the_table_is_found_by_its_symbol_and_its_name() -> None:
    for unit in units():
        if unit.symbol == "oz":
            continue
        for name in (unit.symbol, unit.name):
            assert convert_units(1, name, unit.symbol)["result"] == 1, name


@given(st.sampled_from(list(units())), st.data(), st.integers(1, 10**6))
def test_there_and_back_again_is_the_same_value(unit, data, value: int) -> None:
    same = [other for other in units() if other.dimension == unit.dimension and "oz" not in (other.symbol, unit.symbol)]
    other = data.draw(st.sampled_from(same or [unit]))
    if "oz" in (unit.symbol, other.symbol):
        return
    there = convert_units(value, unit.symbol, other.symbol)["result"]
    if abs(float(there)) > 1e30:
        return
    back = convert_units(float(there), other.symbol, unit.symbol)["result"]
    # Ten digits are shown; a difference from absolute zero may eat some of them.
    assert float(back) == pytest.approx(value, rel=1e-8, abs=1e-6)


@given(st.floats(allow_nan=True), st.text(max_size=20), st.text(max_size=20))
def test_any_words_give_a_result_or_a_refusal(value: float, source: str, target: str) -> None:
    for one, other in ((source, target), (source, "m"), ("km", target)):
        try:
            assert "text" in convert_units(value, one, other)
        except BadArguments as refusal:
            assert str(refusal)
