"""Pending approvals of a turn: the calls it waits for people to decide. A fold of the stream."""

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
