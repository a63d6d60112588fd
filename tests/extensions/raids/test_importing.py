"""Imports: a report that is whole, or nothing."""

import asyncio
from pathlib import Path

import pytest

from extensions.raids.small_night import make_fight, put
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.extensions.raids.importing.job import RaidImporter, result_lines
from glassloop.extensions.raids.importing.sample import NOBODY, SampleLoader, enqueue_sample
from glassloop.extensions.raids.storage.changes import PARTS
from glassloop.runtime.durable.jobs import JobContext
from glassloop.runtime.extensions import RuntimeContext
from glassloop.runtime.settings import Settings

TESTS = Path(__file__).parents[2]


@pytest.fixture
def importer(store, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    context = RuntimeContext(settings=Settings(home=str(tmp_path)), store=store, refresh=lambda: None)
    return RaidImporter(context, "extensions.raids.made_child")


@pytest.fixture
def run(importer, tmp_path):
    async def run(words, job="job-1", **params):
        path = tmp_path / "log.txt"
        path.write_text(words)
        context = JobContext(job, "ada")
        context.progress = lambda message, fraction=None: context.__dict__.update(message=message, fraction=fraction)
        return await importer.run(context, {"path": str(path), **params})

    return run


async def rows_of(store):
    counts = [
        await store.engine.read(lambda db, table=table: db.run(f"SELECT count(*) FROM {table}"))
        for table in (*PARTS, "raids_reports")
    ]
    return sum(count for ((count,),) in counts)


async def test_a_log_becomes_a_report_with_its_fights(run, raids):
    result = await run("fight progress fight report", me="elan", name="night.txt")
    assert (result["code"], result["fights"], result["kills"]) == ("abcdefghij", 2, 2)
    assert result["lines"] == result["taken"] + result["bad"] + result["outside"]
    (row,) = await raids.reports("ada")
    assert row.name == "night.txt"
    (mine,) = await raids.characters("ada")
    assert (mine.name, mine.realm, mine.class_name, mine.spec) == ("Élan", "Firemaw", "Mage", "Fire")
    assert result_lines(result)[0].startswith("abcdefghij: Karazhan, fights: 2, kills: 2. 100 lines: 90 taken")


async def test_a_character_of_several_logs_is_told_once(run):
    told = [result_lines(await run("fight report", job, me="elan")) for job in ("job-1", "job-2")]
    assert [sum("is a character of yours" in line for line in lines) for lines in told] == [1, 0]


@pytest.mark.parametrize(
    ("words", "error", "said"),
    [
        ("fight die", GlassloopError, "split the file"),
        ("fight flood", GlassloopError, "at once"),
        ("fight refuse", UsageError, "no combat log"),
    ],
)
async def test_an_import_that_fails_leaves_nothing(run, store, words, error, said):
    with pytest.raises(error, match=said):
        await run(words)
    assert await rows_of(store) == 0


async def test_an_import_that_is_cancelled_leaves_nothing(run, store):
    importing = asyncio.create_task(run("fight wait"))
    async with asyncio.timeout(60):
        while await rows_of(store) < 5:
            await asyncio.sleep(0.01)
    importing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await importing
    assert await rows_of(store) == 0


async def test_a_job_that_is_begun_again_has_its_report_once(run, raids, store):
    left = await raids.begin("ada", name="log.txt", job="job-1")
    await raids.add_fight(left, make_fight())
    first = await run("fight report")
    assert [row.fights for row in await raids.reports("ada")] == [1]
    # Its worker was lost when all was stored: the file is not read again, and may be gone.
    assert await run("die") == first
    assert await rows_of(store) == 5


async def test_what_a_lost_job_has_left_is_deleted_and_what_runs_is_not(raids, store):
    running = await store.jobs.enqueue("raids_import", "ada", {})
    for job in (running.id, "gone"):
        await raids.add_fight(await raids.begin("ada", name="log", job=job), make_fight())
    await store.engine.write(lambda db: db.run("UPDATE raids_reports SET created_at = 0"))
    assert await raids.discard_incomplete() == 1
    assert await rows_of(store) == 5


async def test_a_file_that_is_gone_is_told(importer):
    with pytest.raises(UsageError, match="hand it over again"):
        await importer.run(JobContext("job-1", "ada"), {"path": "/nowhere/log.txt"})


async def test_the_sample_is_loaded_once_for_everybody_and_stays_deleted(raids, store, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    context = RuntimeContext(settings=Settings(home=str(tmp_path)), store=store, refresh=lambda: None)
    assert await enqueue_sample(store)
    assert not await enqueue_sample(store)
    (job,) = await store.jobs.unfinished()
    loader = SampleLoader(context, RaidImporter(context), "extensions.raids.made_sample")
    assert await loader.run(JobContext(job.id, NOBODY), {}) == {"reports": 2}
    (night,) = await raids.reports("ada")
    (reference,) = await raids.reports("ada", reference=True)
    assert (night.name, night.shared, night.own, reference.name) == ("one.txt", True, False, "reference/two.txt")
    assert [each.name for each in await raids.characters("anonymous")] == ["Ysolt"]
    await store.engine.write(lambda db: db.run("DELETE FROM jobs"))
    await raids.delete_report(None, night.code)
    assert not await enqueue_sample(store)


async def test_no_sample_is_loaded_where_somebody_has_imported(raids, store):
    await put(raids)
    assert not await enqueue_sample(store)
