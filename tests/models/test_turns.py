"""Whole turns over each provider's wire format: whatever goes wrong there, a turn ends exactly once."""

from collections.abc import Callable
from typing import Any

import pytest

from glassloop import Agent, tool
from glassloop.core import events as e
from glassloop.core.ports import Model
from glassloop.models.resilient_model import ResilientModel

OpenModel = Callable[..., Model]
ANSWER = {"content": "There are 140 units of it on the shelf today."}
CALL = {"toolCalls": [{"name": "stock_of", "arguments": '{"sku": "BRG-6204"}'}]}
FAULTS = {
    "server error": {"chaos": {"dropRate": 1}},
    "rate limit": {"response": {"error": {"message": "slow", "type": "rate_limit"}, "status": 429, "retryAfter": 3}},
    "connection dropped": {"chaos": {"disconnectRate": 1}},
    "malformed chunk": {"chaos": {"malformedRate": 1}},
    "truncated stream": {"truncateAfterChunks": 2, "chunkSize": 5},
}


@tool(effect="read")
async def stock_of(sku: str) -> dict[str, int]:
    """Units on hand."""
    return {"units": 140}


async def play(model: Model) -> list[e.Event]:
    return [event async for event in Agent(model, [stock_of]).stream("How many are there?")]


def assert_ended_once(events: list[e.Event], status: str) -> e.TurnFinished:
    ended = [event for event in events if isinstance(event, e.TurnFinished)]
    assert len(ended) == 1
    assert events[-1] is ended[0]
    assert ended[0].status == status
    durable = [event for event in events if type(event) not in e.TRANSIENT]
    assert [event.seq for event in durable] == list(range(1, len(durable) + 1))
    return ended[0]


async def no_nap(_seconds: float) -> None:
    return None


@pytest.mark.filterwarnings("ignore:FUNCTION_CALL is not a valid FinishReason")  # as the stand-in for Gemini says it
async def test_a_tool_is_called_and_its_result_goes_into_the_answer(
    voice: Any, aimock: Any, open_model: OpenModel
) -> None:
    aimock.add(
        {"match": {"userMessage": "How many", "hasToolResult": False}, "response": CALL},
        {"match": {"hasToolResult": True}, "response": ANSWER},
    )
    events = await play(open_model(voice, aimock.url))
    finished = assert_ended_once(events, "completed")
    assert finished.tool_calls == 1
    answer = next(event for event in events if isinstance(event, e.AnswerGiven))
    assert answer.text == ANSWER["content"]
    assert "".join(ev.text for ev in events if isinstance(ev, e.TextDelta) and ev.block == answer.block) == answer.text
    evidence = next(event.evidence for event in events if isinstance(event, e.AnswerEvaluated))
    assert [figure.source is not None for figure in evidence.figures if figure.text == "140"] == [True]


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_fault_that_stays_fails_the_turn_once_with_a_clear_error(
    voice: Any, aimock: Any, open_model: OpenModel, fault: dict[str, Any]
) -> None:
    aimock.add({"match": {"userMessage": "How many"}, "response": ANSWER, **fault})
    events = await play(ResilientModel(open_model(voice, aimock.url), sleep=no_nap))
    finished = assert_ended_once(events, "failed")
    assert finished.error_type == "llm_error"
    assert voice.model_name in (finished.error or "")
    assert sum(isinstance(event, e.ModelRetried) for event in events) == 3
    assert not any(isinstance(event, e.AnswerGiven) for event in events)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_a_fault_that_passes_leaves_no_trace_in_the_answer(
    voice: Any, aimock: Any, open_model: OpenModel, fault: dict[str, Any]
) -> None:
    aimock.add(
        {"match": {"userMessage": "How many", "sequenceIndex": 0}, "response": ANSWER, **fault},
        {"match": {"userMessage": "How many", "sequenceIndex": 1}, "response": ANSWER},
    )
    events = await play(ResilientModel(open_model(voice, aimock.url), sleep=no_nap))
    assert_ended_once(events, "completed")
    answer = next(event for event in events if isinstance(event, e.AnswerGiven))
    assert answer.text == ANSWER["content"]
    retried = next(event for event in events if isinstance(event, e.ModelRetried))
    assert retried.block < answer.block


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_the_fallback_model_answers_when_the_first_stays_away(
    voice: Any, aimock: Any, wire: Any, open_model: OpenModel, fault: dict[str, Any]
) -> None:
    aimock.add({"match": {"userMessage": "How many"}, "response": ANSWER, **fault})
    wire.plays(voice.text("The second one says 7."))
    first, second = open_model(voice, aimock.url), open_model(voice, wire.url)
    events = await play(ResilientModel(first, second, retries=1, sleep=no_nap))
    assert_ended_once(events, "completed")
    assert next(event.text for event in events if isinstance(event, e.AnswerGiven)) == "The second one says 7."
