"""Prefixes of assistants are read ahead: the very bytes that questions begin with, and only by models that want it."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from glassloop import Agent, ScriptedModel, tool
from glassloop.core.errors import ModelRejected
from glassloop.core.messages import Abilities
from glassloop.extensions.embedded import EmbeddedExtension
from glassloop.runtime.assistants.agent_parts.prefixes import PrefixReader
from glassloop.runtime.build import open_runtime
from glassloop.runtime.providers import Provider
from glassloop.runtime.settings import Settings

SMALL = Abilities(native_tools=False, json_schema=True, small=True)


class Slow(ScriptedModel):
    """Notes what it is to read ahead; says that a question came first as often as it is told to."""

    def __init__(self, interrupted=0):
        super().__init__(['{"thought":"t","action":"answer","response":"Done."}'] * 5, abilities=SMALL)
        self.ahead, self.interrupted = [], interrupted

    async def read_ahead(self, system):
        if self.interrupted:
            self.interrupted -= 1
            return False
        self.ahead.append(system)
        return True


@tool(effect="read")
def weigh(item: str) -> str:
    """Weighs an item."""
    return item


class SlowExtension(EmbeddedExtension):
    name = "slow"
    reads_ahead = True

    def providers(self):
        made = Provider(
            make=lambda *_: Slow(), configured=lambda _: True, note="", needs_model=False, rank=1,
            reads_ahead=self.reads_ahead,
        )  # fmt: skip
        return {"slow": made}

    settings = None

    def embedders(self):
        return {}

    def weights(self, settings):
        return ()


class QuickExtension(SlowExtension):
    name = "quick"
    reads_ahead = False


@pytest.fixture
async def opened(tmp_path) -> AsyncIterator:
    model = Slow()
    runtimes = []

    async def opened(extension=SlowExtension):
        runtime = await open_runtime(
            Settings(home=str(tmp_path)),
            make=lambda key: Agent(model, [weigh], name=key.assistant or "general", prompt=f"You are {key.assistant}."),
            extensions=[extension()],
        )  # fmt: skip
        runtimes.append(runtime)
        return runtime, model

    yield opened
    for runtime in runtimes:
        await runtime.aclose()


async def test_what_is_read_ahead_is_what_questions_begin_with(opened):
    runtime, model = await opened()
    assert await PrefixReader(runtime.context.settings, runtime.agents).read_all()
    await runtime.ask("How heavy is it?", wanted="general")
    assert model.requests[0].system == model.ahead[0]
    assert "weigh" in model.ahead[0]


async def test_each_prefix_is_read_once_and_what_a_question_interrupted_is_read_later(opened):
    runtime, model = await opened()
    model.interrupted = 1
    reader = PrefixReader(runtime.context.settings, runtime.agents)
    assert not await reader.read_all()
    assert model.ahead == []
    assert await reader.read_all() and await reader.read_all()
    assert len(model.ahead) == len(set(model.ahead)) > 0


async def test_a_prompt_that_is_rejected_keeps_no_other_from_being_read(opened):
    runtime, model = await opened()
    rejected, read = [], model.read_ahead

    async def reject_first(system):
        if not rejected:
            rejected.append(system)
            raise ModelRejected("too long")
        return await read(system)

    model.read_ahead = reject_first
    reader = PrefixReader(runtime.context.settings, runtime.agents)
    assert await reader.read_all(most=1)
    assert (len(rejected), model.ahead) == (1, [])
    assert await reader.read_all()
    assert len(model.ahead) == len({*model.ahead, *rejected}) - 1 > 0


async def test_nothing_is_read_ahead_by_models_that_are_quick(opened):
    runtime, model = await opened(QuickExtension)
    assert await PrefixReader(runtime.context.settings, runtime.agents).read_all()
    assert model.ahead == []


async def test_what_goes_wrong_is_tried_again(opened):
    runtime, model = await opened()
    failed = asyncio.Event()

    async def fail(_system):
        failed.set()
        raise OSError("gone")

    model.read_ahead = fail
    task = asyncio.create_task(PrefixReader(runtime.context.settings, runtime.agents).repeat(0.01))
    await failed.wait()
    failed.clear()
    await failed.wait()
    task.cancel()
