"""The report of one imported file: every row accounted for, and why one was not taken."""

from collections.abc import Iterable, Sequence

import msgspec

from glassloop.core.errors import UsageError

MAX_PROBLEMS = 100
MAX_VALUE_CHARS = 80
MAX_REASON_CHARS = 200
MAX_NOTES = 50
MAX_REASONS = 200
_TOLD_OF_REFUSED = 5


class RowProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A row that was not taken, or a part of it. `line` is that of the file; of Parquet, which has none, the row."""

    line: int
    reason: str
    value: str = ""


class ImportReport(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a file: `read` = `taken` + `skipped` + `duplicates`.

    `updated` of those taken replaced a place that was there. `reasons` counts all rows that were not taken, `problems`
    has the first hundred. `disagreements` are parts that were left out of rows that were taken, because their sums
    disagree. `rows` is how many each view has now. `same` is a file that was imported before: nothing was changed.
    """

    file: str
    layout: str
    read: int = 0
    taken: int = 0
    skipped: int = 0
    duplicates: int = 0
    updated: int = 0
    encoding: str = ""
    reasons: dict[str, int] = {}
    problems: Sequence[RowProblem] = ()
    disagreements: int = 0
    unknown_columns: dict[str, str] = {}
    notes: Sequence[str] = ()
    rows: dict[str, int] = {}
    same: bool = False


class FileRefused(UsageError):
    """A file of which nothing was taken in, and why."""


class Findings:
    """Problems of the rows of a file, counted by reason; the first of them kept."""

    def __init__(self) -> None:
        self.reasons: dict[str, int] = {}
        self.problems: list[RowProblem] = []
        self.notes: list[str] = []
        self.skipped = 0
        self.duplicates = 0
        self.disagreements = 0

    def skip(self, line: int, reason: str, value: object = "") -> None:
        self.skipped += 1
        self._add(line, reason, value)

    def duplicate(self, line: int, reason: str, value: object = "") -> None:
        self.duplicates += 1
        self._add(line, reason, value)

    def disagree(self, line: int, reason: str, value: object = "") -> None:
        """A part of a row that is left out; the row itself is taken."""
        self.disagreements += 1
        self._add(line, reason, value)

    def count(self, reason: str, rows: int, *, duplicates: bool = False) -> None:
        """More rows of which the first are kept already."""
        if duplicates:
            self.duplicates += rows
        else:
            self.skipped += rows
        self._count(reason, rows)

    def keep(self, problems: Iterable[RowProblem]) -> None:
        """Problems that are counted by `count`."""
        self.problems.extend(problems)

    def note(self, text: str) -> None:
        if text not in self.notes and len(self.notes) < MAX_NOTES:
            self.notes.append(text)

    def first(self) -> list[RowProblem]:
        return sorted(self.problems, key=lambda each: each.line)[:MAX_PROBLEMS]

    def _add(self, line: int, reason: str, value: object) -> None:
        self._count(reason, 1)
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem(line, reason, value))

    def _count(self, reason: str, rows: int) -> None:
        known = reason in self.reasons or len(self.reasons) < MAX_REASONS
        key = reason if known else "other reasons"
        self.reasons[key] = self.reasons.get(key, 0) + rows


def problem(line: int, reason: str, value: object = "") -> RowProblem:
    return RowProblem(line=line, reason=reason[:MAX_REASON_CHARS], value=str(value or "")[:MAX_VALUE_CHARS])


def nothing_taken(findings: Findings, layout: str, read: int) -> FileRefused:
    """Of a file without a single row that can be used."""
    if not read:
        return FileRefused("The file has no rows, only a header: nothing was imported. Export it again.")
    lines = [f"line {each.line}: {each.reason}{f' ({each.value})' if each.value else ''}" for each in findings.first()]
    first = "; ".join(lines[:_TOLD_OF_REFUSED])
    return FileRefused(f"None of the {read:,} rows ({layout}) can be used, so nothing was imported: {first}.")


def report_lines(report: ImportReport) -> list[str]:
    """The report for a person."""
    if report.same:
        return [f"{report.file}: imported before, nothing was changed."]
    lines = [
        f"{report.file}: {report.layout}. {report.read:,} rows read: {report.taken:,} taken, {report.skipped:,} "
        f"skipped, {report.duplicates:,} duplicates."
    ]
    if report.updated:
        lines.append(f"{report.updated:,} of those taken replaced a place that was there.")
    lines += [f"{count:,} times: {reason}" for reason, count in report.reasons.items()]
    for each in report.problems[:_TOLD_OF_REFUSED]:
        lines.append(f"line {each.line:,}: {each.reason}{f' ({each.value})' if each.value else ''}")
    if (more := len(report.problems) - _TOLD_OF_REFUSED) > 0:
        lines.append(f"and {more:,} more lines: --json names the first {MAX_PROBLEMS}.")
    for column, nearest in report.unknown_columns.items():
        lines.append(
            f"The column {column!r} is not known and was left out{f': nearest is {nearest!r}' if nearest else ''}."
        )
    return [*lines, *report.notes]
