"""A `geo_filter` as a condition on `poi_places`: names looked up, outlines tested, every value a parameter."""

import asyncio
from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from glassloop.core.errors import BadArguments
from glassloop.extensions.places.query.area_names import AreaNames, NamedArea
from glassloop.extensions.places.query.binds import Binds
from glassloop.extensions.places.query.distance import degrees_around, distance_sql
from glassloop.extensions.places.query.geo_filter import (
    BoxFilter,
    CityFilter,
    GeoShape,
    MetroFilter,
    NeighborhoodFilter,
    PlacesFilter,
    PolygonFilter,
    RadiusFilter,
    StateFilter,
    ZipFilter,
)
from glassloop.extensions.places.query.names import list_names, quote_name

if TYPE_CHECKING:
    from glassloop.extensions.places.data_set.database import PlacesDatabase

NEVER = "false"


class Region(msgspec.Struct, frozen=True, kw_only=True):
    """`condition` is on the alias `p` of `poi_places`; `center` is where distances are from."""

    geo_type: str
    label: str
    condition: str = "true"
    center: tuple[float, float] | None = None


EVERYWHERE = Region(geo_type="all", label="all places of the data")


async def find_region(
    geo_filter: "str | GeoShape | None", database: "PlacesDatabase", names: AreaNames, binds: Binds
) -> Region:
    """Raises `BadArguments` for a name that fits nothing, or several."""
    match geo_filter:
        case None:
            return EVERYWHERE
        case str():
            area = names.find(geo_filter)
            return EVERYWHERE if area is None else await _named(area, database, binds)
        case CityFilter():
            return await _named(names.city(geo_filter.name, geo_filter.state), database, binds)
        case MetroFilter():
            return await _named(names.metro(geo_filter.name), database, binds)
        case StateFilter():
            return await _named(names.state(geo_filter.code), database, binds)
        case NeighborhoodFilter():
            return await _named(names.neighborhood(geo_filter.name, geo_filter.city), database, binds)
        case ZipFilter():
            codes = [area.name for area in names.zips(geo_filter.codes)]
            label = f"ZIP {list_names(codes)}"
            return Region(geo_type="zip", label=label, condition=f"p.zip IN (SELECT unnest({binds(codes)}))")
        case RadiusFilter():
            return await _circle(geo_filter, database, binds)
        case BoxFilter():
            box = (geo_filter.south, geo_filter.west, geo_filter.north, geo_filter.east)
            label = "the box from {:g}, {:g} to {:g}, {:g}".format(*box)
            return Region(geo_type="bbox", label=label, condition=_box(box, binds))
        case PolygonFilter():
            import shapely

            shape = shapely.Polygon(geo_filter.rings[0], geo_filter.rings[1:])
            return Region(geo_type="polygon", label="the outline", condition=await _within(shape, database, binds))
        case PlacesFilter():
            label = f"{len(set(geo_filter.ids))} places"
            return Region(
                geo_type="places", label=label, condition=f"p.id IN (SELECT unnest({binds(list(geo_filter.ids))}))"
            )
        case _:
            assert_never(geo_filter)


async def _named(area: NamedArea, database: "PlacesDatabase", binds: Binds) -> Region:
    match area.kind:
        case "city":
            condition = f"p.city = {binds(area.name)} AND p.state IS NOT DISTINCT FROM {binds(area.state or None)}"
        case "metro":
            condition = f"p.metro = {binds(area.name)}"
        case "state":
            condition = f"upper(p.state) = {binds(area.name)}"
        case "zip":
            condition = f"p.zip = {binds(area.name)}"
        case "neighborhood":
            condition = await _neighborhood(area, database, binds)
        case _:
            assert_never(area.kind)
    return Region(geo_type=area.kind, label=area.label, condition=condition)


async def _neighborhood(area: NamedArea, database: "PlacesDatabase", binds: Binds) -> str:
    """Places within the outlines of the areas of that name."""
    import shapely

    rows = await database.rows(
        "SELECT ring FROM poi_areas WHERE name = $name AND ring IS NOT NULL", {"name": area.full or area.name}
    )
    rings = [ring for row in rows if len(ring := read_ring(row["ring"])) >= 3]
    if not rings:
        raise BadArguments(f"{quote_name(area.name)} has no outline in the data: give its city or ZIP codes instead.")
    return await _within(shapely.union_all([shapely.Polygon(ring) for ring in rings]), database, binds)


async def _circle(given: RadiusFilter, database: "PlacesDatabase", binds: Binds) -> Region:
    lat, lon, label = given.lat or 0.0, given.lon or 0.0, "a point"
    if given.place_id is not None:
        rows: list[dict[str, Any]] = await database.rows(
            "SELECT name, lat, lon FROM poi_places WHERE id = $id AND lat IS NOT NULL AND lon IS NOT NULL",
            {"id": given.place_id},
        )
        if not rows:
            raise BadArguments(f"There is no place {quote_name(given.place_id)}: find its id with search_places.")
        lat, lon, label = float(rows[0]["lat"]), float(rows[0]["lon"]), str(rows[0]["name"])
    high, wide = degrees_around(lat, given.meters)
    box = _box((lat - high, lon - wide, lat + high, lon + wide), binds)
    far = distance_sql("p.lat", "p.lon", binds(lat), binds(lon))
    return Region(
        geo_type="radius",
        label=f"{given.meters:,.0f} m around {label}",
        condition=f"{box} AND {far} <= {binds(given.meters)}",
        center=(lat, lon),
    )


async def _within(shape: Any, database: "PlacesDatabase", binds: Binds) -> str:
    """By the ids of the places in it: the box in SQL, the outline exactly, its edge included."""
    import numpy as np
    import shapely

    west, south, east, north = shape.bounds
    boxed = Binds()
    condition = _box((south, west, north, east), boxed)
    rows: list[dict[str, Any]] = await database.rows(
        f"SELECT p.id, p.lat, p.lon FROM poi_places p WHERE {condition}",
        boxed.values,
    )
    if not rows:
        return NEVER

    def inside() -> list[str]:
        shapely.prepare(shape)
        hits = shapely.intersects_xy(
            shape, np.array([row["lon"] for row in rows]), np.array([row["lat"] for row in rows])
        )
        return [str(row["id"]) for row, hit in zip(rows, hits, strict=True) if hit]

    found = await asyncio.to_thread(inside)
    return f"p.id IN (SELECT unnest({binds(found)}))" if found else NEVER


def _box(box: tuple[float, float, float, float], binds: Binds) -> str:
    south, west, north, east = (binds(edge) for edge in box)
    return f"p.lat BETWEEN {south} AND {north} AND p.lon BETWEEN {west} AND {east}"


def read_ring(value: object) -> list[tuple[float, float]]:
    """Pairs of longitude and latitude, from a list or its JSON; nothing where it cannot be read."""
    import json

    try:
        pairs: Any = json.loads(value) if isinstance(value, str) else value
        return [(float(pair[0]), float(pair[1])) for pair in pairs or ()]
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return []
