"""`glassloop models`: which model answers, the weights of those that run here, and what a model can do."""

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from glassloop.cli.commands.jobs import last_change
from glassloop.cli.folder_settings import load_settings
from glassloop.cli.options import JsonOption
from glassloop.cli.resources import use_runtime
from glassloop.cli.run_until_signal import loop_runner
from glassloop.cli.ui.console import make_console
from glassloop.cli.ui.model_views import ModelsInForce, advice, finding_line, models_view, weight_lines
from glassloop.cli.ui.output import complain, say, show_result, show_view, write_json
from glassloop.cli.ui.progress import progress_bar
from glassloop.cli.ui.prompt import ask_aside, can_ask
from glassloop.cli.ui.safe_text import one_line, safe_text
from glassloop.core.errors import GlassloopError, UnknownName, UsageError
from glassloop.models.model_name import parse_model_name
from glassloop.models.probe import ProbeResult
from glassloop.models.weights import DamagedWeights, format_bytes
from glassloop.own_folder import make_own
from glassloop.runtime.assistants.agent_parts.prefixes import PrefixReader, reads_ahead
from glassloop.runtime.assistants.assistant_files import default_assistant
from glassloop.runtime.models import (
    ModelInfo,
    default_model,
    describe_models,
    examine_model,
    is_language_model,
    is_offered,
    named_models,
)
from glassloop.runtime.probed_models import forget_probe as forget_examined
from glassloop.runtime.probed_models import store_probe
from glassloop.runtime.settings import Settings, find_origins
from glassloop.runtime.settings.connections import read_connections
from glassloop.runtime.weights import PULL, find_weights, kept_weights
from glassloop.store.records import JobRow

app = typer.Typer(name="models", help="Show the model in use; download and manage local models.")

INTERRUPTED = 130

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="A name from `glassloop models list`.")]


