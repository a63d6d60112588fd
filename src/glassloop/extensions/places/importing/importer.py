"""One file into a new data set: read, checked, and written to a staged folder.

Blocking, and in a process of its own: it changes the working folder.
"""

import os
import shutil
from contextlib import chdir, closing
from pathlib import Path

import msgspec

from glassloop.extensions.places.data_set.about import About
from glassloop.extensions.places.data_set.month_columns import (
    MAX_KEPT_PLACES,
    files_in,
    ranked_files_in,
    write_month_columns,
)
from glassloop.extensions.places.importing.new_data_set import imported_file, open_old, write_about, write_new
from glassloop.extensions.places.importing.reading.import_database import (
    ImportDatabase,
    RawTable,
    Tell,
    link_input,
    read_raw,
    refuse_memory,
)
from glassloop.extensions.places.importing.report import Findings, ImportReport, nothing_taken
from glassloop.extensions.places.importing.rows.areas import check_areas
from glassloop.extensions.places.importing.rows.patterns import check_patterns
from glassloop.extensions.places.importing.rows.places import check_places
from glassloop.extensions.places.importing.rows.visits import check_visits, take_all

WORK = "work"


class FileToImport(msgspec.Struct, frozen=True, kw_only=True):
    """What to import and where to: `base` is the folder of the user's own data set, empty where there is none;
    `staged` an empty folder for the new one; `near` takes places of the same name within 50 m; `cpu_s` is the CPU time
    that its process has for it; with more than `max_kept_places` months are written side by side, too."""

    path: str
    cpu_s: float
    name: str
    user: str
    staged: str
    base: str = ""
    near: bool = False
    max_kept_places: int = MAX_KEPT_PLACES


def import_file(wanted: FileToImport, tell: Tell) -> ImportReport:
    """Writes the new data set. Raises `FileRefused` where nothing of the file can be used; of one that was imported
    before, nothing is written."""
    import duckdb

    work = Path(wanted.staged) / WORK
    work.mkdir(mode=0o700)
    old = About.read(Path(wanted.base)) if wanted.base else None
    tell("Reading the file", 0.0)
    try:
        digest = link_input(Path(wanted.path), work)
        if old is not None and any(each.digest == digest for each in old.imports):
            return ImportReport(file=wanted.name, layout="", same=True)
        with chdir(work), closing(ImportDatabase(work)) as space:
            return _import(wanted, space, old, digest, tell)
    except (duckdb.OutOfMemoryException, MemoryError):
        raise refuse_memory() from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _import(wanted: FileToImport, space: ImportDatabase, old: About | None, digest: str, tell: Tell) -> ImportReport:
    base = Path(wanted.base) if wanted.base else None
    staged = Path(wanted.staged)
    findings = Findings()
    open_old(space, base)
    raw = read_raw(space, findings, {"visits": take_all})
    tell("Checking the rows", 0.3)
    layout = raw.columns.layout
    _check(space, raw, findings, wanted, tell)
    taken = raw.read - findings.skipped - findings.duplicates
    if taken <= 0 and not findings.duplicates:
        raise nothing_taken(findings, layout.name, raw.read)
    updated = 0
    if layout.content == "places":
        updated = space.count("new_places", "id IN (SELECT id FROM old_poi_places)")
    rows: dict[str, int] = {}
    if taken > 0:
        tell("Writing the data set", 0.9)
        rows = write_new(space, base, staged, prefer_old=layout.content == "patterns")
        _write_columns(space, Path(os.path.relpath(staged, space.folder)), wanted.max_kept_places)
        write_about(space, old, staged, imported_file(wanted.name, wanted.user, taken, digest))
    return ImportReport(
        file=wanted.name, layout=layout.name, read=raw.read, taken=taken, skipped=findings.skipped,
        duplicates=findings.duplicates, updated=updated, encoding=raw.encoding, reasons=findings.reasons,
        problems=findings.first(), disagreements=findings.disagreements, unknown_columns=dict(raw.columns.unknown),
        notes=findings.notes, rows=rows,
    )  # fmt: skip


def _write_columns(space: ImportDatabase, staged: Path, most_kept: int) -> None:
    """Where there is no memory for them the data set does without, and is asked more slowly."""
    import duckdb

    try:
        write_month_columns(space.run, staged, most_kept=most_kept)
    except duckdb.OutOfMemoryException:
        for file in (*files_in(staged), *ranked_files_in(staged).values()):
            file.unlink()


def _check(space: ImportDatabase, raw: RawTable, findings: Findings, wanted: FileToImport, tell: Tell) -> None:
    content = raw.columns.layout.content
    if content == "places":
        check_places(space, raw, findings, near=wanted.near)
    elif content == "visits":
        check_visits(space, raw, findings)
    elif content == "patterns":
        check_patterns(space, raw, findings, lambda message, part: tell(message, 0.3 + 0.6 * part))
    else:
        check_areas(space, raw, findings)
