"""Shortlist of tools for a question: by shared words, and by meaning where there is an embedder.

Lexical scores come from `language`, similarity from `tool_similarity`; without the latter words alone decide.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from glassloop.core.messages import Message, ToolSpec, UserMessage
from glassloop.core.ports import Embedder
from glassloop.core.text_terms import content_words
from glassloop.extensions.embedded.tool_similarity import TIMEOUT_S, tool_similarity

if TYPE_CHECKING:
    from glassloop.extensions.embedded.language.question import ParsedQuestion

SHORT = 6
"""A question of fewer words is read together with the one before it: "and last month?" is about that."""

_DENSE = 0.5


class ToolShortlist:
    """A `Shortlist`. The embedder belongs to whoever gives it."""

    def __init__(self, embedder: Embedder | None = None, patience_s: float = TIMEOUT_S) -> None:
        self._embedder = embedder
        self._patience_s = patience_s

    async def choose(
        self,
        question: str,
        messages: Sequence[Message],
        tools: Mapping[str, ToolSpec],
        most: int,
        keep: Sequence[str] = (),
    ) -> Sequence[str]:
        # Only assistants with many tools need this.
        from glassloop.extensions.embedded.language.question import ParsedQuestion

        specs, text = tuple(tools.values()), _with_context(question, messages)
        scores = similarity_scores(
            specs, ParsedQuestion(text), await tool_similarity(self._embedder, text, specs, self._patience_s)
        )
        asked = question.casefold()
        named = [name for name in tools if name.casefold() in asked]
        ranked = sorted(tools, key=lambda name: scores[name], reverse=True)
        kept = frozenset(list(dict.fromkeys((*named, *keep, *ranked)))[:most])
        return [name for name in tools if name in kept]


def similarity_scores(
    specs: Sequence[ToolSpec], question: "ParsedQuestion", near: Sequence[float] | None
) -> Mapping[str, float]:
    """How likely each tool is meant, from 0 to 1 within this question: by its words, and by nearness where there is."""
    from glassloop.extensions.embedded.language.tool_scores import tool_likeness

    words = _scaled(tool_likeness(specs, question))
    names = [spec.name for spec in specs]
    return dict(zip(names, words if near is None else _mixed(words, _scaled(near)), strict=True))


def _mixed(words: Sequence[float], meaning: Sequence[float]) -> Sequence[float]:
    return [(1 - _DENSE) * a + _DENSE * b for a, b in zip(words, meaning, strict=True)]


def _with_context(question: str, messages: Sequence[Message]) -> str:
    if len(content_words(question)) >= SHORT:
        return question
    before = next((message.content for message in reversed(messages) if isinstance(message, UserMessage)), "")
    return f"{question}\n{before}" if before else question


def _scaled(scores: Sequence[float]) -> Sequence[float]:
    """From 0 to 1 within this question, so that words and meaning can be added."""
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    return [(score - low) / (high - low) if high > low else 0.0 for score in scores]
