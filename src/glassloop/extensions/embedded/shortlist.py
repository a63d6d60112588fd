"""Shortlist of tools for a question: by shared words, and by meaning where there is an embedder.

Lexical scores come from `language`. Similarity comes from an embedder that may be slow, missing or broken, and is never
worth an error or a long wait: where there is none in time, words alone decide. What was begun goes on meanwhile, so
that the embedder is loaded and knows the tools when the next question comes.
"""

import asyncio
import logging
from array import array
from collections.abc import Mapping, Sequence
from weakref import WeakKeyDictionary

from glassloop.core.messages import Message, ToolSpec, UserMessage
from glassloop.core.ports import Embedder
from glassloop.core.text_terms import content_words, has_cjk

TIMEOUT_S = 2.0
LONG_TIMEOUT_S = 20.0
"""For models so slow that it does not count: the first question of a process waits until the embedder is loaded."""

_DESCRIPTION_CHARS = 400
_QUESTION_CHARS = 1000

_log = logging.getLogger("glassloop.models")
_running_work: "WeakKeyDictionary[Embedder, asyncio.Future[Sequence[array[float]]]]" = WeakKeyDictionary()

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
        specs, text = tuple(spec.matched for spec in tools.values()), _with_context(question, messages)
        near = await tool_similarity(self._embedder, text, specs, self._patience_s)
        scores = similarity_scores(specs, text, near)
        asked = question.casefold()
        named = [name for name in tools if name.casefold() in asked]
        ranked = sorted(tools, key=lambda name: scores[name], reverse=True)
        kept = frozenset(list(dict.fromkeys((*named, *keep, *ranked)))[:most])
        return [name for name in tools if name in kept]


def similarity_scores(specs: Sequence[ToolSpec], question: str, near: Sequence[float] | None) -> Mapping[str, float]:
    """How likely each tool is meant, from 0 to 1 within this question: by its words, and by nearness where there is."""
    # Only assistants with many tools need this.
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


async def tool_similarity(
    embedder: Embedder | None, text: str, tools: Sequence[ToolSpec], patience_s: float = TIMEOUT_S
) -> Sequence[float] | None:
    """The cosine of each tool; None where meaning has nothing to say, as about Chinese, Japanese and Korean."""
    if embedder is None or not tools or not text.strip() or has_cjk(text):
        return None
    before = _running_work.get(embedder)
    if before is not None and not await _is_over(before, patience_s):
        # One question at a time keeps the embedder busy; this one is answered by words.
        return None
    asking = asyncio.ensure_future(embedder.embed([text[:_QUESTION_CHARS], *map(_about, tools)]))
    asking.add_done_callback(_look)
    _running_work[embedder] = asking
    try:
        async with asyncio.timeout(patience_s):
            asked, *told = await asyncio.shield(asking)
    except TimeoutError:
        _log.info("words alone decide: the embedder %s is not ready yet", embedder.name)
        return None
    except Exception as error:
        _log.warning("words alone decide: the embedder %s failed (%s)", embedder.name, error)
        return None
    return [sum(a * b for a, b in zip(asked, vector, strict=True)) for vector in told]


async def _is_over(before: "asyncio.Future[Sequence[array[float]]]", patience_s: float) -> bool:
    """Whether the question before is no longer in the way; waits for it only where there is more time than usual."""
    if before.done() or before.get_loop() is not asyncio.get_running_loop():
        return True
    return patience_s > TIMEOUT_S and bool((await asyncio.wait([before], timeout=patience_s))[0])


def _look(asking: "asyncio.Future[Sequence[array[float]]]") -> None:
    """Nobody may wait any more: its error is no news."""
    if not asking.cancelled():
        asking.exception()


def _about(spec: ToolSpec) -> str:
    return f"{spec.name.replace('_', ' ')}: {spec.description[:_DESCRIPTION_CHARS]}"
