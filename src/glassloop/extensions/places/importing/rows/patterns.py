"""Rows of weekly or monthly patterns, checked: known places, whole ranges, weeks that overlap, sums that disagree."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

from collections.abc import Iterator
from datetime import date
from functools import lru_cache
from typing import Any

from glassloop.extensions.places.importing.reading.import_database import ImportDatabase, RawTable, Tell
from glassloop.extensions.places.importing.report import Findings
from glassloop.extensions.places.importing.rows.fields import (
    FIRST_DAY,
    LAST_DAY,
    MAX_COUNT,
    MAX_ID_CHARS,
    optional,
    tally,
)
from glassloop.extensions.places.importing.rows.pattern_parts import MAX_DAYS, PatternParts, PatternRow, spread
from glassloop.extensions.places.importing.rows.places import given_places, make_places

BATCH = 2_000
_EPOCH_DAY = "DATE '1970-01-01'"
_TABLES = {
    "part_daily": {"n": "BIGINT", "day": "INTEGER", "visits": "BIGINT"},
    "part_months": {"n": "BIGINT", "month": "INTEGER", "visits": "BIGINT", "visitors": "DOUBLE"},
    "part_hours": {"n": "BIGINT", "month": "INTEGER", "hour_of_week": "INTEGER", "visits": "BIGINT"},
    "part_dwell": {"n": "BIGINT", "month": "INTEGER", "bucket": "VARCHAR", "visits": "BIGINT"},
    "part_homes": {"n": "BIGINT", "month": "INTEGER", "area_id": "VARCHAR", "visits": "BIGINT", "visitors": "BIGINT"},
    "part_brands": {"n": "BIGINT", "month": "INTEGER", "brand": "VARCHAR", "shared": "BIGINT"},
}
_FIRST_ORDINAL = date(1970, 1, 1).toordinal()


def check_patterns(space: ImportDatabase, raw: RawTable, findings: Findings, tell: Tell) -> None:
    """Makes a table of new rows for each view that patterns fill."""
    _check(space, raw)
    _find_overlaps(space)
    _find_there(space)
    tally(space, findings, "checked")
    tally(space, findings, "twice", duplicates=True)
    _spread_all(space, raw, findings, tell)
    _make_tables(space, raw, findings)


def _check(space: ImportDatabase, raw: RawTable) -> None:
    columns = raw.columns
    visits, visitors = optional(columns, "visits"), optional(columns, "visitors")
    days = optional(columns, "days")
    space.run(f"""CREATE TABLE checked AS SELECT given.*, start,
        start + CAST(least(greatest(days, 0), 400) AS INTEGER) AS finish, days, visits, visitors,
        listed IS NOT NULL AS listed,
        CASE
        WHEN id IS NULL THEN 'no placekey'
        WHEN length(id) > {MAX_ID_CHARS} THEN 'the placekey is longer than {MAX_ID_CHARS} characters'
        WHEN known IS NULL AND name IS NULL
            THEN 'no place of yours has this placekey and the row does not name it: import the core places first'
        WHEN start IS NULL THEN 'date_range_start is not written as 2026-03-02T00:00:00-08:00'
        WHEN start NOT BETWEEN {FIRST_DAY} AND {LAST_DAY} THEN 'an impossible date_range_start'
        WHEN days IS NULL THEN 'neither date_range_end nor visits_by_day tells how many days it is'
        WHEN days NOT BETWEEN 1 AND {MAX_DAYS} THEN 'the range is not of 1 to {MAX_DAYS} days'
        WHEN listed IS NOT NULL AND finish - start NOT BETWEEN listed - 1 AND listed
            THEN 'visits_by_day has another number of days than the range'
        WHEN visits IS NULL OR NOT isfinite(visits) OR visits <> floor(visits)
            THEN 'raw_visit_counts is not a whole number'
        WHEN visits NOT BETWEEN 0 AND {MAX_COUNT} THEN 'an impossible number of visits'
        WHEN visitors_given AND (visitors IS NULL OR NOT isfinite(visitors) OR visitors <> floor(visitors))
            THEN 'raw_visitor_counts is not a whole number'
        WHEN visitors < 0 OR visitors > visits THEN 'more visitors than visits, or fewer than none'
        END AS reason, concat_ws(', ', id, start_text) AS value
        FROM ({given_places(columns, raw.line)}) given
        JOIN (SELECT *, coalesce(listed, finish - start) AS days FROM (
            SELECT rowid AS n, {optional(columns, "start")} AS start_text, {_day(optional(columns, "start"))} AS start,
            {_day(optional(columns, "end"))} AS finish, try_cast({visits} AS DOUBLE) AS visits,
            try_cast({visitors} AS DOUBLE) AS visitors, {visitors} IS NOT NULL AS visitors_given,
            CASE WHEN json_valid({days}) THEN json_array_length({days})::INTEGER END AS listed FROM raw)) ranges
            USING (n)
        LEFT JOIN (SELECT id, true AS known FROM old_poi_places) USING (id)""")


def _day(expression: str) -> str:
    """The local day of a time with its offset, or of seconds since 1970: the midnight that is nearest in time zones."""
    seconds = f"CAST(try_cast({expression} AS DOUBLE) AS BIGINT)"
    days = f"CAST({seconds} // 86400 + (CASE WHEN {seconds} % 86400 > 43200 THEN 1 ELSE 0 END) AS INTEGER)"
    return f"""CASE WHEN try_cast({expression} AS DOUBLE) BETWEEN 946684800 AND 4133980800 THEN {_EPOCH_DAY} + {days}
        ELSE try_cast(left({expression}, 10) AS DATE) END"""


def _find_overlaps(space: ImportDatabase) -> None:
    """The same place and range twice goes to `twice`; a range that overlaps one that is taken is skipped."""
    space.run("CREATE TABLE twice (n BIGINT, line BIGINT, reason VARCHAR, value VARCHAR)")
    rows = space.run("""SELECT id, n, line, start, finish, value FROM checked WHERE reason IS NULL AND id IN (
        SELECT id FROM (SELECT id, start < max(finish) OVER (
            PARTITION BY id ORDER BY start, n ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS meets
            FROM checked WHERE reason IS NULL) WHERE meets) ORDER BY id, n""").fetchall()
    taken: list[tuple[date, date]] = []
    current, repeated, overlapping = None, list[tuple[Any, ...]](), list[int]()
    for place, n, line, start, finish, value in rows:
        if place != current:
            current, taken = place, []
        if (start, finish) in taken:
            repeated.append((n, line, "the same place and range twice", value))
        elif any(start < end and begin < finish for begin, end in taken):
            overlapping.append(n)
        else:
            taken.append((start, finish))
    if repeated:
        types = {"n": "BIGINT", "line": "BIGINT", "reason": "VARCHAR", "value": "VARCHAR"}
        columns = dict(zip(types, map(list, zip(*repeated, strict=True)), strict=True))
        space.insert("twice", columns, types)
    if overlapping:
        space.run("CREATE TABLE overlapping (n BIGINT)")
        space.insert("overlapping", {"n": overlapping}, {"n": "BIGINT"})
        space.run(
            "UPDATE checked SET reason = 'overlaps another range of the same place' WHERE n IN (FROM overlapping)"
        )


def _find_there(space: ImportDatabase) -> None:
    """Ranges of which days are in the data set already: the same again, or something else."""
    space.run("""CREATE TABLE there AS
        SELECT n, count(*) = any_value(days) AND sum(old.visits) = any_value(checked.visits) AS equal
        FROM checked JOIN old_poi_visits_daily old ON id = place_id AND day >= start AND day < finish
        WHERE reason IS NULL AND n NOT IN (SELECT n FROM twice) GROUP BY n
        UNION ALL SELECT n, bool_or(days >= 28 AND whole_months.visits = checked.visits)
        FROM checked JOIN whole_months ON id = place_id AND month < finish AND last_day(month) >= start
        WHERE reason IS NULL AND n NOT IN (SELECT n FROM twice) GROUP BY n
        UNION ALL SELECT n, old.visits = checked.visits FROM checked
        JOIN old_poi_visits_monthly old ON id = place_id AND month = start AND NOT listed
        WHERE reason IS NULL AND n NOT IN (SELECT n FROM twice)
            AND (id, month) NOT IN (SELECT (place_id, month) FROM whole_months)""")
    space.run("""INSERT INTO twice SELECT n, line, 'imported before, with the same figures', value
        FROM checked JOIN (SELECT n FROM there GROUP BY n HAVING bool_and(equal)) USING (n)""")
    space.run("""UPDATE checked SET reason =
        'overlaps days that are there already: import with --replace to begin anew'
        WHERE n IN (SELECT n FROM there WHERE NOT equal)""")


def _pattern_rows(space: ImportDatabase, raw: RawTable) -> Iterator[list[tuple[Any, ...]]]:
    cells = ", ".join(
        optional(raw.columns, field) for field in ("days", "each_hour", "dwell", "homes", "brands_same_day")
    )
    return space.batches(
        f"""SELECT checked.n, checked.line, checked.value, start, days, CAST(visits AS BIGINT),
        CAST(visitors AS BIGINT), {cells} FROM raw JOIN checked ON raw.rowid = checked.n
        WHERE reason IS NULL AND checked.n NOT IN (SELECT n FROM twice) ORDER BY checked.n""",
        BATCH,
    )


def _spread_all(space: ImportDatabase, raw: RawTable, findings: Findings, tell: Tell) -> None:
    for table, types in _TABLES.items():
        space.run(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in types.items())})")
    space.run("CREATE TABLE spread_rows (n BIGINT)")
    done, whole = 0, max(1, raw.read)
    for rows in _pattern_rows(space, raw):
        found: dict[str, list[tuple[Any, ...]]] = {table: [] for table in _TABLES}
        taken: list[int] = []
        for n, line, value, start, days, visits, visitors, *cells in rows:
            each_day, each_hour, dwell, homes, brands = cells
            row = PatternRow(
                start=start, days=days, visits=visits, visitors=visitors, each_day=each_day, each_hour=each_hour,
                dwell=dwell, homes=homes, brands=brands,
            )  # fmt: skip
            try:
                parts = spread(row)
            except ValueError as error:
                findings.skip(line, _without_figures(error), f"{value}: {error}")
                continue
            taken.append(n)
            _collect(found, n, parts)
            for left_out in parts.left_out:
                findings.disagree(line, f"{left_out}: that part was left out", value)
            if parts.split:
                findings.note("Lengths of stay of 5-20 and 61-240 minutes were split by the minutes of our buckets.")
        for table, types in _TABLES.items():
            if found[table]:
                columns = dict(zip(types, map(list, zip(*found[table], strict=True)), strict=True))
                space.insert(table, columns, types)
        if taken:
            space.insert("spread_rows", {"n": taken}, {"n": "BIGINT"})
        done += len(rows)
        tell("Spreading visits over days and hours", done / whole)


def _without_figures(error: ValueError) -> str:
    """The reason by which rows are counted: the same for all figures."""
    return " ".join("…" if any(mark.isdigit() for mark in word) else word for word in str(error).split())


def _collect(found: dict[str, list[tuple[Any, ...]]], n: int, parts: PatternParts) -> None:
    found["part_daily"] += [(n, _number(day), count) for day, count in parts.daily]
    for month, (count, visitors) in parts.months.items():
        found["part_months"].append((n, _number(month), count, float("nan") if visitors is None else visitors))
    found["part_hours"] += [(n, _number(month), hour, count) for month, hour, count in parts.hours]
    found["part_dwell"] += [(n, _number(month), bucket, count) for month, bucket, count in parts.dwell]
    found["part_homes"] += [(n, _number(month), *rest) for month, *rest in parts.homes]
    found["part_brands"] += [(n, _number(month), brand, shared) for month, brand, shared in parts.brands]


@lru_cache(maxsize=10_000)
def _number(day: date) -> int:
    """Days since 1970."""
    return day.toordinal() - _FIRST_ORDINAL


def _make_tables(space: ImportDatabase, raw: RawTable, findings: Findings) -> None:
    month = f"{_EPOCH_DAY} + month AS month"
    median = f"try_cast({optional(raw.columns, 'median')} AS DOUBLE)"
    space.run(
        f"CREATE TABLE medians AS SELECT rowid AS n, CASE WHEN {median} >= 0 THEN {median} END AS median FROM raw"
    )
    space.run("CREATE TABLE ids AS SELECT n, id AS place_id FROM checked SEMI JOIN spread_rows USING (n)")
    space.run(f"""CREATE TABLE new_daily AS SELECT place_id, {_EPOCH_DAY} + day AS day, visits, NULL::BIGINT AS visitors
        FROM part_daily JOIN ids USING (n)""")
    space.run(
        f"""CREATE TABLE new_monthly AS SELECT place_id, {month}, sum(visits) AS visits,
        CAST(sum(nullif(visitors, 'nan'::DOUBLE)) AS BIGINT) AS visitors,
        sum(median * visits) / nullif(sum(CASE WHEN median IS NOT NULL THEN visits END), 0) AS dwell_median,
        sum(visits) AS panel_visits, CAST(max(nullif(visitors, 'nan'::DOUBLE)) AS BIGINT) AS panel_visitors
        FROM part_months JOIN ids USING (n) JOIN medians USING (n) GROUP BY ALL""".replace(
            "GROUP BY ALL", "GROUP BY place_id, month"
        )
    )
    for view, keys, sums in (
        ("hours", "hour_of_week", ("visits",)),
        ("dwell", "bucket", ("visits",)),
        ("homes", "area_id", ("visits", "visitors")),
    ):
        added = ", ".join(f"sum({name}) AS {name}" for name in sums)
        space.run(f"""CREATE TABLE new_{view} AS SELECT place_id, {month}, {keys}, {added}
            FROM part_{view} JOIN ids USING (n) GROUP BY place_id, month, {keys}""")
    space.run("""CREATE TABLE chosen AS SELECT checked.* EXCLUDE (lat, lon), CASE WHEN why IS NULL THEN lat END AS lat,
        CASE WHEN why IS NULL THEN lon END AS lon FROM checked SEMI JOIN spread_rows USING (n) WHERE name IS NOT NULL
        QUALIFY row_number() OVER (PARTITION BY id ORDER BY n) = 1""")
    make_places(space, raw.columns, "chosen")
    _make_overlap(space, month)
    _add_notes(space, findings)


def _make_overlap(space: ImportDatabase, month: str) -> None:
    """Brands become chains: those of the places, by name, and new ones."""
    slug = "nullif(trim(regexp_replace(lower(brand), '[^\\p{L}\\p{N}]+', '-', 'g'), '-'), '')"
    space.run(f"""CREATE TABLE brand_ids AS
        SELECT brand, coalesce(min(known.id), any_value({slug}), brand) AS id, min(known.id) IS NULL AS fresh
        FROM (SELECT DISTINCT brand FROM part_brands) LEFT JOIN (
            SELECT id, name FROM old_poi_chains UNION ALL SELECT id, name FROM new_chains) known
        ON lower(known.name) = lower(brand) GROUP BY brand""")
    space.run("""INSERT INTO new_chains SELECT id, min(brand), []::VARCHAR[], NULL FROM brand_ids
        WHERE fresh AND id NOT IN (SELECT id FROM new_chains) GROUP BY id""")
    space.run(f"""CREATE TABLE new_overlap AS SELECT place_id, brand_ids.id AS other_id, {month},
        sum(shared) AS shared_visitors FROM part_brands JOIN ids USING (n) JOIN brand_ids USING (brand)
        GROUP BY place_id, other_id, month""")


def _add_notes(space: ImportDatabase, findings: Findings) -> None:
    findings.note("Visits are those of the maker's panel, as the file counts them: they are not scaled up.")
    if space.count("checked", "reason IS NULL AND days < 28"):
        findings.note(
            "Visitors of a month are the sum of its weeks: whoever came in two weeks counts twice. Lengths of stay, "
            "home areas and visitors of a week in two months are parted by its visits."
        )
    if space.count("part_homes"):
        findings.note("Visits by home area are in proportion to the visitors that the file counts there.")
    if bare := space.count("chosen", "lat IS NULL AND id NOT IN (SELECT id FROM old_poi_places WHERE lat IS NOT NULL)"):
        findings.note(f"{bare:,} places have no coordinates: import the core places for maps, distances and regions.")
