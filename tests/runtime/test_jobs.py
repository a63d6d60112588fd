"""Jobs on both stores and both schedulers: progress, results, cancel, lost workers."""

import asyncio

import msgspec
import pytest

from glassloop.core.errors import StoreAway, ToolError, TooManyTurns, UnknownName
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
    assert "restart the job" in last.error
    assert press.begun == [job.id]


async def test_jobs_that_write_the_same_run_one_at_a_time_with_users_in_turn(place, opens):
    ran, gate = [], asyncio.Event()

    async def work(context, params):
        await gate.wait()
        ran.append(context.user)

    runtime = await opens(place, kinds=[JobKind(name="write", run=work, one_at_a_time="index")])
    jobs = [await runtime.jobs.submit("write", user="ann") for _ in range(3)]

    async def all_wait():
        rows = [await runtime.jobs.get(job.id) for job in jobs]
        return sum(row.message.startswith("Waiting for") for row in rows) == len(jobs) - 1

    await until(all_wait, "all but one to wait")
    jobs.append(await runtime.jobs.submit("write", user="bob"))
    await until(all_wait, "all but one to wait")
    gate.set()
    for job in jobs:
        assert (await followed(runtime, job.id))[-1].status == "completed"
    # The last of the one who asked for three waits for the other.
    assert ran == ["ann", "ann", "bob", "ann"]


async def test_a_job_waits_for_another_process_that_writes_the_same(place, opens):
    tries = []

    async def work(context, params):
        tries.append(context.user)
        if len(tries) < 3:
            raise StoreAway("The index is being written by another process.")
        return "written"

    runtime = await opens(place, kinds=[JobKind(name="write", run=work, resumable=True)])
    runtime.jobs.poll_s = 0.01
    job = await runtime.jobs.submit("write", user="ann")
    assert (await followed(runtime, job.id))[-1].result == "written"


async def test_a_user_has_a_bounded_number_of_jobs_that_are_not_over(place, opens, press):
    settings, queue = place
    runtime = await opens((msgspec.structs.replace(settings, user_jobs=2), queue), kinds=[press.kind()])
    jobs = [await runtime.jobs.submit("print", {"hold": 1}, user="ann") for _ in range(2)]
    with pytest.raises(TooManyTurns, match="2 is the limit"):
        await runtime.jobs.submit("print", user="ann")
    jobs.append(await runtime.jobs.submit("print", {"hold": 1}, user="ann", limited=False))
    jobs.append(await runtime.jobs.submit("print", user="bob"))
    press.gate.set()
    for job in jobs:
        assert (await followed(runtime, job.id))[-1].status == "completed"
    await runtime.jobs.submit("print", user="ann")


async def test_a_job_whose_process_ended_in_it_twice_is_set_aside_and_may_be_tried_again(place, opens, press):
    runtime = await opens(place, kinds=[press.kind(resumable=True)], runs_turns=False)
    store = runtime.store
    lost = await store.jobs.enqueue("print", "ann", {"pages": 1})
    for _ in range(2):
        taken = await store.jobs.claim(lost.id, "gone", 0)
        await store.jobs.mark(lost.id, taken.epoch, "print")
    await runtime.jobs.run(lost.id)
    row = await store.jobs.get(lost.id)
    assert row.status == "failed" and "Set aside: 2 times in a row" in row.error
    assert press.begun == []
    (letter,) = await runtime.dead_letters.list()
    again = await runtime.dead_letters.retry("job", letter.id, by="root")
    await runtime.jobs.run(again.id)
    assert (await store.jobs.get(again.id)).status == "completed"
    assert await runtime.dead_letters.list() == ()
    assert "retried" in {entry.action for entry in await store.audit.list()}
