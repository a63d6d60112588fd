"""Rows that a tool returns, with the columns that questions can be about."""

import re
from typing import Any, Final

from training.data.values import Rng
from training.data.world_expressions import Row
from training.data.world_stage import DAY

MAX_CELL: Final = 40
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ID: Final = re.compile(r"(^|_)(id|no|nr|number|code|ref|year|phone|page|sku|tag|key|box|room)($|_)")


class Table:
    """Rows with the columns that questions can be about."""

    def __init__(self, rng: Rng, rows: list[Row]) -> None:
        self.rows = rows
        self.plain = [name for name in rows[0] if all(is_plain(row.get(name)) for row in rows)]
        keys = [name for name in self.plain if len({str(row[name]) for row in rows}) == len(rows)]
        texts = [name for name in keys if not isinstance(rows[0][name], int | float) or name == self.plain[0]]
        self.key = rng.some(texts) if texts else ""
        rest = [name for name in self.plain if name != self.key]
        self.figures = [name for name in rest if self._all(name, int, float) and not _ID.search(name)]
        self.kinds = [name for name in rest if self._all(name, str) and self._repeats(name)]
        self.days = [name for name in rest if all(DAY.fullmatch(str(row[name])) for row in rows)]

    def _all(self, name: str, *types: type) -> bool:
        return all(isinstance(row[name], types) and not isinstance(row[name], bool) for row in self.rows)

    def _repeats(self, name: str) -> bool:
        return 1 < len({row[name] for row in self.rows}) < len(self.rows)

    def named(self, row: Row) -> str:
        return str(row[self.key])


def is_plain(value: Any) -> bool:
    return isinstance(value, str | int | float) and 0 < len(str(value)) <= MAX_CELL


def words(name: str) -> str:
    return _CAMEL.sub(" ", name).replace("_", " ").lower()
