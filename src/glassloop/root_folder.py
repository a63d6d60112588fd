"""Files and folders beneath one folder, opened so that no path, link or rename leads out of it.

Below all layers: the index, the importers and the tools for code open other people's files through here. Every step is
taken from an open descriptor, so that no check can be outrun by a link that is swapped in afterwards; a comparison of
strings is never the guard. Follows links that stay inside where it is told to, 40 at most. Decides nothing about which
names may be read or written: whoever asks gets the path with all links resolved. Blocks.
"""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

from glassloop.openat2 import Opener, openat2
from glassloop.root_walk import (
    ANY,
    FOLDER,
    MAX_LINKS,
    READ,
    FileChangedError,
    Guard,
    NotOrdinaryError,
    OpenFile,
    OutsideRootError,
    PathError,
    PathWalk,
    ResolvedPath,
    check_path,
)

__all__ = [
    "HAS_DESCRIPTORS",
    "MAX_LINKS",
    "FileChangedError",
    "Guard",
    "NotOrdinaryError",
    "OpenFile",
    "OutsideRootError",
    "PathError",
    "ResolvedPath",
    "RootFolder",
    "check_path",
]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | ANY | getattr(os, "O_NOFOLLOW", 0)

HAS_DESCRIPTORS: Final = {os.open, os.stat, os.unlink, os.rename, os.mkdir} <= os.supports_dir_fd
"""Elsewhere (Windows) only the last step of a path is checked."""


class RootFolder:
    """One folder, held open; what is renamed or linked around it changes nothing. Closed by `close` or `with`.

    `path` is the folder's own path without links (`Path.resolve`). Paths beneath it are relative, or absolute and begin
    with the folder's own. `opener` opens a path without links in one call, if the system has such a thing. `guard`
    may refuse each change.
    """

    def __init__(self, path: Path, opener: Opener | None = openat2) -> None:
        self.path: Final = path
        self.guard: Guard | None = None
        self._opener = opener
        self._root = os.open(path, FOLDER)

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
        opened = self._open(self.parts(path), READ, links)
        mode = os.fstat(opened.descriptor).st_mode
        if stat.S_ISREG(mode):
            return opened
        os.close(opened.descriptor)
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        raise NotOrdinaryError

    def open_folder(self, path: str, *, links: bool = True) -> OpenFile:
        """A folder to list (`os.scandir` takes the descriptor)."""
        return self._open(self.parts(path), FOLDER, links)

    def stat(self, path: str, *, links: bool = True) -> tuple[os.stat_result, str]:
        """Facts about a file or folder of any kind, and its path with the links resolved."""
        with self.resolve(path, links=links) as found:
            if not found.name:
                return os.fstat(found.folder), ""
            return os.stat(found.name, dir_fd=found.folder, follow_symlinks=False), found.path

    @contextmanager
    def resolve(
        self, path: str, *, links: bool = True, last: bool = True, create: bool = False
    ) -> Generator[ResolvedPath]:
        """The folder and the last name of a path, for what need not be there yet; `create` makes missing folders.

        A link as the last name is followed too, unless `last` is false: then it is the thing itself.
        """
        guard = (self.guard or _allow) if create else None
        walk = PathWalk(self._root, str(self.path), links=links, last=last and links, guard=guard)
        try:
            yield walk.resolve(self.parts(path))
        finally:
            walk.close()

    def locate(self, path: str) -> str:
        """The path without links, from the root, of what may not be there yet, nor the folders it is in."""
        walk = PathWalk(self._root, str(self.path), links=True, missing=True)
        try:
            return walk.resolve(self.parts(path)).path
        finally:
            walk.close()

    def write(
        self,
        path: str,
        data: bytes,
        *,
        replace: bool,
        create: bool = True,
        links: bool = True,
        mode: int | None = None,
        instead_of: str | None = None,
    ) -> str:
        """The file with these bytes and on the disk, or as it was, whatever ends us in between; returns its path.

        A new file in the old one's place: another name of the old one keeps its content. What is there keeps its mode
        unless one is given. Without `replace` a file that is there, or comes up meanwhile, raises `FileExistsError`;
        one whose sha256 is not `instead_of` raises `FileChangedError`.
        """
        with self.resolve(path, links=links, create=create) as found:
            old = self._changeable(found)
            if old is not None and stat.S_ISLNK(old.st_mode):
                raise OSError(errno.ELOOP, "it became a link meanwhile")
            if old is not None and not replace:
                raise FileExistsError(errno.EEXIST, "it is there already")
            if mode is None:
                mode = 0o644 if old is None else stat.S_IMODE(old.st_mode)
            new = f".{secrets.token_hex(8)}.new"
            descriptor = os.open(new, _NEW, 0o600, dir_fd=found.folder)
            try:
                _fill(descriptor, data, mode, old)
                _check_same(found, instead_of)
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

    def move(self, source: str, target: str, *, create: bool = True, links: bool = True) -> tuple[str, str]:
        """A file under another name, of the link itself where it is one; what has the name already is an error."""
        with (
            self.resolve(source, links=links, last=False) as old,
            self.resolve(target, links=links, last=False, create=create) as new,
        ):
            if self._changeable(old) is None:
                raise FileNotFoundError(errno.ENOENT, "it is not there")
            if self._changeable(new) is not None:
                raise FileExistsError(errno.EEXIST, "it is there already")
            _rename_to_new(old.folder, old.name, new)
            _sync(new.folder)
            _sync(old.folder)
            return old.path, new.path

    def delete(self, path: str, *, links: bool = True, instead_of: str | None = None) -> str:
        """A file; of a link the link itself. One without the sha256 `instead_of` raises `FileChangedError`."""
        with self.resolve(path, links=links, last=False) as found:
            if self._changeable(found) is None:
                raise FileNotFoundError(errno.ENOENT, "it is not there")
            _check_same(found, instead_of)
            os.unlink(found.name, dir_fd=found.folder)
            _sync(found.folder)
            return found.path

    def _changeable(self, found: ResolvedPath) -> os.stat_result | None:
        if self.guard is not None:
            self.guard(found.path)
        return _ordinary(found)

    def _open(self, parts: list[str], flags: int, links: bool) -> OpenFile:
        if self._opener is not None:
            try:
                return OpenFile(self._opener(self._root, "/".join(parts) or ".", flags), _joined(parts))
            except OSError as error:
                # A link, `..` out of a link's target, or a rename at the same moment: step by step.
                if error.errno not in (errno.ELOOP, errno.EXDEV, errno.EAGAIN) or not links:
                    raise OutsideRootError if error.errno == errno.EXDEV else error from None
        walk = PathWalk(self._root, str(self.path), links=links)
        try:
            return walk.open(parts, flags)
        finally:
            walk.close()


def _allow(path: str) -> None:
    """The guard where there is none."""


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


def _check_same(found: ResolvedPath, sha256: str | None) -> None:
    """Raises where the file is gone, or has other content."""
    if sha256 is None:
        return
    try:
        descriptor = os.open(found.name, READ, dir_fd=found.folder)
    except FileNotFoundError:
        raise FileChangedError from None
    with os.fdopen(descriptor, "rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != sha256:
            raise FileChangedError


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
    again = os.open(".", FOLDER, dir_fd=folder)
    try:
        os.fsync(again)
    finally:
        os.close(again)
