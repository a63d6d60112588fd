"""Stores for raids, on both databases, and a small night to put into them."""

import pytest

from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.runtime.extensions import installed_extensions
from glassloop.store import open_store


@pytest.fixture(params=["sqlite", "postgres"])
async def store(request, tmp_path, put_store):
    postgres = request.param == "postgres"
    url = request.getfixturevalue("postgres_tables") if postgres else str(put_store(tmp_path / "log.db"))
    async with await open_store(url, branches=installed_extensions().branches) as opened:
        yield opened


@pytest.fixture
async def kept(tmp_path, put_store):
    """For what takes long and is not about databases."""
    async with await open_store(
        str(put_store(tmp_path / "log.db")), branches=installed_extensions().branches
    ) as opened:
        yield opened


@pytest.fixture
def raids(store):
    return RaidStore(store)
