"""Fields of raw rows as SQL expressions, and the count of rows that cannot be used, by reason."""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

from glassloop.extensions.places.importing.reading.import_database import ImportDatabase
from glassloop.extensions.places.importing.reading.layouts import Columns
from glassloop.extensions.places.importing.report import MAX_PROBLEMS, Findings, problem

MAX_ID_CHARS = 200
MAX_TEXT_CHARS = 500
MAX_COUNT = 1_000_000_000
FIRST_DAY, LAST_DAY = "DATE '2000-01-01'", "DATE '2100-12-31'"
NO_VALUES = "('', 'null', 'none', 'nan', 'na', 'n/a', '\\n')"
"""What programs write where there is nothing."""


def text(columns: Columns, field: str) -> str:
    """The field's text without blanks around it; NULL where it is empty, or the file lacks it."""
    place = columns.fields.get(field)
    if place is None:
        return "NULL::VARCHAR"
    number, path = place
    if not path:
        return f"nullif(trim(c{number}), '')"
    inner = "$" + "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path.split("."))
    return f"nullif(trim(CASE WHEN json_valid(c{number}) THEN json_extract_string(c{number}, '{inner}') END), '')"


def optional(columns: Columns, field: str) -> str:
    """The same, and NULL for the words that stand for nothing."""
    found = text(columns, field)
    return found if field not in columns.fields else f"CASE WHEN lower({found}) NOT IN {NO_VALUES} THEN {found} END"


def short(expression: str) -> str:
    """So much of a text that is shown."""
    return f"left({expression}, {MAX_TEXT_CHARS})"


def day(expression: str, *, last: bool = False) -> str:
    """A day as ISO 8601 writes it, with or without a time; of a month its first day, or its `last`."""
    month = f"try_cast({expression} || '-01' AS DATE)"
    whole = f"last_day({month})" if last else month
    return (
        f"coalesce(try_cast({expression} AS DATE), try_cast(left({expression}, 10) AS DATE), "
        f"CASE WHEN length({expression}) = 7 THEN {whole} END)"
    )


def tally(space: ImportDatabase, findings: Findings, table: str, *, duplicates: bool = False) -> None:
    """Counts the rows of a table with `line`, `reason` and `value` that have a reason; keeps the first."""
    for reason, rows in space.run(
        f"SELECT reason, count(*) FROM {table} WHERE reason IS NOT NULL GROUP BY reason ORDER BY min(line)"
    ).fetchall():
        findings.count(reason, rows, duplicates=duplicates)
    found = space.run(
        f"SELECT line, reason, value FROM {table} WHERE reason IS NOT NULL ORDER BY line LIMIT {MAX_PROBLEMS}"
    ).fetchall()
    findings.keep(problem(*row) for row in found)
