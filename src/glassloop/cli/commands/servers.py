"""`glassloop servers`: other people's MCP servers, and what a person allows them."""

import os
import shlex
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.ui.output import say, show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.prompt import confirm
from glassloop.cli.ui.sanitizing import one_line
from glassloop.cli.ui.stdio import complain
from glassloop.core.errors import UnknownName, UsageError

if TYPE_CHECKING:
    import asyncio

    from glassloop.runtime.agents import Wanted
    from glassloop.runtime.mcp import ToolServers
    from glassloop.runtime.runtime import Runtime
    from glassloop.tools.mcp.status import ServerStatus, ToolStatus

app = typer.Typer(name="servers", cls=Helpful, help="MCP servers that give tools: list and approve them.")

_MAX_NAMED = 4
_WAIT_NOTICE_S = 1.0
_STATES = {"unusable": "cannot be used", "failed": "does not run", "starting": "still starts"}

FolderOption = Annotated[
    str | None,
    typer.Option("--assistant", "-a", metavar="NAME", help="With the servers of this assistant: a name, or a folder."),
]


@app.command("list")
def list_servers(
    assistant: FolderOption = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Start every server that may run, and have it list its tools anew.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the servers that .mcp.json files name.

    How they stand, their tools, and what is withheld and why.

    \b
    Examples:
      glassloop servers list
      glassloop servers list --refresh --json
    """
    from glassloop.cli.views.servers import server_lines

    with _opened(assistant) as (runner, servers, asked), progress_bar("Looking at servers"):
        found = runner.run(servers.listing(asked, refresh=refresh))
        commands = {status.name: _approve_command(servers, asked, status) for status in found}
    show_result(found, as_json, lambda terminal: server_lines(found, commands, terminal))


@app.command()
def approve(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The server's name.")],
    tool: Annotated[
        str | None, typer.Argument(metavar="TOOL", help="A tool of it that has changed. Else the server itself.")
    ] = None,
    assistant: FolderOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask. What is approved is shown all the same.")
    ] = False,
) -> None:
    """Let a server run, or take a tool that changed.

    The server of a file that is not your own; the tool as it is now.

    Shows exactly what would be started, or what has changed, and asks; the approval counts for exactly that.

    \b
    Examples:
      glassloop servers approve tickets
      glassloop servers approve tickets search
    """
    from glassloop.cli.ui.console import make_console
    from glassloop.cli.views.servers import change_card, entry_card

    with _opened(assistant) as (runner, servers, asked):
        with progress_bar("Looking at servers"):
            status = _find(runner.run(servers.listing(asked)), name)
        changed = None if tool is None else _find_tool(status, tool)
        if settled := _settled(status, changed):
            say(settled)
            return
        make_console().print(entry_card(status) if changed is None else change_card(status, changed))
        unattended = f"Nobody can be asked here about {name!r}: add --yes if you have read what is shown."
        confirm("Approve exactly this?", yes=yes, unattended=unattended, refused="Nothing was approved.")
        with progress_bar("Starting the server"):
            chosen = (None, status.digest) if changed is None else (changed.tool, changed.digest)
            now = runner.run(servers.approve(name, chosen[0], digest=chosen[1]))
    _report(now, changed)


@contextmanager
def _opened(assistant: str | None) -> "Generator[tuple[asyncio.Runner, ToolServers, str | None]]":
    """An event loop, the servers on it, and the assistant as it is named elsewhere."""
    import asyncio

    from glassloop.cli.resources import assistant_path, load_settings
    from glassloop.runtime.assistants import open_assistant
    from glassloop.runtime.mcp import ToolServers

    settings = load_settings()
    if assistant is not None:
        open_assistant(assistant, settings)
    with asyncio.Runner() as runner:
        servers = ToolServers(settings, patient=True)
        try:
            yield runner, servers, assistant_path(assistant) if assistant else None
        finally:
            runner.run(servers.aclose())


def _find(found: "Sequence[ServerStatus]", name: str) -> "ServerStatus":
    """The server of that name; one that can be used before one that cannot."""
    from glassloop.tools.suggestion import quote, suggest

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


def _find_tool(status: "ServerStatus", name: str) -> "ToolStatus":
    from glassloop.tools.suggestion import quote, suggest

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
    return tool


def _settled(status: "ServerStatus", tool: "ToolStatus | None") -> str:
    """Why there is nothing to approve; empty where there is."""
    if tool is not None:
        unchanged = f"{tool.tool!r} of {status.name!r} has not changed since it was accepted."
        return "" if tool.state == "withheld" else one_line(unchanged, 400)
    if status.state == "unapproved":
        return ""
    changed = [tool.tool for tool in status.tools if tool.state == "withheld"]
    own = "is of your own file and needs no approval" if status.own else "is approved already, as it is"
    more = f"; of its tools these have changed and wait for you: {', '.join(changed)}" if changed else ""
    return one_line(f"{status.name!r} {own}{more}.", 1_000)


def _report(status: "ServerStatus", tool: "ToolStatus | None") -> None:
    if tool is not None:
        say(one_line(f"Approved: {tool.tool!r} of {status.name!r} can be used again.", 400))
        return
    offered = [tool.name for tool in status.tools if tool.state == "offered"]
    offers = f"It offers {', '.join(offered)}." if offered else "It offers no tools yet."
    say(one_line(f"Approved {status.name!r}. {offers}", 2_000))
    if status.state == "failed":
        complain(one_line(status.reason, 1_000))
    elif status.state == "starting":
        complain(one_line(f"{status.name!r} still starts: its tools come when it has.", 400))


async def get_ready(runtime: "Runtime", wanted: "Wanted") -> None:
    """Makes the agent before the first turn, says what one waits for where that takes long, and what is not used."""
    import asyncio

    later = asyncio.get_running_loop().call_later(_WAIT_NOTICE_S, _notice_wait, runtime.servers)
    try:
        await runtime.agents.obtain(wanted)
    finally:
        later.cancel()
    notice_unused(runtime.servers, wanted.assistant)


def _notice_wait(servers: "ToolServers") -> None:
    if servers.opening:
        from glassloop.tools.mcp.servers import PATIENCE_S

        complain(f"MCP servers start for the first time: this waits for them, at most {PATIENCE_S:g} s.")


def notice_unused(servers: "ToolServers", assistant: str) -> None:
    """Says on standard error what is not used, if anything."""
    parts: list[str] = []
    listed = False
    for status in servers.status_for(assistant):
        command = _approve_command(servers, assistant, status)
        if status.state == "unapproved":
            parts.append(f"{status.name!r} is not approved (`{command}` shows it and asks)")
        elif status.state in _STATES:
            listed = True
            parts.append(f"{status.name or status.file!r} {_STATES[status.state]}")
        changed = [tool.tool for tool in status.tools if tool.state == "withheld"]
        parts += [f"{tool!r} of {status.name!r} has changed (`{command} {shlex.quote(tool)}`)" for tool in changed]
    if not parts:
        return
    more = f"; and {len(parts) - _MAX_NAMED} more" if len(parts) > _MAX_NAMED else ""
    why = " `glassloop servers list` tells more." if listed or more else ""
    complain(one_line(f"MCP servers not used: {'; '.join(parts[:_MAX_NAMED])}{more}.{why}", 2_000))


def _approve_command(servers: "ToolServers", assistant: str | None, status: "ServerStatus") -> str:
    """The command that approves this server; one of an assistant that no name leads to needs its folder."""
    by_folder = assistant is not None and os.sep in assistant and servers.is_own_of(assistant, status)
    return f"glassloop servers approve {shlex.quote(status.name)}" + (
        f" -a {shlex.quote(assistant)}" if by_folder and assistant else ""
    )
