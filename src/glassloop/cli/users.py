"""`glassloop users`: who may have API keys.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption

app = typer.Typer(name="users", cls=Helpful, help="Who may have API keys: list, add and remove them.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The user's name.")]


@app.command("list")
def list_users(as_json: JsonOption = False) -> None:
    """List the users, with how many keys of theirs work.

    \b
    Example:
      glassloop users list
    """
    from glassloop.cli.people import list_users

    list_users(as_json=as_json)


@app.command()
def add(name: NameArgument, as_json: JsonOption = False) -> None:
    """Add a user. `glassloop keys create` then makes a key for them.

    \b
    Example:
      glassloop users add ada
    """
    from glassloop.cli.people import add_user

    add_user(name, as_json=as_json)


@app.command()
def remove(name: NameArgument, as_json: JsonOption = False) -> None:
    """Remove a user, with their keys and signed-in browsers.

    Conversations stay: `glassloop sessions delete --user NAME` deletes them.

    \b
    Example:
      glassloop users remove ada
    """
    from glassloop.cli.people import remove_user

    remove_user(name, as_json=as_json)
