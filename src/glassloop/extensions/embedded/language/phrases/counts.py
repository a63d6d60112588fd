"""Counts in a question: `top 5`, `the three largest`, 前五, 最大的三个; `which three suppliers`.

Finds the number and where it stands.
"""

import re

import msgspec

from glassloop.extensions.embedded.language.question import TextPiece

"""What parameters are called that say how many rows are shown."""

_WORDS = {
    word: number
    for number, words in enumerate(
        (
            "one 一", "two zwei 两 二", "three drei 三", "four vier 四", "five fünf 五", "six sechs 六",
            "seven sieben 七", "eight acht 八", "nine neun 九", "ten zehn 十", "eleven", "twelve zwölf", "thirteen",
            "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty zwanzig",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip
_LATIN = rf"\d{{1,6}}|{'|'.join(word for word in _WORDS if word[0].isascii())}"
_CHINESE = rf"\d{{1,6}}|[{''.join(word for word in _WORDS if not word[0].isascii() and len(word) == 1)}]"
_RANKED = (
    "most\\s+recent|latest|newest|last|best|top|recent|largest|biggest|highest|smallest|lowest|worst|oldest|most|least|"
    "größten|besten|neuesten|letzten|longest|cheapest|busiest"
)
_COUNTED = re.compile(
    rf"\b(?:top|first|last|latest|best|limit(?:\s+of)?|up\s+to|at\s+most|largest|biggest|highest|worst|newest)\s+"
    rf"(?P<after>{_LATIN})\b(?!\s+(?:days?|weeks?|months?|quarters?|years?|hours?)\b)"
    rf"|\b(?P<before>{_LATIN})\s+(?:{_RANKED})\b"
    rf"|(?:前|最近)(?P<front>{_CHINESE})(?![天日周年个]|\d)|前(?P<front_of>{_CHINESE})[个名家笔条位台]"
    rf"|最[大多高低差小新][^，。？?\d]{{0,8}}?的?(?P<most>{_CHINESE})[个名家笔条位台]"
    rf"|(?P<great>{_CHINESE})(?:大(?!于)|个最[大多高低差小新])",
    re.IGNORECASE,
)

_NOT_ROWS = r"(?!days?\b|weeks?\b|months?\b|quarters?\b|years?\b|hours?\b|minutes?\b|times\b|percent\b)"
_ROWS = re.compile(
    rf"\b(?:which|what|name|list|show|give|welche|nenne)\s+(?:me\s+|us\s+|the\s+|our\s+|mir\s+|die\s+){{0,2}}(?P<count>{_LATIN})\s+"
    rf"{_NOT_ROWS}(?P<things>(?:[^\W\d_]+\s+)?{_NOT_ROWS}[^\W\d_]+)"
    rf"|哪(?P<zh>{_CHINESE})[个名家笔条位台](?P<zh_things>[^，。？?\d]{{1,6}})",
    re.IGNORECASE,
)


class CountPhrase(msgspec.Struct, frozen=True):
    """The number as digits with its place, and the words after it, which say of what."""

    found: TextPiece
    things: str


def counted_in(text: str) -> TextPiece | None:
    """The number as digits, with the place it was said at."""
    match = _COUNTED.search(text)
    if match is None or match.lastgroup is None:
        return None
    said = match[match.lastgroup].lower()
    return TextPiece(str(_WORDS.get(said, said)), match.start(match.lastgroup), match.end(match.lastgroup))
