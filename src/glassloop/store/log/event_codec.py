"""The stored form of events: events committed together are one row, a JSON list with one list for each event.

Three quarters of an event's JSON are the names of its fields, so these are left out. An event is written as its kind,
the values of its own fields in the order they are declared in, then one list of values for each record it holds
(`usage`, `message`, …). The order is part of the format: a new field goes to the end of its class and has a default,
which is what rows written before it have. Long bodies are compressed; those start with zlib's own header.

Redacts on the way in. Knows no database.
"""

import zlib
from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from types import UnionType
from typing import Any, NamedTuple, NoReturn

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.store.engine.database import EventRow
from glassloop.store.errors import DamagedEvent
from glassloop.store.log.redaction import Redactor

KINDS: dict[type[e.Event], str] = {kind: str(kind.__struct_config__.tag) for kind in e.Durable.__args__}
PROJECTED = frozenset({e.TurnStarted, e.TurnClaimed, e.TurnWaiting, e.TurnResumed, e.AnswerGiven, e.TurnFinished})
"""The kinds that change a turn's row, its session or its messages."""

MAX_ROW_EVENTS = 64
MAX_ROW_BYTES = 256_000
"""A longer piece of a turn, as an import brings, becomes several rows."""
MIN_COMPRESSED_BYTES = 640
MAX_BODY_BYTES = 512 * 1024 * 1024

_SAME_CALLS = 0
"""In place of a decision's calls that are its message's own."""
_ZLIB_HEADER = b"x"
_AT = b',"at":'
_UNWRITABLE = (TypeError, ValueError, RecursionError)
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[list[Any]]).decode


class EventBatch(NamedTuple):
    """Consecutive events of one turn, stored together or not at all; `projected` as they are stored.

    `redacted` has, as they are stored, those from which something was taken out; `originals` the same as they were, as
    JSON; `encrypted` what is stored of these until the turn ends.
    """

    turn_id: str
    rows: Sequence[EventRow]
    projected: Sequence[e.Durable]
    size: int
    redacted: Sequence[e.Durable] = ()
    originals: Sequence[tuple[int, bytes]] = ()
    encrypted: Sequence[tuple[int, bytes]] = ()


class EventLayout(NamedTuple):
    """The order in which a kind's values are written: its own fields, then those of each record that it holds."""

    kind: type[e.Event]
    fields: tuple[str, ...]
    records: dict[str, tuple[str, ...]]


def _layout(kind: type[e.Event]) -> EventLayout:
    own: list[str] = []
    records: dict[str, tuple[str, ...]] = {}
    for field in msgspec.structs.fields(kind):
        present = [each for each in _options(field.type) if each is not type(None)]
        names: tuple[str, ...] = getattr(present[0], "__struct_fields__", ()) if len(present) == 1 else ()
        # A record of one field stays an object: `attrgetter` of one name gives no tuple.
        if len(names) > 1:
            records[field.name] = names
        elif field.name != "turn_id":
            own.append(field.name)
    return EventLayout(kind, tuple(own), records)


def _options(kind: Any) -> Sequence[Any]:
    return kind.__args__ if isinstance(kind, UnionType) else (kind,)


LAYOUTS = {tag: _layout(kind) for kind, tag in KINDS.items()}


def _writer(tag: str, layout: EventLayout) -> Callable[[Any], Sequence[Any]]:
    own = attrgetter(*layout.fields)
    parts = [_record_writer(layout.kind, name, fields) for name, fields in layout.records.items()]
    return lambda event: (tag, own(event), *[part(event) for part in parts])


def _record_writer(kind: type[e.Event], name: str, fields: tuple[str, ...]) -> Callable[[Any], Sequence[Any] | None]:
    if kind is e.ModelResponded and name == "decision":
        return _decision_writer(fields)
    values = attrgetter(*fields)
    if type(None) in _options(kind.__annotations__[name]):
        return lambda event: None if (record := getattr(event, name)) is None else values(record)
    return attrgetter(*(f"{name}.{field}" for field in fields))


