"""`glassloop models`: which model answers, and the weights of those that run here.

Only the options are here; the work is imported when it is asked for.
"""

from pathlib import Path
from typing import Annotated

import typer

from glassloop.cli.options import JsonOption

app = typer.Typer(name="models", help="Which model answers, and the weights of those that run here.")

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Which weights; `glassloop models list` tells.")]


@app.callback(invoke_without_command=True)
def models(context: typer.Context, as_json: JsonOption = False) -> None:
    """Show which model answers and why, and what to set for others.

    \b
    Examples:
      glassloop models
      glassloop models pull
    """
    if context.invoked_subcommand is not None:
        return
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.listing import models_in_force, show_models
    from glassloop.cli.tell import tell

    found = models_in_force(load_settings())
    tell(found, as_json, lambda look: show_models(found, look))


@app.command()
def pull(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Which weights; `glassloop models list` tells. Else all.")
    ] = None,
    path: Annotated[
        Path | None,
        typer.Option("--from", metavar="PATH", help="A file you have already, or its folder, instead of a download."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For programs: one JSON line for every change.")] = False,
) -> int:
    """Download weights, and check them. What was downloaded before is not fetched again.

    Ends with 0 when they are there, 1 when they cannot be had, 130 after Ctrl-C.

    \b
    Examples:
      glassloop models pull
      glassloop models pull embedded --from ~/Downloads
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.models_pull import pull_all, pull_weights

    if name is None and path is None:
        return pull_all(load_settings(), as_json=as_json)
    return pull_weights(load_settings(), name or "embedded", given=path, as_json=as_json)


@app.command("list")
def list_weights(
    check: Annotated[bool, typer.Option("--check", help="Read them whole, and compare their hashes.")] = False,
    as_json: JsonOption = False,
) -> int:
    """List the weights there are, and what is left of broken downloads.

    With --check it ends with 1 when something is damaged; that is deleted.

    \b
    Example:
      glassloop models list --check
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.models_pull import show_weights

    return show_weights(load_settings(), check=check, as_json=as_json)


@app.command()
def remove(name: NameArgument) -> None:
    """Delete weights, and what is left of their downloads.

    \b
    Example:
      glassloop models remove embedded
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.models_pull import remove_weights

    remove_weights(load_settings(), name)


@app.command()
def doctor(
    name: Annotated[
        str | None, typer.Argument(metavar="MODEL", help="Which model, as provider:model; else the one in force.")
    ] = None,
    forget: Annotated[bool, typer.Option("--forget", help="Let go of what is remembered of it instead.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Find out by asking what a model can do, and remember it.

    A few short calls: tools, results, parallel calls, JSON schema, streaming, usage, thinking, context length.
    Ends with 1 when the model does not answer.

    \b
    Examples:
      glassloop models doctor
      glassloop models doctor ollama:qwen3:8b
      glassloop models doctor openai:my-model --forget
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.models_doctor import examine_here, forget_here

    if forget:
        return forget_here(load_settings(), name)
    return examine_here(load_settings(), name, as_json=as_json)
