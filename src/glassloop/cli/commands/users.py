"""`glassloop users` and `glassloop keys`: who may have API keys, and the keys themselves."""

import shlex
import time
from collections.abc import Sequence
from typing import Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption, OwnerOption
from glassloop.cli.resources import load_settings, use_store
from glassloop.cli.ui.output import Line, TerminalStyle, count, moment, show_result, write_json
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import UsageError
from glassloop.store.tables.keys import KeyRow
from glassloop.store.tables.users import ADMIN, UserRow, check_name

app = typer.Typer()
users = typer.Typer(name="users", cls=Helpful, help="Who may have API keys: list, add, name and remove them.")
keys = typer.Typer(name="keys", cls=Helpful, help="API keys of users: list, create and revoke them.")
app.add_typer(users)
app.add_typer(keys)

MAX_NAME_CHARS = 80

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The user's name.")]


@users.command("list")
def list_users(as_json: JsonOption = False) -> None:
    """List the users, with how many keys of theirs work.

    \b
    Example:
      glassloop users list
    """
    with use_store() as (runner, store):
        found = runner.run(store.users.list())
    show_result(found, as_json, lambda terminal: _user_lines(found, terminal))


@users.command()
def add(name: NameArgument, as_json: JsonOption = False) -> None:
    """Add a user. `glassloop keys create` then makes a key for them.

    \b
    Example:
      glassloop users add ada
    """
    with use_store() as (runner, store):
        row = runner.run(store.users.add(name))
    added = f"Added {name!r}. A key for them: glassloop keys create {shlex.quote(name)}"
    show_result(row, as_json, lambda _: safe_text(added))


