"""Columns of numbers in observed lists, and what an answer may derive of one: its sum, its mean, a difference."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, cast

MAX_ROWS: Final = 200_000


def number_columns(node: Sequence[Any]) -> dict[str | None, list[float]]:
    """The numeric columns of a list of objects by key; of a list of numbers itself, under None."""
    columns: dict[str | None, list[float]] = {}
    for row in islice(node, MAX_ROWS):
        cells: Iterable[tuple[Any, Any]] = (
            cast("dict[Any, Any]", row).items() if isinstance(row, dict) else [(None, row)]
        )
        for name, value in cells:
            if type(value) in (int, float) and -1e15 < value < 1e15:
                columns.setdefault(name, []).append(float(value))
    return columns


def numbers_rows(values: list[float]) -> bool:
    """Whether a column only numbers its rows: nobody adds that up."""
    return len(values) > 2 and all(value == number for number, value in enumerate(values, 1))


def derivations(values: list[float]) -> Iterator[tuple[str, float]]:
    if len(values) < 2:
        return
    total = math.fsum(values)
    yield "sum", total
    yield "mean", total / len(values)
    if len(values) == 2:
        yield "difference", values[0] - values[1]
        yield "difference", values[1] - values[0]
