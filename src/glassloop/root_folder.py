"""Files and folders beneath one folder, opened so that no path, link or rename leads out of it.

Below all layers: the index, the importers and the tools for code open other people's files through here. Every step is
taken from an open descriptor, so that no check can be outrun by a link that is swapped in afterwards; a comparison of
strings is never the guard. Follows links that stay inside where it is told to, 40 at most. Decides nothing about which
names may be read or written: whoever asks gets the path with all links resolved. Blocks.
"""

import errno
import os
import secrets
import stat
from collections import deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, Self

from glassloop.openat2 import Opener, openat2

MAX_LINKS = 40
MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4_096

_ANY = os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
# Whatever lies under the name is neither followed nor waited for.
_READ = os.O_RDONLY | _ANY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_FOLDER = os.O_RDONLY | _ANY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
_PASS = _FOLDER | getattr(os, "O_PATH", 0)
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _ANY | getattr(os, "O_NOFOLLOW", 0)

HAS_DESCRIPTORS: Final = {os.open, os.stat, os.unlink, os.rename, os.mkdir} <= os.supports_dir_fd
"""Elsewhere (Windows) only the last step of a path is checked."""


class PathError(ValueError):
    """A path that cannot name anything; the message is the end of a sentence about it."""


class OutsideRootError(PermissionError):
    """A path that leads out of the folder. Has no path of the machine in it."""

    def __init__(self) -> None:
        super().__init__(errno.EXDEV, "it leads out of the folder")


class NotOrdinaryError(OSError):
    """A device, pipe or socket where a file or a folder was asked for."""

    def __init__(self) -> None:
        super().__init__(errno.EINVAL, "it is no ordinary file or folder")


class ResolvedPath(NamedTuple):
    """The last name of a path and its open folder; `path` is from the root, without links. Empty name: the root."""

    folder: int
    name: str
    path: str


class OpenFile(NamedTuple):
    """An open descriptor, to be closed by the caller, and its path from the root with all links resolved."""

    descriptor: int
    path: str


