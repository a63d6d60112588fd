"""Parts of an answer that ask something back, or offer something. A question claims nothing, so its examples need no
source; an offer claims nothing of the periods that it names.

Text in the same sentence before the question begins is still a claim: "It fell to 12, shall I look why?".
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

MAX_QUESTION_CHARS = 1_000
"""Characters of a sentence in which the asking is looked for."""

_END = re.compile(r"\?(?!\w)|[？!！。\n]|(?<!\b[A-Za-z])\.(?=[*_`\"”)]{0,3}\s+[A-ZÄÖÜ一-鿿])")
_ASKS = re.compile(
    r"\b(?:which|what|when|where|who|whose|whom|how|(?:do|did|would|could|can|will|have) you|(?:should|shall|may|can) I"
    r"|is (?:it|this|that)|are (?:you|these|those)|welche\w{0,2}|wann|wo|wer|wie|was|mein(?:en Sie|st du)|soll ich)\b"
    r"|[哪谁几您你请]|什么|多少|是否|还是",
    re.IGNORECASE,
)
_EXAMPLE = re.compile(
    r"[\s*_(（>-]{0,8}(?:for (?:example|instance)|e\.g\.|such as|like|say,|zum Beispiel|z\. ?B\.|例如|比如|如[:：])",
    re.I,
)
_OFFER = re.compile(
    r"\b(?:I (?:can|could)(?: also| gladly| easily)?"
    r" (?:give|show|look|check|compare|provide|run|pull|fetch|repeat|do|list)\b"
    r"|I'd be happy to (?:give|show|look|check|compare|provide)\b"
    r"|(?:ich kann|kann ich)(?: Ihnen| dir| auch| gern){0,2}\b)|我(?:还|也)?可以(?:给|为|帮|查|提供|看|列)",
    re.IGNORECASE,
)
_ON_CONDITION = re.compile(
    r"\b(?:if you (?:like|want|wish|prefer)|let me know|just (?:say|ask)|wenn (?:Sie|du)|auf Wunsch)\b"
    r"|如果需要|如需|需要的话",
    re.IGNORECASE,
)
_OFFERED_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|such as|zum Beispiel|z\. ?B\.|etwa)|例如|比如", re.IGNORECASE
)


class QuestionSpans:
    """The places of a text that only ask."""

    def __init__(self, text: str) -> None:
        self._spans = list(_spans(text)) if "?" in text or "？" in text else []

    def hold(self, at: int) -> bool:
        return _hold(self._spans, at)


class OfferSpans:
    """The places of a text that offer something: "I can show any month from May on, such as June 2025"."""

    def __init__(self, text: str) -> None:
        self._spans = list(_offers(text)) if _OFFER.search(text) is not None else []

    def hold(self, at: int) -> bool:
        return _hold(self._spans, at)


def _hold(spans: Sequence[tuple[int, int]], at: int) -> bool:
    place = bisect_right(spans, at, key=_start) - 1
    return place >= 0 and at < spans[place][1]


def _start(span: tuple[int, int]) -> int:
    return span[0]


def _offers(text: str) -> Iterator[tuple[int, int]]:
    """From the example that is offered on, or from the offer itself where it waits for a word of the person."""
    start = 0
    for end, _ in _ends(text):
        offer = _OFFER.search(text, max(start, end - MAX_QUESTION_CHARS), end)
        if offer is not None:
            example = _OFFERED_EXAMPLE.search(text, offer.end(), end)
            if example is not None:
                yield example.start(), end
            elif _ON_CONDITION.search(text, max(start, end - MAX_QUESTION_CHARS), end) is not None:
                yield offer.start(), end
        start = end


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """In order, and none inside another."""
    start, asked = 0, False
    for end, sign in _ends(text):
        if sign in "?？":
            found = _ASKS.search(text, max(start, end - MAX_QUESTION_CHARS), end)
            asked = found is not None
            if found is not None:
                yield found.start(), end
        elif asked and _EXAMPLE.match(text, start):
            yield start, end
        elif text[start:end].strip():
            asked = False
        start = end


def _ends(text: str) -> Iterator[tuple[int, str]]:
    for found in _END.finditer(text):
        yield found.end(), found[0]
    yield len(text), "."
