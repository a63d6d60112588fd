"""API keys of users.

A key is 32 random bytes, so that a plain SHA-256 of it is enough; only that is stored. A key names its own row, and
what it then must match is compared in constant time.
"""

import hashlib
import hmac
import math
import re
import secrets
import shlex
from collections.abc import Sequence
from typing import Any

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import newest
from glassloop.store.tables import audit
from glassloop.store.tables.audit import BY_COMMAND
from glassloop.store.tables.users import KEY_WORKS, MAX_NAME_CHARS, no_user, user_lock

MAX_KEYS = 100
SECRET_BYTES = 32
TOUCHED_S = 60.0
"""The precision of `last_used_at`: it is not written more often."""


class KeyRow(Record, frozen=True, kw_only=True):
    """A key without its secret; times are seconds since the epoch."""

    id: str
    user_id: str
    name: str
    created_at: float
    last_used_at: float | None
    expires_at: float | None
    revoked_at: float | None

    def works(self, now: float) -> bool:
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


_SHAPE = re.compile(r"glk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")
_COLUMNS = ", ".join(KeyRow.__struct_fields__)
_KEYS = f"SELECT {_COLUMNS} FROM api_keys"  # noqa: S608
_COUNT = f"SELECT count(*) FROM api_keys WHERE user_id = :user AND {KEY_WORKS}"  # noqa: S608
_ADD = f"""INSERT INTO api_keys (id, user_id, name, digest, created_at, expires_at)
 VALUES (:id, :user, :name, :digest, :at, :expires) RETURNING {_COLUMNS}"""  # noqa: S608
_FIND = f"SELECT {_COLUMNS}, digest FROM api_keys WHERE id = :id"  # noqa: S608
_REVOKE = f"UPDATE api_keys SET revoked_at = coalesce(revoked_at, :at) WHERE id = :id RETURNING {_COLUMNS}"  # noqa: S608
_TOUCH = """UPDATE api_keys SET last_used_at = :at WHERE id = :id
 AND (last_used_at IS NULL OR last_used_at <= :before) RETURNING id"""


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


class KeyTable:
    """Keys of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def create(self, user: str, name: str = "", days: float | None = None) -> tuple[str, KeyRow]:
        """A new key, which is told here and never again, and what is stored of it."""
        if days is not None and not (math.isfinite(days) and days > 0):
            raise UsageError(f"A key cannot expire after {days:g} days: give a number above 0, or none for never.")
        if len(name) > MAX_NAME_CHARS:
            raise UsageError(
                f"The key's name has {len(name)} characters, and {MAX_NAME_CHARS} is the limit: shorten it."
            )
        key_id, now = secrets.token_hex(6), self._engine.clock()
        key = f"glk_{key_id}_{secrets.token_urlsafe(SECRET_BYTES)}"
        expires = None if days is None else now + days * 86_400

        def work(db: SqlConnection) -> KeyRow:
            _check_user(db, user, now)
            texts = {"user": column_text(user), "name": column_text(name), "digest": digest_of(key)}
            added = db.run(_ADD, id=key_id, **texts, at=now, expires=expires)
            audit.record(db, now, BY_COMMAND, "key_made", user, None, f"key {key_id}")
            return _key(added[0])

        return key, await self._engine.write(work, sync=True, locks=user_lock(user))

    async def list(self, limit: int = 1000, user: str | None = None) -> Sequence[KeyRow]:
        """Newest first, those that no longer work too."""
        return await self._engine.read(
            lambda db: tuple(map(_key, newest(db, _KEYS, "created_at", limit, user_id=user)))
        )

    async def revoke(self, key_id: str) -> KeyRow:
        """Ends a key, and what browsers signed in with it, at once. Revoked twice it stays revoked since the first
        time."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> KeyRow:
            found = db.run(_REVOKE, at=now, id=key_id)
            if not found:
                raise UnknownName(f"There is no key {key_id!r}: `glassloop keys list` shows those there are.")
            db.run("DELETE FROM sign_ins WHERE key_id = :id", id=key_id)
            revoked = _key(found[0])
            audit.record(db, now, BY_COMMAND, "key_revoked", revoked.user_id, None, f"key {key_id}")
            return revoked

        return await self._engine.write(work, sync=True)

    async def find(self, key: str) -> KeyRow | None:
        """The key that is this text, if it works now."""
        shaped = _SHAPE.fullmatch(key)
        if shaped is None:
            return None
        found = await self._engine.read(lambda db: db.run(_FIND, id=shaped[1]))
        if not found or not hmac.compare_digest(found[0][-1], digest_of(key)):
            return None
        row = _key(found[0][:-1])
        return row if row.works(self._engine.clock()) else None

    async def touch(self, key_id: str) -> None:
        """The key was used now."""
        now = self._engine.clock()
        await self._engine.write(lambda db: db.run(_TOUCH, at=now, id=key_id, before=now - TOUCHED_S))


def _check_user(db: SqlConnection, user: str, now: float) -> None:
    if not db.run("SELECT 1 FROM users WHERE id = :user", user=column_text(user)):
        typed = shlex.quote(user)
        raise no_user(user, f"add {typed}` adds them, then `glassloop keys create {typed}` makes the key")
    if db.run(_COUNT, user=column_text(user), now=now)[0][0] >= MAX_KEYS:
        raise UsageError(f"The user {user!r} has {MAX_KEYS} keys: revoke one with `glassloop keys revoke`.")


def _key(row: Sequence[Any]) -> KeyRow:
    return KeyRow(**dict(zip(KeyRow.__struct_fields__, row, strict=True)))
