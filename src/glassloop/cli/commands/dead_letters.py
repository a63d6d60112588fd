"""`glassloop dead-letters`: turns and jobs that were set aside, listed, tried again and dropped."""

from typing import Annotated, Literal

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption, LimitOption
from glassloop.cli.resources import use_runtime, use_store
from glassloop.cli.ui.output import Line, TerminalStyle, count, moment, say, show_result
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.store.tables.dead_letters import DeadLetter

app = typer.Typer(name="dead-letters", cls=Helpful, help="List, retry or drop work that crashed its process twice.")

KindArgument = Annotated[Literal["turn", "job"], typer.Argument(metavar="KIND", help="Kind of work: turn or job.")]
IdArgument = Annotated[str, typer.Argument(metavar="ID", help="ID of the turn or job.")]


@app.command("list")
def list_letters(limit: LimitOption = 50, as_json: JsonOption = False) -> None:
    """List dead letters, newest first.

    \b
    Example:
      glassloop dead-letters list
    """
    with use_store() as (runner, store):
        found = runner.run(store.dead_letters.list(limit))
    total = count(len(found), "dead letter") if found else "No dead letters."
    show_result(
        found, as_json, lambda terminal: [*(p for each in found for p in _lines(each, terminal)), Line((total, "soft"))]
    )


@app.command()
def retry(kind: KindArgument, ident: IdArgument) -> None:
    """Retry a dead letter with the same question or job.

    A running server or worker picks it up.

    \b
    Example:
      glassloop dead-letters retry turn 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        again = runner.run(runtime.dead_letters.retry(kind, ident))
    say(f"The {again.kind} was restarted as {again.id}.")


@app.command()
def drop(kind: KindArgument, ident: IdArgument) -> None:
    """Drop a dead letter. The turn or job stays failed.

    \b
    Example:
      glassloop dead-letters drop job 0199c0de-0000-7000-8000-000000000001
    """
    with use_runtime(needs_store=True) as (runner, runtime):
        runner.run(runtime.dead_letters.drop(kind, ident))
    say(f"Dropped the dead letter of {kind} {ident}.")


def _lines(letter: DeadLetter, terminal: TerminalStyle) -> list[Line]:
    facts = terminal.join(moment(letter.at), one_line(letter.user_id, 60), count(letter.deaths, "death"))
    return [
        Line(f"{letter.kind} ", (safe_text(letter.id), "act"), f"  {one_line(letter.subject, 60)}"),
        Line((f"in {one_line(letter.cpu_work, 60)}", "trouble"), (f"  {facts}", "soft"), indent=4),
    ]
