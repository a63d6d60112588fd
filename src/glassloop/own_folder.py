"""Folders and files that only their owner may read, as everything in the home folder is: it holds what people said.

Below all layers, as each of them may be the first to make one.
"""

import os
from contextlib import suppress
from pathlib import Path


def make_own(folder: Path) -> None:
    """The folder, and what is missing above it, for the owner alone; one that is there stays as it is.

    `Path.mkdir` would make those above with the mode of everything else.
    """
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def make_own_file(path: Path) -> None:
    """An empty file for the owner alone, for libraries that would make it with the mode of everything else; one that is
    there stays as it is."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0), 0o600))


def restrict(folder: Path) -> None:
    """Takes the folder, and all that libraries wrote into it, from everybody but the owner. What goes meanwhile, or
    belongs to another, is left as it is."""
    for above, folders, files in os.walk(folder):
        for name, mode in (*((each, 0o700) for each in folders), *((each, 0o600) for each in files)):
            path = Path(above, name)
            with suppress(OSError):
                if not path.is_symlink():
                    path.chmod(mode)
    with suppress(OSError):
        folder.chmod(0o700)
