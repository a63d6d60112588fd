"""Signed-in browsers, and the secret the operator is known by. Of each only the digest of 32 random bytes is stored."""

import secrets

from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.tables import audit
from glassloop.store.tables.audit import BY_COMMAND
from glassloop.store.tables.keys import SECRET_BYTES, digest_of
from glassloop.store.tables.users import KEY_WORKS

MAX_SIGN_INS = 50

_FIND = f"""SELECT user_id, proof, seen_at, expires_at FROM sign_ins s WHERE digest = :digest AND expires_at > :now
 AND (key_id IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE id = s.key_id AND {KEY_WORKS}))"""  # noqa: S608
_SURPLUS = """DELETE FROM sign_ins WHERE digest IN (SELECT digest FROM sign_ins WHERE user_id = :user
 ORDER BY seen_at DESC, digest LIMIT 1000 OFFSET :most)"""
_ADD = """INSERT INTO sign_ins (digest, user_id, key_id, proof, created_at, seen_at, expires_at)
 VALUES (:digest, :user, :key, :proof, :at, :at, :expires)"""
_RENEW = "UPDATE sign_ins SET seen_at = :at, expires_at = :expires WHERE digest = :digest AND expires_at > :at"
_MAKE = """INSERT INTO secrets (name, digest, created_at) VALUES (:name, :digest, :at) ON CONFLICT DO NOTHING
 RETURNING name"""
_CHANGE = """INSERT INTO secrets (name, digest, created_at) VALUES (:name, :digest, :at)
 ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at"""


class SignInRow(Record, frozen=True, kw_only=True):
    """A browser that is signed in: with a key, or with the admin token, of which `proof` is then the digest."""

    user_id: str
    proof: str
    seen_at: float
    expires_at: float


class SignInTable:
    """Signed-in browsers of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def open(self, user: str, lasts_s: float, *, key_id: str | None = None, proof: str = "") -> str:
        """A token for a browser, which works as long as the key does, or else as long as whoever asks still accepts
        `proof`. Expired ones are deleted; of one user's only the newest stay."""
        token, now = secrets.token_urlsafe(SECRET_BYTES), self._engine.clock()

        def work(db: SqlConnection) -> None:
            db.run("DELETE FROM sign_ins WHERE expires_at <= :now", now=now)
            db.run(_SURPLUS, user=column_text(user), most=MAX_SIGN_INS - 1)
            texts = {"digest": digest_of(token), "user": column_text(user), "key": key_id, "proof": proof}
            db.run(_ADD, **texts, at=now, expires=now + lasts_s)

        await self._engine.write(work, sync=True)
        return token

    async def find(self, token: str) -> SignInRow | None:
        """The sign-in, if it is not over and its key still works.

        Found by its digest: who can guess that has no use for how long the search took.
        """
        digest, now = digest_of(token), self._engine.clock()
        found = await self._engine.read(lambda db: db.run(_FIND, digest=digest, now=now))
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

        await self._engine.write(work, sync=True)
        return made

    async def digest(self, name: str) -> str | None:
        found = await self._engine.read(lambda db: db.run("SELECT digest FROM secrets WHERE name = :name", name=name))
        return found[0][0] if found else None
