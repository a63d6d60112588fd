"""`glassloop settings` and `glassloop trust`: the settings in force, and whether a folder may decide anything."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from glassloop.cli.folder_settings import load_settings, trust_folder
from glassloop.cli.options import JsonOption
from glassloop.cli.ui.output import Line, show_result
from glassloop.cli.ui.safe_text import json_line, safe_text
from glassloop.models.tiers import PRESETS
from glassloop.runtime.settings import Settings, all_settings, find_origins, masked

app = typer.Typer()

HIDDEN = "(set, not shown)"


@app.command()
def settings(as_json: JsonOption = False) -> None:
    """Show every setting and where its value came from.

    \b
    Example:
      glassloop settings
    """
    found = _in_force(load_settings())
    show_result(found, as_json, lambda _: [line for setting in found for line in _setting_lines(setting)])


@app.command()
def trust(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder. Default: the current folder.")] = Path(),
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Trust it without asking. What is trusted is still shown.")
    ] = False,
    no: Annotated[
        bool, typer.Option("--no", help="Ignore the folder's files and never ask; revokes earlier trust.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Trust or ignore the settings files of a folder.

    A folder's settings, MCP servers and assistants with their code may come from someone else. They are ignored
    until you trust the folder.

    Shows exactly what the folder would control and what is always ignored, then asks. Your answer applies to exactly
    that content; later changes are shown and you are asked again. With --json it does not ask.

    \b
    Examples:
      glassloop trust .
      glassloop trust ../project --no
      glassloop trust --json
    """
    trust_folder(path, yes=yes, no=no, as_json=as_json)


def _in_force(settings: Settings) -> list[dict[str, Any]]:
    """Every setting with its value and where that came from, secrets masked."""
    origins, values = find_origins(), settings.values
    return [
        {
            "name": key,
            "variable": setting.variable,
            "value": masked(key, msgspec.to_builtins(values[key]), HIDDEN),
            "origin": origins.get(key, "default"),
            "meaning": setting.description,
            "note": _note(key, settings),
        }
        for key, setting in all_settings().items()
    ]


def _note(name: str, settings: Settings) -> str:
    """A hint where a value is accepted but does not do what it says."""
    if name != "preset" or settings.preset in PRESETS:
        return ""
    return f"There is no preset {settings.preset!r}, so 'balanced' is used: choose one of {', '.join(PRESETS)}."


def _setting_lines(setting: dict[str, Any]) -> list[Line]:
    value = setting["value"]
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    shown = "not set" if value is None else safe_text(plain) or json_line(value, 200)
    lines = [Line((setting["name"], "act"), f" = {shown}  ", (setting["origin"], "soft"))]
    if setting["note"]:
        lines.append(Line((safe_text(setting["note"]), "trouble"), indent=4))
    about = f"{setting['meaning']} {setting['variable']}".rstrip()
    return [*lines, Line((about, "faint"), indent=4)]
