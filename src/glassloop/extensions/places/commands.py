"""`glassloop places`: the data set that questions are answered from, and the sample."""

from pathlib import Path
from typing import Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.ui.output import Line, count, say, show_result
from glassloop.cli.ui.safe_text import one_line
from glassloop.core.errors import UsageError

commands = typer.Typer()
app = typer.Typer(name="places", cls=Helpful, help="Data of places and visits: show it, make the sample.")

commands.add_typer(app)

MAX_NAME_CHARS = 200
USER = "anonymous"
"""Whose things those of the command line are, as everywhere."""


@app.command()
def show(
    user: Annotated[str, typer.Option("--user", metavar="NAME", help="As this user sees it.")] = USER,
    as_json: JsonOption = False,
) -> None:
    """Show the data set used to answer questions.

    \b
    Example:
      glassloop places show
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.extensions.places.data_set.data_sets import DataSets

    data_set = DataSets(load_settings().home_path).current(user)
    if data_set is None:
        raise UsageError(
            "There is no data of places: `glassloop places sample` makes some, `glassloop import places FILE` imports "
            "yours."
        )
    about = data_set.about
    facts = {"id": data_set.id, "about": about, "missing": data_set.missing}
    kind = "sample" if about.sample else count(len(about.imports), "file")
    lines = [
        Line(f"{one_line(about.name, MAX_NAME_CHARS)}  ", (f"{about.first_day} to {about.last_day} · {kind}", "soft")),
        *([Line((f"It has no {', '.join(data_set.missing)}.", "soft"))] if data_set.missing else []),
    ]
    show_result(facts, as_json, lambda _: lines)


@app.command()
def sample(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A new or empty folder. Else everybody's data is replaced.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another one makes other places.")] = 1,
) -> None:
    """Create the sample data: six metros, two years of visits.

    Without DIR it is used by everyone who has not imported their own data.

    \b
    Examples:
      glassloop places sample
      glassloop places sample ./sample-places
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.ui.progress import progress_bar
    from glassloop.extensions.places.data_set.data_sets import DataSets
    from glassloop.extensions.places.sample import write_sample

    with progress_bar("Making the sample", 1.0) as bar:
        if folder is None:
            data_sets = DataSets(load_settings().home_path)
            with data_sets.staged() as staged:
                write_sample(staged, seed=seed, tell=bar.at)
                data_sets.put(staged, user=None)
        else:
            whole = folder.expanduser()
            if whole.exists() and (not whole.is_dir() or any(whole.iterdir())):
                raise UsageError(f"{str(folder)!r} is there already and not an empty folder: name a new one.")
            whole.mkdir(parents=True, exist_ok=True)
            write_sample(whole, seed=seed, tell=bar.at)
    say("Made the sample." if folder is None else f"Wrote the sample to {str(folder)!r}.")
