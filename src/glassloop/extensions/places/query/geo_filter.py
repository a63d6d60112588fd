"""`geo_filter`: the types that an area can be given by, and how what models write is read as one of them.

Owns shapes and bounds. What a name means in a data set is `regions`' business. Importing this module imports Pydantic,
so only what makes tools imports it.
"""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self, TypeAlias, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

MAX_RADIUS_M: Final = 100_000
MAX_VERTICES: Final = 1_000
MAX_IDS: Final = 200
MAX_CODES: Final = 100

AreaText = Annotated[str, Field(min_length=1, max_length=200)]
Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]
Meters = Annotated[float, Field(gt=0, le=MAX_RADIUS_M, allow_inf_nan=False)]
Position = Annotated[list[float], Field(min_length=2, max_length=3)]


class _Filter(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CityFilter(_Filter):
    """A city."""

    type: Literal["city"]
    name: AreaText
    state: Annotated[
        str | None, Field(max_length=40, description="Two letters, where several cities have the name.")
    ] = None


class MetroFilter(_Filter):
    """A metropolitan area with its suburbs."""

    type: Literal["metro"]
    name: AreaText


class StateFilter(_Filter):
    """A state."""

    type: Literal["state"]
    code: Annotated[str, Field(min_length=2, max_length=40, description="Two letters, such as CA.")]


class ZipFilter(_Filter):
    """ZIP codes."""

    type: Literal["zip"]
    codes: Annotated[list[Annotated[str, Field(max_length=12)]], Field(min_length=1, max_length=MAX_CODES)]


class NeighborhoodFilter(_Filter):
    """A part of a city."""

    type: Literal["neighborhood"]
    name: AreaText
    city: Annotated[str | None, Field(max_length=200)] = None


class RadiusFilter(_Filter):
    """A circle around a point (`lat`, `lon`) or around a place (`place_id`)."""

    type: Literal["radius"]
    meters: Annotated[Meters, Field(description=f"At most {MAX_RADIUS_M:,}.")]
    lat: Latitude | None = None
    lon: Longitude | None = None
    place_id: Annotated[str | None, Field(max_length=200)] = None

    @model_validator(mode="after")
    def _has_a_center(self) -> Self:
        by_point = self.lat is not None and self.lon is not None
        if by_point == (self.place_id is not None) or (self.lat is None) != (self.lon is None):
            raise ValueError("give `lat` and `lon`, or `place_id`")
        return self


class BoxFilter(_Filter):
    """A box between two latitudes and two longitudes."""

    type: Literal["bbox"]
    south: Latitude
    west: Longitude
    north: Latitude
    east: Longitude

    @model_validator(mode="after")
    def _is_the_right_way_round(self) -> Self:
        if self.south >= self.north or self.west >= self.east:
            raise ValueError("`south` must be below `north`, and `west` below `east`")
        return self


class PolygonFilter(_Filter):
    """An outline as GeoJSON has it."""

    type: Literal["polygon"]
    coordinates: Annotated[
        list[Annotated[list[Position], Field(min_length=4)]],
        Field(
            min_length=1, description=f"Rings of [lon, lat]: the outline, then holes; {MAX_VERTICES:,} points at most."
        ),
    ]

    @model_validator(mode="after")
    def _is_an_outline(self) -> Self:
        count = sum(len(ring) for ring in self.coordinates)
        if count > MAX_VERTICES:
            raise ValueError(f"it has {count:,} points: give {MAX_VERTICES:,} at most")
        for lon, lat, *_ in (position for ring in self.coordinates for position in ring):
            if not (-180 <= lon <= 180 and -90 <= lat <= 90):
                raise ValueError(f"[{lon:g}, {lat:g}] is no [lon, lat]")
        # Imported late: few filters are outlines.
        import shapely

        shape = shapely.Polygon(self.rings[0], self.rings[1:])
        if not shape.is_valid or not shape.area > 0:
            reason = shapely.is_valid_reason(shape) if not shape.is_valid else "it has no area"
            raise ValueError(f"the outline cannot be used ({reason}): give one that does not cross itself")
        return self

    @property
    def rings(self) -> list[list[tuple[float, float]]]:
        """Pairs of longitude and latitude, the outline first."""
        return [[(position[0], position[1]) for position in ring] for ring in self.coordinates]


class PlacesFilter(_Filter):
    """Places by their ids."""

    type: Literal["places"]
    ids: Annotated[list[Annotated[str, Field(max_length=200)]], Field(min_length=1, max_length=MAX_IDS)]


GeoShape: TypeAlias = (
    CityFilter
    | MetroFilter
    | StateFilter
    | ZipFilter
    | NeighborhoodFilter
    | RadiusFilter
    | BoxFilter
    | PolygonFilter
    | PlacesFilter
)
GEO_TYPES: Final = ("city", "metro", "state", "zip", "neighborhood", "radius", "bbox", "polygon", "places")
_Tagged = Annotated[GeoShape, Field(discriminator="type")]
_shapes: TypeAdapter[GeoShape] = TypeAdapter(_Tagged)

_KEYS: Final[Mapping[str, str]] = {
    "latitude": "lat", "lng": "lon", "long": "lon", "longitude": "lon", "radius": "meters", "radius_m": "meters",
    "radius_meters": "meters", "distance": "meters", "distance_m": "meters", "placeid": "place_id",
    "zips": "codes", "zip_codes": "codes", "zipcodes": "codes", "zip": "codes", "zip_code": "codes",
    "place_ids": "ids", "places": "ids", "min_lat": "south", "max_lat": "north", "min_lon": "west", "max_lon": "east",
    "city_name": "name", "metro_name": "name", "state_code": "state",
}  # fmt: skip
_TYPES: Final[Mapping[str, str]] = {
    "circle": "radius", "box": "bbox", "bounding_box": "bbox", "rectangle": "bbox", "zipcode": "zip", "zip_code": "zip",
    "zips": "zip", "postal_code": "zip", "neighbourhood": "neighborhood", "place": "places", "place_ids": "places",
    "msa": "metro", "cbsa": "metro", "metropolitan": "metro", "dma": "metro", "town": "city",
}  # fmt: skip
_TYPE_OF_KEY: Final[Mapping[str, str]] = {
    "meters": "radius", "south": "bbox", "coordinates": "polygon", "codes": "zip", "ids": "places",
    "neighborhood": "neighborhood", "city": "city", "metro": "metro",
}  # fmt: skip
_OWN_KEYS: Final[Mapping[str, str]] = {"city": "name", "metro": "name", "state": "code", "neighborhood": "name"}
_METERS_IN: Final[Mapping[str, float]] = {"km": 1_000.0, "radius_km": 1_000.0, "kilometers": 1_000.0,
                                          "miles": 1_609.344, "radius_miles": 1_609.344, "mi": 1_609.344}  # fmt: skip


def read_geo_filter(value: Any) -> Any:
    """Text as it is, an object as its type; raises `ValueError` with what fits."""
    if isinstance(value, str):
        text = value.strip()
        if not text.startswith("{"):
            if not 1 <= len(text) <= 200:
                raise ValueError("give the name of a city, metro, state or neighborhood, or an object with a `type`")
            return text
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError("it is no JSON object: give a name or an object with a `type`") from None
    if not isinstance(value, Mapping):
        return value
    given = _mended(cast("Mapping[Any, Any]", value))
    if set(given) == {"name"} or (given.get("type") == "name" and set(given) == {"name", "type"}):
        return read_geo_filter(given["name"])
    try:
        return _shapes.validate_python(given)
    except ValidationError as error:
        raise ValueError(_reason(error, str(given.get("type", "")))) from None


GeoFilter = Annotated[str | _Tagged, BeforeValidator(read_geo_filter)]


def _mended(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Other spellings of keys and types, a missing type by what is given, one code in place of a list of codes."""
    given: dict[str, Any] = {}
    for key, one in value.items():
        name = str(key).strip().lower().replace("-", "_")[:60]
        if name in _METERS_IN and isinstance(one, int | float):
            given.setdefault("meters", one * _METERS_IN[name])
        else:
            given.setdefault(_KEYS.get(name, name), one)
    kind = str(given.get("type") or _guessed_type(given)).strip().lower().replace("-", "_").replace(" ", "_")[:60]
    if kind:
        given["type"] = kind = _TYPES.get(kind, kind)
    own = _OWN_KEYS.get(kind)
    for other in ("name", "value", "state", kind):
        # `{type: "state", name: "CA"}`, `{type: "city", city: "Atlanta"}`
        if own and own not in given and other in given:
            given[own] = given.pop(other)
    for key in ("codes", "ids"):
        if isinstance(given.get(key), str | int):
            given[key] = [part.strip() for part in str(given[key]).split(",")]
    if isinstance(given.get("codes"), list):
        given["codes"] = [f"{code:05d}" if isinstance(code, int) else code for code in given["codes"]]
    ring = given.get("coordinates")
    if isinstance(ring, list) and ring and _is_position(cast("list[Any]", ring)[0]):
        given["coordinates"] = [ring]
    return {key: one for key, one in given.items() if one is not None}


def _guessed_type(given: Mapping[str, Any]) -> str:
    for key, kind in _TYPE_OF_KEY.items():
        if key in given:
            return kind
    if "name" in given and "state" in given:
        return "city"
    return "state" if "state" in given or "code" in given else ""


def _is_position(value: object) -> bool:
    if not isinstance(value, list | tuple):
        return False
    numbers = cast("list[Any]", value)
    return bool(numbers) and isinstance(numbers[0], int | float)


def _reason(error: ValidationError, kind: str) -> str:
    """One sentence: the first few faults, without the type of the union in their places."""
    told: list[str] = []
    for fault in error.errors(include_url=False, include_context=False)[:4]:
        place = ".".join(str(part) for part in fault["loc"] if part != kind)
        message = fault["msg"].removeprefix("Value error, ")
        told.append(f"`{place}`: {message}" if place else message)
    return "; ".join(told)