@app.callback(invoke_without_command=True)
def models(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show which model is in use and why, and how to use others.

    \b
    Examples:
      glassloop models
      glassloop models pull
    """
    if context.invoked_subcommand is not None:
        return
    found = models_in_force(load_settings())
    show_result(found, as_json, lambda terminal: models_view(found, terminal))


@app.command()
def pull(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A name from `glassloop models list`. Default: all.")
    ] = None,
    path: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="Use a file or folder you already have instead of downloading."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per change.")] = False,
) -> int:
    """Download and verify weights. Interrupted downloads are resumed.

    The prompt of the default assistant is then read, so that the first question need not wait for it; Ctrl-C skips
    that. Exits with 0 if the weights are ready, 1 if they are not available, 130 after Ctrl-C.

    \b
    Examples:
      glassloop models pull
      glassloop models pull embedded --from ~/Downloads
    """
    if name is None and path is None:
        code = _pull_all(load_settings(), as_json=as_json)
    else:
        code = _pull(load_settings(), name, given=path, as_json=as_json)
    if not code:
        # Loaded anew: with the weights another model may be in force.
        settings = load_settings()
        if name in (None, parse_model_name(default_model(settings)).provider):
            read_ahead(settings)
    return code


@app.command("list")
def list_weights(
    check: Annotated[bool, typer.Option("--check", help="Read the files completely and verify their hashes.")] = False,
    as_json: JsonOption = False,
) -> int:
    """List downloaded weights and partial downloads.

    With --check, damaged files are deleted and the exit code is 1.

    \b
    Example:
      glassloop models list --check
    """
    settings = load_settings()
    damage = _damage(settings) if check else []
    found = kept_weights(settings)
    show_result(found, as_json, lambda terminal: weight_lines(found, terminal))
    for problem in damage:
        complain(f"{problem}: run `glassloop models pull` to download it again.")
    return 1 if damage else 0


@app.command()
def remove(name: NameArgument) -> None:
    """Delete weights and their partial downloads.

    \b
    Example:
      glassloop models remove embedded
    """
    freed = find_weights(name, load_settings()).remove()
    if not freed:
        raise UnknownName(f"{name!r} is not downloaded: `glassloop models list` shows what is.")
    say(f"{name} was removed. Freed {format_bytes(freed)}.")


@app.command()
def doctor(
    name: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="The model, as provider:model. Default: the model in use.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Delete the stored results instead.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Test what a model can do and store the result.

    Makes a few short calls: tools, results, parallel calls, JSON schema, streaming, usage, thinking, context length.
    Exits with 1 if the model does not respond.

    \b
    Examples:
      glassloop models doctor
      glassloop models doctor ollama:qwen3:8b
      glassloop models doctor openai:my-model --forget
    """
    settings = load_settings()
    wanted = name or default_model(settings)
    if forget:
        gone = forget_examined(wanted, settings)
        say(f"Deleted the test results of {wanted}." if gone else f"No test results are stored for {wanted}.")
        return 0
    if not as_json and is_language_model(wanted, settings):
        say(f"Testing {wanted} …")

    def tell(finding: ProbeResult) -> None:
        show_view(lambda _: finding_line(finding))

    with loop_runner() as runner:
        found = runner.run(examine_model(wanted, settings, None if as_json else tell))
    kept = store_probe(found, settings)
    if as_json:
        write_json(found, indent=2)
    elif kept is None:
        complain(f"{wanted} does not respond, so there is no recommendation and nothing was stored.")
    else:
        say(advice(found, str(kept)))
    return 0 if found.works else 1


def pull_missing(settings: Settings) -> None:
    """Downloads weights if they are all that is missing for a language model."""
    if is_offered(settings):
        _pull_all(settings)


def offer_weights(settings: Settings, model: str | None = None, *, yes: bool = False) -> None:
    """Asks once whether to download a model that runs here, if that is all that is missing; `yes` does not ask.

    Only in a terminal: a download of a gigabyte is nothing to do behind somebody's back. Whatever comes of it, the
    caller goes on with what is there.
    """
    if model or not is_offered(settings) or not can_ask(sys.stderr):
        return
    declined = settings.home_path / "models" / "declined"
    if not yes and declined.exists():
        return
    if yes or _is_wanted(settings):
        _pull_all(settings)
        return
    with suppress(OSError):
        make_own(declined.parent)
        declined.touch()
    complain("Run `glassloop models pull` to download it later.")


def _is_wanted(settings: Settings) -> bool:
    offered = find_weights(None, settings).look()
    complain(f"No language model is configured. {offered.title} can run on this machine, without an account.")
    try:
        answer = ask_aside(f"Download it now? {format_bytes(offered.size)}, Apache-2.0. y(es) or n(o): ")
    except (EOFError, KeyboardInterrupt):
        return False
    return answer.strip().lower() in ("y", "yes")


def _pull_all(settings: Settings, *, as_json: bool = False) -> int:
    """Pulls everything there is, one after another, until something cannot be had."""
    names = settings.extensions.weights(settings)
    codes = (_pull(settings, name, as_json=as_json) for name in names)
    return next((code for code in codes if code), 0)


def _pull(settings: Settings, name: str | None, *, given: Path | None = None, as_json: bool = False) -> int:
    """Pulls weights as a job of this process, and shows how far it is."""
    size = (weights := find_weights(name, settings)).look().size
    if given is not None and not given.expanduser().exists():
        raise UsageError(f"There is no file or folder {str(given)!r}: check the path.")
    params = {"name": weights.name, "from": str(given.expanduser().resolve()) if given else None}
    with use_runtime(settings) as (runner, runtime):
        job = runner.run(runtime.jobs.submit(PULL, params))
        try:
            with _download_progress(size, as_json) as show:
                last = runner.run(last_change(runtime.jobs.watch(job.id), show))
        except KeyboardInterrupt:
            runner.run(runtime.jobs.cancel(job.id))
            complain("Stopped. Run `glassloop models pull` to resume the download.")
            return INTERRUPTED
    if last.status != "completed":
        if not as_json:
            complain(last.error or f"The download was {last.status}.")
        return 1
    if not as_json:
        notes = [f" ({safe_text(info.note)})" for info in describe_models(settings) if info.provider == weights.name]
        say(f"{weights.name} is ready: {weights.look().path}{''.join(notes)}")
    return 0


def read_ahead(settings: Settings) -> None:
    """Reads what questions to the default assistant begin with. The weights are there whatever comes of it."""
    if not reads_ahead(settings):
        return
    title = f"Reading the prompt of {default_assistant(settings)} ahead; Ctrl-C skips it"
    with use_runtime(settings, runs_turns=False) as (runner, runtime), progress_bar(title):
        try:
            runner.run(PrefixReader(settings, runtime.agents).read_all(most=1))
        except KeyboardInterrupt:
            complain("Skipped: the prompt is read with the first question.")
        except GlassloopError as error:
            complain(f"The prompt was not read ahead: {error}")


def _damage(settings: Settings) -> list[str]:
    """Problems of weights that are read whole and compared with their hashes."""
    damage: list[str] = []
    with loop_runner() as runner, progress_bar("Reading") as bar:
        for supply in settings.extensions.weights(settings).values():
            bar.stage(f"Reading {supply.name}")
            try:
                runner.run(supply.check(lambda _stage: None))
            except DamagedWeights as error:
                damage.append(str(error))
    return damage


@contextmanager
def _download_progress(size: int, as_json: bool) -> Generator[Callable[[JobRow], None]]:
    """Where the changes of the job go: JSON lines, a bar on a terminal, else nowhere."""
    if as_json or not sys.stderr.isatty():
        yield write_json if as_json else lambda _job: None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=make_console(sys.stderr), transient=True) as progress:
        task = progress.add_task("starting", total=size)

        def show(job: JobRow) -> None:
            done = int((job.fraction or 0.0) * size)
            progress.update(task, description=one_line(job.message or job.status, 60), completed=done)

        yield show


def models_in_force(settings: Settings) -> ModelsInForce:
    """The model in force and why it is, its tiers, and the state of every provider."""
    default, problem, tiers = default_model(settings), None, dict[str, str]()
    try:
        tiers = {tier: model.name for tier, model in named_models(None, settings).items()}
    except UsageError as error:
        problem = str(error)
    providers = tuple(describe_models(settings))
    return ModelsInForce(
        default=default,
        why=_why(settings, providers),
        tiers=tiers,
        preset=settings.preset,
        providers=providers,
        problem=problem,
    )


def _why(settings: Settings, providers: Sequence[ModelInfo]) -> str:
    if settings.model:
        return f"set as the model ({find_origins().get('model', 'settings')})"
    if settings.chosen_model:
        return "chosen on the web page"
    first = next((info for info in providers if info.configured), None)
    if first is not None and first.language_model and not first.variable:
        return "no provider is configured; this runs on your machine"
    if first is None or not first.variable:
        return "no provider is configured; this needs none, but is not a language model"
    entered = first.provider in read_connections(settings.home_path).values
    return f"{'a connection from the web page' if entered else first.variable} is set and no model is chosen"
