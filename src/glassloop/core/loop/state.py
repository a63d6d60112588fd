"""The state of a turn, as a fold over its durable events.

The running loop and a resumed one use the same `apply`: what a turn knows is what its log says, nothing else.
Transcripts built here are always valid when sent: a reply's calls are followed by all their results.
"""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.messages import AssistantMessage, Effect, Message, Note, Purpose, UserMessage, note, observation
from glassloop.core.records import Advice, ExecutionPlan, Json, PlanStep, Refusal, RouteDecision, ToolCall, ToolResult


class CallState(msgspec.Struct, kw_only=True):
    """One call of the step under way. `number` is what `${stepN…}` calls it."""

    call: ToolCall
    number: int
    called: bool = False
    effect: Effect = "read"
    edited: dict[str, Json] | None = None
    result: ToolResult | None = None
    request: e.ApprovalRequested | None = None
    decision: e.ApprovalDecided | None = None


class TurnState(msgspec.Struct, kw_only=True):
    """Everything the next step depends on."""

    turn_id: str = ""
    seq: int = 0
    status: Literal["running", "paused", "completed", "failed", "cancelled"] = "running"
    started: e.TurnStarted | None = None
    started_at: float = 0.0
    last_at: float = 0.0
    paused_at: float | None = None
    observation_chars: int | None = None
    question: str = ""
    epoch: int = 0
    history_loaded: bool = False
    command: str | None = None
    messages: list[Message] = []
    tokens: int = 0
    compactions: int = 0
    route: RouteDecision | None = None
    shortlist: tuple[str, ...] | None = None
    advice: Advice | None = None
    refused: Refusal | None = None
    advised: bool = False
    plan: ExecutionPlan | None = None
    plan_done: set[int] = set()
    plan_failed: int | None = None
    plan_error: str = ""
    adjustments: int = 0
    iterations: int = 0
    calls: dict[str, CallState] = {}
    open_calls: int = 0
    all_calls: dict[str, ToolCall] = {}
    tool_calls: int = 0
    results: dict[int, ToolResult] = {}
    observations: list[tuple[str, ToolResult]] = []
    last_tool: str = ""
    complaints: int = 0
    complained: bool = False
    draft: str | None = None
    draft_purpose: Purpose = "decide"
    draft_block: int = 0
    draft_unreadable: bool = False
    draft_refused: bool = False
    rejected: str | None = None
    answer: e.AnswerGiven | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    priced_calls: int = 0
    unpriced_calls: int = 0

    @property
    def totals(self) -> e.Totals:
        return {
            "iterations": self.iterations,
            "tool_calls": self.tool_calls,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost if self.priced_calls or not self.unpriced_calls else None,
            "unpriced_calls": self.unpriced_calls,
        }

    def say(self, message: Message, size: int) -> None:
        """Adds to the transcript."""
        self.messages.append(message)
        self.tokens += size


def estimate_tokens(text: str) -> int:
    """A guess that errs on the high side for dense scripts: four ASCII characters, or three bytes of anything else."""
    return len(text) // 4 + 4 if text.isascii() else len(text.encode("utf-8", "replace")) // 3 + 4


def message_tokens(message: Message) -> int:
    if isinstance(message, AssistantMessage):
        size = estimate_tokens(message.text) if message.text else 4
        for call in message.calls:
            size += 8
            for value in call.args.values():
                size += 1 if type(value) is int else len(str(value)) // 3
        return size
    return estimate_tokens(message.content)


def fold(events: Iterable[e.Durable]) -> TurnState:
    """The state after these events. Refuses kinds it does not know: running on without them would be guessing."""
    state = TurnState()
    for event in events:
        apply(state, event)
    return state


def apply(state: TurnState, event: e.Durable) -> None:
    """One event further. Events come in order, without gaps."""
    handler = _HANDLERS.get(type(event))
    if handler is None:
        raise UsageError(f"This version does not know events of kind {type(event).__name__!r}: update glassloop.")
    if event.seq != state.seq + 1:
        raise UsageError(
            f"Event {event.seq} of turn {event.turn_id!r} cannot follow event {state.seq}: the log has a gap."
        )
    state.seq = event.seq
    handler(state, event)
    state.last_at = event.at


def next_plan_step(state: TurnState, tool: str) -> PlanStep | None:
    """The plan step that a call of this tool would be doing."""
    if state.plan is None:
        return None
    taken = state.plan_done.union(entry.number for entry in state.calls.values())
    return next((s for s in state.plan.steps if s.tool_name == tool and s.step_number not in taken), None)


