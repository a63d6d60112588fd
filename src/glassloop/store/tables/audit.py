"""The audit: decisions, ratings, deletions, keys and sign-ins, with who did them. What was said is not here.

Written after the deed, by whoever did it; bounded, the oldest go first. Entries about a user are deleted with the user.
"""

from collections.abc import Sequence
from typing import Literal

from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_page
from glassloop.store.log.redaction import Redactor

Action = Literal[
    "held", "approved", "refused", "allowed", "revoked", "answered", "steered", "rated", "case_made", "schedule_added",
    "schedule_cancelled", "session_deleted", "user_deleted", "user_added", "user_removed", "key_made", "key_revoked",
    "signed_in", "sign_in_refused",
]  # fmt: skip

MAX_ENTRIES = 100_000
SWEEP_AFTER = 1_000
"""After so many entries the oldest beyond the bound are removed."""
MAX_DETAIL_CHARS = 200
BY_COMMAND = "command line"
"""Who did it where nobody is named: whoever can run commands on this machine."""

_SWEEP = """DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY at DESC, id DESC LIMIT :most OFFSET :kept)"""


class AuditEntry(Record, frozen=True, kw_only=True):
    """One deed. `subject` is what it was done to: a tool, a session, a turn, a user, a key's id."""

    id: int
    at: float
    by_user: str
    action: Action
    subject: str
    session_id: str | None
    detail: str


_NAMES = AuditEntry.__struct_fields__


class AuditTable:
    """Entries of all users."""

    def __init__(self, engine: StoreEngine, redactor: Redactor) -> None:
        self._engine = engine
        self._redactor = redactor

    async def record(
        self, action: Action, subject: str, *, by: str = BY_COMMAND, session_id: str | None = None, detail: str = ""
    ) -> None:
        now, clean = self._engine.clock(), self._redactor.text(detail)[:MAX_DETAIL_CHARS]
        await self._engine.write(lambda db: record(db, now, by, action, subject, session_id, clean))

    async def list(
        self, limit: int = 50, offset: int = 0, *, by: str | None = None, action: Action | None = None
    ) -> Sequence[AuditEntry]:
        """Newest first."""
        check_page(limit, offset)
        wanted = {name: column_text(value) for name, value in (("by_user", by), ("action", action)) if value}
        where = " AND ".join(f"{name} = :{name}" for name in wanted)
        sql = f"""SELECT {", ".join(_NAMES)} FROM audit {f"WHERE {where}" if where else ""}
 ORDER BY at DESC, id DESC LIMIT :most OFFSET :skipped"""  # noqa: S608
        rows = await self._engine.read(lambda db: db.run(sql, most=limit, skipped=offset, **wanted))
        return tuple(AuditEntry(**dict(zip(_NAMES, row, strict=True))) for row in rows)


def record(
    db: SqlConnection, at: float, by: str, action: Action, subject: str, session_id: str | None, detail: str
) -> None:
    found = db.run(
        """INSERT INTO audit (at, by_user, action, subject, session_id, detail)
 VALUES (:at, :by, :action, :subject, :session, :detail) RETURNING id""",
        at=at,
        by=column_text(by),
        action=action,
        subject=column_text(subject),
        session=session_id,
        detail=column_text(detail),
    )
    if found[0][0] % SWEEP_AFTER == 0:
        db.run(_SWEEP, most=10 * SWEEP_AFTER, kept=MAX_ENTRIES)


def forget_user(db: SqlConnection, user_id: str) -> int:
    """Deletes the entries about a user, by name; how many there were."""
    sql = "DELETE FROM audit WHERE by_user = :user OR subject = :user RETURNING id"
    return len(db.run(sql, user=column_text(user_id)))
