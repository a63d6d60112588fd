"""Waiting for what comes next, at most so long: the same queue that is iterated over, without a timer for each wait."""

import asyncio

import pytest

from glassloop.core.errors import UsageError
from glassloop.runtime.bus.local import LocalBus
from runtime.bus.watching import PATIENCE_S, text


@pytest.fixture
def bus():
    return LocalBus()


async def test_what_is_there_is_not_waited_for(bus):
    watch = bus.subscribe("t1")
    bus.publish(text(0, "a"))
    assert await asyncio.wait_for(watch.wait(3600), PATIENCE_S)
    assert watch.ready() == [text(0, "a")]


async def test_what_comes_ends_the_wait(bus):
    watch = bus.subscribe("t1")
    waiting = asyncio.ensure_future(watch.wait(3600))
    await asyncio.sleep(0)
    bus.publish(text(0, "a"))
    assert await asyncio.wait_for(waiting, PATIENCE_S)
    assert watch.ready() == [text(0, "a")]


async def test_a_wait_ends_with_its_time_though_nothing_came(bus):
    watch = bus.subscribe("t1")
    assert await asyncio.wait_for(watch.wait(0.01), PATIENCE_S)
    assert watch.ready() == []


async def test_a_wait_is_as_long_as_the_last_one_asked_for(bus):
    watch = bus.subscribe("t1")
    clock = asyncio.get_running_loop().time
    for seconds in (3600, 0.2, 0.01):
        began = clock()
        waiting = asyncio.ensure_future(watch.wait(seconds))
        if seconds == 3600:
            await asyncio.sleep(0)
            bus.publish(text(0, "a"))
        assert await asyncio.wait_for(waiting, PATIENCE_S)
        assert watch.ready() or clock() - began >= seconds


async def test_a_longer_wait_outlives_the_time_of_a_shorter_one_before_it(bus):
    watch = bus.subscribe("t1")
    first = asyncio.ensure_future(watch.wait(0.05))
    await asyncio.sleep(0)
    bus.publish(text(0, "a"))
    assert await first
    watch.ready()
    began = asyncio.get_running_loop().time()
    assert await asyncio.wait_for(watch.wait(0.2), PATIENCE_S)
    assert asyncio.get_running_loop().time() - began >= 0.2


async def test_nothing_more_can_come_once_it_has_ended_and_was_read(bus):
    watch = bus.subscribe("t1")
    bus.publish(text(0, "a"))
    waiting = bus.subscribe("t2")
    later = asyncio.ensure_future(waiting.wait(3600))
    await asyncio.sleep(0)
    await bus.aclose()
    assert not await asyncio.wait_for(later, PATIENCE_S)
    assert await watch.wait(3600)
    watch.ready()
    assert not await watch.wait(3600)


async def test_only_one_may_wait(bus):
    watch = bus.subscribe("t1")
    waiting = asyncio.ensure_future(watch.wait(3600))
    await asyncio.sleep(0)
    with pytest.raises(UsageError, match="already has a reader"):
        await watch.wait(3600)
    watch.close()
    assert not await waiting
