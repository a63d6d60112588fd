"""The files of a workspace without what ignore files and blocked names leave out, looked at once and then kept up.

A look at what is known costs a `stat` for each folder; only a folder whose own time changed is listed again. Every
folder is opened beneath the root by its descriptor, links are told and never followed. Blocks.
"""

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from glassloop.extensions.code.access import is_blocked
from glassloop.retrieval.code.ignore_rules import EXCLUDE, FILES, MAX_BYTES, IgnoreRules, is_ignored, parse_rules
from glassloop.retrieval.documents.files import is_text, kind_of
from glassloop.root_folder import RootFolder

MAX_FILES = 200_000
MAX_DEPTH = 60
MAX_WORKSPACES = 8
SETTLED_NS = 2_000_000_000
"""A folder that changed this recently may change again without its time telling: it is listed once more."""

ENVIRONMENT = "pyvenv.cfg"
"""Whatever a virtual environment is called, this file lies in it."""


class ListedFolder(msgspec.Struct):
    """`rules`: its own after those of all above it. Names, in their order; of links only that they are there."""

    modified: int
    above: Sequence[IgnoreRules]
    rules: Sequence[IgnoreRules]
    ignores: dict[str, tuple[int, int]]
    files: list[str]
    folders: list[str]
    links: list[str]
    ignored: int = 0
    blocked: int = 0


class Listing(NamedTuple):
    """Paths are from the root, with slashes; of a folder without one at its end, '' for the root."""

    folders: dict[str, ListedFolder]
    files: Sequence[str]
    ignored: int
    blocked: int
    whole: bool

    def below(self, path: str) -> Sequence[str]:
        """The files below a folder, or the file itself."""
        if not path:
            return self.files
        prefix = f"{path}/"
        return [name for name in self.files if name.startswith(prefix) or name == path]


class WorkspaceListing:
    """The listing of one root. For any thread, one at a time."""

    def __init__(self, max_files: int = MAX_FILES) -> None:
        self._max_files = max_files
        self._lock = threading.Lock()
        self._listing = Listing({}, (), 0, 0, True)

    def look(self, root: RootFolder) -> Listing:
        """As it is now."""
        with self._lock:
            walk = _Walk(root, self._listing.folders, self._max_files)
            with walk:
                walk.enter("", (), 0)
            if walk.changed or walk.folders.keys() != self._listing.folders.keys():
                self._listing = walk.listing()
            return self._listing


class Listings:
    """The listings of the workspaces that were looked at last."""

    def __init__(self, limit: int = MAX_WORKSPACES) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._known: OrderedDict[Path, WorkspaceListing] = OrderedDict()

    def look(self, root: RootFolder, path: str = "") -> Listing:
        """As it is now. `path`, without links: a folder that may lie in a blocked or ignored one, named outright."""
        with self._lock:
            known = self._known.setdefault(root.path, WorkspaceListing())
            self._known.move_to_end(root.path)
            while len(self._known) > self._limit:
                self._known.popitem(last=False)
        listing = known.look(root)
        return listing if path in listing.folders else _named_outright(root, path)


def _named_outright(root: RootFolder, path: str) -> Listing:
    """A folder, or the one file, that the listing of the root leaves out."""
    walk = _Walk(root, {}, MAX_FILES)
    rules: Sequence[IgnoreRules] = ()
    parts = path.split("/")
    for count in range(len(parts)):
        above = "/".join(parts[:count])
        rules = walk.rules(above, [name for name in FILES if _is_there(root, _join(above, name))], rules)[0]
    with walk:
        walk.enter(path, rules, len(parts))
    return walk.listing()


