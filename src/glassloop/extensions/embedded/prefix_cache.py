"""Prefixes of prompts that the model has read: in slots of the child's memory, and on disk for the next process.

`PrefixSlots` says which conversation is kept in which slot. The child writes and reads the files of `PrefixCache`; here
they are named, checked and bounded. A file that does not match its name is deleted. Every call of the cache blocks and
belongs in a thread.
"""

import hashlib
import os
from pathlib import Path
from typing import Final

from glassloop.own_folder import make_own

MAX_FILES: Final = 16
MAX_BYTES: Final = 500_000_000
_DIGEST_CHARS: Final = 32


class PrefixCache:
    """A folder of states named `key-digest.state`; several processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def prepare(self) -> None:
        """Private, since a state holds the prompt's text; files left half-written by the dead are removed."""
        make_own(self._folder)
        for path in self._folder.glob("*.part"):
            owner = path.name.split("-")[0]
            if not (owner.isdecimal() and _is_alive(int(owner))):
                path.unlink(missing_ok=True)

    def part(self, number: int) -> str:
        """A file name for the child to write to, that nobody else uses."""
        return f"{os.getpid()}-{number}.part"

    def find(self, key: str) -> str | None:
        """The name of the state for that key, whole and unharmed, or None."""
        for path in self._folder.glob(f"{key}-*.state"):
            try:
                if path.stem.rpartition("-")[2] == _digest(path):
                    os.utime(path)
                    return path.name
            except OSError:
                continue
            path.unlink(missing_ok=True)
        return None

    def keep(self, part: str, key: str) -> None:
        """Gives what the child wrote its name, in one step, and removes what is too much."""
        written = self._folder / part
        try:
            with written.open("rb") as file:
                os.fsync(file.fileno())
            for old in self._folder.glob(f"{key}-*.state"):
                old.unlink(missing_ok=True)
            written.rename(self._folder / f"{key}-{_digest(written)}.state")
        except OSError:
            written.unlink(missing_ok=True)
        self._prune()

    def drop(self, name: str) -> None:
        (self._folder / name).unlink(missing_ok=True)

    def _prune(self) -> None:
        found: list[tuple[float, int, Path]] = []
        for path in self._folder.glob("*.state"):
            try:
                about = path.stat()
            except OSError:
                continue
            found.append((about.st_mtime, about.st_size, path))
        size = 0
        for place, (_, length, path) in enumerate(sorted(found, reverse=True)):
            size += length
            if place >= MAX_FILES or (place and size > MAX_BYTES):
                path.unlink(missing_ok=True)


def fingerprint(weights: Path) -> str:
    """Tells one file of weights from another without reading all of it: its size and both its ends."""
    with weights.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        found = hashlib.sha256(str(size).encode())
        for start in (0, max(size - 1_000_000, 0)):
            file.seek(start)
            found.update(file.read(1_000_000))
    return found.hexdigest()


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGEST_CHARS]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


MIN_PREFIX: Final = 400
"""Characters below which a prefix is read again faster than it is looked for."""


class PrefixSlot:
    """One place in the child's memory: whose transcript it holds, and after which prefix."""

    __slots__ = ("number", "owner", "prefix", "used")

    def __init__(self, number: int) -> None:
        self.number = number
        self.owner: tuple[str, str] | None = None
        self.prefix = ""
        self.used = 0


class PrefixSlots:
    """All of them. A new child starts with empty ones."""

    def __init__(self, count: int) -> None:
        self._slots = [PrefixSlot(number) for number in range(count)]
        self._clock = 0

    def take(self, session: str, prefix: str) -> PrefixSlot:
        """The slot that holds this conversation, else the one longest unused."""
        self._clock += 1
        owner = (session, prefix)
        # What was read ahead is nobody's conversation, and of use to the first who comes.
        held = (slot for wanted in (owner, ("", prefix)) for slot in self._slots if slot.owner == wanted)
        slot = next(held, None) or min(self._slots, key=lambda slot: slot.used)
        slot.owner, slot.used = owner, self._clock
        return slot
