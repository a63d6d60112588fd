"""Loading of business data into the home folder's file, or the company's own database.

Owns what may be replaced: the sample company always, imported data only when that is wanted.
"""

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from glassloop.core.errors import ToolError
from glassloop.extensions.business.company.generator import VERSION, make_company
from glassloop.extensions.business.database.csv_folder import check_folder
from glassloop.extensions.business.database.sample import FILE_NAME, IMPORTED, read_stamp
from glassloop.extensions.business.database.writer import Fill, Sink, write_postgres, write_sqlite
from glassloop.own_folder import make_own
from glassloop.runtime.importers import Tell


def load_folder(
    folder: Path, home: Path, url: str | None, *, replace: bool, tell: Tell, mapping: Path | None = None
) -> dict[str, int]:
    """Loads CSV files; returns how many rows each table got. Raises `ImportRefused` where a row cannot be used."""
    checked = check_folder(folder, tell, mapping)
    tell("writing", 0.9)
    _write(home, url, checked.fill, IMPORTED, replace=replace)
    return checked.counts


def load_sample(home: Path, url: str | None, *, replace: bool, tell: Tell) -> dict[str, int]:
    """Loads the sample company, as of today."""
    counts: dict[str, int] = {}

    def fill(sink: Sink) -> None:
        def count(name: str, row: tuple[object, ...]) -> None:
            counts[name] = counts.get(name, 0) + 1
            sink(name, row)

        make_company(count, today=datetime.now(UTC).date(), tell=tell)

    _write(home, url, fill, VERSION, replace=replace)
    return counts


def _write(home: Path, url: str | None, fill: Fill, version: int, *, replace: bool) -> None:
    if url is not None and url.startswith(("postgres://", "postgresql://")):
        write_postgres(url, fill, replace=replace)
        return
    path = Path(url.removeprefix("sqlite:///")).expanduser() if url else home / FILE_NAME
    if path.exists() and not replace and not (url is None and _is_sample(path)):
        raise ToolError(f"{path.name} has data already: --replace deletes it and loads the new data.")
    try:
        make_own(path.parent)
        write_sqlite(path, fill, version)
    except OSError as error:
        raise ToolError(f"{path.name} cannot be written: {error.strerror}.") from error


def _is_sample(path: Path) -> bool:
    try:
        return read_stamp(path) < IMPORTED
    except sqlite3.Error:
        return False
