"""Working memory of one session: its turns within their bounds, the summary of the older ones, and the port to the log.

Turns before the newest two keep what was said and thought, their observations only within `TURN_BYTES`. Sizes are those
of a turn's JSON: near enough to keep working memory bounded, and cheap. Only working memory is cut; the log has
everything, and the runtime fills `Archive` with the store.
"""

from collections.abc import Container, Sequence
from typing import Any, Protocol

import msgspec

from glassloop.core.records import ConversationTurn, Json, ParallelCall, ReActStep, ToolCall, ToolResult


class SessionPosition(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session stands in the log: one cheap look tells whether anything has changed since the last.

    `began` and `cut_off` (None while nothing was forgotten) differ from what they were when the conversation was
    forgotten or the session deleted, `branches` when a turn was replaced by another version. `version` differs when a
    turn has finished. `summary` is a text and the id of the last turn it tells, which is after the cut-off and was not
    replaced.
    """

    began: str
    cut_off: str | None = None
    branches: int = 0
    version: int = 0
    summary: tuple[str, str] | None = None


class Archive(Protocol):
    """The conversations as the log has them. A session of another user is no session."""

    async def standing(self, session_id: str, user: str) -> SessionPosition | None:
        """None where the user has no such session."""
        ...

    async def turns(
        self,
        session_id: str,
        user: str,
        after: str | None,
        *,
        cut_off: str | None = None,
        known: Container[str] = (),
    ) -> Sequence[ConversationTurn]:
        """The finished turns that have an answer, are no commands and were not replaced, oldest first, at most the
        newest `MAX_TURNS`.

        Those that started after the turn `after`, or all where that is None or unknown; in any case after `cut_off`.
        Those in `known` come in their place with question and answer only: the caller has them.
        """
        ...

    async def save_summary(self, session_id: str, user: str, text: str, turn_id: str) -> None:
        """Keeps what the turns up to that one come down to."""
        ...

    async def forget(self, session_id: str, user: str) -> None:
        """The turns so far are not told any more, by any process."""
        ...


_UNKNOWN_BYTES = 1_000_000


def size_of(value: Any) -> int:
    """In bytes; a value that JSON cannot hold counts as a large one."""
    try:
        return len(msgspec.json.encode(value))
    except (TypeError, ValueError, OverflowError, RecursionError):
        return _UNKNOWN_BYTES


def shortened(turn: ConversationTurn, budget: int) -> ConversationTurn:
    """The turn within about `budget` bytes: observations first, then the steps as a whole, then what was said."""
    if size_of(turn) <= budget:
        return turn
    if turn.attachments:
        room = budget // (4 * len(turn.attachments))
        given = (msgspec.structs.replace(each, text=cut(each.text, room)) for each in turn.attachments)
        turn = msgspec.structs.replace(turn, attachments=tuple(given))
    share = budget // (2 * max(len(turn.steps), 1))
    turn = msgspec.structs.replace(turn, steps=tuple(_short_step(step, share) for step in turn.steps))
    if size_of(turn) <= budget:
        return turn
    turn = msgspec.structs.replace(turn, steps=(), plan=None)
    if size_of(turn) <= budget:
        return turn
    part = budget / (size_of(turn) + 500)
    return msgspec.structs.replace(
        turn,
        user_query=cut(turn.user_query, int(len(turn.user_query) * part)),
        agent_response=cut(turn.agent_response, int(len(turn.agent_response) * part)),
        evaluation=None,
    )


def cut(text: str, room: int) -> str:
    """The beginning of a text that is longer than `room` characters, with a note of what is missing.

    The note is ASCII, so that it does not change what the rest is estimated at in tokens.
    """
    return text if len(text) <= room else f"{text[:room]}... ({len(text) - room:,} characters left out)"


def _short_step(step: ReActStep, share: int) -> ReActStep:
    if size_of(step) <= share:
        return step
    room = share // 4
    action, observation = step.action, step.observation
    return msgspec.structs.replace(
        step,
        thought=cut(step.thought, room),
        action=_short_call(action, room) if action else None,
        observation=_short_result(observation, room) if observation else None,
        parallel=tuple(_short_parallel(one, room // len(step.parallel)) for one in step.parallel),
    )


def _short_parallel(one: ParallelCall, room: int) -> ParallelCall:
    observation = one.observation and _short_result(one.observation, room)
    return ParallelCall(action=_short_call(one.action, room), observation=observation)


def _short_call(call: ToolCall, room: int) -> ToolCall:
    if size_of(call.args) <= room:
        return call
    each = room // len(call.args)
    args: dict[str, Json] = {}
    for name, value in call.args.items():
        args[name] = cut(value, each) if isinstance(value, str) else value if size_of(value) <= each else None
    return msgspec.structs.replace(call, args=args)


def _short_result(result: ToolResult, room: int) -> ToolResult:
    return msgspec.structs.replace(
        result,
        output=cut(result.output, room),
        error=cut(result.error, room) if result.error else result.error,
        data=result.data if size_of(result.data) <= room else None,
        metadata=result.metadata if size_of(result.metadata) <= room else {},
    )


MAX_TURNS = 500
SESSION_BYTES = 1_000_000
NEWEST = 2
NEWEST_BYTES = 400_000
TURN_BYTES = 20_000


class ConversationSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What the turns up to `turn_id` come down to, in a few words. `sourced` are the figures in it that have a source
    in these turns, None as long as nobody looked."""

    text: str
    turn_id: str
    made_at: float
    sourced: tuple[str, ...] | None = None


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
    is_incomplete: bool = False
    """Whether the session may have turns before these."""
    told_to: str = ""
    """The turn under way that was told this last."""

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
        """Whether what is remembered here was forgotten, deleted or in part replaced, by whomever."""
        before = self.standing
        if before is None:
            # A session that the archive does not have may not be stored yet.
            return now is not None and (now.cut_off is not None or now.branches > 0)
        if now is None:
            return True
        return (before.began, before.cut_off, before.branches) != (now.began, now.cut_off, now.branches)

    def takes(self, turn_id: str) -> bool:
        """Whether a turn that ends here belongs to what is remembered: in a session with several versions, one that
        was told it. Any other comes from the archive, if it was not replaced."""
        return self.standing is None or not self.standing.branches or turn_id == self.told_to

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
        self.is_incomplete |= len(told) >= MAX_TURNS
        if told:
            self.seen = told[-1].id

    def adopt(self, found: tuple[str, str] | None, at: float) -> None:
        """Takes the archive's summary where it tells more than ours. A turn that is not here is older than those."""
        if found is not None and (self.summary is None or self.position(found[1]) > self.summarized):
            self.summary = ConversationSummary(text=found[0], turn_id=found[1], made_at=at)

    def cut_after(self, turn_id: str | None) -> None:
        """Drops what came after that turn, if it is known here, and all for an empty id: it was replaced."""
        count = self.position(turn_id)
        if turn_id is None or (turn_id and not count) or count == len(self.turns):
            return
        if self.summarized > count:
            self.summary = None
        self.size -= sum(self.sizes[count:])
        del self.turns[count:], self.sizes[count:]

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
            self.is_incomplete = True
            del turns[:gone], sizes[:gone]
        self.size = total
