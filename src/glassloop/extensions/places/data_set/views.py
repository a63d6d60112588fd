"""The views of a data set: their columns and SQL types, the one place that generator, importer and database read."""

from types import MappingProxyType

import msgspec


class ViewColumn(msgspec.Struct, frozen=True):
    """A column of a view, with its type in DuckDB's SQL."""

    name: str
    type: str
    about: str = ""


class View(msgspec.Struct, frozen=True, kw_only=True):
    """A view, and the Parquet file of a data set that holds its rows in this order: by place, so that a question about
    some places reads few groups of rows; visits by month, which rank all places, by month."""

    name: str
    about: str
    order: tuple[str, ...]
    columns: tuple[ViewColumn, ...]

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


PANEL_VISITORS, SUPPRESSED = "panel_visitors", "suppressed"
_PANEL = (
    ViewColumn(PANEL_VISITORS, "BIGINT", "visitors of the panel that the row rests on, or null"),
    ViewColumn(SUPPRESSED, "BOOLEAN", "its figures are not told, here or in a sum; or null"),
)
"""Columns of every view with figures; null where the data tells of no panel. Days and hours come in steps of at least
five visitors, by whoever makes the data set."""
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
        ViewColumn("id", "VARCHAR"),
        ViewColumn("name", "VARCHAR"),
        ViewColumn("address", "VARCHAR", "street and number"),
        ViewColumn("city", "VARCHAR"),
        ViewColumn("state", "VARCHAR", "two letters"),
        ViewColumn("zip", "VARCHAR"),
        ViewColumn("metro", "VARCHAR"),
        ViewColumn("lat", "DOUBLE"),
        ViewColumn("lon", "DOUBLE"),
        ViewColumn("category_id", "VARCHAR", "of poi_categories"),
        ViewColumn("chain_id", "VARCHAR", "of poi_chains, or null"),
        ViewColumn("tags", "VARCHAR[]"),
        ViewColumn("opened_on", "DATE", "null where it was open before the data begins"),
        ViewColumn("closed_on", "DATE", "the last day, or null"),
        ViewColumn("area_m2", "DOUBLE"),
        ViewColumn("parent_id", "VARCHAR", "the place that it is inside of, such as a mall"),
        ViewColumn("hours", "BOOLEAN[]", "168 flags: open in this hour of the week"),
    ),
)
_CATEGORIES = View(
    name="poi_categories",
    about="Categories by NAICS code, those above others too.",
    order=("id",),
    columns=(
        ViewColumn("id", "VARCHAR", "NAICS code"),
        ViewColumn("name", "VARCHAR"),
        ViewColumn("parent_id", "VARCHAR"),
        ViewColumn("words", "VARCHAR[]", "other names"),
    ),
)
_CHAINS = View(
    name="poi_chains",
    about="Chains of places.",
    order=("id",),
    columns=(
        ViewColumn("id", "VARCHAR"),
        ViewColumn("name", "VARCHAR"),
        ViewColumn("words", "VARCHAR[]", "other names"),
        ViewColumn("category_id", "VARCHAR"),
    ),
)
_DAILY = View(
    name="poi_visits_daily",
    about="Visits by day. A day without a row had none.",
    order=("place_id", "day"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("day", "DATE"),
        ViewColumn("visits", "BIGINT"),
        ViewColumn("visitors", "BIGINT", "different persons"),
        *_PANEL,
    ),
)
_MONTHLY = View(
    name="poi_visits_monthly",
    about="Visits by month.",
    order=("month", "place_id"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("month", "DATE", "its first day"),
        ViewColumn("visits", "BIGINT"),
        ViewColumn("visitors", "BIGINT", "different persons"),
        ViewColumn("dwell_median", "DOUBLE", "minutes"),
        ViewColumn("dwell_mean", "DOUBLE", "minutes"),
        ViewColumn("frequency", "DOUBLE", "visits a visitor"),
        ViewColumn("panel_visits", "BIGINT", "visits of the panel that these rest on, or null"),
        *_PANEL,
    ),
)
_HOURS = View(
    name="poi_hours",
    about="Visits of a month by the hour of the week in which they began.",
    order=("place_id", "month", "hour_of_week"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("month", "DATE"),
        ViewColumn("hour_of_week", "SMALLINT", "0 to 167, Monday 0 h is 0, local time"),
        ViewColumn("visits", "BIGINT"),
        *_PANEL,
    ),
)
_DWELL = View(
    name="poi_dwell",
    about="Visits of a month by how long they took.",
    order=("place_id", "month", "bucket"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("month", "DATE"),
        ViewColumn("bucket", "VARCHAR", "minutes: " + ", ".join(BUCKETS)),
        ViewColumn("visits", "BIGINT"),
        *_PANEL,
    ),
)
_HOMES = View(
    name="poi_homes",
    about="Visits of a month by where the visitors live, of those where it is known.",
    order=("place_id", "month", "area_id"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("month", "DATE"),
        ViewColumn("area_id", "VARCHAR", "of poi_areas"),
        ViewColumn("visits", "BIGINT"),
        ViewColumn("visitors", "BIGINT"),
        *_PANEL,
    ),
)
_AREAS = View(
    name="poi_areas",
    about="Areas that people live in.",
    order=("id",),
    columns=(
        ViewColumn("id", "VARCHAR", "H3 cell, zip code, or code of the census"),
        ViewColumn("name", "VARCHAR", "neighborhood and city"),
        ViewColumn("kind", "VARCHAR", ", ".join(AREA_KINDS)),
        ViewColumn("lat", "DOUBLE"),
        ViewColumn("lon", "DOUBLE"),
        ViewColumn("metro", "VARCHAR"),
        ViewColumn("ring", "DOUBLE[][]", "outline as [lon, lat], the first again at the end, or null"),
        ViewColumn("population", "BIGINT"),
        ViewColumn("households", "BIGINT"),
        ViewColumn("income_median", "DOUBLE", "of a household, dollars a year"),
        *(ViewColumn(name, "DOUBLE") for name in SHARES),
    ),
)
_OVERLAP = View(
    name="poi_overlap",
    about="Visitors that two places share in a month, each pair in both directions.",
    order=("place_id", "month", "other_id"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("other_id", "VARCHAR"),
        ViewColumn("month", "DATE"),
        ViewColumn("shared_visitors", "BIGINT"),
        *_PANEL,
    ),
)
_FLOWS = View(
    name="poi_flows",
    about="Where visitors were before a visit and went after it.",
    order=("place_id", "month", "direction", "other_id"),
    columns=(
        ViewColumn("place_id", "VARCHAR"),
        ViewColumn("month", "DATE"),
        ViewColumn("direction", "VARCHAR", "before or after"),
        ViewColumn("other_id", "VARCHAR", "a place, home or work"),
        ViewColumn("visits", "BIGINT"),
        ViewColumn("minutes_median", "DOUBLE", "in between"),
        *_PANEL,
    ),
)
_ABOUT = View(
    name="poi_about",
    about="The data set itself, one row; kept as about.json.",
    order=(),
    columns=(
        ViewColumn("name", "VARCHAR"),
        ViewColumn("first_day", "DATE"),
        ViewColumn("last_day", "DATE"),
        ViewColumn("as_of", "DATE"),
        ViewColumn("sample", "BOOLEAN"),
        ViewColumn("panel_size", "BIGINT", "persons, or null"),
        ViewColumn("imports", 'STRUCT(file VARCHAR, "user" VARCHAR, "at" TIMESTAMP, "rows" BIGINT)[]', "in UTC"),
    ),
)
ABOUT, MONTHLY = _ABOUT.name, _MONTHLY.name
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
