"""PostgreSQL, through psycopg: the same statements, sent with its own way to name values.

Every commit is synchronous: a server that is killed loses nothing that was acknowledged. Deleted rows are vacuumed
away; older copies in the server's own logs and backups are its operator's.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import errors as pg
from psycopg.conninfo import conninfo_to_dict

from glassloop.core.errors import StoreAway, StoreError, UsageError
from glassloop.store.engine.database import EventRow
from glassloop.store.engine.migrate import VERSION_TABLE
from glassloop.store.errors import Superseded

CONNECT_S = 5
_TABLES = ("events", "jobs", "messages", "sessions", "turns")
_INSERT = """INSERT INTO events (turn_id, seq, last, at, kind, body)
 SELECT * FROM unnest(%s::text[], %s::int[], %s::int[], %s::float8[], %s::text[], %s::bytea[])"""
_INSERT_NEXT = """INSERT INTO events (turn_id, seq, last, at, kind, body)
 SELECT %s::text, %s::int, %s::int, %s::float8, %s::text, %s::bytea
 WHERE (SELECT last FROM events WHERE turn_id = %s ORDER BY seq DESC LIMIT 1) = %s
 AND EXISTS (SELECT 1 FROM turns WHERE id = %s AND epoch <= %s AND status IN ('running', 'paused'))"""
_ANY_EPOCH = 2**31 - 1
_OPTIONS = "-c synchronous_commit=on -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s"
_NAMED = re.compile(r"(?<!:):([a-z_]+)")
_OWN_TABLES = """SELECT quote_ident(tablename) FROM pg_tables
 WHERE schemaname = current_schema() AND tableowner = current_user"""
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(name, 7)) FROM unnest(%s::text[]) AS name"

_HUNG_UP = (pg.AdminShutdown, pg.CrashShutdown, pg.IdleInTransactionSessionTimeout, pg.TransactionTimeout)
# A refusal while connecting has no code of its own, only the server's words.
_NOT_LET_IN = re.compile(r"authentication failed|no password supplied|does not exist|pg_hba\.conf|permission denied")


@lru_cache(maxsize=256)
def _translated(sql: str) -> str:
    return _NAMED.sub(r"%(\1)s", sql)


class PostgresDatabase:
    """One connection."""

    queryable = True
    pairs = "SELECT value->>0, (value->>1)::int FROM json_array_elements(:pairs::json)"

    def __init__(self, url: str) -> None:
        self._where = without_password(url)
        self._connection = connect(url)

    def run(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(_translated(sql), values)  # pyright: ignore[reportArgumentType, reportCallIssue]
        return cursor.fetchall() if cursor.description else []

    def insert_events(self, rows: Sequence[EventRow]) -> None:
        self._connection.execute(_INSERT, _columns(rows), binary=True)

    def insert_next(self, row: EventRow, epoch: int | None) -> bool:
        where = (row.turn_id, row.seq - 1, row.turn_id, _ANY_EPOCH if epoch is None else epoch)
        return self._connection.execute(_INSERT_NEXT, row + where, binary=True).rowcount == 1

    def lock(self, names: Sequence[str]) -> None:
        self._connection.execute(_LOCK, [list(names)])

    def begin(self, *, sync: bool) -> None:  # noqa: ARG002
        self._connection.execute("BEGIN")

    def begin_read(self) -> None:
        self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self) -> None:
        self._connection.execute("COMMIT")

    def rollback(self) -> None:
        try:
            if self._connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                self._connection.execute("ROLLBACK")
        except psycopg.Error:
            # A connection that cannot roll back is gone, and its transaction with it.
            pass

    def reclaim(self) -> None:
        for (table,) in self._connection.execute(_OWN_TABLES).fetchall():
            self._connection.execute(f"VACUUM {table}")  # pyright: ignore[reportArgumentType, reportCallIssue]

    def integrity(self) -> Sequence[str]:
        return ()

    def backup(self, path: str) -> None:
        raise UsageError(f"A backup of PostgreSQL to {path!r} is not made from here: use `pg_dump --format=custom`.")

    def explain(self, error: Exception) -> StoreError | None:
        return explain(self._where, error) if isinstance(error, psycopg.Error) else None

    def is_away(self, error: Exception) -> bool:
        if isinstance(error, pg.DeadlockDetected | pg.SerializationFailure):
            return False
        passing = (psycopg.OperationalError, pg.ReadOnlySqlTransaction)
        return self.is_lost(error) or isinstance(error, passing)

    def is_lost(self, error: Exception) -> bool:
        return self._connection.closed or isinstance(error, _HUNG_UP)

    def close(self) -> None:
        self._connection.close()


def _columns(rows: Sequence[EventRow]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]


def connect(url: str) -> psycopg.Connection[tuple[Any, ...]]:
    try:
        given = conninfo_to_dict(url)
        return psycopg.connect(
            url,
            autocommit=True,
            connect_timeout=int(given.get("connect_timeout") or CONNECT_S),
            application_name=str(given.get("application_name") or "glassloop"),
            options=f"{_OPTIONS} {given.get('options') or ''}",
        )
    except psycopg.Error as error:
        raise explain(without_password(url), error) from error


def versions_of(url: str) -> Sequence[str]:
    """The versions of the tables there; none without tables. Raises `StoreError` where others' are in the way."""
    with connect(url) as connection:
        try:
            return _versions_on(connection, without_password(url))
        except psycopg.Error as error:
            raise explain(without_password(url), error) from error


