"""Help, usage errors, and the table of commands: each is imported when it is asked for, so that `--help` is quick."""

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import typer
import typer.main
from typer.core import TyperGroup

COMMANDS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "Ask": {
        "ask": ("ask", "Ask one question and watch the answer."),
        "chat": ("ask", "Talk to an assistant in this terminal."),
        "approve": ("turns", "Approve or refuse what a turn is waiting for."),
        "answer": ("turn_input", "Answer a question from a turn."),
        "steer": ("turn_input", "Send a message to a running or paused turn."),
        "cancel": ("turns", "Cancel a turn, wherever it runs."),
        "resume": ("turns", "Resume interrupted turns."),
        "schedule": ("schedules", "Add, list, pause and cancel scheduled questions."),
        "inbox": ("schedules", "Show approvals and results waiting for you."),
    },
    "Inspect": {
        "watch": ("turns", "Follow a running turn, or review a finished one."),
        "sources": ("sources", "Show where each figure in an answer came from."),
        "replay": ("turns", "Rerun a turn to compare it, or continue from a step."),
        "sessions": ("sessions", "List, show, search, export, import and delete conversations."),
        "eval": ("evals", "Run a suite of questions and grade the answers."),
    },
    "Set up": {
        "assistants": ("assistants", "List all assistants, built in and your own."),
        "init": ("assistants", "Create your own assistant."),
        "tools": ("assistants", "List the tools of an assistant, including MCP tools."),
        "models": ("models", "Show the model in use; download and manage local models."),
        "knowledge": ("knowledge", "List, search and remove documents of assistants."),
        "import": ("import_data", "Import your own data."),
        "settings": ("settings", "Show every setting and where its value came from."),
        "trust": ("settings", "Trust or ignore the settings files of a folder."),
    },
    "Run": {
        "serve": ("serve", "Serve the API and the web page."),
        "worker": ("serve", "Run queued turns and jobs from PostgreSQL."),
        "jobs": ("jobs", "List, show and cancel long-running jobs."),
        "dead-letters": ("dead_letters", "List, retry or drop work that crashed its process twice."),
    },
    "Administer": {
        "users": ("users", "List, add, rename and remove users."),
        "keys": ("users", "List, create and revoke API keys."),
        "access": ("governance", "List, set and remove access and spending rules."),
        "audit": ("governance", "List, verify and export the audit log."),
        "db": ("database", "Check or back up the database."),
    },
}
"""By heading of `glassloop --help`: the module of each command, and its summary."""

GROUPS = (
    "schedule",
    "sessions",
    "eval",
    "models",
    "knowledge",
    "import",
    "jobs",
    "dead-letters",
    "users",
    "keys",
    "access",
    "audit",
    "db",
)
"""Those of them that have commands of their own; extensions may add to them."""

_MODULES = {name: module for commands in COMMANDS.values() for name, (module, _) in commands.items()}

_USAGE_ERRORS: Sequence[tuple[str, str]] = (
    (r"Invalid value for '(.+?)': Input should be greater than or equal to (\S+)", r"\1 must be at least \2"),
    (r"Invalid value for '(.+?)': Input should be less than or equal to (\S+)", r"\1 must be at most \2"),
    (r"Invalid value for '(.+?)': Input should be a valid integer.*", r"\1 must be a whole number"),
    (r"Invalid value for '(.+?)': Input should be a valid number.*", r"\1 must be a number"),
    (r"No such command '(?>(.*?)'\. Did you mean )(.+?)\?", r"There is no command '\1': did you mean \2?"),
    (r"No such command '(.*?)'", r"There is no command '\1'"),
    (r"No such option: (\S+) \(Possible options: (.+)\)", r"There is no option \1: did you mean \2?"),
    (r"No such option: (\S+) Did you mean (.+?)\?", r"There is no option \1: did you mean \2?"),
    (r"No such option: (\S+)", r"There is no option \1"),
    (r"Missing (?:argument|option|parameter) '(.+?)'", r"\1 is missing"),
    (r"Got unexpected extra argument\(s\) \((.*)\)", r"Unexpected argument: \1"),
)


class Helpful(TyperGroup):
    """A group that tells what it has when nothing of it is asked for."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if not args:
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)


class CommandTree(TyperGroup):
    """The commands of `COMMANDS`, then those of extensions. `extra` is what extensions add to groups of ours."""

    extra: Mapping[str, Sequence[typer.Typer]] = {}

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if cmd_name in _MODULES:
            whole = typer.Typer(rich_markup_mode=None)
            whole.add_typer(import_module(f"glassloop.cli.commands.{_MODULES[cmd_name]}").app)
            loaded = self.commands[cmd_name] = typer.main.get_group(whole).commands[cmd_name]
            if isinstance(loaded, TyperGroup):
                for more in self.extra.get(cmd_name, ()):
                    loaded.commands = {**loaded.commands, **typer.main.get_group(more).commands}
        return super().get_command(ctx, cmd_name)  # pyright: ignore[reportArgumentType]

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # noqa: ARG002  # pyright: ignore[reportIncompatibleMethodOverride]
        rest = [name for name in self.commands if name not in _MODULES]
        limit = formatter.width - 6 - max(map(len, self.commands))
        for title, names in {**COMMANDS, "From extensions": rest}.items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name, self.commands[name].get_short_help_str(limit)) for name in names])


def usage_error(message: str, command: str) -> str:
    """What the command-line library says of a mistake, as one sentence of ours, and where to read more."""
    message = message.strip().rstrip(".")
    for pattern, words in _USAGE_ERRORS:
        if found := re.match(rf"\A(?:{pattern})\Z", message, re.DOTALL):
            message = found.expand(words)
            break
    return f"{message}{'' if message.endswith('?') else '.'} See `{command} --help`."
