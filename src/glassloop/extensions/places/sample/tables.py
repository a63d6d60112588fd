"""The tables that the sample is made from, read from the TOML files beside: metros, categories, chains, landmarks."""

import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

_DATA = Path(__file__).parent / "data"

Catchment = Literal["walk", "near", "city", "region", "visitors"]


class Neighborhood(msgspec.Struct, frozen=True, array_like=True):
    name: str
    city: str
    zip: str
    lat: float
    lon: float
    rings: int
    people: int
    income: float
    trade: float


class Metro(msgspec.Struct, frozen=True):
    name: str
    state: str
    water: tuple[tuple[tuple[float, float], ...], ...]
    neighborhoods: tuple[Neighborhood, ...]


class PlaceKind(msgspec.Struct, frozen=True, array_like=True):
    """A category that places are of."""

    id: str
    name: str
    share: float
    visits: float
    frequency: float
    minutes: float
    catchment: Catchment
    hours: str
    week: str
    season: str
    area_m2: float
    words: tuple[str, ...]
    called: tuple[str, ...]


class UpperCategory(msgspec.Struct, frozen=True, array_like=True):
    """A category above others."""

    id: str
    name: str
    words: tuple[str, ...]


class SampleChain(msgspec.Struct, frozen=True, array_like=True):
    name: str
    stores: int
    factor: float
    words: tuple[str, ...]
    metros: tuple[str, ...] = ()


class Landmark(msgspec.Struct, frozen=True, array_like=True):
    name: str
    category_id: str
    metro: str
    neighborhood: str
    factor: float
    story: str


class SampleTables(msgspec.Struct, frozen=True, kw_only=True):
    """All of them."""

    metros: tuple[Metro, ...]
    above: tuple[UpperCategory, ...]
    kinds: tuple[PlaceKind, ...]
    chains: dict[str, tuple[SampleChain, ...]]
    closed_on_sundays: frozenset[str]
    landmarks: tuple[Landmark, ...]


def load_tables() -> SampleTables:
    read: dict[str, Any] = {}
    for name in ("metros", "categories", "chains", "landmarks"):
        read |= tomllib.loads((_DATA / f"{name}.toml").read_text("utf-8"))
    return msgspec.convert(read, SampleTables)
