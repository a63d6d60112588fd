"""A tiny embedder: what it is made from, and made."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from glassloop.extensions.embedded.embedder.weights import EmbedderWeights
from models.embedder.tiny import recipe_of, write_tiny
from models.weights.depot import Depot, opened_depot


@pytest.fixture(scope="session")
def source(tmp_path_factory: Any) -> Path:
    """The folder with the weights and the tokenizer."""
    folder = tmp_path_factory.mktemp("tiny")
    write_tiny(folder)
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory: Any, source: Path) -> EmbedderWeights:
    """The embedder made from them; not to be changed."""
    supply = EmbedderWeights(recipe_of(source), tmp_path_factory.mktemp("made") / "models")
    asyncio.run(supply.pull({}, lambda _stage: None, source))
    return supply


@pytest.fixture
def depot() -> Iterator[Depot]:
    with opened_depot() as opened:
        yield opened
