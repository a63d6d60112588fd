"""A turn as a flat list of `ReasoningStep`: think, act, observe, answer, in order. A fold of the stream."""

from collections.abc import Iterable, Sequence

import msgspec

from glassloop.core import events as e
from glassloop.core.loop.user_question import ASK_USER
from glassloop.core.records import ReasoningStep


class Reasoning:
    """Feed it events in order; each gives the step it adds, if any."""

    def __init__(self) -> None:
        self._tools: dict[str, str] = {}
        self._agents: dict[str, str] = {}

    def step(self, event: e.Event) -> ReasoningStep | None:
        if isinstance(event, e.ChildRecorded):
            return self._step_of_child(event)
        return self._own_step(event)

    def _step_of_child(self, event: e.ChildRecorded, above: str = "") -> ReasoningStep | None:
        """What a sub-agent thought, did and observed. Its answer is the observation of its parent."""
        told = event.event
        if isinstance(told, e.TurnStarted):
            self._agents[told.turn_id] = f"{above} / {told.assistant}" if above else told.assistant
        agent = self._agents.get(told.turn_id, above)
        if isinstance(told, e.ChildRecorded):
            return self._step_of_child(told, agent)
        found = None if isinstance(told, e.AnswerGiven) else self._own_step(told)
        return None if found is None else msgspec.structs.replace(found, agent=agent)

    def _own_step(self, event: e.Event) -> ReasoningStep | None:
        if isinstance(event, e.RouteDecided):
            text = f"{event.route.destination}: {event.route.reasoning}"
            return ReasoningStep(type="think", content=text, timestamp=event.at)
        if isinstance(event, e.ThoughtRecorded):
            return ReasoningStep(type="think", content=event.text, timestamp=event.at)
        if isinstance(event, e.ToolCalled):
            call = event.call
            self._tools[call.id] = call.tool
            text = f"Calling {call.tool}"
            return ReasoningStep(
                type="act", content=text, tool_name=call.tool, tool_args=dict(call.args), timestamp=event.at
            )
        if isinstance(event, e.QuestionAsked):
            self._tools[event.call_id] = ASK_USER
            options = {"options": list(event.options)} if event.options else {}
            args = {"question": event.question, **options}
            text = f"Asking the user: {event.question}"
            return ReasoningStep(type="act", content=text, tool_name=ASK_USER, tool_args=args, timestamp=event.at)
        if isinstance(event, e.MessageReceived):
            return ReasoningStep(type="observe", content=f"The user wrote: {event.text}", timestamp=event.at)
        if isinstance(event, e.ToolReturned) and event.result.cause != "planned":
            result = event.result
            name = self._tools.get(event.call_id)
            return ReasoningStep(type="observe", content=result.text, tool_name=name, timestamp=event.at)
        if isinstance(event, e.AnswerGiven):
            return ReasoningStep(type="answer", content=event.text, timestamp=event.at)
        return None


def reasoning_trace(events: Iterable[e.Event]) -> Sequence[ReasoningStep]:
    """The whole trace of these events."""
    fold = Reasoning()
    return [step for event in events if (step := fold.step(event)) is not None]
