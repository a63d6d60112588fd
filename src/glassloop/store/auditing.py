"""Who did what that others may ask about: decisions, ratings, deletions, keys, sign-ins. What was said is not here.

Written after the deed, by whoever did it; bounded, the oldest go first. What is noted of a user goes with the user.
"""

from collections.abc import Sequence
from typing import Literal

from glassloop.core.records import Record
from glassloop.store.access import Access
from glassloop.store.database import Database, column_text
from glassloop.store.listing import check_page

Action = Literal[
    "approved", "refused", "allowed", "revoked", "rated", "case_made", "session_deleted", "user_deleted",
    "user_added", "user_removed", "key_made", "key_revoked", "signed_in", "sign_in_refused",
]  # fmt: skip

MOST_NOTES = 100_000
SWEPT = 1_000
"""After so many notes the oldest beyond the bound are removed."""
DETAIL_CHARS = 200
BY_COMMAND = "command line"
"""Who did it where nobody is named: whoever can run commands on this machine."""

_NAMES = ("id", "at", "by_user", "action", "subject", "session_id", "detail")
_SWEEP = """DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY at DESC, id DESC LIMIT :most OFFSET :kept)"""


class Note(Record, frozen=True, kw_only=True):
    """One deed. `subject` is what it was done to: a tool, a session, a turn, a user, a key's id."""

    id: int
    at: float
    by_user: str
    action: Action
    subject: str
    session_id: str | None
    detail: str


class Auditing(Access):
    """Notes of who did what."""

    async def note(
        self, action: Action, subject: str, *, by: str = BY_COMMAND, session_id: str | None = None, detail: str = ""
    ) -> None:
        now, clean = self._clock(), self._redactor.text(detail)[:DETAIL_CHARS]
        await self._writer.do(lambda db: add(db, now, by, action, subject, session_id, clean))

    async def notes(
        self, limit: int = 50, offset: int = 0, *, by: str | None = None, action: Action | None = None
    ) -> Sequence[Note]:
        """Newest first."""
        return await self._read(lambda db: listed(db, limit, offset, by, action))


def add(db: Database, at: float, by: str, action: Action, subject: str, session_id: str | None, detail: str) -> None:
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
    if found[0][0] % SWEPT == 0:
        db.run(_SWEEP, most=10 * SWEPT, kept=MOST_NOTES)


def listed(db: Database, limit: int, offset: int, by: str | None, action: Action | None) -> Sequence[Note]:
    check_page(limit, offset)
    wanted = {name: column_text(value) for name, value in (("by_user", by), ("action", action)) if value}
    where = " AND ".join(f"{name} = :{name}" for name in wanted)
    sql = f"""SELECT {", ".join(_NAMES)} FROM audit {f"WHERE {where}" if where else ""}
 ORDER BY at DESC, id DESC LIMIT :most OFFSET :skipped"""  # noqa: S608
    rows = db.run(sql, most=limit, skipped=offset, **wanted)
    return tuple(Note(**dict(zip(_NAMES, row, strict=True))) for row in rows)


def forget_user(db: Database, user_id: str) -> int:
    """What is noted of a user, by name; how many notes that were."""
    return len(
        db.run("DELETE FROM audit WHERE by_user = :user OR subject = :user RETURNING id", user=column_text(user_id))
    )
