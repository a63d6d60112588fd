"""Pages of lists: newest first, bounded, filtered by columns."""

from collections.abc import Sequence
from typing import Any, get_args

from glassloop.core.errors import UsageError
from glassloop.store.engine.database import SqlConnection

MAX_LISTED = 1000


def newest(
    db: SqlConnection,
    select: str,
    moment: str,
    limit: int,
    offset: int = 0,
    *,
    only: str = "",
    **wanted: str | int | None,
) -> Sequence[tuple[Any, ...]]:
    """Rows of `select` by the column `moment`; those `wanted` that are None do not matter. `only`: a condition more."""
    check_page(limit, offset)
    given = {name: value for name, value in wanted.items() if value is not None}
    where = " AND ".join([*([only] if only else []), *(f"{name} = :{name}" for name in given)])
    sql = f"{select} {'WHERE' if where else ''} {where} ORDER BY {moment} DESC, id DESC LIMIT :most OFFSET :skipped"
    return db.run(sql, most=limit, skipped=offset, **given)


def check_page(limit: int, offset: int) -> None:
    if not 0 <= limit <= MAX_LISTED or offset < 0:
        raise UsageError(f"A list of {limit} from {offset} is not possible: at most {MAX_LISTED}, from 0 on.")


def check_literal(value: str | None, of: Any, what: str) -> None:
    """Refuses a value that is none of the literals of a type."""
    if value is not None and value not in get_args(of):
        raise UsageError(f"The {what} {value!r} does not exist: choose from {', '.join(get_args(of))}.")
