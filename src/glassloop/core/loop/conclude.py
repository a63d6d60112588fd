"""Answer: from a draft, or from a limit, to the last event of the turn.

Owns synthesis, the check of a draft, and the three endings (completed, failed, cancelled).
"""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from functools import partial

from glassloop.core import events as e
from glassloop.core.cpu_work import LARGE_CHARS, run_cpu_bound
from glassloop.core.errors import GlassloopError, MessagesWaiting, ModelError, text_for_users
from glassloop.core.evidence import check_answer, has_figures, is_loaded, is_quick, traced_further
from glassloop.core.guardrails.checks import check_text
from glassloop.core.loop.continuation import joined
from glassloop.core.loop.policy import Limits, stop_reason
from glassloop.core.loop.side_questions import ask_in_context
from glassloop.core.loop.think import found_so_far, listen
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import ModelRequest, estimate_tokens, note
from glassloop.core.planning.reflection import evaluate_output, is_worse, should_continue
from glassloop.core.records import Evidence, QualityEvaluation, ToolResult

_log = logging.getLogger(__name__)

NO_MODEL_LEFT: frozenset[e.EndReason] = frozenset({"tokens", "cost", "seconds"})
"""Limits that a synthesis by the model would pass."""

_SYNTHESIZE = (
    "No further step is possible: the limit of this turn is reached. Answer the question now, from what was observed, "
    "as completely as that allows; say what is still open. Do not ask for tools."
)


async def synthesize(turn: Turn, reason: e.EndReason) -> AsyncGenerator[e.AnyEvent, None]:
    """An answer from what was observed: by the model where the limit leaves room for it, else from what there is."""
    model = turn.model("synthesize")
    prompt = turn.prompt_tokens() + estimate_tokens(_SYNTHESIZE)
    room, spent = (0, reason) if reason in NO_MODEL_LEFT else turn.room(model, prompt)
    if spent is None:
        last = turn.ports.protocol.render(note("last_step", _SYNTHESIZE))
        framing = turn.framing()
        request = ModelRequest(
            system=framing.system,
            tools=framing.tools,
            tool_choice="none",
            schema=framing.closing,
            answer_schema=framing.answer_schema,
            messages=(*turn.rendered_messages(), last),
            purpose="synthesize",
            temperature=turn.profile.temperature,
            max_tokens=room,
            session=turn.session,
            blobs=turn.ports.blobs,
        )
        try:
            async with aclosing(listen(turn, request, "synthesize")) as events:
                async for event in events:
                    yield event
        except ModelError as error:
            _log.warning("turn %s ends with what was found: the last answer failed: %s", turn.state.turn_id, error)
        else:
            return
    text = turn.state.rejected
    if text is None:
        text, stopped = await check_text(turn, found_so_far(turn.state))
        reason = "guardrail" if stopped else reason
    for event in await give_answer(turn, text, reason, await _trace_figures(turn, text), None):
        yield event


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
        case "length":
            what = "the longest reply that the model may give"
        case "filtered":
            what = "the filter of the model's provider"
        case _:
            what = "the estimate of its plan"
    return f"(Stopped at {what}; the answer may be incomplete.)"


