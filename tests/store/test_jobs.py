"""Jobs: long work that is no turn. Who does it, how far it is, how it ends, and that nobody else says so."""

import asyncio

import pytest

from glassloop.core.errors import StoreError, UnknownName, UsageError
from glassloop.store import open_store
from glassloop.store.errors import Superseded, TurnHeld


@pytest.fixture
async def job(store):
    return await store.jobs.enqueue("index", "ann", {"folder": "notes", "deep": [1, {"a": None}]})


async def test_a_new_job_waits_with_what_it_was_given(store, job, clock):
    assert (job.kind, job.user_id, job.status, job.params) == (
        "index", "ann", "queued", {"folder": "notes", "deep": [1, {"a": None}]},
    )  # fmt: skip
    assert (job.message, job.fraction, job.result, job.error) == ("", None, None, None)
    assert (job.worker, job.epoch, job.claims, job.version, job.cancel_requested) == ("", 0, 0, 1, False)
    assert (job.created_at, job.started_at, job.finished_at) == (clock.now, None, None)
    assert await store.jobs.get(job.id) == job
    assert await store.jobs.get("nothing") is None


async def test_a_job_is_taken_worked_on_and_finished(store, job, clock):
    clock.now += 1
    taken = await store.jobs.claim(job.id, "w1", 30)
    assert (taken.status, taken.worker, taken.epoch, taken.claims) == ("running", "w1", 1, 1)
    assert (taken.lease_until, taken.started_at) == (clock.now + 30, clock.now)
    await store.jobs.report(job.id, 1, "Half of it.", 0.5)
    halfway = await store.jobs.get(job.id)
    assert (halfway.message, halfway.fraction, halfway.status) == ("Half of it.", 0.5, "running")
    clock.now += 1
    await store.jobs.finish(job.id, 1, "completed", {"files": 3})
    done = await store.jobs.get(job.id)
    assert (done.status, done.result, done.error, done.finished_at) == ("completed", {"files": 3}, None, clock.now)
    assert [job.version, taken.version, halfway.version, done.version] == [1, 2, 3, 4]


async def test_a_job_of_a_worker_that_is_gone_is_taken_over_and_the_former_one_is_stopped(store, job, clock):
    await store.jobs.claim(job.id, "w1", 30)
    with pytest.raises(TurnHeld, match="'w1'"):
        await store.jobs.claim(job.id, "w2", 30)
    clock.now += 31
    taken = await store.jobs.claim(job.id, "w2", 30)
    assert (taken.epoch, taken.claims, taken.worker) == (2, 2, "w2")
    for late in (
        store.jobs.report(job.id, 1, "Still at it.", 0.9),
        store.jobs.finish(job.id, 1, "completed", "mine"),
    ):
        with pytest.raises(Superseded, match="epoch 1"):
            await late
    assert (await store.jobs.get(job.id)).message == ""
    await store.jobs.finish(job.id, 2, "failed", error="No disk.")
    assert (await store.jobs.get(job.id)).error == "No disk."


async def test_of_two_that_saw_the_same_job_the_second_is_told_that_the_first_was_quicker(store, job):
    await store.jobs.claim(job.id, "w1", 30, epoch=0)
    for worker in ("w1", "w2"):
        with pytest.raises(TurnHeld, match="was quicker"):
            await store.jobs.claim(job.id, worker, 30, epoch=0)


async def test_of_many_workers_that_claim_at_once_one_gets_the_job(shared_url):
    stores = [await open_store(shared_url) for _ in range(3)]
    job = await stores[0].jobs.enqueue("index", "ann", {})
    told = await asyncio.gather(
        *(store.jobs.claim(job.id, f"w{number}", 60) for number, store in enumerate(stores)), return_exceptions=True
    )
    assert sorted(type(result).__name__ for result in told) == ["JobRow", "TurnHeld", "TurnHeld"]
    assert (await stores[0].jobs.get(job.id)).claims == 1
    for store in stores:
        await store.aclose()


async def test_nothing_follows_the_end_of_a_job_but_the_same_end_told_again(store, job):
    with pytest.raises(Superseded):
        await store.jobs.report(job.id, 0, "Nobody has it.")
    await store.jobs.claim(job.id, "w1", 30)
    await store.jobs.finish(job.id, 1, "completed", 42)
    await store.jobs.finish(job.id, 1, "completed", 42)
    done = await store.jobs.get(job.id)
    assert (done.result, done.version) == (42, 3)
    with pytest.raises(Superseded):
        await store.jobs.finish(job.id, 1, "failed", error="Not so.")
    with pytest.raises(Superseded):
        await store.jobs.report(job.id, 1, "More.")
    with pytest.raises(StoreError, match="completed"):
        await store.jobs.claim(job.id, "w2", 30)
    assert await store.jobs.get(job.id) == done


