"""How events are stored: what is committed together is one row, whose body is their JSON, a line each, packed.

Owns the way there and back, with redaction on the way there. Knows no database. Rows of the first version held one
event, and only what its columns did not tell; they are read as they are.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.store.packing import pack, unpack
from glassloop.store.redaction import Redactor

KINDS: dict[type[e.Event], str] = {kind: str(kind.__struct_config__.tag) for kind in e.Durable.__args__}
MARKS = frozenset({e.TurnStarted, e.TurnClaimed, e.TurnPaused, e.TurnResumed, e.AnswerGiven, e.TurnFinished})
"""The kinds that change a turn's row, its session or its messages."""

EVENTS_A_ROW = 64
BYTES_A_ROW = 256_000
"""A longer piece of a turn, as an import brings, becomes several rows."""

_KNOWN = frozenset(KINDS.values())
_AT = b',"at":'
_TYPE = b'{"type":"'


class Row(NamedTuple):
    """One row of `events`: those from `seq` to `last`. `at` and `kind` are the first one's."""

    turn_id: str
    seq: int
    last: int
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
    lines = [_checked(event, turn_id, expected) for expected, event in enumerate(events, events[0].seq)]
    # One look at all of them together costs little more than one at the shortest.
    joined = lines[0] if len(lines) == 1 else b"\n".join(lines)
    cleaned: list[e.Durable] = []
    if redactor.suspects(joined):
        for number, line in enumerate(lines):
            clean = _cleaned(line, redactor)
            if clean is not line:
                lines[number] = clean
                cleaned.append(_decoded(clean))
        joined = b"\n".join(lines)
    marks = [event for event in events if type(event) in MARKS]
    if cleaned and marks:
        stored = {event.seq: event for event in cleaned}
        marks = [stored.get(event.seq, event) for event in marks]
    first = events[0]
    if len(lines) <= EVENTS_A_ROW and len(joined) <= BYTES_A_ROW:
        rows = [Row(turn_id, first.seq, events[-1].seq, first.at, KINDS[type(first)], pack(joined))]
    else:
        rows = [_row(turn_id, events[start:end], lines[start:end]) for start, end in _pieces(lines)]
    return Batch(turn_id, rows, marks, len(joined), cleaned)


def _row(turn_id: str, events: Sequence[e.Durable], lines: Sequence[bytes]) -> Row:
    first = events[0]
    return Row(turn_id, first.seq, events[-1].seq, first.at, KINDS[type(first)], pack(b"\n".join(lines)))


def _pieces(lines: Sequence[bytes]) -> Iterator[tuple[int, int]]:
    start = size = 0
    for number, line in enumerate(lines):
        if number > start and (number - start == EVENTS_A_ROW or size + len(line) > BYTES_A_ROW):
            yield start, number
            start, size = number, 0
        size += len(line)
    yield start, len(lines)


def _checked(event: e.Durable, turn_id: str, expected: int) -> bytes:
    if type(event) not in KINDS:
        raise UsageError(f"Events of kind {type(event).__name__!r} are transient: only durable ones are stored.")
    if event.seq != expected or event.turn_id != turn_id:
        raise UsageError(
            f"Event {event.seq} of turn {event.turn_id!r} does not fit where event {expected} of turn {turn_id!r} "
            "belongs: append the events of one turn in order."
        )
    try:
        return e.encode(event)
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"Event {event.seq} of turn {turn_id!r} cannot be written as JSON: {error}.") from error


def _cleaned(line: bytes, redactor: Redactor) -> bytes:
    """The same object where there is nothing to take out. What says which event it is stays as it is."""
    # The base class's fields come first, and no JSON string holds an unescaped quote: this is the key itself.
    end = line.find(b",", line.index(_AT) + len(_AT))
    if end < 0:
        return line
    body = b"{" + line[end + 1 :]
    clean = redactor.clean(body)
    return line if clean is body else line[: end + 1] + clean[1:]


def _decoded(line: bytes) -> e.Durable:
    return e.decode(line)  # pyright: ignore[reportReturnType]


def to_lines(row: Row) -> Sequence[bytes]:
    """The row's events, each as one line of JSON; raises `StoreError` for a body that is damaged."""
    try:
        body = unpack(row.body)
    except ValueError as error:
        raise _damaged(row, error) from error
    if not body.startswith(_TYPE):
        head = msgspec.json.encode({"type": row.kind, "turn_id": row.turn_id, "seq": row.seq, "at": row.at})
        return (head if body == b"{}" else head[:-1] + b"," + body[1:],)
    lines = body.split(b"\n")
    if len(lines) != row.last - row.seq + 1:
        raise _damaged(row, ValueError(f"{len(lines)} lines for events {row.seq} to {row.last}"))
    return lines


def to_events(row: Row, after: int = 0, *, skip_unknown: bool = False) -> Iterator[e.Durable]:
    """The row's events that come after that one. An unknown kind is refused, as running on without it would be
    guessing; `skip_unknown` is for those who only look."""
    for seq, line in enumerate(to_lines(row), row.seq):
        if seq <= after or (skip_unknown and kind_of(line) not in _KNOWN):
            continue
        try:
            event = _decoded(line)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            kind = kind_of(line)
            if kind in _KNOWN:
                raise _damaged(row, error, seq) from error
            raise StoreError(
                f"Event {seq} of turn {row.turn_id!r} has the unknown kind {kind!r}: update glassloop."
            ) from error
        if event.seq != seq or event.turn_id != row.turn_id:
            raise _damaged(row, ValueError(f"it says that it is event {event.seq} of turn {event.turn_id!r}"), seq)
        yield event


def kind_of(line: bytes) -> str:
    """What kind of event a line tells of."""
    return line[len(_TYPE) : line.find(b'"', len(_TYPE))].decode("utf-8", "replace")


def _damaged(row: Row, error: Exception, seq: int | None = None) -> StoreError:
    return StoreError(f"Event {seq or row.seq} of turn {row.turn_id!r} is damaged ({error}).")


def plain(text: str) -> str:
    """Text for a column: PostgreSQL holds no NUL in one."""
    return text.replace("\x00", "\ufffd") if "\x00" in text else text


def as_json(value: Any) -> str | None:
    return None if value is None else plain(msgspec.json.encode(value).decode())
