"""How far long work is: a bar on standard error, and nothing at all where that is no terminal."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from glassloop.cli.untrusted import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

TITLE_CHARS = 60


class Bar:
    """A bar that is gone when the work is done. May be told from any thread."""

    def __init__(self, progress: "Progress | None") -> None:
        self._progress = progress
        self._task: TaskID | None = None

    def stage(self, title: str, total: float | None = None) -> None:
        """What is done from now on; without a total the bar only shows that something goes on."""
        if self._progress is None:
            return
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(one_line(title, TITLE_CHARS), total=total)

    def advance(self, amount: float) -> None:
        """So much more of the stage is done."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, amount)


@contextmanager
def progress_bar(title: str, total: float | None = None) -> Generator[Bar]:
    """A bar, with its first stage."""
    if not sys.stderr.isatty():
        yield Bar(None)
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from glassloop.cli.console import make_console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=make_console(sys.stderr), transient=True) as progress:
        bar = Bar(progress)
        bar.stage(title, total)
        yield bar