async def test_a_worker_renews_all_it_holds_and_is_told_what_it_lost(store, clock):
    names = {name: (await store.jobs.enqueue(name, "ann", {})).id for name in ("kept", "done", "taken", "queued")}
    for name in ("kept", "done", "taken"):
        await store.jobs.claim(names[name], "w1", 30)
    await store.jobs.finish(names["done"], 1, "completed")
    clock.now += 31
    await store.jobs.claim(names["taken"], "w2", 30)
    held = {names[name]: 1 for name in ("kept", "done", "taken")} | {names["queued"]: 0}
    assert set(await store.jobs.renew("w1", held, 30)) == {names["done"], names["taken"], names["queued"]}
    assert (await store.jobs.get(names["kept"])).lease_until == clock.now + 30
    assert await store.jobs.renew("w1", {}, 30) == ()


async def test_unfinished_jobs_are_those_that_nobody_runs(store, clock):
    names = {name: (await store.jobs.enqueue(name, "ann", {})).id for name in ("held", "lost", "done", "queued")}
    for name in ("held", "lost", "done"):
        await store.jobs.claim(names[name], "w1", 300 if name == "held" else 10)
    await store.jobs.finish(names["done"], 1, "completed")
    assert [job.kind for job in await store.jobs.unfinished()] == ["queued"]
    clock.now += 60
    assert [job.kind for job in await store.jobs.unfinished()] == ["queued", "lost"]
    assert [job.kind for job in await store.jobs.unfinished(clock.now + 1000)] == ["queued", "lost", "held"]
    assert [job.kind for job in await store.jobs.unfinished(limit=1)] == ["queued"]


async def test_a_wish_to_cancel_ends_a_waiting_job_at_once_and_tells_the_worker_of_a_running_one(store, job, clock):
    running, other = [(await store.jobs.enqueue("index", "ann", {})).id for _ in range(2)]
    await store.jobs.claim(running, "w1", 30)
    await store.jobs.claim(other, "w1", 30)
    for _ in range(2):
        await store.jobs.request_cancel(job.id)
        await store.jobs.request_cancel(running)
    ended = await store.jobs.get(job.id)
    assert (ended.status, ended.finished_at, ended.version) == ("cancelled", clock.now, 2)
    assert list(await store.jobs.cancelled_of("w1")) == [running]
    assert list(await store.jobs.cancelled_of("w2")) == []
    asked = await store.jobs.get(running)
    assert (asked.status, asked.cancel_requested, asked.version) == ("running", True, 3)
    await store.jobs.finish(running, 1, "cancelled")
    assert list(await store.jobs.cancelled_of("w1")) == []
    await store.jobs.request_cancel(running)
    assert (await store.jobs.get(running)).version == 4


async def test_lists_are_newest_first_and_filtered(store, clock):
    ids = []
    for number in range(5):
        clock.now += 1
        ids.append((await store.jobs.enqueue("index", f"user{number % 2}", {})).id)
    await store.jobs.claim(ids[1], "w1", 30)

    async def listed(*asked, **wanted):
        return [job.id for job in await store.jobs.list(*asked, **wanted)]

    assert await listed() == ids[::-1]
    assert await listed(2) == [ids[4], ids[3]]
    assert await listed(user_id="user1") == [ids[3], ids[1]]
    assert await listed(status="running") == [ids[1]]
    assert await listed(user_id="user0", status="running") == []
    for wrong in ({"limit": 100_000}, {"status": "asleep"}):
        with pytest.raises(UsageError):
            await store.jobs.list(**wrong)


async def test_what_does_not_exist_or_is_no_ending_is_refused(store, job):
    for work in (store.jobs.claim("nothing", "w1", 1), store.jobs.request_cancel("nothing")):
        with pytest.raises(UnknownName, match="'nothing'"):
            await work
    with pytest.raises(Superseded):
        await store.jobs.report("nothing", 1, "x")
    await store.jobs.claim(job.id, "w1", 30)
    with pytest.raises(UsageError, match="'running'"):
        await store.jobs.finish(job.id, 1, "running")


async def test_what_is_too_large_or_no_json_is_refused_with_the_remedy(store, job):
    await store.jobs.claim(job.id, "w1", 30)
    large = "x" * 1_000_001
    for work in (store.jobs.enqueue("index", "ann", {"x": large}), store.jobs.finish(job.id, 1, "completed", large)):
        with pytest.raises(UsageError, match=r"1,000,0\d\d bytes.*in a file"):
            await work
    for value in (object(), "\ud800", {"x": {1, 2}.__iter__()}):
        with pytest.raises(UsageError, match="as JSON"):
            await store.jobs.enqueue("index", "ann", {"x": value})
    assert (await store.jobs.get(job.id)).status == "running"
    assert len(await store.jobs.list()) == 1


@pytest.mark.parametrize(
    ("given", "kept"), [(-1, 0.0), (2, 1.0), (float("nan"), None), (float("inf"), 1.0), (None, None), (0.25, 0.25)]
)
async def test_progress_is_short_and_between_nothing_and_all(store, job, given, kept):
    await store.jobs.claim(job.id, "w1", 30)
    await store.jobs.report(job.id, 1, "a\x00" * 5000, given)
    found = await store.jobs.get(job.id)
    assert (len(found.message), found.message[:2], found.fraction) == (1000, "a\ufffd", kept)
    await store.jobs.finish(job.id, 1, "failed", error="e" * 50_000)
    assert len((await store.jobs.get(job.id)).error) == 10_000
