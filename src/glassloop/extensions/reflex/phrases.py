"""Phrases that questions are compared with, indexed so that a question is tried only on those that can stand in it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from glassloop.core.text_terms import has_cjk
from glassloop.extensions.reflex.question import TokenizedQuestion

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
