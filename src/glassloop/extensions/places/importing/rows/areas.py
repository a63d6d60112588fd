"""Rows of areas, checked: centroids, shares and whole numbers."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

from glassloop.extensions.places.data_set.views import AREA_KINDS, SHARES
from glassloop.extensions.places.importing.reading.import_database import ImportDatabase, RawTable
from glassloop.extensions.places.importing.report import Findings
from glassloop.extensions.places.importing.rows.fields import MAX_ID_CHARS, optional, short, tally, text

MAX_PEOPLE = 100_000_000
MAX_INCOME = 100_000_000
_BY_LENGTH = "CASE length(id) WHEN 5 THEN 'zip' WHEN 11 THEN 'tract' WHEN 12 THEN 'block_group' WHEN 15 THEN 'hex' END"


def check_areas(space: ImportDatabase, raw: RawTable, findings: Findings) -> None:
    """Makes `new_areas` of the rows that can be used."""
    columns = raw.columns
    numbers = {
        "population": MAX_PEOPLE,
        "households": MAX_PEOPLE,
        "income_median": MAX_INCOME,
        **dict.fromkeys(SHARES, 1),
    }
    given = {name: optional(columns, name) for name in numbers}
    casts = ", ".join(f"try_cast({given[name]} AS DOUBLE) AS {name}" for name in numbers)
    wrong = " OR ".join(
        f"({given[name]} IS NOT NULL AND coalesce(try_cast({given[name]} AS DOUBLE) NOT BETWEEN 0 AND {most}, true))"
        for name, most in numbers.items()
        if name in columns.fields
    )
    kinds = ", ".join(f"'{each}'" for each in AREA_KINDS)
    space.run(f"""CREATE TABLE checked AS SELECT *, CASE
        WHEN id IS NULL THEN 'no id'
        WHEN length(id) > {MAX_ID_CHARS} THEN 'the id is longer than {MAX_ID_CHARS} characters'
        WHEN kind IS NULL OR kind NOT IN ({kinds}) THEN 'the kind is none of {", ".join(AREA_KINDS)}'
        WHEN lat IS NULL OR lon IS NULL OR NOT isfinite(lat) OR NOT isfinite(lon)
            THEN 'the coordinates are not numbers such as 37.78'
        WHEN abs(lat) > 90 AND abs(lat) <= 180 AND abs(lon) <= 90 THEN 'latitude and longitude are swapped'
        WHEN abs(lat) > 90 OR abs(lon) > 180 OR (lat = 0 AND lon = 0) THEN 'impossible coordinates'
        WHEN wrong THEN 'a figure is not a number in its range: people from 0, shares from 0 to 1' END AS reason,
        concat_ws(', ', id, lat_text, lon_text) AS value
        FROM (SELECT *, coalesce(lower(kind_text), {_BY_LENGTH}) AS kind FROM (
            SELECT rowid AS n, {raw.line} AS line, {text(columns, "id")} AS id, {short(text(columns, "name"))} AS name,
            {optional(columns, "kind")} AS kind_text, {short(text(columns, "metro"))} AS metro,
            {text(columns, "lat")} AS lat_text, {text(columns, "lon")} AS lon_text,
            try_cast({text(columns, "lat")} AS DOUBLE) AS lat, try_cast({text(columns, "lon")} AS DOUBLE) AS lon,
            {_ring(optional(columns, "ring"))} AS ring, {casts}, {wrong or "false"} AS wrong FROM raw))""")
    tally(space, findings, "checked")
    space.run("""CREATE TABLE twice AS SELECT n, line, 'the same id twice' AS reason, id AS value
        FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY n) AS number FROM checked WHERE reason IS NULL)
        WHERE number > 1""")
    tally(space, findings, "twice", duplicates=True)
    space.run("CREATE TABLE new_areas AS SELECT * FROM checked WHERE reason IS NULL AND n NOT IN (SELECT n FROM twice)")


def _ring(given: str) -> str:
    return f"CASE WHEN json_valid({given}) AND length({given}) < 1000000 THEN try_cast({given} AS DOUBLE[][]) END"
