"""Safe opening of files and folders below a folder, step by step: a link swapped in on the way is not followed.

Where the system knows no such steps, only the last one is checked.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

# Whatever lies under the name is neither followed nor waited for.
FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)

Kind = Literal["link", "folder", "file", ""]

BY_STEPS = os.open in os.supports_dir_fd and os.scandir in os.supports_fd


def open_file(path: Path, base: Path | None) -> int:
    """A descriptor of the file; with no link below `base`, where that is given."""
    if base is None or not BY_STEPS:
        return os.open(path, FILE)
    with _folder(base, path.parent.relative_to(base).parts) as folder:
        return os.open(path.name, FILE, dir_fd=folder)


@contextmanager
def open_folder(path: Path, base: Path) -> Generator[int | Path]:
    """What `os.scandir` and `os.stat` take for the folder, with no link below `base`."""
    if not BY_STEPS:
        yield path
        return
    with _folder(base, path.relative_to(base).parts) as folder:
        yield folder


def is_text(name: str) -> bool:
    """Whether a name can be written down: some systems allow any bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def kind_of(entry: "os.DirEntry[str]") -> Kind:
    """Only while its folder is open: afterwards the name may be another's. Empty for what is neither of these."""
    try:
        if entry.is_symlink():
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else ""
    except OSError:
        return ""


@contextmanager
def _folder(base: Path, parts: tuple[str, ...]) -> Generator[int]:
    folder = os.open(base, _FOLDER)
    try:
        for part in parts:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        yield folder
    finally:
        os.close(folder)
