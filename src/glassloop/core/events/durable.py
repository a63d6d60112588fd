"""Events that are stored before anyone sees them."""

from typing import Literal

from glassloop.core.call_terms import GrantOffer
from glassloop.core.errors import ErrorType
from glassloop.core.events.base import Event
from glassloop.core.labels import ApprovalReason
from glassloop.core.messages import AssistantMessage, Effect, Message, Purpose, StopReason, Usage
from glassloop.core.records import (
    Attachment,
    Decision,
    Evidence,
    ExecutionPlan,
    Json,
    QualityEvaluation,
    RouteDecision,
    Tier,
    ToolCall,
    ToolResult,
)

ProtocolName = Literal["native", "json", "text"]
WrittenProtocol = Literal["json", "text"]
Ending = Literal["completed", "failed", "cancelled"]
EndReason = Literal[
    "answered",
    "iterations",
    "tool_calls",
    "tokens",
    "cost",
    "seconds",
    "estimate",
    "length",
    "filtered",
    "unreadable",
    "cancelled",
    "guardrail",
]
"""Why an answer is what it is. `length` and `filtered`: the model's reply was cut at its longest, or by the provider's
filter. `guardrail`: one stopped the question or the answer, and this says why."""
NOTHING_READ = "The model's reply could not be read."
"""The answer of a turn that ended as `unreadable` without a word that could be shown."""
PauseReason = Literal["approval", "outcome_unknown", "dependencies", "question"]
"""What a turn waits for: a decision, what became of a call, a process that has the dependencies of its tools, or an
answer of the person's."""
ApprovalScope = Literal["call", "session", "granted"]
GuardrailStage = Literal["input", "message", "call", "result", "output"]
"""What a guardrail looked at; `message`: a further message to the turn, seen by those for `input`."""
GuardrailAction = Literal["stop", "rewrite"]


class TurnStarted(Event, frozen=True, kw_only=True, tag="turn_started"):
    """A question was taken, with the settings that matter for its answer and the images and files given with it."""

    question: str
    user: str
    session_id: str
    assistant: str
    model: str
    protocol: ProtocolName
    settings: dict[str, Json] = {}
    forked_from: str | None = None
    parent_turn_id: str | None = None
    """Of a child turn: the turn whose call it answers. Its events stand in that turn's log, as `child_recorded`."""
    attachments: tuple[Attachment, ...] = ()
    previous_turn_id: str | None = None
    """The turn of its session that it follows; empty where it begins the conversation, None where it follows the one
    that started before it. Turns that follow the same one are versions of each other."""


class TurnClaimed(Event, frozen=True, kw_only=True, tag="turn_claimed"):
    """A worker took the turn over; writes of an older epoch are refused from here on."""

    worker: str
    epoch: int


class HistoryLoaded(Event, frozen=True, kw_only=True, tag="history_loaded"):
    """What the model is told of the conversation so far, older turns as a summary."""

    messages: tuple[Message, ...]


class CommandRead(Event, frozen=True, kw_only=True, tag="command_read"):
    """The question was a `/command`: no model decides, this does."""

    name: str
    decision: Decision


class RouteDecided(Event, frozen=True, kw_only=True, tag="route_decided"):
    """The question was given to a domain; `farewell` answers what is none of our business, without the loop.

    `recommended`: the tools of its domains, as the model is told of them."""

    route: RouteDecision
    farewell: str | None = None
    recommended: tuple[str, ...] = ()


class ToolsShortlisted(Event, frozen=True, kw_only=True, tag="tools_shortlisted"):
    """Of many tools, these are offered."""

    tools: tuple[str, ...]
    of: int


class PlanMade(Event, frozen=True, kw_only=True, tag="plan_made"):
    """The query was classified or, by a call of the model's own, planned; `done` are the steps it calls done."""

    plan: ExecutionPlan
    done: tuple[int, ...] = ()


class PlanAdjusted(Event, frozen=True, kw_only=True, tag="plan_adjusted"):
    """The plan changed: a sub-task failed, or the model wrote it anew. Without a reason only `done` changed."""

    plan: ExecutionPlan
    reason: str
    done: tuple[int, ...] = ()


class ModelResponded(Event, frozen=True, kw_only=True, tag="model_responded"):
    """A model's complete reply, and for the loop's own calls what it was read as."""

    purpose: Purpose
    step: int
    model: str
    tier: Tier
    message: AssistantMessage
    decision: Decision | None = None
    usage: Usage = Usage()
    stop: StopReason = "end_turn"
    latency_ms: float = 0.0
    attempts: int = 1
    block: int = 0
    stop_detail: str = ""
    """The provider's own word where `stop` is `other`."""


class ThoughtRecorded(Event, frozen=True, kw_only=True, tag="thought_recorded"):
    """Why the step does what it does; `implied` when the model gave no reason of its own."""

    step: int
    text: str
    implied: bool = False


