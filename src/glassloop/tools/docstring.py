"""A docstring read as documentation of a tool: what it does, and what each parameter means.

Reads Google (`Args:`), NumPy (underlined `Parameters`) and reST (`:param x:`) styles, whatever the text. Types written
in a docstring are ignored: the annotations are the truth.
"""

import inspect
import re

_GOOGLE_HEADER = re.compile(r"\s*(args|arguments|params|parameters|keyword args|keyword arguments):\s*$", re.IGNORECASE)
_GOOGLE_ENTRY = re.compile(r"\s*+\*{0,2}(\w++)\s*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\))?\s*+:\s*+(.*)$")
_NUMPY_HEADER = re.compile(r"\s*(other )?parameters\s*$", re.IGNORECASE)
_NUMPY_ENTRY = re.compile(r"\s*\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?$")
_REST_ENTRY = re.compile(r"\s*+:(?:param|parameter|arg|argument|keyword)\s(?:[^:]*\s)?\*{0,2}(\w++)\s*+:\s*+(.*)$")
_SECTION = re.compile(r"[A-Z][A-Za-z ]{2,30}:\s*$")
_RULE = re.compile(r"\s*-{3,}\s*$")


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """The first paragraph on one line, and the description of each parameter that has one."""
    lines = inspect.cleandoc(text or "").splitlines()
    entries = {**_rest(lines), **_numpy(lines), **_google(lines)}
    joined = {name: " ".join(line.strip() for line in words if line.strip()) for name, words in entries.items()}
    return _summary(lines), {name: description for name, description in joined.items() if description}


def _summary(lines: list[str]) -> str:
    words: list[str] = []
    for number, line in enumerate(lines):
        if not line.strip() or line.startswith(":") or _SECTION.match(line) or _underlined(lines, number):
            break
        words.append(line.strip())
    return " ".join(words)


def _google(lines: list[str]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for start in (number for number, line in enumerate(lines) if _GOOGLE_HEADER.match(line)):
        current: list[str] = []
        entry_indent: int | None = None
        for line in lines[start + 1 :]:
            if line.strip() and _indent(line) <= _indent(lines[start]):
                break
            if line.strip() and entry_indent is None:
                entry_indent = _indent(line)
            if _indent(line) == entry_indent and (entry := _GOOGLE_ENTRY.match(line)):
                current = entries[entry[1]] = [entry[2]]
            else:
                current.append(line)
    return entries


def _numpy(lines: list[str]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for start in (number for number, line in enumerate(lines) if _NUMPY_HEADER.match(line)):
        if not _underlined(lines, start):
            continue
        current: list[str] = []
        for number, line in enumerate(lines[start + 2 :], start + 2):
            if _underlined(lines, number):
                break
            if _indent(line) == _indent(lines[start]) and (entry := _NUMPY_ENTRY.match(line)):
                current = []
                entries.update((name.strip(), current) for name in entry[1].split(","))
            else:
                current.append(line)
    return entries


def _rest(lines: list[str]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    entry_indent = 0
    for line in lines:
        if entry := _REST_ENTRY.match(line):
            current = entries[entry[1]] = [entry[2]]
            entry_indent = _indent(line)
        elif line.strip() and _indent(line) > entry_indent:
            current.append(line)
        else:
            current = []
    return entries


def _underlined(lines: list[str], number: int) -> bool:
    return bool(lines[number].strip()) and number + 1 < len(lines) and _RULE.match(lines[number + 1]) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
