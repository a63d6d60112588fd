"""JSON values: read from bare words, kept such that every encoder takes them, written on one line.

Bounded in depth and size. How text becomes objects and lists is `json_scan`'s.
"""

import math
import re
from collections.abc import Sequence
from typing import Final, cast

import msgspec

from glassloop.core.records import Json


class _Unreadable:
    """The type of `UNREADABLE`, which is no JSON value."""

    __slots__ = ()


UNREADABLE: Final = _Unreadable()

DEPTH: Final = 64
"""Values nested deeper are unreadable."""

DIGITS: Final = 100
"""Longer whole numbers stay text: some encoders and stores refuse them."""

_WORDS: Final[dict[str, Json]] = {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
    "null": None,
    "None": None,
    "NULL": None,
    "undefined": None,
}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_NUMBER: Final = re.compile(r"[-+0-9.eE]+")
_PADDED: Final = re.compile(r"[-+]?0[0-9]")
_MAX_INTEGER: Final = 10**DIGITS
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def read_literal(word: str) -> Json:
    """The value `word` stands for, or `UNREADABLE`. What no number can hold exactly enough stays text."""
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(word):
        # Leading zeros mean an identifier: as a number it would lose them.
        return word if len(word) > DIGITS or _PADDED.match(word) else int(word)
    if not _NUMBER.fullmatch(word):
        return UNREADABLE
    try:
        number = float(word)
    except ValueError:
        return UNREADABLE
    return number if math.isfinite(number) else word


def write_json(value: Json) -> str:
    """On one line, the same bytes for the same value; `null` for what is unreadable."""
    tidied = tidy(value)
    return "null" if tidied is UNREADABLE else msgspec.json.encode(tidied).decode()


def tidy(value: Json) -> Json:
    """A value some decoder made, with what no encoder takes replaced: huge numbers as text, half surrogates as the
    replacement mark. The same object where nothing had to be replaced; `UNREADABLE` where it is too deep.
    """
    return _tidy(value, DEPTH)


def _tidy(value: Json, levels: int) -> Json:
    match value:
        case None | bool():
            return value
        case str():
            return _SURROGATE.sub("\ufffd", value) if not value.isascii() and _SURROGATE.search(value) else value
        case int() if -_MAX_INTEGER < value < _MAX_INTEGER:
            return value
        case float() if math.isfinite(value):
            return value
        case int() | float():
            return _spelt(value)
        case list() | tuple() | dict() if levels <= 0:
            return UNREADABLE
        case list() | tuple():
            return _tidy_items(cast("Sequence[Json]", value), levels)
        case dict():
            return _tidy_members(cast("dict[str, Json]", value), levels)
        case _:
            return UNREADABLE


def _spelt(number: float) -> Json:
    try:
        return str(number)
    except ValueError:  # Python refuses to spell whole numbers of thousands of digits.
        return UNREADABLE


def _tidy_items(items: Sequence[Json], levels: int) -> Json:
    tidied = [_tidy(item, levels - 1) for item in items]
    if any(item is UNREADABLE for item in tidied):
        return UNREADABLE
    same = isinstance(items, list) and all(new is old for new, old in zip(tidied, items, strict=True))
    return items if same else tidied


def _tidy_members(members: dict[str, Json], levels: int) -> Json:
    tidied: dict[str, Json] = {}
    same = True
    for key, value in members.items():
        name = _tidy(str(key), 1)
        tidied[name] = new = _tidy(value, levels - 1)
        if new is UNREADABLE:
            return UNREADABLE
        same = same and new is value and name == key
    return members if same else tidied
