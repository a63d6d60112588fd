"""Which of many tools a question may need: by the words they share, and by meaning where there is an embedder.

Lexical likeness is `reflex`'s own. Meaning comes from the embedder, whose cache knows the tools after the first
question; for Chinese, Japanese and Korean words alone count, as its vectors tell nothing there. Where it fails or is
slow, words alone decide: a shortlist is never worth an error.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence

from glassloop.core.messages import Message, ToolSpec, UserMessage
from glassloop.core.ports import Embedder
from glassloop.core.words import content_words, has_cjk

SHORT = 6
"""A question of fewer words is read together with the one before it: "and last month?" is about that."""

PATIENCE_S = 2.0
_DENSE = 0.5
_DESCRIPTION_CHARS = 400

_log = logging.getLogger("glassloop.models")


class ToolShortlist:
    """A `Shortlist`. The embedder belongs to whoever gives it."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    async def choose(
        self,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        most: int,
        keep: Sequence[str] = (),
    ) -> Sequence[str]:
        # Only assistants with many tools need these.
        from glassloop.models.reflex.matching import likeness
        from glassloop.models.reflex.question import Question

        specs, text = tuple(tools.values()), _with_context(question, messages)
        words = _scaled(likeness(specs, Question(text)))
        meaning = None if has_cjk(text) else await self._meaning(text, specs)
        scores = dict(zip(tools, words if meaning is None else _mixed(words, meaning), strict=True))
        asked = question.casefold()
        named = [name for name in tools if name.casefold() in asked]
        ranked = sorted(tools, key=lambda name: scores[name], reverse=True)
        kept = frozenset(list(dict.fromkeys((*named, *keep, *ranked)))[:most])
        return [name for name in tools if name in kept]

    async def _meaning(self, text: str, specs: Sequence[ToolSpec]) -> Sequence[float] | None:
        if self._embedder is None:
            return None
        try:
            async with asyncio.timeout(PATIENCE_S):
                asked, *told = await self._embedder.embed([text, *map(_about, specs)])
        except Exception as error:
            _log.warning("tools are chosen by words alone: the embedder failed (%s)", error)
            return None
        return _scaled([sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in told])


def _mixed(words: Sequence[float], meaning: Sequence[float]) -> Sequence[float]:
    return [(1 - _DENSE) * a + _DENSE * b for a, b in zip(words, meaning, strict=True)]


def _with_context(question: str, messages: Sequence[Message]) -> str:
    if len(content_words(question)) >= SHORT:
        return question
    before = next((message.content for message in reversed(messages) if isinstance(message, UserMessage)), "")
    return f"{question}\n{before}" if before else question


def _about(spec: ToolSpec) -> str:
    return f"{spec.name.replace('_', ' ')}: {spec.description[:_DESCRIPTION_CHARS]}"


def _scaled(scores: Sequence[float]) -> Sequence[float]:
    """From 0 to 1 within this question, so that words and meaning can be added."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]
