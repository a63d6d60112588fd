"""Users and keys in a terminal, for the commands `glassloop users` and `glassloop keys`."""

import time
from collections.abc import Sequence

import typer
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from glassloop.cli.folder_settings import load_settings
from glassloop.cli.look import Look, count
from glassloop.cli.running import storing
from glassloop.cli.session_views import moment
from glassloop.cli.tell import tell
from glassloop.cli.untrusted import inert, one_line
from glassloop.core.errors import UsageError
from glassloop.store.tables.keys import KeyRow
from glassloop.store.tables.users import ADMIN, UserRow

NAME_CHARS = 80


def list_users(*, as_json: bool) -> None:
    """The users there are."""
    with storing(load_settings()) as (runner, store):
        found = runner.run(store.users.list())
    tell(found, as_json, lambda look: _shown_users(found, look))


def add_user(name: str, *, as_json: bool = False) -> None:
    """A new user."""
    with storing(load_settings()) as (runner, store):
        row = runner.run(store.users.add(name))
    told = f"Added {name!r}. A key for them: glassloop keys create {_typed(name)}"
    tell(row, as_json, lambda _look: Text(inert(told)))


def remove_user(name: str, *, as_json: bool = False) -> None:
    """A user who is out from now on."""
    with storing(load_settings()) as (runner, store):
        keys = runner.run(store.users.remove(name))
    if as_json:
        tell({"name": name, "keys": keys}, True, lambda _look: Text())
        return
    typer.echo(inert(f"Removed {name!r} with {count(keys, 'key')}."))
    typer.echo(inert(f"Conversations stay; to delete them: glassloop sessions delete --user {_typed(name)}"))


def list_keys(*, user: str | None, as_json: bool) -> None:
    """The keys there are."""
    with storing(load_settings()) as (runner, store):
        found = runner.run(store.keys.list(user=user))
    tell(found, as_json, lambda look: _shown_keys(found, look))


def create_key(user: str, *, name: str, days: float | None, as_json: bool) -> None:
    """A new key, told this once; alone on standard output, so that a program can take it."""
    settings = load_settings()
    with storing(settings) as (runner, store):
        key, row = runner.run(store.keys.create(user, name, days))
    if as_json:
        tell({"key": key, **_fields(row)}, True, lambda _: Text())
        return
    typer.echo(key)
    typer.echo(inert(f"This is the key of {user!r}, shown this once; revoke it by its id {row.id}."), err=True)
    if settings.auth != "keys":
        typer.echo("Keys count where GLASSLOOP_AUTH=keys is set; here it is not.", err=True)


def change_admin_token() -> None:
    """A new one, told this once; alone on standard output, so that a program can take it."""
    settings = load_settings()
    if settings.admin_token:
        raise UsageError("ADMIN_TOKEN is set, and only that counts: change it there, or leave it out and try again.")
    with storing(settings) as (runner, store):
        typer.echo(runner.run(store.secrets.change(ADMIN)))
    typer.echo("This is the admin token, shown this once; the one before works no longer.", err=True)


def revoke_key(key_id: str, *, as_json: bool = False) -> None:
    """A key that works no longer."""
    if key_id.startswith("glk_"):
        # A whole key should not have been typed; its id stands in it.
        raise UsageError(f"That is a key, not its id: glassloop keys revoke {inert(key_id.split('_')[1][:20])}")
    with storing(load_settings()) as (runner, store):
        row = runner.run(store.keys.revoke(key_id))
    tell(row, as_json, lambda _look: Text(inert(f"Key {row.id} of {row.user_id!r} works no longer.")))


def _shown_users(users: Sequence[UserRow], look: Look) -> RenderableType:
    if not users:
        return Text("There are no users. glassloop users add NAME adds one.", "soft")
    rows = [
        Text.assemble(
            (one_line(user.name, NAME_CHARS), "act"),
            (f"  {look.join(count(user.keys, 'key'), _used(user.last_used_at))}", "soft"),
            overflow="fold",
        )
        for user in users
    ]
    return Group(*rows, Text(count(len(users), "user"), "soft"))


def _shown_keys(keys: Sequence[KeyRow], look: Look) -> RenderableType:
    if not keys:
        return Text("There are no keys. glassloop keys create USER makes one.", "soft")
    parts: list[RenderableType] = []
    for key in keys:
        name = one_line(key.name, NAME_CHARS)
        parts.append(
            Text.assemble((key.id, "act"), f"  {one_line(key.user_id, NAME_CHARS)}  ", (name, "soft"), overflow="fold")
        )
        state, style = _state(key)
        facts = look.join(f"created {moment(key.created_at)}", _used(key.last_used_at))
        parts.append(Padding(Text.assemble((state, style), (f"  {facts}", "soft"), overflow="fold"), (0, 0, 0, 4)))
    return Group(*parts, Text(count(len(keys), "key"), "soft"))


def _state(key: KeyRow) -> tuple[str, str]:
    if key.revoked_at is not None:
        return f"revoked {moment(key.revoked_at)}", "trouble"
    if key.expires_at is None:
        return "works", "observe"
    until = moment(key.expires_at)
    return (f"works until {until}", "observe") if key.works(time.time()) else (f"expired {until}", "trouble")


def _used(at: float | None) -> str:
    return "never used" if at is None else f"used {moment(at)}"


def _fields(row: KeyRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


def _typed(name: str) -> str:
    """The name as one types it into a shell."""
    import shlex

    return shlex.quote(name)
