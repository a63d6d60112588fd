"""The files of the sample: numbers turned into ids and dates, written as Parquet, the same bytes for the same rows."""

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

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._days: dict[str, NDArray[np.int32]] = {}
        # One thread, so that rows stay in their order.
        self._connection = duckdb.connect(":memory:", config={"threads": 1, "python_enable_replacements": False})

    def name(self, number: str, values: Sequence[str], kind: str = "VARCHAR", *, few: bool = False) -> None:
        """Gives the numbers from 0 on in the columns of this name a meaning. `few`: each group of rows gets all of them
        as its dictionary, which is quicker than to look which there are."""
        given = {"number": np.arange(len(values)), "value": np.array(values, dtype=object)}
        self._connection.register("given", given)
        if few:
            kind = f"{number}_enum"
            self._connection.execute(f"CREATE TYPE {kind} AS ENUM (SELECT value FROM given)")  # noqa: S608
        self._connection.execute(
            f"CREATE TABLE {number}_names AS SELECT number, value::{kind} AS value FROM given"  # noqa: S608
        )
        self._connection.unregister("given")

    def name_days(self, number: str, days: Sequence[date]) -> None:
        """The same with days."""
        self._days[number] = np.array([day.toordinal() - date(1970, 1, 1).toordinal() for day in days], np.int32)

    def write(self, view_name: str, columns: Columns, **named: str) -> None:
        """The rows of a view, whose columns in `named` are numbers of what was given by `name`: `place_id="place"`."""
        view = ALL_VIEWS[view_name]
        if view.order[0] == "month":
            # They come by place.
            order = np.argsort(columns["month"].astype(np.uint16), kind="stable")
            columns = {name: values[order] for name, values in columns.items()}
        days = {name: self._days[name][columns[name].astype(np.int64)] for name in self._days if name in columns}
        self._connection.register("rows", {**columns, **days})
        fields: list[str] = []
        joins: list[str] = []
        for column in view.columns:
            source, names = named.get(column.name, column.name), f"{column.name}_names"
            if source in days:
                fields.append(f"DATE '1970-01-01' + rows.{source} AS {column.name}")
            elif column.name in named:
                fields.append(f"{names}.value AS {column.name}")
                joins.append(f"JOIN {source}_names AS {names} ON {names}.number = rows.{source}")
            elif column.type == "VARCHAR[]":
                fields.append(f"coalesce(string_split(rows.{source}, '{SEPARATOR}'), []) AS {column.name}")
            else:
                fields.append(f"rows.{source}::{column.type} AS {column.name}")
        self._copy(view.file_name, f"SELECT {', '.join(fields)} FROM rows {' '.join(joins)}")  # noqa: S608
        self._connection.unregister("rows")

    def write_rows(self, view_name: str, rows: Sequence[Sequence[object]], **named: str) -> None:
        """The same from rows of values, also with lists in them."""
        columns = zip(ALL_VIEWS[view_name].columns, zip(*rows, strict=True), strict=True)
        arrays: Columns = {
            column.name: np.array(values) if column.name in named else _texts(values, column.type)
            for column, values in columns
        }
        self.write(view_name, arrays, **named)

    def write_table(self, file_name: str, columns: Columns) -> None:
        """A file that is no view."""
        self._connection.register("rows", columns)
        self._copy(file_name, "SELECT * FROM rows")
        self._connection.unregister("rows")

    def close(self) -> None:
        self._connection.close()

    def _copy(self, file_name: str, query: str) -> None:
        path = str(self._folder / file_name).replace("'", "''")
        options = f"FORMAT parquet, COMPRESSION snappy, PARQUET_VERSION v2, ROW_GROUP_SIZE {ROWS_A_GROUP}"
        self._connection.execute(f"COPY ({query}) TO '{path}' ({options})")


def _texts(values: Sequence[object], kind: str) -> NDArray[np.object_]:
    """Values as DuckDB reads them from text; lists of texts are joined."""
    texts = np.empty(len(values), object)
    if kind == "VARCHAR[]":
        texts[:] = [SEPARATOR.join(cast("list[str]", value)) or None for value in values]
    else:
        texts[:] = [None if value is None else str(value) for value in values]
    return texts
