"""Think: one call to the model, streamed, read by the decision protocol, recorded whole.

Owns how a stream of chunks becomes deltas and a decision. What the decision leads to is the loop's business.
"""

import logging
from collections.abc import AsyncGenerator
from typing import Any, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ModelUnavailable
from glassloop.core.guardrails.checks import check_reply, record_reply_rulings
from glassloop.core.guardrails.port import GuardrailOutcome
from glassloop.core.loop.state import TurnState
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import (
    AssistantMessage,
    CallChunk,
    ModelRequest,
    PromptReading,
    Purpose,
    QueueWaiting,
    Reply,
    Retrying,
    TextChunk,
    ThoughtChunk,
    ToolMessage,
)
from glassloop.core.planning.decision_review import doubt_of, review
from glassloop.core.ports import Delta
from glassloop.core.protocols.tolerant.json_values import tidy
from glassloop.core.records import CHANGED, UNDO, Decision, Json, ToolCall

_log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder().encode

COMPLAINTS_A_TURN = 2
READABLE_CHARS = 20_000
MAX_CHANGED = 30
"""Files that are named in an answer without a model."""
MAX_ATTEMPTS = 20
MAX_REASON_CHARS = 2_000
"""What is kept of the attempts of a model call."""
MAX_CALL_ID = 64
"""What providers take."""


