"""`glassloop import`: data of your own for the assistants.

Only the options are here; the work is imported when it is asked for.
"""

from pathlib import Path
from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption

app = typer.Typer(name="import", cls=Helpful, help="Bring in data of your own.")


@app.callback()
def bring_in() -> None:
    """Bring in data of your own."""


@app.command()
def business(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Where the CSV files are, one for each table.")
    ] = None,
    sample: Annotated[bool, typer.Option("--sample", help="Load the sample company instead of files.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace data that was imported before.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Load a company's data for the business assistant.

    Goes into BUSINESS_DATABASE_URL where that is set, else into the home folder. All rows are checked first: where one
    cannot be used, nothing is loaded. Ends with 0 when all is loaded, 2 when something is wrong with it.

    \b
    Examples:
      glassloop import business ./our-data
      glassloop import business --sample --replace
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.import_business import import_business

    return import_business(load_settings(), folder, sample=sample, replace=replace, as_json=as_json)


@app.command()
def knowledge(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A file, or a folder with all that is below it.")],
    domain: Annotated[
        str, typer.Option("--domain", metavar="DOMAIN", help="What they are filed under, such as finance.")
    ] = "general",
    user: Annotated[
        str | None, typer.Option("--user", metavar="NAME", help="Whose own they are. Else everybody finds them.")
    ] = None,
    mirror: Annotated[
        bool, typer.Option("--mirror", help="Remove documents of this folder whose files are gone.")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Bring documents into the knowledge base.

    Text, Markdown, HTML, PDF, DOCX, CSV and code. What has not changed since is not read again. Ends with 0 when all
    is in, 1 when some files could not be read (the others are in), 130 after Ctrl-C.

    \b
    Examples:
      glassloop import knowledge ./handbook
      glassloop import knowledge ./contracts --domain procurement --user ada
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.import_knowledge import import_knowledge

    return import_knowledge(load_settings(), path, domain=domain, user=user, mirror=mirror, as_json=as_json)