async def conclude(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """Checks the draft; gives it, or sends the loop back once with what is missing."""
    state = turn.state
    if state.answer is not None:
        for event in await _complete(turn, 0):
            yield event
        return
    text, reason = _draft(turn)
    if not state.draft_withheld and not state.draft_block:
        text, stopped = await check_text(turn, text)
        reason = "guardrail" if stopped else reason
    if reason == "guardrail":
        for event in await give_answer(turn, text, reason, Evidence(), None):
            yield event
        return
    problem = turn.ports.output.problem(text) if turn.ports.output else None
    if problem is not None and _may_go_on(turn):
        turn.record(
            e.AnswerEvaluated(
                **turn.stamp(), accepted=False, evidence=Evidence(), block=state.draft_block, problem=problem
            )
        )
        for event in await turn.commit():
            yield event
        return
    evaluation = await _evaluate(turn, text)
    if is_worse(evaluation, state.verdict):
        text, evaluation = state.rejected or text, state.verdict
    evidence = await _trace_figures(turn, text)
    if evaluation is not None and evaluation.needs_retry and reason == "answered" and _may_retry(turn, evaluation):
        turn.record(
            e.AnswerEvaluated(
                **turn.stamp(), accepted=False, evidence=evidence, evaluation=evaluation, block=state.draft_block
            )
        )
        for event in await turn.commit():
            yield event
        return
    for event in await give_answer(turn, text, reason, evidence, evaluation):
        yield event


async def _trace_figures(turn: Turn, text: str) -> Evidence:
    """Where the figures of a text come from, by everything the model saw."""
    if turn.ports.output is not None:
        from glassloop.core.evidence.json_values import values_of

        text = values_of(text)
    if not has_figures(text):
        return Evidence()
    state, seen = turn.state, turn.seen()
    given = text, seen, state.question, dict(state.observations), dict(turn.ports.tools.specs)
    if not is_quick(text, seen):
        found = await run_cpu_bound("evidence", LARGE_CHARS, check_answer, *given)
    else:
        found = check_answer(*given) if is_loaded() else await asyncio.to_thread(check_answer, *given)
    return traced_further(found, state.child_evidence) if state.child_evidence else found


def _draft(turn: Turn) -> tuple[str, e.EndReason]:
    """What would be answered, without the note that a limit adds."""
    state = turn.state
    if state.draft is None:
        said = [_said(result) for _, result in state.observations]
        return "\n\n".join(said), "answered"
    if state.draft_withheld:
        return state.draft, "guardrail"
    if state.draft_purpose == "decide":
        return state.draft, state.draft_cut or ("unreadable" if state.draft_unreadable else "answered")
    return state.draft, stop_reason(state, turn.profile.limits, turn.clock()) or "iterations"


def _said(result: ToolResult) -> str:
    if result.success:
        return result.output
    # What a person refused did not fail: it went as they wanted it.
    return f"Not done. {result.error}" if result.requires_confirmation else f"Failed: {result.error}"


async def _evaluate(turn: Turn, text: str) -> QualityEvaluation | None:
    """The evaluator's verdict on what the model wrote. A small model judges nothing well, one that reads no prompts
    nothing at all, and a simple question is not worth a second call: then there is no score."""
    state, abilities = turn.state, turn.model("evaluate").abilities
    if not turn.profile.reflection or not state.iterations or state.draft_refused or turn.interrupted is not None:
        return None
    if abilities.small or not abilities.reads_prompts:
        return None
    if state.plan is not None and state.plan.complexity == "simple" and not state.plan.steps:
        return None
    return await evaluate_output(partial(ask_in_context, turn), text)


def _may_retry(turn: Turn, evaluation: QualityEvaluation) -> bool:
    state = turn.state
    return _may_go_on(turn) and should_continue(state.plan, state.iterations + 1, evaluation)


def _may_go_on(turn: Turn) -> bool:
    """One more pass, if limits allow. A model that said it cannot does not better for being asked again."""
    state = turn.state
    if state.rejected is not None or state.draft_refused or turn.interrupted is not None:
        return False
    if stop_reason(state, turn.profile.limits, turn.clock()) is not None:
        return False
    model = turn.model("decide")
    return turn.room(model, turn.prompt_tokens() + estimate_tokens(state.draft or ""))[1] is None


async def give_answer(
    turn: Turn, text: str, reason: e.EndReason, evidence: Evidence, evaluation: QualityEvaluation | None
) -> Sequence[e.Durable]:
    """The end of a turn that has an answer, in one commit. A limit that cut the work short is said in it."""
    if turn.has_messages:
        # What the person wrote meanwhile comes first.
        return await turn.commit()
    if reason not in ("answered", "unreadable", "guardrail") and not turn.state.draft_is_childs:
        text = f"{text}\n\n{limit_note(reason, turn.profile.limits)}"
    block, cut = turn.state.draft_block, turn.state.draft_cut is not None
    turn.record(e.AnswerEvaluated(**turn.stamp(), accepted=True, evidence=evidence, evaluation=evaluation, block=block))
    turn.record(e.AnswerGiven(**turn.stamp(), text=text, reason=reason, partial=cut, block=block))
    return await _complete(turn, 2)


async def _complete(turn: Turn, answering: int) -> Sequence[e.Durable]:
    """Ends the turn, unless a message came before that was stored: then the events that answer it are taken back."""
    turn.finish("completed")
    try:
        return await turn.commit()
    except MessagesWaiting:
        turn.take_back(answering + 1)
        turn.has_messages = True
        return await turn.commit()


async def cancel(turn: Turn) -> AsyncGenerator[e.AnyEvent, None]:
    """The end of a turn that was stopped."""
    for event in await abandon(turn):
        yield event


async def abandon(turn: Turn) -> Sequence[e.Durable]:
    """Closes what is open, keeps the partial answer as such, and ends the turn."""
    if turn.state.status == "running":
        turn.close_calls("cancelled", "Cancelled before it finished.")
        text = turn.state.draft or joined(turn.state.continued, "".join(turn.partial))
        if text.strip():
            turn.record(e.AnswerGiven(**turn.stamp(), text=text, reason="cancelled", partial=True))
        turn.finish("cancelled")
    return await turn.commit()


async def fail(turn: Turn, error: Exception) -> Sequence[e.Durable]:
    """The end of a turn that could not go on. What we raise ourselves is said; of anything else only a reference is.

    A draft that was sent back for more is better than nothing: where there is one, it is the answer after all.
    """
    if turn.state.status != "running":
        return await turn.commit()
    turn.close_calls("failed", "Not finished: the turn failed.")
    if turn.state.rejected is not None and isinstance(error, ModelError):
        text = turn.state.rejected
        return await give_answer(turn, text, "answered", await _trace_figures(turn, text), None)
    reference = None
    text = text_for_users(error) or type(error).__name__
    if not isinstance(error, GlassloopError):
        reference = uuid.uuid4().hex[:12]
        text = f"Internal error ({type(error).__name__}). The log has the details under {reference}."
        _log.error("turn %s failed, reference %s", turn.state.turn_id, reference, exc_info=error)
    turn.finish("failed", error=error, text=text, ref=reference)
    return await turn.commit()
