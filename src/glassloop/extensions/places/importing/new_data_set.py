"""The data set that an import makes: the user's own as it was and the new rows, as Parquet files in a staged folder."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

import os
import shutil
from datetime import UTC, date, datetime
from pathlib import Path

import msgspec

from glassloop.extensions.places.data_set.about import About, DataSetImport
from glassloop.extensions.places.data_set.month_columns import ROWS_A_GROUP
from glassloop.extensions.places.data_set.views import ALL_VIEWS, STORED_VIEWS, View
from glassloop.extensions.places.importing.reading.import_database import ImportDatabase

OWN_NAME = "Imported data"
_SUMS = {
    "poi_hours": (("place_id", "month", "hour_of_week"), ("visits",)),
    "poi_dwell": (("place_id", "month", "bucket"), ("visits",)),
    "poi_homes": (("place_id", "month", "area_id"), ("visits", "visitors")),
    "poi_overlap": (("place_id", "other_id", "month"), ("shared_visitors",)),
}
_PANEL = "max(panel_visitors) AS panel_visitors, bool_or(suppressed) AS suppressed"
_NEW = {
    "poi_places": "new_places",
    "poi_categories": "new_categories",
    "poi_chains": "new_chains",
    "poi_visits_daily": "new_daily",
    "poi_visits_monthly": "new_monthly",
    "poi_hours": "new_hours",
    "poi_dwell": "new_dwell",
    "poi_homes": "new_homes",
    "poi_areas": "new_areas",
    "poi_overlap": "new_overlap",
}


def open_old(space: ImportDatabase, base: Path | None) -> None:
    """Views `old_…` of the data set as it is; empty ones where there is none. `whole_months` are those of a place
    that it does not have by day."""
    for view in STORED_VIEWS:
        source = base / view.file_name if base else None
        query = view.empty
        if source is not None and source.is_file():
            link_or_copy(source, space.folder / view.file_name)
            query = _all_columns(space, view, f"read_parquet('{view.file_name}')")
        space.run(f"CREATE VIEW old_{view.name} AS {query}")
    space.run("""CREATE TABLE whole_months AS SELECT place_id, month, visits FROM old_poi_visits_monthly
        ANTI JOIN (SELECT DISTINCT place_id, CAST(date_trunc('month', day) AS DATE) AS month FROM old_poi_visits_daily)
        USING (place_id, month)""")


def write_new(space: ImportDatabase, base: Path | None, staged: Path, *, prefer_old: bool) -> dict[str, int]:
    """Writes the views with new rows and links the others; how many rows each has. `prefer_old`: new rows of a place
    that is there only fill what it lacks."""
    made = {str(name) for (name,) in space.run("SELECT table_name FROM duckdb_tables()").fetchall()}
    rows: dict[str, int] = {}
    for view in STORED_VIEWS:
        new = _NEW.get(view.name)
        target = staged / view.file_name
        if new in made and space.count(new):
            where = os.path.relpath(target, space.folder)
            space.run(f"""COPY ({_merged(space, view, new, prefer_old)} ORDER BY {", ".join(view.order)})
                TO '{where}' (FORMAT parquet, COMPRESSION zstd{_group_size(view)})""")
            rows[view.name] = space.one(f"SELECT count(*) FROM read_parquet('{where}')")
        elif base is not None and (base / view.file_name).is_file():
            link_or_copy(base / view.file_name, target)
    return rows


def _group_size(view: View) -> str:
    """Some places of many are found more quickly in small groups of rows."""
    return f", ROW_GROUP_SIZE {ROWS_A_GROUP}" if view.name == "poi_places" else ""


def _merged(space: ImportDatabase, view: View, new: str, prefer_old: bool) -> str:
    old = f"old_{view.name}"
    fresh = _all_columns(space, view, new)
    names = ", ".join(view.column_names)
    if view.name in _SUMS:
        keys, sums = _SUMS[view.name]
        added = ", ".join(f"sum({name}) AS {name}" for name in sums)
        both = f"SELECT {names} FROM {old} UNION ALL {fresh}"
        query = f"SELECT {', '.join(keys)}, {added}, {_PANEL} FROM ({both}) GROUP BY {', '.join(keys)}"
        return _typed(view, query)
    if view.name == "poi_visits_daily":
        return f"SELECT {names} FROM {old} UNION ALL {fresh}"
    if view.name == "poi_visits_monthly":
        return _typed(view, _months(f"SELECT {names} FROM {old} UNION ALL {fresh}"))
    first, second = ("o", "f") if prefer_old else ("f", "o")
    chosen = ", ".join(f"coalesce({first}.{name}, {second}.{name}) AS {name}" for name in view.column_names)
    return f"SELECT {chosen} FROM {old} o FULL JOIN ({fresh}) f ON o.id = f.id"


def _all_columns(space: ImportDatabase, view: View, source: str) -> str:
    """A query with the columns of the view; those that the source lacks are null."""
    given = {str(name) for (name, *_) in space.run(f"DESCRIBE SELECT * FROM {source}").fetchall()}
    columns = ", ".join(
        f"CAST({column.name} AS {column.type}) AS {column.name}"
        if column.name in given
        else f"NULL::{column.type} AS {column.name}"
        for column in view.columns
    )
    return f"SELECT {columns} FROM {source}"


def _typed(view: View, query: str) -> str:
    casts = ", ".join(f"CAST({column.name} AS {column.type}) AS {column.name}" for column in view.columns)
    return f"SELECT {casts} FROM ({query})"


def _months(both: str) -> str:
    """Months of several parts: what can be added is; lengths of stay are weighted by visits."""
    weighted = "sum({0} * visits) / nullif(sum(CASE WHEN {0} IS NOT NULL THEN visits END), 0) AS {0}"
    return f"""SELECT place_id, month, sum(visits) AS visits, sum(visitors) AS visitors,
        {weighted.format("dwell_median")}, {weighted.format("dwell_mean")},
        sum(visits) / nullif(sum(visitors), 0) AS frequency, sum(panel_visits) AS panel_visits,
        {_PANEL} FROM ({both}) GROUP BY place_id, month"""


def write_about(space: ImportDatabase, old: About | None, staged: Path, imported: DataSetImport) -> About:
    """With the days that the data has; a data set without visits stands at today."""
    today = datetime.now(UTC).date()
    first, last = _days(space, staged)
    about = About(
        name=old.name if old else OWN_NAME,
        first_day=first or today,
        last_day=last or today,
        as_of=today,
        sample=False,
        panel_size=old.panel_size if old else None,
        imports=(*(old.imports if old else ()), imported),
    )
    about.write(staged)
    return about


def _days(space: ImportDatabase, staged: Path) -> tuple[date | None, date | None]:
    spans = {"poi_visits_daily": ("min(day)", "max(day)"), "poi_visits_monthly": ("min(month)", "max(last_day(month))")}
    for view, (first, last) in spans.items():
        file = staged / ALL_VIEWS[view].file_name
        if file.is_file():
            where = os.path.relpath(file, space.folder)
            row = space.run(f"SELECT {first}, {last} FROM read_parquet('{where}')").fetchone()
            if row and row[0] is not None:
                return row
    return None, None


def link_or_copy(source: Path, target: Path) -> None:
    """Files of data sets never change: the same file may be in two of them."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def imported_file(name: str, user: str, rows: int, digest: str) -> DataSetImport:
    return msgspec.convert(
        {"file": name, "user": user, "at": datetime.now(UTC), "rows": rows, "digest": digest}, DataSetImport
    )
