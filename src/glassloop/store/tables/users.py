"""Users, by name, and what they want to be called."""

import re
from collections.abc import Sequence

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import MAX_DISPLAY_CHARS, Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.records import EVAL_USER
from glassloop.store.tables import inbox
from glassloop.store.tables.governance import audit
from glassloop.store.tables.governance.audit import ADMIN, AUDIT_LOCK, BY_COMMAND, NOT_PERSONS

MAX_NAME_CHARS = 200
_PSEUDONYM = re.compile(r"user-[0-9a-f]{12}")
KEY_WORKS = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"

_USERS = f"""SELECT u.id, u.created_at,
 (SELECT count(*) FROM api_keys WHERE user_id = u.id AND {KEY_WORKS}),
 (SELECT max(last_used_at) FROM api_keys WHERE user_id = u.id),
 (SELECT name FROM display_names WHERE user_id = u.id) FROM users u ORDER BY u.id LIMIT :most"""  # noqa: S608
_NAME = """INSERT INTO display_names (user_id, name) VALUES (:user, :name)
 ON CONFLICT (user_id) DO UPDATE SET name = excluded.name"""
_ADD = "INSERT INTO users (id, created_at) VALUES (:id, :at) ON CONFLICT DO NOTHING RETURNING id"


class UserRow(Record, frozen=True, kw_only=True):
    """Somebody who may have keys. `keys` counts those that work now."""

    name: str
    created_at: float
    keys: int
    last_used_at: float | None
    display_name: str | None = None


def check_name(name: str) -> str:
    """The name, if it may be a user's; raises `UsageError` if not."""
    if not 0 < len(name) <= MAX_NAME_CHARS or not name.isprintable() or name != name.strip():
        raise UsageError(
            f"The name {name[:MAX_NAME_CHARS]!r} cannot be a user's: give 1 to {MAX_NAME_CHARS} characters that can be "
            "seen, without spaces around them."
        )
    if name.lower() == ADMIN:
        raise UsageError(f"The name {name!r} is reserved for the operator: choose another.")
    if name.lower() in NOT_PERSONS or _PSEUDONYM.fullmatch(name):
        raise UsageError(f"The name {name!r} is reserved for anonymous users in the audit log: choose another.")
    return name


def check_display_name(name: str) -> str:
    """What a user wants to be called, on one line; raises `UsageError` for what is no such name."""
    clean = " ".join(name.split())
    if not 0 < len(clean) <= MAX_DISPLAY_CHARS or not clean.isprintable():
        raise UsageError(
            f"{clean[:MAX_DISPLAY_CHARS]!r} cannot be a display name: give 1 to {MAX_DISPLAY_CHARS} characters that "
            "can be seen."
        )
    return clean


class UserTable:
    """Everybody who may have keys."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def add(self, name: str) -> UserRow:
        now = self._engine.clock()
        check_name(name)
        if name == EVAL_USER:
            raise UsageError(f"The name {name!r} is reserved for `glassloop eval`: choose another.")

        def work(db: SqlConnection) -> UserRow:
            if not db.run(_ADD, id=column_text(name), at=now):
                raise UsageError(f"The user {name!r} already exists: `glassloop keys create` creates a key for them.")
            audit.record(db, now, BY_COMMAND, "user_added", name, None, "")
            return UserRow(name=name, created_at=now, keys=0, last_used_at=None)

        return await self._engine.write(work, sync=True, locks=AUDIT_LOCK)

    async def ensure(self, name: str) -> None:
        """Adds a user whom somebody else signed in, unless they are there."""
        now = self._engine.clock()
        check_name(name)

        def work(db: SqlConnection) -> None:
            if db.run(_ADD, id=column_text(name), at=now):
                audit.record(db, now, name, "user_added", name, None, "signed in by the OpenID provider")

        await self._engine.write(work, locks=AUDIT_LOCK)

    async def list(self, limit: int = 1000) -> Sequence[UserRow]:
        """By name."""
        now = self._engine.clock()
        rows = await self._engine.read(lambda db: db.run(_USERS, now=now, most=limit))
        return tuple(UserRow(**dict(zip(UserRow.__struct_fields__, row, strict=True))) for row in rows)

    async def display_name(self, user: str) -> str | None:
        """What a user wants to be called; None where they did not say. Whoever is let in may have one, with a row here
        or without."""
        sql = "SELECT name FROM display_names WHERE user_id = :user"
        found = await self._engine.read(lambda db: db.run(sql, user=column_text(user)))
        return found[0][0] if found else None

    async def set_display_name(self, user: str, name: str | None, *, known: bool = False) -> str | None:
        """The name as it is stored; None removes it. `known`: raises `UnknownName` where there is no such user."""
        clean = None if name is None else column_text(check_display_name(name))
        of_user = column_text(user)

        def work(db: SqlConnection) -> None:
            if known and not db.run("SELECT id FROM users WHERE id = :user", user=of_user):
                raise no_user(user, "list` shows all users")
            if clean is None:
                forget_display_name(db, user)
            else:
                db.run(_NAME, user=of_user, name=clean)

        await self._engine.write(work, locks=user_lock(user))
        return clean

    async def remove(self, name: str, *, by: str = BY_COMMAND) -> int:
        """The user with all keys and sign-ins, at once; how many keys. Conversations stay: see
        `StoreMaintenance.delete_user`."""
        now, user = self._engine.clock(), column_text(name)

        def work(db: SqlConnection) -> int:
            if not db.run("DELETE FROM users WHERE id = :user RETURNING id", user=user):
                raise no_user(name, "list` shows all users")
            db.run("DELETE FROM sign_ins WHERE user_id = :user", user=user)
            forget_display_name(db, name)
            inbox.forget_address(db, name)
            db.run("DELETE FROM shares WHERE user_id = :user", user=user)
            keys = db.run("DELETE FROM api_keys WHERE user_id = :user RETURNING id", user=user)
            audit.record(db, now, by, "user_removed", name, None, "")
            return len(keys)

        return await self._engine.write(work, sync=True, locks=(*user_lock(name), *AUDIT_LOCK))


def forget_display_name(db: SqlConnection, user: str) -> int:
    """How many there were."""
    return len(db.run("DELETE FROM display_names WHERE user_id = :user RETURNING user_id", user=column_text(user)))


def user_lock(user: str) -> Sequence[str]:
    """Nobody gets a key while being removed."""
    return (f"user {user}",)


def no_user(name: str, remedy: str) -> UnknownName:
    return UnknownName(f"There is no user {name!r}: `glassloop users {remedy}.")
