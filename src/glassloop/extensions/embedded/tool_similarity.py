"""Similarity of a question to each tool by meaning, from an embedder that may be slow, missing or broken.

Similarity is never worth an error or a long wait: where there is none in time, words alone decide. What was begun goes
on meanwhile, so that the embedder is loaded and knows the tools when the next question comes.
"""

import asyncio
import logging
from array import array
from collections.abc import Sequence
from weakref import WeakKeyDictionary

from glassloop.core.messages import ToolSpec
from glassloop.core.ports import Embedder
from glassloop.core.text_terms import has_cjk

TIMEOUT_S = 2.0
LONG_TIMEOUT_S = 20.0
"""For models so slow that it does not count: the first question of a process waits until the embedder is loaded."""

_DESCRIPTION_CHARS = 400
_QUESTION_CHARS = 1000

_log = logging.getLogger("glassloop.models")
_running_work: "WeakKeyDictionary[Embedder, asyncio.Future[Sequence[array[float]]]]" = WeakKeyDictionary()


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
