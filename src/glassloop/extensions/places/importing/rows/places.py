"""Rows of places, checked: coordinates, ids and names, and the same place twice."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

from glassloop.extensions.places.importing.reading.import_database import ImportDatabase, RawTable
from glassloop.extensions.places.importing.reading.layouts import Columns
from glassloop.extensions.places.importing.report import Findings
from glassloop.extensions.places.importing.rows.categories import category_of
from glassloop.extensions.places.importing.rows.fields import MAX_ID_CHARS, day, optional, short, tally, text
from glassloop.extensions.places.importing.rows.opening_hours import flags_of

NEAR_M = 50
MAX_AREA_M2 = 100_000_000
_BAND_DEGREES = 0.0005
"""Of latitude: a little more than 50 m."""
_US_STATES = (
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID", "IL", "IN", "IA", "KS", "KY", "LA",
    "ME", "MD", "MA", "MI", "MN", "MS", "MO", "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR",
    "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY",
)  # fmt: skip
SWAPPED = "latitude and longitude are swapped"
_IN_US = "(lat BETWEEN 13 AND 72 AND (lon <= -64 OR lon >= 144))"
_SWAPPED_IN_US = "(lon BETWEEN 13 AND 72 AND lat <= -64)"


def given_places(columns: Columns, line: str) -> str:
    """SQL for the rows as they are given, with `why` for coordinates that cannot be."""
    states = ", ".join(f"'{each}'" for each in _US_STATES)
    return f"""
    SELECT *, CASE
        WHEN lat_text IS NULL OR lon_text IS NULL THEN 'no coordinates'
        WHEN lat IS NULL OR lon IS NULL OR NOT isfinite(lat) OR NOT isfinite(lon)
            THEN 'the coordinates are not numbers such as 37.78'
        WHEN abs(lat) > 90 AND abs(lat) <= 180 AND abs(lon) <= 90 THEN '{SWAPPED}'
        WHEN abs(lat) > 90 OR abs(lon) > 180 THEN 'impossible coordinates'
        WHEN lat = 0 AND lon = 0 THEN 'impossible coordinates'
        WHEN (upper(country) IN ('US', 'USA') OR (country IS NULL AND upper(state) IN ({states})))
            AND NOT {_IN_US} AND {_SWAPPED_IN_US} THEN '{SWAPPED}'
        END AS why
    FROM (SELECT rowid AS n, {line} AS line, {text(columns, "id")} AS id, {text(columns, "name")} AS name,
        {short(text(columns, "address"))} AS address, {short(text(columns, "city"))} AS city,
        {short(_state(columns))} AS state, {short(text(columns, "zip"))} AS zip, {text(columns, "country")} AS country,
        {short(text(columns, "metro"))} AS metro,
        {optional(columns, "lat")} AS lat_text, {optional(columns, "lon")} AS lon_text,
        try_cast({text(columns, "lat")} AS DOUBLE) AS lat, try_cast({text(columns, "lon")} AS DOUBLE) AS lon,
        {_category(columns)} AS category_text, {short(optional(columns, "category_name"))} AS category_name,
        {short(optional(columns, "parent_category"))} AS parent_category,
        {_first(optional(columns, "chain_id"))} AS chain_given, {short(_chain_name(columns))} AS chain_name,
        {optional(columns, "tags")} AS tags_text, {optional(columns, "hours")} AS hours_text,
        {day(optional(columns, "opened_on"))} AS opened_on,
        {day(optional(columns, "closed_on"), last=True)} AS closed_on,
        CASE WHEN try_cast({optional(columns, "area_m2")} AS DOUBLE) BETWEEN 0.1 AND {MAX_AREA_M2}
            THEN try_cast({optional(columns, "area_m2")} AS DOUBLE) END AS area_m2,
        {optional(columns, "parent_id")} AS parent_id FROM raw)"""


def _state(columns: Columns) -> str:
    """Without the country that some write before it, as in US-CA."""
    found = text(columns, "state")
    return f"CASE WHEN {found} SIMILAR TO '[A-Z]{{2}}-[A-Z0-9]{{1,3}}' THEN substr({found}, 4) ELSE {found} END"


def _first(expression: str) -> str:
    """Of a list with commas, or of JSON, the first."""
    return f"nullif(trim(split_part(ltrim({expression}, '[\" '), ',', 1), ' \"[]'), '')"


def _chain_name(columns: Columns) -> str:
    """SafeGraph names several brands with commas, as many as there are ids; else a comma belongs to the name."""
    names, ids = optional(columns, "chain_name"), optional(columns, "chain_id")
    return f"CASE WHEN contains({ids}, ',') THEN {_first(names)} ELSE {names} END"


def _category(columns: Columns) -> str:
    for field in ("category_slug", "category_id"):
        if field in columns.fields:
            return optional(columns, field)
    return _first(optional(columns, "category_list"))


def check_places(space: ImportDatabase, raw: RawTable, findings: Findings, *, near: bool) -> None:
    """Makes `new_places` of the rows that can be used. Places of the same name within 50 m are one, unless `near`."""
    space.run(f"""CREATE TABLE checked AS SELECT *, CASE
        WHEN id IS NULL THEN 'no id'
        WHEN length(id) > {MAX_ID_CHARS} THEN 'the id is longer than {MAX_ID_CHARS} characters'
        WHEN name IS NULL THEN 'no name'
        ELSE why END AS reason,
        CASE WHEN id IS NULL OR name IS NULL THEN coalesce(name, id)
            ELSE coalesce(lat_text, '') || ', ' || coalesce(lon_text, '') END AS value
        FROM ({given_places(raw.columns, raw.line)})""")
    tally(space, findings, "checked")
    space.run("""CREATE TABLE twice AS SELECT n, line, 'the same id twice' AS reason, id AS value
        FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY n) AS number FROM checked WHERE reason IS NULL)
        WHERE number > 1""")
    if not near:
        _find_near(space)
    tally(space, findings, "twice", duplicates=True)
    space.run(
        """CREATE TABLE chosen AS SELECT * FROM checked WHERE reason IS NULL AND n NOT IN (SELECT n FROM twice)"""
    )
    make_places(space, raw.columns, "chosen")
    without, places = space.count("new_places", "metro IS NULL"), space.count("new_places")
    if without:
        findings.note(
            f"{without:,} of {places:,} places have no metro: their ranks in category and region, visits from outside "
            "the metro and effects of new stores cannot be told. A column `metro` gives them one."
        )


def _find_near(space: ImportDatabase) -> None:
    """Adds places of the same name within 50 m of one that is taken, or there already, to `twice`."""
    pairs = space.run(f"""
        WITH known AS (
            SELECT n, line, id, lower(name) AS name, lat, lon, CAST(floor(lat / {_BAND_DEGREES}) AS BIGINT) AS band
            FROM checked WHERE reason IS NULL AND n NOT IN (SELECT n FROM twice)
            UNION ALL SELECT -1, 0, id, lower(name), lat, lon, CAST(floor(lat / {_BAND_DEGREES}) AS BIGINT)
            FROM old_poi_places WHERE lat IS NOT NULL AND id NOT IN (SELECT id FROM checked WHERE reason IS NULL)),
        several AS (SELECT name FROM known GROUP BY name HAVING count(*) > 1),
        named AS (SELECT * FROM known WHERE name IN (FROM several))
        SELECT b.n, b.line, a.n, a.id FROM (SELECT *, unnest([band - 1, band, band + 1]) AS near FROM named) a
        JOIN named b ON a.name = b.name AND a.near = b.band AND a.n < b.n AND a.id <> b.id
        WHERE 2 * 6371008.8 * asin(least(1, sqrt(pow(sin(radians(b.lat - a.lat) / 2), 2)
            + cos(radians(a.lat)) * cos(radians(b.lat)) * pow(sin(radians(b.lon - a.lon) / 2), 2)))) <= {NEAR_M}
        ORDER BY b.n, a.n""").fetchall()
    dropped: set[int] = set()
    rows: list[tuple[int, int, str]] = []
    for n, line, other, other_id in pairs:
        # Only what is taken makes another one a duplicate.
        if n not in dropped and other not in dropped:
            dropped.add(n)
            rows.append((n, line, other_id))
    reason = f"the same name within {NEAR_M} m of another place"
    if rows:
        columns = {
            "n": [each[0] for each in rows],
            "line": [each[1] for each in rows],
            "reason": [reason] * len(rows),
            "value": [each[2] for each in rows],
        }
        space.insert("twice", columns, {"n": "BIGINT", "line": "BIGINT", "reason": "VARCHAR", "value": "VARCHAR"})


def make_places(space: ImportDatabase, columns: Columns, table: str) -> None:
    """Makes `new_places`, `new_categories` and `new_chains` of rows of `given_places`."""
    _make_hours(space, table)
    _make_categories(space, columns, table)
    slug = "nullif(trim(regexp_replace(lower(chain_name), '[^\\p{L}\\p{N}]+', '-', 'g'), '-'), '')"
    space.run(f"""CREATE TABLE new_places AS SELECT id, {short("name")} AS name, address, city, state, zip, metro, lat,
        lon, codes.code AS category_id, {short(f"coalesce(chain_given, {slug})")} AS chain_id, chain_name,
        list_filter(list_transform(regexp_split_to_array(trim(tags_text, '[] '), '[,;|]'),
            lambda tag: trim(tag, ' "''')), lambda tag: tag <> '') AS tags,
        opened_on, closed_on, area_m2, parent_id, opening.flags AS hours
        FROM {table} LEFT JOIN opening ON hours_text = opening.given LEFT JOIN codes ON category_text = codes.given""")
    space.run("""CREATE TABLE new_chains AS SELECT chain_id AS id, mode(coalesce(chain_name, chain_id)) AS name,
        []::VARCHAR[] AS words, mode(category_id) AS category_id
        FROM new_places WHERE chain_id IS NOT NULL GROUP BY chain_id""")


def _make_hours(space: ImportDatabase, table: str) -> None:
    space.run("CREATE TABLE opening (given VARCHAR, flags BOOLEAN[])")
    for rows in space.batches(f"SELECT DISTINCT hours_text FROM {table} WHERE hours_text IS NOT NULL"):
        read = [(given, flags) for (given,) in rows if (flags := flags_of(given)) is not None]
        given, marks = [each[0] for each in read], ["".join("01"[flag] for flag in each[1]) for each in read]
        space.run("CREATE OR REPLACE TABLE marked (given VARCHAR, marks VARCHAR)")
        space.insert("marked", {"given": given, "marks": marks}, {"given": "VARCHAR", "marks": "VARCHAR"})
        space.run("""INSERT INTO opening SELECT given,
            list_transform(string_split(marks, ''), lambda mark: mark = '1') FROM marked""")


def _make_categories(space: ImportDatabase, columns: Columns, table: str) -> None:
    """`codes` from what the file has to a category, and the categories themselves."""
    types: dict[str, str] = dict.fromkeys(("given", "code", "label", "parent", "parent_label", "word"), "VARCHAR")
    space.run(f"CREATE TABLE codes ({', '.join(f'{name} {kind}' for name, kind in types.items())})")
    joined, label = table, "NULL"
    if "category_labels" in columns.fields:
        labels = _first_of_list(optional(columns, "category_labels"))
        joined, label = (
            f"{table} JOIN (SELECT rowid AS n, {labels} AS full_label FROM raw) USING (n)",
            "mode(full_label)",
        )
    rows = space.run(f"""SELECT category_text, mode(category_name), mode(parent_category), {label} FROM {joined}
        WHERE category_text IS NOT NULL GROUP BY category_text""").fetchall()
    if rows:
        found = [(given, *category_of(given, name, above, full)) for given, name, above, full in rows]
        space.insert("codes", dict(zip(types, zip(*found, strict=True), strict=True)), types)
    space.run("""CREATE TABLE new_categories AS SELECT code AS id, mode(label) AS name, mode(parent) AS parent_id,
        list_distinct(list(word) FILTER (word IS NOT NULL AND word <> label)) AS words FROM codes GROUP BY code
        UNION ALL SELECT parent, mode(parent_label), NULL, []::VARCHAR[] FROM codes
        WHERE parent IS NOT NULL AND parent NOT IN (SELECT code FROM codes) GROUP BY parent""")


def _first_of_list(expression: str) -> str:
    """Of JSON the first text, commas and all."""
    inner = f"json_extract_string({expression}, '$[0]')"
    return f"CASE WHEN json_valid({expression}) THEN coalesce({inner}, {expression}) ELSE {expression} END"
