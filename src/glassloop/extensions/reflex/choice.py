"""The one tool that fits a question, or why there is none."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.extensions.reflex.fit import ToolFit, content_of, fit
from glassloop.extensions.reflex.question import MAX_QUESTION, TokenizedQuestion
from glassloop.extensions.reflex.tool import read_tool

Reason = Literal["unused", "missing", "several", "sentences", "long"]


class DeclinedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing is called: words that no tool uses, what the nearest tool lacks, or tools that fit alike."""

    reason: Reason
    words: tuple[str, ...] = ()
    tool: str = ""


def choose(tools: Sequence[ToolSpec], text: str) -> ToolFit | DeclinedQuestion:
    """The tool that uses every word of the question and lacks nothing, if it is the only one or clearly the first."""
    if len(text) > MAX_QUESTION:
        return DeclinedQuestion(reason="long")
    question = TokenizedQuestion(text)
    fits = [fit(question, read_tool(spec)) for spec in tools]
    whole = sorted((one for one in fits if one.is_whole), key=_rank)
    if whole and question.sentences > 1 and whole[0].strong < len(question.tokens):
        return DeclinedQuestion(reason="sentences")
    if len(whole) > 1 and _rank(whole[0]) == _rank(whole[1]):
        alike = tuple(one.tool for one in whole if _rank(one) == _rank(whole[0]))
        return DeclinedQuestion(reason="several", words=alike)
    return whole[0] if whole else _why(fits, question)


def _rank(one: ToolFit) -> tuple[int, int]:
    """The one that most words speak for comes first; of those, the one that leaves least to be guessed."""
    return -one.strong, one.doubts


def _why(fits: Sequence[ToolFit], question: TokenizedQuestion) -> DeclinedQuestion:
    near = sorted(
        (one for one in fits if one.is_near), key=lambda one: (len(one.unused), len(one.missing), -one.strong)
    )
    if not near:
        words = content_of(question) or (question.text.strip(),)
        return DeclinedQuestion(reason="unused", words=words)
    best = near[0]
    if best.unused:
        return DeclinedQuestion(reason="unused", words=best.unused)
    return DeclinedQuestion(reason="missing", words=best.missing, tool=best.tool)
