"""The audit: decisions, ratings, deletions, access, keys and sign-ins, with who did them. What was said is not here.

Written after the deed, by whoever did it, and never changed: each entry is chained to the one before (`audit_chain`).
Only age removes entries. What a user can do any number of times is listed so often a day for each kind, then only
counted, so that nothing can be hidden among it. A user who is erased stays in the chain, under a digest.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Literal

from glassloop.core.errors import UsageError
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_page
from glassloop.store.log.redaction import Redactor
from glassloop.store.tables.governance.audit_chain import (
    ABOUT_USERS,
    START,
    USER_DELETED,
    AuditVerification,
    ChainCheck,
    ChainKey,
    ChainLink,
    new_key,
    pseudonym,
)

Action = Literal[
    "held", "approved", "refused", "allowed", "revoked", "answered", "steered", "rated", "case_made", "schedule_added",
    "schedule_cancelled", "session_deleted", "user_deleted", "user_added", "user_removed", "key_made", "key_revoked",
    "signed_in", "sign_in_refused", "access_changed", "groups_changed", "audit_pruned", "retried", "dropped",
    "connection_changed", "default_model_changed", "shared", "unshared",
]  # fmt: skip

COUNTED: frozenset[Action] = frozenset(
    {
        "answered",
        "case_made",
        "rated",
        "revoked",
        "schedule_added",
        "schedule_cancelled",
        "session_deleted",
        "shared",
        "signed_in",
        "steered",
        "unshared",
    }
)
"""What a user can do as often as they like, and decides nothing."""
MAX_LISTED_A_DAY = 1_000
"""Of one kind and one user."""
_TOLD_COUNTS = (10_000, 100_000, 1_000_000, 10_000_000)
MAX_DETAIL_CHARS = 200
BY_COMMAND = "command line"
"""Who did it where nobody is named: whoever can run commands on this machine."""
NOBODY = "nobody"
"""Who did it where nobody is signed in."""
ADMIN = "admin"
"""The user of an operator's turns who has no other name. Nobody else may be called that."""
NOT_PERSONS = frozenset({ADMIN, BY_COMMAND, NOBODY})
"""Names of nobody in particular: no user has one of them, and none is ever erased."""
AUDIT_LOCK = ("audit",)
"""Held by every transaction that adds an entry: the chain has one end."""
PAGE = 1_000

_COLUMNS = ", ".join(ChainLink._fields)
_ADD = f"INSERT INTO audit_entries ({_COLUMNS}) VALUES ({', '.join(f':{name}' for name in ChainLink._fields)})"  # noqa: S608
_BEGIN = "INSERT INTO audit_head VALUES (1, 0, :start, 0, :start, :key)"
_NEXT = "UPDATE audit_head SET number = number + 1 WHERE id = 1 RETURNING number, digest, name_key"
_COUNT = """INSERT INTO audit_counts (by_digest, action, day, count) VALUES (:by, :action, :day, 1)
 ON CONFLICT (by_digest, action, day) DO UPDATE SET count = audit_counts.count + 1 RETURNING count"""
_ERASE = """UPDATE audit_entries SET by_user = NULL, detail = NULL, salt = NULL
 WHERE by_digest = :digest AND by_user IS NOT NULL RETURNING number"""
_DELETED = "SELECT 1 FROM audit_entries WHERE subject_digest = :digest AND action = :action LIMIT 1"
_ABOUT_USERS = ", ".join(f"'{action}'" for action in sorted(ABOUT_USERS))
_ERASE_SUBJECT = f"""UPDATE audit_entries SET subject = NULL, detail = NULL, salt = NULL
 WHERE subject_digest = :digest AND subject IS NOT NULL AND action IN ({_ABOUT_USERS}) RETURNING number"""  # noqa: S608


class AuditEntry(Record, frozen=True, kw_only=True):
    """One deed. `subject` is what it was done to: a tool, a session, a turn, a user, a key's id. `digest` chains it to
    the entry before."""

    id: int
    at: float
    by_user: str
    action: Action
    subject: str
    session_id: str | None
    detail: str
    digest: str


