"""The steps of a turn as `ReActStep` records, kept up to date event by event. Pure; skips kinds it does not need."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar, cast

import msgspec

from glassloop.core import events as e
from glassloop.core.planning.planner import UPDATE_PLAN
from glassloop.core.records import ChildTurn, ParallelCall, ReActStep, StepPhase, StepStatus, Tier, ToolCall, ToolResult


class OpenStep(msgspec.Struct):
    """A step that is still changing."""

    number: int
    at: float
    thought: str
    tier: Tier
    action: ToolCall | None
    status: StepStatus
    state: StepPhase
    observation: ToolResult | None = None
    others: dict[str, ParallelCall] | None = None
    children: "dict[str, ChildTrace] | None" = None

    def record(self) -> ReActStep:
        return ReActStep(
            step_number=self.number,
            thought=self.thought,
            action=self.action,
            observation=self.observation,
            parallel=() if self.others is None else tuple(self.others.values()),
            children=() if self.children is None else tuple(child.record() for child in self.children.values()),
            status=self.status,
            state=self.state,
            model_tier=self.tier,
            timestamp=datetime.fromtimestamp(self.at, UTC).isoformat(),
        )


Handlers = dict[type[e.Event], Callable[[Any, Any], Sequence[OpenStep]]]


class Trace:
    """Feed it events in order; `steps` is the trace so far. A step is an iteration, and there are no more of them than
    the turn may have: an answer from what was found when the limit was reached is no step of its own."""

    def __init__(self) -> None:
        self._most: int | None = None
        self._steps: list[OpenStep] = []
        self._by_call: dict[str, OpenStep | None] = {}
        self._tier: Tier = "balanced"
        self._thought = ""
        self._fresh: Sequence[OpenStep] = ()

    @property
    def steps(self) -> Sequence[ReActStep]:
        return [step.record() for step in self._steps]

    def apply(self, event: e.Event) -> Sequence[ReActStep]:
        """The steps that are new or changed by this event."""
        return [step.record() for step in self.advance(event)]

    def advance(self, event: e.Event) -> Sequence[OpenStep]:
        """The same without making records of them."""
        handler = self.handlers.get(type(event))
        return handler(self, event) if handler is not None else ()

    def started(self, event: e.TurnStarted) -> Sequence[OpenStep]:
        limits = event.settings.get("limits")
        most = cast("dict[str, Any]", limits).get("iterations") if isinstance(limits, dict) else None
        self._most = most if isinstance(most, int) else None
        return ()

    def responded(self, event: e.ModelResponded) -> Sequence[OpenStep]:
        if event.decision is None:
            return ()
        self._tier = event.tier
        return self._open(event.at, event.decision.calls)

    def commanded(self, event: e.CommandRead) -> Sequence[OpenStep]:
        return self._open(event.at, event.decision.calls)

    def thought_of(self, event: e.ThoughtRecorded) -> Sequence[OpenStep]:
        """A thought belongs to the calls just opened; with none open, to the answer that follows."""
        changed, self._fresh = self._fresh, ()
        if not changed:
            self._thought = event.text
        for step in changed:
            step.thought = event.text
        return changed

    def called(self, event: e.ToolCalled) -> Sequence[OpenStep]:
        step = self._by_call[event.call.id] or self._open(event.at, (event.call,), plans=True)[-1]
        step.status, step.state = "running", "executing"
        if step.others is not None and event.call.id in step.others:
            step.others[event.call.id] = ParallelCall(action=event.call)
        else:
            step.action = event.call
        return (step,)

    def returned(self, event: e.ToolReturned) -> Sequence[OpenStep]:
        step, result = self._by_call[event.call_id], event.result
        if step is None:
            return ()
        if step.others is None:
            step.observation, step.state = result, "observing"
            step.status = "completed" if result.success else "failed"
        else:
            _observe_parallel(step, step.others, event.call_id, result)
        return (step,)

    def received(self, event: e.MessageReceived) -> Sequence[OpenStep]:  # noqa: ARG002
        """Each message that a turn takes in gives it another step."""
        self._most = None if self._most is None else self._most + 1
        return ()

    def answered(self, event: e.AnswerGiven) -> Sequence[OpenStep]:
        if self._most is not None and len(self._steps) >= self._most:
            return ()
        thought, self._thought = self._thought or "Answer from what is known.", ""
        state: StepPhase = "cancelled" if event.reason == "cancelled" else "completed"
        self._steps.append(OpenStep(len(self._steps) + 1, event.at, thought, self._tier, None, "completed", state))
        return self._steps[-1:]

    def told_of_child(self, event: e.ChildRecorded) -> Sequence[OpenStep]:
        step = self._by_call[event.call_id]
        if step is None:
            return ()
        if step.children is None:
            step.children = {}
        child = step.children.get(event.call_id)
        if child is None:
            child = step.children[event.call_id] = ChildTrace(event.call_id)
        return (step,) if child.see(event.event) else ()

    def _open(self, at: float, calls: Sequence[ToolCall], *, plans: bool = False) -> Sequence[OpenStep]:
        """A plan that the model writes is no step: it is told as the plan."""
        self._fresh = ()
        for call in calls:
            if call.tool == UPDATE_PLAN and not plans:
                self._by_call[call.id] = None
                calls = [other for other in calls if other.tool != UPDATE_PLAN]
        if calls:
            first, *more = calls
            tools = ", ".join([call.tool for call in calls]) if more else first.tool
            step = OpenStep(len(self._steps) + 1, at, f"Use {tools}.", self._tier, first, "pending", "planning")
            self._by_call[first.id] = step
            if more:
                step.others = {call.id: ParallelCall(action=call) for call in more}
                self._by_call |= dict.fromkeys(step.others, step)
            self._steps.append(step)
            self._fresh = (step,)
        return self._fresh

    handlers: ClassVar[Handlers] = {
        e.TurnStarted: started,
        e.ModelResponded: responded,
        e.CommandRead: commanded,
        e.ThoughtRecorded: thought_of,
        e.ToolCalled: called,
        e.ToolReturned: returned,
        e.MessageReceived: received,
        e.AnswerGiven: answered,
        e.ChildRecorded: told_of_child,
    }


class ChildTrace:
    """The trace of a sub-agent's turn, with what stands around it."""

    def __init__(self, call_id: str) -> None:
        self._trace = Trace()
        self._child = ChildTurn(call_id=call_id, turn_id="", assistant="", question="")

    def record(self) -> ChildTurn:
        return msgspec.structs.replace(self._child, steps=tuple(self._trace.steps))

    def see(self, event: e.Durable) -> bool:
        """Whether it changes what is told of it."""
        changed = bool(self._trace.advance(event))
        facts = self._facts(event)
        if facts:
            self._child = msgspec.structs.replace(self._child, **facts)
        return changed or bool(facts)

    def _facts(self, event: e.Event) -> dict[str, Any]:
        match event:
            case e.TurnStarted():
                return {"turn_id": event.turn_id, "assistant": event.assistant, "question": event.question}
            case e.TurnWaiting():
                return {"status": "paused"}
            case e.TurnResumed():
                return {"status": "running"}
            case e.AnswerGiven():
                return {"answer": event.text}
            case e.TurnFinished():
                names = ("status", "error", "tool_calls", "input_tokens", "output_tokens", "cost", "seconds")
                return {name: getattr(event, name) for name in names}
            case _:
                return {}


def _observe_parallel(step: OpenStep, others: dict[str, ParallelCall], call_id: str, result: ToolResult) -> None:
    """One of several results: the step is over with the last of them, and failed where all did."""
    if call_id in others:
        others[call_id] = msgspec.structs.replace(others[call_id], observation=result)
    else:
        step.observation = result
    results = [step.observation, *(other.observation for other in others.values())]
    if None not in results:
        step.state = "observing"
        step.status = "completed" if any(each.success for each in results if each) else "failed"
