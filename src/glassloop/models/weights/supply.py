"""Weights by name, whatever they are made of: looked at, pulled, removed."""

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from glassloop.models.weights.catalogue import Asset, Report
from glassloop.models.weights.fetch import Patience
from glassloop.models.weights.pull import check, pull
from glassloop.models.weights.shelf import Kept, Shelf


class Supply(Protocol):
    """Something a model here needs, and that is too large to come with the program."""

    @property
    def name(self) -> str: ...

    def problem(self) -> str | None:
        """Why a download would be for nothing, such as a program that is missing, and what to do about it."""
        ...

    def look(self) -> Kept:
        """What there is of it. Quick."""
        ...

    async def pull(self, environ: Mapping[str, str], report: Report, given: Path | None = None) -> Path:
        """Has it there, whole and verified; where it is then. Raises `WeightsError`."""
        ...

    async def check(self, report: Report) -> None:
        """Reads what is there whole. Raises `Damaged` where it is not what it should be; it is deleted then."""
        ...

    def remove(self) -> int:
        """Deletes it; how many bytes that frees."""
        ...


def missing_engine(module: str) -> str | None:
    """Why weights would lie there for nothing: what runs them is not installed."""
    if find_spec(module) is not None:
        return None
    return (
        "Nothing was downloaded, since what runs it is not installed: `pip install 'glassloop[embedded]'` first, then "
        "`glassloop models pull` again."
    )


class FileSupply:
    """One file of weights on the shelf."""

    def __init__(self, asset: Asset, shelf: Shelf, patience: Patience | None = None) -> None:
        self._asset = asset
        self._shelf = shelf
        self._patience = patience
        self.name = asset.name

    def problem(self) -> str | None:
        return missing_engine("xllamacpp")

    def look(self) -> Kept:
        return self._shelf.look(self._asset)

    async def pull(self, environ: Mapping[str, str], report: Report, given: Path | None = None) -> Path:
        return await pull(self._asset, self._shelf, environ, report, given=given, patience=self._patience)

    async def check(self, report: Report) -> None:
        await check(self._asset, self._shelf, report)

    def remove(self) -> int:
        return self._shelf.remove(self._asset)
