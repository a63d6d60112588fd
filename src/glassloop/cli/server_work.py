"""What `glassloop servers` does: listing, and asking a person before anything of somebody else's runs."""

import asyncio
import shlex
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import msgspec
from rich.console import RenderableType

from glassloop.cli.console import make_console
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.progress import progress_bar
from glassloop.cli.running import where
from glassloop.cli.server_notice import approving
from glassloop.cli.server_views import change_card, entry_card, show_servers
from glassloop.cli.streams import complain
from glassloop.cli.tell import say, tell
from glassloop.cli.terminal import ask_line, can_ask
from glassloop.cli.untrusted import one_line
from glassloop.core.errors import GlassloopError, UnknownName, UsageError
from glassloop.extensions.mcp.client.status import ServerStatus, ToolStatus
from glassloop.extensions.mcp.toolset import ToolServers
from glassloop.runtime.assistants import open_assistant
from glassloop.tools.suggestion import quote, suggest


class Wish(msgspec.Struct, frozen=True):
    """What is to be approved, as it is shown; `tool` is by its server's name for it."""

    card: RenderableType
    digest: str
    tool: str | None = None


def list_servers(*, assistant: str | None, refresh: bool, as_json: bool) -> None:
    """How all servers stand."""
    with _opened(assistant) as (runner, servers), progress_bar("Looking at servers"):
        asked = where(assistant) if assistant else None
        found = runner.run(servers.listing(asked, refresh=refresh))
        commands = {status.name: approving(servers, asked, status) for status in found}
    tell(found, as_json, lambda look: show_servers(found, commands, look))


def approve_server(name: str, tool: str | None, *, assistant: str | None, yes: bool) -> None:
    """Shows, asks and approves exactly what was shown."""
    with _opened(assistant) as (runner, servers):
        with progress_bar("Looking at servers"):
            found = runner.run(servers.listing(where(assistant) if assistant else None))
        status = _find(found, name)
        wish = _entry_wish(status) if tool is None else _tool_wish(status, tool)
        if isinstance(wish, str):
            say(wish)
            return
        make_console().print(wish.card)
        _confirm(name, yes=yes)
        with progress_bar("Starting the server"):
            now = runner.run(servers.approve(name, wish.tool, digest=wish.digest))
    _tell_outcome(now, wish.tool)


@contextmanager
def _opened(assistant: str | None) -> Generator[tuple[asyncio.Runner, ToolServers]]:
    settings = load_settings()
    if assistant is not None:
        open_assistant(assistant, settings)
    with asyncio.Runner() as runner:
        servers = ToolServers(settings, patient=True)
        try:
            yield runner, servers
        finally:
            runner.run(servers.aclose())


def _find(found: Sequence[ServerStatus], name: str) -> ServerStatus:
    """The server of that name; one that can be used before one that cannot."""
    named = sorted((status for status in found if status.name == name), key=lambda status: status.state == "unusable")
    if not named:
        known = {status.name for status in found if status.name}
        raise UnknownName(f"There is no MCP server {quote(name)}. {suggest(name, known)}")
    status = named[0]
    if status.state == "unusable":
        raise UsageError(f"{status.name!r} of {status.file} cannot be used: {status.reason}")
    if status.state == "disabled":
        raise UsageError(f'{status.name!r} is switched off: take "disabled" out of its entry in {status.file} first.')
    return status


def _entry_wish(status: ServerStatus) -> Wish | str:
    """What there is to approve, or why there is nothing."""
    if status.state == "unapproved":
        return Wish(entry_card(status), status.digest)
    changed = [tool.tool for tool in status.tools if tool.state == "withheld"]
    own = "is of your own file and needs no approval" if status.own else "is approved already, as it is"
    more = f"; of its tools these have changed and wait for you: {', '.join(changed)}" if changed else ""
    return one_line(f"{status.name!r} {own}{more}.", 1_000)


def _tool_wish(status: ServerStatus, name: str) -> Wish | str:
    if status.state == "unapproved":
        raise UsageError(
            f"{status.name!r} itself is not approved yet: `glassloop servers approve {shlex.quote(status.name)}`."
        )
    tool = next((tool for tool in status.tools if name in (tool.tool, tool.name)), None)
    if tool is None:
        known = [tool.tool for tool in status.tools]
        raise UnknownName(f"The MCP server {status.name!r} has no tool {quote(name)}. {suggest(name, known)}")
    if tool.state == "refused":
        raise UsageError(f"{tool.tool!r} of {status.name!r} cannot be used: {tool.reason}")
    if tool.state == "withheld":
        return Wish(change_card(status, tool), tool.digest, tool.tool)
    return one_line(f"{tool.tool!r} of {status.name!r} has not changed since it was accepted.", 400)


def _confirm(name: str, *, yes: bool) -> None:
    """Goes on only when a person says so, or has said so by `--yes`."""
    if yes:
        return
    if not can_ask(sys.stdout):
        raise UsageError(f"Nobody can be asked here about {name!r}: add --yes if you have read what is shown.")
    try:
        answer = ask_line("Approve exactly this? y(es), n(o): ").strip().lower()
    except EOFError:
        answer = ""
    if answer not in ("y", "yes"):
        raise GlassloopError("Nothing was approved.")


def _tell_outcome(status: ServerStatus, tool: str | None) -> None:
    if tool is not None:
        say(one_line(f"Approved: {tool!r} of {status.name!r} can be used again.", 400))
        return
    say(one_line(f"Approved {status.name!r}. {_offer(status.tools)}", 2_000))
    if status.state == "failed":
        complain(one_line(status.reason, 1_000))
    elif status.state == "starting":
        complain(one_line(f"{status.name!r} still starts: its tools come when it has.", 400))


def _offer(tools: Sequence[ToolStatus]) -> str:
    offered = [tool.name for tool in tools if tool.state == "offered"]
    return f"It offers {', '.join(offered)}." if offered else "It offers no tools yet."
