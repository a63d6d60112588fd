"""The state of a turn, as a fold over its durable events.

The running loop and a resumed one use the same `apply`: what a turn knows is what its log says, nothing else.
Transcripts built here are always valid when sent: a reply's calls are followed by all their results.
"""

from collections.abc import Callable, Iterable
from typing import Any, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import UsageError
from glassloop.core.labels import FOREIGN_CONTEXT, OWN, UNKNOWN, Labels
from glassloop.core.loop.continuation import continue_answer, whole_draft
from glassloop.core.loop.observations import MIN_SHOWN_CHARS, CallState, cleared_text, observed_messages, shown_room
from glassloop.core.loop.state import TurnState
from glassloop.core.messages import (
    AssistantMessage,
    Message,
    Note,
    ToolMessage,
    UserMessage,
    estimate_tokens,
    message_tokens,
    note,
    said_with,
)
from glassloop.core.planning.planner import UPDATE_PLAN
from glassloop.core.planning.reflection import retry_note
from glassloop.core.protocols.tool_search import FIND_TOOLS
from glassloop.core.records import Attachment, ToolCall, ToolResult

_NOT_GIVEN = (
    "The user wrote this before your last reply was given as the answer, so that reply was held back. Take the message "
    "into account; your next reply without a call is the whole answer."
)


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


def _turn_started(state: TurnState, event: e.TurnStarted) -> None:
    state.turn_id = event.turn_id
    state.started = event
    state.started_at = event.at
    state.room = shown_room(event.settings)
    state.question = event.question
    if about := event.settings.get("about"):
        _note(state, "context", str(about))
    if instructions := event.settings.get("instructions"):
        _note(state, "context", f"Instructions of the client:\n{instructions}")
    if context := event.settings.get("context"):
        labels, given = UNKNOWN if event.settings.get(FOREIGN_CONTEXT) else None, msgspec.json.encode(context).decode()
        _note(state, "context", f"Context given with the question:\n{given}", labels)
    if event.attachments:
        for message in said_with(event.question, event.attachments):
            state.say(message, message_tokens(message))
    else:
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
    if event.recommended and event.farewell is None:
        names = ", ".join(event.recommended)
        _note(state, "route", f"Recommended tools for this question: {names}. The others are available too.")


def _tools_shortlisted(state: TurnState, event: e.ToolsShortlisted) -> None:
    state.shortlist = event.tools


def _plan_made(state: TurnState, event: e.PlanMade | e.PlanAdjusted) -> None:
    """The model knows its plan: it stands in its own call."""
    state.plan = event.plan
    state.plan_done = set(event.done)
    state.plan_failed = None


def _note(state: TurnState, kind: Note, text: str, labels: Labels | None = None) -> None:
    state.say(note(kind, text, labels=labels), estimate_tokens(text))


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
    if decision.complaint is not None:
        state.complaints += 1
        refused = decision.refused
        state.complained_of = "reply" if refused is None else "call" if refused.parameter or refused.tool else "answer"
        state.not_again = refused.tool if refused is not None else ""
        state.answer_withheld |= decision.withheld
        _note(state, "complaint", decision.complaint)
        return
    state.iterations += event.purpose == "decide"
    state.complained_of = state.not_again = ""
    state.doubted = decision.refused
    if decision.calls:
        _open_calls(state, event, decision.calls)
    else:
        state.draft = whole_draft(state, decision.answer)
        state.draft_purpose = event.purpose
        state.draft_block = event.block
        state.draft_is_childs = False
        state.draft_unreadable = decision.unreadable
        state.draft_withheld = decision.withheld
        state.draft_refused = event.stop in ("refusal", "filtered")
        state.draft_cut = "length" if event.stop == "max_tokens" else "filtered" if event.stop == "filtered" else None


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
    for call in calls:
        state.numbered += (counts := call.tool != UPDATE_PLAN)
        state.calls[call.id] = CallState(call=call, number=state.numbered if counts else 0)
    state.open_calls = len(calls)
    state.call_ids.update(state.calls)


def _thought_recorded(_state: TurnState, _event: e.ThoughtRecorded) -> None:
    """Thoughts are for people; the transcript has the model's own words already."""


def _tool_called(state: TurnState, event: e.ToolCalled) -> None:
    """The intent. One approval is for one run: it is used up now."""
    call = event.call
    entry = state.calls[call.id]
    entry.call = call
    entry.called = True
    entry.effect = event.effect
    entry.approved = entry.request or entry.approved
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


def _question_asked(state: TurnState, event: e.QuestionAsked) -> None:
    state.calls[event.call_id].question = event


def _question_answered(state: TurnState, event: e.QuestionAnswered) -> None:
    state.calls[event.call_id].answer = event


def _message_received(state: TurnState, event: e.MessageReceived) -> None:
    """The person's words come after everything there is. What had been drafted is not the answer any more."""
    draft, is_command = state.draft, state.command is not None
    if draft is not None and not is_command:
        state.say(AssistantMessage(text=draft), estimate_tokens(draft))
        state.draft, state.rejected, state.draft_withheld = None, draft, False
    state.say(UserMessage(event.text), estimate_tokens(event.text))
    if draft is not None and not is_command:
        _note(state, "incomplete", _NOT_GIVEN)
    state.received = max(state.received, event.number)
    state.more_steps += 1
    state.complained_of = state.not_again = ""


