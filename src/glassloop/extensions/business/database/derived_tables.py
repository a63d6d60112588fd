"""Tables added up from others: stock from its movements, the ledger by day from its entries."""

from collections.abc import Iterator
from typing import Any

from glassloop.extensions.business.database.tables import BY_NAME

Row = tuple[Any, ...]


class DerivedTables:
    """Sees rows go by, and gives those of the tables that nobody gave."""

    def __init__(self, given: set[str]) -> None:
        self._given = given
        self._moves: dict[tuple[str, str], dict[str, list[int]]] = {}
        self._last: dict[tuple[str, str], str] = {}
        self._days: dict[Row, list[int]] = {}
        self._movement = BY_NAME["stock_movements"].names
        self._entry = BY_NAME["ledger"].names

    def see(self, name: str, row: Row) -> None:
        if name == "stock_movements":
            move = dict(zip(self._movement, row, strict=True))
            key, day = (move["item_id"], move["warehouse_id"]), move["moved_on"]
            sums = self._moves.setdefault(key, {}).setdefault(day[:7], [0, 0])
            sums[0] += move["quantity"]
            sums[1] += move["amount_cents"]
            self._last[key] = max(day, self._last.get(key, day))
        elif name == "ledger":
            entry = dict(zip(self._entry, row, strict=True))
            key = (entry["posted_on"], entry["account"], entry["account_type"], entry["category"])
            sums = self._days.setdefault(key, [0, 0])
            sums[0] += entry["debit_cents"]
            sums[1] += entry["credit_cents"]

    def rows(self) -> Iterator[tuple[str, Row]]:
        if "ledger_days" not in self._given:
            yield from (("ledger_days", (*key, *sums)) for key, sums in self._days.items())
        months = sorted({month for moves in self._moves.values() for month in moves})
        for key, moves in self._moves.items():
            quantity = value = 0
            for month in _every(months):
                moved = moves.get(month, (0, 0))
                quantity, value = quantity + moved[0], value + moved[1]
                if "stock_months" not in self._given and (quantity or value or month in moves):
                    yield "stock_months", (month, *key, quantity, value)
            if "stock" not in self._given:
                yield "stock", (*key, quantity, value, self._last[key])


def _every(months: list[str]) -> Iterator[str]:
    """From the first month to the last, those without movements too."""
    if not months:
        return
    number, last = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (months[0], months[-1]))
    while number <= last:
        yield f"{number // 12:04d}-{number % 12 + 1:02d}"
        number += 1
