"""Shares of the event loop: who keeps it busy waits while others are there, and nobody else does."""

import asyncio

import pytest

from glassloop.server.auth.loop_share import BUSY_S, MAX_OWED_S, MAX_WAITING, ROOM, LoopShare


class Times:
    """Clocks that go on only by what is slept and what work takes."""

    def __init__(self) -> None:
        self.now = self.cpu = 0.0
        self.slept = list[float]()

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def work(self, seconds: float) -> None:
        self.now += seconds
        self.cpu += seconds


@pytest.fixture
def times() -> Times:
    return Times()


@pytest.fixture
def share(times: Times) -> LoopShare:
    return LoopShare(clock=lambda: times.now, cpu_clock=lambda: times.cpu, sleep=times.sleep)


async def test_whoever_takes_more_than_a_share_waits_for_it_and_others_do_not(share, times) -> None:
    share.charge("mallory", 0.35)
    share.charge("ann", 0.01)
    assert share.wait_s("mallory") == pytest.approx(0.35 * ROOM)
    assert share.wait_s("ann") == 0.0
    assert await share.pause("ann")
    assert not times.slept


async def test_nobody_waits_while_nobody_else_is_there(share, times) -> None:
    share.charge("ann", 0.01)
    times.now += 2.0
    share.charge("mallory", 0.9)
    assert share.wait_s("mallory") == 0.0
    share.charge("ann", 0.01)
    assert share.wait_s("mallory") > 0.0


async def test_in_the_long_run_one_user_has_a_tenth_of_the_loop(share, times) -> None:
    for _ in range(2_000):
        share.charge("ann", 0.0001)
        assert await share.admit("mallory")
        times.work(0.005)
        share.charge("mallory", 0.005)
    assert times.cpu / times.now == pytest.approx(0.1, abs=0.01)


async def test_of_many_that_wait_one_begins_at_a_time(share, times) -> None:
    share.charge("mallory", BUSY_S * 2)
    share.charge("ann", 0.001)
    times.now += BUSY_S * 2 * ROOM
    assert share.wait_s("mallory") == 0.0
    assert await share.admit("mallory")
    assert share.wait_s("mallory") > 0.0


async def test_a_wait_is_bounded_and_so_are_those_who_wait() -> None:
    held = asyncio.Event()

    async def sleep(_: float) -> None:
        await held.wait()

    share = LoopShare(clock=lambda: 1.0, sleep=sleep, max_wait_s=0.5)
    share.charge("mallory", MAX_OWED_S)
    share.charge("ann", 0.001)
    waiting = [asyncio.ensure_future(share.admit("mallory")) for _ in range(MAX_WAITING)]
    await asyncio.sleep(0)
    assert not await share.admit("mallory")
    held.set()
    assert not any(await asyncio.gather(*waiting))


async def test_steps_of_a_request_are_counted_with_what_they_raise_and_are_told(share, times) -> None:
    told = list[str]()

    async def work() -> None:
        times.work(0.2)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            told.append("cancelled")
            times.work(0.2)
            raise

    running = asyncio.ensure_future(share.metered("mallory", work()))  # pyright: ignore
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    share.charge("ann", 0.001)
    assert told == ["cancelled"]
    assert share.wait_s("mallory") > 0.4


async def test_bodies_and_answers_wait_piece_by_piece(share, times) -> None:
    async def receive():
        return {"type": "http.request", "body": b"x"}

    sent = list[bytes]()

    async def send(message) -> None:
        sent.append(message.get("body", b""))

    received, sending = share.paced("mallory", {"type": "http"}, receive, send)
    share.charge("mallory", 0.3)
    share.charge("ann", 0.001)
    await received()
    assert times.slept
    before = len(times.slept)
    share.charge("mallory", 0.3)
    share.charge("ann", 0.001)
    await sending({"type": "http.response.body", "body": b"x"})
    assert len(times.slept) > before
    assert sent == [b"x"]
