"""`glassloop trust`: whether the settings files of a working folder may be used.

Only the options are here; the work is imported when it is asked for.
"""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def trust(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder. Else the current one.")] = Path(),
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask. What is trusted is shown all the same.")
    ] = False,
    no: Annotated[
        bool, typer.Option("--no", help="Do not use them, and never ask; takes back what was trusted.")
    ] = False,
) -> None:
    """Use the settings that files of a folder hold.

    Its .env and glassloop.toml may be somebody else's: what they set is ignored until you trust them.

    Shows exactly what they would set, and asks; the answer counts for exactly that content.

    \b
    Examples:
      glassloop trust .
      glassloop trust ../project --no
    """
    from glassloop.cli.folder_settings import trust_folder

    trust_folder(path, yes=yes, no=no)
