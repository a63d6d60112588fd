"""Ports of a recorded turn: models, tools, memory and commands that return what the log has.

What the log lacks is reported as a difference, or is the failure or interruption that the log goes on with.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.call_terms import CallTerms
from glassloop.core.errors import BadArguments, ModelUnavailable, UsageError
from glassloop.core.guardrails.port import GuardrailOutcome, Ruling
from glassloop.core.loop.inbox import IncomingMessage
from glassloop.core.loop.side_questions import ask
from glassloop.core.loop.tool_schedule import CallChannel
from glassloop.core.loop.turn import Turn
from glassloop.core.messages import (
    Chunk,
    GarbledCall,
    Message,
    ModelRequest,
    Purpose,
    Reply,
    Retrying,
    ToolSpec,
)
from glassloop.core.ports import Ask, CallContext, EventStore, Model, ToolExecutor
from glassloop.core.protocols.reply_outcome import bad_arguments
from glassloop.core.records import Decision, Json, ToolCall, ToolResult
from glassloop.models.model_wrapper import ModelWrapper
from glassloop.runtime.replay.event_diff import is_redacted
from glassloop.runtime.replay.recorded_turn import Recording

MAX_ROUNDS = 100
"""Rounds of the event loop that a call waits for its place while nothing moves. Nothing in a replay waits for the
world, so the loop needs but a few from one event to the next."""


class RecordedModel(ModelWrapper):
    """Gives the replies of the log."""

    def __init__(self, recording: Recording, model: Model, tools: Mapping[str, ToolSpec]) -> None:
        super().__init__(model)
        self._recording = recording
        self._tools = tools

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        said = self._recording.next
        if not isinstance(said, e.ModelResponded):
            self._recording.raise_as_recorded()
            raise self._silence(request.purpose)
        if said.purpose != request.purpose:
            self._recording.findings.other_purpose(said, request.purpose)
        for attempt in range(2, said.attempts + 1):
            yield Retrying(attempt=attempt, wait_s=0.0, reason="as recorded", model=said.model)
        garbled = self._garbled(said)
        yield Reply(
            message=said.message,
            usage=said.usage,
            stop=said.stop,
            stop_detail=said.stop_detail,
            model=said.model,
            garbled=garbled,
        )

    def _silence(self, purpose: Purpose) -> Exception:
        """Why there was no reply: beside the loop that is borne, in it only where an earlier draft is the answer."""
        recording = self._recording
        followed, turn = recording.next, recording.turn
        if followed is None or turn is None:
            return ModelUnavailable("The log ends here.")
        accepted = isinstance(followed, e.AnswerEvaluated) and followed.accepted
        if purpose in ("decide", "synthesize") and not (accepted and turn.state.rejected is not None):
            recording.findings.stray(followed, f"a call of the model ({purpose})")
        return ModelUnavailable("The log has no reply here.")

    def _garbled(self, said: e.ModelResponded) -> tuple[GarbledCall, ...]:
        """Calls that could not be read are not in the log; that there was one shows in what it was read as."""
        decision = said.decision
        if decision is None:
            return ()
        for name in ("", *self._tools):
            if decision.complaint == bad_arguments(name, self._tools):
                return (GarbledCall(id="", tool=name, text=""),)
        if decision.unreadable and said.stop == "tool_use" and not said.message.calls:
            return (GarbledCall(id="", tool="", text=""),)
        return ()


class RecordedTools:
    """Gives the results of the log, in the order in which they came; what tools there are is the agent's to say."""

    def __init__(self, recording: Recording, tools: ToolExecutor) -> None:
        self._recording = recording
        self._tools = tools

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        return self._tools.specs

    async def execute_tool(self, call: ToolCall, context: CallContext) -> ToolResult:  # noqa: ARG002
        recording, place, rounds = self._recording, -1, 0
        while rounds < MAX_ROUNDS:
            recording.raise_as_recorded()
            if (result := self._result(call)) is not None:
                return result
            rounds = rounds + 1 if recording.place == place else 0
            place = recording.place
            await asyncio.sleep(0)
        # The log goes on with something that the loop does not come to: recording this shows what.
        return ToolResult(success=False, error="The log has no result of this call here.")

    async def preview(self, call: ToolCall, context: CallContext) -> Json:  # noqa: ARG002
        recording = self._recording
        recording.raise_as_recorded()
        request = recording.next
        if isinstance(request, e.ApprovalRequested) and request.call.id == call.id:
            return request.preview
        if isinstance(request, e.ToolReturned) and request.call_id == call.id:
            # Nobody was asked: the tool saw that the call could not work.
            raise BadArguments(request.result.error or "")
        # The person was not asked again, so it showed what it had shown before.
        entry = None if recording.turn is None else recording.turn.state.calls.get(call.id)
        shown = None if entry is None else entry.request
        return shown.preview if shown is not None and shown.call.args == call.args else None

    async def terms(self, call: ToolCall, context: CallContext) -> CallTerms:  # noqa: ARG002
        recording = self._recording
        recording.raise_as_recorded()
        request = recording.next
        if isinstance(request, e.ToolReturned) and request.call_id == call.id and request.result.cause == "refused":
            raise BadArguments(request.result.error or "")
        if not isinstance(request, e.ApprovalRequested) or request.call.id != call.id:
            return CallTerms(asks=False)
        if request.allow is None:
            return CallTerms(asks=True)
        scope = f"{request.allow.scope}file" if request.allow.kind == "folder" else request.allow.scope
        return CallTerms(asks=True, grant=request.allow.kind, scopes=(scope,))

    def check(self, call: ToolCall) -> str | None:
        request = self._recording.next
        if isinstance(request, e.ApprovalRequested) and request.call.id == call.id and is_redacted(request):
            return None
        return self._tools.check(call)

    def _result(self, call: ToolCall) -> ToolResult | None:
        match self._recording.next:
            case e.ToolReturned(call_id=call.id, result=result):
                return result
            case e.ApprovalRequested(reason="outcome_unknown") as request if request.call.id == call.id:
                return ToolResult(success=False, error=request.doubt, cause="in_doubt", effect_unknown=True)
            case _:
                return None


