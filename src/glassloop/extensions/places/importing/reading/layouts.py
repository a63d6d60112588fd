"""The columns of each kind of file, as their makers name them, and which kind a file is by its header.

A field takes its value from the first of its columns that the file has. `names.primary` is a column of that name, or
the member `primary` of the JSON in a column `names`.
"""

import difflib
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Literal

import msgspec

from glassloop.extensions.places.data_set.views import SHARES
from glassloop.extensions.places.importing.report import FileRefused

Content = Literal["places", "visits", "patterns", "areas"]
NEAR = 0.72
"""Names that are at least so similar are taken for a misspelling."""
MAX_NAMED = 40

_PLACE_IDS = ("placekey", "place_id", "poi_id", "safegraph_place_id", "fsq_place_id", "fsq_id", "id")
_COORDINATES = MappingProxyType({"lat": ("lat", "latitude", "y"), "lon": ("lon", "longitude", "lng", "long", "x")})
_SAFEGRAPH = MappingProxyType(
    {
        "id": ("placekey", "safegraph_place_id"),
        "name": ("location_name",),
        "address": ("street_address",),
        "city": ("city",),
        "state": ("region",),
        "zip": ("postal_code",),
        "country": ("iso_country_code",),
        "lat": ("latitude",),
        "lon": ("longitude",),
        "category_id": ("naics_code",),
        "category_name": ("sub_category",),
        "parent_category": ("top_category",),
        "chain_id": ("safegraph_brand_ids",),
        "chain_name": ("brands",),
        "tags": ("category_tags",),
        "opened_on": ("opened_on",),
        "closed_on": ("closed_on",),
        "area_m2": ("wkt_area_sq_meters",),
        "parent_id": ("parent_placekey", "parent_safegraph_place_id"),
        "hours": ("open_hours",),
    }
)
_SAFEGRAPH_EXTRA = (
    "phone_number", "websites", "store_id", "tracking_closed_since", "geometry_type", "polygon_wkt", "polygon_class",
    "enclosed", "is_synthetic", "includes_parking_lot", "includes_parking", "poi_cbg", "domains", "ownership_type",
    "is_intersecting", "iso_country_code", "safegraph_place_id", "placekey", "building_height",
)  # fmt: skip


