"""The event stream of `/api/code-chat`: our events told in its words. A projection: it keeps nothing of its own.

Exactly one of `answer`, `cancelled` and an `error` of the state `error` is the last event of a turn.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Literal, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.records import Json, Tier, ToolResult
from glassloop.extensions.code.files.diff import DiffPreview, as_unified
from glassloop.runtime.durable.turn_context import NOTICES

EventType = Literal[
    "state",
    "thought",
    "action",
    "observation",
    "answer",
    "error",
    "cancelled",
    "diff_preview",
    "context",
]
ChatState = Literal["planning", "executing", "observing", "completed", "cancelled", "error"]
PASSAGES = "passages"
"""Of the context of a turn: what was retrieved for its question."""


class CodeChatStreamEvent(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One event. `confirm_id` and `digest` are what `POST /api/code-chat/confirm` takes."""

    type: EventType
    state: ChatState | None = None
    content: str | None = None
    tier: Tier | None = None
    step_number: int | None = None
    tool: dict[str, Json] | None = None
    timestamp: str = ""
    turn_id: str = ""
    session_id: str = ""
    call_id: str | None = None
    confirm_id: str | None = None
    digest: str | None = None
    data: Json = None


class CodeChatEvents:
    """Tells the events of one turn, in their order from the first on; what a client knows already is left out by
    whoever sends them."""

    def __init__(self) -> None:
        self._session = ""
        self._tier: Tier = "balanced"
        self._open: set[str] = set()
        self._step = 0
        self._answer: e.AnswerGiven | None = None
        self._limit = 0
        self._requests: dict[str, tuple[e.AnyEvent, e.ApprovalRequested]] = {}
        """Not told yet: what was allowed for the session is decided by the next event, and nobody is asked. Each with
        the event of this turn that it stands in: those of sub-agents are decided here too."""

    def tell(self, event: e.AnyEvent) -> Iterator[CodeChatStreamEvent]:
        """What a client is told of an event; nothing of most."""
        inner = e.innermost(event)
        if isinstance(inner, e.ApprovalRequested):
            self._requests[inner.call.id] = event, inner
            return
        if isinstance(inner, e.ApprovalDecided) and inner.scope == "granted":
            self._requests.pop(inner.call_id, None)
            return
        if type(event) not in e.TRANSIENT:
            for outer, asked in self._requests.values():
                yield self._asked(outer, asked)
            self._requests.clear()
        yield from self._tell(event)

    def _tell(self, event: e.AnyEvent) -> Iterator[CodeChatStreamEvent]:
        match event:
            case e.TurnStarted():
                yield from self._started(event)
            case e.ModelResponded(purpose="decide" | "synthesize"):
                self._tier, self._step = event.tier, event.step
                yield from self._responded(event)
            case e.ThoughtRecorded():
                yield self._made(event, "thought", None, content=event.text, step_number=event.step)
            case e.ToolCalled():
                called: dict[str, Json] = {"tool": event.call.tool, "args": event.call.args}
                about = {"step_number": event.step, "tool": called, "call_id": event.call.id}
                yield self._made(event, "action", "executing", **about)
            case e.ToolReturned():
                yield self._observed(event)
                self._open.discard(event.call_id)
                if not self._open:
                    yield self._made(event, "state", "planning", step_number=event.step + 1)
            case e.TurnWaiting(reason="question" | "dependencies"):
                yield self._made(event, "state", "executing", content="The turn waits for you.")
            case e.AnswerGiven():
                self._answer = event
            case e.TurnFinished():
                yield from self._finished(event)
            case _:
                return

    def _started(self, event: e.TurnStarted) -> Iterator[CodeChatStreamEvent]:
        self._session = event.session_id
        limits = cast("dict[str, Json]", event.settings.get("limits") or {})
        self._limit = int(limits.get("iterations") or 0)
        yield self._made(event, "state", "planning", step_number=1)
        context = event.settings.get("context")
        passages = cast("dict[str, Json]", context).get(PASSAGES) if isinstance(context, dict) else None
        if isinstance(passages, list) and passages:
            told = "\n\n".join(_passage_text(each) for each in cast("list[Json]", passages))
            yield self._made(event, "context", "planning", content=told, data=passages)
        for notice in cast("list[dict[str, Json]]", event.settings.get(NOTICES) or []):
            kind: EventType = "error" if notice.get("kind") == "error" else "state"
            yield self._made(event, kind, "planning", content=str(notice.get("text", "")))

    def _responded(self, event: e.ModelResponded) -> Iterator[CodeChatStreamEvent]:
        decision = event.decision
        if decision is None:
            return
        self._open = {call.id for call in decision.calls}
        if decision.complaint is not None:
            yield self._made(event, "error", "planning", content=decision.complaint, step_number=event.step)

    def _asked(self, outer: e.AnyEvent, event: e.ApprovalRequested) -> CodeChatStreamEvent:
        return self._made(
            outer,
            "diff_preview",
            "executing",
            content=preview_text(event.preview) or event.doubt,
            step_number=event.step,
            tool={"tool": event.call.tool, "args": event.call.args},
            call_id=event.call.id,
            confirm_id=confirm_id(outer),
            digest=event.digest,
            data=_asked_data(event),
        )

    def _observed(self, event: e.ToolReturned) -> CodeChatStreamEvent:
        result = event.result
        told = result.output if result.success else f"Error: {result.error}"
        about = {"step_number": event.step, "call_id": event.call_id, "data": _shown_data(result)}
        return self._made(event, "observation", "observing", content=told, **about)

    def _finished(self, event: e.TurnFinished) -> Iterator[CodeChatStreamEvent]:
        if event.status == "cancelled":
            yield self._made(event, "cancelled", "cancelled")
        elif event.status == "failed" or self._answer is None:
            yield self._made(event, "error", "error", content=event.error or "The turn failed.")
        else:
            if self._answer.reason == "iterations":
                yield self._made(event, "error", None, content=f"reached the limit of {self._limit} steps")
            yield self._made(event, "answer", "completed", content=self._answer.text)

    def _made(self, event: e.AnyEvent, kind: EventType, state: ChatState | None, **fields: Json) -> CodeChatStreamEvent:
        return CodeChatStreamEvent(
            type=kind,
            state=state,
            tier=self._tier,
            timestamp=datetime.fromtimestamp(event.at, UTC).isoformat(),
            turn_id=event.turn_id,
            session_id=self._session,
            **fields,
        )


