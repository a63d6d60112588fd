"""`glassloop jobs`: long work that is not a turn, listed, watched and stopped.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption, LimitOption, OwnerOption

app = typer.Typer(name="jobs", cls=Helpful, help="Long work that is not a turn: list, show and cancel it.")

JobArgument = Annotated[str, typer.Argument(metavar="ID", help="The job's id.")]


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
    """List the jobs, newest first.

    \b
    Example:
      glassloop jobs list --status running
    """
    from glassloop.cli.job_views import list_stored

    list_stored(user=user, status=status, limit=limit, as_json=as_json)


@app.command()
def show(
    job: JobArgument,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Watch it to its end.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="For programs: JSON; with --follow one line for every change.")
    ] = False,
) -> int:
    """Show a job: what it is to do, how far it is, how it ended.

    With --follow it ends with 0 when the job completed, else with 1. Ctrl-C leaves; the job goes on.

    \b
    Examples:
      glassloop jobs show 0199c0de-0000-7000-8000-000000000001
      glassloop jobs show 0199c0de-0000-7000-8000-000000000001 --follow
    """
    from glassloop.cli.job_views import follow_job, show_stored

    if follow:
        return follow_job(job, as_json=as_json)
    show_stored(job, as_json=as_json)
    return 0


@app.command()
def cancel(job: JobArgument) -> None:
    """Stop a job, wherever it runs.

    \b
    Example:
      glassloop jobs cancel 0199c0de-0000-7000-8000-000000000001
    """
    from glassloop.cli.job_views import cancel_stored

    cancel_stored(job)
