"""Definitions that speak of the same things as a question in prose: by the words in their names and paths. Pure."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

MAX_WORDS = 40
"""Of a question."""
PATH = 0.5
"""What a word in the path of a file counts beside one in a name."""

_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_COMMON = re.compile(
    "a|about|all|an|and|any|are|as|at|be|by|can|code|decided?|defined|definition|do|does|files?|find|for|from"
    "|functions?|get|handled|how|i|if|in|into|is|it|its|made|make|me|of|on|or|say|set|show|that|the|their|then"
    "|there|these|this|to|up|used?|uses|we|what|when|where|which|who|why|with|you"
)
"""Words of a question that tell nothing about what it asks for."""


@lru_cache(maxsize=200_000)
def words_of(name: str) -> frozenset[str]:
    """The words that a name or a path is made of, in one case and without their endings."""
    return frozenset(stem(part) for part in _PARTS.findall(name) if len(part) > 1)


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Lightly: what is left of a word without the endings of number and time."""
    word = word.lower()
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ied", "y"), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: len(word) - len(ending)] + instead
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def question_words(question: str) -> list[str]:
    """Those that tell what it is about."""
    found = dict.fromkeys(stem(part) for part in _PARTS.findall(question) if not _COMMON.fullmatch(part.lower()))
    return [word for word in found if len(word) > 1][:MAX_WORDS]


class WordIndex:
    """Numbers of names by the words that they are made of."""

    def __init__(self) -> None:
        self._names: dict[str, list[int]] = {}
        self._known = set[int]()
        self._lengths: dict[int, int] = {}

    def add(self, number: int, name: str) -> None:
        if number in self._known:
            return
        self._known.add(number)
        words = words_of(name)
        self._lengths[number] = len(words)
        for word in words:
            self._names.setdefault(word, []).append(number)

    def weights(self, words: Sequence[str]) -> dict[str, float]:
        """What each counts, all together 1: one that few names have counts more."""
        found = {word: math.log((len(self._known) + 1) / (len(self._names.get(word, ())) + 0.5)) for word in words}
        most = sum(found.values()) or 1.0
        return {word: max(weight, 0.0) / most for word, weight in found.items()}

    def scores(self, weights: Mapping[str, float]) -> dict[int, float]:
        """Of each name with one of the words from 0 to 1; one that also has other words counts a little less."""
        found: dict[int, float] = {}
        shared = Counter[int]()
        for word, weight in weights.items():
            for number in self._names.get(word, ()):
                found[number] = found.get(number, 0.0) + weight
                shared[number] += 1
        return {
            each: score * (1.0 - 0.05 * min(self._lengths[each] - shared[each], 6)) for each, score in found.items()
        }


def path_score(path: str, weights: Mapping[str, float]) -> float:
    words = words_of(path)
    return PATH * sum(weight for word, weight in weights.items() if word in words)
