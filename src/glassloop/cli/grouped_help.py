"""Help: `glassloop --help` with its commands by what one wants to do, and that of a group whose command is missing."""

from typing import Any

import typer
from typer.core import TyperGroup

GROUPS = {
    "Ask": ("ask", "chat", "approve", "cancel", "resume"),
    "Look": ("watch", "sources", "replay", "sessions", "eval"),
    "What there is": ("assistants", "init", "tools", "models", "knowledge", "import", "servers", "settings", "trust"),
    "Run": ("serve", "worker", "mcp", "jobs"),
    "Administer": ("users", "keys", "db"),
}


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
        for title, names in {**GROUPS, "More": rest}.items():
            rows = [(name, self.commands[name].get_short_help_str(limit)) for name in names if name in self.commands]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