class ToolCalled(Event, frozen=True, kw_only=True, tag="tool_called"):
    """A call is about to start, with its arguments as they will be used. For effects, the intent."""

    step: int
    call: ToolCall
    effect: Effect


class ApprovalRequested(Event, frozen=True, kw_only=True, tag="approval_requested"):
    """A person must decide. `digest` binds the decision to tool, arguments, preview and doubt as shown here.

    `doubt`: why it is unknown whether the call took effect, where that is the reason; `preview` is then what had been
    approved, null where nobody was asked. `why` says why a person is asked at all."""

    step: int
    call: ToolCall
    preview: Json
    digest: str
    reason: PauseReason = "approval"
    doubt: str = ""
    why: ApprovalReason | None = None
    allow: GrantOffer | None = None
    """What may be allowed for the session together with this call, where that is a folder or the words of a command."""


class ApprovalDecided(Event, frozen=True, kw_only=True, tag="approval_decided"):
    """A person decided. `args` when they edited the arguments; `scope` `session` when they allowed the tool for the
    rest of the session, `granted` when they had done so before and were not asked."""

    call_id: str
    approved: bool
    digest: str
    by: str
    reason: str = ""
    args: dict[str, Json] | None = None
    scope: ApprovalScope = "call"
    allowed: str = ""
    """What was allowed for the session: a folder, or the first words of a command; empty is the tool."""


class QuestionAsked(Event, frozen=True, kw_only=True, tag="question_asked"):
    """The model asked the person something, by a call of `ask_user`. `options` are suggestions; any answer will do."""

    step: int
    call_id: str
    question: str
    options: tuple[str, ...] = ()


class QuestionAnswered(Event, frozen=True, kw_only=True, tag="question_answered"):
    """The person answered, in their own words or with one of the options."""

    call_id: str
    text: str
    by: str


class MessageReceived(Event, frozen=True, kw_only=True, tag="message_received"):
    """A further message of the person's was taken into the turn: what the model is told next. `number` counts those
    sent to the turn from 1, so that none is taken in twice; 0 where it was sent to the turn that this is a fork of."""

    step: int
    number: int
    text: str
    by: str


class ToolReturned(Event, frozen=True, kw_only=True, tag="tool_returned"):
    """The observation of a call, whole."""

    step: int
    call_id: str
    result: ToolResult


class GuardrailTriggered(Event, frozen=True, kw_only=True, tag="guardrail_triggered"):
    """A guardrail stopped or rewrote a question, a message, a call, a result or an answer. What it took out is kept
    nowhere.

    `value` is what stands in its place: the arguments of the call `call_id`, or the text of an answer; the
    others stand in their own events. `failed`: the guardrail raised or took too long."""

    stage: GuardrailStage
    name: str
    action: GuardrailAction
    reason: str
    call_id: str = ""
    value: Json = None
    failed: bool = False


class ContextCompacted(Event, frozen=True, kw_only=True, tag="context_compacted"):
    """The first `left_out` messages of the transcript left the context for `summary`, or, where that is 0, the results
    among the first `cleared` messages were cleared; the log still has all of them. `sourced` are the figures of the
    summary that stand in what it summarizes, with a source."""

    left_out: int
    summary: str
    tokens_before: int
    tokens_after: int
    cleared: int = 0
    sourced: tuple[str, ...] = ()


class AnswerContinued(Event, frozen=True, kw_only=True, tag="answer_continued"):
    """An answer that was cut short is gone on with: `text` is what is kept of it, and the answer begins with it."""

    text: str


class AnswerEvaluated(Event, frozen=True, kw_only=True, tag="answer_evaluated"):
    """A draft answer was checked: against what the model saw always, by reflection where that is on. `problem`: it does
    not have the form that was asked for, and the model is told so."""

    accepted: bool
    evidence: Evidence
    evaluation: QualityEvaluation | None = None
    block: int = 0
    problem: str = ""


class AnswerGiven(Event, frozen=True, kw_only=True, tag="answer_given"):
    """The answer, confirming its draft block. `partial` when the turn or the model's reply was cut short while it was
    being written."""

    text: str
    reason: EndReason = "answered"
    partial: bool = False
    block: int = 0


class TurnWaiting(Event, frozen=True, kw_only=True, tag="turn_paused"):
    """The turn waits for people and holds nothing while it does."""

    reason: PauseReason
    call_ids: tuple[str, ...]


class TurnResumed(Event, frozen=True, kw_only=True, tag="turn_resumed"):
    """The turn runs on."""

    worker: str = ""


class TurnFinished(Event, frozen=True, kw_only=True, tag="turn_finished"):
    """The end, exactly once. `cost` is what is known; `unpriced_calls` says how many calls it leaves out."""

    status: Ending
    iterations: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    unpriced_calls: int
    seconds: float
    error: str | None = None
    error_type: ErrorType | None = None
    reference: str | None = None
    messages: int = 0
    """How many messages it took in after its question."""
    attempts: tuple[str, ...] = ()
    """Of a model call that was given up: why each attempt before the last failed; `error` is the last one's."""
