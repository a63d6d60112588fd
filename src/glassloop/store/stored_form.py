"""How events are stored: what is committed together is one row, whose body is a JSON list of them, packed if long.

Owns the way there and back, with redaction on the way there. Knows no database. Rows of the first version held one
event, and only what its columns did not tell; those of the second a line of JSON for each. They are read as they are.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import msgspec

from glassloop.core import events as e
from glassloop.core.errors import StoreError, UsageError
from glassloop.store.packing import pack, unpack
from glassloop.store.redaction import Redactor
from glassloop.store.short_form import SHORTEN, Short, restore

KINDS: dict[type[e.Event], str] = {kind: str(kind.__struct_config__.tag) for kind in e.Durable.__args__}
MARKS = frozenset({e.TurnStarted, e.TurnClaimed, e.TurnPaused, e.TurnResumed, e.AnswerGiven, e.TurnFinished})
"""The kinds that change a turn's row, its session or its messages."""

EVENTS_A_ROW = 64
BYTES_A_ROW = 256_000
"""A longer piece of a turn, as an import brings, becomes several rows."""

_KNOWN = frozenset(KINDS.values())
_AT = b',"at":'
_TYPE = b'{"type":"'

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Short).decode
_decode_items = msgspec.json.Decoder(list[msgspec.Raw]).decode
_UNWRITABLE = (TypeError, ValueError, RecursionError)
_UNREADABLE = (msgspec.MsgspecError, ValueError, RecursionError)


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

    `cleaned` has, as they are stored, those from which something was taken out; `originals` the same as they were, as
    JSON; `encrypted` what is stored of these until the turn ends.
    """

    turn_id: str
    rows: Sequence[Row]
    marks: Sequence[e.Durable]
    size: int
    cleaned: Sequence[e.Durable] = ()
    originals: Sequence[tuple[int, bytes]] = ()
    encrypted: Sequence[tuple[int, bytes]] = ()


def to_batch(turn_id: str, events: Sequence[e.Durable], redactor: Redactor) -> Batch:
    """The events as rows. Refuses what is not one consecutive, durable piece of this turn."""
    items: list[Any] = []
    for expected, event in enumerate(events, events[0].seq):
        kind = type(event)
        if event.seq != expected or event.turn_id != turn_id or kind not in KINDS:
            _refuse(event, turn_id, expected)
        shorten = SHORTEN.get(kind)
        items.append(event if shorten is None else shorten(event))
    try:
        body = _encode(items)
    except _UNWRITABLE:
        _refuse_content(turn_id, events)
        raise
    # One look at all of them together costs little more than one at the shortest.
    if redactor.suspects(body):
        return _cleaned_batch(turn_id, events, redactor)
    return _batch(turn_id, events, items, body)


def _batch(
    turn_id: str,
    events: Sequence[e.Durable],
    items: Sequence[Any],
    body: bytes,
    cleaned: Sequence[e.Durable] = (),
    originals: Sequence[tuple[int, bytes]] = (),
) -> Batch:
    if len(events) <= EVENTS_A_ROW and len(body) <= BYTES_A_ROW:
        rows = [_row(turn_id, events, body)]
    else:
        rows = [_row(turn_id, events[start:end], _encode(items[start:end])) for start, end in _pieces(items)]
    marks = [event for event in events if type(event) in MARKS]
    return Batch(turn_id, rows, marks, len(body), cleaned, originals)


def _cleaned_batch(turn_id: str, events: Sequence[e.Durable], redactor: Redactor) -> Batch:
    """The events, without what has no place in a log, as rows."""
    stored, cleaned, originals = list(events), list[e.Durable](), list[tuple[int, bytes]]()
    for number, event in enumerate(events):
        line = e.encode(event)
        clean = _cleaned(line, redactor)
        if clean is not line:
            stored[number] = to_event(clean)
            cleaned.append(stored[number])
            originals.append((event.seq, line))
    items = [shorten(event) if (shorten := SHORTEN.get(type(event))) else event for event in stored]
    return _batch(turn_id, stored, items, _encode(items), cleaned, originals)


def _row(turn_id: str, events: Sequence[e.Durable], body: bytes) -> Row:
    first = events[0]
    return Row(turn_id, first.seq, events[-1].seq, first.at, KINDS[type(first)], pack(body))


def _pieces(items: Sequence[Any]) -> Iterator[tuple[int, int]]:
    start = size = 0
    for number, item in enumerate(items):
        more = len(_encode(item))
        if number > start and (number - start == EVENTS_A_ROW or size + more > BYTES_A_ROW):
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


def _cleaned(line: bytes, redactor: Redactor) -> bytes:
    """The same object where there is nothing to take out. What says which event it is stays as it is."""
    # The base class's fields come first, and no JSON string holds an unescaped quote: this is the key itself.
    end = line.find(b",", line.index(_AT) + len(_AT))
    if end < 0:
        return line
    body = b"{" + line[end + 1 :]
    clean = redactor.clean(body)
    return line if clean is body else line[: end + 1] + clean[1:]


def to_event(line: bytes) -> e.Durable:
    """One line of JSON as the event it tells of."""
    return e.decode(line)  # pyright: ignore[reportReturnType]


def to_lines(row: Row) -> Sequence[bytes]:
    """The row's events, each as one line of JSON; raises `StoreError` for a body that is damaged."""
    return [item if isinstance(item, bytes) else e.encode(_restored(row, item, seq)) for seq, item in _items(row)]


