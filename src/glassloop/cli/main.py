"""The command `glassloop`: its commands, and one sentence for every mistake.

Commands import what they work with when they are run, so that help and mistakes are quick.
"""

import logging
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated

import typer

from glassloop.cli.commands import (
    ask,
    assistants,
    database,
    evals,
    import_data,
    jobs,
    knowledge,
    models,
    replay,
    serve,
    sessions,
    settings,
    sources,
    turns,
    users,
)
from glassloop.cli.help import GroupedHelp, usage_error
from glassloop.cli.ui.stdio import complain
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.extensions import Extension, installed_extensions

BAD_INPUT, FAILED = 2, 1
_left_out = logging.getLogger("glassloop.extensions")

app = typer.Typer(
    name="glassloop",
    cls=GroupedHelp,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(ask.app)
app.add_typer(assistants.app)
app.add_typer(settings.app)
app.add_typer(turns.app)
app.add_typer(sources.app)
app.add_typer(replay.app)
app.add_typer(sessions.app)
app.add_typer(jobs.app)
app.add_typer(serve.app)
app.add_typer(database.app)
app.add_typer(users.app)
app.add_typer(users.keys)
app.add_typer(evals.app)
app.add_typer(models.app)
app.add_typer(import_data.app)
app.add_typer(knowledge.app)


def add_extensions(extensions: Iterable[Extension]) -> None:
    """Adds the commands that extensions bring, to their groups. One whose commands cannot be made has none."""
    own = (sessions.app, jobs.app, database.app, users.app, users.keys, evals.app, models.app, import_data.app)
    groups = {"": app, **{str(group.info.name): group for group in own}}
    for extension in extensions:
        try:
            import_data.add_importers(extension.importers())
            for group, commands in extension.commands().items():
                if group not in groups:
                    raise UsageError(f"there is no group {group!r}: choose from {', '.join(filter(None, groups))}")
                groups[group].add_typer(commands)
        except Exception as error:
            _left_out.warning("commands of the extension %r were left out: %s", extension.name, error)


add_extensions(installed_extensions())


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
        return _complain(usage_error(error.format_message(), path), BAD_INPUT)
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
    complain(message)
    return code


def main() -> None:
    """The entry point."""
    sys.exit(run(sys.argv[1:]))
