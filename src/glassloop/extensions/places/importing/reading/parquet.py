"""Parquet: only the columns that are used, as text, lists and structs as JSON; points in WKB as coordinates."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

from collections.abc import Mapping
from typing import TYPE_CHECKING

from glassloop.extensions.places.importing.reading.import_database import (
    INPUT,
    MAX_PARQUET_COLUMNS,
    ImportDatabase,
    RawTable,
    is_of_file,
)
from glassloop.extensions.places.importing.reading.layouts import match_layout, normal_name
from glassloop.extensions.places.importing.report import FileRefused

if TYPE_CHECKING:
    import duckdb

MAX_ROWS = 200_000_000
GEOMETRY = "geometry"
_SCAN = f"read_parquet('{INPUT}', file_row_number = false, hive_partitioning = false, union_by_name = false)"


def read_parquet(space: ImportDatabase) -> RawTable:
    """Raises `FileRefused` for a file that cannot be read, or of no known layout."""
    import duckdb

    try:
        described = space.run(f"DESCRIBE SELECT * FROM {_SCAN}").fetchall()
        rows = space.one(f"SELECT sum(num_rows) FROM parquet_file_metadata('{INPUT}')") or 0
    except duckdb.Error as error:
        raise _broken(error) from error
    if len(described) > MAX_PARQUET_COLUMNS or not 0 <= rows <= MAX_ROWS:
        raise FileRefused(
            f"The Parquet file says it has {len(described):,} columns and {rows:,} rows: that is too many."
        )
    types = {str(name): str(kind) for name, kind, *_ in described}
    names = list(types)
    shapes = next((name for name in names if normal_name(name) == GEOMETRY), None)
    # The coordinates of the geometry stand behind the file's own columns.
    columns = match_layout([*names, *(("geometry.lat", "geometry.lon") if shapes else ())])
    used = {number for number, _ in columns.fields.values() if number < len(names)}
    texts = [f"{_as_text(names[number], types[names[number]])} AS c{number}" for number in sorted(used)]
    try:
        space.run(f"CREATE TABLE raw AS SELECT {', '.join(texts)} FROM {_SCAN}")
        if shapes and any(number >= len(names) for number, _ in columns.fields.values()):
            _add_coordinates(space, shapes, types[shapes], len(names))
    except duckdb.Error as error:
        raise _broken(error) from error
    if (read := space.count("raw")) != rows:
        raise FileRefused(f"The Parquet file says it has {rows:,} rows and holds {read:,}: write it again.")
    return RawTable(columns=columns, read=read, encoding="Parquet", line="rowid + 1")


def _as_text(name: str, kind: str) -> str:
    column = '"' + name.replace('"', '""') + '"'
    nested = kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))
    return f"CAST(to_json({column}) AS VARCHAR)" if nested else f"CAST({column} AS VARCHAR)"


def _add_coordinates(space: ImportDatabase, shapes: str, kind: str, width: int) -> None:
    """Of the geometries of the file, in the order of its rows."""
    import numpy as np
    import shapely

    column = '"' + shapes.replace('"', '""') + '"'
    wkb = f"ST_AsWKB({column})" if kind.startswith("GEOMETRY") else column
    if kind != "BLOB" and not kind.startswith("GEOMETRY"):
        raise FileRefused(f"The column {shapes!r} is {kind} and not a geometry in WKB: write it as GeoParquet.")
    space.run("CREATE TABLE coordinates (number BIGINT, lat VARCHAR, lon VARCHAR)")
    at = 0
    for rows in space.batches(f"SELECT CAST({wkb} AS BLOB) FROM {_SCAN}"):
        shape = shapely.from_wkb(np.array([row[0] for row in rows], dtype=object), on_invalid="ignore")
        # What is no geometry has no coordinates.
        points, index = shapely.get_coordinates(shapely.centroid(shape), return_index=True)
        columns: Mapping[str, list[object]] = {
            "number": [at + int(number) for number in index],
            "lat": [repr(float(lat)) for _, lat in points],
            "lon": [repr(float(lon)) for lon, _ in points],
        }
        space.insert("coordinates", columns, {"number": "BIGINT", "lat": "VARCHAR", "lon": "VARCHAR"})
        at += len(rows)
    space.run(
        f"CREATE TABLE located AS SELECT raw.*, lat AS c{width}, lon AS c{width + 1} FROM raw "
        "LEFT JOIN coordinates ON raw.rowid = number ORDER BY raw.rowid"
    )
    space.run("DROP TABLE raw; DROP TABLE coordinates; ALTER TABLE located RENAME TO raw")


def _broken(error: "duckdb.Error") -> Exception:
    """What the file is to blame for; other errors as they are."""
    if not is_of_file(error):
        return error
    return FileRefused(
        f"The Parquet file cannot be read ({type(error).__name__}): write it again. Nothing was imported."
    )
