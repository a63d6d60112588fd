"""What is particular to the queue in PostgreSQL: other processes, lost workers, a server that goes and comes."""

import asyncio
import shutil
import subprocess
import sys

import psycopg
import pytest

from glassloop.core.errors import StoreAway, StoreError
from glassloop.runtime.schedulers.connection import SingleConnectionPool
from glassloop.runtime.schedulers.queue import QueueScheduler
from glassloop.runtime.schedulers.worker import WorkerIntervals
from glassloop.store.engine.connect import open_database
from postgres_server import empty, new_server
from runtime.schedulers.conftest import rows
from waiting import until

WORKER = """
import asyncio, sys
from glassloop.runtime.schedulers.queue import QueueScheduler

async def perform(work, ident):
    print(work, ident, flush=True)
    if ident == "long":
        await asyncio.Event().wait()

async def main():
    scheduler = QueueScheduler(sys.argv[1], int(sys.argv[2]))
    await scheduler.start(perform)
    await asyncio.Event().wait()

asyncio.run(main())
"""

HEARS_ONLY = WorkerIntervals(poll_s=3600.0, least_pause_s=0.02)
"""Never looks by itself, and begins again at once after trouble."""

CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'glassloop-queue'"


@pytest.fixture
def begin_worker(queue_url):
    """Starts a worker in a process of its own."""
    processes = []

    def start(concurrency=10):
        command = [sys.executable, "-c", WORKER, queue_url, str(concurrency)]
        processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return processes[-1]

    yield start
    for process in processes:
        process.kill()
        process.wait(60)
        process.stdout.close()


@pytest.fixture
async def build():
    """Makes schedulers that are stopped at the end."""
    made = []

    def make(url, concurrency=10, pace=None):
        made.append(QueueScheduler(url, concurrency, pace))
        return made[-1]

    yield make
    for scheduler in made:
        await scheduler.stop(0)
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


@pytest.fixture(scope="module")
def server():
    folder, made = new_server()
    open_database(made.url)
    yield made
    made.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def mortal(server):
    """A server that may be killed; the next test finds it up, and its queue empty."""
    if server.process.poll() is not None:
        server.start()
    empty(server.url)
    return server


def run(url, sql):
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(sql).rowcount


async def line_of(process):
    async with asyncio.timeout(60):
        return (await asyncio.to_thread(process.stdout.readline)).strip()


async def test_another_process_performs_what_this_one_only_enqueues(build, begin_worker, queue_url):
    process = begin_worker()
    scheduler = build(queue_url)
    await scheduler.enqueue("turn", "a")
    assert await line_of(process) == "turn a"
    await scheduler.enqueue("job", "b")
    assert await line_of(process) == "job b"
    await until(lambda: rows(queue_url) == [])
    assert scheduler.position("a") is None


async def test_what_is_done_or_failed_leaves_no_row(build, performed, queue_url):
    async def perform(work, ident):
        await performed(work, ident)
        raise ValueError("after all")

    performed.all.set()
    scheduler = build(queue_url)
    await scheduler.start(perform)
    await scheduler.enqueue("turn", "a")
    await performed.has_begun("a")
    await until(lambda: rows(queue_url) == [])
    assert rows(queue_url, "SELECT count(*) FROM procrastinate_events") == [0]


async def test_work_is_heard_of_without_polling_also_right_at_the_start(build, performed, queue_url):
    performed.all.set()
    for number in range(10):
        scheduler = build(queue_url, pace=WorkerIntervals(poll_s=3600.0))
        await scheduler.start(performed)
        await asyncio.sleep(number / 1000)
        await scheduler.enqueue("turn", str(number))
        await performed.has_begun(str(number))
        await scheduler.enqueue("turn", f"{number} again")
        await performed.has_begun(f"{number} again")
        await scheduler.stop(1)


async def test_queues_of_two_schemas_know_nothing_of_one_another(build, performed, queue_url, postgres_schema):
    open_database(postgres_schema)
    performed.all.set()
    await build(postgres_schema).enqueue("turn", "elsewhere")
    here = build(queue_url)
    await here.start(performed)
    await here.enqueue("turn", "here")
    await performed.has_begun("here")
    await until(lambda: rows(queue_url) == [])
    assert performed.begun == [("turn", "here")]
    assert rows(postgres_schema) == ["todo"]


