"""The embedded model with its real weights: minutes on a slow machine, so only in `make test-all`."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from glassloop import Agent, tool
from glassloop.core import events as e
from glassloop.extensions.embedded import weights_file
from glassloop.extensions.embedded.model import EmbeddedModel
from glassloop.extensions.embedded.options import EmbeddedOptions, default_threads
from glassloop.runtime.settings import Settings

pytestmark = pytest.mark.slow


@pytest.fixture
async def model(tmp_path: Path) -> AsyncIterator[EmbeddedModel]:
    given = os.environ.get("GLASSLOOP_TEST_WEIGHTS")
    weights = Path(given) if given else weights_file(Settings())
    if weights is None or not weights.is_file():
        pytest.skip("no weights: `glassloop models pull`, or set GLASSLOOP_TEST_WEIGHTS to the file")
    pytest.importorskip("xllamacpp")
    options = EmbeddedOptions(weights=weights, threads=default_threads(), conversations=2, states=tmp_path / "states")
    model = EmbeddedModel(options)
    yield model
    await model.aclose()


@tool(effect="read")
def tide_times(harbour: str) -> dict[str, object]:
    """High and low water of a harbour today."""
    return {"harbour": harbour, "high": "04:37", "low": "10:52"}


@tool(effect="read")
def ferry_fare(route: str, cars: int = 0) -> dict[str, object]:
    """What a ferry costs in euros."""
    return {"route": route, "cars": cars, "euros": 61}


async def test_questions_are_answered_with_tools_and_the_prefix_is_read_once(model: EmbeddedModel) -> None:
    agent = Agent(model, [tide_times, ferry_fare])
    first = [event async for event in agent.stream("When is high water in Husum?", session_id="s")]
    second = [event async for event in agent.stream("And in Emden?", session_id="s")]
    for events, harbour in ((first, "Husum"), (second, "Emden")):
        calls = [event.call for event in events if isinstance(event, e.ToolCalled)]
        assert [call.tool for call in calls] == ["tide_times"]
        assert calls[0].args == {"harbour": harbour}
        (answer,) = [event.text for event in events if isinstance(event, e.AnswerGiven)]
        assert "04:37" in answer
        assert len([event for event in events if isinstance(event, e.TextDelta)]) > 3
    usage = next(event.usage for event in second if isinstance(event, e.ModelResponded))
    assert usage.input_tokens - usage.cached_tokens < 100 < usage.cached_tokens


async def test_a_cancelled_turn_stops_the_work_of_its_process(model: EmbeddedModel) -> None:
    agent = Agent(model, [tide_times])
    turn = agent.stream("Write a very long poem about the sea.", session_id="s")
    async for event in turn:
        if isinstance(event, e.ThoughtDelta | e.TextDelta):
            turn.cancel()
    assert turn.response().success is False
    pid = model.engine.child.pid
    assert pid is not None
    deadline = time.monotonic() + 60
    while await _runs_turns(pid):
        assert time.monotonic() < deadline, "it still works on a turn that was cancelled"


async def _runs_turns(pid: int) -> bool:
    """Whether the process used a noticeable part of a core within half a second."""
    before = _ticks(pid)
    await asyncio.sleep(0.5)
    return _ticks(pid) - before > 5


def _ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
