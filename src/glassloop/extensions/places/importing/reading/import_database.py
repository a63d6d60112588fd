"""The database that an import works in: DuckDB in memory, confined to one folder, without network or extensions.

The file is linked or copied into the folder first, under a name of our own: DuckDB takes brackets and stars in a name
for patterns. Rows of a file become the table `raw`: columns `c0`, `c1`, … as text, and their `line`.
"""

# Names of columns and tables are our own; what the file says is never part of a query.
# ruff: noqa: S608

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from glassloop.extensions.places.importing.reading.csv_text import MAX_FIELD_CHARS, Header, read_header, write_clean
from glassloop.extensions.places.importing.reading.file_kind import READ_AT_ONCE, encoding_of, kind_of
from glassloop.extensions.places.importing.reading.geojson import write_features
from glassloop.extensions.places.importing.reading.layouts import Columns, match_layout
from glassloop.extensions.places.importing.report import FileRefused, Findings

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

INPUT, CLEAN = "input", "clean.csv"
MEMORY = "300MB"
THREADS = 2
MAX_SPILL = "20GB"
MAX_PARQUET_COLUMNS = 2_000
BATCH = 5_000

Tell = Callable[[str, float], None]
Scan = Callable[[Mapping[int, str]], str]
"""SQL for reading the file, with types for some of its columns by number; the others are text."""
Shortcut = Callable[["ImportDatabase", Columns, Scan, int], bool]
"""Takes all rows of a file at once, given their number; False where one of them needs a closer look."""


