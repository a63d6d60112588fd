"""The kinds of event that every turn is full of, written without the names of their fields.

Of the JSON of a step three quarters are names: writing, searching and packing them took longer than storing the step.
Here an event is a list: a letter for its kind, then its values in a fixed order. Other kinds stay JSON objects.
The letters and the order are part of the stored format. A new field goes to the end of its kind: rows written before
it have nothing there, and its default counts. A kind that has gained a field that is not named here is written as an
object until it is.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import msgspec

from glassloop.core import events as e
from glassloop.core.messages import AssistantMessage, Usage
from glassloop.core.records import Decision, Evidence, ToolCall, ToolResult

NAMES: dict[type[e.Event], tuple[str, tuple[str, ...]]] = {
    e.TurnStarted: (
        "s",
        ("at", "question", "user", "session_id", "assistant", "model", "protocol", "settings", "forked_from"),
    ),
    e.ModelResponded: (
        "m",
        (
            *("at", "purpose", "step", "model", "tier", "stop", "latency_ms", "attempts", "block"),
            *("usage.input_tokens", "usage.output_tokens", "usage.cached_tokens", "usage.cost"),
            *("message.text", "message.thought", "message.provider", "message.opaque", "message.calls"),
        ),
    ),
    e.ThoughtRecorded: ("t", ("at", "step", "text", "implied")),
    e.ToolCalled: ("c", ("at", "step", "effect", "call.id", "call.tool", "call.args", "call.mended")),
    e.ToolReturned: (
        "r",
        (
            *("at", "step", "call_id", "result.success", "result.output", "result.error", "result.data"),
            *("result.metadata", "result.requires_confirmation", "result.cached", "result.duration_ms"),
            *("result.cause", "result.effect_unknown"),
        ),
    ),
    e.AnswerEvaluated: ("v", ("at", "accepted", "evidence.figures", "evidence.sourced", "evaluation", "block")),
    e.AnswerGiven: ("a", ("at", "text", "reason", "partial", "block")),
    e.TurnFinished: (
        "f",
        (
            *("at", "status", "iterations", "tool_calls", "input_tokens", "output_tokens", "cost", "unpriced_calls"),
            *("seconds", "error", "error_type", "reference"),
        ),
    ),
}
"""Letter and fields of each kind; a dot leads into a record that is always there."""

DECISION = ("thought", "answer", "complaint", "unreadable", "refused")
"""Of a model's reply that was read as a decision, these follow its values; and then its calls, or 0 where they are the
message's."""

_RECORDS: dict[str, type[msgspec.Struct]] = {
    "usage": Usage,
    "message": AssistantMessage,
    "decision": Decision,
    "call": ToolCall,
    "result": ToolResult,
    "evidence": Evidence,
}

Shorten = Callable[[Any], tuple[Any, ...]]


def _shorten(kind: type[e.Event]) -> Shorten:
    letter, names = NAMES[kind]
    values = attrgetter(*names)
    return lambda event: (letter, values(event))


def _shorten_reply() -> Shorten:
    letter, names = NAMES[e.ModelResponded]
    values, of_decision = attrgetter(*names), attrgetter(*DECISION)

    def shorten(event: e.ModelResponded) -> tuple[Any, ...]:
        decision = event.decision
        if decision is None:
            return letter, values(event)
        calls = decision.calls
        # The same object, not an equal one: 1, 1.0 and true are equal.
        return letter, values(event), of_decision(decision), 0 if calls is event.message.calls else calls

    return shorten


def is_told(kind: type[e.Event]) -> bool:
    """Whether the list of a kind says all that the event does."""
    told: dict[str, set[str]] = {"": {"turn_id", "seq"}}
    for name in NAMES[kind][1]:
        record, dot, field = name.rpartition(".")
        told.setdefault(record, set()).add(field)
        if dot:
            told[""].add(record)
    if kind is e.ModelResponded:
        told[""].add("decision")
        told["decision"] = {*DECISION, "calls"}
    return all(fields == set((_RECORDS[name] if name else kind).__struct_fields__) for name, fields in told.items())


SHORTEN: dict[type[e.Event], Shorten] = {
    kind: _shorten_reply() if kind is e.ModelResponded else _shorten(kind) for kind in NAMES if is_told(kind)
}
"""By kind: what is written as JSON in an event's place."""

_KINDS = {letter: (kind, names) for kind, (letter, names) in NAMES.items()}


class Short(msgspec.Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """The list that stands for an event."""

    letter: str
    values: list[Any]
    decision: list[Any] | None = None
    calls: Any = 0


def restore(short: Short, turn_id: str, seq: int) -> e.Event:
    """The event that the list stands for; raises `ValueError` for one that stands for none."""
    if short.letter not in _KINDS:
        raise ValueError(f"there is no kind {short.letter!r}")
    kind, names = _KINDS[short.letter]
    fields: dict[str, Any] = {"type": kind.__struct_config__.tag, "turn_id": turn_id, "seq": seq}
    for name, value in _named(names, short.values).items():
        record, dot, field = name.partition(".")
        if dot:
            fields.setdefault(record, {})[field] = value
        else:
            fields[name] = value
    if short.decision is not None:
        calls = fields.get("message", {}).get("calls", ()) if short.calls == 0 else short.calls
        fields["decision"] = {**_named(DECISION, short.decision), "calls": calls}
    return msgspec.convert(fields, kind)


def _named(names: tuple[str, ...], values: list[Any]) -> dict[str, Any]:
    if len(values) > len(names):
        raise ValueError(f"there are {len(values)} values for {len(names)} fields")
    return dict(zip(names, values, strict=False))
