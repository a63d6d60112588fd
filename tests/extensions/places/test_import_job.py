"""The job: one step at its end, nothing before it, one import of a user at a time."""

import asyncio
import sys

import pytest

from extensions.places.import_files import PLACES, VISITS
from glassloop.core.errors import UsageError
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.importing.job import LOCK, PlacesImporter, result_lines
from glassloop.extensions.places.importing.report import FileRefused
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.settings import Settings


class Runner:
    def __init__(self, home) -> None:
        self.home = home
        self.importer = PlacesImporter(
            RuntimeContext(settings=Settings(home=str(home)), store=None, refresh=lambda: None)
        )
        self.data_sets = DataSets(home)

    async def run(self, text: str, user: str = "ada", **params):
        path = self.home / f"{abs(hash(text))}.csv"
        path.write_text(text)
        return await self.importer.run(JobContext("job", user), {"path": str(path), "name": "mine.csv", **params})

    def left(self) -> list[str]:
        """Folders of the data sets that nobody has."""
        named = self.data_sets.named()
        return [each.name for each in self.data_sets.folder.iterdir() if each.name.startswith(".staged")] + [
            each.name for each in self.data_sets.folder.iterdir() if len(each.name) == 16 and each.name not in named
        ]


@pytest.fixture
def runner(tmp_path):
    return Runner(tmp_path)


async def test_files_add_to_the_data_set_of_their_user_and_nobody_elses(runner):
    first = await runner.run(PLACES)
    assert (first["taken"], first["file"]) == (3, "mine.csv")
    assert "3 rows read: 3 taken" in result_lines(first)[0]
    second = await runner.run(VISITS)
    assert second["rows"]["poi_visits_daily"] == 4
    own = runner.data_sets.own("ada")
    assert [each.rows for each in own.about.imports] == [3, 4]
    assert (str(own.about.first_day), str(own.about.last_day), own.about.sample) == ("2026-01-30", "2026-02-01", False)
    assert own.has("poi_places")
    assert runner.data_sets.current("ben") is None
    assert (await runner.run(VISITS))["same"]
    assert runner.data_sets.own("ada").id == own.id
    replaced = await runner.run(PLACES.replace("p1", "q1"), replace=True)
    assert replaced["taken"] == 3
    assert not runner.data_sets.own("ada").has("poi_visits_daily")
    assert runner.left() == []


async def test_a_refused_file_changes_nothing_and_says_which_it_was(runner):
    await runner.run(PLACES)
    before = runner.data_sets.own("ada").id
    with pytest.raises(FileRefused, match=r"mine\.csv: .*needs the columns"):
        await runner.run("a,b\n1,2\n")
    assert runner.data_sets.own("ada").id == before
    assert runner.left() == []
    with pytest.raises(UsageError, match="hand it over again"):
        await runner.importer.run(JobContext("job", "ada"), {"path": "/nowhere/x.csv"})


@pytest.mark.slow
async def test_two_imports_at_once_both_count(runner):
    await runner.run(PLACES)
    more = [f"place_id,day,visits\np{number},2026-05-01,{number}\n" for number in (1, 2, 3)]
    await asyncio.gather(*(runner.run(text) for text in more))
    assert len(runner.data_sets.own("ada").about.imports) == 4
    assert runner.left() == []


async def test_a_cancelled_import_changes_nothing(runner):
    await runner.run(PLACES)
    before = runner.data_sets.own("ada").id
    rows = "".join(f"p1,{1900 + number % 100}-01-01,{number}\n" for number in range(200_000))
    importing = asyncio.create_task(runner.run(f"place_id,day,visits\n{rows}"))
    async with asyncio.timeout(60):
        while not runner.left():
            await asyncio.sleep(0.01)
    importing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await importing
    assert runner.data_sets.own("ada").id == before
    assert runner.left() == []


KILLED = """
import asyncio, sys
from glassloop.extensions.places.importing.job import PlacesImporter
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.settings import Settings
home, path = sys.argv[1:]
context = RuntimeContext(settings=Settings(home=home), store=None, refresh=lambda: None)
asyncio.run(PlacesImporter(context).run(JobContext("job", "ada"), {"path": path}))
"""


@pytest.mark.slow
async def test_an_import_that_is_killed_leaves_nothing_once_it_is_begun_again(runner):
    await runner.run(PLACES)
    before = runner.data_sets.own("ada").id
    rows = "".join(f"p1,2026-01-{1 + number % 28:02d},{number}\n" for number in range(300_000))
    path = runner.home / "visits.csv"
    path.write_text(f"place_id,day,visits\n{rows}")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, str(runner.home), str(path), stderr=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(120):
        while not list(runner.data_sets.folder.glob(f".staged-*/{LOCK}")):
            await asyncio.sleep(0.01)
    process.kill()
    await process.wait()
    assert runner.data_sets.own("ada").id == before
    report = await runner.importer.run(JobContext("job", "ada"), {"path": str(path)})
    assert (report["read"], report["taken"]) == (300_000, 28)
    assert runner.left() == []
