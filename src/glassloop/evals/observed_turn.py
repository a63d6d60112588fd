"""Observed turn: the parts of a turn that are scored. A fold of its events; pure."""

from collections.abc import Iterable

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ErrorType
from glassloop.core.records import Evidence, Json


class ObservedCall(msgspec.Struct, frozen=True):
    """A call the model decided on, with the arguments it ran with where it ran."""

    tool: str
    args: dict[str, Json]


class ObservedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """`decisions` are the replies that had to be read, `readable` those that could be. `declined`: the model said that
    it does not answer."""

    question: str = ""
    destination: str = ""
    calls: tuple[ObservedCall, ...] = ()
    answer: str = ""
    evidence: Evidence | None = None
    decisions: int = 0
    readable: int = 0
    declined: bool = False
    status: str = "unfinished"
    error: str | None = None
    error_type: ErrorType | None = None
    steps: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    seconds: float = 0.0
    cost: float | None = None


def observe_turn(events: Iterable[e.Event]) -> ObservedTurn:
    """The turn these events tell of; kinds it does not need are skipped."""
    calls: dict[str, ObservedCall] = {}
    found: dict[str, object] = {}
    decisions = readable = cached = 0
    for event in events:
        match event:
            case e.TurnStarted():
                found["question"] = event.question
            case e.RouteDecided():
                found["destination"] = event.route.destination
            case e.CommandRead():
                calls |= {call.id: ObservedCall(call.tool, call.args) for call in event.decision.calls}
            case e.ModelResponded():
                cached += event.usage.cached_tokens
                if event.decision is None:
                    continue
                decisions += 1
                found["declined"] = event.stop == "refusal"
                readable += (
                    event.decision.complaint is None or event.decision.refused is not None
                ) and not event.decision.unreadable
                calls |= {call.id: ObservedCall(call.tool, call.args) for call in event.decision.calls}
            case e.ToolCalled():
                calls[event.call.id] = ObservedCall(event.call.tool, event.call.args)
            case e.AnswerEvaluated():
                found["evidence"] = event.evidence
            case e.AnswerGiven():
                found["answer"] = event.text
            case e.TurnFinished():
                found |= {"status": event.status, "error": event.error, "error_type": event.error_type}
                found |= {"steps": event.iterations, "seconds": event.seconds, "cost": event.cost}
                found |= {"input_tokens": event.input_tokens, "output_tokens": event.output_tokens}
            case _:
                continue
    return msgspec.structs.replace(
        ObservedTurn(calls=tuple(calls.values()), decisions=decisions, readable=readable, cached_tokens=cached), **found
    )
