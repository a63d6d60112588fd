"""`glassloop mcp`: the assistants and the sessions for other programs, over standard input and output."""

from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def mcp(
    user: Annotated[
        str, typer.Option("--user", metavar="NAME", help="Whose questions these are, and whose sessions are searched.")
    ] = "anonymous",
) -> None:
    """Offer the assistants to other programs, as an MCP server.

    Speaks the Model Context Protocol on standard input and output until the program that started it goes; whatever else
    there is to say goes to standard error. docs/mcp.md tells how to have a program start it.

    \b
    Example:
      glassloop mcp
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.store.tables.users import check_name

    settings, name = load_settings(), check_name(user)
    import asyncio

    from glassloop.cli.running import running
    from glassloop.cli.until_told import hearing
    from glassloop.mcp_server.serving import serve_stdio

    with running(settings) as (runner, runtime):

        async def serve() -> None:
            stopping = asyncio.Event()
            with hearing(stopping.set):
                await serve_stdio(runtime, settings, user=name, stopping=stopping)

        runner.run(serve())
