"""The answer as text while it is written, for clients that know no drafts. A fold of the stream.

Whether a call follows a reply's text, which makes it a thought, is known only when the reply is over. Such text is
nearly always short: the beginning of each reply is held, the rest flows. Text of a model whose replies are reviewed is
held until the answer is given.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from glassloop.core import events as e

MAX_PIECE_CHARS = 80
"""Text that comes at once is cut into pieces of this size: clients show them as they arrive."""


class AnswerPiece(NamedTuple):
    """Text to send. `again`: all that was sent before was no answer, and this begins it anew."""

    text: str
    again: bool = False

    @property
    def appended(self) -> str:
        """The same for clients that cannot take text back: a blank line parts it from what was sent before."""
        return f"\n\n{self.text}" if self.again else self.text


class AnswerText:
    """Feed it events in order; each gives what can be sent now. `hold` characters of a reply, or its first paragraph
    where that is shorter, are held."""

    def __init__(self, hold: int) -> None:
        self._hold = hold
        self._begin(-1)

    def pieces(self, events: Iterable[e.Event]) -> Iterator[AnswerPiece]:
        """Neighbours joined, and cut where they are long."""
        text, again = "", False
        for event in events:
            for piece in self._read(event):
                if piece.again:
                    yield from _cut(text, again=again)
                    text, again = piece.text, True
                else:
                    text += piece.text
        yield from _cut(text, again=again)

    def _begin(self, block: int) -> None:
        self._block, self._length = block, 0
        self._held, self._flows = "", False
        self._sent: list[str] = []

    def _read(self, event: e.Event) -> Iterator[AnswerPiece]:
        if isinstance(event, e.TextDelta):
            if event.block != self._block:
                yield from self._take_back(event.block)
            if event.offset == self._length:
                self._length += len(event.text)
                self._held += event.text
                yield from self._release(event)
        elif isinstance(event, e.AnswerGiven):
            sent = "".join(self._sent)
            if event.text.startswith(sent):
                yield AnswerPiece(event.text[len(sent) :])
            else:
                yield AnswerPiece(event.text, again=True)
            self._begin(-1)
        elif self._is_void(event):
            yield from self._take_back(-1)

    def _is_void(self, event: e.Event) -> bool:
        """Whether the text so far is now known to be no answer."""
        if isinstance(event, e.ModelResponded):
            decision = event.decision if event.block == self._block else None
            return decision is not None and decision.answer is None
        if isinstance(event, e.AnswerEvaluated):
            return not event.accepted
        return isinstance(event, e.ModelRetried)

    def _take_back(self, block: int) -> Iterator[AnswerPiece]:
        if self._sent:
            yield AnswerPiece("", again=True)
        self._begin(block)

    def _release(self, delta: e.TextDelta) -> Iterator[AnswerPiece]:
        if not self._flows:
            self._held = self._held.lstrip()
            is_long = len(self._held) >= self._hold or bool(self._held.partition("\n\n")[2].strip())
            if not self._held or delta.reviewed or (delta.draft and not is_long):
                return
            self._flows = True
        # An answer has no space at its end, and whether this is the end is not known yet.
        ready = self._held.rstrip()
        if ready:
            self._held = self._held[len(ready) :]
            self._sent.append(ready)
            yield AnswerPiece(ready)


def pieces_of(text: str) -> Iterator[str]:
    """The text in pieces as clients get them."""
    for start in range(0, len(text), MAX_PIECE_CHARS):
        yield text[start : start + MAX_PIECE_CHARS]


def _cut(text: str, *, again: bool) -> Iterator[AnswerPiece]:
    if again or text:
        yield AnswerPiece(text[:MAX_PIECE_CHARS], again)
    yield from map(AnswerPiece, pieces_of(text[MAX_PIECE_CHARS:]))