def think(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Asks the model what to do next."""
    return listen(turn, turn.request(), "decide")


async def listen(turn: Turn, request: ModelRequest, purpose: Purpose) -> AsyncGenerator[e.AnyEvent, None]:
    """Streams one reply. Its events are recorded and, unless it is sent back, left to the commit of its calls."""
    tier = turn.tier(purpose)
    model = turn.ports.models[tier]
    # What is still reviewed may be sent back: its text is a draft until then.
    may_change = turn.profile.reflection or bool(request.tools) or purpose != "decide"
    reviewed = purpose == "decide" and request.schema is not None and model.abilities.small
    block = _Block(turn, draft=may_change or reviewed, reviewed=reviewed)
    reply: Reply | None = None
    guardrails = turn.ports.guardrails
    holds = guardrails is not None and "output" in guardrails.stages
    attempts, began, feed = 1, turn.clock(), block.reader.feed
    before, chunks = turn.enter(), model.stream(request)
    try:
        async for chunk in chunks:
            if type(chunk) is TextChunk:
                for delta in feed(chunk.text):
                    # What guardrails have yet to look at is not shown.
                    if not (holds and delta.kind == "text"):
                        turn.leave(None)
                        yield block.event(delta)
                        turn.enter()
                continue
            if type(chunk) is Reply:
                reply = chunk
                continue
            event = block.event_of(chunk)
            if type(chunk) is Retrying:
                block, attempts = _Block(turn, draft=block.draft, reviewed=reviewed), attempts + 1
                feed = block.reader.feed
            turn.leave(None)
            yield event
            turn.enter()
    except BaseException as error:
        await close_quietly(chunks)
        turn.raise_if_interrupted(error)
        raise
    finally:
        turn.leave(before)
    if reply is None:
        raise ModelUnavailable(f"{model.name!r} ended its stream without a reply: try again.")
    reply = storable(reply)
    held, decision = block.reader.finish(reply)
    for delta in held:
        if not (holds and delta.kind == "text"):
            yield block.event(delta)
    decision, outcome = final_decision(turn, decision, reply, purpose, reviewed), None
    if guardrails is not None and holds:
        reply, decision, outcome = await check_reply(turn, guardrails, reply, decision, purpose)
        if decision.answer is not None and not decision.withheld:
            yield block.event(Delta("text", decision.answer))
    turn.record_reply(
        reply, purpose=purpose, tier=tier, began=began, decision=decision, attempts=attempts, block=block.number
    )
    _record_consequences(turn, decision, outcome)
    if decision.complaint is not None:
        # No call joins this commit, and a draft that is sent back is shown no longer than it must be.
        for event in await turn.commit():
            yield event


def _record_consequences(turn: Turn, decision: Decision, outcome: GuardrailOutcome | None) -> None:
    if outcome is not None:
        record_reply_rulings(turn, outcome)
    if decision.calls or decision.complaint is not None:
        turn.partial = []
    if decision.complaint is None:
        record_thought(turn, decision)


def record_thought(turn: Turn, decision: Decision) -> None:
    """Why the step does what it does; said plainly where the model gave no reason."""
    step = turn.state.iterations
    if decision.thought:
        turn.record(e.ThoughtRecorded(**turn.stamp(), step=step, text=decision.thought))
    else:
        text = "Answer from what is known."
        if decision.calls:
            first, *others = decision.calls
            text = f"Use {', '.join(call.tool for call in decision.calls)}." if others else f"Use {first.tool}."
        turn.record(e.ThoughtRecorded(**turn.stamp(), step=step, text=text, implied=True))


def final_decision(turn: Turn, decision: Decision, reply: Reply, purpose: Purpose, reviewed: bool = False) -> Decision:
    """The decision as it stands: calls with ids of their own, complaints only while there is a point in them."""
    state = turn.state
    may_complain = purpose == "decide" and _may_complain(state, decision)
    doubt = None
    if reviewed and decision.complaint is None:
        told = (state.question, state.messages, turn.tools, turn.profile.prompt)
        if may_complain:
            decision = review(decision, *told)
        else:
            doubt = doubt_of(decision, *told)
    if decision.calls and purpose == "decide":
        return Decision(thought=decision.thought, calls=_with_ids(turn, decision.calls), refused=doubt)
    if decision.answer is not None and decision.answer.strip():
        return decision
    if may_complain and decision.complaint:
        return decision
    readable = _shown(turn, reply)[:READABLE_CHARS].strip()
    if not readable or (purpose == "synthesize" and (decision.calls or decision.complaint)):
        readable = found_so_far(turn.state) if purpose == "synthesize" else e.NOTHING_READ
    return Decision(thought=decision.thought, answer=readable, unreadable=purpose == "decide")


def _may_complain(state: TurnState, decision: Decision) -> bool:
    """Whether a decision may be sent back: neither a call nor an answer is, twice in a row."""
    if not state.complained_of or state.complaints >= COMPLAINTS_A_TURN:
        return state.complaints < COMPLAINTS_A_TURN
    kind = "answer" if decision.answer is not None else "call"
    return decision.complaint is None and state.complained_of not in ("reply", kind)


def _shown(turn: Turn, reply: Reply) -> str:
    """What of a reply is text for a person: half a call, or one that comes too late, is none."""
    reader = turn.ports.protocol.reader(turn.tools)
    deltas = (*reader.feed(reply.message.text), *reader.finish(reply)[0])
    return "".join(delta.text for delta in deltas if delta.kind == "text")


def found_so_far(state: TurnState) -> str:
    """What there is to say without a model."""
    tools = {each.call_id: each.tool for each in (*state.left_out, *state.messages) if isinstance(each, ToolMessage)}
    found = [(call_id, result) for call_id, result in state.observations[-10:] if result.success]
    heads = (f"{tools.get(call_id, '')} {result.metadata.get('path') or ''}".strip() for call_id, result in found)
    lines = [f"- {head}: {result.output[:300]}" for head, (_, result) in zip(heads, found, strict=True)]
    said = "What was found so far:\n" + "\n".join(lines) if lines else "Nothing was found yet."
    return "\n\n".join(filter(None, (said, _changed_so_far(state))))


def _changed_so_far(state: TurnState) -> str:
    """The files that the turn changed, as its tools tell: `changed` of a result's metadata, and `undo`, what takes them
    back."""
    changed: dict[str, None] = {}
    undo = ""
    for _, result in state.observations:
        if isinstance(paths := result.metadata.get(CHANGED), list) and paths:
            changed |= dict.fromkeys(map(str, cast("list[Json]", paths)))
            undo = str(result.metadata.get(UNDO) or undo)
    if not changed:
        return ""
    more = f" and {len(changed) - MAX_CHANGED} more" if len(changed) > MAX_CHANGED else ""
    remedy = f" `{undo}` takes these changes back." if undo else ""
    return f"Files changed: {', '.join(list(changed)[:MAX_CHANGED])}{more}.{remedy}"


def storable(reply: Reply) -> Reply:
    """The reply with what is not Unicode replaced: half surrogates come out of some JSON and fit in no log."""
    try:
        _encode(reply.message)
    except UnicodeEncodeError:
        message = reply.message
        clean = AssistantMessage(
            text=_unicode(message.text),
            thought=_unicode(message.thought),
            calls=tuple(
                msgspec.structs.replace(c, id=_unicode(c.id), tool=_unicode(c.tool), args=tidy(c.args))
                for c in message.calls
            ),
            provider=message.provider,
        )
        return msgspec.structs.replace(reply, message=clean)
    return reply


def _unicode(text: str) -> str:
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


async def close_quietly(events: AsyncGenerator[Any, None]) -> None:
    """Closes a stream that is given up; what goes wrong in there no longer matters."""
    try:
        await events.aclose()
    except Exception as error:
        _log.debug("a stream did not close cleanly", exc_info=error)


def _with_ids(turn: Turn, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
    """Unique within the turn and its children, and the same on every run: idempotency keys stand on them."""
    taken, prefix = turn.state.call_ids, turn.call_prefix
    if len(calls) == 1 and calls[0].id and calls[0].id not in taken and not prefix:
        return calls
    taken, named = set(taken), list[ToolCall]()
    for call in calls:
        name, count = f"{prefix}{call.id}" if call.id else "", len(taken) + 1
        while not name or name in taken or (prefix and len(name) > MAX_CALL_ID):
            name, count = f"{prefix}call_{count}", count + 1
        taken.add(name)
        named.append(call if name == call.id else msgspec.structs.replace(call, id=name))
    return tuple(named)


class _Block:
    """One attempt at a reply: its deltas carry its number and their offsets."""

    def __init__(self, turn: Turn, *, draft: bool, reviewed: bool) -> None:
        self.number = turn.next_block()
        self.draft = draft
        self.reviewed = reviewed
        self.reader = turn.ports.protocol.reader(turn.tools)
        self._turn = turn
        self._text = 0
        self._thought = 0
        self._arguments = 0
        self._tool = ""
        turn.partial = []

    def event(self, delta: Delta) -> e.AnyEvent:
        turn, text = self._turn, _unicode(delta.text)
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
                reviewed=self.reviewed,
            )
        if delta.kind == "thought":
            offset, self._thought = self._thought, self._thought + len(text)
            return e.ThoughtDelta(**turn.transient_stamp(), block=self.number, offset=offset, text=text)
        return self.arguments(0, delta.tool, text)

    def event_of(self, chunk: ThoughtChunk | CallChunk | QueueWaiting | PromptReading | Retrying) -> e.AnyEvent:
        stamp = self._turn.transient_stamp()
        match chunk:
            case ThoughtChunk():
                return self.event(Delta("thought", chunk.text))
            case CallChunk():
                return self.arguments(chunk.index, chunk.name, chunk.arguments)
            case QueueWaiting():
                return e.QueueProgressed(**stamp, position=chunk.position)
            case PromptReading():
                return e.PromptProgressed(**stamp, read=chunk.read, total=chunk.total)
            case Retrying():
                if len(self._turn.failed_attempts) < MAX_ATTEMPTS:
                    self._turn.failed_attempts.append(chunk.reason[:MAX_REASON_CHARS])
                return e.ModelRetried(
                    **stamp,
                    block=self.number,
                    attempt=chunk.attempt,
                    wait_s=chunk.wait_s,
                    reason=chunk.reason,
                    model=chunk.model,
                )

    def arguments(self, index: int, tool: str, text: str) -> e.ArgumentsDelta:
        offset, self._arguments = self._arguments, self._arguments + len(text)
        return e.ArgumentsDelta(
            **self._turn.transient_stamp(), block=self.number, offset=offset, index=index, tool=tool, text=text
        )
