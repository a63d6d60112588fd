"""`calculate`: right figures, honest refusals, and nothing that runs away."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from glassloop.core.errors import BadArguments
from glassloop.extensions.general.tools import calculate

CASES = tomllib.loads((Path(__file__).parent / "expressions.toml").read_text("utf-8"))


@pytest.mark.parametrize(("expression", "expected"), CASES["values"])
def test_an_expression_comes_to_its_exact_value(expression: str, expected: float) -> None:
    assert calculate(expression)["result"] == expected


@pytest.mark.parametrize(("expression", "expected"), CASES["nearly"])
def test_what_has_no_exact_value_comes_near_it(expression: str, expected: float) -> None:
    assert calculate(expression)["result"] == pytest.approx(expected, abs=1e-13)


LONG = [("(" * 200 + "1" + ")" * 200, "nested"), ("2^" * 200 + "2", "nested"), ("1+" * 600 + "1", "1,000")]


@pytest.mark.parametrize(("expression", "words"), [*CASES["refusals"], *LONG])
def test_what_is_too_large_or_unclear_or_wrong_is_refused_with_the_remedy(expression: str, words: str) -> None:
    with pytest.raises(BadArguments, match=words):
        calculate(expression)


def test_decimal_fractions_add_up_exactly() -> None:
    assert calculate("0.1 + 0.2") == {"expression": "0.1 + 0.2", "result": 0.3}


def test_a_rounded_result_says_so_and_gives_its_fraction() -> None:
    assert calculate("1/3") == {"expression": "1/3", "result": 0.333333333333333, "exact": "1/3", "rounded": True}


def test_large_integers_stay_exact_as_text() -> None:
    assert calculate("2^100")["result"] == "1267650600228229401496703205376"


@given(st.text(max_size=60) | st.text(alphabet="0123456789.,+-*/^%!()[]e √°°sincotaqrlgmx", max_size=40))
def test_any_text_gives_a_result_or_a_refusal(text: str) -> None:
    try:
        found = calculate(text)
    except BadArguments as refusal:
        assert str(refusal)
    else:
        assert isinstance(found["result"], int | float | str)


_numbers = st.integers(0, 10**6).map(str) | st.decimals("0", "1000", places=3).map(str)
_expressions = st.recursive(
    _numbers,
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda parts: f"({' '.join(parts)})"),
    max_leaves=12,
)


@given(_expressions)
def test_sums_and_products_agree_with_exact_fractions(expression: str) -> None:
    exact = Fraction(_oracle(expression))
    found = calculate(expression)
    shown = Fraction(str(found["result"]))
    assert shown == exact if "rounded" not in found else abs(shown - exact) <= abs(exact) * Fraction(1, 10**14)


def _oracle(expression: str) -> Fraction:
    """Fully bracketed, so a bracket counter is enough to find the outermost operator."""
    if not expression.startswith("("):
        return Fraction(expression)
    depth, inner = 0, expression[1:-1]
    for at, character in enumerate(inner):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in "+-*" and inner[at - 1] == " ":
            left, right = _oracle(inner[: at - 1]), _oracle(inner[at + 2 :])
            return left + right if character == "+" else left - right if character == "-" else left * right
    raise AssertionError(f"{expression!r} has no operator")
