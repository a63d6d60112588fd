"""Weights in a terminal: pulled with a bar, listed, removed."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from glassloop.cli.job_watch import follow, write_json
from glassloop.cli.look import Look
from glassloop.cli.progress import progress_bar
from glassloop.cli.running import running
from glassloop.cli.streams import complain
from glassloop.cli.tell import say, tell
from glassloop.cli.until_told import loop_runner
from glassloop.cli.untrusted import inert, one_line
from glassloop.core.errors import UnknownName, UsageError
from glassloop.models.weights.catalogue import amount
from glassloop.models.weights.errors import Damaged
from glassloop.models.weights.shelf import Kept, State
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import PULL, find_supply, kept_weights, supplies
from glassloop.store.records import JobRow

INTERRUPTED = 130
_STATES: dict[State, tuple[str, str]] = {
    "ready": ("ready", "observe"),
    "partial": ("half downloaded; `glassloop models pull` goes on with it", "think"),
    "unchecked": ("there, but not checked; `glassloop models list --check` does", "think"),
    "absent": ("not downloaded", "soft"),
}


def pull_weights(settings: Settings, name: str, *, given: Path | None = None, as_json: bool = False) -> int:
    """Pulls weights as a job of this process, and shows how far it is."""
    size = find_supply(name, supplies(settings)).look().size
    if given is not None and not given.expanduser().exists():
        raise UsageError(f"There is no file or folder {str(given)!r}: give the path of one.")
    params = {"name": name, "from": str(given.expanduser().resolve()) if given else None}
    with running(settings) as (runner, runtime):
        job = runner.run(runtime.jobs.submit(PULL, params))
        try:
            with _showing(size, as_json) as show:
                last = runner.run(follow(runtime.jobs.watch(job.id), show))
        except KeyboardInterrupt:
            runner.run(runtime.jobs.cancel(job.id))
            complain("Stopped: what was downloaded is kept, and `glassloop models pull` goes on from there.")
            return INTERRUPTED
    if last.status != "completed":
        if not as_json:
            complain(last.error or f"The download was {last.status}.")
        return 1
    if not as_json:
        say(f"{name} is ready: {find_supply(name, supplies(settings)).look().path}")
    return 0


def pull_all(settings: Settings, *, as_json: bool = False) -> int:
    """Pulls everything there is, one after another, until something cannot be had."""
    codes = (pull_weights(settings, name, as_json=as_json) for name in supplies(settings))
    return next((code for code in codes if code), 0)


def show_weights(settings: Settings, *, check: bool, as_json: bool) -> int:
    """What there is of each; `check` reads it whole first."""
    damage = _check_all(settings) if check else []
    found = kept_weights(settings)
    tell(found, as_json, lambda look: _shown(found, look))
    for problem in damage:
        complain(f"{problem}: `glassloop models pull` fetches it again.")
    return 1 if damage else 0


def remove_weights(settings: Settings, name: str) -> None:
    """Deletes weights."""
    freed = find_supply(name, supplies(settings)).remove()
    if not freed:
        raise UnknownName(f"There is nothing of {name!r} to delete: `glassloop models list` shows what there is.")
    say(f"{name} is removed: {amount(freed)} are free again.")


def _check_all(settings: Settings) -> list[str]:
    damage: list[str] = []
    with loop_runner() as runner, progress_bar("Reading") as bar:
        for supply in supplies(settings).values():
            bar.stage(f"Reading {supply.name}")
            try:
                runner.run(supply.check(lambda _stage: None))
            except Damaged as error:
                damage.append(str(error))
    return damage


@contextmanager
def _showing(size: int, as_json: bool) -> Generator[Callable[[JobRow], None]]:
    """Where the changes of the job go: JSON lines, a bar on a terminal, else nowhere."""
    if as_json:
        yield write_json
        return
    if not sys.stderr.isatty():
        yield lambda _job: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    from glassloop.cli.console import make_console

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=make_console(sys.stderr), transient=True) as progress:
        task = progress.add_task("starting", total=size)

        def show(job: JobRow) -> None:
            done = int((job.fraction or 0.0) * size)
            progress.update(task, description=one_line(job.message or job.status, 60), completed=done)

        yield show


def _shown(weights: Sequence[Kept], look: Look) -> RenderableType:
    parts: list[RenderableType] = []
    wide = max((len(kept.name) for kept in weights), default=0)
    for kept in weights:
        words, style = _STATES[kept.state]
        size = f"{amount(kept.bytes)} of {amount(kept.size)}" if kept.state == "partial" else amount(kept.size)
        facts = look.join(inert(kept.title), size)
        if kept.state == "absent":
            words = f"{words}; `glassloop models pull {inert(kept.name)}` fetches it"
        name = inert(kept.name).ljust(wide)
        parts.append(Text.assemble((name, "answer"), f"  {facts}\n{' ' * wide}  ", (words, style), overflow="fold"))
        if kept.state != "absent":
            parts.append(Text(f"{' ' * wide}  {inert(kept.path)}", "faint", overflow="fold"))
    return Group(*parts)
