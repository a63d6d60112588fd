"""Folder that only its owner may read, as everything in the home folder is: it holds what people said.

Below all layers, as each of them may be the first to make it.
"""

from pathlib import Path


def make_own(folder: Path) -> None:
    """The folder, and what is missing above it, for the owner alone; one that is there stays as it is.

    `Path.mkdir` would make those above with the mode of everything else.
    """
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)
