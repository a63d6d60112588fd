"""Stores to test, each on a database of its own, and the events to put into them."""

import pytest

from glassloop.store import open_store
from volatile_store import VolatileStore


@pytest.fixture(params=["sqlite", "memory", "postgres"])
def url(request, tmp_path, put_store):
    if request.param == "postgres":
        return request.getfixturevalue("postgres_tables")
    return "sqlite:///:memory:" if request.param == "memory" else f"sqlite:///{put_store(tmp_path / 'log.db')}"


@pytest.fixture(params=["sqlite", "postgres"])
def shared_url(request, tmp_path, put_store):
    """A database that several stores may open."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_tables")
    return f"sqlite:///{put_store(tmp_path / 'log.db')}"


@pytest.fixture(params=["sqlite", "postgres"])
def new_url(request, tmp_path):
    """A database with nothing in it, not even tables."""
    if request.param == "postgres":
        return request.getfixturevalue("postgres_schema")
    return f"sqlite:///{tmp_path / 'log.db'}"


@pytest.fixture
async def store(url, clock):
    async with await open_store(url, clock=clock) as opened:
        yield opened


@pytest.fixture(params=["volatile", "sqlite", "memory", "postgres"])
async def log(request, tmp_path, put_store):
    """Anything that fills the port `EventStore`."""
    if request.param == "volatile":
        yield VolatileStore()
        return
    where = {"sqlite": tmp_path / "log.db", "memory": "sqlite:///:memory:"}.get(request.param)
    if request.param == "sqlite":
        put_store(where)
    async with await open_store(str(where or request.getfixturevalue("postgres_tables"))) as opened:
        yield opened.turns


@pytest.fixture
async def file_store(tmp_path, put_store):
    async with await open_store(str(put_store(tmp_path / "log.db"))) as opened:
        yield opened
