"""Think: one call to the model, streamed, read by the decision protocol, recorded whole.

Owns how a stream of chunks becomes deltas and a decision. What the decision leads to is the loop's business.
"""

from asyncio import current_task
from collections.abc import AsyncGenerator

from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.messages import (
    CallChunk,
    ModelRequest,
    Purpose,
    Reply,
    Retrying,
    TextChunk,
    ThoughtChunk,
)
from glassloop.core.ports import Delta
from glassloop.core.protocols.think_tags import without_thoughts
from glassloop.core.records import Decision, ToolCall
from glassloop.core.turn import Turn

COMPLAINTS_A_TURN = 2
READABLE_CHARS = 20_000


def think(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Asks the model what to do next."""
    return listen(turn, turn.request(), "decide")


async def listen(turn: Turn, request: ModelRequest, purpose: Purpose) -> AsyncGenerator[e.AnyEvent, None]:
    """Streams one reply. Ends with its events recorded but not committed: the calls they lead to join that commit."""
    tier, model = turn.model(purpose)
    block = _Block(turn, draft=turn.profile.reflection or bool(request.tools))
    reply: Reply | None = None
    attempts, began = 1, turn.clock()
    feed = block.reader.feed
    chunks = model.stream(request)
    turn.task = current_task()
    try:
        async for chunk in chunks:
            if type(chunk) is TextChunk:
                for delta in feed(chunk.text):
                    turn.task = None
                    yield block.event(delta)
                    turn.task = current_task()
                continue
            if type(chunk) is Reply:
                reply = chunk
                continue
            if type(chunk) is ThoughtChunk:
                event = block.event(Delta("thought", chunk.text))
            elif type(chunk) is CallChunk:
                event = block.arguments(chunk.index, chunk.name, chunk.arguments)
            else:
                event = block.retried(chunk)  # pyright: ignore[reportArgumentType]
                block = _Block(turn, draft=block.draft)
                feed, attempts = block.reader.feed, attempts + 1
            turn.task = None
            yield event
            turn.task = current_task()
    except BaseException:
        await chunks.aclose()
        raise
    finally:
        turn.task = None
    if reply is None:
        raise ModelUnavailable(f"{model.name!r} ended its stream without a reply: try again.")
    held, decision = block.reader.finish(reply)
    for delta in held:
        yield block.event(delta)
    decision = settle(turn, decision, reply, purpose)
    turn.record_reply(
        reply, purpose=purpose, tier=tier, began=began, decision=decision, attempts=attempts, block=block.number
    )
    if decision.complaint is None:
        record_thought(turn, decision)


def record_thought(turn: Turn, decision: Decision) -> None:
    """Why the step does what it does; said plainly where the model gave no reason."""
    step = turn.state.iterations
    if decision.thought:
        turn.record(e.ThoughtRecorded, step=step, text=decision.thought)
    else:
        text = (
            "Use " + ", ".join([c.tool for c in decision.calls]) + "."
            if decision.calls
            else "Answer from what is known."
        )
        turn.record(e.ThoughtRecorded, step=step, text=text, implied=True)


def settle(turn: Turn, decision: Decision, reply: Reply, purpose: Purpose) -> Decision:
    """The decision as it stands: calls with ids of their own, complaints only while there is a point in them."""
    if decision.calls and purpose == "decide":
        return Decision(thought=decision.thought, calls=_with_ids(turn, decision.calls))
    if decision.answer is not None and decision.answer.strip():
        return decision
    state = turn.state
    if purpose == "decide" and decision.complaint and not state.complained and state.complaints < COMPLAINTS_A_TURN:
        return decision
    readable = without_thoughts(reply.message.text)[:READABLE_CHARS].strip()
    return Decision(thought=decision.thought, answer=readable or "The model's reply could not be read.")


def _with_ids(turn: Turn, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """Unique within the turn and the same on every run: idempotency keys stand on them."""
    taken = turn.state.call_ids
    if len(calls) == 1 and calls[0].id and calls[0].id not in taken:
        return calls
    taken, named = set(taken), list[ToolCall]()
    for call in calls:
        name, count = call.id, len(taken) + 1
        while not name or name in taken:
            name, count = f"call_{count}", count + 1
        taken.add(name)
        named.append(call if name == call.id else ToolCall(id=name, tool=call.tool, args=call.args))
    return tuple(named)


class _Block:
    """One attempt at a reply: its deltas carry its number and their offsets."""

    def __init__(self, turn: Turn, *, draft: bool) -> None:
        turn.state.blocks += 1
        self.number = turn.state.blocks
        self.draft = draft
        self.reader = turn.ports.protocol.reader(turn.tools)
        self._turn = turn
        self._text = 0
        self._thought = 0
        self._arguments = 0
        self._tool = ""
        turn.partial = []

    def event(self, delta: Delta) -> e.AnyEvent:
        turn, text = self._turn, delta.text
        state = turn.state
        if delta.kind == "text":
            offset, self._text = self._text, self._text + len(text)
            turn.partial.append(text)
            return e.TextDelta(
                turn_id=state.turn_id,
                seq=state.seq,
                at=turn.clock(),
                block=self.number,
                offset=offset,
                text=text,
                draft=self.draft,
            )
        if delta.kind == "thought":
            offset, self._thought = self._thought, self._thought + len(text)
            return turn.mention(e.ThoughtDelta, block=self.number, offset=offset, text=text)
        return self.arguments(0, delta.tool, text)

    def arguments(self, index: int, tool: str, text: str) -> e.ArgumentsDelta:
        offset, self._arguments = self._arguments, self._arguments + len(text)
        return self._turn.mention(e.ArgumentsDelta, block=self.number, offset=offset, index=index, tool=tool, text=text)

    def retried(self, chunk: Retrying) -> e.ModelRetried:
        return self._turn.mention(
            e.ModelRetried,
            block=self.number,
            attempt=chunk.attempt,
            wait_s=chunk.wait_s,
            reason=chunk.reason,
            model=chunk.model,
        )
