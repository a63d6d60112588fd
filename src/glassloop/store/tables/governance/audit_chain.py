"""Chain of audit entries: the digest of each covers the one before, so that none can be changed or left out unseen.

Pure functions. Digests stand in for people and for details, so that a user can be erased from the entries while the
chain holds. What they cannot show: an end that was cut off, or a chain that was computed anew from the start. Whoever
must know that keeps a digest elsewhere and compares.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

import msgspec

from glassloop.core.records import Record

START = "0" * 64
"""What the first entry follows."""

ABOUT_USERS = frozenset(
    {
        "access_changed",
        "groups_changed",
        "key_made",
        "key_revoked",
        "signed_in",
        "user_added",
        "user_deleted",
        "user_removed",
    }
)
"""Actions whose subject is a person."""
USER_DELETED = "user_deleted"
PROBLEMS_SHOWN = 20
_encode = msgspec.json.Encoder().encode


def new_key() -> str:
    """What the digests of names are keyed with, made once for a store."""
    return secrets.token_hex(32)


class ChainKey(NamedTuple):
    """Makes the digests of names."""

    text: str

    def digest(self, name: str) -> str:
        """The same for the same name, always."""
        return hmac.new(bytes.fromhex(self.text), name.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


def pseudonym(digest: str) -> str:
    """How somebody is called who was erased."""
    return f"user-{digest[:12]}"


class ChainLink(NamedTuple):
    """An entry as it is stored. `by_user`, `subject`, `detail` and `salt` are None where a user was erased."""

    number: int
    at: float
    by_user: str | None
    by_digest: str
    action: str
    subject: str | None
    subject_digest: str
    session_id: str | None
    detail: str | None
    salt: str | None
    detail_digest: str
    digest: str

    @classmethod
    def make(
        cls,
        key: ChainKey,
        previous: str,
        number: int,
        *,
        at: float,
        by: str,
        action: str,
        subject: str,
        session_id: str | None,
        detail: str,
    ) -> Self:
        """The entry that follows the one with the digest `previous`."""
        salt = secrets.token_hex(8)
        link = cls(
            number=number,
            at=at,
            by_user=by,
            by_digest=key.digest(by),
            action=action,
            subject=subject,
            subject_digest=key.digest(subject),
            session_id=session_id,
            detail=detail,
            salt=salt,
            detail_digest=_detail_digest(salt, detail),
            digest="",
        )
        return link._replace(digest=link.expected(previous))

    def columns(self) -> dict[str, Any]:
        return self._asdict()

    def expected(self, previous: str) -> str:
        """The digest that this entry must have after that one."""
        kept = [previous, self.number, self.at, self.by_digest, self.action, self.subject_digest]
        return hashlib.sha256(_encode([*kept, self.session_id, self.detail_digest])).hexdigest()


class AuditVerification(Record, frozen=True, kw_only=True):
    """What a look at the whole chain found. `digest` is that of the newest entry: whoever keeps `last` and `digest`
    elsewhere can tell later that nothing up to there was taken away. `pruned`: entries that the retention removed."""

    entries: int
    first: int
    last: int
    digest: str
    pruned: int
    problems: tuple[str, ...]


class ChainCheck:
    """Walks along a chain and gathers what is wrong with it."""

    def __init__(self, key: ChainKey, pruned: int, pruned_digest: str, kept: Mapping[int, str]) -> None:
        """`kept`: digests by number that were written down earlier."""
        self.entries = 0
        self.problems: list[str] = []
        self.number, self.digest = pruned, pruned_digest
        self._key = key
        self._kept = dict(kept)
        self._blank: dict[str, int] = {}

    def walk(self, links: Iterable[ChainLink]) -> None:
        for link in links:
            self._check(link)
            self.entries += 1
            self.number, self.digest = link.number, link.digest

    def finish(self, number: int, digest: str) -> None:
        """The chain must end with that entry."""
        if (self.number, self.digest) != (number, digest):
            self._complain(f"The newest entry is {self.number} and should be {number}: some are missing at the end.")
        for missing in self._kept:
            self._complain(f"Entry {missing}, whose digest was given, is missing.")
        for first in self._blank.values():
            self._complain(f"Entry {first} tells no name, though no deletion of its user follows.")

    def _check(self, link: ChainLink) -> None:
        if link.number != self.number + 1:
            self._complain(f"Entry {self.number + 1} is missing: {link.number} follows {self.number}.")
        if link.digest != link.expected(self.digest):
            self._complain(f"Entry {link.number} does not match the entry before it: one of the two was changed.")
        if link.detail is not None and _detail_digest(link.salt or "", link.detail) != link.detail_digest:
            self._complain(f"The detail of entry {link.number} was changed.")
        self._check_name(link, "by_user", link.by_user, link.by_digest)
        self._check_name(link, "subject", link.subject, link.subject_digest)
        if link.action == USER_DELETED:
            self._blank.pop(link.subject_digest, None)
        if self._kept.pop(link.number, link.digest) != link.digest:
            self._complain(f"Entry {link.number} does not have the digest that was given.")

    def _check_name(self, link: ChainLink, field: str, name: str | None, digest: str) -> None:
        if name is None:
            self._blank.setdefault(digest, link.number)
        elif self._key.digest(name) != digest:
            self._complain(f"The field {field!r} of entry {link.number} was changed.")

    def _complain(self, problem: str) -> None:
        if len(self.problems) < PROBLEMS_SHOWN:
            self.problems.append(problem)


def _detail_digest(salt: str, detail: str) -> str:
    return hashlib.sha256(f"{salt} {detail}".encode("utf-8", "surrogatepass")).hexdigest()
