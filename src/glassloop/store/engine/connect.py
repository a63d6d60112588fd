"""From a URL to connections: finds the database, makes sure that it is ours and known, and migrates it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from glassloop.core.errors import MissingKey, UsageError
from glassloop.store.engine import sqlite
from glassloop.store.engine.database import Connect, SqlConnection
from glassloop.store.engine.migrate import MigrationBranch, is_current, migrate
from glassloop.store.engine.urls import MEMORY, file_of, is_postgres


class Connector(NamedTuple):
    """How to connect; `shared` is False where every connection would see a database of its own.

    `inline` connects for commits on the event loop's thread, where the database can do that without waiting.
    """

    connect: Connect
    shared: bool
    inline: Callable[[], sqlite.SqliteDatabase] | None = None


def open_database(url: str, branches: Sequence[MigrationBranch] = ()) -> Connector:
    """A database that is ours and current, with the tables of these extensions."""
    if is_postgres(url):
        return _open_postgres(url, branches)
    if "://" in url and not url.startswith("sqlite://"):
        raise UsageError(f"A store {url!r} cannot be opened: give a path, sqlite:///path or postgresql://….")
    return _open_sqlite(file_of(url), _sqlite_options(url), branches)


def _sqlite_options(url: str) -> Mapping[str, int]:
    options: dict[str, int] = {}
    query = urlsplit(url).query if url.startswith("sqlite://") else ""
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in sqlite.OPTIONS or not value.isdecimal():
            raise UsageError(f"The option {name}={value} of {url!r} is not known: choose from "
                             f"{', '.join(sqlite.OPTIONS)}, each with a number.")  # fmt: skip
        options[name] = int(value)
    return options


def _open_sqlite(path: str, options: Mapping[str, int], branches: Sequence[MigrationBranch]) -> Connector:
    if path == MEMORY:
        only = sqlite.SqliteDatabase(path, options)
        migrate(_sqlite_engine(only.connection), path, sqlite.explain, branches)
        return Connector(lambda: only, shared=False)
    found = sqlite.versions_of(path) if sqlite.look_at(path) else ()
    if not is_current(found, path, branches):
        sqlite.prepare(path)
        db = sqlite.SqliteDatabase(path, options)
        try:
            migrate(_sqlite_engine(db.connection), path, sqlite.explain, branches)
        finally:
            db.close()

    def connect() -> SqlConnection:
        return sqlite.SqliteDatabase(path, options)

    def connect_inline() -> sqlite.SqliteDatabase:
        return sqlite.SqliteDatabase(path, {**options, "busy_timeout": 0}, inline=True)

    return Connector(connect, shared=True, inline=connect_inline)


def _sqlite_engine(connection: Any) -> Any:
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import StaticPool

    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)

    @event.listens_for(engine, "begin")
    def begin(opened: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        # The driver begins nothing by itself here; a second process that upgrades waits, then finds nothing to do.
        opened.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _open_postgres(url: str, branches: Sequence[MigrationBranch]) -> Connector:
    try:
        from glassloop.store.engine import postgres
    except ImportError as error:
        raise _missing(error) from error
    where = postgres.without_password(url)
    if not is_current(postgres.versions_of(url), where, branches):
        _migrate_postgres(url, where, branches)
    return Connector(lambda: postgres.PostgresDatabase(url), shared=True)


def _missing(error: ImportError) -> MissingKey:
    return MissingKey(f"PostgreSQL needs the extra: pip install 'glassloop[postgres]' ({error}).")


def _migrate_postgres(url: str, where: str, branches: Sequence[MigrationBranch]) -> None:
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    from glassloop.store.engine.postgres import connect, explain

    def plain_connection() -> Any:
        connection = connect(url)
        connection.autocommit = False
        return connection

    engine = create_engine("postgresql+psycopg://", creator=plain_connection, poolclass=NullPool)

    @event.listens_for(engine, "begin")
    def begin(opened: Any) -> None:  # pyright: ignore[reportUnusedFunction]
        # Two processes that start at once must not both make the tables.
        opened.exec_driver_sql("SELECT pg_advisory_xact_lock(5499231)")

    try:
        migrate(engine, where, explain, branches)
    except ImportError as error:
        raise _missing(error) from error
