"""Outbox to other processes: bounded, in order within each topic, transients the first to be dropped."""

from collections.abc import Sequence

import msgspec

from glassloop.core.events import Transient
from glassloop.core.ports import Nudge
from glassloop.runtime.bus.notify_payloads import (
    MAX_BYTES,
    GapNotice,
    Payloads,
    SignalNotice,
    StoredNotice,
    WatchNotice,
    WrittenNotice,
    chars_of,
)
from glassloop.runtime.bus.open_blocks import BlockExtent, Piece, joined

MAX_PAYLOADS = 64
"""Of one flush, those that transients may fill; nudges and signals are never left out for want of room."""
MAX_TOPICS = 10_000
MAX_SIGNALS = 1_000
MAX_CHARS = 500_000
TIMES_SAID = 4
"""How often a signal is sent: those who are cut off for a moment must hear it too."""
EVENT_CHARS = 50
"""What a transient counts beside its text."""


class Outbox:
    """Filled by publishing, emptied by `take`."""

    def __init__(self, sender: str) -> None:
        self._sender = sender
        self._topics: dict[str, list[Nudge | WrittenNotice | Transient]] = {}
        self._watched: dict[str, BlockExtent] = {}
        self._signals: dict[SignalNotice, int] = {}
        self._due: dict[SignalNotice, None] = {}
        self._running_work: tuple[SignalNotice, ...] = ()
        self._signalled = 0
        self._chars = 0
        self._missed = False

    def nudge(self, topic: str, number: int) -> None:
        entries = self._topics.get(topic)
        if entries is None:
            if len(self._topics) >= MAX_TOPICS:
                self._missed = True
                return
            self._topics[topic] = [Nudge(topic, number)]
        elif isinstance(last := entries[-1], Nudge):
            entries[-1] = Nudge(topic, number and last.number and max(number, last.number))
        else:
            entries.append(Nudge(topic, number))

    def transient(self, event: Transient) -> None:
        topic, room = event.turn_id, MAX_CHARS - self._chars - EVENT_CHARS
        if room < 0 or (topic not in self._topics and len(self._topics) >= MAX_TOPICS):
            return
        if isinstance(event, Piece):
            # Its beginning is of use alone; for the end, who has the beginning will ask.
            if len(event.text) > room:
                event = msgspec.structs.replace(event, text=event.text[:room])
            size = len(event.text)
        else:
            size = chars_of(event)
            if size > min(room, MAX_BYTES):
                return
        self._chars += EVENT_CHARS + size
        self._topics.setdefault(topic, []).append(event)

    def answer(self, topic: str, lacking: Sequence[Piece], written: BlockExtent) -> None:
        """What somebody lacks of an open block, and how much there is of it, should not all of this arrive."""
        for piece in lacking:
            self.transient(piece)
        if topic in self._topics or len(self._topics) < MAX_TOPICS:
            self._topics.setdefault(topic, []).append(WrittenNotice(topic, *written))

    def watch(self, topic: str, have: BlockExtent) -> None:
        if topic in self._watched or len(self._watched) < MAX_TOPICS:
            self._watched[topic] = have

    def signal(self, what: str, topic: str) -> None:
        self._signalled += 1
        made = SignalNotice(f"{self._sender}:{self._signalled}", what, topic)
        self._signals[made] = TIMES_SAID
        self._due[made] = None
        if len(self._signals) > MAX_SIGNALS:
            oldest = next(iter(self._signals))
            del self._signals[oldest]
            self._due.pop(oldest, None)

    def repeat_signals(self) -> None:
        self._due = dict.fromkeys(self._signals)

    def miss(self) -> None:
        """Nobody can be reached for now. What is stored they will be told to look for; signals are kept."""
        self._topics.clear()
        self._watched.clear()
        self._chars = 0
        self._missed = True
        self._running_work = ()
        self.repeat_signals()

    def take(self) -> list[str]:
        """The payloads of all that waits."""
        payloads = Payloads(self._sender, MAX_PAYLOADS)
        if self._missed:
            payloads.add(GapNotice())
        for signal in self._due:
            payloads.add(signal)
        for topic, have in self._watched.items():
            payloads.add(WatchNotice(topic, *have))
        for entries in self._topics.values():
            _write(entries, payloads)
        self._running_work = tuple(self._due)
        for waiting in (self._topics, self._watched, self._due):
            waiting.clear()
        self._chars, self._missed = 0, False
        return payloads.finish()

    def sent(self) -> None:
        """What was taken has arrived."""
        for signal in self._running_work:
            if signal in self._signals:
                self._signals[signal] -= 1
                if not self._signals[signal]:
                    del self._signals[signal]
        self._running_work = ()


def _write(entries: list[Nudge | WrittenNotice | Transient], payloads: Payloads) -> None:
    """The entries of one topic, in order, pieces that follow one another joined."""
    pieces: list[Piece] = []
    for entry in entries:
        if isinstance(entry, Piece):
            pieces.append(entry)
            continue
        for piece in joined(pieces):
            payloads.add_transient(piece)
        pieces.clear()
        if isinstance(entry, Nudge):
            payloads.add(StoredNotice(entry.topic, entry.number))
        elif isinstance(entry, WrittenNotice):
            payloads.add(entry)
        else:
            payloads.add_transient(entry)
    for piece in joined(pieces):
        payloads.add_transient(piece)
