"""`glassloop serve`: the API and the page over HTTP, until it is told to stop."""

from typing import Annotated

import typer

from glassloop.core.errors import UsageError

app = typer.Typer()


@app.command()
def serve(
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Where to listen. Beyond this machine needs GLASSLOOP_AUTH."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="0 takes any that is free.")
    ] = 8000,
    queue: Annotated[
        bool, typer.Option("--queue", help="Leave turns to `glassloop worker`s, over PostgreSQL. Else they run here.")
    ] = False,
    work: Annotated[bool, typer.Option("--work", help="With --queue: run turns of the queue here too.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Download the embedded model first where nothing else is configured.")
    ] = False,
) -> None:
    """Serve the API and a page for browsers, until told to stop.

    SIGTERM and Ctrl-C stop it in order: event streams end, to be resumed elsewhere; other requests may finish, at most
    10 s; turns are handed over. A second one ends it at once.

    \b
    Examples:
      glassloop serve
      GLASSLOOP_AUTH=keys glassloop serve --host 0.0.0.0 --port 80
      DATABASE_URL=postgresql://localhost/glassloop glassloop serve --queue
    """
    if work and not queue:
        raise UsageError("--work goes with --queue: without it turns run here anyway.")
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.models_offer import offer_weights, take_weights
    from glassloop.cli.serve_work import serve_until_told
    from glassloop.cli.until_told import loop_runner

    settings = load_settings()
    if yes:
        take_weights(settings)
    else:
        offer_weights(settings)
    with loop_runner() as runner:
        runner.run(serve_until_told(settings, host, port, queue=queue, works=work or not queue))
