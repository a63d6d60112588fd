"""Rows of visits by day, checked: known places, days, whole numbers, and days that are there already."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

from glassloop.extensions.places.importing.reading.import_database import ImportDatabase, RawTable, Scan, make_table
from glassloop.extensions.places.importing.reading.layouts import Columns
from glassloop.extensions.places.importing.report import FileRefused, Findings
from glassloop.extensions.places.importing.rows.fields import (
    FIRST_DAY,
    LAST_DAY,
    MAX_COUNT,
    day,
    optional,
    tally,
    text,
)

NO_PLACES = (
    "There are no places of yours yet that these visits could belong to: import the places first, then the visits."
)


def check_visits(space: ImportDatabase, raw: RawTable, findings: Findings) -> None:
    """Makes `new_daily` and `new_monthly`. Raises `FileRefused` where the data set has no places."""
    if not space.count("old_poi_places"):
        raise FileRefused(NO_PLACES)
    if not raw.done:
        _check_rows(space, raw, findings)
    space.run("""CREATE TABLE new_monthly AS SELECT place_id, CAST(date_trunc('month', day) AS DATE) AS month,
        sum(visits) AS visits, sum(visitors) AS visitors, NULL::DOUBLE AS dwell_median, NULL::BIGINT AS panel_visits,
        NULL::BIGINT AS panel_visitors FROM new_daily GROUP BY ALL""")
    if space.count("new_daily", "visitors IS NOT NULL"):
        findings.note("Visitors of a month are the sum of its days: whoever came on two days counts twice.")


def take_all(space: ImportDatabase, columns: Columns, scan: Scan, rows: int) -> bool:
    """Makes `new_daily` of all rows of the file, where there is nothing to say about any of them."""
    types = {"day": "DATE", "visits": "DOUBLE", "visitors": "DOUBLE"}
    places = {name: columns.fields[name] for name in ("id", *types) if name in columns.fields}
    source = scan({number: types[name] for name, (number, _) in places.items() if name in types})
    visitors = f"c{places['visitors'][0]}" if "visitors" in places else "NULL::DOUBLE"
    made = f"""CREATE TABLE new_daily AS SELECT c{places["id"][0]} AS place_id, c{places["day"][0]} AS day,
        c{places["visits"][0]} AS visits, {visitors} AS visitors FROM {source}"""
    if any(path for _, path in places.values()) or not make_table(space, made, "new_daily", rows):
        return False
    faulty = space.one(f"""SELECT count(*) FROM new_daily WHERE NOT coalesce(day BETWEEN {FIRST_DAY} AND {LAST_DAY}
        AND visits BETWEEN 0 AND {MAX_COUNT} AND visits = floor(visits)
        AND (visitors IS NULL OR (visitors BETWEEN 0 AND visits AND visitors = floor(visitors))), false)""")
    strange = faulty or space.one("""SELECT count(*) FROM (SELECT DISTINCT place_id FROM new_daily)
        WHERE place_id IS NULL OR place_id NOT IN (SELECT id FROM old_poi_places)""")
    there = "SELECT count(*) FROM new_daily SEMI JOIN old_poi_visits_daily USING (place_id, day)"
    if strange or space.count("whole_months") or space.one(there):
        space.run("DROP TABLE new_daily")
        return False
    if space.one("SELECT count(*) FROM (SELECT DISTINCT place_id, day FROM new_daily)") < rows:
        space.run("DROP TABLE new_daily")
        return False
    return True


def _check_rows(space: ImportDatabase, raw: RawTable, findings: Findings) -> None:
    columns = raw.columns
    space.run(f"""CREATE TABLE checked AS SELECT *, CASE
        WHEN place_id IS NULL THEN 'no id of a place'
        WHEN known IS NULL THEN 'no place of yours has this id'
        WHEN day IS NULL THEN 'the day is not written as 2026-03-01'
        WHEN day NOT BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN 'an impossible day'
        WHEN (place_id, date_trunc('month', day)) IN (SELECT (place_id, month) FROM whole_months)
            THEN 'this month is there already as a whole: import with --replace to begin anew'
        WHEN visits IS NULL OR NOT isfinite(visits) OR visits <> floor(visits) THEN 'visits is not a whole number'
        WHEN visits < 0 OR visits > {MAX_COUNT} THEN 'an impossible number of visits'
        WHEN visitors_given AND (visitors IS NULL OR NOT isfinite(visitors) OR visitors <> floor(visitors))
            THEN 'visitors is not a whole number'
        WHEN visitors < 0 OR visitors > visits THEN 'more visitors than visits, or fewer than none'
        END AS reason
        FROM (SELECT rowid AS n, {raw.line} AS line, {text(columns, "id")} AS place_id,
            {day(text(columns, "day"))} AS day,
            try_cast({text(columns, "visits")} AS DOUBLE) AS visits,
            try_cast({optional(columns, "visitors")} AS DOUBLE) AS visitors,
            {optional(columns, "visitors")} IS NOT NULL AS visitors_given FROM raw)
        LEFT JOIN (SELECT id, true AS known FROM old_poi_places) ON id = place_id""")
    if space.count("checked", "reason IS NOT NULL"):
        _tell(space, raw, findings)
    _find_twice(space, findings)


def _tell(space: ImportDatabase, raw: RawTable, findings: Findings) -> None:
    given = " || ', ' || ".join(f"coalesce({text(raw.columns, field)}, '')" for field in ("id", "day", "visits"))
    space.run(f"""CREATE TABLE faulty AS SELECT checked.line, reason, {given} AS value
        FROM raw JOIN checked ON raw.rowid = n WHERE reason IS NOT NULL""")
    tally(space, findings, "faulty")


def _find_twice(space: ImportDatabase, findings: Findings) -> None:
    """Makes `new_daily` of the first row of each place and day that is not there yet."""
    kept = "SELECT place_id, day, CAST(visits AS BIGINT) AS visits, CAST(visitors AS BIGINT) AS visitors"
    good = space.count("checked", "reason IS NULL")
    different = space.one("SELECT count(DISTINCT (place_id, day)) FROM checked WHERE reason IS NULL") if good else 0
    there = space.one("SELECT count(*) FROM checked SEMI JOIN old_poi_visits_daily USING (place_id, day)")
    if good == different and not there:
        space.run(f"CREATE TABLE new_daily AS {kept} FROM checked WHERE reason IS NULL")
        return
    space.run("""CREATE TABLE ranked AS SELECT checked.*, old.visits AS old_visits, old.place_id IS NOT NULL AS there,
        old.visits = checked.visits AND old.visitors IS NOT DISTINCT FROM checked.visitors AS equal,
        row_number() OVER (PARTITION BY place_id, day ORDER BY n) AS number
        FROM checked LEFT JOIN old_poi_visits_daily old USING (place_id, day) WHERE reason IS NULL""")
    told = "place_id || ', ' || CAST(day AS VARCHAR) AS value"
    space.run(f"""CREATE TABLE twice AS SELECT line, {told}, CASE WHEN number > 1
        THEN 'the same place and day twice' ELSE 'imported before, with the same figures' END AS reason
        FROM ranked WHERE number > 1 OR (there AND equal)""")
    tally(space, findings, "twice", duplicates=True)
    space.run(f"""CREATE TABLE other AS SELECT line, {told},
        'this day is there already, with other figures: import with --replace to begin anew' AS reason
        FROM ranked WHERE number = 1 AND there AND NOT equal""")
    tally(space, findings, "other")
    space.run(f"CREATE TABLE new_daily AS {kept} FROM ranked WHERE number = 1 AND NOT there")
