"""`glassloop db`: whether the database is sound, and a copy of it."""

from typing import TYPE_CHECKING, Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption

if TYPE_CHECKING:
    from rich.console import RenderableType

    from glassloop.store.records import HealthReport

app = typer.Typer(name="db", cls=Helpful, help="The database: check it, make a backup of it.")


@app.command()
def check(as_json: JsonOption = False) -> int:
    """Look for damage, gaps and events that cannot be read.

    Ends with 0 when all is well, 1 when something is wrong. Reads everything.

    \b
    Example:
      glassloop db check
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.progress import progress_bar
    from glassloop.cli.running import storing
    from glassloop.cli.tell import tell

    with storing(load_settings(), made=True) as (runner, store), progress_bar("Reading everything"):
        health = runner.run(store.maintenance.check())
    tell({"ok": health.ok, "problems": health.problems, "counts": health.counts}, as_json, lambda _: _shown(health))
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
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.progress import progress_bar
    from glassloop.cli.running import storing
    from glassloop.cli.tell import say

    with storing(load_settings(), made=True) as (runner, store), progress_bar("Copying"):
        runner.run(store.maintenance.backup(path))
    say(f"Copied to {path}; to use it, set DATABASE_URL to its path.")


def _shown(health: "HealthReport") -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from glassloop.cli.look import count
    from glassloop.cli.untrusted import one_line

    counts = ", ".join(count(number, table.removesuffix("s")) for table, number in health.counts.items())
    problems = [Text(one_line(problem, 400), "trouble", overflow="fold") for problem in health.problems]
    verdict = (
        Text("Nothing is wrong.", "observe")
        if health.ok
        else Text("Restore a backup, or export what can still be read.", "think")
    )
    return Group(*problems, verdict, Text(counts, "soft"))
