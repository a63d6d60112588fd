"""Help and usage errors: `glassloop --help` with its commands by purpose, and the library's messages in our words."""

import re
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

GROUPS = {
    "Ask": ("ask", "chat", "approve", "cancel", "resume"),
    "Look": ("watch", "sources", "replay", "sessions", "eval"),
    "What there is": ("assistants", "init", "tools", "models", "knowledge", "import", "settings", "trust"),
    "Run": ("serve", "worker", "jobs"),
    "Administer": ("users", "keys", "db"),
}

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
    (r"Got unexpected extra argument\(s\) \((.*)\)", r"This is more than the command takes: \1"),
)


class Helpful(TyperGroup):
    """A group that tells what it has when nothing of it is asked for."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # pyright: ignore[reportIncompatibleMethodOverride]
        if not args:
            typer.echo(ctx.get_help())
            raise typer.Exit
        return super().parse_args(ctx, args)


class GroupedHelp(TyperGroup):
    """Its help tells the commands by `GROUPS`; one that is in none comes last."""

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # noqa: ARG002  # pyright: ignore[reportIncompatibleMethodOverride]
        named = {name for names in GROUPS.values() for name in names}
        rest = tuple(name for name in self.commands if name not in named)
        limit = formatter.width - 6 - max(map(len, self.commands))
        for title, names in {**GROUPS, "From extensions": rest}.items():
            rows = [(name, self.commands[name].get_short_help_str(limit)) for name in names if name in self.commands]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def usage_error(message: str, command: str) -> str:
    """What the command-line library says of a mistake, as one sentence of ours, and where to read more."""
    message = message.strip().rstrip(".")
    for pattern, words in _USAGE_ERRORS:
        if found := re.match(rf"\A(?:{pattern})\Z", message, re.DOTALL):
            message = found.expand(words)
            break
    return f"{message}{'' if message.endswith('?') else '.'} See `{command} --help`."
