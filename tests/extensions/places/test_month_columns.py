"""Months side by side, which data sets of many places have: the same figures as from the rows."""

import duckdb
import pytest

from extensions.places.conftest import calls_of
from extensions.places.figure_checks import CHECKS, Drawn
from extensions.places.import_files import PLACES, VISITS, Imports
from extensions.places.made_places import make_data_set
from extensions.places.test_figures import ground  # noqa: F401
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.data_set.month_columns import files_in, write_month_columns

SEEDS = [pytest.param(seed, marks=() if seed < 3 else pytest.mark.slow) for seed in range(32)]
PERIODS = ("last_month", "last_90_days", "2025-Q4", "last_12_months", "2026-01-05..2026-01-25")


@pytest.fixture(scope="module")
def many_home(tmp_path_factory):
    home = tmp_path_factory.mktemp("many")
    make_data_set(home)
    with duckdb.connect() as connection:
        assert write_month_columns(connection.execute, DataSets(home).shared().folder, most_kept=0) == 1
    return home


@pytest.fixture
def call_many(many_home):
    return calls_of(many_home, max_kept_places=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tool", CHECKS)
async def test_figures_of_many_places_agree_with_those_computed_from_the_rows(call_many, ground, tool, seed):  # noqa: F811
    await CHECKS[tool](call_many, Drawn(seed, tool, ground))


@pytest.mark.parametrize("period", PERIODS)
async def test_a_summary_of_many_places_is_that_of_few(call, call_many, period):
    asked = {"category_ids": "722", "geo_filter": "all", "period": period, "compare": "both"}
    few, many = [await each("get_place_summary", **asked) for each in (call, call_many)]
    assert few.data["places"] and few.data == many.data


async def test_columns_are_written_in_files_that_each_have_some_places(many_home, tmp_path):
    (whole,) = files_in(DataSets(many_home).shared().folder)
    with duckdb.connect() as connection:
        rows = connection.execute(f"SELECT * FROM '{whole}' ORDER BY place_id").fetchall()
        folder = tmp_path / "parts"
        folder.mkdir()
        for file in whole.parent.glob("poi_[pv]*.parquet"):
            (folder / file.name).write_bytes(file.read_bytes())
        count = write_month_columns(connection.execute, folder, most_kept=0, places_a_file=7)
        assert count == -(-len(rows) // 7) == len(files_in(folder))
        assert connection.execute(f"SELECT * FROM '{folder}/poi_months_*.parquet' ORDER BY place_id").fetchall() == rows


@pytest.mark.parametrize(("most_kept", "files"), [(2, 1), (3, 0)])
def test_an_import_writes_columns_where_there_are_many_places(imports: Imports, most_kept, files):
    imports.take(PLACES)
    imports.take(VISITS, max_kept_places=most_kept)
    found = files_in(imports.data_set)
    assert len(found) == files
    for file in found:
        with duckdb.connect() as connection:
            rows = connection.execute(f"SELECT place_id, visits_202601, visits_202602 FROM '{file}'").fetchall()
        assert rows == [("p1", 10, 5), ("p2", None, 7), ("p3", None, None)]