class RecordedSubAgent:
    """Answers a call as its child turn did. What that did stands in the log already: nothing is run."""

    def __init__(self, recording: Recording, tools: RecordedTools) -> None:
        self._recording = recording
        self._tools = tools

    def open(self, parent: Turn, call: ToolCall, events: Sequence[e.Durable], store: EventStore | None) -> Turn:  # noqa: ARG002
        raise UsageError(f"The child turn of call {call.id!r} is not finished in the log: replay it when it is.")

    async def run(self, parent: Turn, call: ToolCall, channel: CallChannel) -> ToolResult | None:  # noqa: ARG002
        if self._recording.waits_for(call.id):
            return None
        return await self._tools.execute_tool(call, parent.context(call.id))


class RecordedMemory:
    """Tells the history that was told; the questions to the model that it took are asked again."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def recall(self, started: e.TurnStarted, ask: Ask) -> Sequence[Message]:  # noqa: ARG002
        await _ask_again(self._recording, "summarize", ask)
        loaded = self._recording.next
        return loaded.messages if isinstance(loaded, e.HistoryLoaded) else ()


class RecordedInbox:
    """Holds the messages that were taken in at this place."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def after(self, turn_id: str, number: int) -> Sequence[IncomingMessage]:  # noqa: ARG002
        return self._recording.messages()


class RecordedShortlist:
    """Finds the tools that were found."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def choose(
        self,
        question: str,  # noqa: ARG002
        messages: Sequence[Message],  # noqa: ARG002
        tools: Mapping[str, ToolSpec],  # noqa: ARG002
        most: int,  # noqa: ARG002
        keep: Sequence[str] = (),  # noqa: ARG002
    ) -> Sequence[str]:
        self._recording.raise_as_recorded()
        listed = self._recording.next
        return listed.tools if isinstance(listed, e.ToolsShortlisted) else ()


class RecordedGuardrails:
    """Decides what was decided."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        triggered = (event for event in recording.segment.outputs if isinstance(event, e.GuardrailTriggered))
        self.stages = frozenset(event.stage for event in triggered)
        self.pending: dict[str, tuple[Ruling, ...]] = {}

    def begin(self, started: e.TurnStarted) -> None:
        """The question passed before the log began."""

    async def check(
        self,
        stage: e.GuardrailStage,
        value: Any,
        *,
        deps: Any = None,  # noqa: ARG002
        call: ToolCall | None = None,
    ) -> GuardrailOutcome:
        outputs, place = self._recording.segment.outputs, self._recording.place
        call_id = "" if call is None else call.id
        # A reply, a result and a message are recorded before what was decided about them.
        if stage != "call" and isinstance(self._recording.next, e.ModelResponded | e.ToolReturned | e.MessageReceived):
            place += 1
        rulings: list[Ruling] = []
        for event in outputs[place:]:
            if not isinstance(event, e.GuardrailTriggered) or (event.stage, event.call_id) != (stage, call_id):
                break
            rulings.append(Ruling(name=event.name, action=event.action, reason=event.reason, failed=event.failed))
            if event.value is not None:
                value = event.value if call is None else msgspec.structs.replace(call, args=event.value)
        return GuardrailOutcome(value=value, rulings=tuple(rulings))


class RecordedCommands:
    """Reads a command as it was read; some of them change things, so none is read anew."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    async def read(self, line: str, turn: Turn) -> Decision:  # noqa: ARG002
        await _ask_again(self._recording, "plan", partial(ask, turn))
        command = self._recording.next
        return command.decision if isinstance(command, e.CommandRead) else Decision(answer="")


async def _ask_again(recording: Recording, purpose: Purpose, ask: Ask) -> None:
    """Has every recorded reply of this purpose that comes next recorded again, then raises what was raised."""
    while isinstance(recording.next, e.ModelResponded) and recording.next.purpose == purpose:
        if await ask(purpose, "", "", None) is None:
            break
    recording.raise_as_recorded()
