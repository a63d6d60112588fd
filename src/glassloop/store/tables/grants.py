"""Grants: tools that a person allowed for the rest of a session, as they were then, until revoked or expired.

Whether a tool may be allowed at all is decided by `core.policy`. Grants go with their session and are not exported.
"""

from collections.abc import Sequence

from glassloop.core.messages import Effect
from glassloop.core.records import Record
from glassloop.store.engine.database import column_text
from glassloop.store.engine.engine import StoreEngine

MAX_GRANTS = 200


class Grant(Record, frozen=True, kw_only=True):
    """A tool that need not ask in this session. `digest` is the tool's as it was, `turn_id` where it was allowed.
    `scope` is what it was allowed for: a folder, or the first words of a command; empty is all that the tool does."""

    session_id: str
    tool: str
    effect: Effect
    digest: str
    by_user: str
    turn_id: str
    at: float
    until: float
    scope: str = ""


_NAMES = Grant.__struct_fields__
_ADD = f"""INSERT INTO grants ({", ".join(_NAMES)}) VALUES ({", ".join(f":{name}" for name in _NAMES)})
 ON CONFLICT (session_id, tool, scope) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES)}"""  # noqa: S608
_GRANTS = f"""SELECT {", ".join(_NAMES)} FROM grants WHERE session_id = :session AND until > :now
 ORDER BY tool, scope LIMIT :most"""  # noqa: S608
_REVOKE = """DELETE FROM grants WHERE session_id = :session AND tool = :tool AND (:every = 1 OR scope = :scope)
 RETURNING tool"""


class GrantTable:
    """Grants by session."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def add(self, grant: Grant) -> None:
        """Given again, the last one counts."""
        given = ((name, getattr(grant, name)) for name in _NAMES)
        values = {name: column_text(value) if isinstance(value, str) else value for name, value in given}
        await self._engine.write(lambda db: db.run(_ADD, **values), sync=True)

    async def of_session(self, session_id: str) -> Sequence[Grant]:
        """Those that count now, by the name of the tool."""
        now = self._engine.clock()
        rows = await self._engine.read(lambda db: db.run(_GRANTS, session=session_id, now=now, most=MAX_GRANTS))
        return tuple(Grant(**dict(zip(_NAMES, row, strict=True))) for row in rows)

    async def of_tool(self, session_id: str, tool: str, digest: str) -> Sequence[Grant]:
        """The grants that count for this tool, as it is now."""
        found = await self.of_session(session_id)
        return [each for each in found if (each.tool, each.digest) == (tool, digest)]

    async def revoke(self, session_id: str, tool: str, scope: str | None = None) -> bool:
        """From now on the tool asks again, or where it was allowed for that scope; whether it did not."""
        given = {"session": session_id, "tool": column_text(tool), "scope": column_text(scope or "")}
        every = int(scope is None)
        return bool(await self._engine.write(lambda db: db.run(_REVOKE, **given, every=every), sync=True))
