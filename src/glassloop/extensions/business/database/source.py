"""The database the business data is read from: a SQLite file or PostgreSQL, read-only, with limits.

Owns connections, time and row limits, and the words for what goes wrong. It knows nothing of what is asked: every SQL
text comes from this extension, and every value is a parameter. Meant for threads, never for the event loop. Messages
name views and columns; never a path, an address or a query.
"""

import re
import sqlite3
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from glassloop.core.errors import ToolError, ToolTimedOut, ToolUnavailable

if TYPE_CHECKING:
    import psycopg

QUERY_S = 5.0
CONNECT_S = 5
MAX_ROWS = 5_000
IDLE = 4
_STEPS = 20_000
"""SQLite looks at the clock every so many of its steps, about a millisecond."""

_WRITERS = 0x676C_6269_7A
"""The advisory lock of whoever writes."""
_PARAMETER = re.compile(r"(?<!:):([a-z_][a-z0-9_]*)")
_PASSING = ("locked", "busy", "unable to open", "disk I/O", "full")
_MISSING = re.compile(r"no such (table|column): (?:main\.)?([\w.]+)")

Row = dict[str, Any]
Values = Mapping[str, Any]
Cancelled = Callable[[], bool]


class Statements(Protocol):
    """An open connection: rows of a query, and the number of rows a change touched."""

    def rows(self, sql: str, values: Values) -> list[Row]: ...
    def change(self, sql: str, values: Values) -> int: ...


class DataSource(Protocol):
    """A database. Both give one consistent state for their whole life."""

    def reading(self, cancelled: Cancelled) -> AbstractContextManager[Statements]: ...
    def writing(self) -> AbstractContextManager[Statements]: ...


def open_source(url: str) -> DataSource:
    """By `postgresql://…`, `sqlite:///path` or a path."""
    if url.startswith(("postgres://", "postgresql://")):
        return PostgresSource(url)
    return SqliteSource(Path(url.removeprefix("sqlite:///")).expanduser())


class SqliteSource:
    """One short-lived connection for each use: a file that was replaced is seen at once."""

    def __init__(self, path: Path, seconds: float = QUERY_S) -> None:
        self._path = path
        self._seconds = seconds

    @contextmanager
    def reading(self, cancelled: Cancelled) -> Generator[Statements]:
        with self._open("ro", cancelled) as connection:
            connection.execute("PRAGMA query_only = ON")
            connection.create_function("regexp_replace", 4, _replace_all, deterministic=True)
            connection.execute("BEGIN")
            yield _SqliteStatements(connection)

    @contextmanager
    def writing(self) -> Generator[Statements]:
        with self._open("rw", lambda: False) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield _SqliteStatements(connection)
            connection.execute("COMMIT")

    @contextmanager
    def _open(self, mode: str, cancelled: Cancelled) -> Generator[sqlite3.Connection]:
        until = time.monotonic() + self._seconds
        try:
            address = f"{self._path.resolve().as_uri()}?mode={mode}"
            with closing(sqlite3.connect(address, uri=True, timeout=CONNECT_S, isolation_level=None)) as connection:
                connection.set_progress_handler(lambda: time.monotonic() > until or cancelled(), _STEPS)
                yield connection
        except sqlite3.Error as error:
            raise _sqlite_failure(error, self._seconds) from error


class _SqliteStatements:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Values) -> list[Row]:
        cursor = self._connection.execute(sql, values)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchmany(MAX_ROWS)]

    def change(self, sql: str, values: Values) -> int:
        return self._connection.execute(sql, values).rowcount


@lru_cache(4_096)
def _replace_all(text: str | None, pattern: str, replacement: str, flags: str) -> str | None:  # noqa: ARG001
    """PostgreSQL's `regexp_replace(…, 'g')`, which SQLite has not."""
    return None if text is None else re.sub(pattern, replacement, text)


def _sqlite_failure(error: sqlite3.Error, seconds: float) -> ToolError:
    words = str(error)
    if "interrupted" in words:
        return _too_slow(seconds)
    if match := _MISSING.search(words):
        return _missing(match[2])
    if any(passing in words for passing in _PASSING):
        return ToolUnavailable(f"The business database cannot be used now ({words}): try again later.")
    if "readonly" in words or "cannot modify" in words:
        return ToolError("The business database does not allow this: the calendar must be a table that can be written.")
    return ToolError("The business database could not do this: it may be damaged, or no SQLite file.")


