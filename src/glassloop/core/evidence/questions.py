"""Parts of an answer that ask something back. A question claims nothing, so its examples need no source.

Text in the same sentence before the question begins is still a claim: "It fell to 12, shall I look why?".
"""

import re
from bisect import bisect_right
from collections.abc import Iterator

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


class QuestionSpans:
    """The places of a text that only ask."""

    def __init__(self, text: str) -> None:
        spans = list(_spans(text)) if "?" in text or "？" in text else []
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def hold(self, at: int) -> bool:
        place = bisect_right(self._starts, at) - 1
        return place >= 0 and at < self._ends[place]


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