class RawTable(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of the file in `raw`. `read` counts those that were skipped already."""

    columns: Columns
    read: int
    encoding: str
    line: str = "line"
    """SQL for the line of a row of `raw`."""
    done: bool = False
    """All rows were taken by the shortcut, and there is no table."""


class ImportDatabase:
    """A database that works in the working folder of the process, and may write to the one above it. Blocking.

    Files have relative names: a home folder with brackets in its name must not be taken for a pattern.
    """

    def __init__(self, folder: Path) -> None:
        import duckdb

        self.folder = folder.resolve()
        self.db: DuckDBPyConnection = duckdb.connect(
            config={
                "threads": THREADS,
                "memory_limit": MEMORY,
                "temp_directory": str(self.folder / "spill"),
                "max_temp_directory_size": MAX_SPILL,
                "autoload_known_extensions": "false",
                "autoinstall_known_extensions": "false",
                "allow_community_extensions": "false",
                "python_enable_replacements": "false",
            }
        )
        self.db.execute(f"SET allowed_directories = [{quoted(str(self.folder.parent))}]")
        self.db.execute("SET enable_external_access = false")
        self.db.execute("SET lock_configuration = true")

    def close(self) -> None:
        self.db.close()

    def run(self, sql: str, parameters: Sequence[object] = ()) -> "DuckDBPyConnection":
        return self.db.execute(sql, parameters or None)

    def count(self, table: str, where: str = "true") -> int:
        return self.one(f"SELECT count(*) FROM {table} WHERE {where}")

    def one(self, sql: str) -> Any:
        row = self.run(sql).fetchone()
        return row[0] if row else None

    def batches(self, sql: str, size: int = BATCH) -> Iterator[list[tuple[Any, ...]]]:
        """Rows of a query, some at a time; other queries may run meanwhile."""
        with self.db.cursor() as cursor:
            cursor.execute(sql)
            while rows := cursor.fetchmany(size):
                yield rows

    def insert(self, table: str, columns: Mapping[str, Sequence[object]], types: Mapping[str, str]) -> None:
        """Adds rows, given by column."""
        import numpy as np

        kinds = {"BIGINT": np.int64, "INTEGER": np.int32, "DOUBLE": np.float64}
        arrays = {name: np.array(values, dtype=kinds.get(types[name], object)) for name, values in columns.items()}
        names = ", ".join(columns)
        self.db.register("batch", arrays)
        self.run(f"INSERT INTO {table} ({names}) SELECT {names} FROM batch")
        self.db.unregister("batch")


def is_of_file(error: Exception) -> bool:
    """Whether the file is to blame, not our query and not the memory."""
    import duckdb

    ours = (duckdb.OutOfMemoryException, duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException)
    return not isinstance(error, ours)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def link_input(path: Path, folder: Path) -> str:
    """The file in the folder; its SHA-256."""
    target = folder / INPUT
    try:
        os.link(path, target)
    except OSError:
        shutil.copyfile(path, target)
    digest = hashlib.sha256()
    with target.open("rb") as file:
        while piece := file.read(READ_AT_ONCE):
            digest.update(piece)
    return digest.hexdigest()


def read_raw(space: ImportDatabase, findings: Findings, shortcuts: Mapping[str, Shortcut]) -> RawTable:
    """Reads the linked file; by the shortcut of its content, where there is one. Raises `FileRefused` where it cannot
    be read."""
    path = space.folder / INPUT
    kind = kind_of(path)
    if kind == "parquet":
        from glassloop.extensions.places.importing.reading.parquet import read_parquet

        return read_parquet(space)
    if kind == "json":
        header, read = write_features(path, encoding_of(path), space.folder / CLEAN, findings)
        return _read_clean(space, header, read, "JSON")
    encoding = encoding_of(path)
    header = read_header(path, encoding)
    # Before the rows are read: a file of no known layout need not be.
    columns = match_layout(header.columns)
    lines = _count_lines(path) if encoding.plain else None
    if lines is not None:
        shortcut = shortcuts.get(columns.layout.content)
        if shortcut and shortcut(space, columns, lambda types: _scan_input(header, types), lines - 1):
            return RawTable(columns=columns, read=lines - 1, encoding="UTF-8", done=True)
        if _read_fast(space, header, lines - 1):
            return RawTable(columns=columns, read=lines - 1, encoding="UTF-8", line="rowid + 2")
    clean = write_clean(path, encoding, header, space.folder / CLEAN, findings)
    if encoding.name != "utf-8":
        findings.note(f"The text was read as {encoding.name.upper()}.")
    return _read_clean(space, header, clean.read, encoding.name.upper())


def _read_clean(space: ImportDatabase, header: Header, read: int, encoding: str) -> RawTable:
    columns = match_layout(header.columns)
    names = [f"c{number}" for number in range(len(header.columns))]
    types = {**dict.fromkeys(names, "VARCHAR"), "line": "BIGINT"}
    space.run(f"CREATE TABLE raw AS FROM {_scan(CLEAN, ',', types, header=False, parallel=False)}")
    return RawTable(columns=columns, read=read, encoding=encoding)


def _read_fast(space: ImportDatabase, header: Header, rows: int) -> bool:
    """Has DuckDB read the file; whether every line became a row, in its order."""
    return make_table(space, f"CREATE TABLE raw AS FROM {_scan_input(header, {})}", "raw", rows)


def make_table(space: ImportDatabase, sql: str, table: str, rows: int) -> bool:
    """Whether the table could be made and has so many rows; else there is none."""
    import duckdb

    try:
        space.run(sql)
    except duckdb.Error as error:
        if is_of_file(error):
            return False
        raise
    if space.count(table) == rows:
        return True
    space.run(f"DROP TABLE {table}")
    return False


def _scan_input(header: Header, types: Mapping[int, str]) -> str:
    names = {f"c{number}": types.get(number, "VARCHAR") for number in range(len(header.columns))}
    return _scan(INPUT, header.delimiter, names, header=True, parallel=True)


def _scan(name: str, delimiter: str, columns: Mapping[str, str], *, header: bool, parallel: bool) -> str:
    types = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in columns.items())
    # Else the first return inside a field would be taken for the end of a line.
    ends = "" if parallel else r", new_line = '\n'"
    return (
        f"read_csv({quoted(name)}, auto_detect = false, header = {str(header).lower()}, delim = {quoted(delimiter)}, "
        f"quote = '\"', escape = '\"', columns = {{{types}}}, strict_mode = true, null_padding = false, "
        f"max_line_size = {MAX_FIELD_CHARS}, parallel = {str(parallel).lower()}{ends})"
    )


def _count_lines(path: Path) -> int | None:
    """None where there are blank lines, zero bytes, or ends of lines of several kinds: rows would not be lines then."""
    lines, returns, pairs, last = 0, 0, 0, b"\n"
    with path.open("rb") as file:
        while piece := file.read(READ_AT_ONCE):
            if b"\x00" in piece:
                return None
            joined = last[-1:] + piece
            lines += piece.count(b"\n")
            returns += piece.count(b"\r")
            pairs += joined.count(b"\r\n")
            last = joined[-3:]
            if b"\n\n" in joined or b"\n\r\n" in last + piece[:2] or b"\n\r\n" in piece:
                return None
    if returns != pairs or returns not in (0, lines):
        return None
    return lines + (not last.endswith(b"\n"))


def refuse_memory() -> FileRefused:
    return FileRefused("The file needs more memory or disk than an import may use: split it into smaller files.")
