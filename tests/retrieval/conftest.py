"""Libraries to test, each in a folder or a schema of its own, with an embedder that is weak and real."""

import os

import pytest

from glassloop.retrieval import Library
from glassloop.retrieval.index.embedding import HashingEmbedder
from postgres_server import new_schema

VECTORS_URL = os.environ.get("GLASSLOOP_TEST_PGVECTOR_URL")
"""Of a PostgreSQL with a pgvector that runs on this processor."""


@pytest.fixture(params=["files", "postgres", *(["pgvector"] if VECTORS_URL else [])])
def kept(request, tmp_path):
    """Makes libraries over the same indexes, in a folder or in PostgreSQL.

    Vectors are plain bytes there: the pgvector of the wheel was built for other processors than some that tests run
    on, and takes the server down with it. What it does is tested on a server of its own, and all of this on the server
    that is given.
    """

    def make(embedder=None, **options):
        pgvector = request.param == "pgvector"
        return Library(tmp_path / "home", embedder, database_url=url, pgvector=pgvector, **options)

    if request.param == "pgvector":
        with new_schema(VECTORS_URL) as url:
            yield make
    else:
        url = request.getfixturevalue("postgres_schema") if request.param == "postgres" else None
        yield make


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
