"""Opening hours as 168 flags, one for each hour of the week from Monday 0 h on."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from glassloop.extensions.places.data_set.views import HOURS_OF_WEEK

MAX_CHARS = 10_000
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::\d{2})?")
_FLAGS = re.compile(rf"[01]{{{HOURS_OF_WEEK}}}")
_DAY_MINUTES = 1440


def flags_of(text: str) -> list[bool] | None:
    """An hour in which it is open for a part is open. None where the text is neither spans by day nor flags."""
    if len(text) > MAX_CHARS:
        return None
    if _FLAGS.fullmatch(text):
        return [mark == "1" for mark in text]
    try:
        read = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if isinstance(read, list):
        flags = cast("list[Any]", read)
        fit = len(flags) == HOURS_OF_WEEK and all(flag in (0, 1) for flag in flags)
        return [bool(flag) for flag in flags] if fit else None
    return _from_spans(cast("dict[str, Any]", read)) if isinstance(read, dict) else None


def _from_spans(days: Mapping[str, Any]) -> list[bool] | None:
    """`{"Mon": [["9:00", "17:30"]], …}`; a span that ends before it begins goes on after midnight."""
    flags = [False] * HOURS_OF_WEEK
    named = {day[:3].casefold(): spans for day, spans in days.items()}
    if not set(named) & set(_DAYS):
        return None
    for number, day in enumerate(_DAYS):
        spans: Any = named.get(day) or []
        if not isinstance(spans, list):
            return None
        for span in cast("list[Any]", spans):
            read = _span(span)
            if read is None:
                return None
            begin, end = read
            first, last = begin // 60, -(-end // 60)
            for hour in range(first, max(last, first + 1)):
                flags[(number * 24 + hour) % HOURS_OF_WEEK] = True
    return flags


def _span(span: Any) -> tuple[int, int] | None:
    """Minutes of the day; the end may lie in the next one."""
    if not isinstance(span, (list, tuple)) or len(cast("Sequence[Any]", span)) != 2:
        return None
    begin, end = (_minutes(each) for each in cast("Sequence[Any]", span))
    if begin is None or end is None:
        return None
    return begin, end if end > begin else end + _DAY_MINUTES


def _minutes(time: Any) -> int | None:
    found = _TIME.fullmatch(time) if isinstance(time, str) else None
    minutes = int(found[1]) * 60 + int(found[2]) if found else None
    return minutes if minutes is not None and minutes <= _DAY_MINUTES else None
