"""Pending approvals and questions of a turn: what it waits for people to decide or answer. Folds of the stream."""

from collections.abc import Iterable

from glassloop.core import events as e


def pending(events: Iterable[e.Event]) -> tuple[e.ApprovalRequested, ...]:
    """The requests that nobody has decided, in the order they were made."""
    requests: dict[str, e.ApprovalRequested] = {}
    for event in events:
        if isinstance(event, e.ApprovalRequested):
            requests[event.call.id] = event
        elif isinstance(event, e.ApprovalDecided | e.ToolReturned):
            requests.pop(event.call_id, None)
        elif isinstance(event, e.TurnFinished):
            requests.clear()
    return tuple(requests.values())


def unanswered(events: Iterable[e.Event]) -> tuple[e.QuestionAsked, ...]:
    """The questions of the assistant's that nobody has answered, in the order they were asked."""
    questions: dict[str, e.QuestionAsked] = {}
    for event in events:
        if isinstance(event, e.QuestionAsked):
            questions[event.call_id] = event
        elif isinstance(event, e.QuestionAnswered | e.ToolReturned):
            questions.pop(event.call_id, None)
        elif isinstance(event, e.TurnFinished):
            questions.clear()
    return tuple(questions.values())