class RootFolder:
    """One folder, held open; what is renamed or linked around it changes nothing. Closed by `close` or `with`.

    `path` is the folder's own path without links (`Path.resolve`). Paths beneath it are relative, or absolute and begin
    with the folder's own. `opener` opens a path without links in one call, if the system has such a thing.
    """

    def __init__(self, path: Path, opener: Opener | None = openat2) -> None:
        self.path: Final = path
        self._opener = opener
        self._root = os.open(path, _FOLDER)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        root, self._root = self._root, -1
        if root >= 0:
            os.close(root)

    def parts(self, path: str) -> list[str]:
        """The names on the way from the root, `..` among them; raises `PathError` and `OutsideRootError`."""
        check_path(path)
        if path.startswith("/"):
            base = str(self.path)
            if path != base and not path.startswith(base.rstrip("/") + "/"):
                raise OutsideRootError
            path = path[len(base) :]
        return [part for part in path.split("/") if part not in ("", ".")]

    def open_file(self, path: str, *, links: bool = True) -> OpenFile:
        """An ordinary file to read from. Without `links` one on the way is an error, as any other file system error."""
        opened = self._open(self.parts(path), _READ, links)
        mode = os.fstat(opened.descriptor).st_mode
        if stat.S_ISREG(mode):
            return opened
        os.close(opened.descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        raise NotOrdinaryError

    def open_folder(self, path: str, *, links: bool = True) -> OpenFile:
        """A folder to list (`os.scandir` takes the descriptor)."""
        return self._open(self.parts(path), _FOLDER, links)

    def stat(self, path: str, *, links: bool = True) -> tuple[os.stat_result, str]:
        """Facts about a file or folder of any kind, and its path with the links resolved."""
        with self.resolve(path, links=links) as found:
            if not found.name:
                return os.fstat(found.folder), ""
            return os.stat(found.name, dir_fd=found.folder, follow_symlinks=False), found.path

    @contextmanager
    def resolve(self, path: str, *, links: bool = True, create: bool = False) -> Generator[ResolvedPath]:
        """The folder and the last name of a path, for what need not be there yet; `create` makes missing folders.

        A link as the last name is followed too, unless `links` is false: then it is the thing itself.
        """
        walk = _Walk(self._root, str(self.path), links=links, create=create)
        try:
            yield walk.resolve(self.parts(path))
        finally:
            walk.close()

    def write(self, path: str, data: bytes, *, replace: bool, create: bool = True, mode: int = 0o644) -> str:
        """The file with these bytes and on the disk, or as it was, whatever ends us in between; returns its path.

        A new file in the old one's place: another name of the old one keeps its content. What is there keeps its mode.
        Without `replace` a file that is there, or comes up meanwhile, raises `FileExistsError`.
        """
        with self.resolve(path, create=create) as found:
            old = _ordinary(found)
            if old is not None and stat.S_ISLNK(old.st_mode):
                raise OSError(errno.ELOOP, "it became a link meanwhile")
            if old is not None and not replace:
                raise FileExistsError(errno.EEXIST, "it is there already")
            new = f".{secrets.token_hex(8)}.new"
            descriptor = os.open(new, _NEW, 0o600, dir_fd=found.folder)
            try:
                _fill(descriptor, data, mode if old is None else stat.S_IMODE(old.st_mode), old)
                if replace:
                    os.rename(new, found.name, src_dir_fd=found.folder, dst_dir_fd=found.folder)
                else:
                    _rename_to_new(found.folder, new, found)
                _sync(found.folder)
            finally:
                os.close(descriptor)
                with suppress(FileNotFoundError):
                    os.unlink(new, dir_fd=found.folder)
            return found.path

    def move(self, source: str, target: str, *, create: bool = True) -> tuple[str, str]:
        """A file under another name, of the link itself where it is one; what has the name already is an error."""
        with self.resolve(source, links=False) as old, self.resolve(target, links=False, create=create) as new:
            if _ordinary(old) is None:
                raise FileNotFoundError(errno.ENOENT, "it is not there")
            if not new.name:
                raise IsADirectoryError(errno.EISDIR, "it is a folder")
            _rename_to_new(old.folder, old.name, new)
            _sync(new.folder)
            _sync(old.folder)
            return old.path, new.path

    def delete(self, path: str) -> str:
        """A file; of a link the link itself."""
        with self.resolve(path, links=False) as found:
            if _ordinary(found) is None:
                raise FileNotFoundError(errno.ENOENT, "it is not there")
            os.unlink(found.name, dir_fd=found.folder)
            _sync(found.folder)
            return found.path

    def _open(self, parts: list[str], flags: int, links: bool) -> OpenFile:
        if self._opener is not None:
            try:
                return OpenFile(self._opener(self._root, "/".join(parts) or ".", flags), _joined(parts))
            except OSError as error:
                # A link, `..` out of a link's target, or a rename at the same moment: step by step.
                if error.errno not in (errno.ELOOP, errno.EXDEV, errno.EAGAIN) or not links:
                    raise OutsideRootError if error.errno == errno.EXDEV else error from None
        walk = _Walk(self._root, str(self.path), links=links)
        try:
            return walk.open(parts, flags)
        finally:
            walk.close()


class _Walk:
    """One way down from the root, a descriptor for each folder on it, so that `..` is where it came from."""

    def __init__(self, root: int, base: str, *, links: bool, create: bool = False) -> None:
        self._root = root
        self._base = base
        self._links = MAX_LINKS if links else 0
        self._create = create
        self._folders: list[tuple[int, str]] = []

    def close(self) -> None:
        while self._folders:
            os.close(self._folders.pop()[0])

    def resolve(self, parts: list[str]) -> ResolvedPath:
        left = deque(parts)
        while left:
            part = left.popleft()
            if part == "..":
                self._up()
            elif left:
                self._down(part, left)
            elif (target := self._target(part)) is not None:
                self._follow(target, left)
            else:
                return ResolvedPath(self._here, part, "/".join((*self._names, part)))
        return ResolvedPath(self._here, "", "/".join(self._names))

    def open(self, parts: list[str], flags: int) -> OpenFile:
        left = deque(parts)
        for _ in range(MAX_LINKS + 1):
            found = self.resolve(list(left))
            try:
                name = found.name or "."
                return OpenFile(os.open(name, flags, dir_fd=found.folder), found.path)
            except OSError as error:
                # A link that came up after the look: once more from where it stands.
                if error.errno != errno.ELOOP or not self._links:
                    raise
                left = deque((found.name,))
        raise OSError(errno.ELOOP, "it leads over too many links")

    @property
    def _here(self) -> int:
        return self._folders[-1][0] if self._folders else self._root

    @property
    def _names(self) -> Iterator[str]:
        return (name for _, name in self._folders)

    def _up(self) -> None:
        if not self._folders:
            raise OutsideRootError
        os.close(self._folders.pop()[0])

    def _down(self, part: str, left: deque[str]) -> None:
        try:
            self._folders.append((self._open_folder(part), part))
        except OSError as error:
            target = self._target(part) if error.errno in (errno.ELOOP, errno.ENOTDIR) else None
            if target is None:
                raise
            self._follow(target, left)

    def _open_folder(self, part: str) -> int:
        try:
            return os.open(part, _PASS, dir_fd=self._here)
        except FileNotFoundError:
            if not self._create:
                raise
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=self._here)
            return os.open(part, _PASS, dir_fd=self._here)

    def _target(self, part: str) -> str | None:
        """What a link says; None for anything else and, where links are not followed, for the last name."""
        try:
            return os.readlink(part, dir_fd=self._here) if self._links else None
        except OSError:
            return None

    def _follow(self, target: str, left: deque[str]) -> None:
        self._links -= 1
        if not self._links:
            raise OSError(errno.ELOOP, "it leads over too many links")
        if target.startswith("/"):
            if target != self._base and not target.startswith(self._base.rstrip("/") + "/"):
                raise OutsideRootError
            self.close()
            target = target[len(self._base) :]
        left.extendleft(part for part in reversed(target.split("/")) if part not in ("", "."))