async def test_a_wake_up_while_another_worker_runs_the_turn_is_a_job_of_its_own(build, begin_worker, queue_url):
    process = begin_worker(concurrency=1)
    scheduler = build(queue_url)
    await scheduler.enqueue("turn", "long")
    assert await line_of(process) == "turn long"
    await scheduler.enqueue("turn", "long")
    await scheduler.enqueue("turn", "long")
    assert rows(queue_url) == ["doing", "todo"]


async def test_the_jobs_of_a_killed_worker_are_swept_and_those_of_the_living_are_not(
    build, begin_worker, performed, queue_url
):
    killed = begin_worker()
    scheduler = build(queue_url)
    await scheduler.enqueue("turn", "long")
    assert await line_of(killed) == "turn long"
    assert await scheduler.sweep() == 0
    killed.kill()
    killed.wait(60)
    # Nor is anything left that it had asked for.
    await until(lambda: rows(queue_url, CONNECTIONS) == [1])
    run(queue_url, "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
    await scheduler.start(performed)
    for ident in ("a", "b"):
        await scheduler.enqueue("turn", ident)
    await performed.has_begun("a", "b")
    assert await scheduler.sweep() == 1
    assert await scheduler.sweep() == 0
    assert rows(queue_url) == ["doing", "doing"]
    assert rows(queue_url, "SELECT count(*) FROM procrastinate_workers") == [1]


async def test_a_worker_taken_for_dead_goes_on_under_a_new_number(build, performed, queue_url):
    scheduler = build(queue_url)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await performed.has_begun("a")
    run(queue_url, "DELETE FROM procrastinate_workers")
    assert await scheduler.sweep() == 1
    performed.all.set()
    performed.gate("a").set()
    await until(lambda: performed.ended)
    await scheduler.enqueue("turn", "b")
    await performed.has_begun("b")
    await until(lambda: rows(queue_url) == [])
    assert performed.begun == [("turn", "a"), ("turn", "b")]


async def test_a_worker_whose_connections_are_cut_hears_again(build, performed, queue_url):
    performed.all.set()
    scheduler = build(queue_url, pace=HEARS_ONLY)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await performed.has_begun("a")
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'glassloop-queue'"
    for ident in ("b", "c"):
        await until(lambda: run(queue_url, f"{cut} AND query LIKE 'LISTEN%'") == 1)
        await scheduler.enqueue("turn", ident)
        await performed.has_begun(ident)
    run(queue_url, cut)
    await scheduler.enqueue("turn", "d")
    await performed.has_begun("d")
    await until(lambda: rows(queue_url) == [])


async def test_a_worker_says_that_it_is_alive_also_while_nothing_happens(build, performed, queue_url):
    await build(queue_url, pace=WorkerIntervals(poll_s=0.02, heartbeat_s=0.02)).start(performed)
    known = "SELECT now() - last_heartbeat > interval '1 minute' FROM procrastinate_workers"
    await until(lambda: rows(queue_url, known) == [False])
    run(queue_url, "UPDATE procrastinate_workers SET last_heartbeat = now() - interval '1 hour'")
    await until(lambda: rows(queue_url, known) == [False])


async def test_a_job_that_is_no_work_of_ours_is_dropped_and_told(build, performed, queue_url, caplog):
    performed.all.set()
    scheduler = build(queue_url)
    await scheduler.start(performed)
    for arguments in ('{"work": "rule", "ident": "a"}', '{"ident": 7}', "[]"):
        run(
            queue_url,
            f"INSERT INTO procrastinate_jobs (queue_name, task_name, args) VALUES ('turns', 'x', '{arguments}')",
        )
    await scheduler.enqueue("turn", "ours")
    await performed.has_begun("ours")
    await until(lambda: rows(queue_url) == [])
    assert performed.begun == [("turn", "ours")]
    assert caplog.text.count("no work of ours") == 3


async def test_a_job_fetched_while_the_worker_is_told_to_stop_is_given_back(build, performed, queue_url):
    scheduler = build(queue_url)
    await scheduler.enqueue("turn", "a")
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%fetch_job%'"
    with psycopg.connect(queue_url) as other:
        other.execute("LOCK TABLE procrastinate_jobs IN ACCESS EXCLUSIVE MODE")
        await scheduler.start(performed)
        await until(lambda: rows(queue_url, waiting) == [1])
        stopping = asyncio.create_task(scheduler.stop(0))
        await asyncio.sleep(0)
        other.rollback()
        await stopping
    assert performed.begun == []
    assert rows(queue_url) == ["todo"]


async def test_what_stop_had_to_cancel_waits_for_another_worker(build, performed, queue_url):
    scheduler = build(queue_url)
    await scheduler.start(performed)
    for ident in ("cancelled", "done", "woken"):
        await scheduler.enqueue("turn", ident)
    await performed.has_begun("cancelled", "done", "woken")
    await scheduler.enqueue("turn", "woken")
    await until(lambda: len(rows(queue_url)) == 3)
    stopping = asyncio.create_task(scheduler.stop(0.05))
    performed.gate("done").set()
    performed.gate("woken").set()
    await stopping
    assert performed.cancelled == [("turn", "cancelled")]
    assert sorted(rows(queue_url, "SELECT args ->> 'ident' FROM procrastinate_jobs")) == ["cancelled", "woken"]
    assert rows(queue_url, "SELECT count(*) FROM procrastinate_workers") == [0]
    with pytest.raises(StoreAway, match="has stopped"):
        await scheduler.enqueue("turn", "late")
    with pytest.raises(StoreAway, match="has closed it"):
        await scheduler.sweep()


async def test_work_that_will_not_be_cancelled_does_not_hold_up_the_stop(build, queue_url):
    scheduler, begun, done = build(queue_url, pace=WorkerIntervals(cancelled_s=0.05)), asyncio.Event(), asyncio.Event()

    async def stubborn(_work, _ident):
        while not done.is_set():
            begun.set()
            try:
                await done.wait()
            except asyncio.CancelledError:
                continue

    await scheduler.start(stubborn)
    try:
        await scheduler.enqueue("job", "rock")
        await asyncio.wait_for(begun.wait(), 60)
        await asyncio.wait_for(scheduler.stop(0), 60)
        assert rows(queue_url) == ["doing", "todo"]
        assert await build(queue_url).sweep() == 1
        assert rows(queue_url) == ["todo"]
    finally:
        done.set()


async def test_a_server_that_is_away_is_told_at_once_and_without_the_password(build):
    scheduler = build("postgresql://someone:word-of-honour@127.0.0.1:9/nowhere")
    for attempt in (scheduler.enqueue("turn", "a"), scheduler.sweep()):
        with pytest.raises(StoreAway, match="cannot be reached: check that the server") as away:
            await attempt
        assert "someone@" in str(away.value)
        assert "word-of-honour" not in str(away.value)


async def test_a_database_without_a_queue_says_how_to_get_one(build, postgres_schema):
    with pytest.raises(StoreError, match=r"no queue in .*open the store there"):
        await build(postgres_schema).enqueue("turn", "a")


async def test_a_worker_outlives_its_server_and_what_it_performs_does_too(build, performed, mortal):
    scheduler = build(mortal.url, pace=HEARS_ONLY)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "before")
    await performed.has_begun("before")
    await asyncio.to_thread(mortal.kill)
    with pytest.raises(StoreAway):
        await scheduler.enqueue("turn", "meanwhile")
    await asyncio.to_thread(mortal.start)
    await scheduler.enqueue("turn", "after")
    await performed.has_begun("after")
    assert performed.cancelled == []
    performed.all.set()
    for ident in ("before", "after"):
        performed.gate(ident).set()
    await until(lambda: len(performed.ended) == 2)
    await until(lambda: rows(mortal.url) == [])


