"""Payloads of NOTIFY between processes: JSON, each shorter than the 8,000 bytes it allows.

A payload is untrusted: whoever can reach the database can send one. Unreadable entries are skipped one by one, so that
a newer version's entries do no harm.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

import msgspec

from glassloop.core.events import Transient, encode
from glassloop.runtime.bus.open_blocks import BlockExtent, Piece

MAX_BYTES = 7_900
MAX_NAME = 200
_FRAME_BYTES = 8

Name = Annotated[str, msgspec.Meta(max_length=MAX_NAME)]
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class StoredNotice(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="nudge"):
    """Something of this topic was stored, up to `number`."""

    topic: Name
    number: Count


class SignalNotice(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="signal"):
    """For everybody who listens. It is said several times: `ident` tells whether it was heard before."""

    ident: Name
    what: Name
    topic: Name


class _Extent(msgspec.Struct, frozen=True, gc=False, tag_field="type"):
    topic: Name
    block: int
    text: Count
    thought: Count
    arguments: Count

    @property
    def have(self) -> BlockExtent:
        return BlockExtent(self.block, self.text, self.thought, self.arguments)


class WatchNotice(_Extent, frozen=True, gc=False, tag="watch"):
    """Somebody watches this topic, and has that much of its open block."""


class WrittenNotice(_Extent, frozen=True, gc=False, tag="written"):
    """So much of the open block is written: whoever has less after this lost something on the way."""


class GapNotice(msgspec.Struct, frozen=True, gc=False, tag_field="type", tag="missed"):
    """The sender could not be heard for a while: anything may have been stored."""


Message = StoredNotice | SignalNotice | WatchNotice | WrittenNotice | GapNotice
Entry = Message | Transient


class _Letter(msgspec.Struct, array_like=True, gc=False):
    sender: str
    entries: list[msgspec.Raw]


_letter = msgspec.json.Decoder(_Letter)
_entry = msgspec.json.Decoder(Entry)
_encode = msgspec.json.Encoder().encode


def read_payload(payload: str, me: str) -> Sequence[Entry]:
    """What others say in it; nothing where `me` sent it."""
    try:
        letter = _letter.decode(payload)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return ()
    return () if letter.sender == me else tuple(_readable(letter.entries))


def _readable(entries: Iterable[msgspec.Raw]) -> Iterator[Entry]:
    for raw in entries:
        try:
            yield _entry.decode(raw)
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            continue


class Payloads:
    """Puts entries into as few payloads as they fit in. Transients are left out when `most` of them are full."""

    def __init__(self, sender: str, most: int) -> None:
        self._frame = f'["{sender}",['
        self._room = MAX_BYTES - len(self._frame) - _FRAME_BYTES
        self._most = most
        self._bytes = 0
        self._entries: list[bytes] = []
        self._done: list[str] = []

    def add(self, entry: Message) -> None:
        try:
            self._put(_encode(entry))
        except UnicodeEncodeError:
            # A name that is not Unicode is nobody's.
            pass

    def add_transient(self, event: Transient) -> bool:
        """False where it does not fit any more."""
        try:
            line = encode(event)
        except UnicodeEncodeError:
            return self.add_transient(_storable(event))
        if len(line) <= self._room:
            return self._put(line, droppable=True)
        if not isinstance(event, Piece):
            return False
        return all(self._put(part, droppable=True) for part in split(event, self._room))

    def finish(self) -> list[str]:
        self._turn_page()
        return self._done

    def _put(self, line: bytes, *, droppable: bool = False) -> bool:
        if len(line) > self._room:
            # No name of ours is that long.
            return False
        is_full = self._bytes + len(line) > self._room
        if droppable and len(self._done) + is_full >= self._most:
            return False
        if is_full:
            self._turn_page()
        self._entries.append(line)
        self._bytes += len(line) + 1
        return True

    def _turn_page(self) -> None:
        if self._entries:
            self._done.append(f"{self._frame}{b','.join(self._entries).decode()}]]")
        self._entries, self._bytes = [], 0


def split(piece: Piece, room: int) -> Iterator[bytes]:
    """The piece in parts of at most `room` bytes each, cut between characters."""
    text, start = piece.text, 0
    while start < len(text):
        size = room
        while True:
            part = msgspec.structs.replace(piece, offset=piece.offset + start, text=text[start : start + size])
            line = encode(part)
            if len(line) <= room or size == 1:
                break
            size = max(1, min(size - 1, size * room // len(line)))
        yield line
        start += size


def chars_of(event: Transient) -> int:
    """How much text it holds."""
    return sum(len(value) for value in _texts(event).values())


def _storable(event: Transient) -> Transient:
    """Half surrogates, which come out of some JSON, fit in no payload: replaced one by one, so that offsets hold."""
    clean = {name: value.encode("utf-8", "replace").decode() for name, value in _texts(event).items()}
    return msgspec.structs.replace(event, **clean)


def _texts(event: Transient) -> dict[str, str]:
    values = msgspec.structs.asdict(event)
    return {name: value for name, value in values.items() if isinstance(value, str)}
