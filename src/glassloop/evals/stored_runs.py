"""Stored runs of `glassloop eval` in the home folder: listed, summed up, compared. Read-only.

Blocks, as it reads files: not for the event loop. Bounded: the newest runs, none too large. A file that was read is
cached until it changes.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from glassloop.core.errors import UnknownName, UsageError
from glassloop.evals.comparison import RunComparison, compare
from glassloop.evals.run_file import CaseResult, Key, RunHeader, read_run
from glassloop.evals.score import Mismatch
from glassloop.evals.summary import RunSummary, by_tag, summarize

FOLDER = Path("evals") / "runs"
MAX_RUNS = 100
MAX_BYTES = 20_000_000
MAX_MISSES = 200
_NAME = re.compile(r"[\w.-]{1,200}", re.ASCII)


class StoredRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run in a list: whose, and how it went. `problem` where its file cannot be read."""

    name: str
    suite: str = ""
    assistant: str = ""
    model: str = ""
    started_at: float = 0.0
    summary: RunSummary | None = None
    problem: str = ""


class FailedCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case that went wrong: what was asked, what was wrong with it, and where it can be seen."""

    case: str
    run: int
    tags: tuple[str, ...]
    question: str
    session_id: str
    turn_ids: tuple[str, ...]
    status: str
    problems: tuple[Mismatch, ...]


class RunView(msgspec.Struct, frozen=True, kw_only=True):
    """A run in full; `misses` are its first 200, `missed` how many there are."""

    name: str
    head: RunHeader
    summary: RunSummary
    tags: Mapping[str, RunSummary]
    misses: tuple[FailedCase, ...]
    missed: int


def list_runs(home: Path) -> Sequence[StoredRun]:
    """Newest first."""
    found = sorted((home / FOLDER).glob("*.jsonl"), key=_changed, reverse=True)
    return [_line(path) for path in found[:MAX_RUNS]]


def view_run(home: Path, name: str) -> RunView:
    head, results = _read(home, name)
    every = list(results.values())
    misses = [_miss(result) for result in every if not result.passed]
    return RunView(
        name=name,
        head=head,
        summary=summarize(every),
        tags=by_tag(every),
        misses=tuple(misses[:MAX_MISSES]),
        missed=len(misses),
    )


def compare_runs(home: Path, before: str, after: str) -> RunComparison:
    """The second against the first."""
    return compare(_read(home, before), _read(home, after))


def _line(path: Path) -> StoredRun:
    try:
        head, results = _opened(path)
    except UsageError as error:
        return StoredRun(name=path.stem, problem=str(error))
    fields = {name: getattr(head, name) for name in ("suite", "assistant", "model", "started_at")}
    return StoredRun(name=path.stem, **fields, summary=summarize(list(results.values())) if results else None)


def _read(home: Path, name: str) -> tuple[RunHeader, Mapping[Key, CaseResult]]:
    path = home / FOLDER / f"{name}.jsonl"
    if not _NAME.fullmatch(name) or not path.is_file():
        raise UnknownName(f"There is no run {name[:200]!r}: `glassloop eval` writes them into {FOLDER}.")
    return _opened(path)


def _opened(path: Path) -> tuple[RunHeader, Mapping[Key, CaseResult]]:
    try:
        found = path.stat()
    except OSError as error:
        raise UsageError(f"The run {path.name!r} cannot be read ({error.strerror}).") from None
    if found.st_size > MAX_BYTES:
        raise UsageError(f"The run {path.name!r} is larger than {MAX_BYTES:,} bytes: look at it by command.")
    return _remembered(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=MAX_RUNS)
def _remembered(path: Path, _changed_at: int, _size: int) -> tuple[RunHeader, Mapping[Key, CaseResult]]:
    return read_run(path)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _miss(result: CaseResult) -> FailedCase:
    return FailedCase(**{name: getattr(result, name) for name in FailedCase.__struct_fields__})
