"""Access rules that an operator made while the server runs, and the groups of users."""

from collections.abc import Mapping, Sequence

import msgspec

from glassloop.core.access import USER, AccessRule, check_subject
from glassloop.core.errors import StoreError, UsageError
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.tables.governance import audit
from glassloop.store.tables.governance.audit import AUDIT_LOCK, BY_COMMAND
from glassloop.store.tables.users import MAX_NAME_CHARS, check_name

MAX_RULES = 1_000
MAX_GROUPS = 200
"""Of one user."""

_SET = """INSERT INTO access_rules (subject, rule, changed_at) VALUES (:subject, :rule, :at)
 ON CONFLICT (subject) DO UPDATE SET rule = excluded.rule, changed_at = excluded.changed_at"""
_REMOVE = "DELETE FROM access_rules WHERE subject = :subject RETURNING subject"


class AccessTable:
    """Rules by subject, and groups by user."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def rules(self) -> Mapping[str, AccessRule]:
        """All of them."""
        sql = "SELECT subject, rule FROM access_rules ORDER BY subject LIMIT :most"
        rows = await self._engine.read(lambda db: db.run(sql, most=MAX_RULES))
        try:
            return {subject: msgspec.json.decode(rule, type=AccessRule) for subject, rule in rows}
        except msgspec.MsgspecError as error:
            raise StoreError(
                f"An access rule cannot be read ({error}): set it again with `glassloop access set`."
            ) from None

    async def set_rule(self, subject: str, rule: AccessRule, *, by: str = BY_COMMAND) -> None:
        """In place of the one there is for that subject."""
        text, now = msgspec.json.encode(rule).decode(), self._engine.clock()
        check_subject(subject)

        def work(db: SqlConnection) -> None:
            if db.run("SELECT count(*) FROM access_rules")[0][0] >= MAX_RULES:
                raise UsageError(
                    f"There are {MAX_RULES} access rules, which is the limit: remove one, or use a rule for a group."
                )
            db.run(_SET, subject=column_text(subject), rule=column_text(text), at=now)
            audit.record(db, now, by, "access_changed", _person_of(subject), None, _told(rule))

        await self._engine.write(work, sync=True, locks=AUDIT_LOCK)

    async def remove_rule(self, subject: str, *, by: str = BY_COMMAND) -> bool:
        """Whether there was one."""
        now = self._engine.clock()

        def work(db: SqlConnection) -> bool:
            found = bool(db.run(_REMOVE, subject=column_text(subject)))
            if found:
                audit.record(db, now, by, "access_changed", _person_of(subject), None, "removed")
            return found

        return await self._engine.write(work, sync=True, locks=AUDIT_LOCK)

    async def groups(self, user: str) -> Sequence[str]:
        """By name."""
        sql = "SELECT name FROM user_groups WHERE user_id = :user ORDER BY name"
        rows = await self._engine.read(lambda db: db.run(sql, user=column_text(user)))
        return tuple(name for (name,) in rows)

    async def set_groups(self, user: str, groups: Sequence[str], *, by: str = BY_COMMAND) -> Sequence[str]:
        """In place of those there were; as they are stored."""
        wanted, now = tuple(sorted({_group(name) for name in groups})), self._engine.clock()
        check_name(user)
        if len(wanted) > MAX_GROUPS:
            raise UsageError(f"The user {user!r} would have {len(wanted)} groups; the limit is {MAX_GROUPS}.")

        def work(db: SqlConnection) -> None:
            rows = db.run("SELECT name FROM user_groups WHERE user_id = :user ORDER BY name", user=column_text(user))
            if tuple(name for (name,) in rows) == wanted:
                return
            forget_groups(db, user)
            for name in wanted:
                sql = "INSERT INTO user_groups (user_id, name) VALUES (:user, :name)"
                db.run(sql, user=column_text(user), name=name)
            audit.record(db, now, by, "groups_changed", user, None, ", ".join(wanted)[: audit.MAX_DETAIL_CHARS])

        await self._engine.write(work, sync=True, locks=AUDIT_LOCK)
        return wanted


def forget_groups(db: SqlConnection, user: str) -> int:
    """How many there were."""
    return len(db.run("DELETE FROM user_groups WHERE user_id = :user RETURNING name", user=column_text(user)))


def forget_rule(db: SqlConnection, user: str) -> int:
    """Removes the rule of one user; how many there were."""
    return len(db.run(_REMOVE, subject=column_text(f"{USER}{user}")))


def _group(name: str) -> str:
    clean = name.strip()
    if not 0 < len(clean) <= MAX_NAME_CHARS or not clean.isprintable():
        raise UsageError(f"{name[:80]!r} cannot be a group: give 1 to {MAX_NAME_CHARS} visible characters.")
    return clean


def _person_of(subject: str) -> str:
    """Whom the audit names: a user by their own name, so that it can be erased."""
    return subject.removeprefix(USER)


def _told(rule: AccessRule) -> str:
    given = {name: value for name, value in msgspec.to_builtins(rule).items() if value is not None}
    return msgspec.json.encode(given).decode()[: audit.MAX_DETAIL_CHARS]
