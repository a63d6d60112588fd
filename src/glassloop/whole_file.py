"""Atomic file writes: readers see the file as it was or as it is now, even if the writer dies in between.

Below all layers, as each of them keeps small files that others read.
"""

import os
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """The file with these bytes and on the disk, or as it was. Raises `OSError`."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".new")
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(mode)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
