"""`glassloop db`: a check of the database, and a copy of it."""

from typing import Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.resources import use_store
from glassloop.cli.ui.output import Line, count, say, show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.safe_text import one_line

app = typer.Typer(name="db", cls=Helpful, help="The database: check it, make a backup of it.")


@app.command()
def check(as_json: JsonOption = False) -> int:
    """Look for damage, gaps and events that cannot be read.

    Ends with 0 when all is well, 1 when something is wrong. Reads everything.

    \b
    Example:
      glassloop db check
    """
    with use_store(must_exist=True) as (runner, store), progress_bar("Reading everything"):
        health = runner.run(store.maintenance.check())
    lines = [Line((one_line(problem, 400), "trouble")) for problem in health.problems]
    remedy = ("Restore a backup, or export what can still be read.", "think")
    lines.append(Line(("Nothing is wrong.", "observe") if health.ok else remedy))
    counts = ", ".join(count(number, table.removesuffix("s")) for table, number in health.counts.items())
    lines.append(Line((counts, "soft")))
    show_result({"ok": health.ok, "problems": health.problems, "counts": health.counts}, as_json, lambda _: lines)
    return 0 if health.ok else 1


@app.command()
def backup(
    path: Annotated[str, typer.Argument(metavar="PATH", help="The file to make; one that is there is not touched.")],
) -> None:
    """Copy the database as it is at one moment, while others use it.

    SQLite only: PostgreSQL has `pg_dump`.

    \b
    Example:
      glassloop db backup glassloop-backup.db
    """
    with use_store(must_exist=True) as (runner, store), progress_bar("Copying"):
        runner.run(store.maintenance.backup(path))
    say(f"Copied to {path}; to use it, set DATABASE_URL to its path.")
