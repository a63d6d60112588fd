"""A company's own data from CSV files: every row is checked before the first is loaded.

One file a table, `purchase_orders.csv`, with a header line, or what a mapping makes of other files. Owns reading and
checking; writing is `writer`'s. What can be added up from other tables (stock, the ledger by day) is, where its file is
missing.
"""

import csv
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import msgspec

from glassloop.core.errors import UsageError
from glassloop.extensions.business.database.column_rules import (
    FILE_NAME,
    MappedFiles,
    Rule,
    csv_files,
    fold,
    opened,
    read_mapping,
)
from glassloop.extensions.business.database.tables import BY_NAME, TABLES, Column, Table
from glassloop.extensions.business.database.writer import Sink
from glassloop.runtime.importers import Fault, ImportRefused, Tell
from glassloop.tools.suggestion import closest

MAX_FAULTS = 50
MAX_NUMBER = 2**53
_CENTS = "_cents"
_WHOLE = re.compile(r"[+-]?\d{1,18}")


class TableSource(msgspec.Struct, frozen=True):
    """Where the rows of a table come from: a file, none for one row of fixed values, and what a mapping says of it."""

    table: Table
    path: Path | None
    files: MappedFiles
    rules: Mapping[str, Any] = {}

    @property
    def name(self) -> str:
        return self.path.name if self.path else FILE_NAME

    @contextmanager
    def open(self) -> Generator["_Reader"]:
        if self.path is None:
            yield _Reader(self, [], iter([list[str]()]))
            return
        with opened(self.path) as (header, rows):
            yield _Reader(self, header, rows)


class CheckedFolder:
    """Files that were read whole and can be loaded. `preview` says what becomes of them."""

    def __init__(self, sources: Mapping[str, TableSource], unused: Sequence[str]) -> None:
        self._sources = sources
        self.unused = unused
        self.counts: dict[str, int] = {}

    def preview(self) -> list[str]:
        lines: list[str] = []
        for name, source in self._sources.items():
            with source.open() as reader:
                first = next((raw for _, raw in reader.rows), None)
                columns = ", ".join(f"{column.name} = {reader.told(column, first)}" for column in source.table.columns)
                ignored = f" Not used: {', '.join(reader.unused)}." if reader.unused else ""
            lines.append(f"{name}: {self.counts[name]:,} rows of {source.name}. First: {columns}.{ignored}")
        lines += [f"Not used: {name}." for name in self.unused]
        made = (
            {"stock", "stock_months", "ledger_days"}
            if {"stock_movements", "ledger"} & set(self._sources)
            else set[str]()
        )
        missing = [table.name for table in TABLES if table.name not in self._sources and table.name not in made]
        return (
            [*lines, f"Not in the data, so that nothing is known of them: {', '.join(missing)}."] if missing else lines
        )

    def fill(self, sink: Sink) -> None:
        """Every row, and what is added up from them."""
        derived = DerivedTables(set(self._sources))
        for name, source in self._sources.items():
            with source.open() as reader:
                for _, raw in reader.rows:
                    row = tuple(reader.value(column, raw) for column in source.table.columns)
                    derived.see(name, row)
                    sink(name, row)
        for name, row in derived.rows():
            self.counts[name] = self.counts.get(name, 0) + 1
            sink(name, row)


