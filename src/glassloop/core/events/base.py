"""The base of all events, and the fields they share."""

from typing import TypedDict

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="type", tag=True):
    """One fact of one turn. `at` is seconds since the epoch."""

    turn_id: str
    seq: int
    at: float

    @property
    def type(self) -> str:
        """Its permanent name, as it is stored and sent."""
        return str(self.__struct_config__.tag)


class Stamp(TypedDict):
    """The fields that every event has: `ToolReturned(**turn.stamp(), call_id=…)`."""

    turn_id: str
    seq: int
    at: float


class Totals(TypedDict):
    """What a turn took: fields of its last event."""

    iterations: int
    tool_calls: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    unpriced_calls: int
