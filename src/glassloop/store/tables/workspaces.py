"""The folder of a session that works on files, with its index and its mode. Goes with the session; not exported, as the
path is one of this machine."""

import msgspec

from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine


class SessionWorkspace(Record, frozen=True, kw_only=True):
    """`path` is the folder's own, without links; empty where the session has none. Empty: no index, the usual mode."""

    session_id: str
    user_id: str
    path: str = ""
    context_name: str = ""
    mode: str = ""
    changed_at: float = 0.0


_NAMES = SessionWorkspace.__struct_fields__
_PUT = f"""INSERT INTO session_workspaces ({", ".join(_NAMES)}) VALUES ({", ".join(f":{name}" for name in _NAMES)})
 ON CONFLICT (session_id) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _NAMES)}
 WHERE session_workspaces.user_id = excluded.user_id RETURNING session_id"""  # noqa: S608
_OF_USER = f"SELECT {', '.join(_NAMES)} FROM session_workspaces WHERE user_id = :user"  # noqa: S608


class SessionWorkspaceTable:
    """Folders by session."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def get(self, session_id: str) -> SessionWorkspace | None:
        return await self._engine.read(lambda db: _get(db, session_id))

    async def put(self, row: SessionWorkspace) -> None:
        """The last one counts; another user's stays."""
        now = self._engine.clock()
        given = {name: getattr(row, name) for name in _NAMES} | {"changed_at": now}
        values = {name: column_text(value) if isinstance(value, str) else value for name, value in given.items()}
        await self._engine.write(lambda db: db.run(_PUT, **values))

    async def of_user(self, user_id: str) -> dict[str, SessionWorkspace]:
        """All of a user's, by session."""
        rows = await self._engine.read(lambda db: db.run(_OF_USER, user=column_text(user_id)))
        return {row[0]: SessionWorkspace(**dict(zip(_NAMES, row, strict=True))) for row in rows}

    async def copy(self, source: str, target: str) -> None:
        """Gives a session what another of the same user has, where it has anything."""
        found = await self.get(source)
        if found is not None:
            await self.put(msgspec.structs.replace(found, session_id=target))


def _get(db: SqlConnection, session_id: str) -> SessionWorkspace | None:
    sql = f"SELECT {', '.join(_NAMES)} FROM session_workspaces WHERE session_id = :session"  # noqa: S608
    rows = db.run(sql, session=session_id)
    return SessionWorkspace(**dict(zip(_NAMES, rows[0], strict=True))) if rows else None
