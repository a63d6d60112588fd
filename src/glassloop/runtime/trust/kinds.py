"""Kinds of parts that the kernel knows beside settings: assistants, the code they name, and files that only look as if
they decided something. Extensions bring further ones."""

import tomllib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

from glassloop.runtime.trust.survey import MAX_PARTS, FolderKind, read_plain

PROFILE = "assistant.toml"
_MAX_PROFILE_BYTES = 1_000_000
_MAX_DATA_FILES = 20
_DATA = ("AGENTS.md", "CLAUDE.md", ".claude/settings*.json", "skills/*/SKILL.md", ".claude/skills/*/SKILL.md")
_HOOKS, _EXPORTS = ("hooks/*", ".claude/hooks/*"), ("*.jsonl",)

_DECIDING = ("tools", "plugins", "agents", "handoffs", "like", "approvals")

Described = tuple[Sequence[str], Sequence[str], Sequence[str]]


def profiles_in(folder: Path) -> Iterator[Path]:
    """The profiles of a folder: its own, those of the folders in it, and those in its `assistants`."""
    yield folder / PROFILE
    yield from profiles_below(folder)
    yield from profiles_below(folder / "assistants")


def profiles_below(parent: Path) -> list[Path]:
    return sorted(path for path in parent.glob(f"*/{PROFILE}") if path.is_file())


def _code_in(folder: Path) -> Iterator[Path]:
    """Python files that assistants of the folder would load: those named and, where a profile takes over the tools of
    another, each beside it."""
    for path in profiles_in(folder):
        profile = _parsed(read_plain(path, _MAX_PROFILE_BYTES) or b"")
        entries: Any = profile.get("tools")
        named = cast("list[object]", entries) if isinstance(entries, list) else []
        for entry in islice(named, MAX_PARTS):
            if isinstance(entry, str) and entry.endswith(".py") and "\0" not in entry:
                yield path.parent / entry
        if profile.get("like"):
            yield from sorted(path.parent.glob("*.py"))


def _describe_profile(path: Path, raw: bytes) -> Described:
    profile = _parsed(raw)
    name = profile.get("name")
    shown = word(name if isinstance(name, str) and 0 < len(name) <= 100 else path.parent.name)
    lines = [f"assistant {shown}: can be asked by its name, here and by clients of a server started here"]
    given = {key: profile[key] for key in _DECIDING if profile.get(key)}
    lines += [f"{key} = {_cut(ascii(value))}" for key, value in given.items()]
    return (shown,), lines, ()


def _describe_code(path: Path, raw: bytes) -> Described:
    return (path.name,), (f"{len(raw):,} bytes of Python that run as you when the assistant is asked",), ()


def _describe_data(_path: Path, _raw: bytes) -> Described:
    return (), (), ("instructions for agents: Glassloop does not follow them",)


def _describe_hook(_path: Path, _raw: bytes) -> Described:
    return (), (), ("hooks of other programs: Glassloop does not run them",)


def _describe_export(_path: Path, _raw: bytes) -> Described:
    return (), (), ("read by `glassloop sessions import` alone, as data",)


def _matching(*patterns: str) -> "Any":
    def find(folder: Path) -> Iterator[Path]:
        found = (path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.is_file())
        return islice(found, _MAX_DATA_FILES)

    return find


def _parsed(raw: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}


def word(name: str) -> str:
    """A name that others chose, as it can stand in a sentence."""
    return name if name.isascii() and name.isprintable() else ascii(name)


def _cut(text: str, most: int = 300) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} more characters)"


KINDS = (
    FolderKind(name="assistant", find=profiles_in, describe=_describe_profile),
    FolderKind(name="code", find=_code_in, describe=_describe_code),
    FolderKind(name="instructions", find=_matching(*_DATA), describe=_describe_data),
    FolderKind(name="hooks", find=_matching(*_HOOKS), describe=_describe_hook),
    FolderKind(name="export", find=_matching(*_EXPORTS), describe=_describe_export),
)
