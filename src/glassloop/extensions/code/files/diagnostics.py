"""Syntax errors that a change brought in, and what the linter says of Python files.

By the grammars of `tree-sitter` and by `ruff`, each in a process of its own, where they are installed. A change is
never refused or taken back for what is found, nor for what could not be looked at.
"""

import json
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from glassloop.core.errors import ToolError
from glassloop.extensions.code.files import syntax_child
from glassloop.python_child import ROOT, program_beside, python_code_child
from glassloop.retrieval.documents.code import LANGUAGES
from glassloop.tools.process.program import run_process

MAX_CHARS = 300_000
MAX_SHOWN = 20
LIMIT_S = 5.0

_LANGUAGES = {**LANGUAGES, ".json": "json"}
_CHILD = str(Path(syntax_child.__file__).absolute())
_RUN = "import runpy, sys; runpy.run_path(sys.argv[1], run_name='__main__')"

logger = logging.getLogger("glassloop.code")

Finding = tuple[int, str]


class ChangedText(msgspec.Struct, frozen=True):
    """A file before and after a change; None where it was not there."""

    path: str
    before: str | None
    after: str


class Diagnostic(msgspec.Struct, frozen=True, gc=False):
    """What is wrong with a line that was not wrong before."""

    path: str
    line: int
    message: str
    source: str


async def diagnose(changed: Sequence[ChangedText]) -> list[Diagnostic]:
    """What the changes brought in, `MAX_SHOWN` at most. Total."""
    texts = [each for each in changed if len(each.after) <= MAX_CHARS and len(each.before or "") <= MAX_CHARS]
    found = [*await _syntax(texts)]
    broken = {each.path for each in found}
    for each in texts:
        if each.path.endswith((".py", ".pyi")) and each.path not in broken:
            found += await _lint(each)
    return found[:MAX_SHOWN]


async def _syntax(changed: Sequence[ChangedText]) -> list[Diagnostic]:
    known = [each for each in changed if PurePosixPath(each.path).suffix.lower() in _LANGUAGES]
    if not known:
        return []
    asked = [
        (_LANGUAGES[PurePosixPath(each.path).suffix.lower()], text)
        for each in known
        for text in (each.before or "", each.after)
    ]
    child = python_code_child(None, _RUN, _CHILD)
    output = await _output(child.argv, json.dumps(asked).encode())
    if output is None:
        return []
    answers: list[list[Finding] | None] = json.loads(output)
    return [
        Diagnostic(each.path, line, message, "syntax")
        for each, before, after in zip(known, answers[::2], answers[1::2], strict=True)
        for line, message in _fresh(before or (), after or ())
    ]


async def _lint(changed: ChangedText) -> list[Diagnostic]:
    """`--isolated`: no configuration of the folder is read, which may be anybody's."""
    program = _linter()
    if program is None:
        return []
    name = PurePosixPath(changed.path).name
    command = [program, "check", "--isolated", "--no-cache", "--quiet", "--output-format=json"]
    found: list[list[Finding]] = []
    for text in (changed.before or "", changed.after):
        output = await _output([*command, f"--stdin-filename={name}", "-"], text.encode("utf-8", "replace"))
        reported: list[dict[str, Any]] = json.loads(output or b"[]")
        found.append([(int(each["location"]["row"]), f"{each['code']} {each['message']}") for each in reported])
    return [Diagnostic(changed.path, line, message, "ruff") for line, message in _fresh(*found)]


def _fresh(before: Iterable[Finding], after: Iterable[Finding]) -> list[Finding]:
    """Those after a change that were not there before it, wherever they stand now."""
    known = Counter(message for _, message in before)
    fresh: list[Finding] = []
    for line, message in after:
        if known[message] > 0:
            known[message] -= 1
        else:
            fresh.append((line, message))
    return fresh


async def _output(argv: Sequence[str], text: bytes) -> bytes | None:
    """None where it could not be run to its end."""
    try:
        result = await run_process(argv, stdin=text or b"\n", timeout_s=LIMIT_S, cwd=ROOT, max_bytes=10_000_000)
        json.loads(result.stdout)
    except (ToolError, ValueError) as error:
        logger.info("a change could not be diagnosed: %s", error)
        return None
    return result.stdout


@cache
def _linter() -> str | None:
    return program_beside("ruff")