class _Walk:
    """One look, with what the last one found."""

    def __init__(self, root: RootFolder, known: dict[str, ListedFolder], max_files: int) -> None:
        self.folders: dict[str, ListedFolder] = {}
        self.changed = False
        self._root = root
        self._known = known
        self._left = max_files
        self._settled = time.time_ns() - SETTLED_NS
        self._top = -1

    def __enter__(self) -> None:
        self._top = self._root.open_folder("").descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self._top)

    def listing(self) -> Listing:
        files = [_join(path, name) for path, folder in self.folders.items() for name in folder.files]
        folders = self.folders.values()
        ignored, blocked = sum(each.ignored for each in folders), sum(each.blocked for each in folders)
        return Listing(self.folders, files, ignored, blocked, self._left > 0)

    def enter(self, path: str, above: Sequence[IgnoreRules], depth: int) -> None:
        if self._left <= 0 or depth > MAX_DEPTH:
            return
        folder = self._known.get(path)
        if folder is None or folder.above is not above or not self._is_current(path, folder):
            folder = self._list(path, above, folder)
            self.changed = True
        self.folders[path] = folder
        self._left -= len(folder.files)
        for name in folder.folders:
            self.enter(_join(path, name), folder.rules, depth + 1)

    def rules(
        self, path: str, names: Sequence[str], above: Sequence[IgnoreRules]
    ) -> tuple[Sequence[IgnoreRules], dict[str, tuple[int, int]]]:
        """Those of a folder with these ignore files in it, after those above it; and how the files are."""
        prefix = f"{path}/" if path else ""
        own: list[IgnoreRules] = []
        seen: dict[str, tuple[int, int]] = {}
        for name in (*((str(EXCLUDE),) if not path else ()), *names):
            if (read := self._read(prefix + name)) is not None:
                raw, seen[prefix + name] = read
                own.append(parse_rules(prefix, raw))
        return [*above, *filter(None, own)] if any(own) else above, seen

    def _is_current(self, path: str, folder: ListedFolder) -> bool:
        try:
            # Only compared: of what a link on the way led to, nothing is read.
            facts = os.stat(path or ".", dir_fd=self._top, follow_symlinks=False)
            if facts.st_mtime_ns != folder.modified:
                return False
            return all(_state(self._root, name) == state for name, state in folder.ignores.items())
        except OSError:
            return False

    def _list(self, path: str, above: Sequence[IgnoreRules], before: ListedFolder | None) -> ListedFolder:
        try:
            opened = self._root.open_folder(path, links=False).descriptor
        except OSError:
            if not path:
                raise
            return ListedFolder(0, above, above, {}, [], [], [])
        try:
            # Before it is listed: what comes in between shows in the time at the next look.
            modified = os.fstat(opened).st_mtime_ns
            with os.scandir(opened) as entries:
                found = sorted((entry.name, kind_of(entry)) for entry in entries)
        finally:
            os.close(opened)
        names = {name for name, _ in found}
        rules, ignores = self.rules(path, [name for name in FILES if name in names], above)
        if before is not None and before.above is above and before.ignores == ignores:
            # The same object, so that what is known of the folders below still counts.
            rules = before.rules
        folder = ListedFolder(modified if modified < self._settled else 0, above, rules, ignores, [], [], [])
        if path and ENVIRONMENT in names:
            folder.blocked = 1
            return folder
        prefix = f"{path}/" if path else ""
        for name, kind in found:
            _put(folder, name, kind, prefix)
        return folder

    def _read(self, path: str) -> tuple[bytes, tuple[int, int]] | None:
        try:
            file = self._root.open_file(path, links=False).descriptor
        except (OSError, ValueError):
            return None
        try:
            facts = os.fstat(file)
            return os.read(file, MAX_BYTES), (facts.st_mtime_ns, facts.st_size)
        except OSError:
            return None
        finally:
            os.close(file)


def _put(folder: ListedFolder, name: str, kind: str, prefix: str) -> None:
    if not kind or not is_text(name):
        return
    is_folder = kind == "folder"
    if is_folder and is_blocked(name):
        folder.blocked += 1
    elif folder.rules and is_ignored(prefix + name, is_folder, folder.rules):
        folder.ignored += 1
    elif kind == "file":
        folder.files.append(name)
    elif is_folder:
        folder.folders.append(name)
    else:
        folder.links.append(name)


def _join(path: str, name: str) -> str:
    return f"{path}/{name}" if path else name


def _is_there(root: RootFolder, path: str) -> bool:
    return _state(root, path) is not None


def _state(root: RootFolder, path: str) -> tuple[int, int] | None:
    try:
        facts, _ = root.stat(path, links=False)
    except (OSError, ValueError):
        return None
    return facts.st_mtime_ns, facts.st_size
