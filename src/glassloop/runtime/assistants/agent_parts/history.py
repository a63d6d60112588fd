"""History of an agent's turns: what was said before, told by conversation memory or given by the caller."""

from collections.abc import Sequence
from functools import partial

import msgspec

from glassloop.core import events as e
from glassloop.core.labels import UNKNOWN
from glassloop.core.loop.compaction import SUMMARIZE, compress_if_needed, summarize_in_parts
from glassloop.core.loop.side_questions import SIDE_REPLY
from glassloop.core.messages import Abilities, AssistantMessage, Message, message_tokens, shown_to
from glassloop.core.ports import Ask, Model, Recall
from glassloop.memory.conversation import ConversationMemory
from glassloop.memory.transcript import brief_messages
from glassloop.projections.response import ResponseFold

HISTORY_TOKENS, SMALL_WINDOW = 6000, 16_384
"""Of what was said before, for models with windows up to that many tokens; of others half the window."""


class AgentHistory(msgspec.Struct, frozen=True, kw_only=True):
    """At most `tokens` are told to a model with these `abilities`; `window` is that of the model that summarises,
    `keep_recent` messages stay whole."""

    memory: ConversationMemory
    tokens: int
    window: int
    keep_recent: int
    abilities: Abilities

    @classmethod
    def for_models(
        cls, memory: ConversationMemory, tokens: int | None, main: Model, summarizer: Model, keep_recent: int
    ) -> "AgentHistory":
        """`tokens` as given, or as many as suit the model that decides."""
        window = main.abilities.context_tokens
        tokens = tokens or (HISTORY_TOKENS if window <= SMALL_WINDOW else window // 2)
        room = summarizer.abilities.context_tokens
        return cls(memory=memory, tokens=tokens, window=room, keep_recent=keep_recent, abilities=main.abilities)

    async def remember(self, events: Sequence[e.Durable]) -> None:
        """Takes in a turn that is over."""
        folded = ResponseFold()
        for event in events:
            folded.advance(event)
        if not folded.is_command:
            await self.memory.save_interaction(folded.conversation_turn(), user=folded.user)

    async def recall(self, started: e.TurnStarted, ask: Ask) -> Sequence[Message]:
        """What was said before in the session of that turn."""

        async def summarize(text: str) -> str | None:
            return await ask("summarize", SUMMARIZE, text, None)

        told = await self.memory.recall(
            started.session_id,
            summarize,
            user=started.user,
            token_budget=self.tokens,
            keep_recent=self.keep_recent,
            turn_id=started.turn_id,
            previous_turn_id=started.previous_turn_id,
        )
        return self._shown(started, told)

    def _shown(self, started: e.TurnStarted, told: Sequence[Message]) -> Sequence[Message]:
        is_brief = self.abilities.small and started.protocol == "text"
        return shown_to(self.abilities, brief_messages(told) if is_brief else told)

    def fits(self, history: Sequence[Message]) -> bool:
        """Whether a conversation that the caller keeps can be told as it is."""
        return len(history) <= self.keep_recent or sum(map(message_tokens, history)) <= self.tokens

    def given(self, history: Sequence[Message]) -> Recall:
        """A conversation that the caller keeps: told as it is, or compressed where it is too long. What its answers
        followed from is not known."""
        history = [_labelled(message) for message in history]

        async def recall(started: e.TurnStarted, ask: Ask) -> Sequence[Message]:
            # A character is hardly ever more than a token.
            room = max(self.window - SIDE_REPLY, SIDE_REPLY)
            summarize = partial(summarize_in_parts, ask, room)
            told = await compress_if_needed(history, summarize, self.tokens, self.keep_recent)
            return self._shown(started, told)

        return recall


def _labelled(message: Message) -> Message:
    is_answer = isinstance(message, AssistantMessage) and message.labels is None
    return msgspec.structs.replace(message, labels=UNKNOWN) if is_answer else message
