"""API keys of users, signed-in browsers, and the secret the operator is known by.

Each is 32 random bytes, so that a plain SHA-256 of it is enough; only that is stored. A key names its own row, and what
it then must match is compared in constant time.
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
from glassloop.store.tables.governance import audit
from glassloop.store.tables.governance.audit import AUDIT_LOCK, BY_COMMAND
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

    async def create(
        self, user: str, name: str = "", days: float | None = None, *, by: str = BY_COMMAND
    ) -> tuple[str, KeyRow]:
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
            audit.record(db, now, by, "key_made", user, None, f"key {key_id}")
            return _key(added[0])

        return key, await self._engine.write(work, sync=True, locks=(*user_lock(user), *AUDIT_LOCK))

    async def list(self, limit: int = 1000, user: str | None = None) -> Sequence[KeyRow]:
        """Newest first, those that no longer work too."""
        return await self._engine.read(
            lambda db: tuple(map(_key, newest(db, _KEYS, "created_at", limit, user_id=user)))
        )

    async def revoke(self, key_id: str, *, by: str = BY_COMMAND) -> KeyRow:
        """Ends a key, and what browsers signed in with it, at once. Revoked twice it stays revoked since the first
        time."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> KeyRow:
            found = db.run(_REVOKE, at=now, id=key_id)
            if not found:
                raise UnknownName(f"There is no key {key_id!r}: `glassloop keys list` shows all keys.")
            db.run("DELETE FROM sign_ins WHERE key_id = :id", id=key_id)
            revoked = _key(found[0])
            audit.record(db, now, by, "key_revoked", revoked.user_id, None, f"key {key_id}")
            return revoked

        return await self._engine.write(work, sync=True, locks=AUDIT_LOCK)

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
        raise no_user(user, f"add {typed}` adds them, then `glassloop keys create {typed}` creates the key")
    if db.run(_COUNT, user=column_text(user), now=now)[0][0] >= MAX_KEYS:
        raise UsageError(f"The user {user!r} has {MAX_KEYS} keys: revoke one with `glassloop keys revoke`.")


def _key(row: Sequence[Any]) -> KeyRow:
    return KeyRow(**dict(zip(KeyRow.__struct_fields__, row, strict=True)))


MAX_SIGN_INS = 50

_SIGN_IN = f"""SELECT user_id, proof, seen_at, expires_at, issuer, is_admin FROM sign_ins s
 WHERE digest = :digest AND expires_at > :now
 AND (key_id IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE id = s.key_id AND {KEY_WORKS}))"""  # noqa: S608
_SURPLUS = """DELETE FROM sign_ins WHERE digest IN (SELECT digest FROM sign_ins WHERE user_id = :user
 ORDER BY seen_at DESC, digest LIMIT 1000 OFFSET :most)"""
_ADD_SIGN_IN = """INSERT INTO sign_ins
 (digest, user_id, key_id, proof, created_at, seen_at, expires_at, issuer, is_admin)
 VALUES (:digest, :user, :key, :proof, :at, :at, :expires, :issuer, :admin)"""
_RENEW = "UPDATE sign_ins SET seen_at = :at, expires_at = :expires WHERE digest = :digest AND expires_at > :at"
_MAKE = """INSERT INTO secrets (name, digest, created_at) VALUES (:name, :digest, :at) ON CONFLICT DO NOTHING
 RETURNING name"""
_CHANGE = """INSERT INTO secrets (name, digest, created_at) VALUES (:name, :digest, :at)
 ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at"""


class SignInRow(Record, frozen=True, kw_only=True):
    """A browser that is signed in: with a key, with the admin token, of which `proof` is then the digest, or by the
    OpenID provider `issuer`, which said whether they are an operator."""

    user_id: str
    proof: str
    seen_at: float
    expires_at: float
    issuer: str = ""
    is_admin: int = 0


class SignInTable:
    """Signed-in browsers of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def open(
        self,
        user: str,
        lasts_s: float,
        *,
        key_id: str | None = None,
        proof: str = "",
        issuer: str = "",
        is_admin: bool = False,
    ) -> str:
        """A token for a browser, which works as long as the key does, or else as long as whoever asks still accepts
        `proof` or `issuer`. Expired ones are deleted; of one user's only the newest stay."""
        token, now = secrets.token_urlsafe(SECRET_BYTES), self._engine.clock()

        def work(db: SqlConnection) -> None:
            db.run("DELETE FROM sign_ins WHERE expires_at <= :now", now=now)
            db.run(_SURPLUS, user=column_text(user), most=MAX_SIGN_INS - 1)
            texts = {"digest": digest_of(token), "user": column_text(user), "key": key_id, "proof": proof}
            of_provider = {"issuer": issuer, "admin": int(is_admin)}
            db.run(_ADD_SIGN_IN, **texts, **of_provider, at=now, expires=now + lasts_s)

        await self._engine.write(work, sync=True)
        return token

    async def find(self, token: str) -> SignInRow | None:
        """The sign-in, if it is not over and its key still works.

        Found by its digest: who can guess that has no use for how long the search took.
        """
        digest, now = digest_of(token), self._engine.clock()
        found = await self._engine.read(lambda db: db.run(_SIGN_IN, digest=digest, now=now))
        return SignInRow(**dict(zip(SignInRow.__struct_fields__, found[0], strict=True))) if found else None

    async def renew(self, token: str, lasts_s: float) -> None:
        """It was used now, and lasts for so long again."""
        digest, now = digest_of(token), self._engine.clock()
        await self._engine.write(lambda db: db.run(_RENEW, at=now, expires=now + lasts_s, digest=digest))

    async def end(self, token: str) -> None:
        digest = digest_of(token)
        await self._engine.write(lambda db: db.run("DELETE FROM sign_ins WHERE digest = :it", it=digest), sync=True)


class SecretTable:
    """Secrets that the server itself is known by."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def make(self, name: str) -> str | None:
        """A new secret of that name, told once; None where there is one already, whoever made it."""
        made, now = secrets.token_urlsafe(SECRET_BYTES), self._engine.clock()
        digest = digest_of(made)
        kept = await self._engine.write(lambda db: db.run(_MAKE, name=name, digest=digest, at=now), sync=True)
        return made if kept else None

    async def change(self, name: str) -> str:
        """A new secret of that name, told once; the one before works no longer."""
        made, now = secrets.token_urlsafe(SECRET_BYTES), self._engine.clock()

        def work(db: SqlConnection) -> None:
            db.run(_CHANGE, name=name, digest=digest_of(made), at=now)
            audit.record(db, now, BY_COMMAND, "key_made", name, None, "the secret of the operator")

        await self._engine.write(work, sync=True, locks=AUDIT_LOCK)
        return made

    async def digest(self, name: str) -> str | None:
        found = await self._engine.read(lambda db: db.run("SELECT digest FROM secrets WHERE name = :name", name=name))
        return found[0][0] if found else None
