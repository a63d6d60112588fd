"""`glassloop keys`: what users prove themselves with.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption, OwnerOption

app = typer.Typer(name="keys", cls=Helpful, help="API keys of users: list, create and revoke them.")


@app.command("list")
def list_keys(user: OwnerOption = None, as_json: JsonOption = False) -> None:
    """List the keys, newest first, without what they are made of.

    \b
    Examples:
      glassloop keys list
      glassloop keys list --user ada --json
    """
    from glassloop.cli.people import list_keys

    list_keys(user=user, as_json=as_json)


@app.command()
def create(
    user: Annotated[str, typer.Argument(metavar="USER", help="Whose key it is; `glassloop users add` adds them.")],
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="What it is for, to tell keys apart.")] = "",
    expires: Annotated[
        float | None, typer.Option("--expires", metavar="DAYS", help="It works for so many days. Else until revoked.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make an API key. It is shown this once and not stored.

    \b
    Examples:
      glassloop keys create ada --name laptop
      glassloop keys create ada --expires 30 --json
    """
    from glassloop.cli.people import create_key

    create_key(user, name=name, days=expires, as_json=as_json)


@app.command()
def admin() -> None:
    """Make a new admin token. The one before works no longer.

    It is shown this once and not stored. Browsers that signed in with the one before are signed out.

    \b
    Example:
      glassloop keys admin
    """
    from glassloop.cli.people import change_admin_token

    change_admin_token()


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")], as_json: JsonOption = False
) -> None:
    """End a key, and what browsers signed in with it, at once.

    \b
    Example:
      glassloop keys revoke 3f9ac1d20b7e
    """
    from glassloop.cli.people import revoke_key

    revoke_key(key, as_json=as_json)
