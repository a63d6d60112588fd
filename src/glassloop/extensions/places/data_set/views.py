"""The views of a data set: their columns and SQL types, the one place that generator, importer and database read."""

from types import MappingProxyType

import msgspec


class Column(msgspec.Struct, frozen=True):
    """A column of a view, with its type in DuckDB's SQL."""

    name: str
    type: str
    about: str = ""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A view, and the Parquet file of a data set that holds its rows in this order."""

    name: str
    about: str
    order: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def file_name(self) -> str:
        return f"{self.name}.parquet"

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def empty(self) -> str:
        """A query that has these columns and no rows."""
        return f"SELECT {', '.join(f'NULL::{c.type} AS {c.name}' for c in self.columns)} WHERE false"


BUCKETS = ("<5", "5-10", "11-20", "21-60", "61-120", "121-240", ">240")
"""Of `poi_dwell`, in whole minutes."""
BUCKET_ENDS = (5, 11, 21, 61, 121, 241)
"""The first whole minute of the next bucket."""
DIRECTIONS = ("before", "after")
HOME, WORK = "home", "work"
AREA_KINDS = ("hex", "zip", "block_group", "tract")
HOURS_OF_WEEK = 168
AGES = ("under_18", "18_24", "25_34", "35_44", "45_54", "55_64", "65_plus")
HOUSEHOLDS = ("1", "2", "3_4", "5_plus")
EDUCATIONS = ("high_school", "some_college", "bachelor", "graduate")
SHARES = (
    *(f"age_{each}" for each in AGES),
    *(f"household_{each}" for each in HOUSEHOLDS),
    *(f"education_{each}" for each in EDUCATIONS),
)
"""Columns of `poi_areas` from 0 to 1; those of ages, households and educations (of adults) each add up to 1."""

_PLACES = View(
    name="poi_places",
    about="Places that people visit.",
    order=("id",),
    columns=(
        Column("id", "VARCHAR"),
        Column("name", "VARCHAR"),
        Column("address", "VARCHAR", "street and number"),
        Column("city", "VARCHAR"),
        Column("state", "VARCHAR", "two letters"),
        Column("zip", "VARCHAR"),
        Column("metro", "VARCHAR"),
        Column("lat", "DOUBLE"),
        Column("lon", "DOUBLE"),
        Column("category_id", "VARCHAR", "of poi_categories"),
        Column("chain_id", "VARCHAR", "of poi_chains, or null"),
        Column("tags", "VARCHAR[]"),
        Column("opened_on", "DATE", "null where it was open before the data begins"),
        Column("closed_on", "DATE", "the last day, or null"),
        Column("area_m2", "DOUBLE"),
        Column("parent_id", "VARCHAR", "the place that it is inside of, such as a mall"),
        Column("hours", "BOOLEAN[]", "168 flags: open in this hour of the week"),
    ),
)
_CATEGORIES = View(
    name="poi_categories",
    about="Categories by NAICS code, those above others too.",
    order=("id",),
    columns=(
        Column("id", "VARCHAR", "NAICS code"),
        Column("name", "VARCHAR"),
        Column("parent_id", "VARCHAR"),
        Column("words", "VARCHAR[]", "other names"),
    ),
)
_CHAINS = View(
    name="poi_chains",
    about="Chains of places.",
    order=("id",),
    columns=(
        Column("id", "VARCHAR"),
        Column("name", "VARCHAR"),
        Column("words", "VARCHAR[]", "other names"),
        Column("category_id", "VARCHAR"),
    ),
)
_DAILY = View(
    name="poi_visits_daily",
    about="Visits by day. A day without a row had none.",
    order=("place_id", "day"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("day", "DATE"),
        Column("visits", "BIGINT"),
        Column("visitors", "BIGINT", "different persons"),
    ),
)
_MONTHLY = View(
    name="poi_visits_monthly",
    about="Visits by month.",
    order=("place_id", "month"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("month", "DATE", "its first day"),
        Column("visits", "BIGINT"),
        Column("visitors", "BIGINT", "different persons"),
        Column("dwell_median", "DOUBLE", "minutes"),
        Column("dwell_mean", "DOUBLE", "minutes"),
        Column("frequency", "DOUBLE", "visits a visitor"),
        Column("panel_visits", "BIGINT", "visits of the panel that these rest on"),
        Column("panel_visitors", "BIGINT"),
    ),
)
_HOURS = View(
    name="poi_hours",
    about="Visits of a month by the hour of the week in which they began.",
    order=("place_id", "month", "hour_of_week"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("month", "DATE"),
        Column("hour_of_week", "SMALLINT", "0 to 167, Monday 0 h is 0, local time"),
        Column("visits", "BIGINT"),
    ),
)
_DWELL = View(
    name="poi_dwell",
    about="Visits of a month by how long they took.",
    order=("place_id", "month", "bucket"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("month", "DATE"),
        Column("bucket", "VARCHAR", "minutes: " + ", ".join(BUCKETS)),
        Column("visits", "BIGINT"),
    ),
)
_HOMES = View(
    name="poi_homes",
    about="Visits of a month by where the visitors live, of those where it is known.",
    order=("place_id", "month", "area_id"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("month", "DATE"),
        Column("area_id", "VARCHAR", "of poi_areas"),
        Column("visits", "BIGINT"),
        Column("visitors", "BIGINT"),
    ),
)
_AREAS = View(
    name="poi_areas",
    about="Areas that people live in.",
    order=("id",),
    columns=(
        Column("id", "VARCHAR", "H3 cell, zip code, or code of the census"),
        Column("name", "VARCHAR", "neighborhood and city"),
        Column("kind", "VARCHAR", ", ".join(AREA_KINDS)),
        Column("lat", "DOUBLE"),
        Column("lon", "DOUBLE"),
        Column("metro", "VARCHAR"),
        Column("ring", "DOUBLE[][]", "outline as [lon, lat], the first again at the end, or null"),
        Column("population", "BIGINT"),
        Column("households", "BIGINT"),
        Column("income_median", "DOUBLE", "of a household, dollars a year"),
        *(Column(name, "DOUBLE") for name in SHARES),
    ),
)
_OVERLAP = View(
    name="poi_overlap",
    about="Visitors that two places share in a month, each pair in both directions.",
    order=("place_id", "month", "other_id"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("other_id", "VARCHAR"),
        Column("month", "DATE"),
        Column("shared_visitors", "BIGINT"),
    ),
)
_FLOWS = View(
    name="poi_flows",
    about="Where visitors were before a visit and went after it.",
    order=("place_id", "month", "direction", "other_id"),
    columns=(
        Column("place_id", "VARCHAR"),
        Column("month", "DATE"),
        Column("direction", "VARCHAR", "before or after"),
        Column("other_id", "VARCHAR", "a place, home or work"),
        Column("visits", "BIGINT"),
        Column("minutes_median", "DOUBLE", "in between"),
    ),
)
_ABOUT = View(
    name="poi_about",
    about="The data set itself, one row; kept as about.json.",
    order=(),
    columns=(
        Column("name", "VARCHAR"),
        Column("first_day", "DATE"),
        Column("last_day", "DATE"),
        Column("as_of", "DATE"),
        Column("sample", "BOOLEAN"),
        Column("panel_size", "BIGINT", "persons, or null"),
        Column("imports", 'STRUCT(file VARCHAR, "user" VARCHAR, "at" TIMESTAMP, "rows" BIGINT)[]', "in UTC"),
    ),
)
ABOUT = _ABOUT.name
ALL_VIEWS = MappingProxyType(
    {
        view.name: view
        for view in (
            _PLACES,
            _CATEGORIES,
            _CHAINS,
            _DAILY,
            _MONTHLY,
            _HOURS,
            _DWELL,
            _HOMES,
            _AREAS,
            _OVERLAP,
            _FLOWS,
            _ABOUT,
        )
    }
)
"""By name."""
STORED_VIEWS = tuple(view for view in ALL_VIEWS.values() if view.name != ABOUT)
"""Those that are Parquet files."""
