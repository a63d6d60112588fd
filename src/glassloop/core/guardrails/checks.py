"""Guardrails in the loop: what becomes of a question, a call, a result or an answer that one of them stops or rewrites.

Each decision is recorded once, together with what it is about: a turn that goes on later keeps it. What was stopped or
rewritten is recorded as it may pass, never as it was.
"""

from collections.abc import Coroutine, Sequence
from typing import Any, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.guardrails.port import GuardrailOutcome, Guardrails, Ruling
from glassloop.core.loop.observations import CallState
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import AssistantMessage, Purpose, Reply
from glassloop.core.records import Decision, Json, ToolCall, ToolResult

STOPPED_QUESTION = "[stopped by a guardrail]"
"""Stands in the log for a question that was stopped."""
WITHHELD = "[withheld by a guardrail]"
"""Stands in the log for an answer that was stopped."""


class CallStopped(Exception):
    """A guardrail does not let a call run; the message is for the model."""


async def admit_question(guardrails: Guardrails, events: Sequence[e.Durable], deps: Any) -> Sequence[e.Durable]:
    """The first events of a turn, with the question as it may pass. Called before any of them is stored."""
    started, *rest = events
    if not isinstance(started, e.TurnStarted):
        return events
    outcome = await guardrails.check("input", started.question, deps=deps)
    if not outcome.rulings:
        return events
    question = STOPPED_QUESTION if outcome.stopped else str(outcome.value)
    first: list[e.Durable] = [msgspec.structs.replace(started, question=question)]
    for ruling in outcome.rulings:
        stamp: e.Stamp = {"turn_id": started.turn_id, "seq": started.seq + len(first), "at": started.at}
        first.append(_event(stamp, "input", ruling))
    moved = (msgspec.structs.replace(event, seq=event.seq + len(outcome.rulings)) for event in rest)
    return [*first, *moved]


async def admit_turn(turn: Turn, guardrails: Guardrails) -> Exception | None:
    """The same for a turn that begins here, or why it cannot. Not interrupted: what was not looked at yet is not
    recorded."""
    started, factory = turn.state.started, turn.ports.deps_factory
    if started is None:
        return None
    try:
        if turn.needs_deps and factory is not None:
            made = factory(started)
            turn.deps = await cast("Coroutine[Any, Any, Any]", made) if isinstance(made, Coroutine) else made
            turn.needs_deps = False
    except Exception as error:
        turn.begin_with((msgspec.structs.replace(started, question=STOPPED_QUESTION),))
        return error
    turn.begin_with(await admit_question(guardrails, (started,), turn.deps))
    guardrails.begin(turn.state.started or started)
    return None


async def check_message(turn: Turn, guardrails: Guardrails, text: str) -> tuple[str, tuple[Ruling, ...]]:
    """A further message to the turn as it may pass. One that is stopped does not end the turn."""
    if "message" not in guardrails.stages:
        return text, ()
    outcome = await guardrails.check("message", text, deps=turn.deps)
    return STOPPED_QUESTION if outcome.stopped else str(outcome.value), outcome.rulings


def record_message_rulings(turn: Turn, rulings: Sequence[Ruling]) -> None:
    """After the message that they are about."""
    _record(turn, "message", rulings)


async def check_call(turn: Turn, guardrails: Guardrails, entry: CallState, call: ToolCall) -> ToolCall:
    """The call as it may run; raises `CallStopped` where it may not. What was decided about these arguments before
    still counts."""
    known = entry.guarded
    if known is not None and (known.action == "stop" or known.value == call.args):
        if known.action == "stop":
            raise CallStopped(_refusal(known.name, known.reason))
        return call
    if "call" not in guardrails.stages or call.tool in turn.own_tools:
        return call
    outcome = await turn.guarded(guardrails.check("call", call, deps=turn.deps, call=call))
    if not outcome.rulings:
        return call
    checked = _fitting(turn, outcome)
    passed = cast("ToolCall", checked.value)
    _record(turn, "call", checked.rulings, call.id, None if checked.stopped else passed.args)
    if checked.stopped is not None:
        raise CallStopped(_refusal(checked.stopped.name, checked.stopped.reason))
    return passed