def _tool_returned(state: TurnState, event: e.ToolReturned) -> None:
    entry = state.calls[event.call_id]
    result = event.result
    entry.result = result
    if result.is_answer and state.draft is None:
        state.hand_over(result)
    if entry.call.tool == FIND_TOOLS and state.shortlist is not None and result.success:
        found = cast("list[str]", result.metadata.get("tools", ()))
        state.shortlist = (*state.shortlist, *(name for name in found if name not in state.shortlist))
    if entry.number:
        if entry.question is None:
            state.observations.append((event.call_id, result))
        if result.success:
            state.results[entry.number] = result
        if state.plan is not None and state.plan.steps:
            _tick_off(state, entry.call.tool, result)
    else:
        state.plan_told_back |= not result.success
    state.open_calls -= 1
    if not state.open_calls:
        _observe(state)


def _child_recorded(state: TurnState, event: e.ChildRecorded) -> None:
    """What a child turn takes counts for its parents too; what it is about is folded by whoever runs it on."""
    told = event.event
    entry = state.calls[event.call_id]
    if entry.child is None:
        entry.child = []
    entry.child.append(told)
    if isinstance(told, e.AnswerEvaluated) and told.accepted:
        state.child_evidence[event.call_id] = told.evidence
    inner = e.innermost(told)
    if isinstance(inner, e.ModelResponded):
        _model_responded(state, msgspec.structs.replace(inner, decision=None))
    elif isinstance(inner, e.ToolCalled):
        state.tool_calls += 1


def _guardrail_triggered(state: TurnState, event: e.GuardrailTriggered) -> None:
    """A question that was stopped is answered with the reason; a call keeps what was decided about it."""
    if event.stage == "input" and event.action == "stop":
        state.draft, state.draft_withheld = event.reason, True
    elif event.stage == "call" and (event.action == "stop" or event.value is not None):
        entry = state.calls[event.call_id]
        entry.guarded = event
        if event.action == "rewrite":
            entry.call = msgspec.structs.replace(entry.call, args=event.value)


def _tick_off(state: TurnState, tool: str, result: ToolResult) -> None:
    """A call does the next step of the plan that names its tool."""
    steps = state.plan.steps if state.plan is not None else ()
    step = next((s for s in steps if s.tool_name == tool and s.step_number not in state.plan_done), None)
    if step is not None and result.success:
        state.plan_done.add(step.step_number)
    elif step is not None:
        state.plan_failed, state.plan_error = step.step_number, result.error or ""


def _observe(state: TurnState) -> None:
    for message in observed_messages(state.calls.values(), state.room, state.failures, state.cut_results):
        # What is sent is shortened; what is counted is what is sent.
        state.say(message, estimate_tokens(message.content[: message.limit or None]))


def _context_compacted(state: TurnState, event: e.ContextCompacted) -> None:
    if event.cleared:
        for place, message in enumerate(state.messages[: event.cleared]):
            if isinstance(message, ToolMessage) and len(message.content) > MIN_SHOWN_CHARS:
                state.left_out.append(message)
                state.messages[place] = _cleared(state, message)
    else:
        old, kept = state.messages[: event.left_out], state.messages[event.left_out :]
        pinned: list[Message] = []
        for message in old:
            is_pinned = isinstance(message, UserMessage) and message.is_pinned
            (pinned if is_pinned else state.left_out).append(message)
        text = f"Summary of the conversation so far:\n{event.summary}"
        shown = carried_attachments(state, event.left_out)
        summary = UserMessage(text, "runtime", "summary", event.sourced, shown, OWN)
        state.messages = [*pinned, summary, *kept]
    state.tokens = event.tokens_after
    state.compactions += 1


def carried_attachments(state: TurnState, left_out: int) -> tuple[Attachment, ...]:
    """What was given with the question is still shown when the question itself left the context for a summary."""
    given = state.started.attachments if state.started is not None else ()
    kept = state.messages[left_out:] if given else ()
    shown = {each.sha256 for message in kept if isinstance(message, UserMessage) for each in message.attachments}
    return tuple(each for each in given if not each.text and each.sha256 not in shown)


def _cleared(state: TurnState, message: ToolMessage) -> ToolMessage:
    ref = message.ref or f"r{len(state.cut_results) + 1}"
    state.cut_results[ref] = message.content
    return msgspec.structs.replace(message, content=cleared_text(ref), limit=0, ref="")


def _answer_evaluated(state: TurnState, event: e.AnswerEvaluated) -> None:
    if event.accepted or state.draft is None:
        return
    draft = state.draft
    state.say(AssistantMessage(text=draft), estimate_tokens(draft))
    _note(state, "incomplete", event.problem or retry_note(event.evaluation))
    state.draft = None
    state.rejected, state.verdict = draft, event.evaluation


def _answer_given(state: TurnState, event: e.AnswerGiven) -> None:
    state.answer = event
    state.say(AssistantMessage(text=event.text), estimate_tokens(event.text))


def _turn_paused(state: TurnState, event: e.TurnWaiting) -> None:
    state.status = "paused"
    state.paused_at = event.at


def _turn_resumed(state: TurnState, event: e.TurnResumed) -> None:
    """Time spent waiting for people does not count against the turn."""
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
    e.PlanMade: _plan_made,
    e.PlanAdjusted: _plan_made,
    e.ModelResponded: _model_responded,
    e.ThoughtRecorded: _thought_recorded,
    e.ToolCalled: _tool_called,
    e.ApprovalRequested: _approval_requested,
    e.ApprovalDecided: _approval_decided,
    e.QuestionAsked: _question_asked,
    e.QuestionAnswered: _question_answered,
    e.MessageReceived: _message_received,
    e.ToolReturned: _tool_returned,
    e.GuardrailTriggered: _guardrail_triggered,
    e.ContextCompacted: _context_compacted,
    e.AnswerContinued: continue_answer,
    e.AnswerEvaluated: _answer_evaluated,
    e.AnswerGiven: _answer_given,
    e.TurnWaiting: _turn_paused,
    e.TurnResumed: _turn_resumed,
    e.TurnFinished: _turn_finished,
    e.ChildRecorded: _child_recorded,
}
