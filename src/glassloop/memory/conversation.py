"""What a conversation remembers: its last turns whole, the older ones as a summary.

Working memory only, bounded in sessions, turns and bytes; the log is the store's. `load` brings a session back that
working memory has let go. A session belongs to its user: the same id asked for by another is another conversation.
Turns before the newest two keep what was said and thought, their observations only within `TURN_BYTES`.
"""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from glassloop.core.messages import AssistantMessage, Message, UserMessage
from glassloop.core.ports import Clock
from glassloop.core.records import ConversationTurn, Json
from glassloop.core.state import message_tokens
from glassloop.memory.footprint import cut, shortened, size_of

WHOLE_TURNS = 10
EXTEND_EVERY = 5
SUMMARY_TTL_S = 3600.0
SUMMARY_CHARS = 6000
SUMMARIZED_CHARS = 24_000
MOST_SESSIONS = 10_000
MOST_TURNS = 500
MOST_BYTES = 256_000_000
SESSION_BYTES = 1_000_000
NEWEST = 2
NEWEST_BYTES = 400_000
TURN_BYTES = 20_000
SWEEP_EVERY_S = 60.0
_CUT_OFF_IDS = 20
_LEAST_CHARS = 200

Key = tuple[str, str]
Summarize = Callable[[str], Awaitable[str | None]]
Load = Callable[[str, str], Awaitable[Sequence[ConversationTurn]]]
"""The turns of a session of a user, oldest first, from the log: `load(session_id, user)`."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What came before the turn at `reaches`, in a few words; `turn_id` is the last turn in it."""

    text: str
    reaches: int
    turn_id: str
    made_at: float


class CutOff(msgspec.Struct, frozen=True, kw_only=True):
    """Where a session was forgotten: after the last of `ids`, or after all there is when it is loaded next."""

    ids: tuple[str, ...] = ()
    everything: bool = False


class Conversation(msgspec.Struct, kw_only=True):
    """One session's working memory. `gone` counts the turns that left it, so that positions can be told anew."""

    turns: list[ConversationTurn] = []
    sizes: list[int] = []
    size: int = 0
    context: dict[str, Json] = {}
    summary: Summary | None = None
    last_active: float = 0.0
    gone: int = 0