def to_events(row: Row, after: int = 0, *, skip_unknown: bool = False) -> Iterator[e.Durable]:
    """The row's events that come after that one. An unknown kind is refused, as running on without it would be
    guessing; `skip_unknown` is for those who only look."""
    for seq, item in _items(row):
        if seq <= after:
            continue
        if isinstance(item, Short):
            yield _restored(row, item, seq)
        elif not (skip_unknown and kind_of(item) not in _KNOWN):
            yield _read(row, item, seq)


def _items(row: Row) -> Iterator[tuple[int, bytes | Short]]:
    """The row's events with their numbers: each as one line of JSON, or as the list that stands for it."""
    try:
        body = unpack(row.body)
        items = _split(row, body)
    except _UNREADABLE as error:
        raise _damaged(row, error) from error
    if len(items) != row.last - row.seq + 1:
        raise _damaged(row, ValueError(f"{len(items)} entries for events {row.seq} to {row.last}"))
    return enumerate(items, row.seq)


def _split(row: Row, body: bytes) -> Sequence[bytes | Short]:
    if body.startswith(b"["):
        return [item if item.startswith(b"{") else _decode(item) for item in map(bytes, _decode_items(body))]
    if body.startswith(_TYPE):
        return body.split(b"\n")
    head = msgspec.json.encode({"type": row.kind, "turn_id": row.turn_id, "seq": row.seq, "at": row.at})
    return (head if body == b"{}" else head[:-1] + b"," + body[1:],)


def _restored(row: Row, item: Short, seq: int) -> e.Durable:
    try:
        return restore(item, row.turn_id, seq)  # pyright: ignore[reportReturnType]
    except _UNREADABLE as error:
        raise _damaged(row, error, seq) from error


def _read(row: Row, line: bytes, seq: int) -> e.Durable:
    try:
        event = to_event(line)
    except _UNREADABLE as error:
        kind = kind_of(line)
        if kind in _KNOWN:
            raise _damaged(row, error, seq) from error
        raise StoreError(
            f"Event {seq} of turn {row.turn_id!r} has the unknown kind {kind!r}: update glassloop."
        ) from error
    if event.seq != seq or event.turn_id != row.turn_id:
        raise _damaged(row, ValueError(f"it says that it is event {event.seq} of turn {event.turn_id!r}"), seq)
    return event


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
