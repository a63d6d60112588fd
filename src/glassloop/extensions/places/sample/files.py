"""The files of the sample: numbers turned into ids and dates, and written as Parquet, the same bytes for the same rows."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import cast

import duckdb
import numpy as np
from numpy.typing import NDArray

from glassloop.extensions.places.data_set.views import ALL_VIEWS
from glassloop.extensions.places.sample.figures import Columns

ROWS_A_GROUP = 61_440
"""A query for one place reads one group or two."""


SEPARATOR = "|"


class ParquetFiles:
    """Writes the views of one data set."""

    def __init__(self, folder: Path, first_day: date) -> None:
        self._folder = folder
        self._first_day = first_day
        # One thread, so that rows stay in their order.
        self._connection = duckdb.connect(":memory:", config={"threads": 1, "python_enable_replacements": False})

    def name(self, number: str, values: Sequence[object]) -> None:
        """Gives the numbers in the columns of this name a meaning, from 0 on: ids, or dates."""
        texts = np.array([str(value) for value in values], dtype=object)
        self._connection.register("given", {"number": np.arange(len(texts)), "value": texts})
        kind = "DATE" if values and isinstance(values[0], date) else "VARCHAR"
        self._connection.execute(f"CREATE TABLE {number}_names AS SELECT number, value::{kind} AS value FROM given")
        self._connection.unregister("given")

    def write(self, view_name: str, columns: Columns, **named: str) -> None:
        """The rows of a view, whose columns in `named` are numbers of what was given by `name`: `place_id="place"`."""
        view = ALL_VIEWS[view_name]
        self._connection.register("rows", columns)
        fields: list[str] = []
        joins: list[str] = []
        for column in view.columns:
            names = f"{column.name}_names"
            if column.name in named:
                joins.append(
                    f"LEFT JOIN {named[column.name]}_names AS {names} ON {names}.number = rows.{named[column.name]}"
                )
                fields.append(f"{names}.value::{column.type} AS {column.name}")
            elif column.type == "VARCHAR[]":
                fields.append(f"coalesce(string_split(rows.{column.name}, '{SEPARATOR}'), []) AS {column.name}")
            else:
                fields.append(f"rows.{column.name}::{column.type} AS {column.name}")
        self._copy(view.file_name, f"SELECT {', '.join(fields)} FROM rows {' '.join(joins)}")  # noqa: S608
        self._connection.unregister("rows")

    def write_rows(self, view_name: str, rows: Sequence[Sequence[object]]) -> None:
        """The same from rows of values, also with lists in them."""
        columns = zip(ALL_VIEWS[view_name].columns, zip(*rows, strict=True), strict=True)
        self.write(view_name, {column.name: _texts(values, column.type) for column, values in columns})

    def write_table(self, file_name: str, columns: dict[str, NDArray[np.generic]]) -> None:
        """A file that is no view."""
        self._connection.register("rows", columns)
        self._copy(file_name, "SELECT * FROM rows")
        self._connection.unregister("rows")

    def close(self) -> None:
        self._connection.close()

    def _copy(self, file_name: str, query: str) -> None:
        path = str(self._folder / file_name).replace("'", "''")
        options = f"FORMAT parquet, COMPRESSION zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE {ROWS_A_GROUP}"
        self._connection.execute(f"COPY ({query}) TO '{path}' ({options})")


def _texts(values: Sequence[object], kind: str) -> NDArray[np.object_]:
    """Values as DuckDB reads them from text; lists of texts are joined."""
    texts = np.empty(len(values), object)
    if kind == "VARCHAR[]":
        texts[:] = [SEPARATOR.join(cast("list[str]", value)) or None for value in values]
    else:
        texts[:] = [None if value is None else str(value) for value in values]
    return texts
