"""The weights of these settings: where they are, and the job that pulls them."""

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.models.weights.catalogue import QWEN, Stage
from glassloop.models.weights.shelf import Kept, Shelf
from glassloop.runtime.jobs import JobContext, JobKind
from glassloop.runtime.settings import Settings

if TYPE_CHECKING:
    from glassloop.models.weights.supply import Supply

PULL = "pull"
"""The kind of job. Its parameters: `name`, and `from`, a path to take instead of downloading."""


OFFLINE = (
    "Nothing is downloaded here, since GLASSLOOP_MODELS_OFFLINE is set: unset it, or take a file that is there already "
    "with `glassloop models pull --from PATH`."
)

NO_ENGINE = (
    "Nothing was downloaded, since what runs it is not installed: `pip install 'glassloop[embedded]'` first, then "
    "`glassloop models pull` again."
)


def shelf_of(settings: Settings) -> Shelf:
    """The folder weights are kept in."""
    return Shelf(settings.home_path / "models")


def embedded_weights(settings: Settings) -> Path | None:
    """The file that the model `embedded` runs; None where it is not there yet. Quick."""
    if settings.embedded_weights:
        return Path(settings.embedded_weights).expanduser()
    shelf = shelf_of(settings)
    return shelf.path(QWEN) if shelf.is_ready(QWEN) else None


def supplies(settings: Settings) -> "Mapping[str, Supply]":
    """What can be pulled, by name."""
    from glassloop.models.embedder.recipe import MINILM
    from glassloop.models.embedder.supply import EmbedderSupply
    from glassloop.models.weights.supply import FileSupply

    shelf = shelf_of(settings)
    found: Sequence[Supply] = (FileSupply(QWEN, shelf), EmbedderSupply(MINILM, shelf))
    return {supply.name: supply for supply in found}


def weights_ready(settings: Settings) -> tuple[str, ...]:
    """Which weights can be used now. Looks at files, quickly."""
    return tuple(supply.name for supply in supplies(settings).values() if supply.look().state == "ready")


def find_supply(name: str, found: "Mapping[str, Supply]") -> "Supply":
    if name not in found:
        raise UnknownName(f"There are no weights {name!r}: choose from {', '.join(found)}.")
    return found[name]


def kept_weights(settings: Settings) -> list[Kept]:
    """What there is of each."""
    return [supply.look() for supply in supplies(settings).values()]


def pull_kind(
    found: "Callable[[], Mapping[str, Supply]]",
    pulled: Callable[[], None] = lambda: None,
    environ: Mapping[str, str] | None = None,
    *,
    offline: bool = False,
    engines: Sequence[str] = ("xllamacpp", "onnxruntime"),
) -> JobKind:
    """The job that pulls one of these, and calls `pulled` when it is there.

    Begun again it goes on where it stood, so another worker may. `offline`: only what is given is taken. `engines`: the
    modules without which a gigabyte would lie there for nothing.
    """
    where = os.environ if environ is None else environ

    async def run(context: JobContext, params: dict[str, Json]) -> Json:
        name, given = str(params.get("name") or QWEN.name), params.get("from")
        if offline and not given:
            raise UsageError(OFFLINE)
        if not given and not all(map(find_spec, engines)):
            raise UsageError(NO_ENGINE)

        def report(stage: Stage) -> None:
            share = stage.done / stage.total if stage.total else None
            context.progress(f"{name}: {stage.message}", share)

        path = await find_supply(name, found()).pull(where, report, Path(str(given)) if given else None)
        pulled()
        return {"name": name, "path": str(path)}

    return JobKind(name=PULL, run=run, resumable=True)