@users.command("name")
def name_user(
    name: NameArgument,
    display_name: Annotated[
        str, typer.Argument(metavar="DISPLAY_NAME", help="What assistants call them; empty takes it back.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Say what a user wants to be called.

    Assistants whose prompts ask for it are told. Users do the same for themselves with PATCH /api/me.

    \b
    Examples:
      glassloop users name ada "Ada Lovelace"
      glassloop users name ada ""
    """
    settings = load_settings()
    # Elsewhere users need not have been added: this machine or a proxy names them.
    known = settings.auth == "keys"
    with use_store(settings) as (runner, store):
        stored = runner.run(store.users.set_display_name(check_name(name), display_name.strip() or None, known=known))
    told = f"{name!r} is called {stored!r}." if stored else f"{name!r} has no display name."
    show_result({"name": name, "display_name": stored}, as_json, lambda _: safe_text(told))


@users.command("groups")
def set_groups(
    name: NameArgument,
    groups: Annotated[
        list[str] | None, typer.Argument(metavar="GROUP", help="All of the user's groups; none: they are shown.")
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Take the user out of all groups.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show or set the groups of a user, which access rules may name.

    Who signs in by an OpenID provider gets the groups that it tells, each time.

    \b
    Examples:
      glassloop users groups ada
      glassloop users groups ada staff research
      glassloop users groups ada --none
    """
    with use_store() as (runner, store):
        if groups or none:
            found = runner.run(store.access.set_groups(name, [] if none else groups or []))
        else:
            found = runner.run(store.access.groups(name))
    told = f"{name!r} is in {', '.join(found)}." if found else f"{name!r} is in no group."
    show_result({"name": name, "groups": found}, as_json, lambda _: safe_text(told))


@users.command()
def remove(name: NameArgument, as_json: JsonOption = False) -> None:
    """Remove a user, with their keys and signed-in browsers.

    Conversations stay: `glassloop sessions delete --user NAME` deletes them.

    \b
    Example:
      glassloop users remove ada
    """
    with use_store() as (runner, store):
        number = runner.run(store.users.remove(name))
    if as_json:
        write_json({"name": name, "keys": number}, indent=2)
        return
    typer.echo(safe_text(f"Removed {name!r} with {count(number, 'key')}."))
    typer.echo(safe_text(f"Conversations stay; to delete them: glassloop sessions delete --user {shlex.quote(name)}"))


@keys.command("list")
def list_keys(user: OwnerOption = None, as_json: JsonOption = False) -> None:
    """List the keys, newest first, without what they are made of.

    \b
    Examples:
      glassloop keys list
      glassloop keys list --user ada --json
    """
    with use_store() as (runner, store):
        found = runner.run(store.keys.list(user=user))
    show_result(found, as_json, lambda terminal: _key_lines(found, terminal))


@keys.command()
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
    settings = load_settings()
    with use_store(settings) as (runner, store):
        key, row = runner.run(store.keys.create(user, name, expires))
    if as_json:
        write_json({"key": key} | {field: getattr(row, field) for field in row.__struct_fields__}, indent=2)
        return
    # Alone on standard output, so that a program can take it.
    typer.echo(key)
    typer.echo(safe_text(f"This is the key of {user!r}, shown this once; revoke it by its id {row.id}."), err=True)
    if settings.auth != "keys":
        typer.echo("Keys count where GLASSLOOP_AUTH=keys is set; here it is not.", err=True)


@keys.command()
def admin() -> None:
    """Make a new admin token. The one before works no longer.

    It is shown this once and not stored. Browsers that signed in with the one before are signed out.

    \b
    Example:
      glassloop keys admin
    """
    settings = load_settings()
    if settings.admin_token:
        raise UsageError("ADMIN_TOKEN is set, and only that counts: change it there, or leave it out and try again.")
    with use_store(settings) as (runner, store):
        typer.echo(runner.run(store.secrets.change(ADMIN)))
    typer.echo("This is the admin token, shown this once; the one before works no longer.", err=True)


@keys.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")], as_json: JsonOption = False
) -> None:
    """End a key, and what browsers signed in with it, at once.

    \b
    Example:
      glassloop keys revoke 3f9ac1d20b7e
    """
    if key.startswith("glk_"):
        # A whole key should not have been typed; its id stands in it.
        raise UsageError(f"That is a key, not its id: glassloop keys revoke {safe_text(key.split('_')[1][:20])}")
    with use_store() as (runner, store):
        row = runner.run(store.keys.revoke(key))
    show_result(row, as_json, lambda _: safe_text(f"Key {row.id} of {row.user_id!r} works no longer."))


def _user_lines(found: Sequence[UserRow], terminal: TerminalStyle) -> list[Line]:
    lines = [
        Line(
            (one_line(user.name, MAX_NAME_CHARS), "act"),
            f"  {one_line(user.display_name, MAX_NAME_CHARS)}" if user.display_name else "",
            (f"  {terminal.join(count(user.keys, 'key'), _used(user.last_used_at))}", "soft"),
        )
        for user in found
    ]
    total = count(len(found), "user") if found else "There are no users. glassloop users add NAME adds one."
    return [*lines, Line((total, "soft"))]


def _key_lines(found: Sequence[KeyRow], terminal: TerminalStyle) -> list[Line]:
    lines: list[Line] = []
    for key in found:
        name = one_line(key.name, MAX_NAME_CHARS)
        lines.append(Line((key.id, "act"), f"  {one_line(key.user_id, MAX_NAME_CHARS)}  ", (name, "soft")))
        facts = terminal.join(f"created {moment(key.created_at)}", _used(key.last_used_at))
        lines.append(Line(_state(key), (f"  {facts}", "soft"), indent=4))
    total = count(len(found), "key") if found else "There are no keys. glassloop keys create USER makes one."
    return [*lines, Line((total, "soft"))]


def _state(key: KeyRow) -> tuple[str, str]:
    if key.revoked_at is not None:
        return f"revoked {moment(key.revoked_at)}", "trouble"
    if key.expires_at is None:
        return "works", "observe"
    until = moment(key.expires_at)
    return (f"works until {until}", "observe") if key.works(time.time()) else (f"expired {until}", "trouble")


def _used(at: float | None) -> str:
    return "never used" if at is None else f"used {moment(at)}"
