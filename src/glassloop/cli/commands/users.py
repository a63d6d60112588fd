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
users = typer.Typer(name="users", cls=Helpful, help="List, add, rename and remove users.")
keys = typer.Typer(name="keys", cls=Helpful, help="List, create and revoke API keys.")
app.add_typer(users)
app.add_typer(keys)

MAX_NAME_CHARS = 80

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Name of the user.")]


@users.command("list")
def list_users(as_json: JsonOption = False) -> None:
    """List users and how many active keys each has.

    \b
    Example:
      glassloop users list
    """
    with use_store() as (runner, store):
        found = runner.run(store.users.list())
    show_result(found, as_json, lambda terminal: _user_lines(found, terminal))


@users.command()
def add(name: NameArgument, as_json: JsonOption = False) -> None:
    """Add a user. Create a key for them with `glassloop keys create`.

    \b
    Example:
      glassloop users add ada
    """
    with use_store() as (runner, store):
        row = runner.run(store.users.add(name))
    added = f"Added {name!r}. To create an API key: glassloop keys create {shlex.quote(name)}"
    show_result(row, as_json, lambda _: safe_text(added))


@users.command("name")
def name_user(
    name: NameArgument,
    display_name: Annotated[
        str, typer.Argument(metavar="DISPLAY_NAME", help="Name that assistants use for the user; empty removes it.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Set the display name of a user.

    Assistants whose prompts include it use it. Users can set their own with PATCH /api/me.

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
    told = f"{name!r} has the display name {stored!r}." if stored else f"{name!r} has no display name."
    show_result({"name": name, "display_name": stored}, as_json, lambda _: safe_text(told))


@users.command("groups")
def set_groups(
    name: NameArgument,
    groups: Annotated[
        list[str] | None,
        typer.Argument(metavar="GROUP", help="All groups of the user. Omit them to show the current ones."),
    ] = None,
    none: Annotated[bool, typer.Option("--none", help="Remove the user from all groups.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show or set the groups of a user, for use in access rules.

    Users who sign in through an OpenID provider get its groups at each sign-in.

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
    """Remove a user, their keys and their sign-ins.

    Conversations are kept. To delete them: `glassloop sessions delete --user NAME`.

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
    typer.echo(
        safe_text(
            f"Their conversations were kept. To delete them: glassloop sessions delete --user {shlex.quote(name)}"
        )
    )


@keys.command("list")
def list_keys(user: OwnerOption = None, as_json: JsonOption = False) -> None:
    """List API keys, newest first. The keys themselves are not shown.

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
    user: Annotated[
        str, typer.Argument(metavar="USER", help="Owner of the key. Add users with `glassloop users add`.")
    ],
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="Label that says what the key is for.")] = "",
    expires: Annotated[
        float | None, typer.Option("--expires", metavar="DAYS", help="Days until the key expires. Default: never.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Create an API key. It is shown only once and not stored.

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
    typer.echo(safe_text(f"API key of {user!r}, shown only once. To revoke it, use its id {row.id}."), err=True)
    if settings.auth != "keys":
        typer.echo("API keys have no effect until GLASSLOOP_AUTH=keys is set.", err=True)


@keys.command()
def admin() -> None:
    """Create a new admin token. The previous one stops working.

    It is shown only once and not stored. Browsers signed in with the previous token are signed out.

    \b
    Example:
      glassloop keys admin
    """
    settings = load_settings()
    if settings.admin_token:
        raise UsageError("ADMIN_TOKEN is set and overrides the stored token: change it, or unset it and try again.")
    with use_store(settings) as (runner, store):
        typer.echo(runner.run(store.secrets.change(ADMIN)))
    typer.echo("Admin token, shown only once. The previous token no longer works.", err=True)


@keys.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="ID", help="ID of the key.")], as_json: JsonOption = False
) -> None:
    """Revoke a key and sign out browsers that used it, at once.

    \b
    Example:
      glassloop keys revoke 3f9ac1d20b7e
    """
    if key.startswith("glk_"):
        # A whole key should not have been typed; its id stands in it.
        raise UsageError(f"That is a key, not its id: glassloop keys revoke {safe_text(key.split('_')[1][:20])}")
    with use_store() as (runner, store):
        row = runner.run(store.keys.revoke(key))
    show_result(row, as_json, lambda _: safe_text(f"Revoked key {row.id} of {row.user_id!r}."))


def _user_lines(found: Sequence[UserRow], terminal: TerminalStyle) -> list[Line]:
    lines = [
        Line(
            (one_line(user.name, MAX_NAME_CHARS), "act"),
            f"  {one_line(user.display_name, MAX_NAME_CHARS)}" if user.display_name else "",
            (f"  {terminal.join(count(user.keys, 'key'), _used(user.last_used_at))}", "soft"),
        )
        for user in found
    ]
    total = count(len(found), "user") if found else "No users yet. To add one: glassloop users add NAME"
    return [*lines, Line((total, "soft"))]


def _key_lines(found: Sequence[KeyRow], terminal: TerminalStyle) -> list[Line]:
    lines: list[Line] = []
    for key in found:
        name = one_line(key.name, MAX_NAME_CHARS)
        lines.append(Line((key.id, "act"), f"  {one_line(key.user_id, MAX_NAME_CHARS)}  ", (name, "soft")))
        facts = terminal.join(f"created {moment(key.created_at)}", _used(key.last_used_at))
        lines.append(Line(_state(key), (f"  {facts}", "soft"), indent=4))
    total = count(len(found), "key") if found else "No API keys yet. To create one: glassloop keys create USER"
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
