"""Units and currencies as people, keys and tools write them.

Owns telling that `feet`, `ft` and `length_ft` speak of one unit. Nothing is converted here.
"""

import re
from functools import lru_cache
from typing import Final

from glassloop.core.text_terms import stem
from glassloop.extensions.embedded.language.parameters import name_words
from glassloop.extensions.embedded.language.phrases.money import currency_code

MONEY: Final = "money"
_UNITS: Final = {
    "length": (
        "mm millimetre millimeter 毫米",
        "cm centimetre centimeter 厘米",
        "m metre meter 米",
        "km kilometre kilometer 公里",
        "in inch inches",
        "ft foot feet 英尺",
        "yd yard",
        "mi mile 英里",
        "nm nmi nautical_mile 海里",
        "fathom fathoms",
    ),
    "mass": ("mg milligram", "g gram 克", "kg kilogram kilo 公斤", "t tonne ton 吨", "oz ounce", "lb lbs pound 磅"),
    "volume": ("ml millilitre milliliter", "l litre liter 升", "gal gallon", "pt pint", "cup cups"),
    "area": (
        "sqm m2 square_metre square_meter 平方米",
        "ha hectare 公顷",
        "acre acres 英亩",
        "sqft square_foot square_feet",
        "km2 square_kilometre square_kilometer",
    ),
    "temperature": ("c celsius 摄氏", "f fahrenheit 华氏", "k kelvin"),
    "speed": ("kmh kph kilometres_per_hour kilometers_per_hour", "mph miles_per_hour", "kn knot knots", "ms mps"),
    "time": ("s sec second 秒", "min minute 分钟", "h hr hour 小时", "d day 天", "week 周"),
    "data": ("byte bytes", "kb kilobyte", "mb megabyte", "gb gigabyte", "tb terabyte"),
}
_KNOWN: Final = {
    "_".join(stem(part) for part in word.split("_")): (words.split()[0], dimension)
    for dimension, units in _UNITS.items()
    for words in units
    for word in words.split()
}
_MAX_WORDS: Final = 3
_SHORT: Final = 2


class Unit(tuple[str, str]):
    """A unit by its short name, and what it measures."""

    __slots__ = ()

    @property
    def dimension(self) -> str:
        return self[1]


@lru_cache(maxsize=512)
def unit_named(text: str) -> Unit | None:
    """The unit that a word or a choice names: `ft`, `feet`, `EUR`, `square metres`."""
    joined = "_".join(stem(part) for part in re.findall(r"[^\W_]+", text.lower()))
    known = _KNOWN.get(joined)
    if known is not None:
        return Unit(known)
    code = currency_code(text)
    return Unit((code, MONEY)) if code else None


@lru_cache(maxsize=512)
def unit_of_key(key: str) -> Unit | None:
    """The unit a key ends in, or begins with: `length_m`, `total_eur`, `euros_a_night`, `hectares`."""
    words = name_words(key)
    for word in reversed(words):
        unit = unit_named(word)
        if unit is not None and (len(word) > _SHORT or word == words[-1]):
            return unit
    return None


@lru_cache(maxsize=128)
def units_said(text: str) -> tuple[tuple[Unit, str], ...]:
    """The units that a question names in words, with those words, in their order; abbreviations only after `in`."""
    words = re.findall(r"[^\W\d_]+|[€$£]", text)
    found: dict[Unit, str] = {}
    at = 0
    while at < len(words):
        for size in range(min(_MAX_WORDS, len(words) - at), 0, -1):
            piece = " ".join(words[at : at + size])
            unit = unit_named(piece)
            short = len(piece) <= _SHORT and piece not in "€$£"
            if unit is not None and (not short or (at and words[at - 1].lower() in ("in", "into", "to"))):
                if piece.lower() not in ("in", "second", "c", "f", "try", "real", "won", "min"):
                    found.setdefault(unit, piece)
                    if code := currency_code(piece):
                        found.setdefault(Unit((code, MONEY)), piece)
                    at += size - 1
                break
        at += 1
    return tuple(found.items())
