"""Categories of other makers as ours: by NAICS where the file or the name tells it, else the maker's own below one."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from glassloop.extensions.places.query.names import words_of

NAICS = re.compile(r"\d{2,6}(\.0)?")
MAX_NAME_CHARS = 200
_VOCABULARY = Path(__file__).parents[2] / "sample" / "data" / "categories.toml"
_PARENT_DIGITS = 4


class CategoryRow(NamedTuple):
    """The category of what a file has; `parent` where there is one above it, and `word`, another name of it."""

    code: str
    name: str
    parent: str | None = None
    parent_name: str | None = None
    word: str | None = None


def category_of(given: str, name: str | None, above: str | None, label: str | None = None) -> CategoryRow:
    """By what the file has: a code, a name such as `coffee_shop`, or a path of them as `label`."""
    if NAICS.fullmatch(given):
        code = given.removesuffix(".0")
        parent = (code[:_PARENT_DIGITS], _cut(above)) if above and len(code) > _PARENT_DIGITS else (None, None)
        return CategoryRow(code, _cut(name or code), *parent)
    path = [part.strip() for part in label.split(">") if part.strip()] if label else []
    shown = _cut(name or (path[-1] if path else "") or _readable(given))
    if (known := _vocabulary().get(words_of(shown))) is not None:
        return CategoryRow(*known, word=shown)
    for wider in (*_endings(shown), *path[-2::-1]):
        if (known := _vocabulary().get(words_of(wider))) is not None:
            return CategoryRow(given[:MAX_NAME_CHARS], shown, *known)
    return CategoryRow(given[:MAX_NAME_CHARS], shown)


def _endings(name: str) -> list[str]:
    """`Thai take-out restaurant` is a restaurant: the last words say what it is."""
    words = name.split()
    return [" ".join(words[number:]) for number in range(1, len(words))]


@cache
def _vocabulary() -> dict[frozenset[str], tuple[str, str]]:
    """Codes and their names by the words of any of their names, where these mean one code."""
    read: dict[str, list[list[Any]]] = tomllib.loads(_VOCABULARY.read_text("utf-8"))
    found: dict[frozenset[str], tuple[str, str]] = {}
    several: set[frozenset[str]] = set()
    for code, name, *rest in (row for rows in read.values() for row in rows):
        lists: list[list[str]] = [each for each in rest if isinstance(each, list)]
        for words in {words_of(each) for each in (name, *(lists[0] if lists else ()))}:
            if found.setdefault(words, (code, name)) != (code, name):
                several.add(words)
    return {words: known for words, known in found.items() if words not in several}


def _readable(slug: str) -> str:
    words = " ".join(re.split(r"[\W_]+", slug.casefold())).strip()
    return words.capitalize() or slug


def _cut(text: str) -> str:
    return text[:MAX_NAME_CHARS]
