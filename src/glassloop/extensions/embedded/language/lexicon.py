"""Words that mean the same or speak for one another, in English, German and Chinese, as `lexicon.txt` has them.

German is looked up without its endings and taken apart where it is a compound; Chinese is cut into the longest words
known; a word mistyped by one letter is found. What the file does not have stands for nothing but itself.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files

from glassloop.core.text_terms import stem

Term = Mapping[str, float]
"""The English stems one word of a text may mean, with how surely each is meant."""

OWN, TRANSLATED, SYNONYM, RELATED, HALF = 1.0, 0.95, 0.7, 0.45, 0.8
MIN_LETTERS, MAX_LETTERS = 4, 24
SURE = 6
"""In shorter words a wrong letter makes another word as often as a mistake: there only swapped ones are mended."""

_MAX_CHINESE = 6
_MAX_GERMAN = 40
_MIN_PART = 3
_FOLDED = str.maketrans({"ä": "a", "ö": "o", "ü": "u", "ß": "ss"})
_ENDINGS = ("", "e", "en", "n", "er", "es", "s", "em", "t", "et", "st", "te", "ten", "ern", "innen")
_JOINTS = ("", "s", "es", "n", "en", "e")
_PARTICIPLE = re.compile(r"^(\w{0,6}?)ge(\w{3,20}?)(?:t|en)$")


class Lexicon:
    """The file as it is looked up."""

    def __init__(self, lines: Iterable[str]) -> None:
        english: defaultdict[str, dict[str, float]] = defaultdict(dict)
        related: defaultdict[str, set[str]] = defaultdict(set)
        self._german: dict[str, dict[str, float]] = {}
        self._chinese: dict[str, dict[str, float]] = {}
        for line in lines:
            if line.startswith("~"):
                words = [_key(word) for word in line[1:].split()]
                for word in words:
                    related[word].update(words)
            elif line.strip() and not line.startswith("#"):
                columns = [*line.split("|"), "", ""][:3]
                keys = [_key(word) for word in columns[0].split()]
                for key in keys:
                    _grow(english[key], keys, SYNONYM)
                for known, column in ((self._german, columns[1]), (self._chinese, columns[2])):
                    for word in column.split():
                        meant = known.setdefault(word, {})
                        _grow(meant, keys[:1], TRANSLATED)
                        _grow(meant, keys[1:], SYNONYM)
        for key, others in related.items():
            _grow(english[key], sorted(others), RELATED)
        for meant in (*self._german.values(), *self._chinese.values()):
            for key in [key for key, weight in meant.items() if weight >= TRANSLATED]:
                _grow(meant, sorted(related.get(key, ())), RELATED)
        self._english = {key: {**meant, key: OWN} for key, meant in english.items()}

    @property
    def english_words(self) -> list[str]:
        return [key for key in self._english if "_" not in key]

    def english(self, word: str) -> Term | None:
        """By its stem, or by a phrase's words joined by underscores."""
        return self._english.get(word)

    def german(self, word: str) -> Term | None:
        """Any form of a word; of a compound, what its parts mean."""
        word = fold(word[:_MAX_GERMAN])
        return _looked_up(self._german, word) or self._compound(word)

    def german_phrase(self, words: str) -> Term | None:
        """Words joined by underscores, exactly as the file has them."""
        return self._german.get(words)

    def knows_german(self, word: str) -> bool:
        """Whether it is in the file itself, in any form; a compound is not."""
        return _looked_up(self._german, fold(word[:_MAX_GERMAN])) is not None

    def chinese(self, run: str) -> Iterator[tuple[str, Term]]:
        """The words known in a run of characters, the longest first at each place."""
        at = 0
        while at < len(run):
            pieces = (run[at : at + size] for size in range(_MAX_CHINESE, 0, -1))
            piece = next((piece for piece in pieces if piece in self._chinese), "")
            if piece:
                yield piece, self._chinese[piece]
            at += len(piece) or 1

    def _compound(self, word: str) -> Term | None:
        """The last part says what it is, the first what it is for; one known part is better than none."""
        partly: Term | None = None
        for cut in range(_MIN_PART, len(word) - _MIN_PART + 1):
            last = _looked_up(self._german, word[cut:])
            first = next((m for joint in _JOINTS if (m := self._first_part(word[:cut], joint))), None)
            if first and last:
                return {key: max(first.get(key, 0.0), last.get(key, 0.0)) for key in (*first, *last)}
            known = self._exactly(word[cut:]) if len(word) - cut > _MIN_PART + 1 else None
            known = known or (first if cut > _MIN_PART + 1 else None)
            if partly is None and known:
                partly = {key: weight * HALF for key, weight in known.items()}
        return partly

    def _exactly(self, part: str) -> Term | None:
        return next((self._german[form] for end in _JOINTS if (form := part.removesuffix(end)) in self._german), None)

    def _first_part(self, part: str, joint: str) -> Term | None:
        bare = part.removesuffix(joint)
        return self._german.get(bare) if joint == part[len(bare) :] and len(bare) >= _MIN_PART else None


class Spelling:
    """Known words, found by what is left of them without one letter: pairs that are one mistake apart meet so."""

    def __init__(self, words: Iterable[str]) -> None:
        self._known: defaultdict[str, list[str]] = defaultdict(list)
        for word in words:
            if MIN_LETTERS <= len(word) <= MAX_LETTERS and word.isalpha():
                for form in _forms(word):
                    self._known[form].append(word)

    def nearest(self, word: str) -> str | None:
        """The first known word with a letter missing, one too many, one wrong, or two swapped."""
        if not MIN_LETTERS <= len(word) <= MAX_LETTERS:
            return None
        met = (known for form in _forms(word) for known in self._known.get(form, ()))
        return next((known for known in met if _one_mistake(word, known)), None)


def fold(word: str) -> str:
    """`Aufträge` and `auftrage` are one spelling."""
    return word.lower().translate(_FOLDED)


@cache
def lexicon() -> Lexicon:
    """Read once, when a question first needs it."""
    return Lexicon((files("glassloop.extensions.embedded.language") / "lexicon.txt").read_text("utf-8").splitlines())


@lru_cache(maxsize=4096)
def german_meaning(word: str) -> Term | None:
    return lexicon().german(word)


def _looked_up(known: Mapping[str, dict[str, float]], word: str) -> Term | None:
    """By the form that is written, or one with another ending."""
    if word in known:
        return known[word]
    participle = _PARTICIPLE.match(word)
    for form in (word, participle[1] + participle[2]) if participle else (word,):
        for ending in _ENDINGS:
            bare = form.removesuffix(ending)
            if len(bare) < _MIN_PART or (ending and bare == form):
                continue
            for other in ("", "en", "e", "n"):
                if bare + other in known:
                    return known[bare + other]
    return None


def _key(word: str) -> str:
    return word if "_" in word else stem(word)


def _grow(meant: dict[str, float], keys: list[str], weight: float) -> None:
    for key in keys:
        meant[key] = max(meant.get(key, 0.0), weight)


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
