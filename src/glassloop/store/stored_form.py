"""How an event is stored: `turn_id`, `seq`, `at` and its kind as columns, the rest as JSON, packed when long.

Owns the way there and back, with redaction on the way there. Knows no database.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.store.packing import pack, unpack
from glassloop.store.redaction import Redactor

KINDS: dict[type[e.Event], str] = {kind: str(kind.__struct_config__.tag) for kind in e.Durable.__args__}
MARKS = frozenset({e.TurnStarted, e.TurnClaimed, e.TurnPaused, e.TurnResumed, e.AnswerGiven, e.TurnFinished})
"""The kinds that change a turn's row, its session or its messages."""

_AT = b',"at":'


class Row(NamedTuple):
    """One row of `events`."""

    turn_id: str
    seq: int
    at: float
    kind: str
    body: bytes


class Batch(NamedTuple):
    """Consecutive events of one turn, stored together or not at all; `marks` as they are stored.

    `cleaned` has, as they are stored, those from which something was taken out.
    """

    turn_id: str
    rows: Sequence[Row]
    marks: Sequence[e.Durable]
    size: int
    cleaned: Sequence[e.Durable] = ()


def to_batch(turn_id: str, events: Sequence[e.Durable], redactor: Redactor) -> Batch:
    """The events as rows. Refuses what is not one consecutive, durable piece of this turn."""
    bodies = [_checked(event, turn_id, expected) for expected, event in enumerate(events, events[0].seq)]
    # One look at all of them together costs little more than one at the shortest.
    suspect = redactor.suspects(bodies[0] if len(bodies) == 1 else b"\n".join(bodies))
    rows: list[Row] = []
    marks: list[e.Durable] = []
    cleaned: list[e.Durable] = []
    for event, body in zip(events, bodies, strict=True):
        kind = type(event)
        clean = redactor.clean(body) if suspect else body
        row = Row(turn_id, event.seq, event.at, KINDS[kind], pack(clean))
        rows.append(row)
        stored = event
        if clean is not body:
            stored = from_row(row)
            cleaned.append(stored)
        if kind in MARKS:
            marks.append(stored)
    return Batch(turn_id, rows, marks, sum(map(len, bodies)), cleaned)


def _checked(event: e.Durable, turn_id: str, expected: int) -> bytes:
    if type(event) not in KINDS:
        raise UsageError(f"Events of kind {type(event).__name__!r} are transient: only durable ones are stored.")
    if event.seq != expected or event.turn_id != turn_id:
        raise UsageError(
            f"Event {event.seq} of turn {event.turn_id!r} does not fit where event {expected} of turn {turn_id!r} "
            "belongs: append the events of one turn in order."
        )
    try:
        return _body(e.encode(event))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"Event {event.seq} of turn {turn_id!r} cannot be written as JSON: {error}.") from error


def from_row(row: Row) -> e.Durable:
    """The event of a row; raises `StoreError` for a kind this version does not know, or a damaged body."""
    try:
        event = e.decode(to_line(row))
    except (msgspec.MsgspecError, ValueError) as error:
        known = row.kind in KINDS.values()
        why = f"is damaged ({error})" if known else f"has the unknown kind {row.kind!r}: update glassloop"
        raise StoreError(f"Event {row.seq} of turn {row.turn_id!r} {why}.") from error
    return event  # pyright: ignore[reportReturnType]


def to_line(row: Row) -> bytes:
    """The whole event as one line of JSON; raises `ValueError` for a body that cannot be unpacked."""
    body = unpack(row.body)
    head = msgspec.json.encode({"type": row.kind, "turn_id": row.turn_id, "seq": row.seq, "at": row.at})
    return head if body == b"{}" else head[:-1] + b"," + body[1:]


def _body(line: bytes) -> bytes:
    # The base class's fields come first, and no JSON string holds an unescaped quote: this is the key itself.
    end = line.find(b",", line.index(_AT) + len(_AT))
    return b"{}" if end < 0 else b"{" + line[end + 1 :]


def plain(text: str) -> str:
    """Text for a column: PostgreSQL holds no NUL in one."""
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def as_json(value: Any) -> str | None:
    return None if value is None else plain(msgspec.json.encode(value).decode())