def confirm_id(request: e.AnyEvent) -> str:
    """Of a request, or of the event that it stands in where a sub-agent asks: unique over all turns, and over what one
    call asks twice."""
    return f"{request.turn_id}.{request.seq}"


def read_confirm_id(ident: str) -> tuple[str, int] | None:
    """The turn and the number of the request; None for what is no such id."""
    turn_id, _, seq = ident.rpartition(".")
    return (turn_id, int(seq)) if turn_id and seq.isascii() and seq.isdecimal() and len(seq) <= 9 else None


def preview_text(preview: Json) -> str:
    """What a person decides about, as text: the diff of each file, the command or the plan."""
    if not isinstance(preview, dict):
        return "" if preview is None else str(preview)
    told = cast("dict[str, Json]", preview)
    if isinstance(files := told.get("files"), list):
        return "\n".join(preview_text(each) for each in cast("list[Json]", files))
    if "diff_lines" in told:
        with suppress(msgspec.ValidationError):
            return as_unified(msgspec.convert(told, DiffPreview))
    first = (told.get(name) for name in ("command", "plan", "reason") if isinstance(told.get(name), str))
    return str(next(first, None) or msgspec.json.encode(told).decode())


def _passage_text(passage: Json) -> str:
    said = cast("dict[str, Json]", passage)
    return f"{said.get('path')}:{said.get('first_line')}-{said.get('last_line')}\n{said.get('text', '')}"


def _shown_data(result: ToolResult) -> Json:
    """Of a write what it did to each file."""
    if not isinstance(result.data, dict):
        return None
    data = cast("dict[str, Json]", result.data)
    return data.get("diff_preview") or data.get("diff_previews")


def _asked_data(event: e.ApprovalRequested) -> Json:
    """What would happen, with what can be allowed for the session and why a person is asked."""
    more = {name: _table(value) for name, value in (("allow", event.allow), ("why", event.why)) if value is not None}
    return {**_table(event.preview), **more} if more else event.preview


def _table(value: object) -> dict[str, Json]:
    made = msgspec.to_builtins(value)
    return cast("dict[str, Json]", made) if isinstance(made, dict) else {}


def tell_all(events: Sequence[e.AnyEvent]) -> list[CodeChatStreamEvent]:
    """The whole of a turn."""
    chat = CodeChatEvents()
    return [told for event in events for told in chat.tell(event)]
