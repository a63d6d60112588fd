"""Weights that extensions offer: what there is of each, and the job that pulls them."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.core.errors import UnknownName, UsageError
from glassloop.core.records import Json
from glassloop.runtime.durable.jobs import JobContext, JobKind
from glassloop.runtime.settings import Settings

if TYPE_CHECKING:
    from glassloop.models.weights import PullStage, Weights, WeightsStatus

PULL = "pull"
"""The kind of job. Its parameters: `name`, and `from`, a path to take instead of downloading."""

OFFLINE = (
    "Downloads are off because GLASSLOOP_MODELS_OFFLINE is set: unset it, or use a file you already have "
    "with `glassloop models pull --from PATH`."
)


def find_weights(name: str | None, settings: Settings) -> "Weights":
    """The weights of that name, or the first there are."""
    found = settings.extensions.weights(settings)
    if not found:
        raise UnknownName("No extension offers weights to download: install `glassloop[embedded]`.")
    if name is None:
        return next(iter(found.values()))
    if name not in found:
        raise UnknownName(f"There are no weights {name!r}: choose from {', '.join(found)}.")
    return found[name]


def kept_weights(settings: Settings) -> "list[WeightsStatus]":
    """What there is of each."""
    return [supply.look() for supply in settings.extensions.weights(settings).values()]


def weights_ready(settings: Settings) -> tuple[str, ...]:
    """Which weights can be used now. Looks at files, quickly."""
    return tuple(kept.name for kept in kept_weights(settings) if kept.state == "ready")


def pull_kind(
    settings: Settings,
    pulled: Callable[[], None] = lambda: None,
    environ: Mapping[str, str] | None = None,
) -> JobKind:
    """The job that pulls weights, and calls `pulled` when they are there. Begun again it goes on where it stood, so
    another worker may."""
    where = os.environ if environ is None else environ

    async def run(context: JobContext, params: dict[str, Json]) -> Json:
        given = params.get("from")
        if settings.models_offline and not given:
            raise UsageError(OFFLINE)
        supply = find_weights(str(params["name"]) if params.get("name") else None, settings)
        if not given and (problem := supply.problem()):
            raise UsageError(problem)

        def report(stage: "PullStage") -> None:
            share = stage.done / stage.total if stage.total else None
            context.progress(f"{supply.name}: {stage.message}", share)

        path = await supply.pull(where, report, Path(str(given)) if given else None)
        pulled()
        return {"name": supply.name, "path": str(path)}

    return JobKind(name=PULL, run=run, resumable=True)