class Layout(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of file. `extra` columns are known and not used; one of `telling` must be there where there are any,
    and none of `excluding`."""

    name: str
    content: Content
    fields: Mapping[str, Sequence[str]]
    required: Sequence[str]
    telling: Sequence[str] = ()
    excluding: Sequence[str] = ()
    extra: Sequence[str] = ()


LAYOUTS = (
    Layout(
        name="SafeGraph/Advan patterns",
        content="patterns",
        fields={
            **_SAFEGRAPH,
            "start": ("date_range_start",),
            "end": ("date_range_end",),
            "visits": ("raw_visit_counts",),
            "visitors": ("raw_visitor_counts",),
            "days": ("visits_by_day",),
            "each_hour": ("visits_by_each_hour",),
            "dwell": ("bucketed_dwell_times",),
            "median": ("median_dwell",),
            "homes": ("visitor_home_cbgs",),
            "brands_same_day": ("related_same_day_brand",),
        },
        required=("id", "start", "visits"),
        extra=(
            *_SAFEGRAPH_EXTRA, "distance_from_home", "visitor_home_aggregation", "visitor_daytime_cbgs",
            "visitor_work_cbgs", "visitor_country_of_origin", "related_same_week_brand", "related_same_month_brand",
            "popularity_by_hour", "popularity_by_day", "device_type", "carrier_name",
            "normalized_visits_by_state_scaling", "normalized_visits_by_region_naics_visits",
            "normalized_visits_by_region_naics_visitors", "normalized_visits_by_total_visits",
            "normalized_visits_by_total_visitors",
        ),
    ),
    Layout(
        name="daily visits",
        content="visits",
        fields={
            "id": _PLACE_IDS,
            "day": ("day", "date", "visit_date", "local_date"),
            "visits": ("visits", "visit_count", "visit_counts", "raw_visit_counts"),
            "visitors": ("visitors", "visitor_count", "visitor_counts", "raw_visitor_counts"),
        },
        required=("id", "day", "visits"),
        extra=("name", "location_name"),
    ),
    Layout(
        name="areas",
        content="areas",
        fields={
            "id": ("id", "area_id", "geoid", "census_block_group", "cbg", "zip", "zip_code", "zcta", "h3", "tract"),
            "name": ("name", "area_name"),
            "kind": ("kind",),
            "lat": (*_COORDINATES["lat"], "centroid_lat", "intptlat"),
            "lon": (*_COORDINATES["lon"], "centroid_lon", "intptlon"),
            "metro": ("metro",),
            "ring": ("ring",),
            "population": ("population", "total_population", "pop"),
            "households": ("households", "total_households"),
            "income_median": ("income_median", "median_income", "median_household_income"),
            **{name: (name,) for name in SHARES},
        },
        required=("id", "lat", "lon"),
        telling=("kind", "population", "households", "income_median", *SHARES),
        excluding=("address", "street_address", "category_id", "naics_code", "chain_id"),
        extra=("city", "state", "county"),
    ),
    Layout(
        name="SafeGraph core places",
        content="places",
        fields=_SAFEGRAPH,
        required=("id", "name", "lat", "lon"),
        extra=_SAFEGRAPH_EXTRA,
    ),
    Layout(
        name="Foursquare open places",
        content="places",
        fields={
            "id": ("fsq_place_id", "fsq_id"),
            "name": ("name",),
            "address": ("address",),
            "city": ("locality",),
            "state": ("region",),
            "zip": ("postcode",),
            "country": ("country",),
            "lat": ("latitude",),
            "lon": ("longitude",),
            "category_list": ("fsq_category_ids",),
            "category_labels": ("fsq_category_labels",),
            "chain_id": ("fsq_chain_id",),
            "chain_name": ("fsq_chain_name",),
            "closed_on": ("date_closed",),
        },
        required=("id", "name", "lat", "lon"),
        extra=(
            "admin_region", "post_town", "po_box", "date_created", "date_refreshed", "tel", "website", "email",
            "facebook_id", "instagram", "twitter", "geom", "bbox", "dt", "placemaker_url", "unresolved_flags",
        ),
    ),
    Layout(
        name="Overture places",
        content="places",
        fields={
            "id": ("id",),
            "name": ("names.primary",),
            "address": ("addresses.0.freeform",),
            "city": ("addresses.0.locality",),
            "state": ("addresses.0.region",),
            "zip": ("addresses.0.postcode",),
            "country": ("addresses.0.country",),
            "lat": ("geometry.lat", "bbox.ymin"),
            "lon": ("geometry.lon", "bbox.xmin"),
            "category_slug": ("categories.primary", "taxonomy.primary", "basic_category"),
            "chain_id": ("brand.wikidata",),
            "chain_name": ("brand.names.primary",),
        },
        required=("id", "name", "lat", "lon"),
        extra=(
            "names", "addresses", "categories", "brand", "geometry", "bbox", "confidence", "websites", "socials",
            "emails", "phones", "sources", "version", "type", "theme", "operating_status", "taxonomy",
            "basic_category", "update_time", "subtype", "filename", "ext_expires_at",
        ),
    ),
    Layout(
        name="places in our own columns",
        content="places",
        fields={
            "id": ("id", "place_id", "poi_id"),
            "name": ("name", "place_name"),
            "address": ("address", "street_address", "street"),
            "city": ("city", "town", "locality"),
            "state": ("state", "region"),
            "zip": ("zip", "zip_code", "zipcode", "postal_code", "postcode"),
            "country": ("country",),
            "metro": ("metro",),
            "lat": (*_COORDINATES["lat"], "geometry.lat"),
            "lon": (*_COORDINATES["lon"], "geometry.lon"),
            "category_id": ("category_id", "naics_code", "naics"),
            "category_name": ("category_name", "category"),
            "chain_id": ("chain_id",),
            "chain_name": ("chain_name", "chain", "brand"),
            "tags": ("tags",),
            "opened_on": ("opened_on",),
            "closed_on": ("closed_on",),
            "area_m2": ("area_m2",),
            "parent_id": ("parent_id",),
            "hours": ("hours", "open_hours"),
        },
        required=("id", "name", "lat", "lon"),
        extra=("geometry", "geometry.lat", "geometry.lon"),
    ),
)  # fmt: skip
"""In the order in which they are tried: the telling ones first."""


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """A file's layout: for each field the number of its column, and the path inside of it where that holds JSON.
    `unknown` columns with the nearest that is known."""

    layout: Layout
    fields: Mapping[str, tuple[int, str]]
    unknown: Mapping[str, str]


def normal_name(name: str) -> str:
    return "_".join(name.strip().strip("\ufeff").casefold().replace("-", " ").split())


@cache
def known_columns() -> frozenset[str]:
    return frozenset(name for layout in LAYOUTS for name in _columns_of(layout))


def match_layout(columns: Sequence[str]) -> Columns:
    """The layout of a file with these columns. Raises `FileRefused` with what is missing, and the nearest name."""
    named: dict[str, int] = {}
    for number, column in enumerate(columns):
        name = normal_name(column)
        if name in named and name:
            raise FileRefused(f"The column {column!r} is there twice: name each only once.")
        named.setdefault(name, number)
    named.pop("", None)
    for layout in LAYOUTS:
        fields = _fields(layout, named)
        told = not layout.telling or any(field in fields for field in layout.telling)
        told = told and not any(name in named for name in layout.excluding)
        if told and all(field in fields for field in layout.required):
            return Columns(layout=layout, fields=fields, unknown=_unknown(layout, columns))
    raise _no_layout(columns, named)


def _fields(layout: Layout, named: Mapping[str, int]) -> dict[str, tuple[int, str]]:
    found: dict[str, tuple[int, str]] = {}
    for field, sources in layout.fields.items():
        for source in sources:
            if (place := _place(source, named)) is not None:
                found[field] = place
                break
    return found


def _place(source: str, named: Mapping[str, int]) -> tuple[int, str] | None:
    """The column of that name, else the one that holds it inside."""
    if source in named:
        return named[source], ""
    if (flat := source.replace(".", "_")) in named:
        return named[flat], ""
    outer, _, path = source.partition(".")
    return (named[outer], path) if path and outer in named and outer != "geometry" else None


def _columns_of(layout: Layout) -> set[str]:
    sources = [source for each in layout.fields.values() for source in each]
    inner = {
        part for source in sources if "." in source for part in (source.partition(".")[0], source.replace(".", "_"))
    }
    return {*sources, *inner, *layout.extra}


def _unknown(layout: Layout, columns: Sequence[str]) -> dict[str, str]:
    known = _columns_of(layout)
    outers = {each.partition(".")[0] for each in known}
    unknown: dict[str, str] = {}
    for column in columns:
        name = normal_name(column)
        if name and name not in known and name.partition(".")[0] not in outers and len(unknown) < MAX_NAMED:
            unknown[column[:80]] = _nearest(name, known)
    return unknown


def _nearest(name: str, known: set[str]) -> str:
    return next(iter(difflib.get_close_matches(name, sorted(known), 1, NEAR)), "")


def _no_layout(columns: Sequence[str], named: Mapping[str, int]) -> FileRefused:
    """Which layout it most looks like, and what that lacks."""
    layout = max(LAYOUTS, key=lambda each: _likeness(each, named))
    fields = _fields(layout, named)
    lacking: list[str] = []
    for field in layout.required:
        if field in fields:
            continue
        expected = layout.fields[field]
        near = {_nearest(normal_name(column), set(expected)): column for column in columns}
        near.pop("", None)
        hint = f" (is it {next(iter(near.values()))!r}?)" if near else ""
        lacking.append(f"{expected[0]!r}{hint}")
    there = ", ".join(repr(column[:40]) for column in columns[:20])
    return FileRefused(
        f"The file looks most like {layout.name}, which needs the columns {', '.join(lacking) or 'of one kind'}: name "
        f"them in the header. There are {there}."
    )


def _likeness(layout: Layout, named: Mapping[str, int]) -> tuple[float, int]:
    known = _columns_of(layout)
    near = sum(name in known or bool(_nearest(name, known)) for name in named)
    fields = _fields(layout, named)
    return near + sum(field in fields for field in layout.required), -len(layout.required)
