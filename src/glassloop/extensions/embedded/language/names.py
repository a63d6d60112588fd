"""Names of places, people, firms and things, told by what stands before them and by being no everyday words.

`arguments` decides which parameter gets one.
"""

import re
from functools import lru_cache

from glassloop.core.text_terms import CJK, SMALL_WORDS, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon import fold, lexicon
from glassloop.extensions.embedded.language.terms import GERMAN_SMALL, WEAK_WORDS, is_german
from glassloop.extensions.embedded.language.words import words

_WORD = rf"[^\W\d_{CJK}][^\W_{CJK}]*(?:['’.-][^\W_{CJK}]+)*\.?"
_AFTER = re.compile(
    rf"\b(in|at|near|around|bei|nach|ab|for|of|von|fur|für|to|an)\s+(?:the\s+|der\s+|dem\s+|den\s+)?({_WORD}(?:\s+{_WORD}){{0,4}})",
    re.IGNORECASE,
)
_LOOSE = word_set("for of von fur für to an")
_CAPITAL = re.compile(
    rf"(?<![\w@.-])[A-ZÄÖÜ][^\W_{CJK}]*(?:[-.][^\W\d_{CJK}]+)*(?:\s+(?:(?:&|de|van|von|le|la)\s+)?[A-ZÄÖÜ][^\W_{CJK}]*)*"
)
_SOME_WORDS = rf"({_WORD}(?:\s+{_WORD}){{0,3}}?)"
_MOST_WORDS = rf"({_WORD}(?:\s+{_WORD}){{0,3}})"
_FROM_TO = re.compile(
    rf"\b(?:from|von|between|zwischen)\s+{_SOME_WORDS}\s+(?:to|into|nach|bis|zu|zum|zur|and|und)\s+{_MOST_WORDS}", re.I
)
_TO_FROM = re.compile(rf"\bto\s+{_SOME_WORDS}\s+from\s+{_MOST_WORDS}", re.IGNORECASE)
_TO = re.compile(rf"\b(?:to|nach)\s+{_MOST_WORDS}", re.IGNORECASE)
_FROM = re.compile(rf"\b(?:from|von|ab|aus)\s+{_MOST_WORDS}", re.IGNORECASE)
_WITH = re.compile(r"\b(?:with|invite|inviting|between|including|for|mit|für)\s+", re.IGNORECASE)
_AND = re.compile(r"(?:(?<!\s)\s++)?(?:,\s*+and\s|,|&|\band\b|\bund\b)\s*+")
_MAX_PEOPLE = 20
_WHEN = words("when")


@lru_cache(maxsize=4096)
def is_common(word: str, *, german: bool) -> bool:
    """Whether it is an everyday word rather than a name."""
    low = word.lower().strip(".").removesuffix("'s").removesuffix("’s")
    if low in SMALL_WORDS or low in _WHEN or stem(low) in WEAK_WORDS or lexicon().english(stem(low)) is not None:
        return True
    return german and (fold(low) in GERMAN_SMALL or lexicon().knows_german(low))


@lru_cache(maxsize=256)
def place_in(text: str) -> str | None:
    """The place a question is about: after `in` or the like, else the first name there is."""
    german = is_german(text)
    said = sorted(_AFTER.finditer(text), key=lambda match: match[1].lower() in _LOOSE)
    return next((name for match in said if (name := _until_common(match[2], german=german))), None) or name_in(text)


@lru_cache(maxsize=256)
def journey_in(text: str) -> tuple[str | None, str | None]:
    """Where from, where to; either may not be said."""
    if way := _FROM_TO.search(text):
        pair = (way[1], way[2])
    elif back := _TO_FROM.search(text):
        pair = (back[2], back[1])
    else:
        start, end = _FROM.search(text), _TO.search(text)
        pair = (start and start[1], end and end[1])
    german = is_german(text)
    return pair[0] and _until_common(pair[0], german=german), pair[1] and _until_common(pair[1], german=german)


@lru_cache(maxsize=256)
def name_in(text: str, skip: frozenset[str] = frozenset()) -> str | None:
    """A name as it is written: with capitals, or else the first word after `of` or `for` that is no everyday one."""
    german = is_german(text)
    for match in _CAPITAL.finditer(text):
        words = match.group().split()
        while words and (is_common(words[0], german=german) or stem(words[0].lower()) in skip):
            words = words[1:]
        if match.start() == 0 and words == match.group().split()[:1] and not _stands_alone(words[0], text):
            continue
        kept = _until_common(" ".join(words), german=german, firm=True)
        if kept and not any(character.isdigit() for character in kept):
            return kept
    return next((kept for match in _AFTER.finditer(text) if (kept := _until_common(match[2], german=german))), None)


@lru_cache(maxsize=256)
def people_in(text: str) -> tuple[str, ...]:
    """Everybody who is named as coming along: `with Ada Moss and Li Wei`; of Chinese only what is written in Latin."""
    if has_cjk(text):
        return tuple(match.group() for match in _CAPITAL.finditer(text) if not match.group().isupper())
    german = is_german(text)
    for match in _WITH.finditer(text):
        found: list[str] = []
        for piece in _AND.split(text[match.end() :])[:_MAX_PEOPLE]:
            name = _until_common(piece, german=german, firm=True)
            if not name[:1].isupper():
                break
            found.append(name)
            if name != piece.strip(" ."):
                break
        if found:
            return tuple(found)
    return ()


def _stands_alone(first: str, text: str) -> bool:
    """The first word of a sentence has its capital anyway: it is a name where it owns something, or is all there is."""
    return first == text.strip(" .,?!") or text[len(first) :].startswith(("'s", "’s"))


def _until_common(said: str, *, german: bool, firm: bool = False) -> str:
    """The words before the first everyday one. A capital keeps a word that could be both: `Essen`, `Bath`."""
    kept: list[str] = []
    words = said.split()
    for at, word in enumerate(words):
        joined = bool(kept) or any(after[:1].isupper() for after in words[at + 1 : at + 2])
        named = word[:1].isupper() and joined and (firm or not german)
        if word != "&" and is_common(word, german=german) and not named:
            break
        kept.append(word)
        if word.endswith(("'s", "’s")):
            break
    return " ".join(kept).strip(" .,&").removesuffix("'s").removesuffix("’s")
