"""File of a run: JSON lines, written as results come, so that a run that was killed can be resumed.

The first line names the suite and the target. Then comes a line for every case that is started and one for its result.
One process at a time: the file is locked while a run writes it. A last line that was cut off is dropped.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import msgspec

from glassloop.core.errors import ErrorType, UsageError
from glassloop.evals.score import Mismatch
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own

FORMAT, VERSION = "glassloop.eval", 1
LINE_BYTES = 1_000_000
MAX_LINES = 200_000


class RunHeader(msgspec.Struct, frozen=True, kw_only=True, tag="run", tag_field="type"):
    """What was asked of whom. `digest` tells suites apart, `offered` how many tools there were to choose from."""

    format: str = FORMAT
    version: int = VERSION
    suite: str
    digest: str
    assistant: str
    model: str
    protocol: str
    offered: int
    started_at: float


class CaseStarted(msgspec.Struct, frozen=True, kw_only=True, tag="begun", tag_field="type"):
    """A case is asked, in this session."""

    case: str
    run: int
    session_id: str


class CaseResult(msgspec.Struct, frozen=True, kw_only=True, tag="result", tag_field="type"):
    """One case, asked and judged. `run` counts its repetitions from 1; steps, tokens and seconds are of all its
    turns."""

    case: str
    run: int
    tags: tuple[str, ...]
    question: str
    session_id: str
    turn_ids: tuple[str, ...]
    tool: bool | None
    arguments: bool | None
    answer: bool | None
    problems: tuple[Mismatch, ...]
    status: str
    destination: bool | None = None
    error_type: ErrorType | None = None
    decisions: int = 0
    readable: int = 0
    declined: bool = False
    steps: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None

    @property
    def passed(self) -> bool:
        """Whether everything the case judges is right."""
        return not self.problems

    @property
    def is_settled(self) -> bool:
        """Whether asking again could not help: a model that was away has decided nothing."""
        return self.error_type != "llm_error"


Line = RunHeader | CaseStarted | CaseResult
Key = tuple[str, int]


class RunFile:
    """A run's file, open for more. `results` are those there are; `left` the sessions of cases that were cut off."""

    def __init__(
        self, path: Path, file: BinaryIO, head: RunHeader, results: dict[Key, CaseResult], left: tuple[str, ...]
    ):
        self.path = path
        self.head = head
        self.results = results
        self.left = left
        self._file = file

    @classmethod
    def open(cls, path: Path, head: RunHeader, *, resume: bool) -> "RunFile":
        """Begins the file, or goes on with it; refuses one that another run writes, or that is of another run."""
        try:
            make_own(path.parent)
            there = path.exists() and path.stat().st_size > 0
            if there and not resume:
                raise UsageError(
                    f"The file {str(path)!r} already exists:  add --resume to go on with it, or give another path."
                )
            path.touch(mode=0o600)
            file = path.open("r+b" if there else "w+b")
        except OSError as error:
            raise UsageError(f"The file {str(path)!r} cannot be written ({error.strerror}): give another.") from None
        try:
            take_lock(file.fileno())
        except OSError:
            file.close()
            raise UsageError(f"Another run writes {str(path)!r} now: wait for it, or give another path.") from None
        try:
            return cls._taken_up(path, file, head)
        except BaseException:
            file.close()
            raise

    @classmethod
    def _taken_up(cls, path: Path, file: BinaryIO, head: RunHeader) -> "RunFile":
        file.seek(0)
        lines, end = list[Line](), 0
        for line, end in _lines(file, path):  # noqa: B007
            lines.append(line)
        file.truncate(end)
        file.seek(end)
        if not lines:
            made = cls(path, file, head, {}, ())
            made.append(head)
            return made
        found = _head(lines, path)
        for what, theirs, ours in (
            ("suite", found.suite, head.suite),
            ("suite as it is now (it was changed)", found.digest, head.digest),
            ("assistant", found.assistant, head.assistant),
            ("model", found.model, head.model),
        ):
            if theirs != ours:
                raise UsageError(
                    f"The run in {str(path)!r} is not of this {what}: {theirs!r} and not {ours!r}; begin another file."
                )
        results = _results(lines)
        begun = {(line.case, line.run): line.session_id for line in lines if isinstance(line, CaseStarted)}
        left = tuple(session for key, session in begun.items() if key not in results)
        return cls(path, file, found, results, left)

    def append(self, line: Line) -> None:
        """On disk when it returns. Blocks: not for the event loop."""
        if isinstance(line, CaseResult):
            self.results[line.case, line.run] = line
        self._file.write(msgspec.json.encode(line) + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


def read_run(path: Path) -> tuple[RunHeader, Mapping[Key, CaseResult]]:
    """A run that is only looked at."""
    try:
        with path.open("rb") as file:
            lines = [line for line, _ in _lines(file, path)]
    except OSError as error:
        raise UsageError(
            f"The run {str(path)!r} cannot be read ({error.strerror}): give a file that `glassloop eval` wrote."
        ) from None
    return _head(lines, path), _results(lines)


def _head(lines: list[Line], path: Path) -> RunHeader:
    if not lines or not isinstance(lines[0], RunHeader):
        raise UsageError(f"{str(path)!r} is not a run: give a file that `glassloop eval` wrote.")
    if lines[0].format != FORMAT or lines[0].version > VERSION:
        raise UsageError(f"{str(path)!r} is {lines[0].format!r} of version {lines[0].version}: update glassloop.")
    return lines[0]


def _results(lines: list[Line]) -> dict[Key, CaseResult]:
    """The last result of each case and repetition: one that failed may have been asked again."""
    return {(line.case, line.run): line for line in lines if isinstance(line, CaseResult)}


def _lines(file: BinaryIO, path: Path) -> Iterator[tuple[Line, int]]:
    """Each whole line with the place where it ends."""
    end = 0
    for number in range(1, MAX_LINES + 2):
        raw = file.readline(LINE_BYTES)
        if not raw.endswith(b"\n"):
            if len(raw) == LINE_BYTES:
                raise UsageError(f"Line {number} of {str(path)!r} is too long for a run: give another file.")
            return
        if number > MAX_LINES:
            raise UsageError(f"{str(path)!r} has more than {MAX_LINES:,} lines: begin another file.")
        end += len(raw)
        try:
            yield _decoder.decode(raw), end
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise UsageError(f"Line {number} of {str(path)!r} is not of a run: {error}.") from None


_decoder = msgspec.json.Decoder(Line)
