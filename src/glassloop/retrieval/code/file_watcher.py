"""File watcher: changes in a folder, reported by the operating system, where `watchfiles` is installed.

For workspaces so large that a look at every file takes too long. A report is a hint: too many of them, or a watch that
ended, and everything is looked at again.
"""

import asyncio
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

MAX_WAITING = 2_000
SOON_MS = 500


def can_watch() -> bool:
    return find_spec("watchfiles") is not None


class FileWatcher:
    """On one folder, from `start` to `aclose`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._changed: set[str] = set()
        self._is_watching = self._is_sure = False
        self._over = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begun again where it ended. What changed before is not told."""
        if self._task is None or self._task.done():
            self._is_watching = self._is_sure = False
            self._over.clear()
            self._task = asyncio.create_task(self._watch())

    def take(self) -> set[str] | None:
        """Paths from the root that changed since the last time; None where anything may have: who then looks at all
        has seen what came before the watch."""
        changed, sure = self._changed, self._is_sure
        running = self._task is not None and not self._task.done()
        self._changed, self._is_sure = set(), running and self._is_watching
        return changed if sure and running else None

    async def aclose(self) -> None:
        self._over.set()
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await self._task
            self._task = None

    async def _watch(self) -> None:
        from watchfiles import awatch  # pyright: ignore[reportMissingImports, reportUnknownVariableType]

        told = awatch(  # pyright: ignore[reportUnknownVariableType]
            self._root, watch_filter=None, stop_event=self._over, step=20, rust_timeout=SOON_MS, yield_on_timeout=True
        )
        # Errors of the watch end it: `take` then says so.
        with suppress(OSError, RuntimeError):
            async for batch in told:  # pyright: ignore[reportUnknownVariableType]
                # That it says anything, if only that nothing happened, shows that it is there.
                self._is_watching = True
                self._hear({str(path) for _, path in batch})  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    def _hear(self, paths: set[str]) -> None:
        base = f"{self._root}/"
        below = {path.removeprefix(base) for path in paths if path.startswith(base)}
        self._changed |= {path for path in below if not path.startswith(".git/")}
        if len(self._changed) > MAX_WAITING:
            self._changed, self._is_sure = set(), False