class AuditTable:
    """Entries of all users."""

    def __init__(self, engine: StoreEngine, redactor: Redactor, max_listed: int = MAX_LISTED_A_DAY) -> None:
        self._engine = engine
        self._redactor = redactor
        self.max_listed = max_listed
        """Entries of one kind and one user that are listed a day; more are counted."""

    async def record(
        self, action: Action, subject: str, *, by: str = BY_COMMAND, session_id: str | None = None, detail: str = ""
    ) -> None:
        now, clean = self._engine.clock(), self._redactor.text(detail)[:MAX_DETAIL_CHARS]
        most = self.max_listed
        await self._engine.write(
            lambda db: record(db, now, by, action, subject, session_id, clean, most), locks=AUDIT_LOCK
        )

    async def list(
        self, limit: int = 50, offset: int = 0, *, by: str | None = None, action: Action | None = None
    ) -> Sequence[AuditEntry]:
        """Newest first. `by`: a user's name, or what an erased one is called since."""
        check_page(limit, offset)

        def work(db: SqlConnection) -> Sequence[AuditEntry]:
            wanted: dict[str, str] = {} if action is None else {"action": action}
            if by:
                wanted["by_digest"] = _digest_of(db, by)
            where = " AND ".join(f"{name} = :{name}" for name in wanted)
            sql = f"""SELECT {_COLUMNS} FROM audit_entries {f"WHERE {where}" if where else ""}
 ORDER BY number DESC LIMIT :most OFFSET :skipped"""  # noqa: S608
            rows = db.run(sql, most=limit, skipped=offset, **wanted)
            return tuple(_entry(ChainLink(*row)) for row in rows)

        return await self._engine.read(work)

    async def links(self, after: int = 0) -> AsyncGenerator[Sequence[ChainLink], None]:
        """All entries from the oldest on, in pages, with all that their digests cover."""
        while page := await self._engine.read(lambda db, after=after: _page(db, after)):
            yield page
            after = page[-1].number

    async def verify(self, kept: Mapping[int, str] | None = None) -> AuditVerification:
        """Walks along the whole chain. `kept`: digests by number that were written down earlier."""
        last, digest, pruned, pruned_digest, key = await self._engine.read(_head)
        check = ChainCheck(ChainKey(key), pruned, pruned_digest, {n: d for n, d in (kept or {}).items() if n > pruned})
        first = pruned
        async for page in self.links(pruned):
            until = [link for link in page if link.number <= last]
            await self._engine.read(lambda _, links=until: check.walk(links))
            first = first if first > pruned or not until else until[0].number
            if len(until) < len(page):
                break
        check.finish(last, digest)
        return AuditVerification(
            entries=check.entries,
            first=first,
            last=last,
            digest=digest,
            pruned=pruned,
            problems=tuple(check.problems),
        )

    async def prune(self, before: float) -> int:
        """Removes the entries from the oldest on that were made before then, and says so in a new one; how many."""
        now = self._engine.clock()
        return await self._engine.write(lambda db: _prune(db, before, now), sync=True, locks=AUDIT_LOCK)


def record(
    db: SqlConnection,
    at: float,
    by: str,
    action: Action,
    subject: str,
    session_id: str | None,
    detail: str,
    max_listed: int = MAX_LISTED_A_DAY,
) -> None:
    """Adds an entry; for a transaction that holds `AUDIT_LOCK`."""
    by, subject = column_text(by), column_text(subject)
    _begin(db)
    if action in COUNTED:
        count = _counted(db, at, by, action)
        if count > max_listed:
            if count not in (max_listed + 1, *_TOLD_COUNTS):
                return
            detail = f"{count:,} of these that day: beyond {max_listed:,} they are only counted"
    _append(db, at, by, action, subject, session_id, column_text(detail))


def erase_user(db: SqlConnection, at: float, user_id: str, by: str = BY_COMMAND) -> int:
    """Takes a user's name, and details of what they did, out of the entries; in how many. The entries stay, and one
    more says that the user was deleted, and by whom."""
    user = column_text(user_id)
    if user in NOT_PERSONS:
        return 0
    _begin(db)
    digest = ChainKey(_head(db)[-1]).digest(user)
    changed = len(db.run(_ERASE, digest=digest)) + len(db.run(_ERASE_SUBJECT, digest=digest))
    if changed or not db.run(_DELETED, action=USER_DELETED, digest=digest):
        _append(db, at, column_text(by), "user_deleted", user, None, "")
        db.run(_ERASE, digest=digest)
        db.run(_ERASE_SUBJECT, digest=digest)
    return changed


