"""One session's working memory: its turns within their bounds, and the summary of the older ones.

Turns before the newest two keep what was said and thought, their observations only within `TURN_BYTES`. Knows nothing
of other sessions, and does not ask for anything.
"""

from collections.abc import Sequence

import msgspec

from glassloop.core.records import ConversationTurn, Json
from glassloop.memory.archive import SessionPosition
from glassloop.memory.turn_size import shortened, size_of

MAX_TURNS = 500
SESSION_BYTES = 1_000_000
NEWEST = 2
NEWEST_BYTES = 400_000
TURN_BYTES = 20_000


class ConversationSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What the turns up to `turn_id` come down to, in a few words."""

    text: str
    turn_id: str
    made_at: float


class WorkingMemory(msgspec.Struct, kw_only=True):
    """The turns of a session, oldest first. `standing` and `seen` are the archive's: as it was looked at last, and the
    newest turn it told of."""

    turns: list[ConversationTurn] = []
    sizes: list[int] = []
    size: int = 0
    context: dict[str, Json] = {}
    summary: ConversationSummary | None = None
    last_active: float = 0.0
    standing: SessionPosition | None = None
    seen: str | None = None

    def position(self, turn_id: str | None) -> int:
        """How many turns there are up to and with that one; 0 when it is not here, or no longer."""
        for number in range(len(self.turns), 0, -1):
            if self.turns[number - 1].id == turn_id:
                return number
        return 0

    @property
    def summarized(self) -> int:
        """How many of the turns the summary tells already."""
        return self.position(self.summary.turn_id) if self.summary is not None else 0

    @property
    def unseen(self) -> Sequence[ConversationTurn]:
        """The turns that came since the archive was looked at."""
        return self.turns[self.position(self.seen) :]

    def is_forgotten(self, now: SessionPosition | None) -> bool:
        """Whether what is remembered here was forgotten or deleted, by whomever."""
        before = self.standing
        if before is None:
            # A session that the archive does not have may not be stored yet.
            return now is not None and now.cut_off is not None
        return now is None or (before.began, before.cut_off) != (now.began, now.cut_off)

    def merge(self, told: Sequence[ConversationTurn], after: str | None) -> None:
        """Takes in what the archive has after that turn, in its order; what it does not have yet stays last."""
        first = self.position(after)
        own = {turn.id: turn for turn in self.turns[first:]}
        if any(turn.id not in own for turn in told):
            self.size -= sum(self.sizes[first:])
            del self.turns[first:], self.sizes[first:]
            for turn in told:
                self.add(own.pop(turn.id, turn))
            for turn in own.values():
                self.add(turn)
        if told:
            self.seen = told[-1].id

    def adopt(self, found: tuple[str, str] | None, at: float) -> None:
        """Takes the archive's summary where it tells more than ours. A turn that is not here is older than those."""
        if found is not None and (self.summary is None or self.position(found[1]) > self.summarized):
            self.summary = ConversationSummary(text=found[0], turn_id=found[1], made_at=at)

    def add(self, turn: ConversationTurn) -> None:
        """Appends a turn, then shortens or drops what no longer fits."""
        turns, sizes = self.turns, self.sizes
        size = size_of(turn)
        if size > NEWEST_BYTES:
            turn = shortened(turn, NEWEST_BYTES)
            size = size_of(turn)
        turns.append(turn)
        sizes.append(size)
        total, gone = self.size + size, 0
        if len(turns) > NEWEST and sizes[-1 - NEWEST] > TURN_BYTES:
            turns[-1 - NEWEST] = shortened(turns[-1 - NEWEST], TURN_BYTES)
            smaller = size_of(turns[-1 - NEWEST])
            total += smaller - sizes[-1 - NEWEST]
            sizes[-1 - NEWEST] = smaller
        while len(turns) - gone > NEWEST and (total > SESSION_BYTES or len(turns) - gone > MAX_TURNS):
            total -= sizes[gone]
            gone += 1
        if gone:
            del turns[:gone], sizes[:gone]
        self.size = total
