"""Progress of long work: a bar on standard error; where that is no terminal, at most a sentence when it takes long."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from glassloop.cli.ui.output import complain
from glassloop.cli.ui.safe_text import one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

TITLE_CHARS = 60


class ProgressBar:
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

    def at(self, title: str, fraction: float | None) -> None:
        """So far the work is, from 0 to 1, as a stage of its own; None where nobody knows."""
        self.stage(title, None if fraction is None else 1.0)
        self.advance(fraction or 0.0)

    def advance(self, amount: float) -> None:
        """So much more of the stage is done."""
        if self._progress is not None and self._task is not None:
            self._progress.advance(self._task, amount)


@contextmanager
def progress_bar(title: str, total: float | None = None) -> Generator[ProgressBar]:
    """A bar, with its first stage."""
    if not sys.stderr.isatty():
        yield ProgressBar(None)
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    from glassloop.cli.ui.console import make_console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=make_console(sys.stderr), transient=True) as progress:
        bar = ProgressBar(progress)
        bar.stage(title, total)
        yield bar


@contextmanager
def explain_wait(sentence: str, after_s: float = 1.0) -> Generator[None]:
    """Where there is no bar, says what takes so long once it has taken `after_s`."""
    if sys.stderr.isatty():
        yield
        return
    timer = threading.Timer(after_s, complain, (sentence,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


class ReadingPace:
    """How long a prompt will still be read, by how long its tokens took so far."""

    def __init__(self) -> None:
        self._total, self._began, self._at_first = 0, 0.0, 0

    def seconds_left(self, read: int, total: int, at: float) -> float:
        """Whole seconds; 0 where it is too early to say, or as good as over."""
        if total != self._total or read < self._at_first:
            self._total, self._began, self._at_first = total, at, read
        done = read - self._at_first
        return round((at - self._began) / done * (total - read)) if done else 0
