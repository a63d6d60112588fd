"""Words that were mistyped by one letter: one missing, one too many, one wrong, or two swapped.

Owns the search among known words. Deleting a letter on both sides brings such pairs together without comparing all.
"""

from collections import defaultdict
from collections.abc import Iterable

MIN_LETTERS, MAX_LETTERS = 4, 24
SURE = 6
"""In shorter words a wrong letter makes another word as often as a mistake: there only swapped ones are mended."""


class Spelling:
    """Known words, found by what is left of them without one letter."""

    def __init__(self, words: Iterable[str]) -> None:
        self._known: defaultdict[str, list[str]] = defaultdict(list)
        for word in words:
            if MIN_LETTERS <= len(word) <= MAX_LETTERS and word.isalpha():
                for form in _forms(word):
                    self._known[form].append(word)

    def nearest(self, word: str) -> str | None:
        """The first known word within one mistake; None for short words, where every mistake is another word."""
        if not MIN_LETTERS <= len(word) <= MAX_LETTERS:
            return None
        for form in _forms(word):
            for known in self._known.get(form, ()):
                if _one_mistake(word, known):
                    return known
        return None


def _forms(word: str) -> list[str]:
    return [word, *dict.fromkeys(word[:at] + word[at + 1 :] for at in range(len(word)))]


def _one_mistake(one: str, other: str) -> bool:
    if one[0] != other[0]:
        return False
    if len(one) != len(other):
        return min(len(one), len(other)) >= SURE - 1  # Their forms met: one is the other without a letter.
    differing = [at for at, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(differing) < 2:
        return len(one) >= SURE
    first, last = differing[0], differing[-1]
    return last == first + 1 and one[first] == other[last] and one[last] == other[first]