class PostgresSource:
    """A few connections, kept open between uses: making one takes longer than most questions."""

    def __init__(self, url: str, seconds: float = QUERY_S) -> None:
        self._url = url
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: deque[psycopg.Connection[Any]] = deque()
        weakref.finalize(self, _close_all, self._idle)

    @contextmanager
    def reading(self, cancelled: Cancelled) -> Generator[Statements]:  # noqa: ARG002
        with self._connection(read_only=True) as connection:
            yield _PostgresStatements(connection)

    @contextmanager
    def writing(self) -> Generator[Statements]:
        with self._connection(read_only=False) as connection:
            # One after the other, so that two meetings cannot both find the same hour free.
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_WRITERS,))
            yield _PostgresStatements(connection)

    @contextmanager
    def _connection(self, *, read_only: bool) -> Generator["psycopg.Connection[Any]"]:
        psycopg = _psycopg()
        connection: Any = None
        try:
            connection = self._take() if read_only else None
            if connection is None:
                connection = psycopg.connect(self._url, connect_timeout=CONNECT_S, prepare_threshold=None)
                connection.read_only = read_only
                if read_only:
                    connection.execute("SET default_transaction_read_only = on")
                    connection.commit()
            connection.execute(f"SET LOCAL statement_timeout = {int(self._seconds * 1000)}")
            yield connection
            connection.commit()
            if read_only:
                self._give_back(connection)
                connection = None
        except psycopg.Error as error:
            raise _postgres_failure(error, self._seconds) from error
        finally:
            # Also after any failure: what state it is in is then unknown.
            if connection is not None:
                connection.close()

    def _take(self) -> Any:
        with self._lock:
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: Any) -> None:
        with self._lock:
            if len(self._idle) < IDLE:
                self._idle.append(connection)
                return
        connection.close()


class _PostgresStatements:
    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self._connection = connection

    def rows(self, sql: str, values: Values) -> list[Row]:
        cursor = self._connection.execute(_psycopg_form(sql), values)
        names = [column.name for column in cursor.description or ()]
        return [dict(zip(names, map(_whole, row), strict=True)) for row in cursor.fetchmany(MAX_ROWS)]

    def change(self, sql: str, values: Values) -> int:
        return self._connection.execute(_psycopg_form(sql), values).rowcount


@lru_cache(512)
def _psycopg_form(sql: str) -> Any:
    """Our SQL as psycopg takes it. LIKE takes no notice of case, as SQLite has it: lower() there costs a third more."""
    return _PARAMETER.sub(r"%(\1)s", sql).replace(" LIKE ", " ILIKE ")


def _whole(value: Any) -> Any:
    """PostgreSQL adds whole numbers up to a decimal."""
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == value.to_integral_value() else float(value)


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise ToolError("The business database is PostgreSQL: install glassloop[postgres] to read it.") from None
    return psycopg


def _postgres_failure(error: Any, seconds: float) -> ToolError:
    from psycopg import errors

    if isinstance(error, errors.QueryCanceled):
        return _too_slow(seconds)
    if isinstance(error, (errors.UndefinedTable, errors.UndefinedColumn)):
        words = re.search(r'(?:relation|column) "?([\w.]+)"?', str(error))
        return _missing(words[1] if words else "?")
    if isinstance(error, (errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction)):
        return ToolError("The business database does not allow this: its user needs the right to do so.")
    if isinstance(error, errors.OperationalError):
        return ToolUnavailable("The business database cannot be reached now: try again later.")
    return ToolError(f"The business database could not do this ({type(error).__name__}): see docs/business.md.")


def _too_slow(seconds: float) -> ToolError:
    return ToolTimedOut(f"The business database took longer than {seconds:g} s: ask for a shorter period or filter.")


def _missing(name: str) -> ToolError:
    return ToolError(f"The business database has no {name!r}: docs/business.md lists the views and columns needed.")


def _close_all(idle: "deque[psycopg.Connection[Any]]") -> None:
    while idle:
        with suppress(Exception):
            idle.pop().close()