def _turn_started(state: TurnState, event: e.TurnStarted) -> None:
    state.turn_id = event.turn_id
    state.started = event
    state.started_at = event.at
    chars = event.settings.get("observation_chars")
    state.observation_chars = chars if isinstance(chars, int) else None
    state.question = event.question
    context = event.settings.get("context")
    if context:
        _note(state, "context", f"Context given with the question:\n{msgspec.json.encode(context).decode()}")
    state.say(UserMessage(event.question), estimate_tokens(event.question))


def _turn_claimed(state: TurnState, event: e.TurnClaimed) -> None:
    """Time in which nobody worked on the turn, in a queue or after a crash, is not the turn's."""
    state.epoch = event.epoch
    if state.paused_at is None:
        state.started_at += max(0.0, event.at - state.last_at)


def _history_loaded(state: TurnState, event: e.HistoryLoaded) -> None:
    state.history_loaded = True
    state.messages[:0] = event.messages
    state.tokens += sum(map(message_tokens, event.messages))


def _command_read(state: TurnState, event: e.CommandRead) -> None:
    state.command = event.name
    if event.decision.calls:
        _expect(state, event.decision.calls)
    else:
        state.draft = event.decision.answer


def _route_decided(state: TurnState, event: e.RouteDecided) -> None:
    state.route = event.route
    state.draft = event.farewell


def _tools_shortlisted(state: TurnState, event: e.ToolsShortlisted) -> None:
    state.shortlist = event.tools


def _advice_given(state: TurnState, event: e.AdviceGiven) -> None:
    state.advice = event.advice
    state.advised = True
    if event.advice.text:
        _note(state, "hint", event.advice.text)


def _plan_made(state: TurnState, event: e.PlanMade | e.PlanAdjusted) -> None:
    state.plan = event.plan
    state.plan_failed = None
    if isinstance(event, e.PlanAdjusted):
        state.adjustments += 1
        _note(state, "plan_change", f"The plan changed ({event.reason}):\n{describe_plan(event.plan)}")
    elif event.plan.steps:
        _note(state, "plan", f"A plan, as advice:\n{describe_plan(event.plan)}")


def describe_plan(plan: ExecutionPlan) -> str:
    """The plan as the model reads it."""
    return "\n".join(
        f"{step.step_number}. {step.description} [{step.tool_name}{_shown(step.parameters)}]"
        + (f" (after {step.depends_on})" if step.depends_on else "")
        for step in plan.steps
    )


def _shown(parameters: dict[str, Json]) -> str:
    return f" {parameters}"[:200] if parameters else ""


def _note(state: TurnState, kind: Note, text: str) -> None:
    state.say(note(kind, text), estimate_tokens(text))


def _model_responded(state: TurnState, event: e.ModelResponded) -> None:
    usage = event.usage
    state.input_tokens += usage.input_tokens
    state.output_tokens += usage.output_tokens
    if usage.cost is None:
        state.unpriced_calls += 1
    else:
        state.priced_calls += 1
        state.cost += usage.cost
    decision = event.decision
    if decision is None:
        return
    state.advised, state.refused = False, decision.refused
    if decision.complaint is not None:
        state.complaints += 1
        state.complained = True
        _note(state, "complaint", decision.complaint)
        return
    state.iterations += event.purpose == "decide"
    state.complained = False
    if decision.calls:
        _open_calls(state, event, decision.calls)
    else:
        state.draft = decision.answer
        state.draft_purpose = event.purpose
        state.draft_block = event.block
        state.draft_unreadable = decision.unreadable
        state.draft_refused = event.stop == "refusal"


def _open_calls(state: TurnState, event: e.ModelResponded, calls: tuple[ToolCall, ...]) -> None:
    message = event.message
    said = AssistantMessage(
        text=message.text, thought=message.thought, calls=calls, provider=message.provider, opaque=message.opaque
    )
    state.say(said, message_tokens(said))
    _expect(state, calls)


def _expect(state: TurnState, calls: tuple[ToolCall, ...]) -> None:
    """A step begins: these calls want results."""
    state.calls = {}
    asked = state.all_calls
    planned = state.plan is not None and bool(state.plan.steps)
    for position, call in enumerate(calls, len(asked) + 1):
        step = next_plan_step(state, call.tool) if planned else None
        number = step.step_number if step else -position if planned else position
        state.calls[call.id] = CallState(call=call, number=number)
        asked[call.id] = call
    state.open_calls = len(calls)