class ConversationMemory:
    """The turns of many sessions, isolated from each other."""

    def __init__(self, *, clock: Clock = time.time, load: Load | None = None) -> None:
        self._clock = clock
        self._load = load
        self._sessions: OrderedDict[Key, Conversation] = OrderedDict()
        self._cut_offs: OrderedDict[Key, CutOff] = OrderedDict()
        self._bytes = 0
        self._swept_at = clock()

    async def get_history(
        self, session_id: str, limit: int = 10, *, user: str = "anonymous"
    ) -> Sequence[ConversationTurn]:
        """The last `limit` turns, oldest first."""
        return tuple((await self._open(session_id, user)).turns[-limit:]) if limit > 0 else ()

    async def save_interaction(self, turn: ConversationTurn, *, user: str = "anonymous") -> None:
        """Remembers a finished turn; once a minute, frees the sessions that have long been idle."""
        conversation = await self._open(turn.session_id, user)
        self._add(conversation, turn)
        self._evict()
        if self._clock() - self._swept_at >= SWEEP_EVERY_S:
            self.cleanup_expired_sessions()

    async def get_context_summary(self, session_id: str, *, user: str = "anonymous") -> str:
        """What the older turns came down to; empty while all are still told whole."""
        summary = (await self._open(session_id, user)).summary
        return summary.text if summary else ""

    async def recall(
        self,
        session_id: str,
        summarize: Summarize,
        *,
        user: str = "anonymous",
        token_budget: int | None = None,
        keep_recent: int = 4,
    ) -> Sequence[Message]:
        """The conversation as messages; beyond ten turns the older ones as one summary, extended every five.

        Over `token_budget`, all but the last `keep_recent` messages are summarised; until the next extension is due,
        the turns since the summary are told shortened to what the budget leaves them.
        """
        conversation = await self._open(session_id, user)
        count, keep = len(conversation.turns), (keep_recent + 1) // 2
        wanted = max(count - WHOLE_TURNS, 0)
        if token_budget is not None and count > keep and _tokens(_told(conversation)) > token_budget:
            wanted = max(wanted, count - keep)
        missing = await self._extend(conversation, wanted, summarize) if wanted else 0
        messages = _told(conversation, missing)
        if token_budget is not None and _tokens(messages) > token_budget:
            messages = _fitted(messages, token_budget, 2 * keep)
        return messages

    def forget(self, session_id: str, *, user: str = "anonymous") -> bool:
        """Drops a session's working memory for good: what was said so far is not loaded again."""
        key = user, session_id
        conversation = self._sessions.get(key)
        if self._load is not None:
            before = self._cut_offs.pop(key, CutOff())
            ids = (*before.ids, *(turn.id for turn in conversation.turns)) if conversation else before.ids
            everything = conversation is None
            self._cut_offs[key] = CutOff(ids=ids[-_CUT_OFF_IDS:], everything=everything)
            while len(self._cut_offs) > MOST_SESSIONS:
                self._cut_offs.popitem(last=False)
        return self._drop(key)

    def cleanup_expired_sessions(self, hours: float = 24) -> int:
        """Frees the working memory of sessions idle for that long; how many were freed."""
        self._swept_at = self._clock()
        horizon, freed = self._swept_at - hours * 3600, 0
        # Sessions stand in the order in which they were last used: looking stops at the first that is not idle.
        while self._sessions:
            key, conversation = next(iter(self._sessions.items()))
            if conversation.last_active > horizon:
                break
            freed += self._drop(key)
        return freed

    async def _open(self, session_id: str, user: str) -> Conversation:
        key = user, session_id
        conversation = self._sessions.get(key)
        if conversation is None and self._load is not None:
            loaded = await self._load(session_id, user)
            conversation = self._sessions.get(key)
            if conversation is None:
                conversation = self._sessions[key] = Conversation()
                for turn in self._after_cut_off(key, loaded)[-MOST_TURNS:]:
                    self._add(conversation, turn)
        elif conversation is None:
            conversation = self._sessions[key] = Conversation()
        conversation.last_active = self._clock()
        self._sessions.move_to_end(key)
        self._evict()
        return conversation

    def _after_cut_off(self, key: Key, loaded: Sequence[ConversationTurn]) -> Sequence[ConversationTurn]:
        cut_off = self._cut_offs.get(key)
        if cut_off is None:
            return loaded
        if cut_off.everything:
            ids = (*cut_off.ids, *(turn.id for turn in loaded))[-_CUT_OFF_IDS:]
            self._cut_offs[key] = CutOff(ids=ids)
            return ()
        last = max((place for place, turn in enumerate(loaded, 1) if turn.id in cut_off.ids), default=0)
        return loaded[last:]

    def _add(self, conversation: Conversation, turn: ConversationTurn) -> None:
        turns, sizes = conversation.turns, conversation.sizes
        size = size_of(turn)
        if size > NEWEST_BYTES:
            turn = shortened(turn, NEWEST_BYTES)
            size = size_of(turn)
        turns.append(turn)
        sizes.append(size)
        total, gone = conversation.size + size, 0
        if len(turns) > NEWEST and sizes[-1 - NEWEST] > TURN_BYTES:
            turns[-1 - NEWEST] = shortened(turns[-1 - NEWEST], TURN_BYTES)
            smaller = size_of(turns[-1 - NEWEST])
            total += smaller - sizes[-1 - NEWEST]
            sizes[-1 - NEWEST] = smaller
        while len(turns) - gone > NEWEST and (total > SESSION_BYTES or len(turns) - gone > MOST_TURNS):
            total -= sizes[gone]
            gone += 1
        if gone:
            del turns[:gone], sizes[:gone]
            conversation.gone += gone
            if (summary := conversation.summary) is not None:
                conversation.summary = msgspec.structs.replace(summary, reaches=max(summary.reaches - gone, 0))
        self._bytes += total - conversation.size
        conversation.size = total

    def _drop(self, key: Key) -> bool:
        conversation = self._sessions.pop(key, None)
        if conversation is None:
            return False
        self._bytes -= conversation.size
        return True

    def _evict(self) -> None:
        while len(self._sessions) > 1 and (len(self._sessions) > MOST_SESSIONS or self._bytes > MOST_BYTES):
            self._drop(next(iter(self._sessions)))

    async def _extend(self, conversation: Conversation, wanted: int, summarize: Summarize) -> int:
        """Brings the summary up to the turn at `wanted` where that is due; how many turns it failed to take in."""
        summary, now, gone = conversation.summary, self._clock(), conversation.gone
        reaches = summary.reaches if summary else 0
        due = 1 if summary is None or now - summary.made_at > SUMMARY_TTL_S else EXTEND_EVERY
        if wanted - reaches < due:
            return 0
        fresh = conversation.turns[reaches:wanted]
        text = (await summarize(_for_summarizer(summary, fresh)) or "").strip()
        # Turns may have left while the model wrote.
        moved = conversation.gone - gone
        if not text:
            return max(wanted - max(reaches, moved), 0)
        conversation.summary = Summary(
            text=text[:SUMMARY_CHARS], reaches=max(wanted - moved, 0), turn_id=fresh[-1].id, made_at=now
        )
        return 0


