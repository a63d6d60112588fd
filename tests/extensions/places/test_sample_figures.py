"""Figures of every tool over the generated sample beside those computed from its Parquet files."""

import shutil
from datetime import date

import pytest

from extensions.places.conftest import calls_of
from extensions.places.figure_checks import CHECKS, Drawn, Ground, span
from extensions.places.places_oracle import SampleOracle
from glassloop.extensions.places.data_set.data_sets import DataSets

INPUTS = 26
"""Generated inputs of each tool."""
PERIODS = {
    "last_month": span("2026-10-01", "2026-10-31"), "last_90_days": span("2026-08-03", "2026-10-31"),
    "2026-Q3": span("2026-07-01", "2026-09-30"), "2026-08": span("2026-08-01", "2026-08-31"),
    "2026-08-20..2026-10-10": span("2026-08-20", "2026-10-10"),
    "2026-09-07..2026-09-27": span("2026-09-07", "2026-09-27"),
}  # fmt: skip
BEFORE = {
    "last_month": span("2026-09-01", "2026-09-30"), "last_90_days": span("2026-05-05", "2026-08-02"),
    "2026-Q3": span("2026-04-01", "2026-06-30"), "2026-08": span("2026-07-01", "2026-07-31"),
    "2026-08-20..2026-10-10": span("2026-06-29", "2026-08-19"),
    "2026-09-07..2026-09-27": span("2026-08-17", "2026-09-06"),
}  # fmt: skip
YEAR = {"last_month": span("2025-10-01", "2025-10-31"), "2026-08": span("2025-08-01", "2025-08-31")}
AREAS = {
    "Denver metro": lambda p: p["metro"] == "Denver", "Atlanta metro": lambda p: p["metro"] == "Atlanta",
    "Boulder": lambda p: (p["city"], p["state"]) == ("Boulder", "CO"),
    "San Francisco": lambda p: (p["city"], p["state"]) == ("San Francisco", "CA"),
}  # fmt: skip
CODES = ("722515", "713940", "531120", "445110", "458110")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def call(whole_sample, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    sets = DataSets(home)
    with sets.staged() as staged:
        shutil.copytree(whole_sample, staged, dirs_exist_ok=True)
        sets.put(staged, user=None)
    return calls_of(home)


@pytest.fixture(scope="module")
def ground(whole_sample):
    return Ground(
        oracle=SampleOracle(whole_sample, since=date(2026, 7, 1)), periods=PERIODS,
        whole=("last_month", "2026-Q3", "2026-08"), before=BEFORE, year=YEAR, areas=AREAS, codes=CODES,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(INPUTS))
@pytest.mark.parametrize("tool", CHECKS)
async def test_figures_agree_with_those_computed_from_the_files(call, ground, tool, seed):
    await CHECKS[tool](call, Drawn(seed, tool, ground))


def test_the_inputs_are_as_many_as_they_must_be():
    assert INPUTS * len(CHECKS) >= 200
