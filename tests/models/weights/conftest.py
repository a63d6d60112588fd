"""A depot and weights in it."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from glassloop.models.weights.catalogue import Asset
from glassloop.models.weights.fetch import Patience
from glassloop.models.weights.shelf import Shelf
from models.weights.depot import Depot, opened_depot

QUICK = Patience(connect_s=30.0, read_s=60.0, backoff_s=0.01)


@pytest.fixture
def depot() -> Iterator[Depot]:
    with opened_depot() as opened:
        yield opened


@pytest.fixture(scope="module")
def data() -> bytes:
    """Two whole parts and a bit: bytes that cannot be compressed."""
    return random.Random(5).randbytes(6_500_000)


@pytest.fixture
def asset(depot: Depot, data: bytes) -> Asset:
    return depot.stock(data)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "models")
