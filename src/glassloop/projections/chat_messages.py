"""A turn as two messages of a conversation: the user's, and the assistant's with its tool calls. A fold of the stream.

Nothing of it is stored: after an export and an import, or in another store, the same events give the same messages.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Literal, cast

from glassloop.core import events as e
from glassloop.core.loop.user_question import ASK_USER
from glassloop.core.planning.planner import UPDATE_PLAN
from glassloop.core.records import Evidence, Json, Record, ToolCall, ToolResult
from glassloop.projections.pending_approvals import pending, unanswered
from glassloop.projections.response import is_unread, why_ended

ChatRole = Literal["user", "assistant"]
MAX_REASON_CHARS = 2_000

_STOP_REASONS: dict[e.EndReason, str] = {
    "answered": "end_turn",
    "unreadable": "end_turn",
    "iterations": "max_iterations",
    "estimate": "max_iterations",
    "tool_calls": "max_tool_calls",
    "tokens": "max_tokens",
    "length": "max_tokens",
    "cost": "max_cost",
    "seconds": "timeout",
    "filtered": "content_filter",
    "guardrail": "guardrail",
    "cancelled": "cancelled",
}
AWAITING_APPROVAL = "awaiting_approval"


class ToolUse(Record, frozen=True, kw_only=True, tag="tool_use", tag_field="type"):
    """The model asked for a tool, with its input as it was used."""

    id: str
    name: str
    input: dict[str, Json]


class ToolUseResult(Record, frozen=True, kw_only=True, tag="tool_result", tag_field="type"):
    """The tool's data, whole, or a short reason why there is none."""

    tool_use_id: str
    content: Json
    is_error: bool


ToolInteraction = ToolUse | ToolUseResult


class MessageMetadata(Record, frozen=True, kw_only=True):
    """How an answer came about. `stop_reason` is why the turn ended: one of ours or, where the provider stopped for a
    reason nobody knows, the provider's own word. `sample`: whether any of its data is made up."""

    tool_interactions: tuple[ToolInteraction, ...]
    iteration_count: int
    stop_reason: str
    turn_id: str
    evidence: Evidence
    sample: bool


class ChatMessage(Record, frozen=True, kw_only=True):
    """A message of a conversation. Only what an assistant said in a turn has `metadata`."""

    id: str
    conversation_id: str
    role: ChatRole
    content: str
    created_at: str
    metadata: MessageMetadata | None = None


