"""What is given to a store while it closes is done, or refused in words: nobody waits for ever."""

import asyncio
import threading

import pytest

from glassloop.core.errors import StoreError
from glassloop.store import open_store
from glassloop.store.engine.writer import WriterThread
from store.made_events import whole_turn

WAIT_S = 60.0


class Connection:
    """A database that does as it is told: what a writer and a reader need of one."""

    def __init__(self, begin=lambda: None, rollback=lambda: None):
        self._begin, self._rollback = begin, rollback

    def begin(self, *, sync):
        self._begin()

    def commit(self):
        pass

    def rollback(self):
        self._rollback()

    def close(self):
        pass


def closes_when_a_future_is_made(loop, close):
    """Has the loop make its next future only when `close` is through: between a caller's look and its gift."""
    make = loop.create_future

    def closing():
        loop.create_future = make
        closer = threading.Thread(target=close)
        closer.start()
        closer.join()
        return make()

    loop.create_future = closing


async def test_a_write_that_comes_while_the_writer_ends_is_refused():
    writer, loop = WriterThread(Connection), asyncio.get_running_loop()
    late = loop.create_task(writer.do(lambda _db: "stored"))
    closes_when_a_future_is_made(loop, writer.close)
    await asyncio.sleep(0)
    await asyncio.wait({late}, timeout=WAIT_S)
    with pytest.raises(StoreError, match="closed: open it again"):
        late.result()


async def test_what_was_given_before_the_end_is_stored_and_what_comes_after_it_refused():
    begun, free = threading.Event(), threading.Event()

    def hold(_db):
        begun.set()
        assert free.wait(WAIT_S)
        return "first"

    writer = WriterThread(Connection)
    first = asyncio.ensure_future(writer.do(hold))
    await asyncio.to_thread(begun.wait, WAIT_S)
    closing = threading.Thread(target=writer.close)
    given: list[asyncio.Future[str]] = []
    while not given or not given[-1].done():
        given.append(asyncio.ensure_future(writer.do(lambda _db: "stored")))
        await asyncio.sleep(0)
        if len(given) == 600:
            closing.start()
    *before, late = given
    with pytest.raises(StoreError, match="closed"):
        await late
    free.set()
    assert await first == "first"
    assert set(await asyncio.gather(*before)) == {"stored"}
    await asyncio.to_thread(closing.join)


async def test_where_the_writer_breaks_those_who_wait_and_those_who_come_are_told():
    begun, free = threading.Event(), threading.Event()

    def begin():
        begun.set()
        assert free.wait(WAIT_S)
        raise OSError("torn out")

    def rollback():
        raise RuntimeError("no way back")

    writer = WriterThread(lambda: Connection(begin, rollback))
    first = asyncio.ensure_future(writer.do(lambda _db: None))
    await asyncio.to_thread(begun.wait, WAIT_S)
    second = asyncio.ensure_future(writer.do(lambda _db: None))
    await asyncio.sleep(0)
    free.set()
    for each in (first, second):
        with pytest.raises(StoreError, match="no way back"):
            await asyncio.wait_for(asyncio.shield(each), WAIT_S)
    with pytest.raises(StoreError, match="closed"):
        await writer.do(lambda _db: None)
    await asyncio.to_thread(writer.close)


async def test_a_store_that_is_closed_says_so_to_readers_and_writers(url):
    store = await open_store(url)
    await store.turns.append("t1", whole_turn("t1"))
    await store.aclose()
    await store.aclose()
    for work in (store.turns.read("t1"), store.turns.append("t2", whole_turn("t2")), store.sessions.get("s1")):
        with pytest.raises(StoreError, match="closed: open it again"):
            await work
