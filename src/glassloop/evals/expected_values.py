"""Expected values of arguments and figures, and the comparison with them. Pure.

A plain value means that value: numbers as numbers, text without regard to case and space around it. A table says it
otherwise: `{one_of = […]}`, `{number = 1.5, within = 0.1}`, `{contains = "…"}`, `{exact = …}`, `{missing = true}`.
"""

import math
import unicodedata
from typing import Any, cast

import msgspec

from glassloop.core.records import Json

KEYS = ("exact", "one_of", "number", "contains", "missing")
MAX_CHOICES = 50


class ExpectedValue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An expectation of one value, in exactly one of five ways."""

    exact: Json | msgspec.UnsetType = msgspec.UNSET
    one_of: tuple[Json, ...] | msgspec.UnsetType = msgspec.UNSET
    number: float | msgspec.UnsetType = msgspec.UNSET
    contains: str | msgspec.UnsetType = msgspec.UNSET
    missing: bool | msgspec.UnsetType = msgspec.UNSET
    within: float = 0.0

    def __post_init__(self) -> None:
        given = [key for key in KEYS if getattr(self, key) is not msgspec.UNSET]
        if len(given) != 1:
            raise ValueError(f"an expectation has one of {', '.join(KEYS)}, not {' and '.join(given) or 'none'}")
        if self.within < 0 or not math.isfinite(self.within) or (self.within and self.number is msgspec.UNSET):
            raise ValueError(f"`within` must be 0 or more and goes with `number`, not {self.within}")
        if self.one_of is not msgspec.UNSET and not 1 <= len(self.one_of) <= MAX_CHOICES:
            raise ValueError(f"`one_of` has 1 to {MAX_CHOICES} values, not {len(self.one_of)}")
        if self.missing is False:
            raise ValueError("`missing` can only be true: leave the argument out where anything will do")

    @property
    def is_missing(self) -> bool:
        """Whether the question does not say it, so that nobody may fill it in."""
        return self.missing is True

    def fits(self, got: Json) -> bool:
        """Whether a value that is there is as expected."""
        if self.number is not msgspec.UNSET:
            number = as_number(got)
            return number is not None and near(number, self.number, self.within)
        if self.contains is not msgspec.UNSET:
            return folded(self.contains) in folded(got if isinstance(got, str) else _shown(got))
        if self.one_of is not msgspec.UNSET:
            return any(same(choice, got) for choice in self.one_of)
        if self.exact is not msgspec.UNSET:
            return type(self.exact) is type(got) and self.exact == got
        return got is None

    def told(self) -> str:
        """For people."""
        if self.number is not msgspec.UNSET:
            return f"{self.number:g} ± {self.within:g}" if self.within else f"{self.number:g}"
        if self.contains is not msgspec.UNSET:
            return f"…{self.contains}…"
        if self.one_of is not msgspec.UNSET:
            return " or ".join(map(_shown, self.one_of))
        return "(not said: must be asked)" if self.is_missing else _shown(self.exact)


def read_value(raw: Json) -> ExpectedValue:
    """An expectation as it stands in a suite; raises `ValueError` for one that cannot be meant."""
    if not isinstance(raw, dict):
        return ExpectedValue(one_of=(raw,))
    table = cast("dict[str, Any]", raw)
    try:
        return msgspec.convert(table, ExpectedValue)
    except msgspec.ValidationError as error:
        raise ValueError(f"{error}; a table as a value is written {{exact = {{…}}}}") from None


def same(wanted: Json, got: Json) -> bool:
    """Numbers as numbers, also where they were written as text; text by its letters; the rest as it is."""
    if isinstance(wanted, bool) or wanted is None:
        return wanted is got
    if isinstance(wanted, int | float):
        number = as_number(got)
        return number is not None and near(number, wanted)
    if isinstance(wanted, str):
        return isinstance(got, str) and folded(wanted) == folded(got)
    return wanted == got


def near(got: float, wanted: float, within: float = 0.0) -> bool:
    """Within the tolerance, or as near as arithmetic with floats can be."""
    return math.isfinite(got) and abs(got - wanted) <= within + 1e-9 * max(1.0, abs(wanted))


def as_number(value: Json) -> float | None:
    """A number, also where it came as text, as tools take it."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    try:
        return float(value) if isinstance(value, str) and len(value) < 40 else None
    except ValueError:
        return None


def folded(text: str) -> str:
    """Text to be compared: one case, one kind of space, hyphen and width."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("‑", "-").replace("’", "'")
    return " ".join(plain.split())


def _shown(value: Json | msgspec.UnsetType) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