def _thought_recorded(_state: TurnState, _event: e.ThoughtRecorded) -> None:
    """Thoughts are for people; the transcript has the model's own words already."""


def _tool_called(state: TurnState, event: e.ToolCalled) -> None:
    """The intent. One approval is for one run: it is used up now."""
    call = event.call
    entry = state.calls[call.id]
    entry.call = call
    entry.called = True
    entry.effect = event.effect
    entry.request = entry.decision = None
    state.tool_calls += 1
    state.last_tool = call.tool


def _approval_requested(state: TurnState, event: e.ApprovalRequested) -> None:
    entry = state.calls[event.call.id]
    entry.request = event
    entry.decision = None


def _approval_decided(state: TurnState, event: e.ApprovalDecided) -> None:
    entry = state.calls[event.call_id]
    entry.decision = event
    if event.args is not None:
        entry.edited = event.args


def _tool_returned(state: TurnState, event: e.ToolReturned) -> None:
    entry = state.calls[event.call_id]
    result = event.result
    entry.result = result
    state.observations.append((event.call_id, result))
    number = entry.number
    if number > 0:
        if result.success:
            state.results[number] = result
            state.plan_done.add(number)
        elif state.plan is not None and state.plan.steps:
            state.plan_failed = number
            state.plan_error = result.error or ""
    state.open_calls -= 1
    if not state.open_calls:
        for done in state.calls.values():
            _observe(state, done)


def _observe(state: TurnState, entry: CallState) -> None:
    result = entry.result
    if result is None:
        raise UsageError(f"Call {entry.call.id!r} has no result: the log is damaged.")
    message = observation(entry.call, result, entry.edited)
    # What is sent is shortened; what is counted is what is sent.
    text = message.content
    shown = text if state.observation_chars is None else text[: state.observation_chars]
    state.say(message, estimate_tokens(shown))


def _context_compacted(state: TurnState, event: e.ContextCompacted) -> None:
    kept = state.messages[event.left_out :]
    summary = note("summary", f"Summary of the conversation so far:\n{event.summary}", event.sourced)
    state.messages = [summary, *kept]
    state.tokens = event.tokens_after
    state.compactions += 1


def _answer_evaluated(state: TurnState, event: e.AnswerEvaluated) -> None:
    if event.accepted or state.draft is None:
        return
    missing = "; ".join(event.evaluation.missing_info) if event.evaluation else ""
    draft, hint = state.draft, f"That answer is not complete yet. Still missing: {missing or 'see the question again'}."
    state.say(AssistantMessage(text=draft), estimate_tokens(draft))
    _note(state, "incomplete", hint)
    state.draft = None
    state.rejected = draft


def _answer_given(state: TurnState, event: e.AnswerGiven) -> None:
    state.answer = event
    state.say(AssistantMessage(text=event.text), estimate_tokens(event.text))


def _turn_paused(state: TurnState, event: e.TurnPaused) -> None:
    state.status = "paused"
    state.paused_at = event.at


def _turn_resumed(state: TurnState, event: e.TurnResumed) -> None:
    """Nor is the time in which it waited for people."""
    since = state.last_at if state.paused_at is None else state.paused_at
    state.started_at += max(0.0, event.at - since)
    state.paused_at = None
    state.status = "running"


def _turn_finished(state: TurnState, event: e.TurnFinished) -> None:
    state.status = event.status


_HANDLERS: dict[type[e.Event], Callable[[TurnState, Any], None]] = {
    e.TurnStarted: _turn_started,
    e.TurnClaimed: _turn_claimed,
    e.HistoryLoaded: _history_loaded,
    e.CommandRead: _command_read,
    e.RouteDecided: _route_decided,
    e.ToolsShortlisted: _tools_shortlisted,
    e.AdviceGiven: _advice_given,
    e.PlanMade: _plan_made,
    e.PlanAdjusted: _plan_made,
    e.ModelResponded: _model_responded,
    e.ThoughtRecorded: _thought_recorded,
    e.ToolCalled: _tool_called,
    e.ApprovalRequested: _approval_requested,
    e.ApprovalDecided: _approval_decided,
    e.ToolReturned: _tool_returned,
    e.ContextCompacted: _context_compacted,
    e.AnswerEvaluated: _answer_evaluated,
    e.AnswerGiven: _answer_given,
    e.TurnPaused: _turn_paused,
    e.TurnResumed: _turn_resumed,
    e.TurnFinished: _turn_finished,
}
