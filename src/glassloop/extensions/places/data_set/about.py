"""`about.json`: what a data set is, beside its Parquet files."""

from datetime import date, datetime
from pathlib import Path

import msgspec

from glassloop.core.errors import GlassloopError
from glassloop.whole_file import write_whole

ABOUT_FILE = "about.json"
MAX_IMPORTS = 1_000


class DataSetImport(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was taken in, by whom and when. `digest` is its SHA-256: the same file is not taken in again."""

    file: str
    user: str
    at: datetime
    rows: int
    digest: str = ""


class About(msgspec.Struct, frozen=True, kw_only=True):
    """A data set in a few words. `as_of` is the day it was made or last added to."""

    name: str
    first_day: date
    last_day: date
    as_of: date
    sample: bool = False
    panel_size: int | None = None
    imports: tuple[DataSetImport, ...] = ()

    def write(self, folder: Path) -> None:
        kept = msgspec.structs.replace(self, imports=self.imports[-MAX_IMPORTS:])
        write_whole(folder / ABOUT_FILE, msgspec.json.format(msgspec.json.encode(kept)) + b"\n")

    @classmethod
    def read(cls, folder: Path) -> "About":
        """Raises `GlassloopError` where there is none that can be read."""
        try:
            return msgspec.json.decode((folder / ABOUT_FILE).read_bytes(), type=cls)
        except (OSError, msgspec.MsgspecError) as error:
            raise GlassloopError(
                f"The data set {folder.name!r} has no {ABOUT_FILE} that can be read: make the sample or import again."
            ) from error
