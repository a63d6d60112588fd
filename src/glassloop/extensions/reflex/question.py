"""A question as tokens with their places: words, numbers, dates, identifiers, files, quotes, Chinese characters."""

import re
from functools import cached_property
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
