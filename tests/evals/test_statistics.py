"""The intervals and tests, against values that others published or that follow by hand."""

import math

import pytest

from glassloop.evals.summary import mcnemar, paired_difference, quantile, wilson


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_that_of_newcombe_1998(right, of, low, high):
    found = wilson(right, of)
    assert found == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


def test_an_interval_never_leaves_0_to_1_and_knows_nothing_of_nothing():
    assert wilson(0, 0) == (0.0, 1.0)
    for of in (1, 2, 7, 40, 1000):
        low, high = wilson(of, of)
        assert high == 1.0
        assert 0.0 < low < 1.0
        assert wilson(0, of) == (0.0, pytest.approx(1.0 - low))


@pytest.mark.parametrize(("gained", "lost", "p"), [(10, 2, 158 / 4096), (5, 0, 2 / 32), (3, 3, 1.0), (0, 0, 1.0)])
def test_mcnemars_test_is_exact_and_two_sided(gained, lost, p):
    assert mcnemar(gained, lost) == pytest.approx(p)
    assert mcnemar(lost, gained) == mcnemar(gained, lost)


def test_mcnemars_test_bears_thousands_of_flips():
    assert mcnemar(1500, 500) < 1e-100
    assert 0.9 < mcnemar(1000, 1000) <= 1.0


def test_the_difference_of_pairs_has_the_interval_of_agresti_and_min():
    difference, low, high = paired_difference(12, 4, 50)
    middle, half = 8 / 52, 1.959963984540054 * math.sqrt(17 - 64 / 52) / 52
    assert difference == pytest.approx(0.16)
    assert (low, high) == (pytest.approx(middle - half), pytest.approx(middle + half))
    back = paired_difference(4, 12, 50)
    assert back == (pytest.approx(-difference), pytest.approx(-high), pytest.approx(-low))


def test_without_a_flip_the_interval_still_has_a_width():
    difference, low, high = paired_difference(0, 0, 10)
    assert difference == 0.0
    assert low == -high < 0.0
    assert paired_difference(0, 0, 0) == (0.0, -1.0, 1.0)


def test_quantiles_lie_between_the_nearest_values():
    assert quantile([], 0.5) == 0.0
    assert quantile([3.0], 0.9) == 3.0
    assert quantile([4.0, 1.0, 2.0, 3.0], 0.5) == 2.5
    assert quantile(list(range(1, 12)), 0.9) == pytest.approx(10.0)
