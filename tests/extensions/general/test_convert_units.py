"""`convert_units`: exact factors, units by every name people use, and clear words where they cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.conversion import units
from glassloop.extensions.general.tools import convert_units


@pytest.mark.parametrize(
    ("value", "source", "target", "text"),
    [
        (5, "miles", "km", "5 mi = 8.04672 km"),
        (6, "feet", "inches", "6 ft = 72 in"),
        (1, "light years", "km", "1 ly = 9460730472580.8 km"),
        (2.5, "lbs", "kg", "2.5 lb = 1.133980925 kg"),
        (3, "斤", "kg", "3 斤 = 1.5 kg"),
        (5, "公里", "英里", "5 km ≈ 3.106855961 mi"),
        (98.6, "°F", "celsius", "98.6 °F = 37 °C"),
        (37, "degrees Celsius", "degrees F", "37 °C = 98.6 °F"),
        (-40, "C", "F", "-40 °C = -40 °F"),
        (10, "square feet", "m2", "10 ft² = 0.9290304 m²"),
        (1, "km^2", "hectares", "1 km² = 100 ha"),
        (2, "cubic feet", "liters", "2 ft³ = 56.633693184 L"),
        (1, "tbsp", "tsp", "1 tbsp = 3 tsp"),
        (1, "gallon", "L", "1 US gal = 3.785411784 L"),
        (100, "kilometers per hour", "m/s", "100 km/h ≈ 27.77777778 m/s"),
        (60, "mph", "km/h", "60 mph = 96.56064 km/h"),
        (90, "mins", "hrs", "90 min = 1.5 h"),
        (1, "year", "days", "1 yr = 365.2425 d"),
        (1, "GiB", "MB", "1 GiB = 1073.741824 MB"),
        (100, "Mb", "MB", "100 Mb = 12.5 MB"),
        (1, "KB", "bytes", "1 kB = 1000 B"),
        (100, "Mbps", "MB/s", "100 Mbps = 12.5 MB/s"),
        (1, "kWh", "MJ", "1 kWh = 3.6 MJ"),
        (1, "Cal", "J", "1 kcal = 4184 J"),
        (1, "mW", "MW", "1 mW = 1e-09 MW"),
        (1, "atm", "mbar", "1 atm = 1013.25 mbar"),
        (180, "degrees", "rad", "180 ° ≈ 3.141592654 rad"),
        (30, "mpg", "L/100km", "30 mpg ≈ 7.840486111 L/100km"),
        (5, "liters per 100 km", "km/L", "5 L/100km = 20 km/L"),
        (1, "g/cm3", "kg/m3", "1 g/cm³ = 1000 kg/m³"),
    ],
)
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
