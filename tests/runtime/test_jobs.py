"""Jobs on both stores and both schedulers: progress, results, cancel, lost workers."""

import asyncio

import pytest

from glassloop.core.errors import ToolError, UnknownName
from glassloop.runtime.durable.jobs import JobKind
from runtime.conftest import close
from waiting import until


class Press:
    """A kind of job that goes as far as it is let."""

    def __init__(self):
        self.begun = []
        self.stopped = []
        self.gate = asyncio.Event()
        self.reached = asyncio.Event()

    async def run(self, context, params):
        self.begun.append(context.job_id)
        try:
            for page in range(params.get("pages", 3)):
                context.progress(f"page {page + 1}", (page + 1) / params.get("pages", 3))
                if page == params.get("hold"):
                    self.reached.set()
                    await self.gate.wait()
                if page == params.get("tear"):
                    raise ToolError("The paper is torn: put in another sheet.")
                if page == params.get("burn"):
                    raise RuntimeError("secret detail")
            return {"pages": params.get("pages", 3)}
        except asyncio.CancelledError:
            self.stopped.append(context.job_id)
            raise

    def kind(self, **options):
        return JobKind(name="print", run=self.run, **options)


@pytest.fixture
def press():
    return Press()


async def followed(runtime, job_id):
    async with asyncio.timeout(60):
        return [row async for row in runtime.jobs.watch(job_id)]


async def test_a_job_tells_its_progress_and_its_result(place, opens, press):
    runtime = await opens(place, kinds=[press.kind()])
    job = await runtime.jobs.submit("print", {"pages": 5, "hold": 2}, user="ann")
    rows = []

    async def follow():
        async for row in runtime.jobs.watch(job.id):
            rows.append(row)

    following = asyncio.create_task(follow())
    await until(lambda: rows and rows[-1].message == "page 3", "the third page")
    press.gate.set()
    await asyncio.wait_for(following, 60)
    last = rows[-1]
    assert (last.status, last.result, last.user_id) == ("completed", {"pages": 5}, "ann")
    assert {row.status for row in rows} >= {"running", "completed"}
    assert any(row.fraction == pytest.approx(0.6) for row in rows)


async def test_a_cancelled_job_stops_and_says_so(place, opens, press):
    runtime = await opens(place, kinds=[press.kind()])
    job = await runtime.jobs.submit("print", {"hold": 1})
    await press.reached.wait()
    assert await runtime.jobs.cancel(job.id)
    assert (await followed(runtime, job.id))[-1].status == "cancelled"
    assert press.stopped == [job.id]
    assert not await runtime.jobs.cancel(job.id)


async def test_a_job_that_fails_says_why_without_its_insides(place, opens, press):
    runtime = await opens(place, kinds=[press.kind()])
    torn = await runtime.jobs.submit("print", {"tear": 1})
    burnt = await runtime.jobs.submit("print", {"burn": 1})
    assert (await followed(runtime, torn.id))[-1].error == "The paper is torn: put in another sheet."
    last = (await followed(runtime, burnt.id))[-1]
    assert last.status == "failed"
    assert "secret detail" not in last.error


async def test_an_unknown_kind_and_another_users_job_do_not_exist(place, opens, press):
    runtime = await opens(place, kinds=[press.kind()])
    with pytest.raises(UnknownName, match=r"'knit': choose from .*\bprint\b"):
        await runtime.jobs.submit("knit")
    job = await runtime.jobs.submit("print", user="ann")
    await followed(runtime, job.id)
    with pytest.raises(UnknownName, match="There is no job"):
        await runtime.jobs.get(job.id, "bob")
    with pytest.raises(UnknownName, match="There is no job"):
        await runtime.jobs.cancel(job.id, "bob")


async def test_a_resumable_job_is_begun_again_when_its_worker_goes(shared, opens, press):
    first = await opens(shared, kinds=[press.kind(resumable=True)])
    job = await first.jobs.submit("print", {"hold": 1})
    await press.reached.wait()
    await close(first)
    press.gate.set()
    second = await opens(shared, kinds=[press.kind(resumable=True)])
    assert (await followed(second, job.id))[-1].status == "completed"
    assert press.begun == [job.id, job.id]


async def test_any_other_job_fails_with_its_worker_and_says_so(shared, opens, press):
    first = await opens(shared, kinds=[press.kind()])
    job = await first.jobs.submit("print", {"hold": 1})
    await press.reached.wait()
    await close(first)
    second = await opens(shared, kinds=[press.kind()])
    last = (await followed(second, job.id))[-1]
    assert last.status == "failed"
    assert "start it again" in last.error
    assert press.begun == [job.id]
