"""Settings for a command, and the question whether settings files of the working folder may be used.

What is asked about is shown completely and exactly, secrets masked; what is remembered counts for exactly that content.
"""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from glassloop.cli.ui.output import complain, say
from glassloop.cli.ui.prompt import ask_aside, can_ask
from glassloop.cli.ui.safe_text import exact
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime import settings as runtime_settings
from glassloop.runtime.settings import Settings, all_settings, folder_files, home_of, masked
from glassloop.runtime.settings.folder import DOTENV, TOML, FolderFile, FolderTrust, TrustDecision, value_of

_VALUE_CHARS = 300
_asked: set[str] = set()
"""Files that nobody answered about: once a process is enough."""


def load_settings() -> Settings:
    """The settings as they stand. In a terminal, asks first about files of the working folder it was not told about."""
    if can_ask(sys.stderr):
        _ask_once([file for file in folder_files(os.environ, Path.cwd()) if _is_open(file)])
    return runtime_settings.load_settings()


def trust_folder(path: Path, *, yes: bool, no: bool) -> None:
    """Shows what the settings files of a folder would decide, asks, and remembers."""
    if yes and no:
        raise UsageError("--yes and --no exclude each other: give one of them.")
    folder = path.parent if path.name in (DOTENV, TOML) and not path.is_dir() else path
    if not folder.is_dir():
        raise UsageError(f"{str(path)!r} is no folder: name one with a {DOTENV} or {TOML} in it.")
    files = [file for file in folder_files(os.environ, folder) if file.of("asked")]
    if not files:
        say(f"No settings file in {exact(repr(str(folder)))} waits for your decision.")
        return
    _show(files, say)
    if no:
        _remember(files, "refused")
        say("Not trusted: these settings are ignored, and nobody is asked about them.")
    elif all(file.decision == "trusted" for file in files):
        say("Trusted already, exactly as shown; --no takes that back.")
    else:
        _confirm(files, yes=yes)
        say("Trusted, exactly as shown: a file that changes is asked about again.")


def _confirm(files: Sequence[FolderFile], *, yes: bool) -> None:
    """Goes on only when a person says so, or has said so by `--yes`."""
    if not yes and not can_ask(sys.stderr):
        raise UsageError("Nobody can be asked here about these settings: add --yes if you have read what is shown.")
    decision = "trusted" if yes else _answer()
    if decision is not None:
        _remember(files, decision)
    if decision != "trusted":
        raise GlassloopError("Nothing was trusted.")


def _is_open(file: FolderFile) -> bool:
    """Whether the user was never asked about it, and it would decide anything that the environment does not."""
    known = all_settings()
    needs = any(key not in known or not value_of(known[key], os.environ) for key in file.of("asked"))
    return needs and file.decision is None and file.digest not in _asked


def _ask_once(files: Sequence[FolderFile]) -> None:
    if not files:
        return
    _show(files, complain)
    if (decision := _answer()) is not None:
        _remember(files, decision)
    _asked.update(file.digest for file in files)


def _answer() -> TrustDecision | None:
    """None for whatever is neither yes nor no: nothing is used, and nothing is remembered."""
    try:
        answer = ask_aside("Use exactly these settings? y(es), n(o): ").strip().lower()
    except EOFError:
        answer = ""
    if answer in ("y", "yes"):
        return "trusted"
    return "refused" if answer in ("n", "no") else None


def _remember(files: Sequence[FolderFile], decision: TrustDecision) -> None:
    trust = FolderTrust(home_of(os.environ))
    for file in files:
        trust.remember(file, decision)


def _shown(value: object) -> str:
    """In ASCII, so that nothing steers the terminal or looks like other letters; an address tells its host first."""
    text = ascii(value)
    return (
        text if len(text) <= _VALUE_CHARS else f"{text[:_VALUE_CHARS]}… ({len(text) - _VALUE_CHARS:,} more characters)"
    )


def _show(files: Sequence[FolderFile], write: Callable[[str], None]) -> None:
    """Each file with all that it would decide, a line for each, so that none is out of sight."""
    names = {key: setting.shown for key, setting in all_settings().items()}
    for file in files:
        write(f"{exact(repr(file.path))} may be somebody else's. It would set:")
        for name, value in file.of("asked").items():
            write(f"  {exact(names.get(name, name))} = {_shown(masked(name, value))}")
        if never := sorted(exact(names.get(name, name)) for name in file.of("never")):
            write(f"  Never taken from a folder: {', '.join(never)}")
