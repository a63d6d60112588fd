"""Pending approvals of a turn: the calls it waits for people to decide. A fold of the stream."""

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
