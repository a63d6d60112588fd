"""What a person allowed for the rest of a session: a tool as it was when they said so, until it is taken back or over.

Whether a tool may be allowed at all is `core.policy`'s to say. Grants go with their session and are not exported.
"""

from collections.abc import Sequence

from glassloop.core.messages import Effect
from glassloop.core.records import Record
from glassloop.store.access import Access
from glassloop.store.database import Database, column_text

MOST_GRANTS = 200


class Grant(Record, frozen=True, kw_only=True):
    """A tool that need not ask in this session. `digest` is the tool's as it was, `turn_id` where it was allowed."""

    session_id: str
    tool: str
    effect: Effect
    digest: str
    by_user: str
    turn_id: str
    at: float
    until: float


_NAMES = Grant.__struct_fields__
_GRANTS = f"SELECT {', '.join(_NAMES)} FROM grants WHERE session_id = :session AND until > :now"  # noqa: S608


class Granting(Access):
    """Grants by session."""

    async def add_grant(self, grant: Grant) -> None:
        """Given again, the last one counts."""
        await self._writer.do(lambda db: add(db, grant), sync=True)

    async def grants(self, session_id: str) -> Sequence[Grant]:
        """Those that count now, by the name of the tool."""
        now = self._clock()
        return await self._read(lambda db: listed(db, session_id, now))

    async def grant_of(self, session_id: str, tool: str, digest: str) -> Grant | None:
        """What lets this tool, as it is now, run without asking."""
        found = await self.grants(session_id)
        return next((each for each in found if (each.tool, each.digest) == (tool, digest)), None)

    async def revoke_grant(self, session_id: str, tool: str) -> bool:
        """From now on the tool asks again; whether it did not."""
        return await self._writer.do(lambda db: revoke(db, session_id, tool), sync=True)


def add(db: Database, grant: Grant) -> None:
    values = {name: column_text(value) if isinstance(value := getattr(grant, name), str) else value for name in _NAMES}
    changed = ", ".join(f"{name} = excluded.{name}" for name in _NAMES)
    db.run(
        f"INSERT INTO grants ({', '.join(_NAMES)}) VALUES ({', '.join(f':{name}' for name in _NAMES)}) "  # noqa: S608
        f"ON CONFLICT (session_id, tool) DO UPDATE SET {changed}",
        **values,
    )


def listed(db: Database, session_id: str, now: float) -> Sequence[Grant]:
    rows = db.run(f"{_GRANTS} ORDER BY tool LIMIT :most", session=session_id, now=now, most=MOST_GRANTS)
    return tuple(Grant(**dict(zip(_NAMES, row, strict=True))) for row in rows)


def revoke(db: Database, session_id: str, tool: str) -> bool:
    sql = "DELETE FROM grants WHERE session_id = :session AND tool = :tool RETURNING tool"
    return bool(db.run(sql, session=session_id, tool=column_text(tool)))
