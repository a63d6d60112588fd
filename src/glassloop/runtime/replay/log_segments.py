"""Segments of a log: an input from outside, and what the loop made of it until the next one.

Finds in each segment where it was interrupted, where it failed and whether its worker was lost. A result's `cause` says
which of them it was.
"""

from collections.abc import Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ErrorType, GlassloopError, ModelRejected, StoreError, ToolError, UsageError
from glassloop.core.loop.fold import fold
from glassloop.core.loop.policy import digest_of
from glassloop.core.loop.state import TurnState
from glassloop.runtime.replay.event_diff import is_redacted

INPUTS = (e.TurnStarted, e.TurnClaimed, e.TurnResumed, e.ApprovalDecided, e.QuestionAnswered)

TAKEN_OVER = "taken_over"
"""The setting of a fork that says how many of its first events are another turn's."""

CLAIMS_GIVEN_UP = 3
"""After so many claims without progress it is the worker who ends the turn, not the loop."""

_ERRORS: dict[ErrorType, type[GlassloopError]] = {
    "llm_error": ModelRejected,
    "tool_error": ToolError,
    "db_error": StoreError,
    "validation_error": UsageError,
    "system_error": GlassloopError,
}


class SegmentStop(msgspec.Struct, frozen=True):
    """Before the output at `index` the turn was interrupted; `partial` is the answer it had begun to write."""

    index: int
    reason: e.EndReason
    partial: str = ""


class SegmentFailure(msgspec.Struct, frozen=True):
    """Before the output at `index` this was raised."""

    index: int
    error: GlassloopError


class LogSegment(msgspec.Struct, frozen=True, kw_only=True):
    """`lost`: the log breaks off after the outputs, or somebody else went on."""

    inputs: Sequence[e.Durable]
    outputs: Sequence[e.Durable]
    lost: bool
    stop: SegmentStop | None
    failure: SegmentFailure | None

    @property
    def given_up(self) -> bool:
        """The worker ended the turn without running it."""
        claims = sum(isinstance(event, e.TurnClaimed) for event in self.inputs)
        return self.failure is not None and self.failure.index == 0 and claims >= CLAIMS_GIVEN_UP


def check_log(events: Sequence[e.Durable]) -> tuple[e.TurnStarted, TurnState]:
    """The first event and the last state of a log that can be followed; raises `UsageError` for any other."""
    if not events or not isinstance(events[0], e.TurnStarted):
        raise UsageError("The log does not begin with 'turn_started': it is not a turn.")
    started = events[0]
    try:
        return started, fold(events)
    except LookupError as error:
        raise UsageError(f"The log of turn {started.turn_id!r} is damaged: nobody asked for call {error}.") from None


def cut(events: Sequence[e.Durable]) -> list[LogSegment]:
    """The segments of a log, in order."""
    segments: list[LogSegment] = []
    begin, place = 0, _taken_over(events)
    while place < len(events):
        first = place
        while first < len(events) and is_input(events[first]):
            first += 1
        place = first
        while place < len(events) and not is_input(events[place]):
            place += 1
        segments.append(_segment(events[begin:first], events[first:place]))
        begin = place
    return segments


def with_digests(events: Sequence[e.Durable]) -> Sequence[e.Durable]:
    """Calls that ran although their stored arguments are redacted were approved as they were: their requests are made
    to fit what is left of them. Those about a run in doubt are only ever compared with the decision."""
    ran = {event.call.id for event in events if isinstance(event, e.ToolCalled)}
    return [
        msgspec.structs.replace(event, digest=digest_of(event.call, event.preview))
        if isinstance(event, e.ApprovalRequested) and event.call.id in ran and not event.doubt and is_redacted(event)
        else event
        for event in events
    ]


def unlogged(event: e.Durable | None) -> str | None:
    """Why the intent of an effect could not be stored, where this is the result of that."""
    if not isinstance(event, e.ToolReturned) or event.result.cause != "unlogged":
        return None
    return str(event.result.metadata.get("reason", ""))


def is_input(event: e.Durable) -> bool:
    """Whether it came from outside. What guardrails made of the question was decided before the turn began; what people
    said about calls of child turns came from outside too."""
    if isinstance(event, e.ChildRecorded):
        told = e.innermost(event)
        return isinstance(told, e.QuestionAnswered) or (isinstance(told, e.ApprovalDecided) and told.scope != "granted")
    return isinstance(event, INPUTS) or (isinstance(event, e.GuardrailTriggered) and event.stage == "input")


def _taken_over(events: Sequence[e.Durable]) -> int:
    started = events[0]
    count = started.settings.get(TAKEN_OVER) if isinstance(started, e.TurnStarted) and started.forked_from else None
    return min(count, len(events)) if isinstance(count, int) and count > 0 else 0


def _segment(inputs: Sequence[e.Durable], outputs: Sequence[e.Durable]) -> LogSegment:
    ended = bool(outputs) and isinstance(outputs[-1], e.TurnWaiting | e.TurnFinished)
    return LogSegment(inputs=inputs, outputs=outputs, lost=not ended, stop=_stop(outputs), failure=_failure(outputs))


def _stop(outputs: Sequence[e.Durable]) -> SegmentStop | None:
    for index, event in enumerate(outputs):
        match event:
            case e.ToolReturned() if event.result.cause in ("stopped", "cancelled"):
                reason = "cancelled" if event.result.cause == "cancelled" else "seconds"
                return SegmentStop(index, reason, _partial(outputs[index:]))
            case e.AnswerGiven(reason="seconds"):
                checked = index > 0 and isinstance(outputs[index - 1], e.AnswerEvaluated)
                return SegmentStop(index - checked, "seconds")
            case e.AnswerGiven(reason="cancelled") | e.TurnFinished(status="cancelled"):
                return SegmentStop(index, "cancelled", _partial(outputs[index:]))
            case _:
                pass
    return None


def _partial(outputs: Sequence[e.Durable]) -> str:
    return next((event.text for event in outputs if isinstance(event, e.AnswerGiven)), "")


def _failure(outputs: Sequence[e.Durable]) -> SegmentFailure | None:
    last = outputs[-1] if outputs else None
    if not isinstance(last, e.TurnFinished) or last.status != "failed":
        return None
    index = len(outputs) - 1
    while index > 0 and _is_failed(outputs[index - 1]):
        index -= 1
    return SegmentFailure(index, _ERRORS[last.error_type or "system_error"](last.error or ""))


def _is_failed(event: e.Durable) -> bool:
    """Whether this stands for an observation that was not made because the turn failed."""
    return isinstance(event, e.ToolReturned) and event.result.cause == "failed"
