"""Uploaded files, each user's in a folder of their own: never under a name that somebody else chose.

A file is written beside its final path and moved there when it is complete; `<id>.json` holds its name and size.
Bounded: the size of one, of all of one user, their number, and how many arrive at once. Nothing here blocks the event
loop.
"""

import asyncio
import hashlib
import logging
import os
import re
import shutil
import time
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from starlette.exceptions import HTTPException

from glassloop.core.errors import StoreAway, TooManyTurns, UnknownName, UsageError
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.runtime.file_name import clean_name
from glassloop.runtime.ids import new_id
from glassloop.runtime.settings import Settings

_log = logging.getLogger(__name__)

MAX_FILES = 1_000
MAX_AT_ONCE = 4
WRITTEN_AT_ONCE = 1_000_000
LEFT_BEHIND_S = 86_400.0
"""A file that was never finished is removed when it is so old."""
EXPIRE_S = 3600.0
"""How often the old ones are looked for."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Upload(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was handed over; `created_at` in seconds since the epoch."""

    id: str
    name: str
    size: int
    created_at: float
    purpose: str = ""
    """What an extension takes it for, with a limit of its own; empty for all others."""


make_ready(Upload)


class Uploads:
    """The uploads of all users, under the home folder."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home_path / "uploads"
        self._quotas = {"": settings.upload_quota, **settings.extensions.upload_limits(settings)}
        self._arriving: dict[str, int] = {}
        self._finishing = asyncio.Lock()

    async def save(self, user: str, name: str, pieces: AsyncIterator[bytes], purpose: str = "") -> Upload:
        """Stores a file as it arrives. Raises `HTTPException` 413 where the user has no room for it."""
        quota = self._quotas.get(purpose)
        if quota is None:
            known = ", ".join(sorted(filter(None, self._quotas))) or "none"
            raise UsageError(f"Unknown upload purpose {purpose!r}: omit it, or choose from {known}.")
        with self._place_for(user):
            folder = self._of(user)
            used = await asyncio.to_thread(_survey, folder, purpose)
            made = Upload(id=new_id(), name=clean_name(name), size=0, created_at=time.time(), purpose=purpose)
            part = folder / f"{made.id}.part"
            try:
                size = await _write(part, pieces, quota - used)
                if not size:
                    raise UsageError(f"The upload {made.name!r} is empty: send the file as the body of the request.")
                made = msgspec.structs.replace(made, size=size)
                async with self._finishing:
                    # Another one may have been finished meanwhile.
                    if await asyncio.to_thread(_survey, folder, purpose) + size > quota:
                        raise _full(quota)
                    await asyncio.to_thread(_finish, part, made)
            except OSError as error:
                raise StoreAway(f"Uploads cannot be stored right now ({error.strerror}): try again later.") from error
            finally:
                await asyncio.to_thread(_discard, part)
            return made

    async def list(self, user: str) -> Sequence[Upload]:
        """Newest first."""
        found = await asyncio.to_thread(lambda: [_read(path) for path in _finished(self._of(user))])
        return sorted((upload for upload in found if upload), key=lambda upload: upload.id, reverse=True)

    async def get(self, user: str, upload_id: str) -> tuple[Upload, Path]:
        """The upload and where it lies, if it is this user's."""
        path = self._of(user) / upload_id
        found = await asyncio.to_thread(_read, path.with_suffix(".json")) if _ID.fullmatch(upload_id) else None
        if found is None or not await asyncio.to_thread(path.is_file):
            raise UnknownName(f"There is no upload {upload_id!r}: GET /api/uploads lists yours.")
        return found, path

    async def delete(self, user: str, upload_id: str) -> None:
        _, path = await self.get(user, upload_id)
        await asyncio.to_thread(_remove, path)

    async def forget(self, user: str) -> bool:
        """Deletes everything of a user; whether there was anything."""
        return await asyncio.to_thread(_forget, self._of(user))

    async def expire(self, before: float) -> int:
        """Deletes what was handed over before that moment, and what never came to its end; how many files."""
        return await asyncio.to_thread(_expire, self._folder, before)

    async def keep_young(self, retention_s: float) -> None:
        """Deletes, for as long as it runs, what is older than that."""
        while True:
            try:
                if gone := await self.expire(time.time() - retention_s):
                    _log.info("deleted %d uploads older than the retention", gone)
            except OSError as error:
                _log.warning("uploads older than the retention are not deleted: %s", error)
            await asyncio.sleep(EXPIRE_S)

    def _of(self, user: str) -> Path:
        return self._folder / hashlib.sha256(user.encode("utf-8", "replace")).hexdigest()[:32]

    @contextmanager
    def _place_for(self, user: str) -> Generator[None]:
        if self._arriving.get(user, 0) >= MAX_AT_ONCE:
            raise TooManyTurns(
                f"{MAX_AT_ONCE} of your uploads are already in progress: wait for one to finish.", retry_after=1
            )
        self._arriving[user] = self._arriving.get(user, 0) + 1
        try:
            yield
        finally:
            self._arriving[user] -= 1
            if not self._arriving[user]:
                del self._arriving[user]


