"""The port of the store's statements to a database: one connection, the same on SQLite and PostgreSQL.

Statements are written once, in the SQL both understand, with `:name` for values. Connections are used by one thread
at a time; who that is, the writer and the readers decide.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import msgspec

from glassloop.core.errors import StoreError

Result = TypeVar("Result")


class EventRow(NamedTuple):
    """One row of `events`: those from `seq` to `last`. `at` and `kind` are the first one's."""

    turn_id: str
    seq: int
    last: int
    at: float
    kind: str
    body: bytes


class SqlConnection(Protocol):
    """One connection."""

    queryable: bool
    """Whether people query the tables themselves: then messages hold what stands in the log too."""

    pairs: str
    """A query that gives the `[id, number]` pairs of the JSON text in `:pairs` as rows."""

    def run(self, sql: str, **values: object) -> list[tuple[Any, ...]]:
        """One statement; its rows."""
        ...

    def insert_events(self, rows: Sequence[EventRow]) -> None: ...

    def insert_next(self, row: EventRow, epoch: int | None) -> bool:
        """In one statement: stores the row if it follows the last event of a turn under way, else nothing."""
        ...

    def lock(self, names: Sequence[str]) -> None:
        """Until the transaction ends, no other transaction gets the locks of these names. One call a transaction,
        before anything else, names in order: so nobody ever waits for one who waits for him."""
        ...

    def begin(self, *, sync: bool) -> None:
        """A transaction that writes; `sync`: on disk for certain when its commit returns."""
        ...

    def begin_read(self) -> None:
        """A transaction that sees one moment."""
        ...

    def commit(self) -> None: ...

    def rollback(self) -> None:
        """Ends a transaction, if there is one; never raises."""
        ...

    def reclaim(self) -> None:
        """Outside a transaction: leaves nothing of deleted rows behind, as far as the database can do that."""
        ...

    def integrity(self) -> Sequence[str]:
        """What the database says is wrong with itself."""
        ...

    def backup(self, path: str) -> None:
        """Copies one moment of the database to a new file, or says what does it instead."""
        ...

    def explain(self, error: Exception) -> StoreError | None:
        """The driver's error in our words; None for one that is not the driver's."""
        ...

    def is_away(self, error: Exception) -> bool:
        """Whether trying another statement now would only wait again."""
        ...

    def is_lost(self, error: Exception) -> bool:
        """Whether this connection is gone for good, and another one may work: the server was restarted."""
        ...

    def close(self) -> None: ...


Work = Callable[[SqlConnection], Result]
Connect = Callable[[], SqlConnection]


def column_text(text: str) -> str:
    """Text for a column: PostgreSQL holds no NUL in one."""
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def column_json(value: Any) -> str | None:
    """JSON for a column: PostgreSQL's own type takes no NUL either, not even an escaped one."""
    if value is None:
        return None
    text = msgspec.json.encode(value).decode()
    return text if "\\u0000" not in text else msgspec.json.encode(_without_nul(value)).decode()


def _without_nul(value: Any) -> Any:
    if isinstance(value, str):
        return column_text(value)
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {column_text(key): _without_nul(item) for key, item in items}
    return [_without_nul(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
