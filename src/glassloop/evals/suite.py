"""Suite: questions to an assistant, each with its expected result. The format, checked; `suite_files` reads files.

Everything is bounded, and a mistake is a `ValueError` that names what is wrong.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from glassloop.core.records import Json
from glassloop.evals.expected_values import ExpectedValue, read_value

MAX_CASES = 2_000
MAX_QUESTIONS = 10
MAX_CHARS = 20_000
MAX_ENTRIES = 50
NONE = "none"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

Order = Literal["exact", "any"]
Arguments = Mapping[str, Sequence[Mapping[str, ExpectedValue]]]
"""Of each tool the calls expected of it, each with its arguments."""


class ExpectedFigure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure that must stand in the answer: one number, or any of several."""

    number: float | None = None
    within: float = 0.0
    one_of: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if (self.number is None) == (not self.one_of):
            raise ValueError("a figure has either `number` or `one_of`")
        _check_length("one_of", self.one_of)
        if not (math.isfinite(self.within) and self.within >= 0):
            raise ValueError(f"`within` must be 0 or more, not {self.within}")

    @property
    def numbers(self) -> tuple[float, ...]:
        return self.one_of if self.number is None else (self.number,)


class WordChecks(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Words that must stand in a text: all of them, any of them, none of them."""

    all: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    none: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("all", "any", "none"):
            _check_length(name, getattr(self, name))
        for word in (*self.all, *self.any, *self.none):
            if not word.strip():
                raise ValueError("an empty word is looked for: take it out")


class AnswerChecks(WordChecks, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What must be true of an answer: figures and words in it or not, a question back, every figure with a source."""

    figures: tuple[float | ExpectedFigure, ...] = ()
    asks: bool = False
    evidence: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_length("figures", self.figures)

    @property
    def wanted_figures(self) -> tuple[ExpectedFigure, ...]:
        return tuple(
            entry if isinstance(entry, ExpectedFigure) else ExpectedFigure(number=entry) for entry in self.figures
        )


class Expectation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tools, arguments and answer. What is left out is not judged.

    `tools`: names in order, several such lists as alternatives, or "none". `arguments`: by tool, one table or one for
    each of several calls.
    """

    tools: str | tuple[str | tuple[str, ...], ...] | None = None
    order: Order = "exact"
    arguments: dict[str, dict[str, Any] | list[dict[str, Any]]] = {}
    answer: AnswerChecks | None = None

    def __post_init__(self) -> None:
        _ = self.alternatives, self.calls

    @property
    def alternatives(self) -> tuple[tuple[str, ...], ...] | None:
        """Every sequence of tools that is right; None where any is."""
        tools = self.tools
        if tools is None:
            return None
        if isinstance(tools, str):
            if tools != NONE:
                raise ValueError(f'`tools` is a list of names, or "none", not {tools[:60]!r}')
            return ((),)
        _check_length("tools", tools)
        names = tuple(entry for entry in tools if isinstance(entry, str))
        if len(names) == len(tools):
            return (names,)
        if names:
            raise ValueError(f"`tools` mixes names and lists: write {names[0]!r} as a list of its own, too")
        return cast("tuple[tuple[str, ...], ...]", tools)

    @property
    def calls(self) -> Arguments:
        """The arguments, read."""
        _check_length("arguments", self.arguments)
        found: dict[str, Sequence[Mapping[str, ExpectedValue]]] = {}
        for tool, tables in self.arguments.items():
            _check_length(f"arguments.{tool}", tables)
            each = tables if isinstance(tables, list) else [tables]
            found[tool] = [{name: _read(tool, name, raw) for name, raw in table.items()} for table in each]
        return found


class Case(Expectation, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question, or several in one session of which the last is judged, with what is expected of it. `unlike`: what
    must not happen again. `files`: what files of the workspace must hold afterwards, by their path."""

    id: str
    question: str = ""
    questions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    note: str = ""
    destination: str | tuple[str, ...] = ()
    files: dict[str, WordChecks] = {}
    unlike: Expectation | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.id):
            raise ValueError(f"`id` {self.id[:60]!r} must be letters, digits, '.', '_' and '-', at most 100")
        if bool(self.question) == bool(self.questions):
            raise ValueError("a case has either `question` or `questions`")
        if len(self.questions) > MAX_QUESTIONS:
            raise ValueError(f"`questions` has {len(self.questions)} entries, at most {MAX_QUESTIONS} are asked")
        for text in self.asked:
            if not text.strip() or len(text) > MAX_CHARS:
                raise ValueError(f"a question has 1 to {MAX_CHARS:,} characters, not {len(text.strip()):,}")
        _check_length("tags", self.tags)
        _check_length("destination", self.destinations)
        _check_length("files", self.files)
        judged = self.alternatives is not None or self.calls or self.answer is not None or self.files
        if not judged and self.unlike is None and not self.destination:
            raise ValueError(
                "nothing is expected: give `destination`, `tools`, `arguments`, `answer`, `files` or `unlike`"
            )

    @property
    def asked(self) -> tuple[str, ...]:
        return self.questions or (self.question,)

    @property
    def destinations(self) -> tuple[str, ...]:
        """Where the router may send it; none where that is not judged."""
        return (self.destination,) if isinstance(self.destination, str) else self.destination


