"""Comparison of names as people write them: without case, accents, punctuation and plural endings."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, TypeVar

MAX_NAME_CHARS: Final = 200
MAX_NAMED: Final = 8
"""Of choices in a message."""
_FILLING: Final = re.compile(r"[\W_]+")
_APOSTROPHES: Final = re.compile(r"['’`´]")
_SMALL_WORDS: Final = frozenset({"the", "and", "of", "a", "an", "in", "all", "other"})

T = TypeVar("T")


@lru_cache(maxsize=8_192)
def fold(text: str) -> str:
    """`Café  McDonald’s & Co.` as `cafe mcdonalds and co`."""
    plain = unicodedata.normalize("NFKD", text[:MAX_NAME_CHARS]).replace("&", " and ").replace("+", " and ")
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    return _FILLING.sub(" ", _APOSTROPHES.sub("", plain)).casefold().strip()


@lru_cache(maxsize=8_192)
def words_of(text: str) -> frozenset[str]:
    """The words that matter, in the singular."""
    words = [_singular(word) for word in fold(text).split()]
    return frozenset(word for word in words if word not in _SMALL_WORDS) or frozenset(words)


def find_names(wanted: str, known: Mapping[str, Iterable[T]]) -> list[T]:
    """What is meant by a name: what is spelt so, else what has the same words, else what has them all."""
    spelt = fold(wanted).replace(" ", "")
    if not spelt:
        return []
    same = [found for name, found in known.items() if fold(name).replace(" ", "") == spelt]
    if not same:
        words = words_of(wanted)
        same = [found for name, found in known.items() if words_of(name) == words]
        same = same or [found for name, found in known.items() if words <= words_of(name)]
    return list(dict.fromkeys(one for found in same for one in found))


def nearest_names(wanted: str, known: Iterable[str]) -> list[str]:
    """At most five names that look like this one, or share a word with it."""
    # Imported late: only mistakes need it.
    from difflib import get_close_matches

    by_fold: dict[str, str] = {}
    for name in known:
        by_fold.setdefault(fold(name), name)
    close = get_close_matches(fold(wanted)[:64], by_fold, n=5, cutoff=0.6)
    words = words_of(wanted)
    sharing = [folded for folded in by_fold if words & words_of(folded)]
    return [by_fold[folded] for folded in dict.fromkeys([*close, *sharing[:5]])][:5]


def quote_name(text: str) -> str:
    """A name of unknown origin, fit for a message."""
    short = " ".join(text.split())
    return repr(short if len(short) <= 60 else f"{short[:59]}…")


def list_names(names: Iterable[str]) -> str:
    """Names for a message, the first few of many."""
    every = list(names)
    more = f" and {len(every) - MAX_NAMED} more" if len(every) > MAX_NAMED else ""
    return ", ".join(every[:MAX_NAMED]) + more


def _singular(word: str) -> str:
    if len(word) <= 3 or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word
