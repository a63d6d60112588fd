"""Dead letters: turns and jobs that were set aside because their process ended, more than once, in work of theirs.

The turn or job itself is over, as failed: a letter is what an operator tries again or drops.
"""

from collections.abc import Sequence
from typing import Literal

from glassloop.core.errors import UnknownName
from glassloop.core.records import Record
from glassloop.store.engine.database import SqlConnection, column_text
from glassloop.store.engine.engine import StoreEngine
from glassloop.store.engine.paging import check_page

LetterKind = Literal["turn", "job"]
MAX_REASON_CHARS = 1_000


class DeadLetter(Record, frozen=True, kw_only=True):
    """One that was set aside. `subject` is the assistant of a turn or the kind of a job, `cpu_work` what was being done
    when the process ended, `deaths` how often."""

    kind: LetterKind
    id: str
    user_id: str
    subject: str
    cpu_work: str
    deaths: int
    reason: str
    at: float


_NAMES = DeadLetter.__struct_fields__
_SELECT = f"SELECT {', '.join(_NAMES)} FROM dead_letters"  # noqa: S608
_ADD = f"""INSERT INTO dead_letters ({", ".join(_NAMES)}) VALUES ({", ".join(f":{name}" for name in _NAMES)})
 ON CONFLICT (kind, id) DO UPDATE SET deaths = excluded.deaths, reason = excluded.reason, at = excluded.at"""  # noqa: S608


class DeadLetterTable:
    """Letters of all users."""

    def __init__(self, engine: StoreEngine) -> None:
        self._engine = engine

    async def add(self, letter: DeadLetter) -> None:
        """Added twice it is one letter."""
        values = {name: getattr(letter, name) for name in _NAMES}
        texts = {name: column_text(value) for name, value in values.items() if isinstance(value, str)}
        texts["reason"] = texts["reason"][:MAX_REASON_CHARS]
        await self._engine.write(lambda db: db.run(_ADD, **(values | texts)), sync=True)

    async def list(self, limit: int = 50, offset: int = 0) -> Sequence[DeadLetter]:
        """Newest first."""
        check_page(limit, offset)
        sql = f"{_SELECT} ORDER BY at DESC, id DESC LIMIT :most OFFSET :skipped"
        rows = await self._engine.read(lambda db: db.run(sql, most=limit, skipped=offset))
        return tuple(DeadLetter(**dict(zip(_NAMES, row, strict=True))) for row in rows)

    async def take(self, kind: LetterKind, ident: str) -> DeadLetter:
        """Removes a letter and returns it: whoever gets it is the only one who acts on it."""
        sql = f"DELETE FROM dead_letters WHERE kind = :kind AND id = :id RETURNING {', '.join(_NAMES)}"  # noqa: S608
        rows = await self._engine.write(lambda db: db.run(sql, kind=kind, id=ident), sync=True)
        if not rows:
            raise UnknownName(f"There is no dead letter of {kind} {ident!r}: it was retried, dropped or deleted.")
        return DeadLetter(**dict(zip(_NAMES, rows[0], strict=True)))


def delete_of_session(db: SqlConnection, session_id: str) -> None:
    """Before the session's turns go."""
    of_session = "id IN (SELECT id FROM turns WHERE session_id = :session)"
    db.run(f"DELETE FROM dead_letters WHERE kind = 'turn' AND {of_session}", session=session_id)  # noqa: S608


def delete_of_user(db: SqlConnection, user_id: str) -> int:
    return len(db.run("DELETE FROM dead_letters WHERE user_id = :user RETURNING id", user=column_text(user_id)))