class Suite(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who is asked, and what. `tools` and `prompt` make an assistant for the suite alone. `workspace` is a folder
    beside the suite: each case works in a copy of it. `approve`: whether calls that ask first are approved, or those of
    which tools. `today`: the day that the model is told, for data of that day."""

    name: str
    cases: tuple[Case, ...]
    title: str = ""
    description: str = ""
    assistant: str = ""
    tools: tuple[str, ...] = ()
    prompt: str = ""
    max_iterations: int | None = None
    seconds: float = 600.0
    workspace: str = ""
    approve: bool | tuple[str, ...] = False
    today: date | None = None
    file: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ValueError(f"`name` {self.name[:60]!r} must be letters, digits, '.', '_' and '-', at most 100")
        if bool(self.assistant) == bool(self.tools):
            raise ValueError("a suite has either `assistant`, who is asked, or `tools`, files with tools of its own")
        if self.assistant and self.prompt:
            raise ValueError("`prompt` goes with `tools`: an assistant has its own")
        if not 1 <= len(self.cases) <= MAX_CASES:
            raise ValueError(f"a suite has 1 to {MAX_CASES:,} cases, not {len(self.cases):,}")
        if self.max_iterations is not None and self.max_iterations < 1:
            raise ValueError(f"`max_iterations` must be at least 1, not {self.max_iterations}")
        if not 0 < self.seconds <= 86_400:
            raise ValueError(f"`seconds` must be above 0 and at most 86,400, not {self.seconds:g}")
        if Path(self.workspace).is_absolute() or ".." in Path(self.workspace).parts:
            raise ValueError(f"`workspace` {self.workspace[:60]!r} must be a folder beside the suite")
        if not self.workspace and any(case.files for case in self.cases):
            raise ValueError("`files` goes with `workspace`, the folder that they are in")
        twice = [ident for ident, times in Counter(case.id for case in self.cases).items() if times > 1]
        if twice:
            raise ValueError(f"the id {twice[0]!r} is given to several cases: give each its own")

    @property
    def approved_tools(self) -> tuple[str, ...]:
        return () if isinstance(self.approve, bool) else self.approve

    def approves(self, tool: str) -> bool:
        return self.approve is True or tool in self.approved_tools


def _read(tool: str, name: str, raw: Json) -> ExpectedValue:
    try:
        return read_value(raw)
    except ValueError as error:
        raise ValueError(f"`arguments.{tool}.{name}`: {error}") from None


def _check_length(name: str, entries: Sequence[Any] | Mapping[str, Any]) -> None:
    if len(entries) > MAX_ENTRIES:
        raise ValueError(f"`{name}` has {len(entries)} entries, at most {MAX_ENTRIES} are read")
