"""Every figure of every tool beside an independent computation, over generated inputs."""

import pytest

from extensions.places.figure_checks import CHECKS, Drawn, Ground, span
from extensions.places.places_oracle import Oracle

QUICK, ALL = 6, 32
"""Generated inputs of each tool, in the quick run and in all."""
PERIODS = {
    "last_month": span("2026-02-01", "2026-02-28"), "last_90_days": span("2025-12-16", "2026-03-15"),
    "2025-Q4": span("2025-10-01", "2025-12-31"), "2026-03": span("2026-03-01", "2026-03-15"),
    "2025-11-20..2026-01-10": span("2025-11-20", "2026-01-10"),
    "2026-01-05..2026-01-25": span("2026-01-05", "2026-01-25"),
}  # fmt: skip
BEFORE = {
    "last_month": span("2026-01-01", "2026-01-31"), "last_90_days": span("2025-09-17", "2025-12-15"),
    "2025-Q4": span("2025-07-01", "2025-09-30"), "2026-03": span("2026-02-01", "2026-02-15"),
    "2025-11-20..2026-01-10": span("2025-09-29", "2025-11-19"),
    "2026-01-05..2026-01-25": span("2025-12-15", "2026-01-04"),
}  # fmt: skip
YEAR = {"last_month": span("2025-02-01", "2025-02-28"), "2026-03": span("2025-03-01", "2025-03-15")}
AREAS = {
    "all": lambda p: True, "Harbor metro": lambda p: p["metro"] == "Harbor", "GA": lambda p: p["state"] == "GA",
    "Harbor": lambda p: (p["city"], p["state"]) == ("Harbor", "CA"),
}  # fmt: skip
SEEDS = [pytest.param(seed, marks=() if seed < QUICK else pytest.mark.slow) for seed in range(ALL)]


@pytest.fixture
def ground(made_home):
    return Ground(
        oracle=Oracle.of_home(made_home), periods=PERIODS, whole=tuple(PERIODS), before=BEFORE, year=YEAR, areas=AREAS,
        codes=(None, "722", "713940", "722515"),
    )  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tool", CHECKS)
async def test_figures_agree_with_those_computed_from_the_rows(call, ground, tool, seed):
    await CHECKS[tool](call, Drawn(seed, tool, ground))


def test_the_inputs_are_as_many_as_they_must_be():
    assert ALL * len(CHECKS) >= 200
