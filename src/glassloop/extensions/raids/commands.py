"""`glassloop raids`: reports and characters, listed, shared and deleted; and the sample's combat logs."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption, LimitOption
from glassloop.cli.ui.output import Line, TerminalStyle, count, duration, moment, say, show_result
from glassloop.cli.ui.prompt import confirm
from glassloop.cli.ui.safe_text import one_line
from glassloop.core.errors import UnknownName, UsageError

if TYPE_CHECKING:
    import asyncio

    from glassloop.extensions.raids.storage.reports import RaidStore
    from glassloop.extensions.raids.storage.rows import FightRow, ReportRow

commands = typer.Typer()
app = typer.Typer(name="raids", cls=Helpful, help="Raid reports and characters: list and change them.")

commands.add_typer(app)

MAX_NAME_CHARS = 200
USER = "anonymous"
"""Whose things those of the command line are, as everywhere."""
UserOption = Annotated[str, typer.Option("--user", metavar="NAME", help="As this user sees it.")]
CodeArgument = Annotated[str, typer.Argument(metavar="CODE", help="The report's code, or last.")]


@app.command("list")
def list_reports(
    reference: Annotated[bool, typer.Option("--reference", help="The references instead.")] = False,
    user: UserOption = USER,
    limit: LimitOption = 50,
    as_json: JsonOption = False,
) -> None:
    """List reports, newest first.

    \b
    Example:
      glassloop raids list
    """
    with _opened() as (runner, raids):
        found = runner.run(raids.reports(user, reference=reference, limit=limit))
    total = count(len(found), "report") if found else "There are no reports: `glassloop import raids FILE` imports one."
    show_result(found, as_json, lambda terminal: [*(_report(row, terminal) for row in found), Line((total, "soft"))])


@app.command()
def show(code: CodeArgument = "last", user: UserOption = USER, as_json: JsonOption = False) -> None:
    """Show a report with its fights.

    \b
    Example:
      glassloop raids show last
    """
    from glassloop.extensions.raids.storage.reports import no_report
    from glassloop.extensions.raids.views import report_view

    with _opened() as (runner, raids):
        wanted = runner.run(raids.last_report(user)) if code == "last" else code
        stored = runner.run(raids.report(user, wanted)) if wanted else None
    if stored is None:
        raise no_report(code)
    view = report_view(stored)
    show_result(
        view,
        as_json,
        lambda terminal: [_report(view.report, terminal), *(_fight(fight, terminal) for fight in view.fights)],
    )


@app.command()
def share(
    code: CodeArgument, off: Annotated[bool, typer.Option("--off", help="Only its owner sees it again.")] = False
) -> None:
    """Share a report with everyone.

    \b
    Example:
      glassloop raids share 4hT9kQzL2m
    """
    with _opened() as (runner, raids):
        runner.run(raids.share(code, not off))
    say(f"{one_line(code, MAX_NAME_CHARS)} is seen by {'its owner only' if off else 'everybody'}.")


@app.command()
def delete(
    code: Annotated[str, typer.Argument(metavar="CODE", help="The report's code.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete a report and everything in it.

    \b
    Example:
      glassloop raids delete 4hT9kQzL2m --yes
    """
    confirm(
        f"Delete the report {one_line(code, MAX_NAME_CHARS)!r}? This can't be undone.",
        yes=yes,
        unattended="Nobody can be asked here: add --yes to delete it.",
        refused="Nothing was deleted.",
    )
    with _opened() as (runner, raids):
        runner.run(raids.delete_report(None, code))
    say(f"Deleted {one_line(code, MAX_NAME_CHARS)}.")


