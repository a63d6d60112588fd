"""Open block of text of each turn, so that a watcher who joins late gets it whole.

A block is one attempt at a reply: text, thought and arguments, each with offsets of its own. It is open from its first
piece to the next durable event, and everything is bounded: what is too long, or one turn too many, is no longer kept,
and a late watcher then gets only what follows. Knows nothing of watchers.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import lt
from typing import Literal, NamedTuple

import msgspec

from glassloop.core import events as e

Piece = e.TextDelta | e.ThoughtDelta | e.ArgumentsDelta
PIECES: frozenset[type[e.Event]] = frozenset(Piece.__args__)

MAX_CHARS = 1_000_000
MAX_CHARS_IN_ALL = 50_000_000
MAX_TURNS = 10_000
STRAND_CHARS = 100
"""What a strand counts beside its text, so that many empty ones are bounded too."""
LOOSE_CHARS = 4_096
"""How much lies loose before it is joined: small pieces take many times their text."""
LOOSE_PIECE_CHARS = 12
"""What a loose piece counts beside its text."""

_replace = msgspec.structs.replace


class BlockExtent(NamedTuple):
    """How much of a block somebody has: its number, and the characters of each kind."""

    block: int
    text: int
    thought: int
    arguments: int


NOTHING = BlockExtent(-1, 0, 0, 0)


class TextStrand:
    """Pieces of one kind that follow one another, as one piece."""

    __slots__ = ("end", "first", "pieces")

    def __init__(self, first: Piece) -> None:
        self.first = first
        self.pieces = [first.text]
        self.end = first.offset + len(first.text)

    def goes_on_with(self, piece: Piece) -> bool:
        first = self.first
        if piece.offset != self.end or type(piece) is not type(first) or piece.block != first.block:
            return False
        if isinstance(piece, e.TextDelta) and isinstance(first, e.TextDelta):
            return piece.draft == first.draft
        if isinstance(piece, e.ArgumentsDelta) and isinstance(first, e.ArgumentsDelta):
            # Providers name the tool once, before its arguments.
            return piece.index == first.index and piece.tool in ("", first.tool)
        return True

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.end += len(text)

    def whole(self, after: int = 0) -> Piece:
        """All of it, or what comes from the offset `after` on."""
        if len(self.pieces) > 1:
            self.pieces = ["".join(self.pieces)]
        skipped = max(0, after - self.first.offset)
        return _replace(self.first, offset=self.first.offset + skipped, text=self.pieces[0][skipped:])


def joined(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """The same text in as few pieces as follow one another."""
    strand: TextStrand | None = None
    for piece in pieces:
        if strand is not None and strand.goes_on_with(piece):
            strand.add(piece.text)
            continue
        if strand is not None:
            yield strand.whole()
        strand = TextStrand(piece)
    if strand is not None:
        yield strand.whole()


class OpenBlock:
    """The block that a turn writes. `ends` goes on counting when the text itself became too long to keep.

    Pieces lie loose until somebody asks or they become many: most blocks are never asked for, and keeping a piece is on
    the way of every token.
    """

    __slots__ = ("_ends", "_kept", "_strands", "chars", "foreign", "loose", "number", "room", "seq")

    def __init__(self, first: Piece, *, foreign: bool) -> None:
        self.number = first.block
        self.seq = first.seq
        self.foreign = foreign
        self.loose: list[Piece] = []
        self.room = LOOSE_CHARS
        self.chars = 0
        self._kept = True
        self._ends: dict[type[e.Event], int] = {}
        self._strands: dict[type[e.Event], list[TextStrand]] = {}

    def settle(self) -> int:
        """Joins what lies loose; by how many characters the block has grown."""
        before, loose = self.chars, self.loose
        self.loose, self.room = [], LOOSE_CHARS
        for piece in joined(loose):
            self._add(piece)
        if self.chars > MAX_CHARS:
            self._kept, self.chars = False, 0
            self._strands.clear()
        return self.chars - before

    def _add(self, piece: Piece) -> None:
        kind = type(piece)
        fits = piece.offset == self._ends.get(kind, 0)
        self._ends[kind] = piece.offset + len(piece.text)
        if not self._kept:
            return
        strands = self._strands.get(kind)
        if strands and strands[-1].goes_on_with(piece):
            strands[-1].add(piece.text)
        elif fits and strands != []:
            self._strands.setdefault(kind, []).append(TextStrand(piece))
            self.chars += STRAND_CHARS
        else:
            # Its beginning is not known: an empty list says that this kind cannot be told from the start.
            self._strands[kind] = []
        self.chars += len(piece.text)

    def end(self, kind: type[e.Event]) -> int:
        return self._ends.get(kind, 0)

    def have(self) -> BlockExtent:
        return BlockExtent(self.number, self.end(e.TextDelta), self.end(e.ThoughtDelta), self.end(e.ArgumentsDelta))

    def after(self, have: BlockExtent) -> Iterator[Piece]:
        """What somebody who has that much lacks: as few pieces as its kinds, and its calls, allow."""
        known = have if have.block == self.number else NOTHING
        for kind, end in (
            (e.ThoughtDelta, known.thought),
            (e.TextDelta, known.text),
            (e.ArgumentsDelta, known.arguments),
        ):
            for strand in self._strands.get(kind, ()):
                if strand.end > end or strand.end == end == strand.first.offset:
                    yield strand.whole(end)


class OpenBlocks:
    """The open blocks of all turns, the oldest first to be forgotten."""

    def __init__(self) -> None:
        self._open: dict[str, OpenBlock] = {}
        self._chars = 0

    def keep(self, piece: Piece, *, foreign: bool = False) -> None:
        """Adds a piece to the block of its turn. `foreign`: another process writes it."""
        block = self._open.get(piece.turn_id)
        if block is None or block.number != piece.block:
            self.forget(piece.turn_id)
            if piece.offset:
                # What was forgotten does not come back for its rest: with too many turns, each would drive out another.
                return
            block = self._open[piece.turn_id] = OpenBlock(piece, foreign=foreign)
            if len(self._open) > MAX_TURNS:
                self.forget(next(iter(self._open)))
        block.loose.append(piece)
        block.room -= len(piece.text) + LOOSE_PIECE_CHARS
        if block.room < 0:
            self._settle(block)

    def _settle(self, block: OpenBlock) -> OpenBlock:
        self._chars += block.settle()
        while self._chars > MAX_CHARS_IN_ALL:
            self.forget(next(iter(self._open)))
        return block

    def novel(self, piece: Piece) -> Piece | Literal["gap"] | None:
        """What a piece from elsewhere adds to the block here: all of it, its end, or nothing; or it leaves a gap."""
        block = self._open.get(piece.turn_id)
        if block is not None and piece.block < block.number:
            return None
        same = block is not None and piece.block == block.number
        end = self._settle(block).end(type(piece)) if block is not None and same else 0
        known = end - piece.offset
        if known < 0:
            if not same:
                self.forget(piece.turn_id)
            return "gap"
        if known == 0:
            return piece
        return _replace(piece, offset=end, text=piece.text[known:]) if known < len(piece.text) else None

    def close(self, turn_id: str, seq: int) -> None:
        """A durable event came. One that the block came after, but that was shown later, does not close it."""
        block = self._open.get(turn_id)
        if block is not None and seq > block.seq:
            self.forget(turn_id)

    def void(self, turn_id: str, number: int) -> None:
        block = self._open.get(turn_id)
        if block is not None and block.number <= number:
            self.forget(turn_id)

    def forget(self, turn_id: str) -> None:
        block = self._open.pop(turn_id, None)
        if block is not None:
            self._chars -= block.chars

    def forget_foreign(self, turn_id: str) -> None:
        block = self._open.get(turn_id)
        if block is not None and block.foreign:
            self.forget(turn_id)

    def is_ours(self, turn_id: str) -> bool:
        """Whether a block of this turn is open and written here."""
        block = self._open.get(turn_id)
        return block is not None and not block.foreign

    def have(self, turn_id: str) -> BlockExtent:
        block = self._open.get(turn_id)
        return NOTHING if block is None else self._settle(block).have()

    def lacks(self, turn_id: str, written: BlockExtent) -> bool:
        """Whether there is less of the block here than was written; not where a newer one is open."""
        have = self.have(turn_id)
        return have.block < written.block or (have.block == written.block and any(map(lt, have, written)))

    def have_before(self, event: e.AnyEvent) -> BlockExtent:
        """What there is of the turn's open block without this event, which was kept already."""
        have = self.have(event.turn_id)
        if type(event) is e.TextDelta and have.block == event.block:
            return have._replace(text=event.offset)
        if type(event) is e.ThoughtDelta and have.block == event.block:
            return have._replace(thought=event.offset)
        if type(event) is e.ArgumentsDelta and have.block == event.block:
            return have._replace(arguments=event.offset)
        return have

    def after(self, turn_id: str, have: BlockExtent = NOTHING) -> Sequence[Piece]:
        """What somebody who has that much of the turn's open block lacks."""
        block = self._open.get(turn_id)
        return () if block is None else tuple(self._settle(block).after(have))
