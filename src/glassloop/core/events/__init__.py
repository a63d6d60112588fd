"""Everything that can happen in a turn: past-tense facts with permanent names.

Durable events are appended to the log before anyone sees them and carry consecutive `seq` numbers from 1.
Transient ones are never stored; their `seq` is that of the durable event before them, and those that carry text
belong to a block (`block`, `offset`), so that a client can drop a block that was taken back.
Change here is additive only: the JSON schema is snapshot-tested.
"""

import msgspec

from glassloop.core.events.base import (
    Event,
    Stamp,
    Totals,
)
from glassloop.core.events.durable import (
    NOTHING_READ,
    AnswerContinued,
    AnswerEvaluated,
    AnswerGiven,
    ApprovalDecided,
    ApprovalRequested,
    ApprovalScope,
    CommandRead,
    ContextCompacted,
    Ending,
    EndReason,
    GuardrailAction,
    GuardrailStage,
    GuardrailTriggered,
    HistoryLoaded,
    MessageReceived,
    ModelResponded,
    PauseReason,
    PlanAdjusted,
    PlanMade,
    ProtocolName,
    QuestionAnswered,
    QuestionAsked,
    RouteDecided,
    ThoughtRecorded,
    ToolCalled,
    ToolReturned,
    ToolsShortlisted,
    TurnClaimed,
    TurnFinished,
    TurnResumed,
    TurnStarted,
    TurnWaiting,
    WrittenProtocol,
)
from glassloop.core.events.transient import (
    ArgumentsDelta,
    LogDelayed,
    ModelRetried,
    PromptProgressed,
    QueueProgressed,
    TextDelta,
    ThoughtDelta,
    ToolProgressed,
)

__all__ = [
    "AnswerContinued",
    "AnswerEvaluated",
    "AnswerGiven",
    "AnyEvent",
    "ApprovalDecided",
    "ApprovalRequested",
    "ApprovalScope",
    "ArgumentsDelta",
    "ChildRecorded",
    "ChildStreamed",
    "CommandRead",
    "ContextCompacted",
    "Durable",
    "EndReason",
    "Ending",
    "Event",
    "GuardrailAction",
    "GuardrailStage",
    "GuardrailTriggered",
    "HistoryLoaded",
    "LogDelayed",
    "MessageReceived",
    "ModelResponded",
    "ModelRetried",
    "NOTHING_READ",
    "PauseReason",
    "PlanAdjusted",
    "PlanMade",
    "PromptProgressed",
    "ProtocolName",
    "WrittenProtocol",
    "QuestionAnswered",
    "QuestionAsked",
    "QueueProgressed",
    "RouteDecided",
    "Stamp",
    "TRANSIENT",
    "TextDelta",
    "ThoughtDelta",
    "ThoughtRecorded",
    "ToolCalled",
    "ToolProgressed",
    "ToolReturned",
    "ToolsShortlisted",
    "Totals",
    "Transient",
    "TurnClaimed",
    "TurnFinished",
    "TurnResumed",
    "TurnStarted",
    "TurnWaiting",
    "decode",
    "encode",
    "innermost",
]


# These two hold events of any kind, so they stand where the kinds are put together.
class ChildRecorded(Event, frozen=True, kw_only=True, tag="child_recorded"):
    """A durable event of the child turn that answers the call: a sub-agent at work. Stored in its parent's log."""

    call_id: str
    event: "Durable"


class ChildStreamed(Event, frozen=True, kw_only=True, tag="child_streamed"):
    """A transient event of the child turn that answers the call."""

    call_id: str
    event: "Transient"


Durable = (
    TurnStarted
    | TurnClaimed
    | HistoryLoaded
    | CommandRead
    | RouteDecided
    | ToolsShortlisted
    | PlanMade
    | PlanAdjusted
    | ModelResponded
    | ThoughtRecorded
    | ToolCalled
    | ApprovalRequested
    | ApprovalDecided
    | QuestionAsked
    | QuestionAnswered
    | MessageReceived
    | ToolReturned
    | GuardrailTriggered
    | ContextCompacted
    | AnswerContinued
    | AnswerEvaluated
    | AnswerGiven
    | TurnWaiting
    | TurnResumed
    | TurnFinished
    | ChildRecorded
)
Transient = (
    TextDelta
    | ThoughtDelta
    | ArgumentsDelta
    | ModelRetried
    | ToolProgressed
    | LogDelayed
    | QueueProgressed
    | PromptProgressed
    | ChildStreamed
)
AnyEvent = Durable | Transient

TRANSIENT: frozenset[type[Event]] = frozenset(Transient.__args__)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyEvent)


def innermost(event: AnyEvent) -> AnyEvent:
    """The event itself, or what is told of a child turn by it, however deep."""
    while isinstance(event, ChildRecorded | ChildStreamed):
        event = event.event
    return event


def encode(event: Event) -> bytes:
    """One line of JSON, without the newline."""
    return _encoder.encode(event)


def decode(line: bytes | str) -> AnyEvent:
    """The inverse of `encode`; raises `msgspec.ValidationError` for anything else."""
    return _decoder.decode(line)
