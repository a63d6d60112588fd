"""Libraries to test, each in a folder of its own, with an embedder that is weak and real."""

import pytest

from glassloop.retrieval import Library
from glassloop.retrieval.embedding import HashingEmbedder


@pytest.fixture
async def library(tmp_path):
    async with Library(tmp_path / "home", HashingEmbedder()) as opened:
        yield opened


@pytest.fixture
async def words_only(tmp_path):
    async with Library(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def index(library):
    return library.index("kb", make=True)
