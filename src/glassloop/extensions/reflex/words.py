"""Word lists of `reflex`, as `words.toml` has them, and the form in which words are compared."""

from importlib.resources import files
from typing import Final

import msgspec

from glassloop.core.text_terms import stem, word_set


class _Lists(msgspec.Struct, frozen=True):
    words: dict[str, str]
    phrases: dict[str, tuple[str, ...]]
    periods: dict[str, tuple[str, ...]]
    units: dict[str, str]


_lists: Final = msgspec.toml.decode((files("glassloop.extensions.reflex") / "words.toml").read_bytes(), type=_Lists)
_sets: Final = {name: word_set(text) for name, text in _lists.words.items()}

NEUTRAL, NEUTRAL_GERMAN, PAST, OWN = _sets["neutral"], _sets["neutral_german"], _sets["past"], _sets["own"]
HARD, HARD_GERMAN, STRICT, DAYS = _sets["hard"], _sets["hard_german"], _sets["strict"], _sets["days"]
GERMAN_SIGNS, GENERIC = _sets["german_signs"], _sets["generic"]
NO_NAMES: Final = DAYS | HARD | HARD_GERMAN | NEUTRAL | NEUTRAL_GERMAN
NEUTRAL_CHINESE: Final = tuple(_lists.words["neutral_chinese"].split())
HARD_CHINESE: Final = tuple(_lists.words["hard_chinese"].split())
NEUTRAL_PHRASES, STRICT_CHINESE = _lists.phrases["neutral_phrases"], _lists.phrases["strict_chinese"]
NOW: Final = _lists.phrases["now"]
PERIODS: Final = _lists.periods
UNITS: Final = _lists.units

_CANONICAL: Final = {stem(word): stem(group.split()[0]) for group in _lists.phrases["same"] for word in group.split()}


def norm(word: str) -> str:
    """A word in the form it is compared in: without endings, words for the same thing as one."""
    plain = word.lower().replace("’", "'").removesuffix("'s").rstrip("'")
    plain = plain.replace("-", "") if plain in ("e-mail", "e-mails") else plain
    if plain in HARD or plain in NEUTRAL:
        return plain
    found = stem(plain)
    # `note` without its ending must not be read as `not`.
    found = f"{found}e" if found in HARD or found in NEUTRAL else found
    return _CANONICAL.get(found, found)
