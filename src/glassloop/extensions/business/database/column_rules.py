"""Rules that make the columns of the business tables of a company's own, from a `mapping.toml` beside the CSV files.

Owns what such a file may say of a column: another column's name, `=text` for all rows, `{first} {last}`, `#` for the
line, `unit_price * quantity * (1 - discount)`, `order_id -> orders.order_date` to look up, `order_id <- order_details:
unit_price * quantity` to add up, or a table of values. Nothing in it is run: names, numbers and these signs are all.
"""

import csv
import re
import tomllib
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, TextIO, cast

from glassloop.core.errors import UsageError
from glassloop.tools.suggestion import closest

FILE_NAME = "mapping.toml"
MAX_BYTES = 100_000
MAX_LINE_CHARS = 1_000_000

Cells = Sequence[str]
Rule = Callable[[Cells, int], str]
"""A value of a row, by its cells and the number of its line."""

_LOOK_UP = re.compile(r"([^<>=*{}]{1,100}) -> ([^<>=*{}.]{1,100})\.([^<>=*{}.]{1,100})")
_ADD_UP = re.compile(r"([^<>=*{}]{1,100}) <- ([^<>=*{}:]{1,100}): ?(.{1,300})")
_LESS = re.compile(r"\(1 - ([^()]{1,100})\)")
_BRACES = re.compile(r"\{([^{}]{1,100})\}")


def fold(name: str) -> str:
    """A name as it is compared: `CustomerID`, `customer id` and `customer_id` are one."""
    return "".join(sign for sign in name.lower() if sign.isalnum())


def csv_files(folder: Path) -> dict[str, Path]:
    """The CSV files by their names without the ending, in lower case."""
    return {path.stem.lower(): path for path in sorted(folder.iterdir()) if path.suffix.lower() == ".csv"}


def read_mapping(path: Path) -> dict[str, dict[str, Any]]:
    """What it says, by table; raises `UsageError` where it is no such file."""
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_BYTES:
            raise UsageError(f"{path.name} has {len(raw):,} bytes: {MAX_BYTES:,} at most.")
        found: dict[str, Any] = tomllib.loads(raw.decode())
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path.name} cannot be read: {error}") from error
    if wrong := [name for name, rules in found.items() if not isinstance(rules, dict)]:
        raise UsageError(f"{path.name}: {wrong[0]} must be a table of columns, as [{wrong[0]}] or {{ … }}.")
    return found


def bounded(lines: TextIO) -> Iterator[str]:
    """The lines, of which none is ever read whole that is too long for anybody to have written it."""
    while line := lines.readline(MAX_LINE_CHARS + 1):
        if len(line) > MAX_LINE_CHARS:
            raise csv.Error(f"a line has more than {MAX_LINE_CHARS:,} characters")
        yield line


@contextmanager
def opened(path: Path) -> Generator[tuple[list[str], Any]]:
    """Its header and the reader of what follows."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(bounded(lines), strict=True)
        yield [name.strip() for name in next(reader, list[str]())], reader


class MappedFiles:
    """The files that rules may look into; each is read when a rule first needs it."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._sums: dict[tuple[str, str, str], dict[str, str]] = {}

    def rule(self, said: Any, header: Sequence[str], label: str) -> tuple[Rule, set[str]]:
        """How the value is had of a row, and which columns of the file that uses."""
        if isinstance(said, dict):
            table = cast("dict[str, Any]", said)
            inner, used = self.rule(table.get("from", ""), header, label)
            values = {key: str(value) for key, value in table.items()}
            return lambda cells, line: values.get(inner(cells, line), values.get("else", inner(cells, line))), used
        text = str(said)
        if text.startswith("="):
            return lambda _cells, _line: text[1:], set()
        if text == "#":
            return lambda _cells, line: str(line), set()
        if match := _ADD_UP.fullmatch(text) or _LOOK_UP.fullmatch(text):
            at = _place(match[1], header, label)
            found = self._found(match[2].strip(), match[1].strip(), match[3].strip(), adds=" <- " in text, label=label)
            return lambda cells, _line: found.get(cells[at].strip(), ""), {header[at]}
        if "{" in text:
            names = {name: _place(name, header, label) for name in _BRACES.findall(text)}

            def together(cells: Cells, _line: int) -> str:
                return _BRACES.sub(lambda one: cells[names[one[1]]].strip(), text)

            return together, {header[at] for at in names.values()}
        return self._product(text, header, label)

    def _product(self, text: str, header: Sequence[str], label: str) -> tuple[Rule, set[str]]:
        factors = [factor.strip() for factor in text.split(" * ")]
        if len(factors) == 1 and not _LESS.fullmatch(text):
            at = _place(text, header, label)
            return lambda cells, _line: cells[at].strip(), {header[at]}
        parts = [(match[1] if (match := _LESS.fullmatch(factor)) else factor, bool(match)) for factor in factors]
        places = [(None if _is_number(name) else _place(name, header, label), name, less) for name, less in parts]

        def times(cells: Cells, _line: int) -> str:
            product = Decimal(1)
            for at, name, less in places:
                factor = Decimal(name if at is None else cells[at].strip() or "0")
                product *= 1 - factor if less else factor
            return str(product)

        return times, {header[at] for at, _, _ in places if at is not None}

    def _found(self, file: str, key: str, said: str, *, adds: bool, label: str) -> dict[str, str]:
        """The values of another file by its key, or their sums."""
        path = self._files.get(file.lower())
        if path is None:
            raise UsageError(f"{FILE_NAME}: {label} looks into {file}.csv, which is not there.")
        if (file, key, said) not in self._sums:
            found: dict[str, str] = {}
            with opened(path) as (header, rows):
                at = _place(key, header, f"{label} in {path.name}")
                rule, _ = self.rule(said, header, f"{label} in {path.name}")
                for cells in rows:
                    if len(cells) == len(header):
                        one, value = cells[at].strip(), rule(cells, rows.line_num)
                        found[one] = str(Decimal(found.get(one, "0")) + Decimal(value)) if adds else value
            self._sums[file, key, said] = found
        return self._sums[file, key, said]


def _place(name: str, header: Sequence[str], label: str) -> int:
    folded = [fold(one) for one in header]
    if fold(name) in folded:
        return folded.index(fold(name))
    near = closest(name, header)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(header[:20])}."
    raise UsageError(f"{FILE_NAME}: {label} names the column {name.strip()!r}, which is not there: {hint}")


def _is_number(text: str) -> bool:
    try:
        return Decimal(text).is_finite()
    except InvalidOperation:
        return False
