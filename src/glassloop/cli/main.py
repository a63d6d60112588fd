"""The command `glassloop`: its commands, and one sentence for every mistake."""

import logging
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from glassloop.cli.help import COMMANDS, GROUPS, CommandTree, usage_error
from glassloop.cli.ui.output import complain
from glassloop.cli.ui.problem_log import PROBLEM_LOGS, show_problems
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime.extensions import installed_extensions

BAD_INPUT, FAILED = 2, 1
_left_out: list[str] = []
"""Commands of extensions that cannot be used, and why."""
logging.getLogger("glassloop").addHandler(logging.NullHandler())

app = typer.Typer(
    name="glassloop",
    cls=CommandTree,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _add_commands() -> None:
    """Adds the summaries of our commands, and the commands of extensions; one whose commands fail has none."""
    extra: dict[str, list[typer.Typer]] = {name: [] for name in GROUPS}
    for name, (_, summary) in ((name, each) for commands in COMMANDS.values() for name, each in commands.items()):
        app.command(name, help=summary)(lambda: None)
    for extension in installed_extensions():
        try:
            for group, commands in extension.commands().items():
                if group and group not in extra:
                    raise UsageError(f"there is no group {group!r}: choose from {', '.join(extra)}")
                if group:
                    extra[group].append(commands)
                else:
                    app.add_typer(commands)
        except Exception as error:
            _left_out.append(f"commands of the extension {extension.name!r} were left out: {error}")
    CommandTree.extra = extra


_add_commands()


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
    """What the runtime logs is for operators: shown with `--debug` only. A mistyped setting, and what is installed and
    does not work, concerns the person who typed the command."""
    logger = logging.getLogger("glassloop")
    logger.handlers = [logging.StreamHandler(sys.stderr) if debug else logging.NullHandler()]
    logger.setLevel(logging.DEBUG if debug else logging.WARNING)
    show_problems(PROBLEM_LOGS, also_logged=debug)
    for problem in (*installed_extensions().problems, *_left_out):
        complain(str(problem))


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; its exit code. Every mistake is one sentence, without a stack trace."""
    try:
        code: object = app(args=list(arguments), prog_name="glassloop", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except GlassloopError as error:
        message, failed = str(error), BAD_INPUT if isinstance(error, UsageError) else FAILED
    except typer.TyperException as error:
        context: typer.Context | None = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "glassloop"
        message, failed = usage_error(error.format_message(), path), BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        # Nobody reads any more. What is still buffered must not fail again while the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        logging.getLogger("glassloop").debug("the command failed", exc_info=error)
        what = f"{type(error).__name__}: {error}"
        message, failed = f"Unexpected error ({what}): run `glassloop --debug …` for details.", FAILED
    complain(message)
    return failed


def main() -> None:
    """The entry point."""
    sys.exit(run(sys.argv[1:]))
