"""Grants: which calls a person may allow for the rest of a session, and which calls that covers. Pure rules.

A path that leads up or is absolute, and a command with more in it than words, are covered by nothing and so ask.
"""

import posixpath
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import cast

from glassloop.core.call_terms import CallTerms, GrantKind, GrantOffer
from glassloop.core.errors import UsageError
from glassloop.core.events import ApprovalRequested
from glassloop.core.labels import ApprovalReason
from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json, ToolCall

WHOLE = "./"
"""The scope of a grant for a whole workspace."""
MAX_SCOPE_CHARS = 200
_PATHS = ("path", "source", "target")
_SHOWN = ("file_path", "source_path")
_OPERATORS = re.compile(r"[;&|<>`$(){}\n\r\\!*?\[\]~#]")
_SUBCOMMAND = re.compile(r"[a-z][a-z0-9:_-]{0,40}")
_INTERPRETERS = re.compile(
    r"(?:.*/)?(?:(?:ba|z|da|fi|k|c|tc)?sh|python[\d.]*|pypy[\d.]*|node|deno|bun|ruby|perl|php|lua|Rscript|env|sudo|doas"
    r"|xargs|nohup|time|timeout|nice|exec|eval|find|awk|gawk|sed|ssh|docker|podman|uv|npx|pipx|uvx|make|tar|git|vim?)"
)
"""Programs that run whatever they are told: of these only the very command line can be allowed."""
_FREE = re.compile(r"[^\s=]++=\S*+")


def is_file_edit(spec: ToolSpec) -> bool:
    """Whether the tool changes files of a workspace, which can be undone."""
    return spec.grant == "folder" and spec.effect == "write"


def grant_kind(spec: ToolSpec, terms: CallTerms | None = None) -> GrantKind:
    """How calls may be allowed. Of tools that say nothing those that write here as they are, others never."""
    said = terms.grant if terms is not None and terms.grant is not None else spec.grant
    return said if said is not None else "tool" if spec.effect == "write" else "never"


def is_grantable(spec: ToolSpec) -> bool:
    """Whether a person may allow the tool, or a part of what it does, for the rest of a session."""
    return grant_kind(spec) != "never"


def grant_counts(spec: ToolSpec, kind: GrantKind, why: ApprovalReason) -> bool:
    """Whether what was allowed before lets this call run. What reaches further than this machine's data asks again
    where it may follow from untrusted text, and so does what the review objects to, whatever was allowed."""
    if kind == "never" or why.kind in ("unsourced", "repeated"):
        return False
    return spec.effect == "write" or why.kind in ("declared", "effects")


def scopes_of(
    kind: GrantKind, call: ToolCall, terms: CallTerms | None = None, preview: Json = None
) -> Sequence[str] | None:
    """What a call is about, all of which must be allowed; None where that cannot be told, or never is. Files are those
    that the preview names, whose links are resolved, else those that the arguments name."""
    if kind == "tool":
        return ()
    if kind == "never":
        return None
    given = terms.scopes if terms is not None and terms.scopes is not None else None
    if kind == "command":
        command = call.args.get("command") if given is None else next(iter(given), None)
        return None if not isinstance(command, str) or _words(command) is None else (command,)
    named = _paths_in(preview, _SHOWN) or _paths_in(call.args, _PATHS)
    found = [_inside(path) for path in (named if given is None else given)]
    return None if not found or None in found else cast("list[str]", found)


def offer_of(kind: GrantKind, scopes: Sequence[str] | None) -> GrantOffer | None:
    """The smallest grant that would have covered the call; None where there is none, or the tool itself is it."""
    if not scopes:
        return None
    scope = _first_words(scopes[0]) if kind == "command" else _common_folder(scopes)
    if len(scope) > MAX_SCOPE_CHARS:
        return None
    return GrantOffer(kind="command" if kind == "command" else "folder", scope=scope)


def is_covered(kind: GrantKind, scopes: Sequence[str], granted: Iterable[str]) -> bool:
    """Whether grants of these scopes cover a call."""
    allowed = list(granted)
    if kind == "tool":
        return "" in allowed
    return all(any(_covers(kind, each, scope) for each in allowed) for scope in scopes) and bool(scopes)


def check_grant(spec: ToolSpec | None, request: ApprovalRequested, approved: bool, args: object) -> str:
    """The scope of a decision that counts for the rest of the session; raises where it cannot."""
    tool, kind = request.call.tool, "never" if spec is None else grant_kind(spec)
    if kind == "never" or (kind != "tool" and request.allow is None):
        raise UsageError(
            f"{tool!r} cannot be allowed for the session: only tools that write here can, and commands that you asked "
            "for yourself. Approve it once."
        )
    if not approved or args is not None or request.reason != "approval":
        raise UsageError(f"Only a plain approval of {tool!r} can count for the session: approve it as it is, or once.")
    return "" if request.allow is None else request.allow.scope


def _covers(kind: GrantKind, allowed: str, scope: str) -> bool:
    if kind == "command":
        words = _words(scope)
        if words is None or not allowed:
            return False
        # What runs whatever it is told is covered by nothing but the very line.
        return scope == allowed or (scope.startswith(f"{allowed} ") and not _INTERPRETERS.fullmatch(words[0]))
    return allowed == WHOLE or (allowed.endswith("/") and scope.startswith(allowed))


def _paths_in(value: Json, names: Sequence[str]) -> list[str]:
    """The paths that arguments or a preview name, also those in lists of edits or files."""
    if not isinstance(value, dict):
        return []
    found: list[str] = []
    for name, each in cast("dict[str, Json]", value).items():
        if name in names and isinstance(each, str):
            found.append(each)
        elif isinstance(each, list):
            found += [path for one in cast("list[Json]", each) for path in _paths_in(one, names)]
    return found


def _inside(path: str) -> str | None:
    clean = posixpath.normpath(path)
    return None if clean.startswith(("/", "..")) or "\0" in clean or ".." in path.split("/") else clean


def _common_folder(paths: Sequence[str]) -> str:
    shared = posixpath.commonpath([posixpath.dirname(path) for path in paths])
    return f"{shared}/" if shared and shared != "." else WHOLE


def _words(command: str) -> list[str] | None:
    """The words of a plain command; None where a shell would do more with it than run a program."""
    if _OPERATORS.search(command) or not command.strip() or command != command.strip():
        return None
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words if words and not _FREE.fullmatch(words[0]) else None


def _first_words(command: str) -> str:
    """The program and, where one follows, its subcommand, exactly as they are written."""
    words = command.split()
    if _INTERPRETERS.fullmatch(words[0]):
        return command
    return f"{words[0]} {words[1]}" if len(words) > 1 and _SUBCOMMAND.fullmatch(words[1]) else words[0]
