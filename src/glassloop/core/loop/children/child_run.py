"""Runs a child turn for its parent's act phase, from where its events stand to its answer or to a pause."""

from contextlib import aclosing

import msgspec

from glassloop.core import events as e
from glassloop.core.loop.approvals.provenance import context_labels
from glassloop.core.loop.children.child_log import MAX_DEPTH, ChildLog
from glassloop.core.loop.policy import Limits
from glassloop.core.loop.tool_schedule import CallChannel
from glassloop.core.loop.turn import Turn
from glassloop.core.loop.turn_loop import run_turn
from glassloop.core.loop.turn_ports import SubAgent
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Evidence, Json, ToolCall, ToolResult

_OWN_WORDS = frozenset({"asked", "question"})


async def run_child(
    sub_agent: SubAgent, parent: Turn, call: ToolCall, channel: CallChannel, *, hands_over: bool = False
) -> ToolResult | None:
    """The answer of the child turn as the call's result; None where it has none yet."""
    entry = parent.state.calls[call.id]
    if parent.depth >= MAX_DEPTH:
        return ToolResult(
            success=False,
            error=f"Not run: agents are nested {MAX_DEPTH} deep already. Do it with your own tools, or answer.",
            cause="refused",
        )
    child = sub_agent.open(parent, call, tuple(entry.child or ()), ChildLog(channel))
    if child.state.status == "paused" and (child.pending or child.questions):
        return None
    if child.state.status not in ("running", "paused"):
        return result_of_child(child, hands_over=hands_over)
    if child.state.status == "paused":
        child.record(e.TurnResumed(**child.stamp()))
    elif entry.child:
        # Whoever ran it is gone. The time in between is nobody's, and what it was doing is begun anew.
        child.record(e.TurnClaimed(**child.stamp(), worker="", epoch=parent.state.epoch))
    parent.children[call.id] = child
    child.survives_cancel, child.leaving = True, parent.leaving
    async with aclosing(run_turn(child)) as events:
        async for event in events:
            if type(event) in e.TRANSIENT:
                await channel.relay((event,))
    del parent.children[call.id]
    return result_of_child(child, hands_over=hands_over) if child.state.status not in ("running", "paused") else None


def result_of_child(child: Turn, *, hands_over: bool = False) -> ToolResult:
    """What the parent's model is told of a child turn that is over."""
    state, last = child.state, child.log[-1]
    metadata: dict[str, Json] = {"child_turn_id": state.turn_id, "assistant": child.profile.name}
    answer, output = state.answer, child.ports.output
    if state.status != "completed" or answer is None or answer.reason == "unreadable":
        why = last.error if isinstance(last, e.TurnFinished) else None
        error = f"{child.profile.name!r} did not answer: {why or f'its turn was {state.status}.'}"
        return ToolResult(success=False, error=error, metadata=metadata, labels=context_labels(state))
    if output is not None and (problem := output.problem(answer.text)) is not None:
        error = f"{child.profile.name!r} did not answer in its form. {problem}"
        labels = context_labels(state)
        return ToolResult(success=False, output=answer.text, error=error, metadata=metadata, sourced=(), labels=labels)
    evidence = next(
        (one.evidence for one in reversed(child.log) if isinstance(one, e.AnswerEvaluated) and one.accepted), Evidence()
    )
    return ToolResult(
        success=True,
        output=answer.text,
        data=None if output is None else read_object(answer.text),
        metadata={**metadata, "stop_reason": answer.reason},
        duration_ms=last.seconds * 1000.0 if isinstance(last, e.TurnFinished) else 0.0,
        sourced=_vouched(evidence),
        labels=context_labels(state),
        is_answer=hands_over,
    )


def _vouched(evidence: Evidence) -> tuple[str, ...]:
    """The figures of an answer that its turn observed. What stood in its question is the parent's own word."""
    observed = (one.text for one in evidence.figures if one.source is not None and one.origin not in _OWN_WORDS)
    return tuple(dict.fromkeys(observed))


def limits_of_child(parent: Turn, own: Limits) -> Limits:
    """The smaller of its own and its share of what is left to the parent, so that all of them together stay within the
    parent's limits: of tokens and money one share stays with the parent, for its answer."""
    state, limits = parent.state, parent.profile.limits
    sub_agents = parent.ports.sub_agents
    count = sum(entry.result is None and entry.call.tool in sub_agents for entry in state.calls.values()) or 1
    left: dict[str, float] = {}
    if limits.tokens is not None:
        left["tokens"] = (limits.tokens - state.input_tokens - state.output_tokens) // (count + 1)
    if limits.cost is not None:
        left["cost"] = (limits.cost - state.cost) / (count + 1)
    if limits.tool_calls is not None:
        left["tool_calls"] = (limits.tool_calls - state.tool_calls) // count
    if limits.seconds is not None:
        left["seconds"] = limits.seconds - (parent.clock() - state.started_at)
    kept = {name: _smaller(getattr(own, name), max(value, 0)) for name, value in left.items()}
    return msgspec.structs.replace(own, **kept)


def _smaller(own: float | None, left: float) -> float:
    return left if own is None else min(own, left)
