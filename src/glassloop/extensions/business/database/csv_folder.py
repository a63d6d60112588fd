"""A company's own data from CSV files: every row is checked before the first is loaded.

One file a table, `purchase_orders.csv`, with a header line. Owns reading and checking; writing is `writer`'s. What can
be added up from other tables (stock, the ledger by day) is, where its file is missing.
"""

import csv
import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TextIO

from glassloop.core.errors import UsageError
from glassloop.extensions.business.database.tables import BY_NAME, TABLES, Column, Table
from glassloop.extensions.business.database.writer import Sink
from glassloop.runtime.importers import Fault, ImportRefused, Tell
from glassloop.tools.suggestion import closest

MAX_FAULTS = 50
MAX_NUMBER = 2**53
MAX_LINE_CHARS = 1_000_000
_CENTS = "_cents"
_WHOLE = re.compile(r"[+-]?\d{1,18}")


class CheckedFolder:
    """Files that were read whole and can be loaded."""

    def __init__(self, files: dict[str, Path]) -> None:
        self._files = files
        self.counts: dict[str, int] = {}

    def fill(self, sink: Sink) -> None:
        """Every row, and what is added up from them."""
        derived = DerivedTables(set(self._files))
        for name, path in self._files.items():
            table = BY_NAME[name]
            with _reader(path, table) as reader:
                for _, raw in reader.rows:
                    row = tuple(reader.value(column, raw) for column in table.columns)
                    derived.see(name, row)
                    sink(name, row)
        for name, row in derived.rows():
            self.counts[name] = self.counts.get(name, 0) + 1
            sink(name, row)