def _append(
    db: SqlConnection, at: float, by: str, action: Action, subject: str, session_id: str | None, detail: str
) -> None:
    number, previous, key = db.run(_NEXT)[0]
    link = ChainLink.make(
        ChainKey(key),
        previous,
        number,
        at=at,
        by=by,
        action=action,
        subject=subject,
        session_id=session_id,
        detail=detail,
    )
    db.run(_ADD, **link.columns())
    db.run("UPDATE audit_head SET digest = :digest WHERE id = 1", digest=link.digest)


def _begin(db: SqlConnection) -> None:
    """Makes the head of a chain that has none yet."""
    if not db.run("SELECT 1 FROM audit_head WHERE id = 1"):
        db.run(_BEGIN, start=START, key=new_key())


def _counted(db: SqlConnection, at: float, by: str, action: Action) -> int:
    """Which one of its kind this is, of that user on that day."""
    day = datetime.fromtimestamp(at, UTC).date().isoformat()
    digest = ChainKey(_head(db)[-1]).digest(by)
    count = db.run(_COUNT, by=digest, action=action, day=day)[0][0]
    if count == 1:
        db.run("DELETE FROM audit_counts WHERE day < :day", day=day)
    return count


def _prune(db: SqlConnection, before: float, now: float) -> int:
    found = db.run("SELECT min(number) FROM audit_entries WHERE at >= :before", before=before)
    last, _, pruned, _, _ = _head(db)
    end = (found[0][0] - 1) if found[0][0] is not None else last
    kept = db.run("SELECT digest FROM audit_entries WHERE number = :number", number=end)
    if end <= pruned or not kept:
        return 0
    gone = db.run("DELETE FROM audit_entries WHERE number <= :number RETURNING number", number=end)
    db.run("UPDATE audit_head SET pruned = :number, pruned_digest = :digest", number=end, digest=kept[0][0])
    _append(db, now, BY_COMMAND, "audit_pruned", f"entries to {end}", None, f"the last had the digest {kept[0][0]}")
    return len(gone)


def _head(db: SqlConnection) -> tuple[int, str, int, str, str]:
    """The newest number and digest, those of the last entry that was removed, and the key of names."""
    found = db.run("SELECT number, digest, pruned, pruned_digest, name_key FROM audit_head WHERE id = 1")
    number, digest, pruned, pruned_digest, key = found[0] if found else (0, START, 0, START, "")
    return number, digest, pruned, pruned_digest, key


def _digest_of(db: SqlConnection, name: str) -> str:
    """That of a user, by name or by pseudonym."""
    if name.startswith("user-"):
        sql = "SELECT by_digest FROM audit_entries WHERE by_digest >= :low AND by_digest < :high LIMIT 1"
        if found := db.run(sql, low=name[5:], high=f"{name[5:]}g"):
            return found[0][0]
    return ChainKey(_head(db)[-1]).digest(column_text(name))


def _page(db: SqlConnection, after: int) -> Sequence[ChainLink]:
    sql = f"SELECT {_COLUMNS} FROM audit_entries WHERE number > :after ORDER BY number LIMIT :most"  # noqa: S608
    return [ChainLink(*row) for row in db.run(sql, after=after, most=PAGE)]


def _entry(link: ChainLink) -> AuditEntry:
    return AuditEntry(
        id=link.number,
        at=link.at,
        by_user=link.by_user or pseudonym(link.by_digest),
        action=link.action,  # pyright: ignore[reportArgumentType]
        subject=pseudonym(link.subject_digest) if link.subject is None else link.subject,
        session_id=link.session_id,
        detail=link.detail or "",
        digest=link.digest,
    )


def parse_kept(text: str) -> dict[int, str]:
    """A number and a digest that were written down, as `NUMBER:DIGEST`."""
    number, _, digest = text.strip().partition(":")
    if not number.isascii() or not number.isdigit() or len(digest) != 64:
        raise UsageError(
            f"{text[:100]!r} is not an entry: write NUMBER:DIGEST, as printed by `glassloop audit verify`."
        )
    return {int(number): digest.lower()}