@pytest.mark.slow
async def test_a_worker_waits_for_a_server_that_comes_later(build, performed, mortal):
    await asyncio.to_thread(mortal.kill)
    scheduler = build(mortal.url)
    performed.all.set()
    await scheduler.start(performed)
    with pytest.raises(StoreAway):
        await scheduler.enqueue("turn", "a")
    await asyncio.to_thread(mortal.start)
    await scheduler.enqueue("turn", "a")
    await performed.has_begun("a")


async def test_stop_ends_while_the_server_is_away(build, performed, mortal):
    scheduler = build(mortal.url)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await performed.has_begun("a")
    await asyncio.to_thread(mortal.kill)
    await asyncio.wait_for(scheduler.stop(0), 60)
    assert performed.cancelled == [("turn", "a")]


async def test_a_statement_without_an_answer_is_given_up_and_the_next_one_works(postgres_url):
    one = SingleConnectionPool(postgres_url, patience_s=0.2)
    with pytest.raises(psycopg.OperationalError, match=r"no answer in 0\.2 s"):
        async with one.connection() as connection:
            await connection.execute("SELECT pg_sleep(600)")
    one._patience_s = 60
    async with one.connection() as connection:
        assert await (await connection.execute("SELECT 1")).fetchone() == (1,)
    await one.close()