def check_folder(folder: Path, tell: Tell = lambda _stage, _done: None) -> CheckedFolder:
    """Reads every file of the folder; raises `ImportRefused` with what is wrong, line by line."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {str(folder)!r}: name the one with the CSV files.")
    faults = _Faults()
    files = _files(folder, faults)
    keys = {name: _keys(path, BY_NAME[name], faults) for name, path in files.items()}
    checked = CheckedFolder(files)
    for number, (name, path) in enumerate(files.items()):
        tell(f"reading {path.name}", number / len(files))
        checked.counts[name] = _check(path, BY_NAME[name], keys, faults)
    if faults.many:
        raise ImportRefused(faults.kept, faults.many)
    return checked


class _Faults:
    """The first ones, and how many there are."""

    def __init__(self) -> None:
        self.kept: list[Fault] = []
        self.many = 0

    def add(self, file: str, line: int, problem: str) -> None:
        self.many += 1
        if len(self.kept) < MAX_FAULTS:
            self.kept.append(Fault(file=file, line=line, problem=problem))


class _Unusable(Exception):
    """Why a value cannot be used."""


class _Reader:
    """One file: where its columns are, and its rows with the numbers of their lines."""

    def __init__(self, table: Table, lines: TextIO) -> None:
        self._csv = csv.reader(_bounded(lines), strict=True)
        header = [name.strip() for name in next(self._csv, list[str]())]
        # What other countries' spreadsheets put between columns.
        self.separator = next((sign for sign in (";", "\t") if len(header) == 1 and sign in header[0]), None)
        self.twice = [name for name in dict.fromkeys(header) if header.count(name) > 1]
        known = {form: column.name for column in table.columns for form in _forms(column)}
        self.unknown = [name for name in header if name not in known]
        self.suggestions = {name: closest(name, known) for name in self.unknown}
        self._at = {known[name]: (index, name) for index, name in enumerate(header) if name in known}
        self.missing = [column.name for column in table.columns if column.name not in self._at and not column.optional]
        self._width = len(header)

    @property
    def rows(self) -> Iterator[tuple[int, list[str]]]:
        for raw in self._csv:
            if raw:
                yield self._csv.line_num, raw

    def misfit(self, raw: list[str]) -> str | None:
        """Why a line cannot be read by the header."""
        return None if len(raw) == self._width else f"it has {len(raw)} fields, and the header has {self._width}"

    def value(self, column: Column, raw: list[str]) -> Any:
        if column.name not in self._at:
            return None
        index, name = self._at[column.name]
        return _convert(column, raw[index].strip(), whole_units=name != column.name)


def _bounded(lines: TextIO) -> Iterator[str]:
    """The lines, of which none is ever read whole that is too long for anybody to have written it."""
    while line := lines.readline(MAX_LINE_CHARS + 1):
        if len(line) > MAX_LINE_CHARS:
            raise csv.Error(f"a line has more than {MAX_LINE_CHARS:,} characters")
        yield line


@contextmanager
def _reader(path: Path, table: Table) -> Generator[_Reader]:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        yield _Reader(table, lines)


def _forms(column: Column) -> tuple[str, ...]:
    """Money may also come as amounts, in a column without `_cents`."""
    return (column.name, column.name.removesuffix(_CENTS)) if column.kind == "cents" else (column.name,)


def _files(folder: Path, faults: _Faults) -> dict[str, Path]:
    found = {path.stem.lower(): path for path in sorted(folder.iterdir()) if path.suffix.lower() == ".csv"}
    if not found:
        raise UsageError(f"There are no CSV files in {str(folder)!r}: docs/business.md says which there may be.")
    for name, path in found.items():
        if name not in BY_NAME:
            near = closest(name, BY_NAME)
            hint = f"did you mean {near[0]}.csv?" if near else "docs/business.md lists the names."
            faults.add(path.name, 1, f"there is no table {name!r}: {hint}")
    return {table.name: found[table.name] for table in TABLES if table.name in found}


def _keys(path: Path, table: Table, faults: _Faults) -> set[tuple[Any, ...]]:
    """The keys of a file; also says where two rows have the same. What is wrong otherwise is found later."""
    keys: set[tuple[Any, ...]] = set()
    columns = [column for column in table.columns if column.name in table.key]
    try:
        with _reader(path, table) as reader:
            if reader.missing or reader.twice:
                return keys
            for line, raw in reader.rows:
                if reader.misfit(raw):
                    continue
                try:
                    key = tuple(reader.value(column, raw) for column in columns)
                except _Unusable:
                    continue
                if key in keys:
                    faults.add(path.name, line, f"{', '.join(table.key)} {_shown(key)} is there already")
                keys.add(key)
    except (OSError, UnicodeDecodeError, csv.Error):
        return keys
    return keys


def _check(path: Path, table: Table, keys: dict[str, set[tuple[Any, ...]]], faults: _Faults) -> int:
    count = 0
    try:
        with _reader(path, table) as reader:
            if reader.separator:
                sign = "semicolons" if reader.separator == ";" else "tabs"
                faults.add(path.name, 1, f"its columns are separated by {sign}: save it with commas")
                return 0
            for name in reader.twice:
                faults.add(path.name, 1, f"the column {name!r} is there twice")
            for name in reader.unknown:
                near = reader.suggestions[name]
                hint = f"did you mean {near[0]!r}?" if near else f"it may have {', '.join(table.names)}."
                faults.add(path.name, 1, f"there is no column {name!r}: {hint}")
            for name in reader.missing:
                faults.add(path.name, 1, f"the column {name!r} is missing")
            if reader.unknown or reader.missing or reader.twice:
                return 0
            for line, raw in reader.rows:
                count += 1
                for problem in _problems(reader, table, raw, keys):
                    faults.add(path.name, line, problem)
    except UnicodeDecodeError as error:
        faults.add(path.name, count + 2, f"the text is not UTF-8 ({error.reason}): save it as UTF-8")
    except (OSError, csv.Error) as error:
        faults.add(path.name, count + 2, f"it cannot be read: {error}")
    return count


def _problems(reader: _Reader, table: Table, raw: list[str], keys: dict[str, set[tuple[Any, ...]]]) -> Iterator[str]:
    if problem := reader.misfit(raw):
        yield problem
        return
    for column in table.columns:
        try:
            value = reader.value(column, raw)
        except _Unusable as reason:
            yield str(reason)
            continue
        if value in ("", None) and (column.name in table.key or (column.refers and not column.optional)):
            yield f"{column.name} is empty"
        elif column.refers in keys and value is not None and (value,) not in keys[column.refers]:
            yield f"{column.name} {_shown(value)} is not in {column.refers}.csv"


def _convert(column: Column, text: str, *, whole_units: bool) -> Any:
    if not text and column.optional:
        return None
    try:
        if column.kind == "day":
            return date.fromisoformat(text).isoformat()
        if column.kind == "moment":
            moment = datetime.fromisoformat(text)
            moment = moment.astimezone(UTC) if moment.tzinfo else moment
            return f"{moment:%Y-%m-%d %H:%M}"
        if column.kind in ("whole", "cents"):
            return _number(text, whole_units=whole_units)
    except (ValueError, InvalidOperation, OverflowError):
        wanted = {"day": "a date, 2026-03-31", "moment": "a date and time, 2026-03-31 14:05"}
        kind = wanted.get(column.kind, "an amount" if whole_units else "a whole number")
        raise _Unusable(f"{column.name} {_shown(text)} is not {kind}") from None
    if column.choices and text not in column.choices:
        raise _Unusable(f"{column.name} {_shown(text)} is none of {', '.join(column.choices)}")
    if "\0" in text:
        raise _Unusable(f"{column.name} has a zero byte in it")
    return text


def _number(text: str, *, whole_units: bool) -> int:
    if not whole_units:
        if not _WHOLE.fullmatch(text):
            raise ValueError(text)
        number = int(text)
    else:
        cents = Decimal(text) * 100
        if not cents.is_finite() or cents != cents.to_integral_value():
            raise ValueError(text)
        number = int(cents)
    if abs(number) > MAX_NUMBER:
        raise OverflowError(text)
    return number


def _shown(value: object) -> str:
    text = repr(value[0] if isinstance(value, tuple) and len(value) == 1 else value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return text if len(text) <= 60 else f"{text[:59]}…"


class DerivedTables:
    """Sees rows go by, and gives those of the tables that nobody gave."""

    def __init__(self, given: set[str]) -> None:
        self._given = given
        self._moves: dict[tuple[str, str], dict[str, list[int]]] = {}
        self._last: dict[tuple[str, str], str] = {}
        self._days: dict[tuple[Any, ...], list[int]] = {}
        self._movement = BY_NAME["stock_movements"].names
        self._entry = BY_NAME["ledger"].names

    def see(self, name: str, row: tuple[Any, ...]) -> None:
        if name == "stock_movements":
            move = dict(zip(self._movement, row, strict=True))
            key, day = (move["item_id"], move["warehouse_id"]), move["moved_on"]
            sums = self._moves.setdefault(key, {}).setdefault(day[:7], [0, 0])
            sums[0] += move["quantity"]
            sums[1] += move["amount_cents"]
            self._last[key] = max(day, self._last.get(key, day))
        elif name == "ledger":
            entry = dict(zip(self._entry, row, strict=True))
            key = (entry["posted_on"], entry["account"], entry["account_type"], entry["category"])
            sums = self._days.setdefault(key, [0, 0])
            sums[0] += entry["debit_cents"]
            sums[1] += entry["credit_cents"]

    def rows(self) -> Iterator[tuple[str, tuple[Any, ...]]]:
        if "ledger_days" not in self._given:
            yield from (("ledger_days", (*key, *sums)) for key, sums in self._days.items())
        months = sorted({month for moves in self._moves.values() for month in moves})
        for key, moves in self._moves.items():
            quantity = value = 0
            for month in _every_month(months):
                moved = moves.get(month, (0, 0))
                quantity, value = quantity + moved[0], value + moved[1]
                if "stock_months" not in self._given and (quantity or value or month in moves):
                    yield "stock_months", (month, *key, quantity, value)
            if "stock" not in self._given:
                yield "stock", (*key, quantity, value, self._last[key])


def _every_month(months: list[str]) -> Iterator[str]:
    """From the first month to the last, those without movements too."""
    if not months:
        return
    number, last = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (months[0], months[-1]))
    while number <= last:
        yield f"{number // 12:04d}-{number % 12 + 1:02d}"
        number += 1
