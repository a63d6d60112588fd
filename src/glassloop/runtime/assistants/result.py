"""Result of a turn for callers of an agent, and the errors where there is none: it failed, or it waits for people."""

from collections.abc import Sequence
from functools import cached_property
from typing import Generic, Self, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import ErrorType, GlassloopError
from glassloop.core.messages import Usage
from glassloop.core.records import ChildTurn, Evidence, Json, ReActStep
from glassloop.projections.response import is_unread, respond
from glassloop.runtime.assistants.output_type import OutputT, OutputType


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """A person's decision about one pending call."""

    call_id: str
    """Of the call that is decided: `ApprovalRequested.call.id`."""
    digest: str
    """Of the request: it says what was seen, and a decision about anything else is refused."""
    approved: bool
    """False: the call does not run, and the model is told `reason`."""
    by: str = "anonymous"
    """Who decided."""
    reason: str = ""
    """Why, in words for the model."""
    args: dict[str, Json] | None = None
    """Run the call with these arguments instead."""
    for_session: bool = False
    """Allow the tool for the rest of the session."""

    @classmethod
    def of(cls, request: e.ApprovalRequested, approved: bool, *, by: str = "anonymous", reason: str = "") -> Self:
        """The decision about a request, bound to what it shows."""
        return cls(call_id=request.call.id, digest=request.digest, approved=approved, by=by, reason=reason)


class Answer(msgspec.Struct, frozen=True):
    """A person's answer to one question of the assistant's: an option, or their own words."""

    call_id: str
    """Of the question: `QuestionAsked.call_id`."""
    text: str
    """What the person says."""
    by: str = "anonymous"
    """Who said it."""


class Result(msgspec.Struct, Generic[OutputT], frozen=True, kw_only=True, dict=True):
    """The answer of a turn, and what it took."""

    output: OutputT
    """The answer as the agent's `output_type`, or its text."""
    text: str
    """The answer as it was written."""
    turn_id: str
    """Its turn in the log."""
    session_id: str
    """Its conversation; give it to `run` to go on."""
    usage: Usage
    """Tokens of all model calls of the turn."""
    cost: float | None
    """In US dollars; None where no price is known."""
    stop_reason: e.EndReason
    """`answered`, unless a limit or the provider cut it short, or a guardrail stopped it."""
    evidence: Evidence
    """Every figure of the answer, and where it came from."""
    events: Sequence[e.Durable]
    """Its log."""

    @cached_property
    def steps(self) -> tuple[ReActStep, ...]:
        """Each thought with its calls and what they observed."""
        return respond(self.events).steps

    @property
    def children(self) -> tuple[ChildTurn, ...]:
        """What sub-agents did, in the order they were called; each has its own steps, with its own children."""
        return tuple([child for step in self.steps for child in step.children])

    @property
    def is_whole(self) -> bool:
        """Whether nothing cut it short."""
        return self.stop_reason == "answered"


class TurnFailed(GlassloopError):
    """A turn that ended without an answer, or without one of the type that was asked for. `kind` is one of five words
    for what failed, `events` the log of `turn_id`."""

    def __init__(self, message: str, *, turn_id: str, kind: ErrorType, events: Sequence[e.Durable]) -> None:
        super().__init__(message)
        self.turn_id = turn_id
        self.kind = kind
        self.events = events


class TurnPaused(GlassloopError):
    """A turn that waits for people, or was left by its worker: `turn_id`. `pending` are the calls to decide about,
    `questions` what the assistant asks, `events` its log, and `Agent.resume(paused.events, [Approval(…)],
    answers=[Answer(…)])` goes on with it."""

    def __init__(
        self,
        turn_id: str,
        pending: Sequence[e.ApprovalRequested],
        events: Sequence[e.Durable],
        questions: Sequence[e.QuestionAsked] = (),
    ) -> None:
        tools = ", ".join(request.call.tool for request in pending)
        last = events[-1]
        what = "is not finished: resume it"
        if tools:
            what = f"is waiting for approval of {tools}: resume it with an Approval"
        elif questions:
            what = f"asks {questions[0].question!r}: resume it with an Answer"
        elif isinstance(last, e.TurnWaiting) and last.reason == "dependencies":
            what = "is waiting for its dependencies: resume it with deps"
        super().__init__(f"Turn {turn_id!r} {what}.")
        self.turn_id = turn_id
        self.pending = pending
        self.questions = questions
        self.events = events


def result_of(
    events: Sequence[e.Durable],
    pending: Sequence[e.ApprovalRequested],
    output: OutputType[OutputT] | None,
    questions: Sequence[e.QuestionAsked] = (),
) -> Result[OutputT]:
    """The result that a turn's log tells of; raises `TurnFailed` or `TurnPaused` where it tells of none."""
    evidence, cached, session_id = Evidence(), 0, ""
    answer: e.AnswerGiven | None = None
    for event in events:
        match event:
            case e.TurnStarted():
                session_id = event.session_id
            case e.ModelResponded():
                cached += event.usage.cached_tokens
            case e.ChildRecorded():
                told = e.innermost(event)
                cached += told.usage.cached_tokens if isinstance(told, e.ModelResponded) else 0
            case e.AnswerEvaluated(accepted=True):
                evidence = event.evidence
            case e.AnswerGiven():
                answer = event
            case _:
                pass
    last, turn_id = events[-1], events[0].turn_id
    if not isinstance(last, e.TurnFinished):
        raise TurnPaused(turn_id, pending, events, questions)
    if answer is None or last.status != "completed" or is_unread(answer):
        why = respond(events).error or "The turn has no answer."
        raise TurnFailed(why, turn_id=turn_id, kind=last.error_type or "system_error", events=events)
    if answer.reason == "guardrail" and output is not None:
        raise TurnFailed(answer.text, turn_id=turn_id, kind="validation_error", events=events)
    try:
        value = answer.text if output is None else output.read(answer.text)
    except ValueError as error:
        message = f"The answer is no {output.name if output else 'text'}: {error}"
        raise TurnFailed(message, turn_id=turn_id, kind="validation_error", events=events) from None
    return Result(
        output=cast(OutputT, value),
        text=answer.text,
        turn_id=turn_id,
        session_id=session_id,
        usage=Usage(
            input_tokens=last.input_tokens, output_tokens=last.output_tokens, cached_tokens=cached, cost=last.cost
        ),
        cost=last.cost,
        stop_reason=answer.reason,
        evidence=evidence,
        events=events,
    )
