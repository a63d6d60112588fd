"""Number style of a text: which sign it groups thousands with, by its other numbers and by its language.

Decides only what "3.000" and "3,000" mean; every other spelling says itself what it is (`quantities`).
"""

import re
from collections.abc import Callable
from typing import Literal

Language = Literal["english", "chinese", "comma", ""]
"""`comma` stands for the languages of Europe that write 1.234,5."""

MAX_CHARS = 4_000
"""Characters that the language is told by."""

_ENGLISH = frozenset(
    {"the", "of", "and", "is", "are", "to", "for", "with", "has", "had", "were", "that", "by", "it", "its", "this"}
    | {"at", "from", "than", "which", "there", "be", "your", "you", "not", "each", "their", "would"}
)
_COMMA = frozenset(
    {"der", "die", "das", "den", "dem", "des", "und", "ist", "sind", "mit", "von", "bei", "für", "auf", "ein", "eine"}
    | {"nicht", "es", "zu", "im", "wurde", "wurden", "auch", "nach", "sie", "davon", "einen", "beträgt", "zum", "über"}
    | {"le", "la", "les", "est", "une", "dans", "pour", "sur", "avec", "du", "sont", "el", "los", "las", "del", "con"}
    | {"para", "una", "por", "il", "di", "che", "della", "sono", "het", "een", "van", "met", "em", "uma", "são", "não"}
)
_ENGLISH_WORDS, _COMMA_WORDS = 3, 2
"""Words that tell a language; English ones stand in many texts."""
_WORD = re.compile(r"[a-zà-ÿ]{2,9}")
_CJK = re.compile(r"[一-鿿]")
_DECIMAL_COMMA = re.compile(
    r"(?<![\w.,\[])[0-9]{1,3}(?:\.[0-9]{3}){0,4},(?:[0-9]{1,2}|[0-9]{4,9})(?![0-9\]]|[.,][0-9])"
    r"|(?<![\w.,])[0-9]{1,3}(?:\.[0-9]{3}){2,4}(?![0-9]|\.[0-9])"
)
_DECIMAL_POINT = re.compile(
    r"(?<![\w.,])(?:[0-9]{1,3}(?:,[0-9]{3}){1,4}|[0-9]{1,9})\.(?:[0-9]{1,2}|[0-9]{4,9})(?![0-9]|[.,][0-9])"
    r"|(?<![\w.,])[0-9]{1,3}(?:,[0-9]{3}){2,4}(?![0-9]|,[0-9])"
)
_AMBIGUOUS = re.compile(r"(?<![\w.,])([1-9][0-9]{0,2})([.,])(?=[0-9]{3}(?![0-9]|[.,][0-9]))")


def language_of(text: str) -> Language:
    """The language of a text as far as numbers depend on it; empty where its words do not tell."""
    text = text[:MAX_CHARS].lower()
    if len(_CJK.findall(text)) * 4 > len(text.split()):
        return "chinese"
    words = _WORD.findall(text)
    english, comma = sum(word in _ENGLISH for word in words), sum(word in _COMMA for word in words)
    if comma >= _COMMA_WORDS and comma > english:
        return "comma"
    return "english" if english >= _ENGLISH_WORDS and english > comma else ""


def with_grouping(answer: str, asked: Callable[[], str]) -> str:
    """The answer with the sign of its thousands as an apostrophe where it is certain, character for character.

    Where the answer itself does not tell, the question does, which `asked` gives."""
    if _AMBIGUOUS.search(answer) is None:
        return answer
    sign = _grouping(answer) or _grouping(asked()[:MAX_CHARS])
    if not sign:
        return answer
    return _AMBIGUOUS.sub(lambda found: found[1] + "'" if found[2] == sign else found[0], answer)


def _grouping(text: str) -> str:
    """Its other numbers tell the style; in a language with decimal commas, a point among them is a slip."""
    language = language_of(text)
    comma, point = _DECIMAL_COMMA.search(text) is not None, _DECIMAL_POINT.search(text) is not None
    if language == "comma" or (comma and not point):
        return "."
    return "," if language or point > comma else ""