def check_folder(folder: Path, tell: Tell = lambda _stage, _done: None, mapping: Path | None = None) -> CheckedFolder:
    """Reads every file of the folder, by its `mapping.toml` or another; raises `ImportRefused` with what is wrong, line
    by line."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {str(folder)!r}: name the one with the CSV files.")
    faults = _Faults()
    own = folder / FILE_NAME
    said = read_mapping(mapping or own) if mapping or own.exists() else {}
    sources, unused = _sources(folder, said, faults)
    keys = {name: _keys(source, faults) for name, source in sources.items()}
    checked = CheckedFolder(sources, unused)
    for number, (name, source) in enumerate(sources.items()):
        tell(f"reading {source.name}", number / len(sources))
        checked.counts[name] = _check(source, keys, faults)
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

    def __init__(self, source: TableSource, header: list[str], rows: Any) -> None:
        table = source.table
        self._csv = rows
        self._header = header
        # What other countries' spreadsheets put between columns.
        self.separator = next((sign for sign in (";", "\t") if len(header) == 1 and sign in header[0]), None)
        self.twice = [name for name in dict.fromkeys(header) if header.count(name) > 1]
        self._mapped = bool(source.rules)
        folded = {fold(name): name for name in reversed(header)}
        self._rules: dict[str, tuple[Rule, bool]] = {}
        used: set[str] = set()
        for column in table.columns:
            form = next((form for form in _forms(column) if form in source.rules or fold(form) in folded), None)
            given = next((form for form in _forms(column) if form in source.rules), form)
            if given is None:
                continue
            said = source.rules.get(given, folded.get(fold(given), ""))
            rule, columns = source.files.rule(said, header, f"{table.name}.{column.name}")
            self._rules[column.name] = (rule, given != column.name)
            used |= columns
        self.unused = [name for name in header if name not in used]
        self.missing = [column for column in table.columns if not self._may_lack(column, table)]

    def _may_lack(self, column: Column, table: Table) -> bool:
        """Text that somebody who wrote a mapping left out is empty; figures and states are never made up."""
        plain = column.kind == "text" and not (column.choices or column.refers or column.name in table.key)
        return column.name in self._rules or column.optional or (self._mapped and plain)

    @property
    def rows(self) -> Iterator[tuple[int, list[str]]]:
        for raw in self._csv:
            if raw or not self._header:
                yield getattr(self._csv, "line_num", 1), raw

    def misfit(self, raw: list[str]) -> str | None:
        """Why a line cannot be read by the header."""
        width = len(self._header)
        return None if len(raw) == width else f"it has {len(raw)} fields, and the header has {width}"

    def value(self, column: Column, raw: list[str]) -> Any:
        if column.name not in self._rules:
            return None if column.optional else ""
        rule, whole_units = self._rules[column.name]
        try:
            text = rule(raw, getattr(self._csv, "line_num", 1))
        except (InvalidOperation, ArithmeticError):
            raise _Unusable(f"{column.name} cannot be worked out: one of its parts is no number") from None
        return _convert(column, text.strip(), whole_units=whole_units)

    def told(self, column: Column, raw: list[str] | None) -> str:
        """The value of a row for people to look at."""
        if raw is None or column.name not in self._rules:
            return "–"
        value = self.value(column, raw)
        return f"{value / 100:,.2f}" if column.kind == "cents" and value is not None else _shown(value)


def _forms(column: Column) -> tuple[str, ...]:
    """Money may also come as amounts, in a column without `_cents`."""
    return (column.name, column.name.removesuffix(_CENTS)) if column.kind == "cents" else (column.name,)


def _sources(
    folder: Path, said: Mapping[str, dict[str, Any]], faults: _Faults
) -> tuple[dict[str, TableSource], list[str]]:
    """Where each table comes from, and the files that nothing is made of."""
    found = csv_files(folder)
    if not found:
        raise UsageError(f"There are no CSV files in {str(folder)!r}: docs/business.md says which there may be.")
    files, sources, text = MappedFiles(found), dict[str, TableSource](), str(said)
    for name, rules in said.items():
        if name not in BY_NAME:
            near = closest(name, BY_NAME)
            raise UsageError(
                f"{FILE_NAME}: there is no table {name!r}{f': did you mean {near[0]!r}?' if near else '.'}"
            )
        origin = str(rules.get("from", name)).lower()
        known = {form for column in BY_NAME[name].columns for form in _forms(column)} | {"from"}
        if wrong := [key for key in rules if key not in known]:
            raise UsageError(
                f"{FILE_NAME}: {name} has no column {wrong[0]!r}: it has {', '.join(BY_NAME[name].names)}."
            )
        if origin not in found and "from" in rules:
            raise UsageError(f"{FILE_NAME}: {name} comes from {origin}.csv, which is not there.")
        given = {key: value for key, value in rules.items() if key != "from"}
        sources[name] = TableSource(BY_NAME[name], found.get(origin), files, given)
    used = {source.path for source in sources.values()}
    unused: list[str] = []
    for name, path in found.items():
        if name in BY_NAME and name not in sources:
            sources[name] = TableSource(BY_NAME[name], path, files)
        elif name not in BY_NAME and path not in used and f" {name}" not in text.lower():
            if (near := closest(name, BY_NAME)) and not said:
                faults.add(path.name, 1, f"there is no table {name!r}: did you mean {near[0]}.csv?")
            unused.append(path.name)
    return {table.name: sources[table.name] for table in TABLES if table.name in sources}, unused


def _keys(source: TableSource, faults: _Faults) -> set[tuple[Any, ...]]:
    """The keys of a file; also says where two rows have the same. What is wrong otherwise is found later."""
    keys: set[tuple[Any, ...]] = set()
    table = source.table
    columns = [column for column in table.columns if column.name in table.key]
    try:
        with source.open() as reader:
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
                    faults.add(source.name, line, f"{', '.join(table.key)} {_shown(key)} is there already")
                keys.add(key)
    except (OSError, UnicodeDecodeError, csv.Error):
        return keys
    return keys


def _check(source: TableSource, keys: dict[str, set[tuple[Any, ...]]], faults: _Faults) -> int:
    count, name = 0, source.name
    try:
        with source.open() as reader:
            if reader.separator:
                sign = "semicolons" if reader.separator == ";" else "tabs"
                faults.add(name, 1, f"its columns are separated by {sign}: save it with commas")
                return 0
            for twice in reader.twice:
                faults.add(name, 1, f"the column {twice!r} is there twice")
            for column in reader.missing:
                near = closest(column.name, reader.unused)
                hint = f": is it {near[0]!r}? {FILE_NAME} can say so" if near else ""
                faults.add(name, 1, f"the column {column.name!r} is missing{hint}")
            if reader.missing or reader.twice:
                return 0
            for line, raw in reader.rows:
                count += 1
                for problem in _problems(reader, source.table, raw, keys):
                    faults.add(name, line, problem)
    except UnicodeDecodeError as error:
        faults.add(name, count + 2, f"the text is not UTF-8 ({error.reason}): save it as UTF-8")
    except (OSError, csv.Error) as error:
        faults.add(name, count + 2, f"it cannot be read: {error}")
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
            # Many write midnight after the day.
            return datetime.fromisoformat(text).date().isoformat()
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
        if not cents.is_finite():
            raise ValueError(text)
        number = int(cents.to_integral_value(ROUND_HALF_UP))
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
