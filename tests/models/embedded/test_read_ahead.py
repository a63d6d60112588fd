"""The beginning of prompts, read before anybody asks."""

import asyncio
from pathlib import Path

import pytest

from models.embedded.conftest import MakeModel
from models.embedded.test_model import PROMPT, reply, request

pytestmark = pytest.mark.slow


async def test_a_first_question_reads_no_more_than_itself(make: MakeModel, tmp_path: Path) -> None:
    model = make()
    system = request(model, "Go on.").system
    assert await model.read_ahead(system)
    assert len(list((tmp_path / "states").glob("*.state"))) == 1
    usage = (await reply(model, "Go on.")).usage
    assert usage.input_tokens - usage.cached_tokens < 60
    assert await model.read_ahead(system)


async def test_a_question_does_not_wait_for_what_is_read_ahead(make: MakeModel) -> None:
    model = make(context_tokens=16_000)
    await reply(model, "Go on.")
    reading = asyncio.create_task(model.read_ahead(PROMPT * 40))
    while model.engine._ahead is None:
        await asyncio.sleep(0.001)
    await reply(model, "Go on.", max_tokens=4)
    assert not await reading
    assert await model.read_ahead(PROMPT)


async def test_without_a_folder_for_it_nothing_is_read_ahead(make: MakeModel) -> None:
    model = make(states=None)
    assert await model.read_ahead(PROMPT)
    assert model.engine.child.pid is None