class ChatTurn:
    """Feed it the events of a turn in order."""

    def __init__(self) -> None:
        self._started: e.TurnStarted | None = None
        self._end: e.TurnFinished | e.TurnWaiting | None = None
        self._calls: dict[str, ToolCall] = {}
        self._order: dict[str, int] = {}
        self._interactions: list[ToolInteraction] = []
        self._waits: list[e.AnyEvent] = []
        self._answer: e.AnswerGiven | None = None
        self._evidence = Evidence()
        self._iterations = 0
        self._unknown_stop = ""
        self._sample = False

    def advance(self, event: e.AnyEvent) -> Sequence[ToolInteraction]:
        """The tool calls and results that this event adds."""
        before = len(self._interactions)
        match event:
            case e.TurnStarted():
                self._started = event
            case e.ModelResponded() if event.decision is not None:
                self._iterations = event.step if event.purpose == "decide" else self._iterations
                self._unknown_stop = event.stop_detail if event.stop == "other" else ""
                self._plan_calls(event.decision.calls)
            case e.CommandRead():
                self._plan_calls(event.decision.calls)
            case e.ToolCalled():
                self._use(event.call)
            case e.QuestionAsked():
                options = {"options": list(event.options)} if event.options else {}
                self._use(ToolCall(id=event.call_id, tool=ASK_USER, args={"question": event.question, **options}))
            case e.ToolReturned() if event.result.cause != "planned":
                self._observe(event.call_id, event.result)
            case e.AnswerEvaluated() if event.accepted:
                self._evidence = event.evidence
            case e.AnswerGiven():
                self._answer = event
            case e.TurnFinished() | e.TurnWaiting():
                self._end = event
            case e.TurnResumed():
                self._end = None
            case _:
                pass
        told = e.innermost(event)
        decided = e.ApprovalDecided | e.QuestionAnswered | e.ToolReturned
        if isinstance(told, e.ApprovalRequested | e.QuestionAsked | decided):
            self._waits.append(event)
        return self._interactions[before:]

    def user_message(self) -> ChatMessage:
        """What was asked; only once the turn has started."""
        started = self._begun
        return ChatMessage(
            id=message_id(started.turn_id, "user"),
            conversation_id=started.session_id,
            role="user",
            content=started.question,
            created_at=_iso(started.at),
        )

    def assistant_message(self) -> ChatMessage | None:
        """What became of it; None while the turn runs."""
        started, end = self._begun, self._end
        if end is None:
            return None
        iterations = end.iterations if isinstance(end, e.TurnFinished) else self._iterations
        return ChatMessage(
            id=message_id(started.turn_id, "assistant"),
            conversation_id=started.session_id,
            role="assistant",
            content=self._content(end),
            created_at=_iso(end.at),
            metadata=MessageMetadata(
                tool_interactions=self._in_order(),
                iteration_count=iterations,
                stop_reason=self._stop_reason(end),
                turn_id=started.turn_id,
                evidence=self._evidence,
                sample=self._sample,
            ),
        )

    @property
    def is_answered(self) -> bool:
        """Whether the turn is over and has an answer."""
        completed = isinstance(self._end, e.TurnFinished) and self._end.status == "completed"
        return completed and self._answer is not None and not is_unread(self._answer)

    @property
    def _begun(self) -> e.TurnStarted:
        if self._started is None:
            raise LookupError("a turn that has not begun has no messages")
        return self._started

    def _plan_calls(self, calls: Iterable[ToolCall]) -> None:
        """A plan that the model writes is no use of a tool: it is told as the plan."""
        for call in calls:
            self._order.setdefault(call.id, len(self._order))
            if call.tool != UPDATE_PLAN:
                self._calls[call.id] = call

    def _use(self, call: ToolCall) -> None:
        self._order.setdefault(call.id, len(self._order))
        self._calls.pop(call.id, None)
        self._interactions.append(ToolUse(id=call.id, name=call.tool, input=dict(call.args)))

    def _observe(self, call_id: str, result: ToolResult) -> None:
        if (never_began := self._calls.get(call_id)) is not None:
            self._use(never_began)
        content = result.value if result.success else (result.error or "It failed.")[:MAX_REASON_CHARS]
        self._sample |= _is_sample(content)
        self._interactions.append(ToolUseResult(tool_use_id=call_id, content=content, is_error=not result.success))

    def _in_order(self) -> tuple[ToolInteraction, ...]:
        """Results of calls made together in the order of the calls, as the model is told them, whichever came first."""
        found: list[ToolInteraction] = []
        for are_results, group in groupby(self._interactions, lambda one: isinstance(one, ToolUseResult)):
            together = list(group)
            if are_results:
                results = cast("list[ToolUseResult]", together)
                together = sorted(results, key=lambda one: self._order.get(one.tool_use_id, len(self._order)))
            found += together
        return tuple(found)

    def _content(self, end: e.TurnFinished | e.TurnWaiting) -> str:
        if isinstance(end, e.TurnWaiting):
            needs = [f"your approval of {one.call.tool}" for one in pending(self._waits)]
            needs += [f"your answer to: {one.question}" for one in unanswered(self._waits)]
            return f"This waits for {'; '.join(needs) or 'what its tools need'}."
        if self._answer is not None:
            return self._answer.text
        return why_ended(end) if end.status == "failed" else ""

    def _stop_reason(self, end: e.TurnFinished | e.TurnWaiting) -> str:
        if isinstance(end, e.TurnWaiting):
            return AWAITING_APPROVAL
        if end.status == "cancelled":
            return "cancelled"
        if not self.is_answered or self._answer is None:
            return "error"
        if self._answer.reason == "answered" and self._unknown_stop:
            return self._unknown_stop
        return _STOP_REASONS[self._answer.reason]


def chat_messages(events: Iterable[e.AnyEvent]) -> Sequence[ChatMessage]:
    """The messages of a whole turn: one while it runs, two from where it waits or ends."""
    turn = ChatTurn()
    for event in events:
        turn.advance(event)
    answer = turn.assistant_message()
    return (turn.user_message(),) if answer is None else (turn.user_message(), answer)


def message_id(turn_id: str, role: ChatRole) -> str:
    """The same wherever the turn is told."""
    return f"{turn_id}.{role}"


def _is_sample(data: Json) -> bool:
    """Whether a result says of itself that it is made up, itself or in its `query_metadata`."""
    if not isinstance(data, dict):
        return False
    about = cast("dict[str, Json]", data)
    inner = about.get("query_metadata")
    return about.get("sample") is True or (
        isinstance(inner, dict) and cast("dict[str, Json]", inner).get("sample") is True
    )


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
