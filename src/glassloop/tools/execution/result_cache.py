"""Results of reading tools, for as long as they may be used again.

Least recently used goes first, when there are too many entries or too many bytes. Keyed by user and session, so no one
sees another's results. Entries are kept as bytes: no caller can change what the next one gets. Owns no policy: what may
be remembered, and when an effect makes it worthless, is the orchestrator's.
"""

from collections import OrderedDict

import msgspec

from glassloop.core.records import Json, ToolResult

ENTRIES = 1_024
BYTES = 32_000_000

Owner = tuple[str, str]
"""User and session."""

Key = tuple[Owner, str, bytes]
"""Whose, which tool, and its arguments in canonical form."""


class SessionReads:
    """A session's reads since its last effect: what is stored, and how many are still on their way."""

    __slots__ = ("keys", "pending")

    def __init__(self) -> None:
        self.keys: set[Key] = set()
        self.pending = 0


class _Entry(msgspec.Struct, frozen=True):
    result: bytes
    expires: float


class ResultCache:
    """Bounded, per process. `ResultCache(entries=0)` remembers nothing."""

    def __init__(self, *, entries: int = ENTRIES, max_bytes: int = BYTES) -> None:
        self._limit = entries
        self._max_bytes = max_bytes
        self._bytes = 0
        self._entries: OrderedDict[Key, _Entry] = OrderedDict()
        self._readings: dict[Owner, SessionReads] = {}

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def size(self) -> int:
        """Bytes held, keys included."""
        return self._bytes

    @property
    def sessions(self) -> int:
        """Sessions with an entry, or with a read on its way."""
        return len(self._readings)

    def get(self, key: Key, now: float) -> ToolResult | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.expires <= now:
            self._drop(key)
            return None
        self._entries.move_to_end(key)
        return _decode(entry.result)

    def begin(self, owner: Owner) -> SessionReads:
        """Before a read starts. Its result may be stored only if no effect comes in between."""
        reading = self._readings.get(owner)
        if reading is None:
            reading = self._readings[owner] = SessionReads()
        reading.pending += 1
        return reading

    def end(self, owner: Owner, reading: SessionReads) -> None:
        """After a read, however it ended."""
        reading.pending -= 1
        self._release(owner, reading)

    def put(self, key: Key, result: ToolResult, expires: float, reading: SessionReads) -> None:
        if self._readings.get(key[0]) is not reading or self._limit <= 0:
            return
        stored = _encode(result)
        if _weight(key, stored) > self._max_bytes:
            return
        if key in self._entries:
            self._drop(key)
        self._entries[key] = _Entry(stored, expires)
        reading.keys.add(key)
        self._bytes += _weight(key, stored)
        while len(self._entries) > self._limit or self._bytes > self._max_bytes:
            self._drop(next(iter(self._entries)))

    def forget(self, owner: Owner) -> None:
        """After an effect: nothing that the session read before it, or is reading now, may be used again."""
        reading = self._readings.pop(owner, None)
        if reading is not None:
            for key in list(reading.keys):
                self._bytes -= _weight(key, self._entries.pop(key).result)

    def _drop(self, key: Key) -> None:
        self._bytes -= _weight(key, self._entries.pop(key).result)
        owner = key[0]
        reading = self._readings[owner]
        reading.keys.discard(key)
        self._release(owner, reading)

    def _release(self, owner: Owner, reading: SessionReads) -> None:
        """A session without entries or readers leaves no trace."""
        if not reading.keys and not reading.pending and self._readings.get(owner) is reading:
            del self._readings[owner]


def canonical(args: dict[str, Json]) -> bytes | None:
    """Equal arguments as equal bytes; None for what cannot be written as JSON, which is then not cached."""
    try:
        return _canonical(args)
    except (TypeError, ValueError, RecursionError):
        return None


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(ToolResult).decode
_canonical = msgspec.json.Encoder(order="deterministic").encode


def _weight(key: Key, stored: bytes) -> int:
    owner, tool, args = key
    return len(stored) + len(args) + len(tool) + len(owner[0]) + len(owner[1])
