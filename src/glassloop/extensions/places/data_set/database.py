"""The database over a data set: DuckDB in memory, its views over the Parquet files, and nothing else in reach.

Opened with the files it may read, then without external access, extensions or a way to change that. A query is one
SELECT with parameters, has 10 seconds by the clock, and is interrupted when its call is cancelled.
"""

import asyncio
import os
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from glassloop.core.errors import ToolError, ToolTimedOut
from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.data_sets import DataSet, hold
from glassloop.extensions.places.data_set.estimates import MIN_PANEL
from glassloop.extensions.places.data_set.month_columns import (
    MAX_KEPT_PLACES,
    TABLE,
    MonthColumns,
    files_in,
    hidden_month,
    months_of,
    ranked_files_in,
    source_of,
)
from glassloop.extensions.places.data_set.views import (
    ABOUT,
    ALL_VIEWS,
    MONTHLY,
    PANEL_VISITORS,
    STORED_VIEWS,
    SUPPRESSED,
    View,
)

if TYPE_CHECKING:
    import duckdb
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
Parameters = Sequence[object] | Mapping[str, object]

QUERY_S = 10.0
INTERRUPT_S = 0.1
"""Between two interruptions of one query."""
MEMORY = "1GB"
MAX_ROWS_IN_MEMORY = 1_000_000
"""A view of no more rows is read into memory once: places and their months are what every tool asks for."""
MAX_THREADS = 2
MAX_ROWS = 100_000
"""Of one result."""
MAX_RUNNING = 4
"""Queries at once; others wait."""
MAX_KEPT = 24
"""Results that are kept as tables; the one that was unused for the longest goes."""
MAX_RESULTS = 100
"""Results of queries that are kept, so that the same is not asked twice; the one that was unused for the longest
goes."""
MAX_RESULT_ROWS = 200
"""A longer result is not kept."""
MAX_KEY_CHARS = 20_000
MAX_PARSED = 128
"""Statements that are kept parsed: values are parameters, so calls of one form share a text."""
MAX_METROS = 31
"""The metros with the most places, of which a prompt tells: one more than it names."""


