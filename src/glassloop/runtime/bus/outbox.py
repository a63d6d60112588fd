"""What waits to be sent to other processes: bounded, in order within each topic, transients the first to go."""

from collections.abc import Sequence

import msgspec

from glassloop.core.events import Transient
from glassloop.core.ports import Nudge
from glassloop.runtime.bus.blocks import Have, Piece, joined
from glassloop.runtime.bus.wire import MOST_BYTES, Missed, Nudged, Payloads, Signalled, Watched, Written, chars_of

MOST_PAYLOADS = 64
"""Of one flush, those that transients may fill; nudges and signals are never left out for want of room."""
MOST_TOPICS = 10_000
MOST_SIGNALS = 1_000
MOST_CHARS = 500_000
TIMES_SAID = 4
"""How often a signal is sent: those who are cut off for a moment must hear it too."""
EVENT_CHARS = 50
"""What a transient counts beside its text."""


class Outbox:
    """Filled by publishing, emptied by `take`."""

    def __init__(self, sender: str) -> None:
        self._sender = sender
        self._topics: dict[str, list[Nudge | Written | Transient]] = {}
        self._watched: dict[str, Have] = {}
        self._signals: dict[Signalled, int] = {}
        self._due: dict[Signalled, None] = {}
        self._under_way: tuple[Signalled, ...] = ()
        self._signalled = 0
        self._chars = 0
        self._missed = False

    def nudge(self, topic: str, number: int) -> None:
        entries = self._topics.get(topic)
        if entries is None:
            if len(self._topics) >= MOST_TOPICS:
                self._missed = True
                return
            self._topics[topic] = [Nudge(topic, number)]
        elif isinstance(last := entries[-1], Nudge):
            entries[-1] = Nudge(topic, number and last.number and max(number, last.number))
        else:
            entries.append(Nudge(topic, number))

    def transient(self, event: Transient) -> None:
        topic, room = event.turn_id, MOST_CHARS - self._chars - EVENT_CHARS
        if room < 0 or (topic not in self._topics and len(self._topics) >= MOST_TOPICS):
            return
        if isinstance(event, Piece):
            # Its beginning is of use alone; for the end, who has the beginning will ask.
            if len(event.text) > room:
                event = msgspec.structs.replace(event, text=event.text[:room])
            size = len(event.text)
        else:
            size = chars_of(event)
            if size > min(room, MOST_BYTES):
                return
        self._chars += EVENT_CHARS + size
        self._topics.setdefault(topic, []).append(event)

    def answer(self, topic: str, lacking: Sequence[Piece], written: Have) -> None:
        """What somebody lacks of an open block, and how much there is of it, should not all of this arrive."""
        for piece in lacking:
            self.transient(piece)
        if topic in self._topics or len(self._topics) < MOST_TOPICS:
            self._topics.setdefault(topic, []).append(Written(topic, *written))

    def watch(self, topic: str, have: Have) -> None:
        if topic in self._watched or len(self._watched) < MOST_TOPICS:
            self._watched[topic] = have

    def signal(self, what: str, topic: str) -> None:
        self._signalled += 1
        made = Signalled(f"{self._sender}:{self._signalled}", what, topic)
        self._signals[made] = TIMES_SAID
        self._due[made] = None
        if len(self._signals) > MOST_SIGNALS:
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
        self._under_way = ()
        self.repeat_signals()

    def take(self) -> list[str]:
        """The payloads of all that waits."""
        payloads = Payloads(self._sender, MOST_PAYLOADS)
        if self._missed:
            payloads.add(Missed())
        for signal in self._due:
            payloads.add(signal)
        for topic, have in self._watched.items():
            payloads.add(Watched(topic, *have))
        for entries in self._topics.values():
            _write(entries, payloads)
        self._under_way = tuple(self._due)
        for waiting in (self._topics, self._watched, self._due):
            waiting.clear()
        self._chars, self._missed = 0, False
        return payloads.finish()

    def sent(self) -> None:
        """What was taken has arrived."""
        for signal in self._under_way:
            if signal in self._signals:
                self._signals[signal] -= 1
                if not self._signals[signal]:
                    del self._signals[signal]
        self._under_way = ()


def _write(entries: list[Nudge | Written | Transient], payloads: Payloads) -> None:
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
            payloads.add(Nudged(entry.topic, entry.number))
        elif isinstance(entry, Written):
            payloads.add(entry)
        else:
            payloads.add_transient(entry)
    for piece in joined(pieces):
        payloads.add_transient(piece)
