"""The job that makes the sample: once, for everybody, in one step."""

from pathlib import Path

import pytest

from glassloop.core.errors import GlassloopError
from glassloop.extensions.places.data_set.data_sets import DataSets
from glassloop.extensions.places.sample.job import NOBODY, SampleMaker, enqueue_sample
from glassloop.runtime.durable.jobs import JobContext
from glassloop.store import open_store

TESTS = Path(__file__).resolve().parents[2]


@pytest.fixture
async def store(tmp_path):
    async with await open_store(str(tmp_path / "glassloop.db")) as opened:
        yield opened


async def test_the_sample_becomes_everybodys_data_once(store, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS))
    assert await enqueue_sample(store, tmp_path)
    assert not await enqueue_sample(store, tmp_path)
    (job,) = await store.jobs.unfinished()
    context = JobContext(job.id, NOBODY)
    made = await SampleMaker(tmp_path, "extensions.places.small_sample").run(context, {})
    assert (context.message, context.fraction) == ("Making the sample of places: Done", 1.0)
    shared = DataSets(tmp_path).shared()
    assert (made["id"], made["last_day"], shared.about.sample) == (shared.id, "2026-10-31", True)
    await store.engine.write(lambda db: db.run("DELETE FROM jobs"))
    assert not await enqueue_sample(store, tmp_path)


async def test_a_sample_that_cannot_be_made_leaves_nothing_and_says_what_to_do(tmp_path):
    with pytest.raises(GlassloopError, match="glassloop places sample"):
        await SampleMaker(tmp_path, "extensions.places.no_such_module").run(JobContext("job", NOBODY), {})
    sets = DataSets(tmp_path)
    assert sets.shared() is None
    assert [each.name for each in sets.folder.iterdir() if each.name.startswith(".staged")] == []
