"""The steps of a turn as `ReActStep` records, kept up to date event by event. Pure; skips kinds it does not need."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar

import msgspec

from glassloop.core import events as e
from glassloop.core.planning.planner import UPDATE_PLAN
from glassloop.core.records import ReActStep, StepPhase, StepStatus, Tier, ToolCall, ToolResult


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

    def record(self) -> ReActStep:
        return ReActStep(
            step_number=self.number,
            thought=self.thought,
            action=self.action,
            observation=self.observation,
            status=self.status,
            state=self.state,
            model_tier=self.tier,
            timestamp=datetime.fromtimestamp(self.at, UTC).isoformat(),
        )


Handlers = dict[type[e.Event], Callable[[Any, Any], Sequence[OpenStep]]]


class Trace:
    """Feed it events in order; `steps` is the trace so far."""

    def __init__(self) -> None:
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
        step.action, step.status, step.state = event.call, "running", "executing"
        return (step,)

    def returned(self, event: e.ToolReturned) -> Sequence[OpenStep]:
        step, result = self._by_call[event.call_id], event.result
        if step is None:
            return ()
        step.observation, step.state = result, "observing"
        step.status = "completed" if result.success else "failed"
        return (step,)

    def answered(self, event: e.AnswerGiven) -> Sequence[OpenStep]:
        thought, self._thought = self._thought or "Answer from what is known.", ""
        state: StepPhase = "cancelled" if event.partial else "completed"
        self._steps.append(OpenStep(len(self._steps) + 1, event.at, thought, self._tier, None, "completed", state))
        return self._steps[-1:]

    def _open(self, at: float, calls: Sequence[ToolCall], *, plans: bool = False) -> Sequence[OpenStep]:
        """A plan that the model writes is no step: it is told as the plan."""
        first = len(self._steps)
        for call in calls:
            if call.tool == UPDATE_PLAN and not plans:
                self._by_call[call.id] = None
                continue
            step = OpenStep(len(self._steps) + 1, at, f"Use {call.tool}.", self._tier, call, "pending", "planning")
            self._by_call[call.id] = step
            self._steps.append(step)
        self._fresh = self._steps[first:]
        return self._fresh

    handlers: ClassVar[Handlers] = {
        e.ModelResponded: responded,
        e.CommandRead: commanded,
        e.ThoughtRecorded: thought_of,
        e.ToolCalled: called,
        e.ToolReturned: returned,
        e.AnswerGiven: answered,
    }