class ResultTable(msgspec.Struct, frozen=True, kw_only=True):
    """A result: its columns and its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[object, ...]]


class KeptTable:
    """A result that is a table as long as somebody has this."""

    def __init__(self, name: str, unused: list[str]) -> None:
        self.name = name
        weakref.finalize(self, unused.append, name)


class PlacesDatabase:
    """A data set that can be queried. Opening it blocks: make it in a thread. Raises `OSError` where it is gone."""

    def __init__(
        self,
        data_set: DataSet,
        *,
        query_s: float = QUERY_S,
        memory: str = MEMORY,
        max_kept_places: int = MAX_KEPT_PLACES,
        max_results: int = MAX_RESULTS,
    ) -> None:
        """With more places than `max_kept_places` no table is kept: one for each period would need more memory than it
        saves time."""
        self.data_set = data_set
        self._query_s = query_s
        self._running = asyncio.Semaphore(MAX_RUNNING)
        self._keeping = asyncio.Lock()
        self._kept: OrderedDict[str, KeptTable] = OrderedDict()
        self._results: OrderedDict[str, ResultTable] = OrderedDict()
        self._max_results = max_results
        self._unused: list[str] = []
        self._made = 0
        with ExitStack() as held:
            held.enter_context(hold(data_set.folder))
            self._connection, places = _open(data_set, memory, max_kept_places)
            self._close = weakref.finalize(self, held.pop_all().close)
        self._parsed = lru_cache(MAX_PARSED)(partial(_parse, self._connection))
        self.keeps = places <= max_kept_places
        self.missing = data_set.missing
        self.metros = _metros(self._connection)
        self.month_columns = _month_columns(self._connection, data_set)

    def has(self, view: str) -> bool:
        """As `DataSet.has`, without a look at the disk."""
        return view not in self.missing

    async def rows(self, sql: str, parameters: Parameters = ()) -> list[dict[str, object]]:
        """The rows of a query, each by column. Raises `ToolError` with what to do about it."""
        table = await self.table(sql, parameters)
        return [dict(zip(table.columns, row, strict=True)) for row in table.rows]

    async def table(self, sql: str, parameters: Parameters = ()) -> ResultTable:
        """The same as columns and rows."""
        key = f"{sql} {parameters}"
        if (found := self._kept_result(key)) is None:
            async with self._running:
                # Somebody may have asked the same meanwhile.
                found = self._kept_result(key)
                if found is None:
                    found = await self._run(lambda cursor: _select(cursor, self._parsed(sql), parameters))
                    self._keep_result(key, found)
        return ResultTable(columns=found.columns, rows=list(found.rows))

    def _kept_result(self, key: str) -> ResultTable | None:
        if (found := self._results.get(key)) is not None:
            self._results.move_to_end(key)
        return found

    def _keep_result(self, key: str, found: ResultTable) -> None:
        if len(found.rows) <= MAX_RESULT_ROWS and len(key) <= MAX_KEY_CHARS:
            self._results[key] = found
        while len(self._results) > self._max_results:
            self._results.popitem(last=False)

    async def keep(self, sql: str, parameters: Mapping[str, object]) -> KeptTable:
        """The result of a query as a table, made at its first use: a data set never changes."""
        key = f"{sql} {sorted(parameters.items())}"
        async with self._keeping:
            if (found := self._kept.get(key)) is None:
                self._made += 1
                name = f"kept_{self._made}"
                async with self._running:
                    await self._run(lambda cursor: _create(cursor, name, sql, parameters, self._unused))
                found = self._kept[key] = KeptTable(name, self._unused)
                while len(self._kept) > MAX_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
        return found

    def close(self) -> None:
        """Ends it; the same happens when nobody has it any more."""
        self._connection.close()
        self._close()

    async def _run(self, work: "Callable[[DuckDBPyConnection], T]") -> T:
        import duckdb

        cursor = self._connection.cursor()
        running = asyncio.ensure_future(asyncio.to_thread(work, cursor))
        try:
            await asyncio.wait([running], timeout=self._query_s)
            if not running.done():
                raise ToolTimedOut(
                    f"The query took longer than {self._query_s:g} s: ask for a smaller region, fewer places or a "
                    "shorter period."
                )
            return running.result()
        except duckdb.OutOfMemoryException:
            raise ToolError("The query needs more memory than it may: ask for a smaller region or period.") from None
        except (duckdb.IOException, duckdb.SerializationException) as error:
            raise ToolError("The files of the data set could not be read: import them again.") from error
        except duckdb.Error as error:
            raise ToolError(f"The query cannot be run ({type(error).__name__}): report this as a fault.") from error
        finally:
            if running.done():
                cursor.close()
            else:
                await asyncio.shield(_end(cursor, running))


async def _end(cursor: "DuckDBPyConnection", running: "asyncio.Future[T]") -> None:
    """Interrupts a query until its thread, which cannot be ended from outside, is over: an interruption before the
    query begins is lost."""
    while not running.done():
        cursor.interrupt()
        await asyncio.wait([running], timeout=INTERRUPT_S)
    # Looked at, so that nobody is told of an interruption that was wanted.
    _ = running.cancelled() or running.exception()
    cursor.close()


def _parse(connection: "DuckDBPyConnection", sql: str) -> "duckdb.Statement":
    import duckdb

    with connection.cursor() as cursor:
        statements = cursor.extract_statements(sql)
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise ToolError("Only one SELECT at a time can be run: leave out everything else.")
    return statements[0]


def _select(cursor: "DuckDBPyConnection", statement: "duckdb.Statement", parameters: Parameters) -> ResultTable:
    # A SELECT may hold an INSERT, in a WITH: the transaction refuses it.
    cursor.execute("BEGIN TRANSACTION READ ONLY")
    cursor.execute(statement, parameters or None)
    columns = tuple(str(each[0]) for each in cursor.description or ())
    rows = cursor.fetchmany(MAX_ROWS + 1)
    if len(rows) > MAX_ROWS:
        raise ToolError(f"The result has more than {MAX_ROWS:,} rows: ask for a smaller region, or fewer.")
    return ResultTable(columns=columns, rows=rows)


def _create(
    cursor: "DuckDBPyConnection", name: str, sql: str, parameters: Mapping[str, object], unused: list[str]
) -> None:
    while unused:
        cursor.execute(f"DROP TABLE IF EXISTS {unused.pop()}")
    cursor.execute(f"CREATE TABLE {name} AS {sql}", parameters)


def _open(data_set: DataSet, memory: str, max_kept_places: int) -> "tuple[DuckDBPyConnection, int]":
    """The connection, and how many places there are."""
    import duckdb

    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": memory,
            "threads": min(MAX_THREADS, os.cpu_count() or 1),
            "temp_directory": "",
            "allow_persistent_secrets": False,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
            "preserve_insertion_order": False,
        },
    )
    files = [data_set.folder / view.file_name for view in STORED_VIEWS if data_set.has(view.name)]
    files += [*files_in(data_set.folder), *ranked_files_in(data_set.folder).values()]
    connection.execute("SET allowed_paths = " + _list(str(file.absolute()) for file in files))
    connection.execute("SET enable_external_access = false")
    connection.execute("SET parquet_metadata_cache = true")
    for view in STORED_VIEWS:
        has = data_set.has(view.name)
        file = data_set.folder.absolute() / view.file_name
        query = _over(connection, view, file) if has else view.empty
        row = connection.execute(f"SELECT count(*) FROM ({query})").fetchone()  # noqa: S608
        kind = "TABLE" if row is not None and row[0] <= MAX_ROWS_IN_MEMORY else "VIEW"
        connection.execute(f"CREATE {kind} {view.name} AS {query}")
    _insert_about(connection, data_set.about)
    ((places,),) = connection.execute("SELECT count(*) FROM poi_places").fetchall()
    if places <= max_kept_places:
        # Queries of few rows take longer where two threads share them.
        connection.execute("SET threads = 1")
    connection.execute("SET lock_configuration = true")
    return connection, int(places)


def _metros(connection: "DuckDBPyConnection") -> tuple[str, ...]:
    """Those with the most places first."""
    rows = connection.execute(
        "SELECT metro FROM poi_places WHERE metro IS NOT NULL GROUP BY metro ORDER BY count(*) DESC, metro LIMIT ?",
        [MAX_METROS],
    ).fetchall()
    return tuple(str(metro) for (metro,) in rows)


def _month_columns(connection: "DuckDBPyConnection", data_set: DataSet) -> MonthColumns | None:
    """A view over the months side by side, where the data set has them; the months there are."""
    files = files_in(data_set.folder.absolute())
    if not files:
        return None
    connection.execute(f"CREATE VIEW {TABLE} AS SELECT * FROM {source_of(files)}")  # noqa: S608
    found = months_of(str(row[0]) for row in connection.execute(f"DESCRIBE {TABLE}").fetchall())
    ranked = ranked_files_in(data_set.folder.absolute())
    for name, file in ranked.items():
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {source_of([file])}")  # noqa: S608
    firsts = [connection.execute(f"SELECT min(place_id) FROM {source_of([file])}").fetchall()[0][0] for file in files]  # noqa: S608
    return msgspec.structs.replace(
        found, ranked=frozenset(ranked), files=tuple(sorted(zip(firsts, files, strict=True)))
    )


def _over(connection: "DuckDBPyConnection", view: View, file: Path) -> str:
    """A query over a Parquet file with the columns of the view; those that it lacks are null. Suppressed rows are left
    out, so that nothing rests on them, whatever is asked for; those of months stay, without their figures, as they are
    told of."""
    source = f"read_parquet({_quoted(str(file))})"
    there = {str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()}  # noqa: S608
    hidden = "false"
    if view.name == MONTHLY:
        hidden = hidden_month(there)
    elif SUPPRESSED in there:
        hidden = f"coalesce({SUPPRESSED}, false)"
    elif PANEL_VISITORS in there:
        hidden = f"coalesce({PANEL_VISITORS} < {MIN_PANEL}, false)"
    columns: list[str] = []
    for column in view.columns:
        value = f"{column.name}::{column.type}" if column.name in there else f"NULL::{column.type}"
        if column.name == SUPPRESSED:
            value = hidden
        elif view.name == MONTHLY and column.name not in view.order:
            value = f"CASE WHEN {hidden} THEN NULL ELSE {value} END"
        columns.append(f"{value} AS {column.name}")
    where = f" WHERE NOT {hidden}" if hidden != "false" and view.name != MONTHLY else ""
    return f"SELECT {', '.join(columns)} FROM {source}{where}"  # noqa: S608


def _insert_about(connection: "DuckDBPyConnection", about: About) -> None:
    view = ALL_VIEWS[ABOUT]
    connection.execute(f"CREATE TABLE {ABOUT} AS {view.empty}")
    values = msgspec.structs.asdict(about)
    values["imports"] = [
        {"file": each.file, "user": each.user, "at": each.at.astimezone(UTC).replace(tzinfo=None), "rows": each.rows}
        for each in about.imports
    ]
    connection.execute(
        f"INSERT INTO {ABOUT} VALUES ({', '.join('?' * len(view.columns))})",  # noqa: S608
        [values[name] for name in view.column_names],
    )


def _list(values: Iterable[str]) -> str:
    return f"[{', '.join(_quoted(each) for each in values)}]"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
