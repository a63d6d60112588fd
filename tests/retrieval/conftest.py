"""Libraries to test, each in a folder or a schema of its own, with an embedder that is weak and real."""

import pytest

from glassloop.retrieval import Library
from glassloop.retrieval.embedding import HashingEmbedder


@pytest.fixture(params=["files", "postgres"])
def kept(request, tmp_path):
    """Makes libraries over the same indexes, in a folder or in PostgreSQL.

    Vectors are plain bytes there: the pgvector of the wheel was built for other processors than some that tests run
    on, and takes the server down with it. What it does is tested on a server of its own.
    """
    url = request.getfixturevalue("postgres_schema") if request.param == "postgres" else None

    def make(embedder=None, **options):
        return Library(tmp_path / "home", embedder, database_url=url, pgvector=False, **options)

    return make


@pytest.fixture
async def library(kept):
    async with kept(HashingEmbedder()) as opened:
        yield opened


@pytest.fixture
async def words_only(kept):
    async with kept() as opened:
        yield opened


@pytest.fixture
def index(library):
    return library.index("kb", make=True)
