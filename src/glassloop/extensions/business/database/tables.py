"""The views that the business tools read, with their columns, from `data/tables.toml`.

The sample company's tables, the check of imported CSV files and the docs all come from here. Dates are text
(`2026-03-31`), moments are text in UTC (`2026-03-31 14:05`), money is whole cents: so SQLite and PostgreSQL add up to
the same figure, and a month is the first seven characters. What the columns are filled with is the company's.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from glassloop.extensions.business.data_files import read_toml

PREFIX = "biz_"
"""Before every name, so that the views can live beside a company's own tables."""

Kind = Literal["text", "day", "moment", "whole", "cents"]
_SQL_KINDS = {"text": "TEXT", "day": "TEXT", "moment": "TEXT", "whole": "BIGINT", "cents": "BIGINT"}


class Column(msgspec.Struct, frozen=True, kw_only=True):
    """One column. `refers` names the table whose key its values are; `choices` are all it may hold."""

    name: str
    kind: Kind = "text"
    optional: bool = False
    choices: tuple[str, ...] = ()
    refers: str = ""


class Table(msgspec.Struct, frozen=True, kw_only=True):
    """A view by its name without the prefix."""

    name: str
    about: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    indexes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


def _column(text: str) -> Column:
    """`name?: kind`, `name: one | another` or `name -> table`."""
    name, _, table = text.partition(" -> ")
    name, _, kind = name.partition(": ")
    known = kind in _SQL_KINDS
    return msgspec.convert(
        {
            "name": name.removesuffix("?"),
            "kind": kind if known else "text",
            "optional": name.endswith("?"),
            "choices": [] if known or not kind else kind.split(" | "),
            "refers": table,
        },
        Column,
    )


def _load() -> tuple[Table, ...]:
    return tuple(_table(name, **parts) for name, parts in read_toml("tables.toml").items())


def _table(
    name: str, about: str, columns: Sequence[str], key: Sequence[str] = (), indexes: Sequence[str] = ()
) -> Table:
    listed = tuple(map(_column, columns))
    return Table(name=name, about=about, columns=listed, key=tuple(key) or (listed[0].name,), indexes=tuple(indexes))


TABLES = _load()
BY_NAME = {table.name: table for table in TABLES}


def create_table(table: Table) -> str:
    """The table in SQL that SQLite and PostgreSQL both read."""
    columns = [
        f"{column.name} {_SQL_KINDS[column.kind]}{'' if column.optional else ' NOT NULL'}" for column in table.columns
    ]
    return f"CREATE TABLE {PREFIX}{table.name} ({', '.join(columns)}, PRIMARY KEY ({', '.join(table.key)}))"


def create_indexes(table: Table) -> list[str]:
    """Made after the rows are in, which is quicker."""
    return [
        f"CREATE INDEX {PREFIX}{table.name}_{number} ON {PREFIX}{table.name} ({columns})"
        for number, columns in enumerate(table.indexes, 1)
    ]
