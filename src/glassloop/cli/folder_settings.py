"""Settings for a command, and the question whether the working folder is trusted.

What is asked about is shown completely and exactly, secrets masked; what is remembered counts for exactly that content.
"""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from glassloop.cli.ui.output import complain, say, write_json
from glassloop.cli.ui.prompt import ask_aside, can_ask
from glassloop.cli.ui.safe_text import exact
from glassloop.core.errors import GlassloopError, UsageError
from glassloop.runtime import settings as runtime_settings
from glassloop.runtime.settings import (
    Settings,
    all_settings,
    describe_waiting,
    home_of,
    trusted_folders,
    unset_settings,
)
from glassloop.runtime.trust.trusted_folders import FolderTrust, TrustDecision, TrustedFolders

_asked: set[str] = set()
"""Content that nobody answered about: once a process is enough."""


def load_settings() -> Settings:
    """The settings as they stand. In a terminal, asks first about a working folder that is not decided about."""
    if can_ask(sys.stderr):
        trust, folder = _trusted(), Path.cwd()
        if _is_open(found := trust.look(folder)):
            _show(found, complain)
            _decide(trust, found, _answer())
            _asked.add(found.survey.digest)
    return runtime_settings.load_settings()


def trust_folder(path: Path, *, yes: bool, no: bool, as_json: bool) -> None:
    """Shows what a folder would decide, asks, and remembers."""
    if yes and no:
        raise UsageError("--yes and --no cannot be combined: use one of them.")
    folder = path if path.is_dir() else path.parent
    if not path.exists() or not folder.is_dir():
        raise UsageError(f"{str(path)!r} is not a folder: check the path.")
    trust = _trusted()
    found = trust.look(folder)
    if as_json:
        if found.survey.waiting:
            _decide(trust, found, "trusted" if yes else "refused" if no else None)
        write_json(trust.look(folder).view(), indent=2)
        return
    if found.state == "empty":
        _show(found, say)
        say(f"Nothing in {exact(repr(str(folder)))} needs your decision.")
        return
    _show(found, say)
    if no:
        _decide(trust, found, "refused")
        say("Not trusted: Glassloop ignores these files and will not ask again.")
    elif found.trusted:
        say("Already trusted, exactly as shown. Use --no to revoke it.")
    else:
        _confirm(trust, found, yes=yes)
        say("Trusted, exactly as shown. You are asked again if anything changes.")


def keep_trust(folder: Path, change: Callable[[], Path]) -> Path:
    """Makes something of the user's own in a folder: where they trusted all of it before, or nothing was in it that
    needs trust, that stays so."""
    trust = _trusted()
    before = trust.look(folder).state if folder.is_dir() else "empty"
    made = change()
    found = trust.look(folder)
    if before in ("empty", "trusted") and found.survey.waiting and not found.survey.problem:
        trust.decide(found.survey, "trusted")
    return made


def _trusted() -> TrustedFolders:
    return trusted_folders(home_of(os.environ))


def _is_open(found: FolderTrust) -> bool:
    """Whether the user was not asked about it, and it would decide anything that the environment does not."""
    if found.state not in ("undecided", "changed") or found.survey.problem or found.survey.digest in _asked:
        return False
    return bool(describe_waiting(found, unset_settings(os.environ, all_settings())))


def _confirm(trust: TrustedFolders, found: FolderTrust, *, yes: bool) -> None:
    """Goes on only when a person says so, or has said so by `--yes`."""
    if not yes and not can_ask(sys.stderr):
        raise UsageError("There is no terminal to confirm: add --yes if you have read what is shown.")
    decision = "trusted" if yes else _answer()
    _decide(trust, found, decision)
    if decision != "trusted":
        raise GlassloopError("Nothing was trusted.")


def _decide(trust: TrustedFolders, found: FolderTrust, decision: TrustDecision | None) -> None:
    if decision is not None:
        trust.decide(found.survey, decision)


def _answer() -> TrustDecision | None:
    """None for whatever is neither yes nor no: nothing is used, and nothing is remembered."""
    try:
        answer = ask_aside("Trust exactly this? y(es), n(o): ").strip().lower()
    except EOFError:
        answer = ""
    if answer in ("y", "yes"):
        return "trusted"
    return "refused" if answer in ("n", "no") else None


def _show(found: FolderTrust, write: Callable[[str], None]) -> None:
    """All that the folder would decide, a line for each, so that none is out of sight; then what never counts, and what
    differs from what was decided about before."""
    if waiting := found.survey.waiting:
        write(f"{exact(repr(found.survey.folder))} may not be yours. If you trust it, it controls:")
        for part in waiting:
            write(f"  {exact(part.kind)} {exact(repr(part.path))}  {part.digest[:12]}")
            for line in part.decides:
                write(f"    {_one_line(line)}")
    for part in found.survey.parts:
        if part.never:
            write(f"  Always ignored in {exact(repr(part.path))}: {', '.join(map(_one_line, part.never))}")
    if found.survey.problem:
        write(f"  It cannot be trusted: {exact(found.survey.problem)}")
    if found.changes:
        write("Changed since your decision:")
        for line in found.changes:
            write(f"  {_one_line(line)}")
    if waiting:
        write(f"Bound to exactly this: {found.survey.digest[:16]}")


def _one_line(text: str) -> str:
    return exact(text).replace("\n", "\\n").replace("\t", "\\t")
