"""Operations of tools: which file or command, whose, and what became of it. What was read or written is not here.

Part of the audit by its purpose, but not of its chain: rows come in thousands, each kind has a quota, and the oldest go
first.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import newest
from glassloop.store.log.redaction import Redactor

Outcome = Literal["done", "refused", "failed"]
MAX_PATH_CHARS = 500
MAX_WHY_CHARS = 300


class ToolOperation(Record, frozen=True, kw_only=True):
    """One call. `kind` is that of the tools, `path` from the workspace, `bytes` what was read or written."""

    id: str = ""
    at: float = 0.0
    kind: str
    user_id: str
    session_id: str
    turn_id: str
    call_id: str
    tool: str
    path: str = ""
    operation: str = ""
    bytes: int = 0
    outcome: Outcome
    why: str = ""


_NAMES = ToolOperation.__struct_fields__
_COLUMNS = ", ".join(_NAMES)
_ADD = f"INSERT INTO tool_operations ({_COLUMNS}) VALUES ({', '.join(f':{name}' for name in _NAMES)})"  # noqa: S608
_SELECT = f"SELECT {_COLUMNS} FROM tool_operations"  # noqa: S608
_OLDEST_KEPT = "SELECT at FROM tool_operations WHERE kind = :kind ORDER BY at DESC LIMIT 1 OFFSET :most"
_PRUNE = "DELETE FROM tool_operations WHERE kind = :kind AND at <= :until RETURNING id"


class ToolOperationTable:
    """Operations of all users."""

    def __init__(self, engine: StoreEngine, redactor: Redactor) -> None:
        self._engine = engine
        self._redactor = redactor

    async def record(self, operation: ToolOperation) -> None:
        """Adds a row, at this moment."""
        clean = msgspec.structs.replace(
            operation,
            id=self._engine.new_id(),
            at=self._engine.clock(),
            path=self._redactor.text(operation.path)[:MAX_PATH_CHARS],
            why=self._redactor.text(operation.why)[:MAX_WHY_CHARS],
        )
        row = {name: getattr(clean, name) for name in _NAMES}
        values = {name: column_text(value) if isinstance(value, str) else value for name, value in row.items()}
        await self._engine.write(lambda db: db.run(_ADD, **values))

    async def list(
        self,
        limit: int = 50,
        offset: int = 0,
        *,
        kind: str | None = None,
        user_id: str | None = None,
        session_id: str | None = None,
        outcome: Outcome | None = None,
    ) -> Sequence[ToolOperation]:
        """Newest first."""

        def work(db: SqlConnection) -> Sequence[tuple[Any, ...]]:
            return newest(
                db, _SELECT, "at", limit, offset, kind=kind, user_id=user_id, session_id=session_id, outcome=outcome
            )

        rows = await self._engine.read(work)
        return [ToolOperation(**dict(zip(_NAMES, row, strict=True))) for row in rows]

    async def prune(self, kind: str, before: float, most: int) -> int:
        """Removes what is older, and the oldest beyond so many; how many."""

        def work(db: SqlConnection) -> int:
            last = db.run(_OLDEST_KEPT, kind=kind, most=most)
            until = max(before, last[0][0]) if last else before
            return len(db.run(_PRUNE, kind=kind, until=until))

        return await self._engine.write(work)


def delete_of_user(db: SqlConnection, user_id: str) -> int:
    """Removes all of a user's; how many."""
    return len(db.run("DELETE FROM tool_operations WHERE user_id = :user RETURNING id", user=column_text(user_id)))
