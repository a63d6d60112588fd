"""Rows into tables: a new SQLite file that appears whole or not at all, or one transaction in PostgreSQL.

Owns writing, not what is written.
"""

import os
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from glassloop.core.errors import ToolError
from glassloop.extensions.business.database.tables import BY_NAME, PREFIX, TABLES, create_indexes, create_table

BATCH = 5_000
CONNECT_S = 10
_TABLES = ("r", "p")

Sink = Callable[[str, tuple[Any, ...]], None]
Fill = Callable[[Sink], None]
"""Gives every row to the sink it is handed."""


def write_sqlite(path: Path, fill: Fill, version: int, unless: Callable[[], bool] = lambda: False) -> None:
    """A file with all tables and these rows, stamped with the version; what was there before is replaced at the end.

    `unless` is asked right before: another process may have made the file meanwhile, and used it.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    os.close(handle)
    made = Path(name)
    try:
        with closing(sqlite3.connect(made, isolation_level=None)) as connection:
            # Nobody reads this file before it is whole, so nothing need be safe until then.
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("BEGIN")
            _fill_sqlite(connection, fill)
            connection.execute(f"PRAGMA user_version = {version:d}")
            connection.execute("COMMIT")
            connection.execute("ANALYZE")
        with made.open("rb+") as file:
            os.fsync(file.fileno())
        if not unless():
            made.replace(path)
    finally:
        with suppress(FileNotFoundError):
            made.unlink()


def _fill_sqlite(connection: sqlite3.Connection, fill: Fill) -> None:
    for table in TABLES:
        connection.execute(create_table(table))

    def flush(name: str, rows: list[tuple[Any, ...]]) -> None:
        marks = ", ".join("?" * len(BY_NAME[name].columns))
        connection.executemany(f"INSERT INTO {PREFIX}{name} VALUES ({marks})", rows)  # noqa: S608

    _in_batches(fill, flush)
    for table in TABLES:
        for statement in create_indexes(table):
            connection.execute(statement)


def write_postgres(url: str, fill: Fill, *, replace: bool) -> None:
    """All tables and these rows in one transaction. Tables that are there are only replaced when that is wanted."""
    import psycopg

    try:
        with psycopg.connect(url, connect_timeout=CONNECT_S) as opened:
            _fill_postgres(opened, fill, replace=replace)
    except psycopg.OperationalError:
        raise ToolError("The business database cannot be reached: look at BUSINESS_DATABASE_URL.") from None
    except psycopg.errors.InsufficientPrivilege:
        raise ToolError("The user of BUSINESS_DATABASE_URL may not make tables there: nothing was loaded.") from None


def _fill_postgres(connection: Any, fill: Fill, *, replace: bool) -> None:
    # The types of psycopg want SQL to be literal text; ours is put together from the tables' definition.
    kinds = {table.name: kind for table in TABLES if (kind := _kind_of(connection, PREFIX + table.name))}
    views = [name for name, kind in kinds.items() if kind not in _TABLES]
    if views:
        raise ToolError(
            f"{PREFIX}{views[0]} is a view of your own: it is not replaced. Drop the {PREFIX}… views to import into "
            "this database, or take BUSINESS_DATABASE_URL away to import into the home folder."
        )
    present = list(kinds)
    if present and not replace:
        raise ToolError(
            f"The database has {PREFIX}{present[0]} already, and {len(present) - 1} more: "
            "--replace drops these tables and loads them again."
        )
    for name in reversed(present):
        connection.execute(f"DROP TABLE {PREFIX}{name}")
    for table in TABLES:
        connection.execute(create_table(table))

    def flush(name: str, rows: list[tuple[Any, ...]]) -> None:
        with connection.cursor().copy(f"COPY {PREFIX}{name} FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)

    _in_batches(fill, flush)
    for table in TABLES:
        for statement in create_indexes(table):
            connection.execute(statement)
        connection.execute(f"ANALYZE {PREFIX}{table.name}")


def _kind_of(connection: Any, name: str) -> str | None:
    """`r` for a table, as PostgreSQL has it; None where there is nothing of that name."""
    row = connection.execute("SELECT relkind::text FROM pg_class WHERE oid = to_regclass(%s)", (name,)).fetchone()
    return row[0] if row else None


def _in_batches(fill: Fill, flush: Callable[[str, list[tuple[Any, ...]]], None]) -> None:
    """A table's rows are handed over some thousand at a time, so that memory does not grow with the company."""
    waiting: dict[str, list[tuple[Any, ...]]] = {}

    def take(name: str, row: tuple[Any, ...]) -> None:
        rows = waiting.setdefault(name, [])
        rows.append(row)
        if len(rows) >= BATCH:
            flush(name, rows)
            rows.clear()

    fill(take)
    for name, rows in waiting.items():
        flush(name, rows)
