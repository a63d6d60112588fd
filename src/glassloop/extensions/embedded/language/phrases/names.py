"""Names of places, people, firms and things, told by what stands before them and by being no everyday words.

Owns finding them in English, German and Chinese; which parameter gets one is `arguments`.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from glassloop.core.text_terms import CJK, SMALL_WORDS, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon.lexicon import MAX_CHINESE, fold, lexicon
from glassloop.extensions.embedded.language.lexicon.terms import GERMAN_SMALL, WEAK_WORDS, is_german
from glassloop.extensions.embedded.language.phrases.remainder import PHRASES

_WORD = rf"[^\W\d_{CJK}][^\W_{CJK}]*(?:['’.-][^\W_{CJK}]+)*\.?"
_AFTER = re.compile(
    rf"\b(in|at|near|around|bei|nach|ab|for|of|von|fur|für|to|an)\s+(?:the\s+|der\s+|dem\s+|den\s+)?({_WORD}(?:\s+{_WORD}){{0,4}})",
    re.IGNORECASE,
)
_LOOSE = word_set("for of von fur für to an")
_CAPITAL = re.compile(
    rf"(?<![\w@.-])[A-ZÄÖÜ][^\W_{CJK}]*(?:[-.][^\W\d_{CJK}]+)*(?:\s+(?:(?:&|de|van|von|le|la)\s+)?[A-ZÄÖÜ][^\W_{CJK}]*)*"
)
_FROM_TO = re.compile(
    rf"\b(?:from|von)\s+({_WORD}(?:\s+{_WORD}){{0,3}}?)\s+(?:to|into|nach|bis|zu|zum|zur|and|und)\s+"
    rf"({_WORD}(?:\s+{_WORD}){{0,3}})",
    re.IGNORECASE,
)
_TO_FROM = re.compile(rf"\bto\s+({_WORD}(?:\s+{_WORD}){{0,3}}?)\s+from\s+({_WORD}(?:\s+{_WORD}){{0,3}})", re.IGNORECASE)
_TO = re.compile(rf"\b(?:to|nach)\s+({_WORD}(?:\s+{_WORD}){{0,3}})", re.IGNORECASE)
_FROM = re.compile(rf"\b(?:from|von|ab|aus)\s+({_WORD}(?:\s+{_WORD}){{0,3}})", re.IGNORECASE)
_BETWEEN = re.compile(
    rf"\b(?:between|zwischen)\s+({_WORD}(?:\s+{_WORD}){{0,2}}?)\s+(?:and|und)\s+({_WORD}(?:\s+{_WORD}){{0,2}})", re.I
)
_CHINESE_WAY = re.compile(r"从\s*([^\s到去飞,，]{1,12})\s*(?:飞?到|去|飞往|飞)\s*([^\s,，。？?]{1,12})")
_CHINESE_TO = re.compile(r"(?:到|去)\s*([^\s,，。？?了哪]{1,12})")
_WITH = re.compile(r"\b(?:with|invite|inviting|between|including|for|mit|für)\s+", re.IGNORECASE)
_AND = re.compile(r"(?:(?<!\s)\s++)?(?:,\s*+and\s|,|&|\band\b|\bund\b)\s*+")
_CHINESE_WITH = re.compile(rf"(?:和|跟|与|同|约|邀请|参加者|参会人)[:：]?\s*([{CJK}]{{2,12}})")
_MAX_PEOPLE = 20
_WHEN = word_set(
    "today tomorrow tonight now right currently please this next week weekend moment time monday tuesday wednesday "
    "thursday friday saturday sunday january february march april june july august september october november december "
    "after before until during since without between while else very together instead "
    "heute morgen montag dienstag mittwoch donnerstag freitag samstag sonntag jetzt"
)
_PARTICLES = frozenset(
    "会吗的了呢那和跟给从到在里上下能要说我你他她得着可这把有是去班几次点吧啊也都还想用为以及个件现今明后被让对前后"
)


@lru_cache(maxsize=4096)
def is_common(word: str, *, german: bool) -> bool:
    """Whether it is an everyday word rather than a name."""
    low = word.lower().strip(".").removesuffix("'s").removesuffix("’s")
    if low in SMALL_WORDS or low in _WHEN or stem(low) in WEAK_WORDS or lexicon().english(stem(low)) is not None:
        return True
    return german and (fold(low) in GERMAN_SMALL or lexicon().knows_german(low))


@lru_cache(maxsize=256)
def place_in(text: str, *, translate: bool) -> str | None:
    """The place a question is about: after `in` or the like, else the first name there is."""
    if has_cjk(text):
        found = next(_chinese_names(text), None)
    else:
        german = is_german(text)
        said = sorted(_AFTER.finditer(text), key=lambda match: match[1].lower() in _LOOSE)
        found = next((name for match in said if (name := _until_common(match[2], german=german))), None)
        found = found or name_in(text)
    return _in_english(found, translate=translate)


@lru_cache(maxsize=256)
def journey_in(text: str, *, translate: bool) -> tuple[str | None, str | None]:
    """Where from, where to; either may not be said."""
    if has_cjk(text):
        way, to = _CHINESE_WAY.search(text), _CHINESE_TO.search(text)
        pair = (way[1], way[2]) if way else (None, to[1] if to else None)
        pair = (pair[0], pair[1] and next(_chinese_names(pair[1]), None))
    else:
        german = is_german(text)
        way, back = _FROM_TO.search(text) or _BETWEEN.search(text), _TO_FROM.search(text)
        if way or back:
            pair = (way[1], way[2]) if way else (back[2], back[1]) if back else (None, None)
        else:
            start, end = _FROM.search(text), _TO.search(text)
            pair = (start[1] if start else None, end[1] if end else None)
        pair = tuple(part and _until_common(part, german=german) for part in pair)
    return _in_english(pair[0], translate=translate), _in_english(pair[1], translate=translate)


@lru_cache(maxsize=256)
def name_in(text: str, skip: frozenset[str] = frozenset()) -> str | None:
    """A name as it is written: with capitals, or else the first word after `of` or `for` that is no everyday one."""
    if has_cjk(text):
        return next(_chinese_names(text), None)
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
    for match in _AFTER.finditer(text):
        if kept := _until_common(match[2], german=german):
            return kept
    return None


@lru_cache(maxsize=256)
def people_in(text: str) -> tuple[str, ...]:
    """Everybody who is named as coming along: `with Ada Moss and Li Wei`, 和 Ada Moss、Li Wei."""
    if has_cjk(text):
        latin = tuple(match.group() for match in _CAPITAL.finditer(text) if not match.group().isupper())
        after = next((name for match in _CHINESE_WITH.finditer(text) for name in _chinese_names(match[1])), None)
        return latin or ((after,) if after else ())
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


def _in_english(place: str | None, *, translate: bool) -> str | None:
    return ((lexicon().place(place) if translate else None) or place) if place else None


def _stands_alone(first: str, text: str) -> bool:
    """The first word of a sentence has its capital anyway: it is a name where it owns something, or is all there is."""
    return (
        first == text.strip(" .,?!")
        or text[len(first) :].startswith(("'s", "’s"))
        or lexicon().place(first) is not None
    )


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


def _chinese_names(text: str) -> Iterator[str]:
    """What is left between the words everybody uses; Latin words first, as they are names in a Chinese sentence."""
    yield from (
        match.group()
        for match in re.finditer(
            r"(?<![\w-])[A-Za-z][A-Za-z.'&-]*(?:\s+[A-Za-z&][A-Za-z.'-]*)*(?![\w-])", text, re.ASCII
        )
        if not is_common(match.group(), german=False)
    )
    for run in re.findall(rf"[{CJK}]+", text):
        left = ""
        at = 0
        while at < len(run):
            if place := _is_place(run, at):
                yield place
                at, left = at + len(place), ""
                continue
            size = next(
                (
                    n
                    for n in range(MAX_CHINESE, 0, -1)
                    if lexicon().knows_chinese(run[at : at + n])
                    or run[at : at + n] in PHRASES
                    or (n == 1 and run[at] in _PARTICLES)
                ),
                0,
            )
            if size and len(left) > 1:
                yield left
            left = "" if size else left + run[at]
            at += size or 1
        if len(left) > 1:
            yield left


def _is_place(run: str, at: int) -> str:
    return next((run[at : at + n] for n in range(MAX_CHINESE, 1, -1) if lexicon().place(run[at : at + n])), "")