async def check_result(turn: Turn, guardrails: Guardrails, call: ToolCall, result: ToolResult) -> ToolResult:
    """The result as the model and the log may have it; its rulings are recorded with it."""
    if "result" not in guardrails.stages or result.cause != "ran":
        return result
    outcome = await guardrails.check("result", result, deps=turn.deps, call=call)
    if outcome.rulings:
        guardrails.pending[call.id] = outcome.rulings
    return outcome.value


def record_result_rulings(turn: Turn, guardrails: Guardrails, call_id: str) -> None:
    """After the result that they are about."""
    _record(turn, "result", guardrails.pending.pop(call_id, ()), call_id)


async def check_reply(
    turn: Turn, guardrails: Guardrails, reply: Reply, decision: Decision, purpose: Purpose
) -> tuple[Reply, Decision, GuardrailOutcome]:
    """A reply that answers, and what it comes down to, as they may be recorded.

    An answer that is stopped is sent back once with the reason; the next one that is stopped ends the turn. The
    model's thoughts about such an answer go with it.
    """
    answer = None if decision.calls else decision.answer
    outcome = await turn.guarded(guardrails.check("output", answer, deps=turn.deps))
    stopped = outcome.stopped
    if not outcome.rulings:
        return reply, decision, outcome
    text = WITHHELD
    if stopped is None:
        text = str(outcome.value)
        decision = Decision(answer=text, unreadable=decision.unreadable)
    elif purpose == "decide" and not turn.state.answer_withheld:
        why = f"Your answer was withheld by the guardrail {stopped.name!r}: {stopped.reason}"
        decision = Decision(complaint=f"{why} Answer again such that this no longer applies.", withheld=True)
    else:
        decision = Decision(answer=_notice(stopped), withheld=True)
    return msgspec.structs.replace(reply, message=AssistantMessage(text=text)), decision, outcome


def record_reply_rulings(turn: Turn, outcome: GuardrailOutcome) -> None:
    """After the reply that they are about."""
    _record(turn, "output", outcome.rulings, value=None if outcome.stopped else outcome.value)


async def check_text(turn: Turn, text: str) -> tuple[str, bool]:
    """An answer that no model wrote as it may be given, and whether it was stopped."""
    guardrails = turn.ports.guardrails
    if guardrails is None or "output" not in guardrails.stages:
        return text, False
    outcome = await turn.guarded(guardrails.check("output", text, deps=turn.deps))
    record_reply_rulings(turn, outcome)
    return (_notice(outcome.stopped), True) if outcome.stopped else (str(outcome.value), False)


def _fitting(turn: Turn, outcome: GuardrailOutcome) -> GuardrailOutcome:
    """Rewritten arguments must fit the tool, like any others."""
    problem = None if outcome.stopped else turn.ports.tools.check(outcome.value)
    if problem is None:
        return outcome
    *before, last = outcome.rulings
    reason = f"The arguments that the guardrail {last.name!r} gives do not fit: {problem}"
    return GuardrailOutcome(
        value=outcome.value, rulings=(*before, Ruling(name=last.name, action="stop", reason=reason, failed=True))
    )


def _record(
    turn: Turn, stage: e.GuardrailStage, rulings: Sequence[Ruling], call_id: str = "", value: Json = None
) -> None:
    """All of them at once: the value of the last one is what stands, those before it may hold what it took out."""
    for place, ruling in enumerate(rulings, 1):
        turn.record(_event(turn.stamp(), stage, ruling, call_id, value if place == len(rulings) else None))


def _event(
    stamp: e.Stamp, stage: e.GuardrailStage, ruling: Ruling, call_id: str = "", value: Json = None
) -> e.GuardrailTriggered:
    return e.GuardrailTriggered(
        **stamp,
        stage=stage,
        name=ruling.name,
        action=ruling.action,
        reason=ruling.reason,
        call_id=call_id,
        value=value,
        failed=ruling.failed,
    )


def _refusal(name: str, reason: str) -> str:
    return f"Stopped by the guardrail {name!r}: {reason}"


def _notice(stopped: Ruling) -> str:
    """What a person is told in place of an answer."""
    return f"The answer was withheld: {stopped.reason}"
