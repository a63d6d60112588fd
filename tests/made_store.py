"""An empty store of SQLite's to be copied: making its tables takes longer than most tests, and loads a library more."""

import asyncio
import shutil

import pytest

from glassloop.runtime.extensions import installed_extensions
from glassloop.store import open_store


async def _make(path):
    await (await open_store(str(path), branches=installed_extensions().branches)).aclose()


@pytest.fixture(scope="session")
def made_database(tmp_path_factory):
    """A database without a row."""
    path = tmp_path_factory.mktemp("made") / "glassloop.db"
    asyncio.run(_make(path))
    return path


@pytest.fixture
def put_store(made_database):
    """Puts an empty store at a path, where there is none yet; gives the path."""

    def put(path):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(made_database, path)
        return path

    return put
