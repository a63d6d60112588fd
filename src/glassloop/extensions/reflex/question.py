"""A question as tokens with their places: words, numbers, dates, identifiers, files, quotes, Chinese characters.

Also phrases that it is compared with, indexed so that it is tried only on those that can stand in it.
"""

import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Final, Literal, cast

import msgspec

from glassloop.core.text_terms import CJK, has_cjk
from glassloop.extensions.reflex.words import GERMAN_SIGNS, norm

MAX_QUESTION: Final = 1_000
_MIN_NOUN: Final = 4

Kind = Literal["word", "number", "date", "time", "identifier", "file", "quoted", "chinese", "sign"]

_QUOTED = r"\"[^\"]{1,300}\"|“[^”]{1,300}”|「[^」]{1,300}」|『[^』]{1,300}』"
_PATTERNS: Final[tuple[tuple[Kind, str], ...]] = (
    ("quoted", _QUOTED),
    ("date", r"(?<![\w-])\d{4}-(?:\d{2}-\d{2}|\d{2}|Q[1-4])(?![\w-])"),
    ("time", r"(?<![\w:])\d{1,2}:\d{2}(?![\w:])"),
    ("identifier", r"(?<![\w-])(?:[A-Za-z]{1,12}-){1,2}\d[A-Za-z\d-]{0,30}"),
    ("file", r"(?<![\w.])[A-Za-z\d_][\w-]{0,60}\.[A-Za-z]{1,5}(?![\w.])"),
    ("number", r"(?<![\w.])(?:\d{1,3}(?:,\d{3}){1,6}|\d{1,30})(?:\.\d{1,20})?(?![A-Za-z\d_])"),
    ("chinese", rf"[{CJK}]"),
    ("word", rf"(?:(?![{CJK}])[^\W_])+(?:['’-](?:(?![{CJK}])[^\W_])+)*['’]?"),
    ("sign", r"[€$£¥°%+*/^=<>&@#~|]"),
)
_TOKEN: Final = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS))
_SENTENCE: Final = re.compile(r"[.?!;] (?=\S)|[。？！；](?= ?\S)")


class QuestionToken(msgspec.Struct, frozen=True):
    """One piece of the question. `norm` is how it is compared, `value` what it says."""

    text: str
    start: int
    end: int
    kind: Kind
    norm: str

    @property
    def value(self) -> str:
        return self.text[1:-1] if self.kind == "quoted" else self.text

    @property
    def is_name(self) -> bool:
        """Whether it is written as a name is."""
        return self.kind == "word" and self.text[:1].isupper()


class TokenizedQuestion:
    """What was asked, read once; each tool is then tried on it."""

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        self.lower = self.text.lower()
        self.tokens = [_token(match) for match in _TOKEN.finditer(self.text)]
        self.words = [token for token in self.tokens if token.kind == "word"]
        if self.is_german:
            self.tokens = [part for token in self.tokens for part in _parts(token)]
            self.words = [token for token in self.tokens if token.kind == "word"]

    @cached_property
    def is_german(self) -> bool:
        return any(token.text.lower() in GERMAN_SIGNS for token in self.words)

    @cached_property
    def written(self) -> frozenset[str]:
        """Its words as they are written, without the ending of a possessive."""
        return frozenset(bare(token.text) for token in self.tokens)

    @cached_property
    def norms(self) -> frozenset[str]:
        return frozenset(token.norm for token in self.tokens)

    @cached_property
    def is_chinese(self) -> bool:
        return has_cjk(self.text)

    def find(self, phrase: str) -> list[list[int]]:
        """Where a phrase stands, as the places of its tokens."""
        if has_cjk(phrase):
            spans = (self.within(match.start(), match.end()) for match in form_of(phrase).finditer(self.text))
            return [places for places in spans if places]
        if is_short(phrase):
            written = phrase.lower()
            return [[at] for at, token in enumerate(self.tokens) if bare(token.text) == written]
        wanted, norms = norms_of(phrase), tuple(token.norm for token in self.tokens)
        size = len(wanted)
        if not size or wanted[0] not in norms:
            return []
        return [list(range(at, at + size)) for at in range(len(norms) - size + 1) if norms[at : at + size] == wanted]

    def within(self, start: int, end: int) -> list[int]:
        """The places of the tokens between two characters of the text."""
        return [at for at, token in enumerate(self.tokens) if start <= token.start and token.end <= end]

    @property
    def sentences(self) -> int:
        """How many there are that say something; a full stop within quotes ends none."""
        quoted = [(token.start, token.end) for token in self.tokens if token.kind == "quoted"]
        ends = [match.start() for match in _SENTENCE.finditer(self.text)]
        return 1 + sum(not any(start <= end < stop for start, stop in quoted) for end in ends)


def bare(word: str) -> str:
    return word.lower().replace("’", "'").removesuffix("'s").rstrip("'")


def _parts(token: QuestionToken) -> list[QuestionToken]:
    """`Acme-Filialen` is a name and a noun."""
    name, hyphen, noun = token.text.rpartition("-")
    if token.kind != "word" or not hyphen or len(noun) < _MIN_NOUN or not noun[0].isupper():
        return [token]
    at = token.end - len(noun)
    first = QuestionToken(name, token.start, at - 1, "word", norm(name))
    return [first, QuestionToken(noun, at, token.end, "word", norm(noun))]


def _token(match: re.Match[str]) -> QuestionToken:
    text, kind = match.group(), cast("Kind", match.lastgroup)
    return QuestionToken(text, match.start(), match.end(), kind, norm(text) if kind == "word" else text.lower())


MAX_PHRASES: Final = 4_096
_SHORT: Final = 3
"""Phrases of so few letters are compared as they are written: `mag` without its ending is also `mage`."""


class PhraseIndex:
    """Phrases by what a question must have for them to stand in it."""

    def __init__(self, phrases: Sequence[str]) -> None:
        self.phrases = tuple(phrases)
        self._chinese: list[int] = []
        self._written: dict[str, list[int]] = {}
        self._norms: dict[str, list[int]] = {}
        for at, phrase in enumerate(phrases):
            if has_cjk(phrase):
                self._chinese.append(at)
            elif is_short(phrase):
                self._written.setdefault(phrase.lower(), []).append(at)
            elif norms := norms_of(phrase):
                self._norms.setdefault(norms[0], []).append(at)

    def possible(self, question: TokenizedQuestion) -> list[int]:
        """The numbers of the phrases that may stand in the question, in their order."""
        found = list(self._chinese) if question.is_chinese else []
        for words, index in ((question.written, self._written), (question.norms, self._norms)):
            for word in words & index.keys():
                found += index[word]
        return sorted(found)


def is_short(phrase: str) -> bool:
    return len(phrase) <= _SHORT


@lru_cache(MAX_PHRASES)
def form_of(phrase: str) -> re.Pattern[str]:
    """A Chinese phrase with or without spaces."""
    return re.compile(r" ?".join(map(re.escape, phrase.replace(" ", ""))))


@lru_cache(MAX_PHRASES)
def norms_of(phrase: str) -> tuple[str, ...]:
    """Every question is compared with the same phrases."""
    return tuple(token.norm for token in TokenizedQuestion(phrase).tokens)
