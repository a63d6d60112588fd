"""Waiting within a limit: the timer comes only with the wait, and everything the work does passes through."""

import asyncio

import pytest

from glassloop.tools.patience import OutOfTime, wait_for


async def test_work_that_never_waits_needs_no_timer():
    async def quick():
        assert not asyncio.get_running_loop()._scheduled
        return 1

    assert await wait_for(quick(), 60) == 1
    assert not asyncio.get_running_loop()._scheduled


async def test_work_that_waits_goes_on_where_it_waited():
    ready = asyncio.Event()
    seen = []

    async def patient():
        await asyncio.sleep(0)
        seen.append("begun")
        await ready.wait()
        return await asyncio.to_thread(lambda: "done")

    task = asyncio.create_task(wait_for(patient(), 60))
    while not seen:
        await asyncio.sleep(0)
    ready.set()
    assert await task == "done"


async def test_work_past_its_time_is_cancelled():
    ended = []

    async def endless():
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    with pytest.raises(OutOfTime):
        await wait_for(endless(), 0.01)
    assert ended == [True]


async def test_a_timeout_of_the_works_own_is_not_ours():
    async def impatient():
        async with asyncio.timeout(0.01):
            await asyncio.Event().wait()

    with pytest.raises(TimeoutError):
        await wait_for(impatient(), 60)


async def test_what_the_work_raises_passes_through_before_and_after_it_waited():
    async def breaks(waits):
        if waits:
            await asyncio.sleep(0)
        raise LookupError(waits)

    for waits in (False, True):
        with pytest.raises(LookupError):
            await wait_for(breaks(waits), 60)


async def test_cancelling_from_outside_reaches_the_work():
    ended = []

    async def endless():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            ended.append(True)
            raise

    task = asyncio.create_task(wait_for(endless(), 60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]


async def test_work_that_waits_on_while_it_is_cancelled_is_waited_for():
    async def reluctant():
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            return "tidied up"

    task = asyncio.create_task(wait_for(reluctant(), 60))
    await asyncio.sleep(0)
    task.cancel()
    assert await task == "tidied up"
