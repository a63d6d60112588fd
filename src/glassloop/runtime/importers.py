"""Importers: data of one's own that an extension takes in, and the sample data it brings along."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.runtime.settings.settings import Settings

Tell = Callable[[str, float], None]
"""What is done now, and how far, from 0 to 1."""


class ImportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to take in: a folder of files, or the sample data where it is None. `replace` what was imported before;
    `mapping` is a file that says which of one's own columns is which."""

    folder: Path | None = None
    replace: bool = False
    mapping: Path | None = None


ImportFiles = Callable[[Settings, ImportRequest, Tell], Mapping[str, int]]
"""Takes it in; returns how many rows of what. Blocking. Raises `ImportRefused`, or `UsageError`."""
PreviewFiles = Callable[[ImportRequest, Tell], Sequence[str]]
"""Says in lines what would be made of the files, without taking them in."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is wrong with a file."""

    file: str
    line: int
    problem: str


class ImportRefused(UsageError):
    """Files that cannot be used: nothing was taken in. `count` of all faults; `faults` are the first of them."""

    def __init__(self, faults: Sequence[Fault], count: int) -> None:
        lines = [f"{fault.file}:{fault.line}: {fault.problem}" for fault in faults]
        more = [f"… and {count - len(faults):,} more"] if count > len(faults) else []
        rows = "\n".join((*lines, *more))
        super().__init__(f"Nothing was loaded: {count:,} rows are invalid:\n{rows}")
        self.faults = faults
        self.count = count


class Importer(msgspec.Struct, frozen=True, kw_only=True):
    """`glassloop import NAME`. `title` says what it takes in, in one line; `details` more of it."""

    name: str
    title: str
    details: str = ""
    load: ImportFiles
    preview: PreviewFiles | None = None
    has_sample: bool = False


class ImportOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option of a command that imports files, and of the job the parameter of the same name. One that is not given
    is left out. `first_only`: of several files it is given with each until one is in, and then no more."""

    name: str
    help: str
    kind: Literal["flag", "number", "text"] = "text"
    metavar: str = ""
    first_only: bool = False


class FileImporter(msgspec.Struct, frozen=True, kw_only=True):
    """`glassloop import NAME FILE…`: each file by a job of that kind, whose parameters are its `path` and the options.
    `tell` says in lines what became of one, by the job's result."""

    name: str
    title: str
    details: str = ""
    job: str
    options: Sequence[ImportOption] = ()
    tell: Callable[[Json], Sequence[str]]