@app.command()
def characters(
    add: Annotated[str | None, typer.Option("--add", metavar="NAME", help="Add this one: NAME or NAME-REALM.")] = None,
    class_name: Annotated[str, typer.Option("--class", metavar="CLASS", help="Its class.")] = "",
    spec: Annotated[str, typer.Option("--spec", metavar="SPEC", help="Its spec.")] = "",
    remove: Annotated[str | None, typer.Option("--remove", metavar="NAME", help="Remove this one.")] = None,
    user: UserOption = USER,
    as_json: JsonOption = False,
) -> None:
    """List your characters, which "my" refers to in questions.

    \b
    Examples:
      glassloop raids characters
      glassloop raids characters --add Brak-Firemaw --class warrior --spec arms
    """
    from glassloop.extensions.raids.names import split_realm
    from glassloop.extensions.raids.storage.rows import player_key

    with _opened() as (runner, raids):
        if add is not None:
            if not class_name:
                raise UsageError("--add needs a class: add --class, and --spec where it has one.")
            from glassloop.extensions.raids.class_names import find_class_and_spec

            name, realm = split_realm(add)
            runner.run(raids.add_character(user, name, realm, *find_class_and_spec(class_name, spec)))
        if remove is not None:
            mine = runner.run(raids.characters(user))
            wanted = next((each for each in mine if player_key(each.name) == player_key(remove)), None)
            if wanted is None:
                raise UnknownName(f"There is no character {remove!r}: `glassloop raids characters` lists yours.")
            runner.run(raids.delete_character(user, wanted.id))
        found = runner.run(raids.characters(user))
    lines = [
        Line(f"{one_line(each.name, MAX_NAME_CHARS)}  ", (f"{each.spec} {each.class_name} {each.realm}", "soft"))
        for each in found
    ]
    empty = Line(("There are none: `glassloop raids characters --add NAME --class CLASS` adds one.", "soft"))
    show_result(found, as_json, lambda _: lines or [empty])


@app.command()
def sample(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A new or empty folder.")],
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another one makes other raids.")] = 1,
    day: Annotated[
        datetime | None,
        typer.Option(
            "--day",
            metavar="YYYY-MM-DD",
            formats=["%Y-%m-%d"],
            help="The day after the guild's last raid; today if not given.",
        ),
    ] = None,
) -> None:
    """Write sample combat logs in the game's own format. The same seed and day produce the same files.

    \b
    Example:
      glassloop raids sample ./sample-logs
    """
    from glassloop.extensions.raids.sample import write_sample

    whole = folder.expanduser()
    if whole.exists() and (not whole.is_dir() or any(whole.iterdir())):
        raise UsageError(f"{str(folder)!r} is there already and not an empty folder: name a new one.")
    whole.mkdir(parents=True, exist_ok=True)
    written = write_sample(whole, seed=seed, day=day.date() if day else None)
    say(f"Wrote {count(len(written), 'combat log')} to {str(folder)!r}.")


@contextmanager
def _opened() -> "Generator[tuple[asyncio.Runner, RaidStore]]":
    """The raids of the store, and an event loop to ask them on; imported late, as every command imports this file."""
    from glassloop.cli.resources import use_store
    from glassloop.extensions.raids.storage.reports import RaidStore

    with use_store() as (runner, store):
        yield runner, RaidStore(store)


def _report(row: "ReportRow", terminal: TerminalStyle) -> Line:
    marks = [mark for mark, is_so in (("shared", row.shared), ("reference", row.reference)) if is_so]
    facts = terminal.join(moment(row.started_at / 1000), count(row.fights, "fight"), count(row.kills, "kill"), *marks)
    return Line(f"{row.code}  {one_line(row.title, MAX_NAME_CHARS)}  ", (facts, "soft"))


def _fight(row: "FightRow", terminal: TerminalStyle) -> Line:
    left = "" if row.boss_health is None else f" at {row.boss_health:.0f} %"
    outcome = "kill" if row.kill else f"wipe{left}"
    facts: Sequence[str] = (outcome, duration(row.length_ms / 1000), count(row.deaths, "death"))
    return Line(f"{row.number:>4}  {one_line(row.name, MAX_NAME_CHARS)}  ", (terminal.join(*facts), "soft"))
