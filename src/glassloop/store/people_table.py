"""Users, keys, sign-ins and the server's own secrets: the statements behind the interface of people.

Functions over one connection inside one transaction. Of every secret only its digest is here.
"""

import shlex
from collections.abc import Sequence
from typing import Any

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import Record
from glassloop.store.database import Database, column_text
from glassloop.store.listing import newest
from glassloop.store.records import EVAL_USER

MOST_KEYS = 100
MOST_SIGN_INS = 50


class UserRow(Record, frozen=True, kw_only=True):
    """Somebody who may have keys. `keys` counts those that work now."""

    name: str
    created_at: float
    keys: int
    last_used_at: float | None


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


class SignIn(Record, frozen=True, kw_only=True):
    """A browser that is signed in: with a key, or with the admin token, of which `proof` is then the digest."""

    user_id: str
    proof: str
    seen_at: float
    expires_at: float


_COLUMNS = ", ".join(KeyRow.__struct_fields__)
_KEY = f"SELECT {_COLUMNS} FROM api_keys"  # noqa: S608
_WORKS = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > :now)"
_USERS = f"""SELECT u.id, u.created_at,
 (SELECT count(*) FROM api_keys WHERE user_id = u.id AND {_WORKS}),
 (SELECT max(last_used_at) FROM api_keys WHERE user_id = u.id) FROM users u"""  # noqa: S608
_SIGN_IN = f"""SELECT user_id, proof, seen_at, expires_at FROM sign_ins s WHERE digest = :digest AND expires_at > :now
 AND (key_id IS NULL OR EXISTS (SELECT 1 FROM api_keys WHERE id = s.key_id AND {_WORKS}))"""  # noqa: S608


def add_user(db: Database, name: str, at: float) -> UserRow:
    if name == EVAL_USER:
        raise UsageError(f"{name!r} is whose questions `glassloop eval` asks: choose another name.")
    sql = "INSERT INTO users (id, created_at) VALUES (:id, :at) ON CONFLICT DO NOTHING RETURNING id"
    if not db.run(sql, id=column_text(name), at=at):
        raise UsageError(f"The user {name!r} is there already: `glassloop keys create` makes a key for them.")
    return UserRow(name=name, created_at=at, keys=0, last_used_at=None)


def users(db: Database, now: float, limit: int) -> Sequence[UserRow]:
    """By name."""
    rows = db.run(f"{_USERS} ORDER BY u.id LIMIT :most", now=now, most=limit)
    return tuple(UserRow(name=row[0], created_at=row[1], keys=row[2], last_used_at=row[3]) for row in rows)


def remove_user(db: Database, name: str) -> int:
    """With keys and sign-ins; how many keys that were."""
    if not db.run("DELETE FROM users WHERE id = :user RETURNING id", user=column_text(name)):
        raise _no_user(name, "list` shows those there are")
    db.run("DELETE FROM sign_ins WHERE user_id = :user", user=column_text(name))
    return len(db.run("DELETE FROM api_keys WHERE user_id = :user RETURNING id", user=column_text(name)))


def add_key(
    db: Database, key_id: str, user: str, name: str, digest: str, at: float, expires_at: float | None
) -> KeyRow:
    if not db.run("SELECT 1 FROM users WHERE id = :user", user=column_text(user)):
        typed = shlex.quote(user)
        raise _no_user(user, f"add {typed}` adds them, then `glassloop keys create {typed}` makes the key")
    counted = db.run(
        f"SELECT count(*) FROM api_keys WHERE user_id = :user AND {_WORKS}",  # noqa: S608
        user=column_text(user),
        now=at,
    )
    if counted[0][0] >= MOST_KEYS:
        raise UsageError(f"The user {user!r} has {MOST_KEYS} keys: revoke one with `glassloop keys revoke`.")
    found = db.run(
        f"""INSERT INTO api_keys (id, user_id, name, digest, created_at, expires_at)
 VALUES (:id, :user, :name, :digest, :at, :expires) RETURNING {_COLUMNS}""",  # noqa: S608
        id=key_id,
        user=column_text(user),
        name=column_text(name),
        digest=digest,
        at=at,
        expires=expires_at,
    )
    return _key(found[0])


