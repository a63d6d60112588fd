"""The interface of people: users, their keys, signed-in browsers, and the secret the operator is known by.

Keys and tokens are 32 random bytes each, so that a plain SHA-256 of them is enough; only that is stored. A key names
its own row, and what it then must match is compared in constant time.
"""

import hashlib
import hmac
import math
import re
import secrets
from collections.abc import Sequence

from glassloop.core.errors import UsageError
from glassloop.store import auditing, people_table
from glassloop.store.access import Access
from glassloop.store.auditing import BY_COMMAND
from glassloop.store.database import Database
from glassloop.store.people_table import KeyRow, SignIn, UserRow

__all__ = ["ADMIN", "KeyRow", "People", "SignIn", "UserRow", "check_name", "digest_of"]

ADMIN = "admin"
"""Whose the turns of an operator are who has no other name. Nobody else may be called that."""

NAME_CHARS = 200
TOUCHED_S = 60.0
"""How exact `last_used_at` is: it is not written more often."""

_BYTES = 32
_KEY = re.compile(r"glk_([0-9a-f]{12})_[A-Za-z0-9_-]{43}")


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def check_name(name: str) -> str:
    """A user's name as it may be; raises `UsageError` for one that may not."""
    if not 0 < len(name) <= NAME_CHARS or not name.isprintable() or name != name.strip():
        raise UsageError(
            f"The name {name[:NAME_CHARS]!r} cannot be a user's: give 1 to {NAME_CHARS} characters that can be seen, "
            "without spaces around them."
        )
    if name.lower() == ADMIN:
        raise UsageError(f"The name {name!r} is kept for the operator with the admin token: give another.")
    return name


class People(Access):
    """Users and what they prove themselves with."""

    async def add_user(self, name: str) -> UserRow:
        now = self._clock()

        def work(db: Database) -> UserRow:
            added = people_table.add_user(db, check_name(name), now)
            auditing.add(db, now, BY_COMMAND, "user_added", name, None, "")
            return added

        return await self._writer.do(work, sync=True)

    async def list_users(self, limit: int = 1000) -> Sequence[UserRow]:
        """By name."""
        now = self._clock()
        return await self._read(lambda db: people_table.users(db, now, limit))

    async def remove_user(self, name: str) -> int:
        """The user with all keys and sign-ins, at once; how many keys. Conversations stay: see `delete_user`."""
        now = self._clock()

        def work(db: Database) -> int:
            keys = people_table.remove_user(db, name)
            auditing.add(db, now, BY_COMMAND, "user_removed", name, None, "")
            return keys

        return await self._writer.do(work, sync=True, locks=_lock(name))

    async def create_key(self, user: str, name: str = "", days: float | None = None) -> tuple[str, KeyRow]:
        """A new key, which is told here and never again, and what is stored of it."""
        if days is not None and not (math.isfinite(days) and days > 0):
            raise UsageError(f"A key cannot expire after {days:g} days: give a number above 0, or none for never.")
        if len(name) > NAME_CHARS:
            raise UsageError(f"The key's name has {len(name)} characters, and {NAME_CHARS} is the limit: shorten it.")
        key_id, now = secrets.token_hex(6), self._clock()
        key = f"glk_{key_id}_{secrets.token_urlsafe(_BYTES)}"
        expires = None if days is None else now + days * 86_400

        def work(db: Database) -> KeyRow:
            added = people_table.add_key(db, key_id, user, name, digest_of(key), now, expires)
            auditing.add(db, now, BY_COMMAND, "key_made", user, None, f"key {key_id}")
            return added

        return key, await self._writer.do(work, sync=True, locks=_lock(user))

    async def list_keys(self, limit: int = 1000, user: str | None = None) -> Sequence[KeyRow]:
        """Newest first, those that no longer work too."""
        return await self._read(lambda db: people_table.keys(db, limit, user))

    async def revoke_key(self, key_id: str) -> KeyRow:
        """Ends a key, and what browsers signed in with it, at once."""
        now = self._clock()

        def work(db: Database) -> KeyRow:
            revoked = people_table.revoke_key(db, key_id, now)
            auditing.add(db, now, BY_COMMAND, "key_revoked", revoked.user_id, None, f"key {key_id}")
            return revoked

        return await self._writer.do(work, sync=True)

    async def find_key(self, key: str) -> KeyRow | None:
        """The key that is this text, if it works now."""
        shaped = _KEY.fullmatch(key)
        if shaped is None:
            return None
        found = await self._read(lambda db: people_table.key(db, shaped[1]))
        if found is None or not hmac.compare_digest(found[1], digest_of(key)):
            return None
        return found[0] if found[0].works(self._clock()) else None

    async def touch_key(self, key_id: str) -> None:
        """The key was used now."""
        now = self._clock()
        await self._writer.do(lambda db: people_table.touch_key(db, key_id, now, now - TOUCHED_S))

    async def open_sign_in(self, user: str, lasts_s: float, *, key_id: str | None = None, proof: str = "") -> str:
        """A token for a browser, which works as long as the key does, or else as long as whoever asks still accepts
        `proof`."""
        token, now = secrets.token_urlsafe(_BYTES), self._clock()
        digest = digest_of(token)
        await self._writer.do(
            lambda db: people_table.add_sign_in(db, digest, user, key_id, proof, now, now + lasts_s), sync=True
        )
        return token

    async def find_sign_in(self, token: str) -> SignIn | None:
        """Found by its digest: who can guess that has no use for how long the search took."""
        digest, now = digest_of(token), self._clock()
        return await self._read(lambda db: people_table.sign_in(db, digest, now))

    async def renew_sign_in(self, token: str, lasts_s: float) -> None:
        """It was used now, and lasts for so long again."""
        digest, now = digest_of(token), self._clock()
        await self._writer.do(lambda db: people_table.renew_sign_in(db, digest, now, now + lasts_s))

    async def end_sign_in(self, token: str) -> None:
        digest = digest_of(token)
        await self._writer.do(lambda db: people_table.end_sign_in(db, digest), sync=True)

    async def make_secret(self, name: str) -> str | None:
        """A new secret of that name, told once; None where there is one already, whoever made it."""
        made, now = secrets.token_urlsafe(_BYTES), self._clock()
        digest = digest_of(made)
        kept = await self._writer.do(lambda db: people_table.keep_secret(db, name, digest, now), sync=True)
        return made if kept else None

    async def change_secret(self, name: str) -> str:
        """A new secret of that name, told once; the one before works no longer."""
        made, now = secrets.token_urlsafe(_BYTES), self._clock()

        def work(db: Database) -> None:
            people_table.change_secret(db, name, digest_of(made), now)
            auditing.add(db, now, BY_COMMAND, "key_made", name, None, "the secret of the operator")

        await self._writer.do(work, sync=True)
        return made

    async def secret_digest(self, name: str) -> str | None:
        return await self._read(lambda db: people_table.secret(db, name))


def _lock(user: str) -> Sequence[str]:
    """Nobody gets a key while being removed."""
    return (f"user {user}",)
