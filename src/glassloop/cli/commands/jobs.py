"""`glassloop jobs`: long work that is not a turn, listed, watched and stopped. Every text in a job is untrusted."""

import sys
from collections.abc import AsyncIterable, Callable
from typing import Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption, LimitOption, OwnerOption
from glassloop.cli.resources import use_runtime, use_store
from glassloop.cli.ui.output import (
    Line,
    TerminalStyle,
    count,
    duration,
    moment,
    say,
    show_result,
    show_view,
    write_json,
)
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.safe_text import json_line, one_line, safe_text
from glassloop.core.errors import UnknownName, UsageError
from glassloop.store.records import JobRow

app = typer.Typer(name="jobs", cls=Helpful, help="List, show and cancel long-running jobs.")

MAX_VALUE_CHARS = 2_000
_STYLES = {"queued": "soft", "running": "act", "completed": "observe", "failed": "trouble", "cancelled": "trouble"}

JobArgument = Annotated[str, typer.Argument(metavar="ID", help="ID of the job.")]


@app.command("list")
def list_jobs(
    user: OwnerOption = None,
    status: Annotated[
        str | None,
        typer.Option("--status", metavar="STATUS", help="queued, running, completed, failed or cancelled."),
    ] = None,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> None:
    """List jobs, newest first.

    \b
    Example:
      glassloop jobs list --status running
    """
    with use_store() as (runner, store):
        # The store refuses a status that does not exist, in words.
        found = runner.run(store.jobs.list(limit, user, status))  # pyright: ignore[reportArgumentType]
    empty = "No matching jobs: omit --user and --status to see all jobs."
    if user is None and status is None:
        empty = "No jobs yet. Downloads, imports and indexing run as jobs."
    total = count(len(found), "job") if found else empty
    show_result(
        found, as_json, lambda terminal: [*(p for job in found for p in _head(job, terminal)), Line((total, "soft"))]
    )


@app.command()
def show(
    job: JobArgument,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow the job until it ends.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON; with --follow, one line per change.")] = False,
) -> int:
    """Show a job: its task, progress and result.

    With --follow it exits with 0 if the job completed, otherwise with 1. Ctrl-C stops following; the job continues.

    \b
    Examples:
      glassloop jobs show 0199c0de-0000-7000-8000-000000000001
      glassloop jobs show 0199c0de-0000-7000-8000-000000000001 --follow
    """
    if follow:
        return _follow(job, as_json=as_json)
    with use_store() as (runner, store):
        found = runner.run(store.jobs.get(job))
    if found is None:
        raise UnknownName(f"There is no job {job!r}: `glassloop jobs list` shows all jobs.")
    show_result(found, as_json, lambda terminal: _details(found, terminal))
    return 0


@app.command()
def cancel(job: JobArgument) -> None:
    """Cancel a job, wherever it runs.

    \b
    Example:
      glassloop jobs cancel 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        stopped = runner.run(runtime.jobs.cancel(job))
        status = runner.run(runtime.jobs.get(job)).status
    if not stopped:
        raise UsageError(f"Job {job!r} is {status} already, so there is nothing to cancel.")
    say(f"Job {job} {f'is {status}' if status == 'cancelled' else 'is stopping'}.")


def _follow(job_id: str, *, as_json: bool) -> int:
    """One job to its end: as a bar on a terminal, else a line for every change."""
    with use_runtime(needs_store=True) as (runner, runtime):
        changes = runtime.jobs.watch(job_id)
        if as_json:
            last = runner.run(last_change(changes, write_json))
        elif sys.stderr.isatty():
            with progress_bar("Waiting") as bar:
                last = runner.run(last_change(changes, lambda job: bar.at(_progress(job), job.fraction)))
        else:
            last = runner.run(last_change(changes, lambda job: say(_progress(job))))
    if not as_json:
        show_view(lambda terminal: _details(last, terminal))
    return 0 if last.status == "completed" else 1


async def last_change(changes: AsyncIterable[JobRow], on_change: Callable[[JobRow], None]) -> JobRow:
    """The job as it is in the end; `on_change` is told of every change."""
    last: JobRow | None = None
    async for last in changes:
        on_change(last)
    if last is None:
        raise AssertionError("A job that exists is told at least once.")
    return last


def _progress(job: JobRow) -> str:
    share = f" {job.fraction:.0%}" if job.fraction is not None else ""
    return one_line(f"{job.status}{share} {job.message}", 200)


def _head(job: JobRow, terminal: TerminalStyle) -> list[Line]:
    facts = terminal.join(moment(job.created_at), one_line(job.user_id, 60))
    return [
        Line((safe_text(job.id), "act"), f"  {one_line(job.kind, 60)}  "),
        Line((_progress(job), _STYLES[job.status]), (f"  {facts}", "soft"), indent=4),
    ]


def _details(job: JobRow, terminal: TerminalStyle) -> list[Line]:
    lines = _head(job, terminal)
    if job.started_at is not None and job.finished_at is not None:
        lines.append(_fact("took", duration(job.finished_at - job.started_at)))
    elif job.worker:
        lines.append(_fact("done by", job.worker))
    if job.params:
        lines.append(_fact("with", json_line(job.params, MAX_VALUE_CHARS)))
    if job.result is not None:
        lines.append(_fact("result", json_line(job.result, MAX_VALUE_CHARS)))
    if job.error:
        lines.append(_fact("error", job.error, "trouble"))
    return lines


def _fact(name: str, value: str, style: str = "") -> Line:
    return Line((f"{name}: ", "soft"), (one_line(value, MAX_VALUE_CHARS), style), indent=4)
