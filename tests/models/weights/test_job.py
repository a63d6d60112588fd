"""Pulling as a job: its progress is stored and told, it can be stopped, and the next one goes on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from glassloop import Agent, Extension, ScriptedModel
from glassloop.extensions.embedded.weights.catalog import Asset
from glassloop.extensions.embedded.weights.file_weights import FileWeights
from glassloop.runtime.build import open_runtime
from glassloop.runtime.extensions import Extensions
from glassloop.runtime.settings import Settings
from glassloop.runtime.weights import PULL, pull_kind
from models.weights.depot import HUB_PATH, WAIT_S, Depot


class Stocked(Extension):
    """Brings these weights and nothing else."""

    name = "stocked"

    def __init__(self, *weights: FileWeights) -> None:
        self._weights = weights

    def weights(self, settings: Settings) -> tuple[FileWeights, ...]:
        return self._weights


@pytest.fixture
async def runtime(tmp_path: Path, asset: Asset, models: Path, depot: Depot) -> AsyncIterator[Any]:
    settings = Settings(home=str(tmp_path / "home"), extensions=Extensions([Stocked(FileWeights(asset, models))]))
    kind = pull_kind(settings, environ=depot.environ())
    opened = await open_runtime(settings, recovers_turns=False, kinds=[kind], make=lambda _: Agent(ScriptedModel([])))
    yield opened
    await opened.aclose(1.0)


async def test_a_pull_tells_its_progress_to_whoever_watches_and_is_listed(
    runtime: Any, depot: Depot, asset: Asset, models: Path, data: bytes
) -> None:
    depot.files[HUB_PATH] = data
    depot.faults[HUB_PATH] = [("hold", 3_700_000)]
    job = await runtime.jobs.submit(PULL, {"name": "tiny"})
    seen: list[Any] = []
    async with asyncio.timeout(WAIT_S):
        async for row in runtime.jobs.watch(job.id):
            seen.append(row)
            if row.fraction and row.fraction > 0.6:
                depot.open.set()
    assert seen[-1].status == "completed"
    assert seen[-1].result == {"name": "tiny", "path": str(FileWeights(asset, models).path)}
    fractions = [row.fraction for row in seen if row.fraction is not None]
    assert fractions == sorted(fractions)
    assert any("from the model hub" in row.message for row in seen)
    assert [row.id for row in await runtime.store.jobs.list()] == [job.id]
    assert FileWeights(asset, models).path.read_bytes() == data


async def test_a_pull_that_is_stopped_leaves_what_it_has_for_the_next(
    runtime: Any, depot: Depot, asset: Asset, models: Path, data: bytes
) -> None:
    depot.files[HUB_PATH] = data
    depot.faults[HUB_PATH] = [("hold", 3_700_000)]
    job = await runtime.jobs.submit(PULL, {"name": "tiny"})
    async with asyncio.timeout(WAIT_S):
        async for row in runtime.jobs.watch(job.id):
            if row.status == "running" and row.fraction and row.fraction > 0.6:
                await runtime.jobs.cancel(job.id)
    assert (await runtime.jobs.get(job.id)).status == "cancelled"
    again = await runtime.jobs.submit(PULL, {"name": "tiny"})
    async with asyncio.timeout(WAIT_S):
        last = [row async for row in runtime.jobs.watch(again.id)][-1]
    assert last.status == "completed"
    assert FileWeights(asset, models).path.read_bytes() == data
    assert max(asked.start for asked in depot.asked) >= 3_000_000


async def test_a_pull_of_what_there_is_not_fails_and_says_what_there_is(runtime: Any) -> None:
    job = await runtime.jobs.submit(PULL, {"name": "nonesuch"})
    async with asyncio.timeout(WAIT_S):
        last = [row async for row in runtime.jobs.watch(job.id)][-1]
    assert (last.status, last.error) == ("failed", "There are no weights 'nonesuch': choose from tiny.")
