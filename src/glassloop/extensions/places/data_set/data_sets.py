"""Data sets in the home folder: which one is whose, put in place in one step, and removed when nobody reads it.

`places/<id>/` is a data set. `places/shared` names the one of everybody, `places/users/<key>` that of one user.
"""

import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from glassloop.extensions.places.data_set.about import ABOUT_FILE, About
from glassloop.extensions.places.data_set.views import ABOUT, ALL_VIEWS
from glassloop.file_lock import take_lock
from glassloop.own_folder import make_own, restrict
from glassloop.whole_file import write_whole

FOLDER = "places"
SHARED, USERS, LOCK = "shared", "users", ".lock"
STAGED = ".staged-"
MAX_STAGED_S = 86_400.0
"""A folder that is older than this was left by a process that ended in between."""
_ID = re.compile(r"[0-9a-f]{16}")
_ID_BYTES = 8


class DataSet(msgspec.Struct, frozen=True, kw_only=True):
    """A data set that is in its place; its files never change."""

    id: str
    folder: Path
    about: About

    def has(self, view: str) -> bool:
        """Whether it brings this view; one that it lacks is empty."""
        return view == ABOUT or (self.folder / ALL_VIEWS[view].file_name).is_file()

    @property
    def missing(self) -> tuple[str, ...]:
        """The views that it lacks."""
        return tuple(view for view in ALL_VIEWS if not self.has(view))


class DataSets:
    """The data sets of a home folder. Blocking: call it in a thread."""

    def __init__(self, home: Path) -> None:
        self.folder = home.absolute() / FOLDER

    def current(self, user: str) -> DataSet | None:
        """The user's own, else the shared one."""
        for pointer in (self._pointer(user), self._pointer(None)):
            if (found := self._named_by(pointer)) is not None:
                return found
        return None

    def shared(self) -> DataSet | None:
        """The one of everybody who has none of their own."""
        return self._named_by(self._pointer(None))

    def own(self, user: str) -> DataSet | None:
        """The one that is only this user's."""
        return self._named_by(self._pointer(user))

    def stage(self) -> Path:
        """A new folder to write a data set into, for `put`."""
        make_own(self.folder)
        staged = self.folder / f"{STAGED}{secrets.token_hex(_ID_BYTES)}"
        staged.mkdir(mode=0o700)
        return staged

    @contextmanager
    def staged(self) -> Generator[Path]:
        """The same, and removed at the end unless it was put in place."""
        folder = self.stage()
        try:
            yield folder
        finally:
            self.unstage(folder)

    def unstage(self, folder: Path) -> None:
        """Removes a folder of `stage`; nothing, where it was put in place."""
        shutil.rmtree(folder, ignore_errors=True)

    def put(self, staged: Path, *, user: str | None) -> DataSet:
        """Makes a folder of `stage` the data set of a user, or of everybody, in one step; the former one goes."""
        about = About.read(staged)
        made = self.folder / secrets.token_hex(_ID_BYTES)
        pointer = self._pointer(user)
        make_own(pointer.parent)
        restrict(staged)
        with self._lock():
            staged.rename(made)
            write_whole(pointer, made.name.encode())
            self._discard_unused()
        return DataSet(id=made.name, folder=made, about=about)

    def erase(self, user: str) -> bool:
        """Removes the user's own; whether there was one."""
        pointer = self._pointer(user)
        if not pointer.exists():
            return False
        with self._lock():
            pointer.unlink(missing_ok=True)
            self._discard_unused()
        return True

    def discard_unused(self) -> int:
        """Removes the data sets that belong to nobody and that nobody reads, and folders that were left over."""
        if not self.folder.is_dir():
            return 0
        with self._lock():
            return self._discard_unused()

    def named(self) -> set[str]:
        """The ids of those that are somebody's or everybody's."""
        pointers = (self._pointer(None), *(self.folder / USERS).glob("*"))
        return {name for name in map(self._read, pointers) if name is not None}

    def _discard_unused(self) -> int:
        named = self.named()
        return sum(_discard(each) for each in self.folder.iterdir() if each.name not in named)

    @contextmanager
    def _lock(self) -> Generator[None]:
        """Between processes: what one puts in place is not yet named, and another must not take it for unused."""
        make_own(self.folder)
        file = os.open(self.folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            take_lock(file, wait=True)
            yield
        finally:
            os.close(file)

    def _pointer(self, user: str | None) -> Path:
        if user is None:
            return self.folder / SHARED
        return self.folder / USERS / hashlib.sha256(user.encode()).hexdigest()[:32]

    def _named_by(self, pointer: Path) -> DataSet | None:
        name = self._read(pointer)
        if name is None or not (folder := self.folder / name).is_dir():
            return None
        return DataSet(id=name, folder=folder, about=About.read(folder))

    @staticmethod
    def _read(pointer: Path) -> str | None:
        try:
            name = pointer.read_text("ascii").strip()
        except (OSError, ValueError):
            return None
        return name if _ID.fullmatch(name) else None


@contextmanager
def hold(folder: Path) -> Generator[None]:
    """Keeps a data set from being removed while it is read. Raises `OSError` where it is gone."""
    with (folder / ABOUT_FILE).open("rb") as file:
        take_lock(file.fileno(), shared=True, wait=True)
        yield


def _discard(folder: Path) -> bool:
    """Whether it is removed: not one that somebody reads, nor one that is being written."""
    if folder.name.startswith(STAGED):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime <= MAX_STAGED_S:
                return False
    elif not _ID.fullmatch(folder.name):
        return False
    else:
        try:
            with (folder / ABOUT_FILE).open("rb") as file:
                take_lock(file.fileno())
        except FileNotFoundError:
            pass
        except OSError:
            return False
    shutil.rmtree(folder, ignore_errors=True)
    return True
