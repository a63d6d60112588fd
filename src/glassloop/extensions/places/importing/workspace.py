"""The database that an import works in: DuckDB in memory, confined to one folder, without network or extensions.

The file is linked or copied into the folder first, under a name of our own: DuckDB takes brackets and stars in a name
for patterns. Rows of a file become the table `raw`: columns `c0`, `c1`, … as text, and their `line`.
"""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from glassloop.extensions.places.importing.csv_text import MAX_FIELD_CHARS, Header, read_header, write_clean
from glassloop.extensions.places.importing.file_kind import READ_AT_ONCE, encoding_of, kind_of
from glassloop.extensions.places.importing.geojson import write_features
from glassloop.extensions.places.importing.layouts import Columns, match_layout
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


class RawTable(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of the file in `raw`. `read` counts those that were skipped already."""

    columns: Columns
    read: int
    encoding: str
    line: str
    """SQL for the line of a row of `raw`."""


class Workspace:
    """A database in a folder. Blocking."""

    def __init__(self, folder: Path) -> None:
        import duckdb

        self.folder = folder.resolve()
        # Relative names keep a home folder with brackets in its name from being taken for a pattern.
        os.chdir(self.folder)
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
        self.db.execute(f"SET allowed_directories = [{quoted(str(self.folder))}]")
        self.db.execute("SET enable_external_access = false")
        self.db.execute("SET lock_configuration = true")

    def run(self, sql: str, parameters: Sequence[object] = ()) -> "DuckDBPyConnection":
        return self.db.execute(sql, parameters or None)

    def count(self, table: str, where: str = "true") -> int:
        return self.one(f"SELECT count(*) FROM {table} WHERE {where}")

    def one(self, sql: str) -> Any:
        row = self.run(sql).fetchone()
        return row[0] if row else None

    def batches(self, sql: str, size: int = BATCH) -> Iterator[list[tuple[Any, ...]]]:
        """Rows of a query, some at a time; other queries may run meanwhile."""
        cursor = self.db.cursor()
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


def read_raw(space: Workspace, findings: Findings) -> RawTable:
    """Reads the linked file. Raises `FileRefused` where that cannot be done."""
    path = space.folder / INPUT
    kind = kind_of(path)
    if kind == "parquet":
        from glassloop.extensions.places.importing.parquet import read_parquet

        return read_parquet(space)
    if kind == "json":
        header, read = write_features(path, encoding_of(path), space.folder / CLEAN, findings)
        return _read_clean(space, header, read, "JSON")
    encoding = encoding_of(path)
    header = read_header(path, encoding)
    # Before the rows are read: a file of no known layout need not be.
    columns = match_layout(header.columns)
    if encoding.plain and (read := _read_fast(space, path, header)) is not None:
        return RawTable(columns=columns, read=read, encoding="UTF-8", line="rowid + 2")
    clean = write_clean(path, encoding, header, space.folder / CLEAN, findings)
    if encoding.name != "utf-8":
        findings.note(f"The text was read as {encoding.name.upper()}.")
    return _read_clean(space, header, clean.read, encoding.name.upper())


def _read_clean(space: Workspace, header: Header, read: int, encoding: str) -> RawTable:
    columns = match_layout(header.columns)
    names = [f"c{number}" for number in range(len(header.columns))]
    types = {**dict.fromkeys(names, "VARCHAR"), "line": "BIGINT"}
    space.run(f"CREATE TABLE raw AS FROM {_scan(CLEAN, ',', types, header=False, parallel=False)}")
    return RawTable(columns=columns, read=read, encoding=encoding, line="line")


def _read_fast(space: Workspace, path: Path, header: Header) -> int | None:
    """Has DuckDB read the file; None where that would not give every line as a row, in its order."""
    import duckdb

    lines = _count_lines(path)
    if lines is None:
        return None
    names = {f"c{number}": "VARCHAR" for number in range(len(header.columns))}
    try:
        space.run(f"CREATE TABLE raw AS FROM {_scan(INPUT, header.delimiter, names, header=True, parallel=True)}")
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return None
    rows = space.count("raw")
    if rows == lines - 1:
        return rows
    space.run("DROP TABLE raw")
    return None


def _scan(name: str, delimiter: str, columns: Mapping[str, str], *, header: bool, parallel: bool) -> str:
    types = ", ".join(f"{quoted(name)}: {quoted(kind)}" for name, kind in columns.items())
    return (
        f"read_csv({quoted(name)}, auto_detect = false, header = {str(header).lower()}, delim = {quoted(delimiter)}, "
        f"quote = '\"', escape = '\"', columns = {{{types}}}, strict_mode = true, null_padding = false, "
        f"max_line_size = {MAX_FIELD_CHARS}, parallel = {str(parallel).lower()})"
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


def first_rows(rows: Iterator[Any], most: int) -> list[Any]:
    return list(islice(rows, most))


def refuse_memory() -> FileRefused:
    return FileRefused("The file needs more memory or disk than an import may use: split it into smaller files.")
