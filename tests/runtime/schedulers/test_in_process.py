"""What is particular to tasks of this process."""

import asyncio
import logging

import pytest

from glassloop.core.errors import TooManyTurns
from glassloop.runtime.schedulers.in_process import InProcessScheduler
from waiting import until


async def test_work_begins_in_the_next_round_of_the_loop_where_there_is_room(performed):
    scheduler = InProcessScheduler()
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await asyncio.sleep(0)
    assert performed.begun == [("turn", "a")]
    await scheduler.stop(0)


async def test_positions_count_those_before_and_end_when_the_work_begins(performed):
    scheduler = InProcessScheduler(concurrency=1)
    await scheduler.start(performed)
    for ident in ("a", "b", "c", "d"):
        await scheduler.enqueue("turn", ident)
    assert [scheduler.position(ident) for ident in ("a", "b", "c", "d", "unknown")] == [None, 0, 1, 2, None]
    performed.gate("a").set()
    await performed.has_begun("b")
    assert [scheduler.position(ident) for ident in ("a", "b", "c", "d")] == [None, None, 0, 1]
    await scheduler.stop(0)
    assert scheduler.position("c") is None


async def test_too_much_that_waits_is_refused_and_says_when_to_come_back(performed):
    scheduler = InProcessScheduler(concurrency=1, most_waiting=2)
    await scheduler.start(performed)
    for ident in ("a", "b", "c"):
        await scheduler.enqueue("turn", ident)
    with pytest.raises(TooManyTurns, match="'d' was not queued") as refused:
        await scheduler.enqueue("turn", "d")
    assert refused.value.retry_after == 1.0
    await scheduler.enqueue("turn", "b")
    performed.all.set()
    performed.gate("a").set()
    await performed.has_begun("b", "c")
    await scheduler.enqueue("turn", "d")
    await performed.has_begun("d")
    await scheduler.stop(0)


async def test_a_wake_up_of_what_runs_is_kept_though_the_list_is_full_and_goes_behind_it(performed):
    scheduler = InProcessScheduler(concurrency=1, most_waiting=1)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await scheduler.enqueue("turn", "b")
    await scheduler.enqueue("turn", "a")
    assert scheduler.position("a") is None
    performed.all.set()
    performed.gate("a").set()
    await until(lambda: len(performed.ended) == 3)
    assert [ident for _, ident in performed.begun] == ["a", "b", "a"]
    await scheduler.stop(0)


async def test_without_a_place_to_wait_work_still_begins_where_there_is_room(performed):
    scheduler = InProcessScheduler(concurrency=2, most_waiting=0)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await scheduler.enqueue("turn", "b")
    with pytest.raises(TooManyTurns):
        await scheduler.enqueue("turn", "c")
    await scheduler.stop(0)


async def test_what_is_enqueued_after_the_stop_is_left_to_the_log(performed):
    scheduler = InProcessScheduler()
    await scheduler.start(performed)
    await scheduler.stop(0)
    await scheduler.enqueue("turn", "late")
    await asyncio.sleep(0)
    assert performed.begun == []
    assert scheduler.position("late") is None


async def test_work_that_will_not_be_cancelled_is_named_and_left_behind(caplog):
    scheduler, done = InProcessScheduler(cancelled_s=0.01), asyncio.Event()

    async def stubborn(_work, _ident):
        while not done.is_set():
            try:
                await done.wait()
            except asyncio.CancelledError:
                continue

    await scheduler.start(stubborn)
    await scheduler.enqueue("job", "rock")
    await asyncio.sleep(0)
    with caplog.at_level(logging.ERROR):
        await scheduler.stop(0)
    assert "job 'rock' goes on" in caplog.text
    done.set()
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_thousands_wait_and_all_are_performed(performed):
    scheduler = InProcessScheduler(concurrency=100)
    performed.all.set()
    for number in range(3_000):
        await scheduler.enqueue("turn", str(number))
    assert scheduler.position("2999") == 2999
    await scheduler.start(performed)
    await until(lambda: len(performed.ended) == 3_000)
    assert [ident for _, ident in performed.begun] == [str(number) for number in range(3_000)]
    await scheduler.stop(0)
