"""A turn as one answer within bounds: of a very long one, results beyond them are left out and counted."""

import msgspec

from glassloop.core import events as e
from glassloop.core.records import ReactResponse
from glassloop.projections.response import ResponseFold

MAX_BYTES = 8_000_000
"""Of results, questions and messages together, as JSON."""
LEFT_OUT = "(Left out here, as the turn is too long: its events have all of it.)"

_encode = msgspec.json.Encoder().encode


class BoundedResponseFold:
    """Feed it events in order. `left_out` counts the results and messages that are not in `response`."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._fold = ResponseFold()
        self._room = max_bytes
        self.left_out = 0

    def advance(self, event: e.Event) -> None:
        self._fold.advance(self._bounded(event))

    def response(self) -> ReactResponse:
        return self._fold.response()

    def _bounded(self, event: e.Event) -> e.Event:
        if isinstance(event, e.ToolReturned):
            if self._has_room(len(_encode(event.result))):
                return event
            short = msgspec.structs.replace(event.result, output=LEFT_OUT, data=None, metadata={})
            return msgspec.structs.replace(event, result=short)
        if isinstance(event, e.MessageReceived) and not self._has_room(len(event.text)):
            return msgspec.structs.replace(event, text=LEFT_OUT)
        return event

    def _has_room(self, size: int) -> bool:
        if size > self._room:
            self.left_out += 1
            return False
        self._room -= size
        return True
