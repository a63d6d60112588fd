"""Conversation memory: the last turns of each session whole, the older ones as a summary.

Working memory, bounded in sessions, turns and bytes; the store owns the log. With an archive, every access to a session
first catches up with what other processes added, summarised or forgot. A session belongs to its user: the same id asked
for by another is another conversation.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import msgspec

from glassloop.core.errors import StoreError
from glassloop.core.evidence import sourced_in
from glassloop.core.messages import Message
from glassloop.core.ports import Clock
from glassloop.core.records import ConversationTurn
from glassloop.memory.transcript import fit_messages, history_messages, summarized_messages, summary_text, tokens
from glassloop.memory.working_memory import Archive, ConversationSummary, WorkingMemory

WHOLE_TURNS = 10
EXTEND_EVERY = 5
SUMMARY_TTL_S = 3600.0
SUMMARY_CHARS = 6000
MAX_SESSIONS = 10_000
MAX_BYTES = 256_000_000
SWEEP_EVERY_S = 60.0

Key = tuple[str, str]
Summarize = Callable[[str], Awaitable[str | None]]

_log = logging.getLogger(__name__)


class ConversationMemory:
    """The turns of many sessions, isolated from each other."""

    def __init__(self, *, clock: Clock = time.time, archive: Archive | None = None) -> None:
        self._clock = clock
        self._archive = archive
        self._sessions: OrderedDict[Key, WorkingMemory] = OrderedDict()
        self._bytes = 0
        self._swept_at = clock()

    async def get_history(
        self, session_id: str, limit: int = 10, *, user: str = "anonymous"
    ) -> Sequence[ConversationTurn]:
        """The last `limit` turns, oldest first."""
        return tuple((await self._caught_up((user, session_id))).turns[-limit:]) if limit > 0 else ()

    async def save_interaction(self, turn: ConversationTurn, *, user: str = "anonymous") -> None:
        """Remembers a finished turn, once; once a minute, frees the sessions that have long been idle."""
        key = user, turn.session_id
        conversation = self._touch(key)
        before = conversation.size
        if not conversation.position(turn.id) and conversation.takes(turn.id):
            conversation.add(turn)
        self._account(key, conversation, before)
        if self._clock() - self._swept_at >= SWEEP_EVERY_S:
            self.cleanup_expired_sessions()

    async def get_context_summary(self, session_id: str, *, user: str = "anonymous") -> str:
        """What the older turns came down to; empty while all are still told whole."""
        summary = (await self._caught_up((user, session_id))).summary
        return summary.text if summary else ""

    async def recall(
        self,
        session_id: str,
        summarize: Summarize,
        *,
        user: str = "anonymous",
        token_budget: int | None = None,
        keep_recent: int = 4,
        turn_id: str = "",
        previous_turn_id: str | None = None,
    ) -> Sequence[Message]:
        """The conversation as messages, with its calls and results, for the turn `turn_id`, which follows
        `previous_turn_id` where that is given.

        Over `token_budget`, old results are cleared; where that is not enough, turns beyond the last ten become one
        summary, extended every five, and at last all but the last `keep_recent` messages. Until the next extension is
        due, the turns since the summary are told shortened to what the budget leaves them. Without a budget the turns
        beyond the last ten are summarised.
        """
        key = user, session_id
        conversation = await self._caught_up(key, previous_turn_id)
        conversation.told_to = turn_id
        await _find_sourced(conversation)
        count, keep = len(conversation.turns), (keep_recent + 1) // 2
        wanted = max(count - WHOLE_TURNS, 0)
        if token_budget is not None:
            for cleared in (False, True):
                messages = history_messages(conversation, cleared=cleared)
                if tokens(messages) <= token_budget:
                    return messages
            newest = tokens(history_messages(conversation, max(wanted - conversation.summarized, 0), cleared=True))
            if count > keep and newest > token_budget:
                wanted = max(wanted, count - keep)
        missing = await self._extend(key, conversation, wanted, summarize) if wanted else 0
        await _find_sourced(conversation)
        messages = history_messages(conversation, missing, cleared=token_budget is not None)
        if token_budget is not None and tokens(messages) > token_budget:
            messages = fit_messages(messages, token_budget, keep)
        return messages

    async def forget(self, session_id: str, *, user: str = "anonymous") -> bool:
        """What was said so far is not told again; whether there was anything in working memory.

        Raises `StoreError`, and forgets nothing, where the archive cannot be told: it would all come back.
        """
        if self._archive is not None:
            await self._archive.forget(session_id, user)
        return self._drop((user, session_id))

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

    async def _caught_up(self, key: Key, previous_turn_id: str | None = None) -> WorkingMemory:
        """The conversation with all that the archive has of it, or what there is while the archive is away: nothing
        where that may have been replaced."""
        conversation = self._touch(key)
        if self._archive is None:
            size = conversation.size
            conversation.cut_after(previous_turn_id)
            self._account(key, conversation, size)
            return conversation
        try:
            return await self._catch_up(self._archive, key, conversation)
        except StoreError as error:
            _log.warning("session %s goes on with what is remembered here: %s", key[1], error)
            known = self._sessions.get(key, conversation)
            newest = known.turns[-1].id if known.turns else ""
            return known if previous_turn_id in (None, newest) else WorkingMemory()

    async def _catch_up(self, archive: Archive, key: Key, conversation: WorkingMemory) -> WorkingMemory:
        user, session_id = key
        now = await archive.standing(session_id, user)
        if conversation.is_forgotten(now):
            # A new one, not the old one emptied: a recall under way may still be telling that.
            if self._sessions.get(key) is conversation:
                self._drop(key)
            conversation = self._touch(key)
        before, after = conversation.standing, conversation.seen
        if now is None or (before is not None and before.version == now.version):
            return conversation
        # The last turn that was seen, not the last one remembered: a turn of another process may have started before
        # that and ended since.
        known = {turn.id for turn in conversation.unseen}
        found = await archive.turns(session_id, user, after, cut_off=now.cut_off, known=known)
        size = conversation.size
        conversation.merge(found, after)
        conversation.adopt(now.summary, self._clock())
        conversation.standing = now
        self._account(key, conversation, size)
        return conversation

    def _touch(self, key: Key) -> WorkingMemory:
        conversation = self._sessions.get(key)
        if conversation is None:
            conversation = self._sessions[key] = WorkingMemory()
        conversation.last_active = self._clock()
        self._sessions.move_to_end(key)
        self._evict()
        return conversation

    def _account(self, key: Key, conversation: WorkingMemory, before: int) -> None:
        # One that was let go meanwhile is of no weight any more.
        if self._sessions.get(key) is conversation:
            self._bytes += conversation.size - before
            self._evict()

    def _drop(self, key: Key) -> bool:
        conversation = self._sessions.pop(key, None)
        if conversation is None:
            return False
        self._bytes -= conversation.size
        return True

    def _evict(self) -> None:
        while len(self._sessions) > 1 and (len(self._sessions) > MAX_SESSIONS or self._bytes > MAX_BYTES):
            self._drop(next(iter(self._sessions)))

    async def _extend(self, key: Key, conversation: WorkingMemory, wanted: int, summarize: Summarize) -> int:
        """Brings the summary up to the turn at `wanted` where that is due; how many turns it failed to take in."""
        summary, now, reaches = conversation.summary, self._clock(), conversation.summarized
        due = 1 if summary is None or now - summary.made_at > SUMMARY_TTL_S else EXTEND_EVERY
        if wanted - reaches < due:
            return 0
        fresh = conversation.turns[reaches:wanted]
        last = fresh[-1].id
        text = (await summarize(summary_text(summary, fresh)) or "").strip()[:SUMMARY_CHARS]
        # While the model wrote, turns may have come, left or been summarised: what counts is where `last` stands now.
        missing = conversation.position(last) - conversation.summarized
        if not text:
            return max(missing, 0)
        if conversation.summary is summary or missing > 0:
            conversation.summary = ConversationSummary(text=text, turn_id=last, made_at=now)
            await self._keep_summary(key, conversation.summary)
        return 0

    async def _keep_summary(self, key: Key, summary: ConversationSummary) -> None:
        user, session_id = key
        if self._archive is not None:
            try:
                await self._archive.save_summary(session_id, user, summary.text, summary.turn_id)
            except StoreError as error:
                _log.warning("the summary of session %s is not kept: %s", session_id, error)


async def _find_sourced(conversation: WorkingMemory) -> None:
    """Looks once which figures of a summary had a source, in a thread: it may stand for much text."""
    summary = conversation.summary
    if summary is None or summary.sourced is not None:
        return
    sourced = await asyncio.to_thread(sourced_in, summary.text, summarized_messages(conversation))
    if conversation.summary is summary:
        conversation.summary = msgspec.structs.replace(summary, sourced=sourced)
