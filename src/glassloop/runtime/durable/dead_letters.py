"""Dead letters of a runtime: setting aside what ended its process twice, trying it again, dropping it.

Marks of CPU-bound work say whose work a process ended in; what only waited in the same process is not counted.
"""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from glassloop.core import events as e
from glassloop.core.cpu_work import WorkMark
from glassloop.core.errors import GlassloopError, StoreError, UnknownName
from glassloop.core.ports import Clock
from glassloop.runtime.ids import new_id
from glassloop.store.records import JobRow, TurnRow
from glassloop.store.store import Store
from glassloop.store.tables.dead_letters import DeadLetter, LetterKind
from glassloop.store.tables.governance.audit import BY_COMMAND

if TYPE_CHECKING:
    from glassloop.runtime.durable.jobs import Jobs

_log = logging.getLogger(__name__)

MAX_DEATHS = 2
"""How often the process of a turn or job may end in its work; then it is set aside."""

FROZEN = "the event loop"
Mark = Callable[[str, int, str | None], Coroutine[Any, Any, None]]


class StoredMark(WorkMark):
    """The mark of one claim. Where the store is away there is none, and the work is done all the same."""

    def __init__(self, kind: LetterKind, ident: str, owner: str, epoch: int, mark: Mark) -> None:
        self.name = f"{kind} {ident}"
        self.owner = owner
        self._ident = ident
        self._epoch = epoch
        self._mark = mark
        self._open: list[str] = []

    async def begin(self, work: str) -> None:
        self._open.append(work)
        if len(self._open) == 1:
            await self._store(work)

    async def end(self) -> None:
        self._open.pop()
        if not self._open:
            await self._store(None)

    def note_frozen(self) -> None:
        if not self._open:
            # As far as to where it waits: the writer's thread has it then.
            self._mark(self._ident, self._epoch, FROZEN).send(None)

    async def _store(self, work: str | None) -> None:
        try:
            await self._mark(self._ident, self._epoch, work)
        except StoreError as error:
            _log.warning("%s is not marked: %s", self.name, error)


def must_set_aside(row: TurnRow | JobRow) -> bool:
    return row.deaths >= MAX_DEATHS


async def set_aside(store: Store, row: TurnRow | JobRow) -> str:
    """Keeps a letter of a turn or job; the reason, in words. Ending it is the caller's."""
    kind, subject = ("turn", row.assistant) if isinstance(row, TurnRow) else ("job", row.kind)
    work = row.died_in or "its work"
    reason = (
        f"Set aside: {row.deaths} times in a row the process ended while it did {work!r} for this {kind}. Ask for less "
        "at once, or have the operator look at `glassloop dead-letters list` and try it again."
    )
    letter = DeadLetter(
        kind=kind,
        id=row.id,
        user_id=row.user_id,
        subject=subject,
        cpu_work=work,
        deaths=row.deaths,
        reason=reason,
        at=store.engine.clock(),
    )
    await store.dead_letters.add(letter)
    _log.error("%s %s is set aside: its process ended %d times in %r", kind, row.id, row.deaths, work)
    return reason


class Begin(Protocol):
    """Stores the first events of a turn and has it run."""

    async def __call__(self, events: Sequence[e.Durable], blobs: Mapping[str, bytes]) -> None: ...


class Retried(msgspec.Struct, frozen=True, kw_only=True):
    """The new turn or job that does what the one set aside was to do."""

    kind: LetterKind
    id: str


class DeadLetters:
    """What operators do with letters. A letter is acted on once, by whoever is first."""

    def __init__(self, store: Store, jobs: "Jobs", begin: Begin, clock: Clock) -> None:
        self._store = store
        self._jobs = jobs
        self._begin = begin
        self._clock = clock

    async def list(self, limit: int = 50, offset: int = 0) -> Sequence[DeadLetter]:
        """Newest first."""
        return await self._store.dead_letters.list(limit, offset)

    async def retry(self, kind: LetterKind, ident: str, *, by: str = BY_COMMAND) -> Retried:
        """Asks the same question of the same user in the same session again, or has the same job done again."""
        letter = await self._store.dead_letters.take(kind, ident)
        try:
            retried = Retried(kind=kind, id=await (self._ask(ident) if kind == "turn" else self._submit(ident)))
        except GlassloopError:
            await self._store.dead_letters.add(letter)
            raise
        await self._store.audit.record("retried", ident, by=by, detail=f"{kind} {letter.subject}")
        return retried

    async def drop(self, kind: LetterKind, ident: str, *, by: str = BY_COMMAND) -> None:
        """Removes the letter; the turn or job stays as it is, failed."""
        letter = await self._store.dead_letters.take(kind, ident)
        await self._store.audit.record("dropped", ident, by=by, detail=f"{kind} {letter.subject}")

    async def _ask(self, turn_id: str) -> str:
        started = await self._store.turns.first(turn_id)
        if started is None:
            raise UnknownName(f"Turn {turn_id!r} no longer exists: drop the dead letter.")
        # Last in its session: the conversation may have gone on since.
        again = msgspec.structs.replace(started, turn_id=new_id(), seq=1, at=self._clock(), previous_turn_id=None)
        await self._begin([again], {})
        return again.turn_id

    async def _submit(self, job_id: str) -> str:
        row = await self._jobs.get(job_id)
        return (await self._jobs.submit(row.kind, row.params, user=row.user_id)).id
