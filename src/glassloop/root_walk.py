"""One way down from an open folder, step by step, for paths with links and for what is not there yet.

Owns the following of links, which may lead anywhere inside and nowhere else, and what paths and failures are called.
"""

import errno
import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

MAX_LINKS = 40
MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4_096

ANY = os.O_CLOEXEC | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
# Whatever lies under the name is neither followed nor waited for.
READ = os.O_RDONLY | ANY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
FOLDER = os.O_RDONLY | ANY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0)
PASS = FOLDER | getattr(os, "O_PATH", 0)

Guard = Callable[[str], None]
"""Called with the path, without links, of what is about to be made, replaced, moved or deleted; raises to refuse it."""


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


class FileChangedError(OSError):
    """A file that is no longer what the caller saw."""

    def __init__(self) -> None:
        super().__init__(errno.ESTALE, "it changed meanwhile")


class ResolvedPath(NamedTuple):
    """The last name of a path and its open folder; `path` is from the root, without links. Empty name: the root."""

    folder: int
    name: str
    path: str


class OpenFile(NamedTuple):
    """An open descriptor, to be closed by the caller, and its path from the root with all links resolved."""

    descriptor: int
    path: str


class PathWalk:
    """One way down from the root, a descriptor for each folder on it, so that `..` is where it came from.

    With a `guard` missing folders are made; with `missing` a path may end in what is not there. Without `links` one on
    the way is an error; without `last` one as the last name is the thing itself.
    """

    def __init__(
        self,
        root: int,
        base: str,
        *,
        links: bool,
        last: bool = True,
        missing: bool = False,
        guard: Guard | None = None,
    ) -> None:
        self._missing = missing
        self._guard = guard
        self._last = last
        self._root = root
        self._base = base
        self._links = MAX_LINKS if links else 0
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
                try:
                    self._down(part, left)
                except FileNotFoundError:
                    if not self._missing or ".." in left:
                        raise
                    return ResolvedPath(self._here, part, "/".join((*self._names, part, *left)))
            elif self._last and (target := self._target(part)) is not None:
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
            return os.open(part, PASS, dir_fd=self._here)
        except FileNotFoundError:
            if self._guard is None:
                raise
            self._guard("/".join((*self._names, part)))
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=self._here)
            return os.open(part, PASS, dir_fd=self._here)

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