def _told(conversation: Conversation, missing: int = 0) -> Sequence[Message]:
    """The summary and the turns after it; `missing` of them are left out with a note."""
    summary, messages = conversation.summary, list[Message]()
    lines = [summary.text] if summary else []
    if missing:
        lines.append(f"({missing} earlier turns were left out.)")
    if lines:
        messages.append(UserMessage("Summary of the conversation so far:\n" + "\n".join(lines)))
    for turn in conversation.turns[(summary.reaches if summary else 0) + missing :]:
        messages += (UserMessage(turn.user_query), AssistantMessage(text=turn.agent_response or "(no answer)"))
    return messages


def _tokens(messages: Sequence[Message]) -> int:
    return sum(map(message_tokens, messages))


def _fitted(messages: Sequence[Message], token_budget: int, keep: int) -> Sequence[Message]:
    """The messages with all but the last `keep` and the summary shortened, in proportion, to what is left for them."""
    first = 1 if len(messages) % 2 else 0
    until = max(len(messages) - keep, first)
    if until == first:
        return messages
    room = token_budget - _tokens(messages[:first]) - _tokens(messages[until:])
    part = max(room, 0) / _tokens(messages[first:until])
    short = (_short_message(message, part) for message in messages[first:until])
    return (*messages[:first], *short, *messages[until:])


def _short_message(message: Message, part: float) -> Message:
    if isinstance(message, UserMessage):
        return UserMessage(cut(message.content, max(int(len(message.content) * part), _LEAST_CHARS)))
    if isinstance(message, AssistantMessage):
        return AssistantMessage(text=cut(message.text, max(int(len(message.text) * part), _LEAST_CHARS)))
    return message


def _for_summarizer(summary: Summary | None, fresh: Sequence[ConversationTurn]) -> str:
    """What the model reads to write a summary, within `SUMMARIZED_CHARS`; of too many turns, the newest."""
    before = f"Summary so far:\n{summary.text}\n\nThen:\n" if summary else ""
    room = SUMMARIZED_CHARS - len(before) - 100
    each = max(room // len(fresh) - 60, _LEAST_CHARS)
    told: list[str] = []
    for turn in reversed(fresh):
        text = f"User: {cut(turn.user_query, min(500, each // 3))}\nAssistant: "
        text += cut(turn.agent_response, min(1000, each * 2 // 3))
        room -= len(text) + 1
        if room < 0:
            told.append(f"({len(fresh) - len(told)} turns before these are left out.)")
            break
        told.append(text)
    return before + "\n".join(reversed(told))
