"""reflex with an embedder: meaning helps where words do not, and its absence costs nothing."""

from array import array
from collections.abc import Sequence

import pytest

from glassloop.core.messages import ModelRequest, Reply, UserMessage
from glassloop.models.reflex import ReflexModel
from models_reflex.office_tools import FIRM


class Leaning:
    """An embedder for which everything with one of the words means the same, and nothing else does."""

    name = "leaning"
    dimensions = 2

    def __init__(self, *words: str) -> None:
        self._words = words
        self.asked = 0

    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        self.asked += 1
        return [array("f", (1.0, 0.0) if any(w in text for w in self._words) else (0.0, 1.0)) for text in texts]

    async def aclose(self) -> None: ...


class Away(Leaning):
    async def embed(self, texts: Sequence[str]) -> "Sequence[array[float]]":
        raise RuntimeError("not there yet")


async def called(model: ReflexModel, question: str) -> list[str]:
    request = ModelRequest(system="", messages=[UserMessage(question)], tools=FIRM)
    (reply,) = [chunk async for chunk in model.stream(request) if isinstance(chunk, Reply)]
    return [call.tool for call in reply.message.calls]


async def test_meaning_finds_a_tool_that_no_word_leads_to() -> None:
    question = "Can I go barefoot in Bergen?"
    assert await called(ReflexModel(), question) == []
    assert await called(ReflexModel(embedder=Leaning("barefoot", "forecast")), question) == ["get_forecast"]


async def test_meaning_does_not_start_an_effect_that_no_word_calls_for() -> None:
    embedder = Leaning("SO LONG", "cancel meeting")
    assert await called(ReflexModel(embedder=embedder), "SO LONG, M-301") == []
    assert embedder.asked == 1


async def test_an_embedder_that_fails_leaves_the_words(caplog: pytest.LogCaptureFixture) -> None:
    assert await called(ReflexModel(embedder=Away()), "How many AR-220 are left?") == ["stock_level"]
    assert "not there yet" in caplog.text


async def test_it_is_not_asked_about_chinese() -> None:
    embedder = Leaning("price quote")
    assert await called(ReflexModel(embedder=embedder), "AR-220 还有多少库存？") == ["stock_level"]
    assert embedder.asked == 0
