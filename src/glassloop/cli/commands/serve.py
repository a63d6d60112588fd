"""`glassloop serve` and `glassloop worker`: the API and the page over HTTP, and turns of others, until told to stop."""

import asyncio
from contextlib import AsyncExitStack
from typing import Annotated

import msgspec
import typer

from glassloop import __version__
from glassloop.cli.agent_targets import with_targets
from glassloop.cli.commands.models import offer_weights, pull_missing
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.options import TargetsArgument
from glassloop.cli.run_until_signal import loop_runner, service_log, stop_signals
from glassloop.cli.ui.output import say
from glassloop.core.errors import UsageError
from glassloop.runtime.assistants.assistant_files import is_of_extension, list_assistants
from glassloop.runtime.build import open_runtime
from glassloop.runtime.child_processes.cpu_child import cpu_child
from glassloop.runtime.models import is_language_model
from glassloop.runtime.settings import Settings, warn_common
from glassloop.runtime.stores import store_url
from glassloop.runtime.watchdog import watchdog
from glassloop.server.gc_tuning import tuned_gc
from glassloop.store.engine.urls import is_postgres

app = typer.Typer()

GRACE_S = 10.0
_NO_MODEL = "not a language model; see `glassloop models` to set one up"


@app.command()
def serve(
    agents: TargetsArgument = None,
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Address to listen on. Other machines need GLASSLOOP_AUTH."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = 8000,
    root_path: Annotated[
        str | None,
        typer.Option(
            "--root-path", metavar="PATH", help="Path prefix behind a proxy, e.g. /agent. Default: GLASSLOOP_ROOT_PATH."
        ),
    ] = None,
    queue: Annotated[
        bool,
        typer.Option("--queue", help="Queue turns for `glassloop worker` in PostgreSQL instead of running them here."),
    ] = False,
    work: Annotated[bool, typer.Option("--work", help="With --queue: also run queued turns in this process.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="If no model is configured, download one that runs locally first.")
    ] = False,
) -> None:
    """Serve the API and the web page.

    SIGTERM and Ctrl-C shut it down gracefully: after SIGTERM, /readyz reports it for 2 s; event streams end and can be
    resumed elsewhere; other requests have 10 s to finish; turns are handed over. A second signal stops it at once.

    \b
    Examples:
      glassloop serve
      glassloop serve app.py:support
      GLASSLOOP_AUTH=keys glassloop serve --host 0.0.0.0 --port 80
      DATABASE_URL=postgresql://localhost/glassloop glassloop serve --queue
    """
    if work and not queue:
        raise UsageError("--work needs --queue: without it, turns always run here.")
    settings = with_targets(load_settings(), agents or ())
    if root_path is not None:
        settings = msgspec.structs.replace(settings, root_path=root_path)
    warn_common()
    if yes:
        pull_missing(settings)
    else:
        offer_weights(settings)
    with loop_runner() as runner:
        runner.run(_serve(settings, host, port, queue=queue, runs_turns=work or not queue))


@app.command()
def worker(
    agents: TargetsArgument = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency", metavar="N", min=1, help="Turns and jobs to run at once. Default: GLASSLOOP_MAX_TURNS."
        ),
    ] = None,
    metrics: Annotated[
        str | None,
        typer.Option("--metrics", metavar="HOST:PORT", help="Port for Prometheus metrics. Default: off."),
    ] = None,
) -> None:
    """Run queued turns and jobs from PostgreSQL.

    SIGTERM and Ctrl-C shut it down gracefully: it takes no new work, running work has 10 s to finish its phase, and
    another worker continues it. A second signal stops it at once.

    \b
    Example:
      DATABASE_URL=postgresql://localhost/glassloop glassloop worker --concurrency 20
    """
    settings = with_targets(load_settings(), agents or ())
    if not is_postgres(store_url(settings)):
        raise UsageError("Workers need PostgreSQL: set DATABASE_URL to postgresql://….")
    if concurrency is not None:
        settings = msgspec.structs.replace(settings, max_turns=concurrency)
    with loop_runner() as runner, tuned_gc():
        runner.run(_work(settings, metrics))


async def _serve(settings: Settings, host: str, port: int, *, queue: bool, runs_turns: bool) -> None:
    """Serves until SIGTERM or Ctrl-C; says where, and on a first start the admin token."""
    from glassloop.server.lifecycle import open_serving
    from glassloop.server.routes import page

    stopping, draining = asyncio.Event(), asyncio.Event()
    with stop_signals(stopping.set, on_sigterm=draining.set), service_log(settings):
        async with open_serving(settings, host, port, queue=queue, runs_turns=runs_turns) as serving:
            say(f"Glassloop {__version__} is listening at {serving.url}")
            if not page.is_built():
                say(page.NOT_BUILT)
            rules_only = not is_language_model(serving.model, settings)
            say(f"Model: {serving.model}{f', {_NO_MODEL}' if rules_only else ''}")
            say(f"Assistants: {await asyncio.to_thread(_offered, settings)}")
            own = "sign in with ADMIN_TOKEN" if settings.admin_token else "`glassloop keys admin` creates a new token"
            say(f"Admin: {serving.url}/admin; {own}")
            if serving.admin_token is not None:
                say(f"Admin token, shown only once: {serving.admin_token}")
            with watchdog():
                await serving.run(stopping, draining)
            say(f"Glassloop is stopping, {serving.runtime.running} turns running")
    say("Glassloop has stopped")


def _offered(settings: Settings) -> str:
    """The assistants that everybody who is let in may ask; those that are not installed with where they are."""
    found = list_assistants(settings)
    own = [each for each in found if not each.folder or not is_of_extension(each, settings)]
    named = [f"{each.name} (from {each.folder or each.source})" if each in own else each.name for each in found]
    return ", ".join(named) or "none"


async def _work(settings: Settings, metrics: str | None) -> None:
    """Takes work until told to stop, then hands over what is under way. `metrics` is where Prometheus may ask."""
    from glassloop.server.observability.metrics import Telemetry

    stopping = asyncio.Event()
    async with AsyncExitStack() as stack:
        stack.enter_context(stop_signals(stopping.set))
        stack.enter_context(service_log(settings))
        await stack.enter_async_context(cpu_child())
        telemetry = Telemetry(settings)
        stack.push_async_callback(telemetry.aclose)
        if metrics is not None:
            stack.callback(telemetry.metrics.serve(metrics))
        runtime = await open_runtime(
            settings, queue=True, observers=telemetry.observers, titles=settings.titles, enforces_access=True
        )
        stack.push_async_callback(runtime.aclose, GRACE_S)
        telemetry.attach(runtime)
        stack.push_async_callback(telemetry.detach)
        name = runtime.worker
        say(f"worker {name} is ready, {settings.max_turns} at once")
        with watchdog():
            await stopping.wait()
        say(f"worker {name} is stopping, {runtime.running} running")
    say(f"worker {name} has stopped")
