"""Pending approvals and questions of a turn: what it waits for people to decide or answer. Folds of the stream."""

from collections.abc import Iterable

import msgspec

from glassloop.core import events as e


def pending(events: Iterable[e.AnyEvent]) -> tuple[e.ApprovalRequested, ...]:
    """The requests that nobody has decided, in the order they were made."""
    requests: dict[str, e.ApprovalRequested] = {}
    for event in events:
        told = e.innermost(event)
        if isinstance(told, e.ApprovalRequested):
            # Those of child turns are decided in the turn that waits as a whole.
            own = told is event
            requests[told.call.id] = told if own else msgspec.structs.replace(told, turn_id=event.turn_id)
        elif isinstance(told, e.ApprovalDecided | e.ToolReturned):
            requests.pop(told.call_id, None)
        elif isinstance(event, e.TurnFinished):
            requests.clear()
    return tuple(requests.values())


def unanswered(events: Iterable[e.AnyEvent]) -> tuple[e.QuestionAsked, ...]:
    """The questions of the assistant's that nobody has answered, in the order they were asked."""
    questions: dict[str, e.QuestionAsked] = {}
    for event in events:
        told = e.innermost(event)
        if isinstance(told, e.QuestionAsked):
            own = told is event
            questions[told.call_id] = told if own else msgspec.structs.replace(told, turn_id=event.turn_id)
        elif isinstance(told, e.QuestionAnswered | e.ToolReturned):
            questions.pop(told.call_id, None)
        elif isinstance(event, e.TurnFinished):
            questions.clear()
    return tuple(questions.values())