def keys(db: Database, limit: int, user: str | None) -> Sequence[KeyRow]:
    """Newest first."""
    return tuple(map(_key, newest(db, _KEY, "created_at", limit, user_id=user)))


def key(db: Database, key_id: str) -> tuple[KeyRow, str] | None:
    """The key of that id with its digest."""
    found = db.run(f"SELECT {_COLUMNS}, digest FROM api_keys WHERE id = :id", id=key_id)  # noqa: S608
    return (_key(found[0][:-1]), found[0][-1]) if found else None


def touch_key(db: Database, key_id: str, at: float, before: float) -> None:
    db.run(
        """UPDATE api_keys SET last_used_at = :at WHERE id = :id
 AND (last_used_at IS NULL OR last_used_at <= :before) RETURNING id""",
        at=at,
        id=key_id,
        before=before,
    )


def revoke_key(db: Database, key_id: str, at: float) -> KeyRow:
    """Revoked twice it stays revoked since the first time. Browsers that signed in with it are signed out."""
    sql = f"UPDATE api_keys SET revoked_at = coalesce(revoked_at, :at) WHERE id = :id RETURNING {_COLUMNS}"  # noqa: S608
    found = db.run(sql, at=at, id=key_id)
    if not found:
        raise UnknownName(f"There is no key {key_id!r}: `glassloop keys list` shows those there are.")
    db.run("DELETE FROM sign_ins WHERE key_id = :id", id=key_id)
    return _key(found[0])


def add_sign_in(
    db: Database, digest: str, user: str, key_id: str | None, proof: str, at: float, expires_at: float
) -> None:
    """Those that are over go; of one user's only the newest stay."""
    db.run("DELETE FROM sign_ins WHERE expires_at <= :now", now=at)
    db.run(
        """DELETE FROM sign_ins WHERE digest IN (SELECT digest FROM sign_ins WHERE user_id = :user
 ORDER BY seen_at DESC, digest LIMIT 1000 OFFSET :most)""",
        user=column_text(user),
        most=MOST_SIGN_INS - 1,
    )
    db.run(
        """INSERT INTO sign_ins (digest, user_id, key_id, proof, created_at, seen_at, expires_at)
 VALUES (:digest, :user, :key, :proof, :at, :at, :expires)""",
        digest=digest,
        user=column_text(user),
        key=key_id,
        proof=proof,
        at=at,
        expires=expires_at,
    )


def sign_in(db: Database, digest: str, now: float) -> SignIn | None:
    """The sign-in, if it is not over and its key still works."""
    found = db.run(_SIGN_IN, digest=digest, now=now)
    return SignIn(**dict(zip(SignIn.__struct_fields__, found[0], strict=True))) if found else None


def renew_sign_in(db: Database, digest: str, at: float, expires_at: float) -> None:
    sql = "UPDATE sign_ins SET seen_at = :at, expires_at = :expires WHERE digest = :digest AND expires_at > :at"
    db.run(sql, at=at, expires=expires_at, digest=digest)


def end_sign_in(db: Database, digest: str) -> None:
    db.run("DELETE FROM sign_ins WHERE digest = :digest", digest=digest)


def keep_secret(db: Database, name: str, digest: str, at: float) -> bool:
    """Whether it was kept: the first one stays."""
    sql = """INSERT INTO secrets (name, digest, created_at) VALUES (:name, :digest, :at) ON CONFLICT DO NOTHING
 RETURNING name"""
    return bool(db.run(sql, name=name, digest=digest, at=at))


def change_secret(db: Database, name: str, digest: str, at: float) -> None:
    """The one before works no longer."""
    sql = """INSERT INTO secrets (name, digest, created_at) VALUES (:name, :digest, :at)
 ON CONFLICT (name) DO UPDATE SET digest = excluded.digest, created_at = excluded.created_at"""
    db.run(sql, name=name, digest=digest, at=at)


def secret(db: Database, name: str) -> str | None:
    found = db.run("SELECT digest FROM secrets WHERE name = :name", name=name)
    return found[0][0] if found else None


def _key(row: Sequence[Any]) -> KeyRow:
    return KeyRow(**dict(zip(KeyRow.__struct_fields__, row, strict=True)))


def _no_user(name: str, remedy: str) -> UnknownName:
    return UnknownName(f"There is no user {name!r}: `glassloop users {remedy}.")
