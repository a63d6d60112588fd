"""Figures with their ranges as answers have them: an estimate, or null where too few of the panel are behind it."""

from typing import TypeGuard, cast

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.places.data_set.estimates import Estimate, estimate, share
from glassloop.extensions.places.query.suppression import is_small

HIDDEN: dict[str, Json] = {"value": None, "suppressed": True}


class Panel(msgspec.Struct, frozen=True):
    """The panel behind a figure: visitors summed over months, visits, and so many different persons for certain. None
    where the data tells of no panel."""

    visitors: float | None
    visits: float | None
    certain: float | None

    @property
    def small(self) -> bool:
        return is_small(self.certain)


def figure(value: float | None, panel: Panel, months: int = 1, *, of_visits: bool = True) -> dict[str, Json] | None:
    """A number of visits or visitors with its range; None where there is none."""
    if panel.small:
        return dict(HIDDEN)
    if value is None:
        return None
    visitors = None if panel.visitors is None else max(round(panel.visitors), 5)
    visits = None if panel.visits is None else round(panel.visits)
    return told(estimate(value, visitors, visits, months=max(1, months), of_visits=of_visits))


def share_range(part: float, whole: float, panel: Panel, months: int = 1) -> list[Json] | None:
    """The range of a share, low and high in percent; `panel` is that of the whole. None where there is none."""
    if panel.visitors is None or panel.small or not whole:
        return None
    visits = None if panel.visits is None else round(panel.visits)
    found = share(min(part, whole), whole, max(round(panel.visitors), 5), visits, months=max(1, months))
    if found.low is None or found.high is None:
        return None
    return [round(100 * found.low, 1), round(100 * found.high, 1)]


def told(found: Estimate) -> dict[str, Json]:
    if found.suppressed:
        return dict(HIDDEN)
    shown: dict[str, Json] = {"value": _whole(found.value)}
    if found.low is not None:
        shown |= {"low": _whole(found.low), "high": _whole(found.high), "panel": found.panel}
    return shown


def is_figure(value: object) -> TypeGuard[dict[str, Json]]:
    """Whether it is what `figure` gives."""
    return isinstance(value, dict) and "value" in (found := cast("dict[str, Json]", value)) and len(found) <= 4


def value_of(found: dict[str, Json] | None) -> float | None:
    return None if found is None else cast("float | None", found["value"])


def percent(part: float | None, whole: float | None, digits: int = 1) -> float | None:
    return None if part is None or not whole else round(100 * part / whole, digits)


def change_percent(now: float | None, before: float | None) -> float | None:
    """By how much it grew."""
    # The sum has no negative zero.
    return None if now is None or not before else round(100 * (now - before) / before, 1) + 0.0


def differ(one: dict[str, Json] | None, other: dict[str, Json] | None) -> bool | None:
    """Whether two figures differ for certain, as their ranges do not overlap; None where one has no range."""
    if one is None or other is None or one.get("low") is None or other.get("low") is None:
        return None
    low, high = (cast("float", each) for each in (one["low"], one["high"]))
    return low > cast("float", other["high"]) or high < cast("float", other["low"])


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