def check_path(path: str) -> None:
    """Raises `PathError` for what no file can be called."""
    try:
        raw = path.encode()
    except UnicodeEncodeError:
        raise PathError("is no valid text: give it in Unicode") from None
    if b"\0" in raw:
        raise PathError("has a NUL character in it: leave it out")
    if len(raw) > MAX_PATH_BYTES:
        raise PathError(f"has {len(raw):,} bytes, more than the {MAX_PATH_BYTES:,} of a path")
    if any(len(part) > MAX_NAME_BYTES for part in raw.split(b"/")):
        raise PathError(f"has a part of more than {MAX_NAME_BYTES} bytes")


def _joined(parts: list[str]) -> str:
    """Without links a `..` is the folder before it."""
    if ".." not in parts:
        return "/".join(parts)
    kept: list[str] = []
    for part in parts:
        if part == "..":
            kept.pop()
        else:
            kept.append(part)
    return "/".join(kept)


def _ordinary(found: ResolvedPath) -> os.stat_result | None:
    """What lies under the name, if anything; raises for all but a file or a link."""
    if not found.name:
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    try:
        facts = os.stat(found.name, dir_fd=found.folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(facts.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(facts.st_mode) and not stat.S_ISLNK(facts.st_mode):
        raise NotOrdinaryError
    return facts


def _rename_to_new(folder: int, name: str, target: ResolvedPath) -> None:
    """A rename that never takes the place of what is there: of a second name the system says that it is taken."""
    try:
        os.link(name, target.name, src_dir_fd=folder, dst_dir_fd=target.folder, follow_symlinks=False)
    except OSError as error:
        # Some file systems know no second names, and some rules refuse those of other people's files.
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS):
            raise
        if _ordinary(target) is not None:
            raise FileExistsError(errno.EEXIST, "it is there already") from None
        os.rename(name, target.name, src_dir_fd=folder, dst_dir_fd=target.folder)
    else:
        os.unlink(name, dir_fd=folder)


def _fill(descriptor: int, data: bytes, mode: int, old: os.stat_result | None) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
    if old is not None and (old.st_uid, old.st_gid) != (os.getuid(), os.getgid()):
        # Only the administrator may give a file away; anybody else's new file is their own.
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, mode)
    os.fsync(descriptor)


def _sync(folder: int) -> None:
    """The folder's names on the disk; a descriptor that only passes through is opened again."""
    again = os.open(".", _FOLDER, dir_fd=folder)
    try:
        os.fsync(again)
    finally:
        os.close(again)
