"""A turn as one answer: `ReactResponse`, and the older shape some clients still read. Folds of the stream."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import msgspec

from glassloop.core import events as e
from glassloop.core.labels import OWN, UNKNOWN, Labels, lowest
from glassloop.core.loop.approvals.provenance import labels_of_message
from glassloop.core.records import ConversationTurn, ExecutionPlan, QualityEvaluation, ReactResponse
from glassloop.projections.trace import Handlers, OpenStep, Trace


class ResponseFold(Trace):
    """The trace and what stands around it. Feed it events in order; `response()` is the turn so far."""

    def __init__(self) -> None:
        super().__init__()
        self._plan: ExecutionPlan | None = None
        self._evaluation: QualityEvaluation | None = None
        self._sourced: tuple[str, ...] = ()
        self._started: e.TurnStarted | None = None
        self._finished: e.TurnFinished | None = None
        self._answer, self._unread = "", False
        self._messages: list[str] = []
        self._waiting: dict[str, str] = {}
        self._before = OWN
        self.is_command = False

    @property
    def user(self) -> str:
        return self._started.user if self._started else "anonymous"

    def started(self, event: e.TurnStarted) -> Sequence[OpenStep]:
        self._started = event
        return super().started(event)

    def commanded(self, event: e.CommandRead) -> Sequence[OpenStep]:
        self.is_command = True
        return super().commanded(event)

    def planned(self, event: e.PlanMade | e.PlanAdjusted) -> Sequence[OpenStep]:
        self._plan = event.plan
        return ()

    def evaluated(self, event: e.AnswerEvaluated) -> Sequence[OpenStep]:
        self._evaluation = event.evaluation
        self._sourced = event.evidence.sourced_texts if event.accepted else ()
        return ()

    def answered(self, event: e.AnswerGiven) -> Sequence[OpenStep]:
        self._answer, self._unread = event.text, is_unread(event)
        return super().answered(event)

    def received(self, event: e.MessageReceived) -> Sequence[OpenStep]:
        self._messages.append(event.text)
        return super().received(event)

    def requested(self, event: e.ApprovalRequested) -> Sequence[OpenStep]:
        self._waiting[event.call.id] = f"your approval of {event.call.tool}"
        return ()

    def asked(self, event: e.QuestionAsked) -> Sequence[OpenStep]:
        self._waiting[event.call_id] = f"your answer to: {event.question}"
        return ()

    def decided(self, event: e.ApprovalDecided | e.QuestionAnswered) -> Sequence[OpenStep]:
        self._waiting.pop(event.call_id, None)
        return ()

    def finished(self, event: e.TurnFinished) -> Sequence[OpenStep]:
        self._finished = event
        return ()

    def response(self) -> ReactResponse:
        finished = self._finished
        completed = finished is not None and finished.status == "completed"
        return ReactResponse(
            success=completed and not self._unread,
            response=self._answer,
            steps=tuple(self.steps),
            plan=self._plan,
            evaluation=self._evaluation,
            session_id=self._started.session_id if self._started else "",
            execution_time=finished.seconds if finished else 0.0,
            error=(e.NOTHING_READ if self._unread else None) if completed else self._why_ended(),
        )

    def _why_ended(self) -> str:
        if self._finished is None and self._waiting:
            return f"The turn waits for {'; '.join(self._waiting.values())}"
        return why_ended(self._finished)

    def conversation_turn(self) -> ConversationTurn:
        response, started = self.response(), self._started
        return ConversationTurn(
            id=started.turn_id if started else "",
            session_id=response.session_id,
            user_query="\n\n".join((started.question, *self._messages)) if started else "",
            agent_response=response.response,
            steps=response.steps,
            plan=response.plan,
            evaluation=response.evaluation,
            sourced=self._sourced,
            attachments=started.attachments if started else (),
            labels=self._labels(),
            created_at=response.steps[0].timestamp if response.steps else "",
        )

    def _labels(self) -> Labels:
        """Of all that the answer may follow from: what was told before, what was given, what tools returned."""
        given = UNKNOWN if self._started is not None and self._started.attachments else OWN
        results = (done.observation for step in self.steps for done in step.calls)
        returned = (result.told_labels or UNKNOWN for result in results if result is not None)
        return lowest((given, self._before, *returned))

    def loaded(self, event: e.HistoryLoaded) -> Sequence[OpenStep]:
        self._before = lowest(map(labels_of_message, event.messages))
        return ()

    handlers: ClassVar[Handlers] = Trace.handlers | {
        e.TurnStarted: started,
        e.CommandRead: commanded,
        e.HistoryLoaded: loaded,
        e.PlanMade: planned,
        e.PlanAdjusted: planned,
        e.AnswerEvaluated: evaluated,
        e.AnswerGiven: answered,
        e.MessageReceived: received,
        e.ApprovalRequested: requested,
        e.QuestionAsked: asked,
        e.ApprovalDecided: decided,
        e.QuestionAnswered: decided,
        e.TurnFinished: finished,
    }


def is_unread(answer: e.AnswerGiven) -> bool:
    """Whether nothing could be read in what the model wrote, so that there is no answer."""
    return answer.reason == "unreadable" and answer.text == e.NOTHING_READ


def why_ended(finished: e.TurnFinished | None) -> str:
    """Why a turn has no answer, in a sentence; None is one that is not over."""
    if finished is None:
        return "The turn is not finished: it waits for an approval, or is still running."
    return finished.error or f"The turn was {finished.status}."


def respond(events: Iterable[e.Event]) -> ReactResponse:
    """The turn these events tell of."""
    folded = ResponseFold()
    for event in events:
        folded.advance(event)
    return folded.response()


def legacy(response: ReactResponse) -> dict[str, Any]:
    """The shape of earlier clients: `success`, `message`, `data`, `error`, `session_id`."""
    data = msgspec.to_builtins({"steps": response.steps, "plan": response.plan, "evaluation": response.evaluation})
    return {
        "success": response.success,
        "message": response.response,
        "data": data,
        "error": response.error,
        "session_id": response.session_id,
    }
