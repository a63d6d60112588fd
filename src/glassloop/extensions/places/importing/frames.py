"""Frames that the importing process writes to its pipe, and the bound of them."""

import msgspec

from glassloop.extensions.places.importing.report import ImportReport

MAX_FRAME_BYTES = 1_000_000


class ImportProgress(msgspec.Struct, frozen=True, tag="progress"):
    """What is done now, and how far, from 0 to 1."""

    message: str
    fraction: float


class Imported(msgspec.Struct, frozen=True, tag="imported"):
    """The last frame of a file that could be read."""

    report: ImportReport


class RefusedFile(msgspec.Struct, frozen=True, tag="refused"):
    """The last frame of one that could not, and why."""

    reason: str


Frame = ImportProgress | Imported | RefusedFile
