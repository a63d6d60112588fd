"""Files of a folder as sources. Links that lead away or in circles are reported, never followed."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from glassloop.core.errors import UsageError
from glassloop.retrieval.documents.files import READABLE, is_text, kind_of, open_folder
from glassloop.retrieval.index.sources import DocumentSource

SKIPPED = {
    *(".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".mypy_cache", ".pytest_cache"),
    *(".ruff_cache", ".idea", ".vscode", "dist", "build", "target", ".next", ".cache", ".gradle", "site-packages"),
}
"""Folders that hold what was made or fetched, not what people wrote."""

MAX_FILES = 200_000
MAX_DEPTH = 40

Tell = Callable[[str, str], None]
"""A file's name and why it is left out."""


def folder_sources(root: Path, tell: Tell) -> Iterator[DocumentSource]:
    """Every readable file below the root by its path from there, in order; the root may be one file itself."""
    if root.is_file():
        yield DocumentSource(name=root.name, path=root.resolve())
        return
    if not root.is_dir():
        raise UsageError(f"There is no file or folder {root.name!r}: check the path.")
    base = root.resolve()
    for count, (name, path) in enumerate(_files(base, base, "", tell, 0)):
        if count >= MAX_FILES:
            tell(name, f"and what comes after it is left out: the folder has more than {MAX_FILES:,} files")
            return
        yield DocumentSource(name=name, path=path, base=base)


def _files(base: Path, folder: Path, prefix: str, tell: Tell, depth: int) -> Iterator[tuple[str, Path]]:
    try:
        with open_folder(folder, base) as opened, os.scandir(opened) as entries:
            found = sorted((Path(entry.name), kind_of(entry)) for entry in entries)
    except OSError as error:
        tell(prefix or folder.name, f"cannot be opened ({error.strerror}): check who may read it")
        return
    for entry, kind in found:
        name, path = f"{prefix}{entry}", folder / entry
        if not is_text(entry.name):
            tell(name, "has a name that is no valid text: rename it")
        elif kind == "link":
            _tell_link(base, path, name, tell)
        elif kind == "folder":
            if depth >= MAX_DEPTH:
                tell(name, f"lies more than {MAX_DEPTH} folders deep: index it by itself")
            elif entry.name not in SKIPPED:
                yield from _files(base, path, f"{name}/", tell, depth + 1)
        elif entry.suffix.lower() in READABLE:
            if kind == "file":
                yield name, path
            else:
                tell(name, "is no ordinary file, or cannot be looked at: give the file itself")


def _tell_link(base: Path, path: Path, name: str, tell: Tell) -> None:
    """What a link inside the folder leads to is found under its own name."""
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        tell(name, "is a link that leads in a circle or nowhere: remove it")
        return
    if target in path.absolute().parents:
        tell(name, "is a link to a folder that it lies in, and is not followed")
    elif not target.is_relative_to(base):
        tell(name, "is a link to somewhere outside of the folder: index that by itself")
