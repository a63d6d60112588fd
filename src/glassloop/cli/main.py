"""The command `glassloop`: what can be typed, and how every mistake is told.

Commands only gather their options; the work is imported when it is asked for, so that help and mistakes are quick.
"""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from glassloop.cli import (
    database,
    evals,
    import_data,
    jobs,
    keys,
    knowledge,
    mcp,
    models,
    serve,
    servers,
    sessions,
    trust,
    turns,
    users,
    worker,
)
from glassloop.cli.grouped_help import GroupedHelp
from glassloop.cli.options import EventsOption, JsonOption, ModelOption
from glassloop.cli.tell import tell
from glassloop.core.errors import GlassloopError, UsageError

BAD_INPUT, FAILED = 2, 1

app = typer.Typer(
    name="glassloop",
    cls=GroupedHelp,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

AssistantOption = Annotated[
    str, typer.Option("--assistant", "-a", metavar="NAME", help="Who answers: a name, or the path of its folder.")
]
SessionOption = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="The conversation this belongs to. Else a new one.")
]


app.add_typer(turns.app)
app.add_typer(sessions.app)
app.add_typer(jobs.app)
app.add_typer(serve.app)
app.add_typer(worker.app)
app.add_typer(database.app)
app.add_typer(users.app)
app.add_typer(keys.app)
app.add_typer(servers.app)
app.add_typer(mcp.app)
app.add_typer(evals.app)
app.add_typer(models.app)
app.add_typer(import_data.app)
app.add_typer(knowledge.app)
app.add_typer(trust.app)


@app.callback(invoke_without_command=True)
def glassloop(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Log to standard error, and show stack traces.")] = False,
) -> None:
    """A ReAct agent runtime whose every step can be seen.

    \b
    Examples:
      glassloop ask "What is 18% of 2,450?"
      glassloop chat
      glassloop models
    """
    _log(debug)
    if version:
        from glassloop import __version__

        typer.echo(f"glassloop {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", help="What to answer; - or nothing reads standard input.")
    ] = None,
    assistant: AssistantOption = "general",
    model: ModelOption = None,
    session: SessionOption = None,
    as_json: EventsOption = False,
    max_iterations: Annotated[
        int | None, typer.Option("--max-iterations", metavar="N", help="At most so many steps. Else the assistant's.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve whatever the turn asks approval for.")] = False,
) -> int:
    """Ask one question and watch it being answered.

    Ends with 0 when answered, 1 when the turn failed, 2 for bad input, 3 when it waits for an approval that nobody can
    give, 4 when it was answered without something that was refused, 130 after Ctrl-C.

    \b
    Examples:
      glassloop ask "Convert 26.2 miles to kilometers"
      echo "What is 18% of 2,450?" | glassloop ask --json
      glassloop ask -a ./my-assistant -m reflex "Which files are here?"
    """
    if max_iterations is not None and max_iterations < 1:
        raise UsageError(f"--max-iterations must be at least 1, not {max_iterations}: leave it out for the default.")
    from glassloop.cli.terminal import read_question

    text = read_question(question)
    from glassloop.cli.ask import ask_once

    return ask_once(
        text,
        assistant=assistant,
        model=model,
        session=session,
        as_json=as_json,
        max_iterations=max_iterations,
        yes=yes,
    )


@app.command()
def chat(assistant: AssistantOption = "general", model: ModelOption = None, session: SessionOption = None) -> int:
    """Talk to an assistant in this terminal.

    \b
    Examples:
      glassloop chat
      glassloop chat -a ./my-assistant -m ollama:qwen3:8b
    """
    from glassloop.cli.chat import chat as talk

    return talk(assistant=assistant, model=model, session=session)


@app.command()
def tools(assistant: AssistantOption = "general", as_json: JsonOption = False) -> None:
    """List the tools of an assistant, those of MCP servers too.

    \b
    Examples:
      glassloop tools
      glassloop tools -a ./my-assistant --json
    """
    from glassloop.cli.tools import list_tools

    list_tools(assistant, as_json=as_json)


@app.command()
def assistants(as_json: JsonOption = False) -> None:
    """List the assistants there are, yours and ours.

    \b
    Example:
      glassloop assistants
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.listing import show_assistants
    from glassloop.cli.streams import complain
    from glassloop.runtime.assistants import survey_assistants

    found, unusable = survey_assistants(load_settings())
    tell(found, as_json, lambda _look: show_assistants(found, unusable))
    for entry in unusable if as_json else ():
        complain(f"Not usable by name: {entry.folder}: {entry.reason}")


@app.command()
def init(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name: letters, digits, - and _.")],
    folder: Annotated[
        Path | None, typer.Option("--dir", metavar="FOLDER", help="Where to make it. Else the current folder.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make an assistant of your own.

    \b
    Examples:
      glassloop init librarian
      glassloop ask -a librarian "Which files are here?"
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.runtime.assistants import list_assistants, make_assistant

    settings = load_settings()
    made = make_assistant(name, folder or Path.cwd())
    by_name = any(assistant.folder == str(made) for assistant in list_assistants(settings))
    asked = name if by_name else f"./{name}" if folder is None else str(made)
    if as_json:
        tell({"name": name, "folder": str(made), "asked_as": asked}, True, lambda _look: "")
        return
    typer.echo(f"Made {made}: assistant.toml says who it is, tools.py what it can do.")
    typer.echo(f'Ask it: glassloop ask -a {asked} "Which files are here?"')


@app.command()
def settings(as_json: JsonOption = False) -> None:
    """Show every setting and where its value came from.

    \b
    Example:
      glassloop settings
    """
    from glassloop.cli.folder_settings import load_settings
    from glassloop.cli.listing import settings_in_force, show_settings

    found = settings_in_force(load_settings())
    tell(found, as_json, lambda _look: show_settings(found))


def _log(debug: bool) -> None:
    """What the runtime logs is for operators: shown with `--debug` only."""
    logger = logging.getLogger("glassloop")
    logger.handlers = [logging.StreamHandler(sys.stderr) if debug else logging.NullHandler()]
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    # A mistyped setting concerns whoever typed the command.
    said = logging.getLogger("glassloop.settings")
    said.handlers, said.propagate = [_Complaint()], False


class _Complaint(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        from glassloop.cli.streams import complain

        complain(record.getMessage())


def run(arguments: Sequence[str]) -> int:
    """One command line to its exit code. Every mistake is told in one sentence, without a stack trace."""
    try:
        code: object = app(args=list(arguments), prog_name="glassloop", standalone_mode=False)
    except UsageError as error:
        return _complain(str(error), BAD_INPUT)
    except GlassloopError as error:
        return _complain(str(error), FAILED)
    except typer.TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "glassloop"
        from glassloop.cli.mistakes import retold

        return _complain(retold(error.format_message(), path), BAD_INPUT)
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        # Nobody reads any more. What is still buffered must not fail again while the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        logging.getLogger("glassloop").debug("the command failed", exc_info=error)
        what = f"{type(error).__name__}: {error}"
        return _complain(f"Something unexpected went wrong ({what}): `glassloop --debug …` shows where.", FAILED)
    return code if isinstance(code, int) else 0


def _complain(message: str, code: int) -> int:
    from glassloop.cli.streams import complain

    complain(message)
    return code


def main() -> None:
    """The entry point."""
    sys.exit(run(sys.argv[1:]))