def _decision_writer(fields: tuple[str, ...]) -> Callable[[e.ModelResponded], Sequence[Any] | None]:
    """Writes calls that are the message's own once."""
    values, calls = attrgetter(*fields), fields.index("calls")

    def write(event: e.ModelResponded) -> Sequence[Any] | None:
        if event.decision is None:
            return None
        written = values(event.decision)
        # The same object, not an equal one: 1, 1.0 and true are equal.
        if event.decision.calls is not event.message.calls:
            return written
        return (*written[:calls], _SAME_CALLS, *written[calls + 1 :])

    return write


_WRITERS = {kind: _writer(tag, LAYOUTS[tag]) for kind, tag in KINDS.items()}


LARGE_BYTES = 32_000
"""Looking for secrets in a larger piece takes tens of milliseconds: a thread does it."""


def to_batch(turn_id: str, events: Sequence[e.Durable], redactor: Redactor) -> EventBatch:
    """The events as rows. Refuses what is not one consecutive, durable piece of this turn."""
    items, body = _encoded(turn_id, events)
    return _clean_batch(turn_id, events, items, body, redactor)


def to_small_batch(turn_id: str, events: Sequence[e.Durable], redactor: Redactor) -> EventBatch | None:
    """The same on the event loop; None for a large piece."""
    items, body = _encoded(turn_id, events)
    return None if len(body) > LARGE_BYTES else _clean_batch(turn_id, events, items, body, redactor)


def _encoded(turn_id: str, events: Sequence[e.Durable]) -> tuple[Sequence[Any], bytes]:
    items: list[Sequence[Any]] = []
    for expected, event in enumerate(events, events[0].seq):
        write = _WRITERS.get(type(event))
        if write is None or event.seq != expected or event.turn_id != turn_id:
            _refuse(event, turn_id, expected)
        items.append(write(event))
    try:
        body = _encode(items)
    except _UNWRITABLE:
        _refuse_content(turn_id, events)
        raise
    return items, body


def _clean_batch(
    turn_id: str, events: Sequence[e.Durable], items: Sequence[Any], body: bytes, redactor: Redactor
) -> EventBatch:
    # One look at all of them together costs little more than one at the shortest.
    if redactor.suspects(body):
        return _redacted_batch(turn_id, events, redactor)
    return _batch(turn_id, events, items, body)


def _batch(
    turn_id: str,
    events: Sequence[e.Durable],
    items: Sequence[Any],
    body: bytes,
    redacted: Sequence[e.Durable] = (),
    originals: Sequence[tuple[int, bytes]] = (),
) -> EventBatch:
    if len(events) <= MAX_ROW_EVENTS and len(body) <= MAX_ROW_BYTES:
        rows = [_row(turn_id, events, body)]
    else:
        rows = [_row(turn_id, events[start:end], _encode(items[start:end])) for start, end in _pieces(items)]
    projected = [event for event in events if type(event) in PROJECTED]
    return EventBatch(turn_id, rows, projected, len(body), redacted, originals)


def _redacted_batch(turn_id: str, events: Sequence[e.Durable], redactor: Redactor) -> EventBatch:
    stored, redacted, originals = list(events), list[e.Durable](), list[tuple[int, bytes]]()
    for number, event in enumerate(events):
        line = e.encode(event)
        clean = _redacted(line, redactor)
        if clean is not line:
            stored[number] = to_event(clean)
            redacted.append(stored[number])
            originals.append((event.seq, line))
    items = [_WRITERS[type(event)](event) for event in stored]
    return _batch(turn_id, stored, items, _encode(items), redacted, originals)


def _redacted(line: bytes, redactor: Redactor) -> bytes:
    """The same object where there is nothing to take out. What says which event it is stays as it is."""
    # The base class's fields come first, and no JSON string holds an unescaped quote: this is the key itself.
    end = line.find(b",", line.index(_AT) + len(_AT))
    if end < 0:
        return line
    body = b"{" + line[end + 1 :]
    clean = redactor.clean(body)
    return line if clean is body else line[: end + 1] + clean[1:]


def _row(turn_id: str, events: Sequence[e.Durable], body: bytes) -> EventRow:
    first = events[0]
    stored = body if len(body) < MIN_COMPRESSED_BYTES else zlib.compress(body, 1)
    return EventRow(turn_id, first.seq, events[-1].seq, first.at, KINDS[type(first)], stored)


