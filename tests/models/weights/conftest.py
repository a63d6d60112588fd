"""A depot and weights in it."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassloop.extensions.embedded.weights.catalog import Asset
from models.weights.depot import Depot, opened_depot


@pytest.fixture
def depot() -> Iterator[Depot]:
    with opened_depot() as opened:
        yield opened


@pytest.fixture(scope="module")
def data() -> bytes:
    """A whole part and a bit: bytes that cannot be compressed."""
    return random.Random(5).randbytes(4_500_000)


@pytest.fixture
def asset(depot: Depot, data: bytes) -> Asset:
    return depot.stock(data)


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


@pytest.fixture
def mine(tmp_path: Path, asset: Asset, data: bytes) -> Path:
    """The file, in a folder of the user's."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / asset.file).write_bytes(data)
    return tmp_path / "mine"
