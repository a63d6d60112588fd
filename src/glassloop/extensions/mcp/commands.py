"""`glassloop servers` and `glassloop mcp`: other people's MCP servers, and ours for other programs."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from glassloop.cli.help import Helpful
from glassloop.cli.options import JsonOption
from glassloop.cli.ui.output import say, show_result
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.prompt import confirm
from glassloop.cli.ui.safe_text import one_line
from glassloop.core.errors import UnknownName, UsageError

if TYPE_CHECKING:
    import asyncio

    from glassloop.extensions.mcp.client.definition import ServerStatus, ToolStatus
    from glassloop.extensions.mcp.toolset import ToolServers

commands = typer.Typer()
app = typer.Typer(
    name="servers",
    cls=Helpful,
    help="MCP servers that give tools: list them, approve changes.",
)

commands.add_typer(app)

FolderOption = Annotated[
    str | None,
    typer.Option("--assistant", "-a", metavar="NAME", help="With the servers of this assistant: a name, or a folder."),
]


@app.command("list")
def list_servers(
    assistant: FolderOption = None,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Start every server that may run, and list its tools again.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the servers in .mcp.json files.

    Shows their status and tools, and which tools are withheld and why.

    \b
    Examples:
      glassloop servers list
      glassloop servers list --refresh --json
    """
    from glassloop.extensions.mcp.toolset import approval_command
    from glassloop.extensions.mcp.views import server_lines

    with _opened(assistant) as (runner, servers, asked), progress_bar("Looking at servers"):
        found = runner.run(servers.listing(asked, refresh=refresh))
        commands = {status.name: approval_command(servers, asked, status) for status in found}
    show_result(found, as_json, lambda terminal: server_lines(found, commands, terminal))


@app.command()
def approve(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The server's name.")],
    tool: Annotated[str, typer.Argument(metavar="TOOL", help="A tool of it that has changed or is new.")],
    assistant: FolderOption = None,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask. What is approved is shown all the same.")
    ] = False,
) -> None:
    """Approve a tool that is new or has changed.

    Shows exactly what has changed, then asks. The approval applies to exactly that version. To allow servers from
    a folder that is not yours, use glassloop trust.

    \b
    Example:
      glassloop servers approve tickets search
    """
    from glassloop.cli.ui.console import make_console
    from glassloop.extensions.mcp.toolset import approval_command
    from glassloop.extensions.mcp.views import change_card

    with _opened(assistant) as (runner, servers, asked):
        with progress_bar("Looking at servers"):
            status = _find(runner.run(servers.listing(asked)), name)
        changed = _find_tool(status, tool, approval_command(servers, asked, status))
        if changed.state not in ("withheld", "new"):
            say(one_line(f"{changed.tool!r} of {status.name!r} has not changed since it was accepted.", 400))
            return
        make_console().print(change_card(status, changed))
        unattended = f"Nobody can be asked here about {name!r}: add --yes if you have read what is shown."
        confirm("Approve exactly this?", yes=yes, unattended=unattended, refused="Nothing was approved.")
        runner.run(servers.accept(name, changed.tool, digest=changed.digest))
    say(one_line(f"Approved: {changed.tool!r} of {status.name!r} can be used as your entry says.", 400))


@commands.command()
def mcp(
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Whose questions these are, and whose sessions are searched.")
    ] = "anonymous",
) -> None:
    """Offer the assistants to other programs over MCP.

    Uses the Model Context Protocol over standard input and output until the program that started it exits. Messages go
    to standard error. docs/mcp.md shows how to configure a client.

    \b
    Example:
      glassloop mcp
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.store.tables.users import check_name

    settings, name = load_settings(), check_name(user)
    import asyncio

    from glassloop.cli.resources import use_runtime
    from glassloop.cli.run_until_signal import stop_signals
    from glassloop.extensions.mcp.server.stdio_server import serve_stdio

    with use_runtime(settings) as (runner, runtime):

        async def serve() -> None:
            stopping = asyncio.Event()
            with stop_signals(stopping.set):
                await serve_stdio(runtime, settings, user=name, stopping=stopping)

        runner.run(serve())


@contextmanager
def _opened(assistant: str | None) -> "Generator[tuple[asyncio.Runner, ToolServers, str | None]]":
    """An event loop, the servers on it, and the assistant as it is named elsewhere."""
    import asyncio

    from glassloop.cli.resources import assistant_path, load_settings
    from glassloop.extensions.mcp.toolset import ToolServers
    from glassloop.runtime.assistants.assistant_files import open_assistant

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


def _find_tool(status: "ServerStatus", name: str, command: str) -> "ToolStatus":
    from glassloop.tools.suggestion import quote, suggest

    if status.state == "untrusted":
        raise UsageError(f"{status.name!r} is of a folder that is not trusted: `{command}` shows it and asks.")
    tool = next((tool for tool in status.tools if name in (tool.tool, tool.name)), None)
    if tool is None:
        known = [tool.tool for tool in status.tools]
        raise UnknownName(f"The MCP server {status.name!r} has no tool {quote(name)}. {suggest(name, known)}")
    if tool.state == "refused":
        raise UsageError(f"{tool.tool!r} of {status.name!r} cannot be used: {tool.reason}")
    return tool
