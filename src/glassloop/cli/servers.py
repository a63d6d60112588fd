"""`glassloop servers`: other people's MCP servers, and what a person allows them.

Only the options are here; the work is imported when it is asked for.
"""

from typing import Annotated

import typer

from glassloop.cli.grouped_help import Helpful
from glassloop.cli.options import JsonOption

app = typer.Typer(name="servers", cls=Helpful, help="MCP servers that give tools: list and approve them.")

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
    from glassloop.cli.server_work import list_servers

    list_servers(assistant=assistant, refresh=refresh, as_json=as_json)


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
    from glassloop.cli.server_work import approve_server

    approve_server(name, tool, assistant=assistant, yes=yes)
