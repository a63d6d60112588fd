"""Single values: where one is said, whether it fits its schema, and what an identifier begins with.

Owns no choice: `arguments` says which parameter gets what.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from glassloop.core.records import Json
from glassloop.core.text_terms import has_cjk, stem
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words

_ANY = ("any", "all", "none")
_DENIED = re.compile(
    r"(?:\b(?:not|never|nobody|no\s+one|nicht|\w+n['’]t)\s+(?:yet\s+|been\s+|has\s+|have\s+)*|未|没有?)$", re.IGNORECASE
)


@lru_cache(maxsize=2048)
def outright(name: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(name)}\s*[:=]\s*(?:\"([^\"]+)\"|([^\s,;]+))")


def shape(text: str) -> str:
    """What stands before the digits: `INV-` of `inv-7781`."""
    return re.split(r"\d", text, maxsplit=1)[0].upper()


def of_money(parameter: ParameterHints) -> bool:
    return "currency" in name_words(parameter.name) or "currenc" in parameter.description.lower()


def said_at(text: str, choice: str) -> int:
    """Where a choice is named, in any form of its word; -1 where it is not."""
    if has_cjk(choice):
        return text.find(choice)
    wanted = _stems_of(choice)
    spoken, places = _spoken(text)
    for index in range(len(spoken) - len(wanted) + 1):
        if wanted and spoken[index : index + len(wanted)] == wanted:
            return places[index]
    return -1


def said_choices(text: str, choices: Sequence[Json]) -> list[tuple[int, Json]] | None:
    """The choices that are named, with their places. `any` is as often a word of the question itself, and counts only
    alone; one that is denied (`not resolved`) is its opposite (`unresolved`). None where that is not there."""
    said = [(at, choice) for choice in choices if (at := said_at(text, str(choice))) >= 0]
    named = [pair for pair in said if pair[1] not in _ANY] or said
    meant = [(at, _opposite(choice, choices) if is_denied(text, at) else choice) for at, choice in named]
    return [(at, choice) for at, choice in meant if choice is not None] or (None if said else [])


def is_denied(text: str, at: int) -> bool:
    """Whether what stands there is said not to be."""
    return _DENIED.search(text, 0, at) is not None


def _opposite(choice: Json, choices: Sequence[Json]) -> Json:
    return next((other for other in choices if other in (f"un{choice}", f"not_{choice}")), None)


@lru_cache(maxsize=2048)
def _stems_of(choice: str) -> tuple[str, ...]:
    """The words of a choice, as they are compared."""
    return tuple(stem(word) for word in name_words(choice))


@lru_cache(maxsize=64)
def _spoken(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The words of a text, as they are compared, and where each begins."""
    found = [(stem(match.group().lower()), match.start()) for match in re.finditer(r"[^\W_]+", text)]
    return tuple(word for word, _ in found), tuple(place for _, place in found)


def numeric(text: str, parameter: ParameterHints) -> Json:
    """The number as the parameter wants it, or None where it does not fit its bounds."""
    number = to_number(text, whole=parameter.kind == "integer")
    if number is None:
        return None
    low, high = parameter.schema.get("minimum"), parameter.schema.get("maximum")
    if (isinstance(low, int | float) and number < low) or (isinstance(high, int | float) and number > high):
        return None
    return number


def to_number(text: str, *, whole: bool) -> int | float | None:
    plain = text.replace(",", "").replace("−", "-")
    try:
        if re.fullmatch(r"-?\d{1,18}", plain):
            return int(plain)
        return None if whole else float(plain)
    except ValueError:
        return None


def fitting(text: str, schema: dict[str, Json]) -> str | None:
    longest, shortest = schema.get("maxLength"), schema.get("minLength")
    if isinstance(longest, int):
        text = text[: max(0, longest)]
    return None if isinstance(shortest, int) and len(text) < shortest else text
