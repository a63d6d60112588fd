"""`glassloop db`: a check of the database, and a copy of it."""

from typing import Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.resources import use_store
from glassloop.cli.ui.output import Line, count, say, show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.safe_text import one_line

app = typer.Typer(name="db", cls=Helpful, help="Check or back up the database.")


@app.command()
def check(as_json: JsonOption = False) -> int:
    """Look for damage, gaps and events that cannot be read.

    Reads the whole database. Exits with 0 if everything is in order, 1 if there is a problem.

    \b
    Example:
      glassloop db check
    """
    with use_store(must_exist=True) as (runner, store), progress_bar("Checking the database"):
        health = runner.run(store.maintenance.check())
    lines = [Line((one_line(problem, 400), "trouble")) for problem in health.problems]
    remedy = ("Restore a backup, or export the data that is still readable.", "think")
    lines.append(Line(("No problems found.", "observe") if health.ok else remedy))
    counts = ", ".join(count(number, table.removesuffix("s")) for table, number in health.counts.items())
    lines.append(Line((counts, "soft")))
    show_result({"ok": health.ok, "problems": health.problems, "counts": health.counts}, as_json, lambda _: lines)
    return 0 if health.ok else 1


@app.command()
def backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="File to create. An existing file is not overwritten.")],
) -> None:
    """Back up the database while it is in use.

    SQLite only. For PostgreSQL use `pg_dump`.

    \b
    Example:
      glassloop db backup glassloop-backup.db
    """
    with use_store(must_exist=True) as (runner, store), progress_bar("Copying"):
        runner.run(store.maintenance.backup(path))
    say(f"Copied to {path}. To use the copy, set DATABASE_URL to its path.")
