"""PostgreSQL as the store's tests start it, and buses that are closed when a test ends."""

import pytest

from glassloop.runtime.bus.local import LocalBus


@pytest.fixture
async def bus():
    made = LocalBus()
    yield made
    await made.aclose()


@pytest.fixture
async def open_bus(postgres_schema):
    """Opens a bus as another process would have one: on this test's schema, unless told otherwise.

    Watchers are repeated so rarely that a test sees what happens without that.
    """
    from glassloop.runtime.bus.postgres import PostgresBus

    opened = []

    async def open_one(url=postgres_schema, *, watch_s=60.0):
        opened.append(await PostgresBus.open(url, watch_s=watch_s))
        return opened[-1]

    yield open_one
    for each in opened:
        await each.aclose()
