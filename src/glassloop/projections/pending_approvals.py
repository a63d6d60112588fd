"""Pending approvals and questions of a turn: what it waits for people to decide or answer. Folds of the stream."""

from collections.abc import Iterable

import msgspec

from glassloop.core import events as e


class PendingFold:
    """Both, event by event; keeps nothing of a turn but what it waits for."""

    def __init__(self) -> None:
        self._requests: dict[str, e.ApprovalRequested] = {}
        self._questions: dict[str, e.QuestionAsked] = {}

    @property
    def approvals(self) -> tuple[e.ApprovalRequested, ...]:
        """The requests that nobody has decided, in the order they were made."""
        return tuple(self._requests.values())

    @property
    def questions(self) -> tuple[e.QuestionAsked, ...]:
        """The questions of the assistant's that nobody has answered, in the order they were asked."""
        return tuple(self._questions.values())

    def advance(self, event: e.AnyEvent) -> None:
        told = e.innermost(event)
        # Those of child turns are decided in the turn that waits as a whole.
        own = told is event
        if isinstance(told, e.ApprovalRequested):
            self._requests[told.call.id] = told if own else msgspec.structs.replace(told, turn_id=event.turn_id)
        elif isinstance(told, e.QuestionAsked):
            self._questions[told.call_id] = told if own else msgspec.structs.replace(told, turn_id=event.turn_id)
        elif isinstance(told, e.ApprovalDecided):
            self._requests.pop(told.call_id, None)
        elif isinstance(told, e.QuestionAnswered):
            self._questions.pop(told.call_id, None)
        elif isinstance(told, e.ToolReturned):
            self._requests.pop(told.call_id, None)
            self._questions.pop(told.call_id, None)
        elif isinstance(event, e.TurnFinished):
            self._requests.clear()
            self._questions.clear()


def pending(events: Iterable[e.AnyEvent]) -> tuple[e.ApprovalRequested, ...]:
    """The requests that nobody has decided, in the order they were made."""
    return _folded(events).approvals


def unanswered(events: Iterable[e.AnyEvent]) -> tuple[e.QuestionAsked, ...]:
    """The questions of the assistant's that nobody has answered, in the order they were asked."""
    return _folded(events).questions


def _folded(events: Iterable[e.AnyEvent]) -> PendingFold:
    folded = PendingFold()
    for event in events:
        folded.advance(event)
    return folded
