"""Answer: from a draft, or from a limit, to the last event of the turn.

Owns synthesis, the check of a draft, and the three endings (completed, failed, cancelled).
"""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from glassloop.core import events as e
from glassloop.core.errors import GlassloopError
from glassloop.core.evidence import find_evidence, is_quick
from glassloop.core.messages import Message, ModelRequest, UserMessage
from glassloop.core.policy import Limits, stop_reason
from glassloop.core.records import Evidence, QualityEvaluation
from glassloop.core.reflection import evaluate_by_rule, evaluate_output, should_continue
from glassloop.core.think import listen
from glassloop.core.turn import Turn

NO_MODEL_LEFT: frozenset[e.EndReason] = frozenset({"tokens", "cost", "seconds"})
"""Limits that a synthesis by the model would pass."""

_SYNTHESIZE = (
    "No further step is possible: the limit of this turn is reached. Answer the question now, from what was observed, "
    "as completely as that allows; say what is still open. Do not ask for tools."
)


async def synthesize(turn: Turn, reason: e.EndReason) -> AsyncGenerator[e.AnyEvent, None]:
    """An answer from what was observed, by the model where the limit leaves room for it, else by listing it."""
    messages: Sequence[Message] = (*turn.wire(), UserMessage(_SYNTHESIZE))
    request = ModelRequest(
        system=turn.profile.prompt,
        messages=messages,
        purpose="synthesize",
        temperature=turn.profile.temperature,
        max_tokens=turn.profile.max_tokens,
    )
    _, model = turn.model("synthesize")
    if reason not in NO_MODEL_LEFT and turn.affordable(model, turn.state.tokens, request.max_tokens):
        async with aclosing(listen(turn, request, "synthesize")) as events:
            async for event in events:
                yield event
        return
    evidence = Evidence()
    for event in await give(
        turn, f"{found_so_far(turn)}\n\n{limit_note(reason, turn.profile.limits)}", reason, evidence, None
    ):
        yield event


def found_so_far(turn: Turn) -> str:
    lines = [f"- {result.output[:300]}" for _, result in turn.state.observations[-10:] if result.success]
    return "What was found so far:\n" + "\n".join(lines) if lines else "Nothing was found yet."


def limit_note(reason: e.EndReason, limits: Limits) -> str:
    """How an answer says that a limit cut the work short."""
    match reason:
        case "iterations":
            what = f"the limit of {limits.iterations} iterations"
        case "tool_calls":
            what = f"the limit of {limits.tool_calls} tool calls"
        case "tokens":
            what = f"the budget of {limits.tokens:,} tokens"
        case "cost":
            what = f"the budget of ${limits.cost:g}"
        case "seconds":
            what = f"the limit of {limits.seconds:g} seconds"
        case _:
            what = "the estimate of its plan"
    return f"(Stopped at {what}; the answer may be incomplete.)"


async def conclude(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Checks the draft; gives it, or sends the loop back once with what is missing."""
    state = turn.state
    text, reason = _draft(turn)
    evidence = await _trace_figures(turn, text)
    evaluation = await _evaluate(turn, text, evidence)
    if evaluation is not None and evaluation.needs_retry and reason == "answered" and _may_retry(turn, evaluation):
        turn.record(
            e.AnswerEvaluated, accepted=False, evidence=evidence, evaluation=evaluation, block=state.draft_block
        )
        for event in await turn.commit():
            yield event
        return
    for event in await give(turn, text, reason, evidence, evaluation):
        yield event


async def _trace_figures(turn: Turn, text: str) -> Evidence:
    state, known = turn.state, turn.ports.tools.specs
    if is_quick(text, state.observations):
        return find_evidence(text, state.observations, state.question, known)
    return await asyncio.to_thread(find_evidence, text, tuple(state.observations), state.question, known)


def _draft(turn: Turn) -> tuple[str, e.EndReason]:
    state, limits = turn.state, turn.profile.limits
    if state.draft is None:
        return "\n\n".join(
            _said(result.success, result.output, result.error) for _, result in state.observations
        ), "answered"
    if state.draft_purpose == "decide":
        return state.draft, "answered"
    reason = stop_reason(state, limits, turn.clock()) or "iterations"
    return f"{state.draft}\n\n{limit_note(reason, limits)}", reason


def _said(success: bool, output: str, error: str | None) -> str:
    return output if success else f"Failed: {error}"


async def _evaluate(turn: Turn, text: str, evidence: Evidence) -> QualityEvaluation | None:
    state = turn.state
    if not turn.profile.reflection or state.command is not None:
        return None
    by_rule = evaluate_by_rule(text, state.observations, state.plan, state.plan_done, evidence)
    if state.plan is None or state.plan.complexity == "simple":
        return by_rule
    return await evaluate_output(turn.ask, state.question, text, state.observations, by_rule)


def _may_retry(turn: Turn, evaluation: QualityEvaluation) -> bool:
    """One more pass, if limits allow."""
    state = turn.state
    if state.retried or stop_reason(state, turn.profile.limits, turn.clock()) is not None:
        return False
    return should_continue(state.plan, state.iterations + 1, evaluation)


async def give(
    turn: Turn, text: str, reason: e.EndReason, evidence: Evidence, evaluation: QualityEvaluation | None
) -> Sequence[e.Durable]:
    """The end of a turn that has an answer, in one commit."""
    block = turn.state.draft_block
    turn.record(e.AnswerEvaluated, accepted=True, evidence=evidence, evaluation=evaluation, block=block)
    turn.record(e.AnswerGiven, text=text, reason=reason, block=block)
    turn.finish("completed")
    return await turn.commit()


async def cancel(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """The end of a turn that was stopped."""
    for event in await abandon(turn):
        yield event


async def abandon(turn: Turn) -> Sequence[e.Durable]:
    """Closes what is open, keeps the partial answer as such, and ends the turn."""
    if turn.state.status == "running":
        turn.close_calls("Cancelled before it finished.")
        text = turn.state.draft or "".join(turn.partial)
        if text.strip():
            turn.record(e.AnswerGiven, text=text, reason="cancelled", partial=True, block=turn.state.blocks)
        turn.finish("cancelled")
    return await turn.commit()


async def fail(turn: Turn, error: Exception) -> Sequence[e.Durable]:
    """The end of a turn that could not go on. What we raise ourselves is said; of anything else only a reference is."""
    turn.close_calls("Not finished: the turn failed.")
    if isinstance(error, GlassloopError):
        text, reference = str(error) or type(error).__name__, None
    else:
        reference = uuid.uuid4().hex[:12]
        text = f"Something went wrong inside ({type(error).__name__}); the log has the details under {reference}."
    turn.finish("failed", error=error, text=text, ref=reference)
    return await turn.commit()
