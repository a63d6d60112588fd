"""`glassloop worker`: runs turns and jobs that others submit, until it is told to stop."""

from typing import Annotated

import typer

from glassloop.core.errors import UsageError

app = typer.Typer()


@app.command()
def worker(
    concurrency: Annotated[
        int | None,
        typer.Option("--concurrency", metavar="N", min=1, help="Turns and jobs at once. Else GLASSLOOP_MAX_TURNS."),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="HOST:PORT", help="Tell Prometheus there what is measured. Else nowhere."),
    ] = None,
) -> None:
    """Run turns and jobs from PostgreSQL until told to stop.

    SIGTERM and Ctrl-C hand over: nothing new is taken, what runs may end the phase it is in, at most 10 s, and goes on
    with another worker. A second one stops at once.

    \b
    Example:
      DATABASE_URL=postgresql://localhost/glassloop glassloop worker --concurrency 20
    """
    import msgspec

    from glassloop.cli.folder_settings import load_settings
    from glassloop.runtime.build import store_url
    from glassloop.store.engine.urls import is_postgres

    settings = load_settings()
    if not is_postgres(store_url(settings)):
        raise UsageError("Workers need PostgreSQL: set DATABASE_URL to postgresql://….")
    if concurrency is not None:
        settings = msgspec.structs.replace(settings, max_turns=concurrency)
    from glassloop.cli.until_told import loop_runner
    from glassloop.cli.worker_work import work
    from glassloop.server.collecting import collected_seldom

    with loop_runner() as runner, collected_seldom():
        runner.run(work(settings, metrics))
