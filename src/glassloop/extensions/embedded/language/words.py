"""Word lists and tables of the rules, as `words.toml` has them."""

from functools import cache
from importlib.resources import files

import msgspec

from glassloop.core.text_terms import stem, word_set


def words(name: str) -> frozenset[str]:
    return word_set(table("words")[name])


def stems(name: str) -> frozenset[str]:
    """The words of a list, as they are compared."""
    return frozenset(map(stem, words(name)))


def table(name: str) -> dict[str, str]:
    return _tables()[name]


@cache
def _tables() -> dict[str, dict[str, str]]:
    text = (files("glassloop.extensions.embedded.language") / "words.toml").read_text("utf-8")
    return msgspec.toml.decode(text, type=dict[str, dict[str, str]])
