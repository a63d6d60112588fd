"""A text as the terms it is matched by: each word with what it may stand for, in whatever language it is written.

Owns telling the language, phrases of several words, separable German verbs and the words that say little.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from glassloop.core.text_terms import CJK, SMALL_WORDS, content_words, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon.lexicon import (
    MAX_PHRASE,
    OWN,
    Meaning,
    fold,
    german_meaning,
    lexicon,
)

Term = Mapping[str, float]
"""The stems one word of a text may mean, and how surely."""

MAX_TERMS = 120
WEAK = 0.35
_TOKEN = re.compile(rf"[{CJK}]+|[^\W\d_{CJK}]+(?:['’-][^\W\d_{CJK}]+)*")
_GERMAN_ONLY = word_set(
    "der das dem den ist sind wie wieviel viel viele ich mir mich du dir mein meine meinen meiner unser und oder nicht "
    "ein eine einen einem einer fur mit von vom zum zur im am bei nach uber wann wer wo welche welcher welches welchen "
    "bitte gibt haben habe hat kann konnen wird werden noch auch auf aus dass zeig sag mach wieso warum heute morgen "
    "mochte brauche guten danke lauft kostet kosten schon doch mal denn sich sein war waren sollte muss gern gerne"
)
GERMAN_SMALL = _GERMAN_ONLY - word_set("noch auf heute morgen kostet kosten zeig sag lauft frei") | word_set(
    "bis die was in an um so es er sie wir ihr als wenn dann da hier dort sehr nur hoch steht gehen geht komme kommen"
)
_ENGLISH_ONLY = word_set("the is are what how of to for my please with and does do have can you i it which when where")
_SEPARABLE = word_set("ab an auf aus ein vor zu um nach mit los bei hinzu heraus zuruck weiter")
WEAK_WORDS = frozenset(
    map(
        stem,
        word_set(
            "get got make take give put go going come like look say see use such thing way still already ever one two "
            "three new today tomorrow yesterday yet tonight work name number user good back keep try long "
            "next first last per have has more less same other another every each own kind sort lot bit able "
            "everything something anything nothing"
        ),
    )
)
THIN = frozenset(map(stem, word_set("status state progress condition details information info list overview")))
"""Words that go with any tool."""

_GIVES_BACK = re.compile(r"\b(?:give|pay|get|want)\b.{1,40}\bback\b", re.I)
_TELLS = re.compile(
    r"\b(?:tell|text|ping|write|email|e-mail|message)\s+(?:to\s+)?(?!me\b|us\b|a\b|an\b|the\b|down\b)\w+", re.I
)


@lru_cache(maxsize=256)
def is_german(text: str) -> bool:
    """By its small words: a single name with an umlaut makes no German sentence."""
    words = [fold(word) for word in re.findall(r"[^\W\d_]+", text[:2000])]
    english = sum(word in _ENGLISH_ONLY for word in words)
    marked = sum(word in _GERMAN_ONLY for word in words)
    if marked or english:
        return marked > english
    return any(_speaks_german(word) for word in words[:20])


def _speaks_german(word: str) -> bool:
    known = lexicon()
    return len(word) > 3 and known.knows_german(word) and known.english(stem(word)) is None


def read_terms(text: str) -> Sequence[tuple[str, Term]]:
    """Each word that says something, as it is compared, with what it may stand for; bounded."""
    german = is_german(text)
    tokens = [match.group().replace("’", "'") for match in _TOKEN.finditer(text)]
    found: list[tuple[str, Term]] = []
    skip = 0
    for at, token in enumerate(tokens):
        if len(found) >= MAX_TERMS:
            break
        if has_cjk(token):
            found += _chinese(token)
            continue
        phrase, size = _phrase(tokens, at, german=german)
        if phrase is not None:
            found.append(("_".join(tokens[at : at + size]).lower(), phrase))
            skip = max(skip, at + size)
        if at >= skip or (phrase is None and german):
            found += _german(token, tokens[at + 1 :]) if german else _english(token)
    if _TELLS.search(text):
        found.append(("tell", {"send": OWN, "messag": OWN, "notify": 0.7}))
    if _GIVES_BACK.search(text):
        found.insert(0, ("give_back", lexicon().english("give_back") or {}))
    return found[:MAX_TERMS]


def _english(token: str) -> list[tuple[str, Term]]:
    word = token.lower().removesuffix("'s")
    if word in SMALL_WORDS or len(word) < 2:
        return []
    meant: list[tuple[str, Term]] = []
    for part in (word, *word.split("-")) if "-" in word else (word,):
        key = stem(part)
        weak = key in WEAK_WORDS
        term = lexicon().english(key) or {key: OWN}
        meant.append((key, {key: WEAK} if weak else term))
    return meant


def _german(token: str, later: Sequence[str]) -> list[tuple[str, Term]]:
    word = fold(token)
    for prefix in reversed(later[-8:]):
        if fold(prefix) in _SEPARABLE and len(word) > 2 and (meaning := _separable(fold(prefix) + word)):
            return [(word, meaning)]
    if word in GERMAN_SMALL or len(word) < 2:
        return []
    key = stem(token.lower())
    meaning = german_meaning(word)
    if meaning is None:
        return [(key, lexicon().english(key) or {key: OWN})]
    return [(word, {key: OWN, **meaning})]


def _separable(word: str) -> Meaning | None:
    return german_meaning(word) if lexicon().knows_german(word) else None


def _chinese(run: str) -> list[tuple[str, Term]]:
    pairs: list[tuple[str, Term]] = [(pair, {pair: OWN}) for pair in content_words(run)]
    return [*pairs, *((word, meaning) for word, meaning in lexicon().chinese(run))]


def _phrase(tokens: Sequence[str], at: int, *, german: bool) -> tuple[Meaning | None, int]:
    for size in range(MAX_PHRASE, 1, -1):
        words = [token.lower() for token in tokens[at : at + size]]
        if len(words) == size:
            joined = "_".join(words)
            meaning = lexicon().german_phrase(fold(joined)) if german else lexicon().english(joined)
            if meaning is not None:
                return meaning, size
    return None, 0
