"""A command before it runs, as a person reads it: the line itself, what holds it, and what it may reach."""

from collections.abc import Sequence
from typing import cast

import msgspec
from rich.text import Text

from glassloop.cli.ui.safe_text import bounded, exact
from glassloop.core.records import Json


class CommandPreview(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tool that runs commands shows before it does."""

    command: str
    folder: str
    timeout_s: int
    network: bool
    sandbox: str | None
    warnings: Sequence[str]


def command_view(preview: Json) -> Text | None:
    """None for a preview of something else."""
    try:
        shown = msgspec.convert(cast("object", preview), CommandPreview)
    except msgspec.ValidationError:
        return None
    first, *more = bounded(exact(shown.command)).split("\n")
    view = Text.assemble(
        ("  $ ", "soft"), (first, "act"), *((f"\n    {line}", "act") for line in more), overflow="fold"
    )
    facts = [
        "in the workspace root" if shown.folder == "." else f"in {exact(shown.folder)}",
        f"in the sandbox {exact(shown.sandbox)}" if shown.sandbox else "without a sandbox",
        "with network access" if shown.network else "without network access",
        f"timeout {shown.timeout_s:,} s",
    ]
    view.append(f"\n  {', '.join(facts)}", "soft" if shown.sandbox and not shown.network else "trouble")
    for warning in shown.warnings:
        view.append(f"\n  {exact(warning)}", "trouble")
    return view
