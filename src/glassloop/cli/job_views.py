"""Jobs in a terminal: the list, one job, and one job while it goes on. Every text in them is untrusted."""

import sys
from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.job_watch import follow, write_json
from glassloop.cli.look import Look, count, duration
from glassloop.cli.progress import progress_bar
from glassloop.cli.running import running, storing
from glassloop.cli.session_views import moment
from glassloop.cli.tell import say, tell
from glassloop.cli.untrusted import inert, json_line, one_line
from glassloop.core.errors import UnknownName, UsageError
from glassloop.store.records import JobRow, JobStatus

VALUE_CHARS = 2_000
_STYLES: dict[JobStatus, str] = {
    "queued": "soft",
    "running": "act",
    "completed": "observe",
    "failed": "trouble",
    "cancelled": "trouble",
}


def list_stored(*, user: str | None, status: str | None, limit: int, as_json: bool) -> None:
    """The jobs there are."""
    with storing(load_settings()) as (runner, store):
        # The store refuses a status that does not exist, in words.
        found = runner.run(store.jobs.list(limit, user, status))  # pyright: ignore[reportArgumentType]
    empty = "There is no such job: leave out --user and --status to see all."
    if user is None and status is None:
        empty = "There are no jobs yet: downloads, imports and indexing become some."
    tell(found, as_json, lambda look: _shown_list(found, look) if found else Text(empty, "soft"))


def show_stored(job_id: str, *, as_json: bool) -> None:
    """One job as it stands."""
    with storing(load_settings()) as (runner, store):
        found = runner.run(store.jobs.get(job_id))
    if found is None:
        raise UnknownName(f"There is no job {job_id!r}: `glassloop jobs list` shows those there are.")
    tell(found, as_json, lambda look: _shown(found, look))


def follow_job(job_id: str, *, as_json: bool) -> int:
    """One job to its end: as a bar on a terminal, else a line for every change."""
    with running(load_settings(), stored=True) as (runner, runtime):
        if as_json:
            last = runner.run(follow(runtime.jobs.watch(job_id), write_json))
        elif sys.stderr.isatty():
            with progress_bar("Waiting") as bar:
                changes = runtime.jobs.watch(job_id)
                last = runner.run(follow(changes, lambda job: bar.at(_progress(job), job.fraction)))
        else:
            last = runner.run(follow(runtime.jobs.watch(job_id), lambda job: say(_progress(job))))
    if not as_json:
        tell(last, False, lambda look: _shown(last, look))
    return 0 if last.status == "completed" else 1


def cancel_stored(job_id: str) -> None:
    """Stops a job wherever it runs."""
    with running(load_settings(), stored=True) as (runner, runtime):
        if not runner.run(runtime.jobs.cancel(job_id)):
            status = runner.run(runtime.jobs.get(job_id)).status
            raise UsageError(f"Job {job_id!r} is {status} already: there is nothing to cancel.")
        status = runner.run(runtime.jobs.get(job_id)).status
    over = f"is {status}" if status == "cancelled" else "was told to stop"
    say(f"Job {job_id} {over}.")


def _progress(job: JobRow) -> str:
    share = f" {job.fraction:.0%}" if job.fraction is not None else ""
    return one_line(f"{job.status}{share} {job.message}", 200)


def _shown_list(jobs: Sequence[JobRow], look: Look) -> RenderableType:
    return Group(*(_head(job, look) for job in jobs), Text(count(len(jobs), "job"), "soft"))


def _head(job: JobRow, look: Look) -> RenderableType:
    facts = look.join(moment(job.created_at), one_line(job.user_id, 60))
    return Group(
        Text.assemble((inert(job.id), "act"), f"  {one_line(job.kind, 60)}  ", overflow="fold"),
        Padding(Text.assemble((_progress(job), _STYLES[job.status]), (f"  {facts}", "soft")), (0, 0, 0, 4)),
    )


def _shown(job: JobRow, look: Look) -> RenderableType:
    parts = [_head(job, look)]
    if job.started_at is not None and job.finished_at is not None:
        parts.append(_fact("took", duration(job.finished_at - job.started_at)))
    elif job.worker:
        parts.append(_fact("done by", job.worker))
    if job.params:
        parts.append(_fact("with", json_line(job.params, VALUE_CHARS)))
    if job.result is not None:
        parts.append(_fact("result", json_line(job.result, VALUE_CHARS)))
    if job.error:
        parts.append(_fact("error", job.error, "trouble"))
    return Group(*parts)


def _fact(name: str, value: str, style: str = "") -> RenderableType:
    told = Text.assemble((f"{name}: ", "soft"), (one_line(value, VALUE_CHARS), style), overflow="fold")
    return Padding(told, (0, 0, 0, 4))
