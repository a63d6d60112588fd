"""The advisor of small models, by `reflex`'s rules and an embedder where there is one. Light until it is asked."""

import asyncio
from collections.abc import Mapping, Sequence

from glassloop.core.messages import Message, ToolSpec
from glassloop.core.ports import Embedder
from glassloop.core.records import Advice, Decision
from glassloop.models.nearness import LONG_PATIENCE_S, nearness


class RuleAdvisor:
    """An `Advisor`. The embedder belongs to whoever gives it."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    async def advise(self, question: str, messages: Sequence[Message], tools: Mapping[str, ToolSpec]) -> Advice:
        # Only small models need these.
        from glassloop.models.advice.advised import Advised

        specs = tuple(tools.values())
        if not specs:
            return Advice()
        near = await nearness(self._embedder, question, specs, LONG_PATIENCE_S)
        # Tens of milliseconds with many tools, which the event loop does not have.
        seen = tuple(messages)
        return await asyncio.to_thread(lambda: Advised(question, seen, specs, near).advice())

    def review(
        self,
        decision: Decision,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        advice: Advice,
    ) -> Decision:
        from glassloop.models.advice.review import review
        from glassloop.models.advice.said import Said

        return review(decision, Said(question, messages), tools, messages, advice)
