"""Answers while they are written, as clients of every dialect get them over a real connection."""

import asyncio

import pytest

from glassloop.core import events as e
from glassloop.core.messages import Abilities, AssistantMessage, Reply, Retrying, TextChunk, Usage
from glassloop.core.records import Evidence, ToolCall
from glassloop.projections.answer_text import AnswerPiece, AnswerText
from server.dialect_turns import chat, look
from server.sse_client import opened, read

ANSWER = "".join(f"Sentence {number:02} of an answer with some words in it. " for number in range(42)).strip()[:2_000]
PREAMBLE = "Let me look that up first."
LONG_PREAMBLE = "I will look this word up, as nothing was said about it so far, and then see what it means. " * 5
SIZE = 12

assert len(ANSWER) == 2_000


def react_text(frame):
    told = frame.json
    return {"response.delta": told.get("content"), "response.reset": None}.get(told["type"], "")


DIALECTS = {
    "/chat/react": (chat("The cat?", stream=True), react_text),
    "/api/analyze/stream": ({"question": "The cat?"}, lambda frame: frame.json.get("token", "")),
    "/v1/chat/completions": (
        {"model": "general", "messages": chat("The cat?")["messages"], "stream": True},
        lambda frame: "".join(each["delta"].get("content", "") for each in frame.json["choices"]),
    ),
}
every_dialect = pytest.mark.parametrize("path", DIALECTS)


class Writer:
    """A model that writes what it is given in small chunks: texts, a call, an event to wait for, a failure on the
    way."""

    name = "writer"
    abilities = Abilities()

    def __init__(self, *replies):
        self.replies = list(replies)

    def quote(self, input_tokens, output_tokens):
        return 0.0

    async def stream(self, request):
        written, calls = "", ()
        for part in self.replies.pop(0):
            if isinstance(part, asyncio.Event):
                await part.wait()
            elif isinstance(part, Retrying):
                written = ""
                yield part
            elif isinstance(part, ToolCall):
                calls = (part,)
            else:
                for start in range(0, len(part), SIZE):
                    yield TextChunk(part[start : start + SIZE])
                    await asyncio.sleep(0)
                written += part
        message = AssistantMessage(text=written, calls=calls)
        yield Reply(message=message, usage=Usage(cost=0.0), stop="tool_use" if calls else "end_turn", model=self.name)


CALL = ToolCall(id="", tool="look", args={"word": "cat"})


def pieces_of(path, frames):
    text_of = DIALECTS[path][1]
    return [piece for frame in frames if frame.data != "[DONE]" if (piece := text_of(frame)) != ""]


def parted(pieces):
    """What was taken back, and the pieces after it. Who comes late on a busy machine is not shown what was before."""
    at = pieces.index(None) + 1 if None in pieces else 0
    return "".join(pieces[: max(0, at - 1)]), pieces[at:]


async def answered(serve, path, *replies, **options):
    served = await serve(script=Writer(*replies), tools=[look], **options)
    return pieces_of(path, await read(served.client, path, method="POST", json=DIALECTS[path][0]))


@every_dialect
async def test_an_answer_of_2000_characters_comes_in_twenty_pieces_and_more(serve, path):
    pieces = await answered(serve, path, [CALL], [ANSWER])
    assert len(pieces) >= 20
    assert "".join(pieces) == ANSWER


@every_dialect
async def test_an_answer_is_read_while_its_model_still_writes_it(serve, path):
    read_enough = asyncio.Event()
    served = await serve(script=Writer([CALL], [ANSWER[:1_000], read_enough, ANSWER[1_000:]]), tools=[look])
    body, text_of = DIALECTS[path]
    text = ""
    async with asyncio.timeout(60), opened(served.client, path, method="POST", json=body) as frames:
        async for frame in frames:
            text += text_of(frame) if frame.data != "[DONE]" else ""
            if len(text) > 900:
                read_enough.set()
    assert text == ANSWER


@every_dialect
async def test_what_is_said_before_a_call_is_no_answer(serve, path):
    pieces = await answered(serve, path, [PREAMBLE, CALL], [ANSWER])
    if path == "/chat/react":
        before, pieces = parted(pieces)
        assert PREAMBLE.endswith(before)
    assert "".join(pieces) == ANSWER


@every_dialect
@pytest.mark.parametrize("void", [CALL, Retrying(attempt=1, wait_s=0.0, reason="cut", model="writer")])
async def test_long_text_that_turns_out_to_be_no_answer_is_parted_from_it(serve, path, void):
    replies = [[LONG_PREAMBLE, CALL], [ANSWER]] if void is CALL else [[LONG_PREAMBLE, void, ANSWER]]
    pieces = await answered(serve, path, *replies)
    if path == "/chat/react":
        assert "".join(parted(pieces)[1]) == ANSWER
    else:
        assert "".join(pieces) == f"{LONG_PREAMBLE.strip()}\n\n{ANSWER}"


def delta(text, offset, **more):
    return e.TextDelta(turn_id="t", seq=1, at=1.0, block=16, offset=offset, text=text, **more)


def test_an_answer_that_is_sent_back_for_more_is_written_anew():
    text, stamp = AnswerText(hold=10), {"turn_id": "t", "seq": 2, "at": 1.0}
    first = list(text.pieces([delta(PREAMBLE, 0)]))
    sent_back = e.AnswerEvaluated(**stamp, accepted=False, evidence=Evidence(), evaluation=None, block=16)
    given = e.AnswerGiven(**stamp, text="All of it.", reason="answered", block=32)
    assert [*first, *text.pieces([sent_back]), *text.pieces([given])] == [
        AnswerPiece(PREAMBLE), AnswerPiece("", again=True), AnswerPiece("All of it."),
    ]  # fmt: skip


def test_text_that_rules_review_is_held_until_it_is_the_answer():
    text = AnswerText(hold=0)
    assert not list(text.pieces([delta("It is 41.", 0, reviewed=True)]))
    given = e.AnswerGiven(turn_id="t", seq=2, at=1.0, text="It is 42.", reason="answered", block=32)
    assert list(text.pieces([given])) == [AnswerPiece("It is 42.")]


def test_a_second_paragraph_shows_that_text_is_an_answer():
    text = AnswerText(hold=300)
    assert not list(text.pieces([delta("It is 42.\n\n", 0)]))
    assert list(text.pieces([delta("That is", 11)])) == [AnswerPiece("It is 42.\n\nThat is")]


def test_a_piece_that_is_missing_comes_with_the_answer():
    text = AnswerText(hold=0)
    pieces = list(text.pieces([delta("It ", 0), delta("42.", 6)]))
    given = e.AnswerGiven(turn_id="t", seq=2, at=1.0, text="It is 42.", reason="answered", block=16)
    assert [*pieces, *text.pieces([given])] == [AnswerPiece("It"), AnswerPiece(" is 42.")]
