"""Contradictions between a figure and a value: what an answer says of the figure that the value is not.

A value of another unit is no source (`quantities.agrees`). Beyond that, a value counts unless another row is named, the
label beside the figure is that of another value of the row, or the figure counts things and the value does not.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from glassloop.core.evidence.answer_layout import SMALL, NearbyText
from glassloop.core.evidence.places import LINE_NUMBER, STRUCTURAL, Owner, Place, words_of
from glassloop.core.evidence.units.labels import is_plural, may_be_percent, unit_of_label
from glassloop.core.evidence.units.quantities import NAME, UNSTATED

_CALLED = re.compile(r"(?:(?<![\w-])[A-ZÄÖÜ][\w-]{0,30}|#|\b(?:nr|no)\.?|[第号])[ \xa0*`#(]{0,4}$")
_NEXT = re.compile(r"[*_]{0,3}(?:[ \xa0](?P<word>[^\W\d_]+)| ?(?P<measure>[个条家行项笔份名位台件次种张页款批只人场]))")
_BEFORE = re.compile(r"[^\W\d_]+")
_LINE = re.compile(
    r"(?:\b(?:lines?|zeilen?|L)|[行第])[ \xa0*`#]{0,4}(?:[0-9]{1,7}[ \xa0]?(?:[-–,]|to|and|bis|und)[ \xa0]?)?$",
    re.IGNORECASE,
)
"""What stands before the number of a line."""
_NAMED = 100
"""From here on a number that something is called by is hardly another by chance."""
_CHANGES = re.compile(
    r"\b(?:than|against|vs|versus|compared|instead|from|rose|fell|grew|(?:up|down) (?:by|to)|best|top|average|mean"
    r"|others?|rest|previous\w*|earlier|last|behind|ahead|difference|between|total|together|als|gegen|statt|beste\w*"
    r"|durchschnitt\w*|vorher\w*|zuvor|stieg|sank|von|insgesamt|zusammen)\b|[比最较从]|平均|总共|合计"
)
_FOLLOWS = re.compile(r"\b(?:after|before|nach|vor)\b|[前后]")


class ToldFigure(NamedTuple):
    """A figure as an answer tells it: the unit of a number (else the figure's kind), its value where it is a bare whole
    number, how it is written, the text on both sides."""

    unit: str
    written: str
    whole: int | None
    before: str
    after: str
    english: bool

    @property
    def counts(self) -> bool:
        """Whether the word behind it is one for several things: 10 players, 12 Spieler, 851 DPS."""
        found = _NEXT.match(self.after)
        if found is None or not (word := found["word"]):
            return found is not None
        if word.isascii() and word.isupper() and len(word) > 1:
            return True
        return is_plural(word.lower()) if self.english else word[0].isupper() and len(word) > 3


def contradicts(near: NearbyText, place: Place, told: ToldFigure, found: str) -> bool:
    """Whether the answer says of this value what it is not."""
    if _is_of_other_kind(near, place, told, found) or _is_of_other_row(near, place, told):
        return True
    label = words_of(place.label)
    if place.row is None:
        return False
    numbered = told.whole is not None and told.whole < SMALL and place.row.get(place.label) == told.whole
    if numbered and label and label <= STRUCTURAL and not label & (near.near | near.noun):
        return True
    stated = bool(label & (near.noun if near.tabular else near.noun | near.near))
    if near.noun and not stated and _has_label(place.row, near.noun):
        return True
    if place.table is None or not stated:
        return False
    named = place.table.named_in(near.clause)
    value = place.row.get(place.label)
    return bool(named) and all(row.get(place.label) not in (None, value) for row in named)


def _is_of_other_kind(near: NearbyText, place: Place, told: ToldFigure, found: str) -> bool:
    """Whether the value has a unit or a name's part that the figure has not."""
    label = place.label if place.row is not None else place.field
    if label == LINE_NUMBER:
        return _LINE.search(told.before) is None
    if place.numbered and "line" not in words_of(place.label) and _LINE.search(told.before) is not None:
        return True
    unit = unit_of_label(label)[0] if label else ""
    if told.unit == "%":
        whole = told.english and not unit and found.isdigit() and place.told_by(found)
        return bool(whole) and not may_be_percent(label) and not _is_spoken_of(label, near)
    if told.unit == "time" and unit != "time" and "per" in words_of(label):
        return True
    if told.unit or not unit or unit in UNSTATED:
        return False
    if unit == NAME:
        return not (near.tabular and words_of(label) <= near.noun) and not _is_called(place, told)
    # A bare whole number is hardly what a measure would round to, unless the answer speaks of that measure.
    rounded = told.whole is not None and not found.isdigit()
    return (told.counts or rounded) and not words_of(label) & (near.near | near.noun)


def _is_spoken_of(label: str, near: NearbyText) -> bool:
    words = [word for word in words_of(label) if len(word) > 2]
    beside = " ".join((near.clause, *near.noun))
    return not words or any(word[: max(4, len(word) - 2)] in beside for word in words)


def _is_called(place: Place, told: ToldFigure) -> bool:
    """Whether the answer calls something by a number: fight 10, order 4711, Kampf 10."""
    if told.whole is None:
        return False
    words = words_of(" ".join((place.label, *map(str, place.path[:-1]))))
    if not words.isdisjoint(words_of(" ".join(_BEFORE.findall(told.before)[-2:]))):
        return True
    return not told.counts and (told.whole >= _NAMED or _CALLED.search(told.before) is not None)


def _is_of_other_row(near: NearbyText, place: Place, told: ToldFigure) -> bool:
    """Whether the figure's clause names another row, by what no other row is called, and compares nothing. A row that
    tells the figure's unit in words is spoken of."""
    row, table, owner = place.row, place.table, place.owner
    if table is None and owner is None:
        return False
    compares, follows = _relations_in(near.clause)
    if compares or (follows and told.unit != "time"):
        return False
    if row is not None and table is not None:
        units = words_of(told.written) if told.unit else frozenset[str]()
        if any(type(value) is str and not units.isdisjoint(words_of(value)) for value in row.values()):
            return False
        named = table.told_apart_in(near.clause)
        value = row.get(place.label)
        if named and all(one is not row and one.get(place.label) not in (None, value) for one in named):
            return True
    return _is_in_other_row(near, owner)


@lru_cache(64)
def _relations_in(clause: str) -> tuple[bool, bool]:
    """Whether it compares, and whether it tells of what comes before or after. All figures of a table's row have the
    same clause."""
    return _CHANGES.search(clause) is not None, _FOLLOWS.search(clause) is not None


def _is_in_other_row(near: NearbyText, owner: Owner | None) -> bool:
    while owner is not None:
        named = owner.table.told_apart_in(near.clause)
        if named and all(one is not owner.row for one in named):
            return True
        owner = owner.above
    return False


def _has_label(row: Mapping[str, Any], noun: frozenset[str]) -> bool:
    """Whether a row has a number of its own under the name that stands beside a figure."""
    return any(
        words_of(key) == noun
        for key, value in row.items()
        if type(value) in (int, float) or (type(value) is str and value[:1].isdigit())
    )
