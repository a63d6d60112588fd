"""What every scheduler promises."""

import asyncio
import logging

import pytest

from glassloop.core.errors import UsageError
from waiting import until


async def test_what_is_enqueued_is_performed(make, performed):
    scheduler = make()
    performed.all.set()
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await scheduler.enqueue("job", "a")
    await until(lambda: len(performed.ended) == 2)
    assert set(performed.begun) == {("turn", "a"), ("job", "a")}


async def test_what_was_enqueued_before_the_start_is_performed_after_it(make, performed):
    scheduler = make()
    performed.all.set()
    await scheduler.enqueue("turn", "early")
    assert performed.begun == []
    await scheduler.start(performed)
    await performed.has_begun("early")


async def test_what_waits_already_is_not_queued_twice(make, performed):
    scheduler = make(concurrency=1)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "first")
    await performed.has_begun("first")
    for ident in ("second", "second", "third", "second"):
        await scheduler.enqueue("turn", ident)
    performed.all.set()
    performed.gate("first").set()
    await performed.has_begun("third")
    assert [ident for _, ident in performed.begun] == ["first", "second", "third"]


async def test_what_is_woken_while_it_runs_runs_once_more_afterwards_and_never_beside_itself(make, performed):
    scheduler = make()
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "a")
    await performed.has_begun("a")
    await scheduler.enqueue("turn", "a")
    await scheduler.enqueue("turn", "other")
    await performed.has_begun("other")
    assert performed.begun.count(("turn", "a")) == 1
    performed.all.set()
    performed.gate("a").set()
    await until(lambda: performed.ended.count(("turn", "a")) == 2)
    assert performed.begun.count(("turn", "a")) == 2


async def test_a_wake_up_is_never_lost_however_near_the_end_it_comes(make):
    scheduler = make()
    wanted = seen = 0

    async def look(_work, _ident):
        nonlocal seen
        await asyncio.sleep(0)
        seen = wanted
        await asyncio.sleep(0)

    await scheduler.start(look)
    for wanted in range(1, 100):
        await scheduler.enqueue("turn", "a")
        for _ in range(wanted % 7):
            await asyncio.sleep(0)
    await until(lambda: seen == wanted)


async def test_no_more_than_the_bound_run_at_once_and_the_rest_in_the_order_they_came(make, performed):
    scheduler = make(concurrency=3)
    await scheduler.start(performed)
    for number in range(8):
        await scheduler.enqueue("turn", str(number))
    await performed.has_begun("0", "1", "2")
    for number in range(8):
        performed.gate(str(number)).set()
    await until(lambda: len(performed.ended) == 8)
    assert performed.most == 3
    assert [ident for _, ident in performed.begun] == [str(number) for number in range(8)]


async def test_a_failure_is_logged_with_its_ident_and_stops_nobody_else(make, performed, caplog):
    scheduler = make(concurrency=1)

    async def perform(work, ident):
        if ident == "bad":
            raise ValueError("out of order")
        await performed(work, ident)

    performed.all.set()
    with caplog.at_level(logging.ERROR):
        await scheduler.start(perform)
        await scheduler.enqueue("turn", "bad")
        await scheduler.enqueue("turn", "good")
        await performed.has_begun("good")
    assert [record.getMessage() for record in caplog.records if "'bad'" in record.getMessage()]
    assert "out of order" in caplog.text


async def test_a_piece_that_cancels_itself_stops_nobody_else(make, performed):
    scheduler = make(concurrency=1)

    async def perform(work, ident):
        if ident == "bad":
            raise asyncio.CancelledError
        await performed(work, ident)

    performed.all.set()
    await scheduler.start(perform)
    await scheduler.enqueue("turn", "bad")
    await scheduler.enqueue("turn", "good")
    await performed.has_begun("good")


async def test_stop_waits_for_what_is_under_way_and_takes_nothing_new(make, performed):
    scheduler = make(concurrency=1)
    await scheduler.start(performed)
    await scheduler.enqueue("turn", "under way")
    await scheduler.enqueue("turn", "waiting")
    await performed.has_begun("under way")
    stopping = asyncio.create_task(scheduler.stop(30))
    await asyncio.sleep(0)
    performed.all.set()
    performed.gate("under way").set()
    await stopping
    assert performed.ended == performed.begun == [("turn", "under way")]
    assert performed.cancelled == []


async def test_stop_cancels_what_does_not_end_in_time(make, performed):
    scheduler = make()
    await scheduler.start(performed)
    for ident in ("a", "b"):
        await scheduler.enqueue("job", ident)
    await performed.has_begun("a", "b")
    await scheduler.stop(0.01)
    assert set(performed.cancelled) == {("job", "a"), ("job", "b")}
    assert performed.running.total() == 0


async def test_stop_can_come_at_once_twice_and_without_a_start(make, performed):
    never_started = make()
    await never_started.stop(1)
    scheduler = make()
    await scheduler.start(performed)
    await scheduler.stop(1)
    await scheduler.stop(1)
    assert performed.begun == []


async def test_a_second_start_is_refused(make, performed):
    scheduler = make()
    await scheduler.start(performed)
    with pytest.raises(UsageError, match="already started"):
        await scheduler.start(performed)