def _versions_on(connection: psycopg.Connection[tuple[Any, ...]], where: str) -> Sequence[str]:
    found = connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = ANY(%s)",
        [[*_TABLES, VERSION_TABLE]],
    ).fetchall()
    tables = {row[0] for row in found}
    if VERSION_TABLE in tables:
        rows = connection.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchall()  # noqa: S608  # pyright: ignore[reportArgumentType, reportCallIssue]
        return tuple(str(row[0]) for row in rows)
    if tables:
        raise StoreError(
            f"The database {where!r} has a table {min(tables)!r} that is not Glassloop's: "
            "give another database or schema."
        )
    return ()


def explain(where: str, error: Exception) -> StoreError:
    text = str(error).strip().splitlines()
    said = text[0] if text else type(error).__name__
    if isinstance(error, pg.UniqueViolation):
        return Superseded(f"The next event is already there ({said}): another worker runs this turn.")
    if isinstance(error, pg.DiskFull | pg.OutOfMemory):
        return StoreAway(
            f"The database {where!r} has no room left: free some and try again ({said}).",
            shown="The database has no room left: tell the operator of this server.",
        )
    if isinstance(error, pg.LockNotAvailable | pg.DeadlockDetected | pg.SerializationFailure):
        return StoreAway(
            f"The database {where!r} is locked by other workers: try again ({said}).",
            shown="The database is locked by other workers: try again.",
        )
    if isinstance(error, pg.ReadOnlySqlTransaction):
        return StoreAway(
            f"The database {where!r} is read-only: make it writable, or name the primary ({said}).",
            shown="The database is read-only for now: try again later, or tell the operator of this server.",
        )
    if isinstance(error, psycopg.OperationalError | pg.IdleInTransactionSessionTimeout | pg.TransactionTimeout):
        if error.sqlstate is None and _NOT_LET_IN.search(str(error)):
            return StoreError(
                f"The database {where!r} does not let us in: mend its URL ({said}).",
                shown="The database does not let the server in: tell its operator.",
            )
        return StoreAway(
            f"The database {where!r} cannot be reached: check that the server is running ({said})",
            shown="The database cannot be reached: try again in a moment.",
        )
    return StoreError(
        f"The database {where!r} refused ({said}).",
        shown="The database refused: tell the operator of this server.",
    )


def without_password(url: str) -> str:
    return re.sub(r"(://[^/:@]*):[^@/]*@", r"\1@", url)
