"""The folder weights are kept in: which are there and whole, what is left of downloads, and the licence beside them.

A file counts as whole once its hash was right; that is written beside it with the size and time it had then, so that
nobody has to read a gigabyte to know. `verify` reads it.
"""

import os
import shutil
from importlib import resources
from pathlib import Path

import msgspec

from glassloop.extensions.embedded.weights.catalog import Asset
from glassloop.extensions.embedded.weights.disk import Lock, hash_file, size_of, writing
from glassloop.models.weights import DamagedWeights, WeightsError, WeightsState, WeightsStatus
from glassloop.own_folder import make_own
from glassloop.ready_types import make_ready
from glassloop.whole_file import write_whole


class _Seal(msgspec.Struct, frozen=True, kw_only=True):
    """What a file was when its hash was right."""

    sha256: str
    size: int
    mtime_ns: int
    source: str = ""


make_ready(_Seal)


class WeightsFolder:
    """That folder; made when something is put there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.downloads = folder / "downloads"

    def path(self, asset: Asset) -> Path:
        return self.folder / asset.file

    def work(self, asset: Asset) -> Path:
        """Where its bytes lie until they are whole."""
        return self.downloads / asset.file

    def lock_path(self, asset: Asset) -> Path:
        return self.downloads / f"{asset.file}.lock"

    def prepare(self, asset: Asset | None = None) -> None:
        with writing(self.downloads, 0):
            make_own(self.downloads if asset is None else self.work(asset))

    def is_ready(self, asset: Asset) -> bool:
        """Whether the file is there and was whole when it was last looked at. Quick."""
        return self._seal(asset) is not None

    def look(self, asset: Asset) -> WeightsStatus:
        """What there is of it."""
        path, seal, partial = self.path(asset), self._seal(asset), self.fetched(asset)
        state: WeightsState = "absent"
        there = 0
        if path.is_file():
            state, there = "ready" if seal else "unchecked", path.stat().st_size
        elif partial:
            state, there = "partial", partial
        return WeightsStatus(
            name=asset.name,
            title=asset.title,
            state=state,
            bytes=there,
            size=asset.size,
            path=str(path),
            source=seal.source if seal else "",
            purpose=asset.purpose,
        )

    def fetched(self, asset: Asset) -> int:
        """Bytes on the disk of a download under way, or of one that broke off."""
        return min(asset.size, size_of(self.work(asset)))

    def verify(self, asset: Asset, path: Path) -> None:
        """Raises `DamagedWeights` where the file's bytes are not the ones they should be; it is deleted then."""
        size = path.stat().st_size
        found = hash_file(path) if size == asset.size else ""
        if found != asset.sha256:
            path.unlink()
            what = (
                f"sha256 {found[:12]}… and not {asset.sha256[:12]}…" if found else f"{size:,} bytes, not {asset.size:,}"
            )
            raise DamagedWeights(f"{path.name} is damaged ({what}), and was deleted")

    def keep(self, asset: Asset, partial: Path, source: str) -> Path:
        """Takes a verified file in, in one step, with its notice; clears up what the download left."""
        path = self.path(asset)
        with writing(path, 0):
            self.write_notice(self.folder, f"{asset.file}.NOTICE", asset.file, asset.notice)
            with partial.open("rb+") as file:
                os.fsync(file.fileno())
            partial.replace(path)
            self.seal(asset, source)
            shutil.rmtree(self.work(asset), ignore_errors=True)
        return path

    def seal(self, asset: Asset, source: str) -> None:
        """Notes that the file as it is now was verified."""
        stat = self.path(asset).stat()
        seal = _Seal(sha256=asset.sha256, size=stat.st_size, mtime_ns=stat.st_mtime_ns, source=source)
        write_whole(self._seal_path(asset), msgspec.json.encode(seal))

    def remove(self, asset: Asset) -> int:
        """Deletes the weights and what is left of downloads; how many bytes that frees."""
        if not self.downloads.is_dir():
            return 0
        lock = Lock(self.lock_path(asset))
        if not lock.take():
            raise WeightsError(
                f"{asset.name!r} is being downloaded right now: stop that first (`glassloop jobs list`)."
            )
        try:
            freed = self.fetched(asset)
            path = self.path(asset)
            if path.is_file():
                freed += path.stat().st_size
            path.unlink(missing_ok=True)
            self._seal_path(asset).unlink(missing_ok=True)
            shutil.rmtree(self.work(asset), ignore_errors=True)
        finally:
            lock.release()
        return freed

    def _seal_path(self, asset: Asset) -> Path:
        return self.folder / f"{asset.file}.json"

    def _seal(self, asset: Asset) -> _Seal | None:
        try:
            stat = self.path(asset).stat()
            seal = msgspec.json.decode(self._seal_path(asset).read_bytes(), type=_Seal)
        except (OSError, msgspec.MsgspecError):
            return None
        same = (seal.sha256, seal.size, seal.mtime_ns) == (asset.sha256, stat.st_size, stat.st_mtime_ns)
        return seal if same and stat.st_size == asset.size else None

    def write_notice(self, folder: Path, file: str, what: str, notice: str) -> None:
        """Says beside the weights whose they are, with the licence they come under."""
        licence = resources.files("glassloop.extensions.embedded.weights").joinpath("apache-2.0.txt").read_bytes()
        write_whole(self.folder / "LICENSE.apache-2.0", licence)
        write_whole(folder / file, f"{what}\n\n{notice} The licence is in LICENSE.apache-2.0.\n".encode())