async def read_pieces(path: Path) -> AsyncIterator[bytes]:
    """The bytes of a file, some at a time."""
    file = await asyncio.to_thread(path.open, "rb")
    try:
        while piece := await asyncio.to_thread(file.read, WRITTEN_AT_ONCE):
            yield piece
    finally:
        file.close()


async def _write(part: Path, pieces: AsyncIterator[bytes], room: int) -> int:
    """How many bytes it is; raises 413 as soon as there is no more room."""
    file = await asyncio.to_thread(_create, part)
    size, held = 0, list[bytes]()
    try:
        async for piece in pieces:
            size += len(piece)
            held.append(piece)
            if size > room:
                raise _full(room)
            if sum(map(len, held)) >= WRITTEN_AT_ONCE:
                await asyncio.to_thread(_put, file, held)
                held = []
        await asyncio.to_thread(_put, file, held)
    finally:
        os.close(file)
    return size


def _create(part: Path) -> int:
    make_own(part.parent)
    return os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)


def _put(file: int, held: Sequence[bytes]) -> None:
    rest = memoryview(b"".join(held))
    while rest:
        rest = rest[os.write(file, rest) :]


def _finish(part: Path, upload: Upload) -> None:
    """The description comes last: what has none is no upload."""
    place = part.with_suffix("")
    part.replace(place)
    described = part.with_suffix(".part.json")
    file = _create(described)
    try:
        _put(file, [msgspec.json.encode(upload)])
    finally:
        os.close(file)
    described.replace(place.with_suffix(".json"))


def _discard(part: Path) -> None:
    with suppress(OSError):
        part.unlink()


def _survey(folder: Path, purpose: str) -> int:
    """Bytes of the finished uploads for that purpose; removes what was never finished."""
    used = count = 0
    for path in _finished(folder):
        count += 1
        found = _read(path)
        if found is not None and found.purpose == purpose:
            with suppress(OSError):
                used += path.with_suffix("").stat().st_size
    if count >= MAX_FILES:
        raise UsageError(f"You have {count:,} uploads, which is the limit: delete some first.")
    _sweep(folder)
    return used


def _sweep(folder: Path) -> None:
    """Removes what was never finished."""
    for path in folder.glob("*"):
        with suppress(OSError):
            whole = path.suffix == ".json" or path.with_suffix(".json").exists()
            if (not whole or ".part" in path.suffixes) and time.time() - path.stat().st_mtime > LEFT_BEHIND_S:
                path.unlink()


def _expire(uploads: Path, before: float) -> int:
    gone = 0
    for folder in uploads.glob("*"):
        for described in _finished(folder):
            found = _read(described)
            if found is not None and found.created_at < before:
                _remove(described.with_suffix(""))
                gone += 1
        _sweep(folder)
    return gone


def _finished(folder: Path) -> Iterator[Path]:
    return (path for path in folder.glob("*.json") if not path.name.endswith(".part.json"))


def _read(path: Path) -> Upload | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Upload)
    except (OSError, msgspec.MsgspecError):
        return None


def _remove(path: Path) -> None:
    path.with_suffix(".json").unlink(missing_ok=True)
    path.unlink(missing_ok=True)


def _forget(folder: Path) -> bool:
    there = folder.exists()
    if there:
        shutil.rmtree(folder)
    return there


def _full(quota: int) -> HTTPException:
    return HTTPException(413, f"You have {max(quota, 0):,} bytes left for uploads: delete some first.")
