"""Running work of this process, one task for each piece.

What waits, and what is next, each scheduler decides. A piece is never performed twice at once here: what is woken while
it is performed is reported to be performed once more.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence

from glassloop.core.scheduling import Perform, WorkKind

_log = logging.getLogger(__name__)

CANCELLED_S = 10.0
"""How long a cancelled task may take to end."""

Piece = tuple[WorkKind, str]
Ended = Callable[[Piece, bool], None]
"""Called when a piece has ended; True where it was woken meanwhile, and may begin again."""


class RunningWork:
    """What runs. After `stop_starting` nothing more may begin."""

    def __init__(self, perform: Perform, ended: Ended, cancelled_s: float = CANCELLED_S) -> None:
        self._perform = perform
        self._ended = ended
        self._cancelled_s = cancelled_s
        self._tasks: dict[Piece, asyncio.Task[None]] = {}
        self._woken: set[Piece] = set()
        self._left: set[Piece] = set()
        self._closing = False

    def __len__(self) -> int:
        return len(self._tasks)

    def begin(self, piece: Piece) -> asyncio.Task[None]:
        task = asyncio.create_task(self._perform_safely(piece), name=" ".join(piece))
        self._tasks[piece] = task
        # A callback, as a task that is cancelled before its first step runs nothing of its own.
        task.add_done_callback(lambda _: self._end(piece))
        return task

    def wake(self, piece: Piece) -> bool:
        """Has a piece that runs performed once more afterwards; False where it does not run."""
        if piece not in self._tasks:
            return False
        self._woken.add(piece)
        return True

    def leave(self, piece: Piece) -> None:
        """A piece that will not be done when it ends."""
        if piece in self._tasks:
            self._left.add(piece)

    async def stop_starting(self, grace_s: float) -> Sequence[Piece]:
        """Waits for what runs, then cancels it. Returns what is not done: cancelled, left, or woken meanwhile."""
        self._closing = True
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=grace_s)
        late = {piece: task for piece, task in self._tasks.items() if not task.done()}
        for task in late.values():
            task.cancel()
        if late:
            await asyncio.wait(late.values(), timeout=self._cancelled_s)
        for (work, ident), task in late.items():
            if not task.done():
                _log.error(
                    "%s %r goes on %g s after it was cancelled: it is left behind", work, ident, self._cancelled_s
                )
        return [*late, *((self._woken | self._left) - late.keys())]

    async def _perform_safely(self, piece: Piece) -> None:
        work, ident = piece
        try:
            await self._perform(work, ident)
        except Exception:
            _log.exception("%s %r failed on its way to its own error handling", work, ident)

    def _end(self, piece: Piece) -> None:
        del self._tasks[piece]
        woken = piece in self._woken and not self._closing
        if woken:
            self._woken.discard(piece)
        self._ended(piece, woken)
