"""What a conversation remembers: its last turns whole, the older ones as a summary.

Working memory only, bounded in sessions and in turns; the log is the store's. `load` brings a session back that
working memory has let go.
"""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from glassloop.core.messages import AssistantMessage, Message, UserMessage
from glassloop.core.ports import Clock
from glassloop.core.records import ConversationTurn, Json

WHOLE_TURNS = 10
EXTEND_EVERY = 5
SUMMARY_TTL_S = 3600.0
MOST_SESSIONS = 10_000
MOST_TURNS = 500

Summarize = Callable[[str], Awaitable[str | None]]
Load = Callable[[str], Awaitable[Sequence[ConversationTurn]]]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The first `reaches` turns in a few words; `turn_id` is the last of them."""

    text: str
    reaches: int
    turn_id: str
    made_at: float


class Conversation(msgspec.Struct, kw_only=True):
    """One session's working memory."""

    turns: list[ConversationTurn] = []
    context: dict[str, Json] = {}
    summary: Summary | None = None
    last_active: float = 0.0


class ConversationMemory:
    """The turns of many sessions, isolated from each other."""

    def __init__(self, *, clock: Clock = time.time, load: Load | None = None) -> None:
        self._clock = clock
        self._load = load
        self._sessions: OrderedDict[str, Conversation] = OrderedDict()

    async def get_history(self, session_id: str, limit: int = 10) -> Sequence[ConversationTurn]:
        """The last `limit` turns, oldest first."""
        return tuple((await self._open(session_id)).turns[-limit:]) if limit > 0 else ()

    async def save_interaction(self, turn: ConversationTurn) -> None:
        """Remembers a finished turn."""
        conversation = await self._open(turn.session_id)
        conversation.turns.append(turn)
        if len(conversation.turns) > MOST_TURNS:
            gone = len(conversation.turns) - MOST_TURNS
            del conversation.turns[:gone]
            conversation.summary = _moved(conversation.summary, gone)

    async def get_context_summary(self, session_id: str) -> str:
        """What the older turns came down to; empty while all are still told whole."""
        summary = (await self._open(session_id)).summary
        return summary.text if summary else ""

    async def recall(self, session_id: str, summarize: Summarize) -> Sequence[Message]:
        """The conversation as messages; beyond ten turns the older ones as one summary, extended every five."""
        conversation = await self._open(session_id)
        older = len(conversation.turns) - WHOLE_TURNS
        if older > 0:
            await self._extend(conversation, older, summarize)
        summary = conversation.summary
        messages: list[Message] = []
        if summary is not None:
            messages.append(UserMessage(f"Summary of the conversation so far:\n{summary.text}"))
        for turn in conversation.turns[summary.reaches if summary else 0 :]:
            messages += (UserMessage(turn.user_query), AssistantMessage(text=turn.agent_response or "(no answer)"))
        return messages

    def forget(self, session_id: str) -> bool:
        """Drops a session's working memory."""
        return self._sessions.pop(session_id, None) is not None

    def cleanup_expired_sessions(self, hours: float = 24) -> int:
        """Frees the working memory of sessions idle for that long; how many were freed."""
        horizon = self._clock() - hours * 3600
        expired = [key for key, conversation in self._sessions.items() if conversation.last_active <= horizon]
        for key in expired:
            del self._sessions[key]
        return len(expired)

    async def _open(self, session_id: str) -> Conversation:
        conversation = self._sessions.get(session_id)
        if conversation is None:
            turns = await self._load(session_id) if self._load else ()
            conversation = self._sessions.setdefault(session_id, Conversation(turns=list(turns)[-MOST_TURNS:]))
            while len(self._sessions) > MOST_SESSIONS:
                self._sessions.popitem(last=False)
        conversation.last_active = self._clock()
        self._sessions.move_to_end(session_id)
        return conversation

    async def _extend(self, conversation: Conversation, older: int, summarize: Summarize) -> None:
        summary, now = conversation.summary, self._clock()
        if summary is not None and now - summary.made_at > SUMMARY_TTL_S:
            summary = None
        reaches = summary.reaches if summary else 0
        if summary is not None and older - reaches < EXTEND_EVERY:
            return
        fresh = conversation.turns[reaches:older]
        told = "\n".join(f"User: {t.user_query[:500]}\nAssistant: {t.agent_response[:1000]}" for t in fresh)
        before = f"Summary so far:\n{summary.text}\n\nThen:\n" if summary else ""
        text = await summarize(before + told)
        if not text:
            text = (f"{summary.text}\n" if summary else "") + f"({len(fresh)} earlier turns were left out.)"
        conversation.summary = Summary(text=text[:6000], reaches=older, turn_id=fresh[-1].id, made_at=now)


def _moved(summary: Summary | None, gone: int) -> Summary | None:
    if summary is None or summary.reaches <= gone:
        return None
    return msgspec.structs.replace(summary, reaches=summary.reaches - gone)
