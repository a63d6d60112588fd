"""`TurnUpdates`: the events of a turn as `session/update` tells them. A projection: it keeps nothing of its own.

The same for a turn that runs and for one that is read again from the log.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from glassloop.core import events as e
from glassloop.core.records import ExecutionPlan, Json, ToolCall
from glassloop.extensions.code.acp.messages import (
    AcpPlanEntry,
    AgentMessageChunk,
    AgentThoughtChunk,
    PlanUpdate,
    SessionUpdate,
    StopReason,
    TextBlock,
    ToolCallChanged,
    ToolCallFields,
    ToolCallStarted,
    UserMessageChunk,
)
from glassloop.extensions.code.acp.tool_calls import (
    call_kind,
    call_locations,
    call_title,
    change_locations,
    changes_in,
    request_parts,
    result_parts,
    text_part,
)
from glassloop.projections.answer_text import AnswerText
from glassloop.runtime.durable.turn_context import NOTICES
from glassloop.runtime.tools.todos import TODO, as_list

HELD_CHARS = 200
"""Of a reply: until then it may still turn out to be a thought."""
_STOPS: dict[e.EndReason, StopReason] = {
    **dict.fromkeys(("iterations", "tool_calls", "seconds", "cost", "estimate"), "max_turn_requests"),
    **dict.fromkeys(("tokens", "length"), "max_tokens"),
    **dict.fromkeys(("filtered", "guardrail"), "refusal"),
}


class TurnUpdates:
    """Tells the events of one turn, in their order. `folder` is the workspace as the editor names it."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._answer = AnswerText(HELD_CHARS)
        self._shown = ""
        self._calls: dict[str, ToolCall] = {}
        self.stop_reason: StopReason = "end_turn"
        self.finished: e.TurnFinished | None = None

    def tell(self, event: e.AnyEvent) -> Iterator[SessionUpdate]:
        """What the editor is told of an event; nothing of most."""
        for piece in self._answer.pieces((event,)):
            self._shown += piece.text
            yield AgentMessageChunk(content=TextBlock(text=piece.appended))
        match event:
            case e.TurnStarted():
                yield from (AgentThoughtChunk(content=TextBlock(text=text)) for text in _notices(event))
            case e.ThoughtDelta():
                self._shown += event.text
                yield AgentThoughtChunk(content=TextBlock(text=event.text))
            case e.ThoughtRecorded():
                if not event.implied and event.text.strip() not in self._shown:
                    yield AgentThoughtChunk(content=TextBlock(text=event.text))
                self._shown = ""
            case e.PlanMade() | e.PlanAdjusted() if event.plan.steps:
                yield _plan(event.plan, event.done)
            case e.ApprovalRequested():
                yield self._told(self.request_fields(event), event.call)
            case e.ToolCalled():
                yield self._called(event)
            case e.ToolProgressed() if event.call_id in self._calls:
                ident = call_ident(event.turn_id, event.call_id)
                yield ToolCallChanged(tool_call_id=ident, content=[text_part(event.message)])
            case e.ToolReturned():
                yield from self._returned(event)
            case e.AnswerGiven():
                self.stop_reason = _STOPS.get(event.reason, "end_turn")
            case e.TurnFinished():
                self.finished = event
                if event.status == "cancelled":
                    self.stop_reason = "cancelled"
                yield from self._left_open(event)
            case _:
                return

    def request_fields(self, event: e.ApprovalRequested) -> ToolCallFields:
        """A call that a person is asked about, as it is shown to them."""
        changes = changes_in(event.preview)
        return ToolCallFields(
            tool_call_id=call_ident(event.turn_id, event.call.id),
            title=call_title(event.call),
            kind=call_kind(event.call),
            status="pending",
            content=request_parts(event, self._folder),
            locations=change_locations(changes, self._folder) or call_locations(event.call, self._folder),
            raw_input=event.call.args,
        )

    def _called(self, event: e.ToolCalled) -> SessionUpdate:
        ident = call_ident(event.turn_id, event.call.id)
        if event.call.id in self._calls:
            return ToolCallChanged(tool_call_id=ident, status="in_progress", raw_input=event.call.args)
        fields = ToolCallFields(
            tool_call_id=ident,
            title=call_title(event.call),
            kind=call_kind(event.call),
            status="in_progress",
            locations=call_locations(event.call, self._folder),
            raw_input=event.call.args,
        )
        return self._told(fields, event.call)

    def _told(self, fields: ToolCallFields, call: ToolCall) -> SessionUpdate:
        """The call, as new or as changed."""
        is_new = call.id not in self._calls
        self._calls[call.id] = call
        kind = ToolCallStarted if is_new else ToolCallChanged
        return kind(**{name: getattr(fields, name) for name in fields.__struct_fields__})

    def _returned(self, event: e.ToolReturned) -> Iterator[SessionUpdate]:
        call, self._shown = self._calls.pop(event.call_id, None), ""
        if call is None:
            return
        yield ToolCallChanged(
            tool_call_id=call_ident(event.turn_id, event.call_id),
            status="completed" if event.result.success else "failed",
            content=result_parts(event.result, self._folder),
        )
        items = as_list(event.result.data) if call.tool == TODO else None
        if items is not None:
            entries = [_entry(str(item.get("text", "")), bool(item.get("done"))) for item in items]
            yield PlanUpdate(entries=entries)

    def _left_open(self, event: e.TurnFinished) -> Iterator[SessionUpdate]:
        """Calls without a result: the turn ended before they could have one."""
        for call_id in self._calls:
            yield ToolCallChanged(tool_call_id=call_ident(event.turn_id, call_id), status="failed")
        self._calls = {}


def call_ident(turn_id: str, call_id: str) -> str:
    """Unique in a session: models number their calls anew in each turn."""
    return f"{turn_id}.{call_id}"


def retell(events: Sequence[e.Durable], folder: str) -> Iterator[SessionUpdate]:
    """A turn that was: its question, and what came of it."""
    if events and isinstance(started := events[0], e.TurnStarted):
        yield UserMessageChunk(content=TextBlock(text=started.question))
    updates = TurnUpdates(folder)
    for event in events:
        yield from updates.tell(event)


def _notices(started: e.TurnStarted) -> Iterator[str]:
    """What extensions tell the person with a question: no part of the answer."""
    for notice in cast("list[dict[str, Json]]", started.settings.get(NOTICES) or []):
        yield f"{notice.get('text', '')}\n"


def _plan(plan: ExecutionPlan, done: Sequence[int]) -> PlanUpdate:
    return PlanUpdate(entries=[_entry(step.description, step.step_number in done) for step in plan.steps])


def _entry(text: str, done: bool) -> AcpPlanEntry:
    return AcpPlanEntry(content=text, status="completed" if done else "pending")
