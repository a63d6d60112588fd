"""How long meaning is waited for: not at all where answers are quick, until it is there where they are slow."""

import asyncio
from array import array
from collections.abc import Sequence

import pytest

from glassloop.core.messages import ToolSpec
from glassloop.extensions.embedded import shortlist as module
from glassloop.extensions.embedded.shortlist import LONG_TIMEOUT_S, tool_similarity

TOOLS = tuple(ToolSpec(name=name, description="", parameters={}) for name in ("weigh", "fly"))


class Loading:
    """An embedder that is not ready before it is told so."""

    name = "loading"
    dimensions = 2

    def __init__(self) -> None:
        self.ready = asyncio.Event()
        self.asked = 0

    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        self.asked += 1
        await self.ready.wait()
        return [array("f", (1.0, 0.0)) if "weigh" in text else array("f", (0.0, 1.0)) for text in texts]

    async def aclose(self) -> None: ...


async def test_who_has_time_waits_for_the_embedder_that_another_question_keeps_busy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "TIMEOUT_S", 0.01)
    embedder = Loading()
    assert await tool_similarity(embedder, "weigh it", TOOLS, 0.01) is None
    assert await tool_similarity(embedder, "weigh it", TOOLS, 0.01) is None
    assert embedder.asked == 1
    waiting = asyncio.create_task(tool_similarity(embedder, "weigh it", TOOLS, LONG_TIMEOUT_S))
    await asyncio.sleep(0)
    assert not waiting.done()
    embedder.ready.set()
    assert await waiting == [1.0, 0.0]
