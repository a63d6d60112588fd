"""A text as the terms it is matched by: each word with what it may stand for, in whatever language it is written."""

import re
from collections.abc import Sequence
from functools import lru_cache

from glassloop.core.text_terms import CJK, SMALL_WORDS, content_words, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon import OWN, Term, fold, german_meaning, lexicon

MAX_TERMS = 120
WEAK = 0.35
_MAX_PHRASE = 3
_TOKEN = re.compile(rf"[{CJK}]+|[^\W\d_{CJK}]+(?:['’-][^\W\d_{CJK}]+)*")
_GERMAN_ONLY = word_set(
    "der das dem den ist sind wie wieviel viel viele ich mir mich du dir mein meine meinen meiner unser und oder "
    "nicht ein eine einen einem einer fur mit von vom zum zur im am bei nach uber wann wer wo welche welcher "
    "welches welchen bitte gibt haben habe hat kann konnen wird werden noch auch auf aus dass zeig sag mach wieso "
    "warum heute morgen mochte brauche guten danke lauft kostet kosten schon doch mal denn sich sein war waren "
    "sollte muss gern gerne"
)
_GERMAN_SMALL = word_set(
    "der das dem den ist sind wie wieviel viel viele ich mir mich du dir mein meine meinen meiner unser und oder "
    "nicht ein eine einen einem einer fur mit von vom zum zur im am bei nach uber wann wer wo welche welcher "
    "welches welchen bitte gibt haben habe hat kann konnen wird werden auch aus dass mach wieso warum mochte "
    "brauche guten danke schon doch mal denn sich sein war waren sollte muss gern gerne bis die was in an um so es "
    "er sie wir ihr als wenn dann da hier dort sehr nur hoch steht gehen geht komme kommen"
)
_ENGLISH_ONLY = word_set("the is are what how of to for my please with and does do have can you i it which when where")
_SEPARABLE = word_set("ab an auf aus ein vor zu um nach mit los bei hinzu heraus zuruck weiter")
_WEAK_WORDS = frozenset(
    stem(word)
    for word in word_set(
        "get got make take give put go going come like look say see use such thing way still already ever one two "
        "three new today tomorrow yesterday yet tonight work name number user good back keep try long next first "
        "last per have has more less same other another every each own kind sort lot bit able everything "
        "something anything nothing"
    )
)
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
    known = lexicon()
    return any(len(word) > 3 and known.knows_german(word) and known.english(stem(word)) is None for word in words[:20])


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
            found += [*((pair, {pair: OWN}) for pair in content_words(token)), *lexicon().chinese(token)]
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
    keys = [stem(part) for part in ((word, *word.split("-")) if "-" in word else (word,))]
    return [(key, {key: WEAK} if key in _WEAK_WORDS else lexicon().english(key) or {key: OWN}) for key in keys]


def _german(token: str, later: Sequence[str]) -> list[tuple[str, Term]]:
    word = fold(token)
    for prefix in map(fold, reversed(later[-8:])):
        if prefix in _SEPARABLE and len(word) > 2 and lexicon().knows_german(prefix + word):
            return [(word, german_meaning(prefix + word) or {})]
    if word in _GERMAN_SMALL or len(word) < 2:
        return []
    key = stem(token.lower())
    meaning = german_meaning(word)
    if meaning is None:
        return [(key, lexicon().english(key) or {key: OWN})]
    return [(word, {key: OWN, **meaning})]


def _phrase(tokens: Sequence[str], at: int, *, german: bool) -> tuple[Term | None, int]:
    for size in range(min(_MAX_PHRASE, len(tokens) - at), 1, -1):
        joined = "_".join(tokens[at : at + size]).lower()
        meaning = lexicon().german_phrase(fold(joined)) if german else lexicon().english(joined)
        if meaning is not None:
            return meaning, size
    return None, 0