def _pieces(items: Sequence[Any]) -> Iterator[tuple[int, int]]:
    start = size = 0
    for number, item in enumerate(items):
        more = len(_encode(item))
        if number > start and (number - start == MAX_ROW_EVENTS or size + more > MAX_ROW_BYTES):
            yield start, number
            start, size = number, 0
        size += more
    yield start, len(items)


def _refuse(event: e.Durable, turn_id: str, expected: int) -> NoReturn:
    if type(event) not in KINDS:
        raise UsageError(f"Events of kind {type(event).__name__!r} are transient: only durable ones are stored.")
    raise UsageError(
        f"Event {event.seq} of turn {event.turn_id!r} does not fit where event {expected} of turn {turn_id!r} "
        "belongs: append the events of one turn in order."
    )


def _refuse_content(turn_id: str, events: Sequence[e.Durable]) -> None:
    """Says which of the events it is that is no JSON."""
    for event in events:
        try:
            e.encode(event)
        except _UNWRITABLE as error:
            raise StoreError(f"Event {event.seq} of turn {turn_id!r} cannot be written as JSON: {error}.") from error


def to_event(line: bytes) -> e.Durable:
    """One line of JSON, as `core.events` writes it, as the event."""
    return e.decode(line)  # pyright: ignore[reportReturnType]


def to_events(row: EventRow, after: int = 0, *, skip_unknown: bool = False) -> Iterator[e.Durable]:
    """The row's events that come after that one. Raises `StoreError` for damage, and for an unknown kind, as running on
    without it would be guessing; `skip_unknown` is for those who only look."""
    try:
        items = _decode(unpacked(row).body)
    except _UNREADABLE as error:
        raise _damaged(row, row.seq, error) from error
    if len(items) != row.last - row.seq + 1:
        raise _damaged(row, row.seq, f"{len(items)} entries for events {row.seq} to {row.last}")
    for seq, item in enumerate(items, row.seq):
        if seq <= after:
            continue
        if not item or not isinstance(kind := item[0], str):
            raise _damaged(row, seq, "it has no kind")
        if kind in LAYOUTS:
            yield _restored(row, seq, LAYOUTS[kind], item)
        elif not skip_unknown:
            raise StoreError(f"Event {seq} of turn {row.turn_id!r} has the unknown kind {kind!r}: update glassloop.")


def unpacked(row: EventRow) -> EventRow:
    """The row with its JSON as the body; raises `StoreError` for damage."""
    try:
        return row._replace(body=row_body(row.body))
    except ValueError as error:
        raise _damaged(row, row.seq, error) from error


def row_body(stored: bytes) -> bytes:
    """The JSON of a row; raises `ValueError` for what is cut off or damaged."""
    if not stored.startswith(_ZLIB_HEADER):
        return stored
    state = zlib.decompressobj()
    try:
        body = state.decompress(stored, MAX_BODY_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not state.eof:
        raise ValueError("it is cut off")
    return body


def _restored(row: EventRow, seq: int, layout: EventLayout, item: Sequence[Any]) -> e.Durable:
    try:
        own, *records = item[1:]
        fields = _named(layout.fields, own)
        for (name, names), values in zip(layout.records.items(), records, strict=False):
            fields[name] = None if values is None else _named(names, values)
        if len(records) > len(layout.records) or fields["seq"] != seq:
            raise ValueError("it is another event, or of a newer version")
        decision: Any = fields.get("decision")
        if decision is not None and decision.get("calls") == _SAME_CALLS:
            decision["calls"] = fields["message"]["calls"]
        return msgspec.convert({"turn_id": row.turn_id, **fields}, layout.kind)  # pyright: ignore[reportReturnType]
    except (*_UNREADABLE, TypeError, KeyError) as error:
        raise _damaged(row, seq, error) from error


def _named(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    if not isinstance(values, list) or len(values) > len(names):
        raise ValueError(f"{values!r:.80} is no list of up to {len(names)} values")
    return dict(zip(names, values, strict=False))


def _damaged(row: EventRow, seq: int, error: Exception | str) -> DamagedEvent:
    return DamagedEvent(f"Event {seq} of turn {row.turn_id!r} is damaged ({error}).")
