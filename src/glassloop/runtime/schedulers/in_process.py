"""WorkKind as tasks of this event loop: the default, for one process.

Nothing here outlives the process, and nothing has to: what still waits when it stops is found in the log by whoever
starts next.
"""

from collections import OrderedDict
from itertools import count

from glassloop.core.errors import TooManyTurns, UsageError
from glassloop.core.scheduling import Perform, WorkKind
from glassloop.runtime.schedulers.running_work import CANCELLED_S, Piece, RunningWork

RETRY_AFTER_S = 1.0


class InProcessScheduler:
    """Up to `concurrency` pieces at once; beyond, up to `most_waiting` in the order they came."""

    def __init__(
        self, concurrency: int = 1000, most_waiting: int = 10_000, *, cancelled_s: float = CANCELLED_S
    ) -> None:
        self._concurrency = concurrency
        self._most_waiting = most_waiting
        self._cancelled_s = cancelled_s
        # Only the first ever leaves, so that the tickets tell every position without counting.
        self._waiting: OrderedDict[Piece, int] = OrderedDict()
        self._tickets = count()
        self._running_work: RunningWork | None = None
        self._stopped = False

    async def start(self, perform: Perform) -> None:
        if self._running_work is not None:
            raise UsageError("This scheduler has already started: create another one.")
        self._running_work = RunningWork(perform, self._ended, self._cancelled_s)
        self._fill()

    async def enqueue(self, work: WorkKind, ident: str) -> None:
        """Begins at once where there is room. After `stop` nothing begins, and nothing is kept."""
        piece: Piece = (work, ident)
        if (
            self._stopped
            or piece in self._waiting
            or (self._running_work is not None and self._running_work.wake(piece))
        ):
            return
        if len(self._waiting) >= self._most_waiting and not self._has_room():
            raise TooManyTurns(
                f"{work} {ident!r} was not queued, {len(self._waiting):,} are waiting: retry in {RETRY_AFTER_S:g} s.",
                retry_after=RETRY_AFTER_S,
            )
        self._waiting[piece] = next(self._tickets)
        self._fill()

    def position(self, ident: str) -> int | None:
        first = next(iter(self._waiting.values()), 0)
        for work in ("turn", "job"):
            ticket = self._waiting.get((work, ident))
            if ticket is not None:
                return ticket - first
        return None

    async def waiting(self) -> int:
        return len(self._waiting)

    async def sweep(self) -> int:
        return 0

    def leave(self, work: WorkKind, ident: str) -> None:
        """Nobody else takes work from here: the log tells whoever starts next."""

    async def stop(self, grace_s: float) -> None:
        self._stopped = True
        self._waiting.clear()
        if self._running_work is not None:
            await self._running_work.stop_starting(grace_s)

    def _has_room(self) -> bool:
        return self._running_work is not None and len(self._running_work) < self._concurrency

    def _fill(self) -> None:
        while self._running_work is not None and self._waiting and self._has_room():
            piece, _ = self._waiting.popitem(last=False)
            self._running_work.begin(piece)

    def _ended(self, piece: Piece, woken: bool) -> None:
        if woken:
            # Behind the others, even where the list is full: it waits in place of the run that has just ended.
            self._waiting[piece] = next(self._tickets)
        self._fill()
