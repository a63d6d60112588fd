"""The names of a data set that models give: categories, chains and areas, read once for each data set."""

from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

import msgspec

from glassloop.extensions.places.query.area_names import AreaNames, NamedArea
from glassloop.extensions.places.query.categories import Categories, Category, Chain, Chains

if TYPE_CHECKING:
    from glassloop.extensions.places.data_set.database import PlacesDatabase

MAX_KEPT: Final = 8
MAX_AREAS: Final = 50_000
"""Of the named areas of a data set; more are only found by their city or metro."""


class Vocabulary(msgspec.Struct, frozen=True, kw_only=True):
    categories: Categories
    chains: Chains
    areas: AreaNames


class Vocabularies:
    """Those of the data sets in use; the one that was unused for the longest is read again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Vocabulary] = OrderedDict()

    async def of(self, database: "PlacesDatabase") -> Vocabulary:
        key = database.data_set.id
        if (found := self._kept.get(key)) is None:
            found = self._kept[key] = await _read(database)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return found


async def _read(database: "PlacesDatabase") -> Vocabulary:
    rows = database.rows
    categories: list[dict[str, Any]] = await rows("SELECT id, name, parent_id, words FROM poi_categories")
    codes = await rows("SELECT DISTINCT category_id AS id FROM poi_places WHERE category_id IS NOT NULL")
    used = {str(row["id"]) for row in codes}
    chains: list[dict[str, Any]] = await rows("SELECT id, name, words, category_id FROM poi_chains")
    places: list[dict[str, Any]] = await rows("SELECT DISTINCT city, state, metro FROM poi_places")
    zips = await rows("SELECT DISTINCT zip FROM poi_places WHERE zip IS NOT NULL")
    areas = await rows(
        "SELECT DISTINCT name, metro FROM poi_areas WHERE name IS NOT NULL AND ring IS NOT NULL "
        f"ORDER BY name LIMIT {MAX_AREAS}"
    )
    named = [*_of_places(places), *(NamedArea(kind="zip", name=str(row["zip"])) for row in zips)]
    return Vocabulary(
        categories=Categories(_with_known(categories, used), used),
        chains=Chains(
            Chain(
                id=row["id"], name=row["name"] or row["id"], words=tuple(row["words"] or ()),
                category_id=row["category_id"],
            )
            for row in chains
        ),
        areas=AreaNames([*named, *_neighborhoods(areas)]),
    )  # fmt: skip


def _with_known(rows: Iterable[dict[str, Any]], used: set[str]) -> list[Category]:
    """The categories of the data; codes of NAICS that it uses and does not name have the names that we know."""
    found = [_category(row) for row in rows]
    unnamed = used - {each.id for each in found if each.name != each.id}
    if not unnamed:
        return found
    # Imported late: data with names of its own needs none.
    from glassloop.extensions.places.sample.tables import load_tables

    tables = load_tables()
    known = {each.id: each for each in (*tables.kinds, *tables.above) if each.id in unnamed}
    found = [each for each in found if each.id not in known]
    return [*found, *(Category(id=each.id, name=each.name, words=tuple(each.words)) for each in known.values())]


def _category(row: dict[str, Any]) -> Category:
    words = tuple(row["words"] or ())
    return Category(id=row["id"], name=row["name"] or row["id"], parent_id=row["parent_id"], words=words)


def _of_places(rows: Iterable[dict[str, Any]]) -> Iterable[NamedArea]:
    for row in rows:
        state = str(row["state"] or "").upper()
        if row["city"]:
            yield NamedArea(kind="city", name=row["city"], state=row["state"] or "")
        if row["metro"]:
            yield NamedArea(kind="metro", name=row["metro"])
        if state:
            yield NamedArea(kind="state", name=state)


def _neighborhoods(rows: Iterable[dict[str, Any]]) -> Iterable[NamedArea]:
    """An area is called by its neighborhood, or by that and its city: `Mission, San Francisco`."""
    for row in rows:
        full = str(row["name"])
        name, _, city = full.partition(",")
        if any(char.isalpha() for char in name):
            yield NamedArea(
                kind="neighborhood", name=name.strip(), within=city.strip() or row["metro"] or "", full=full
            )
