"""A time of the week as models write it, as an hour of `poi_places.hours`."""

import re
from typing import Final

from glassloop.core.errors import BadArguments
from glassloop.extensions.places.query.names import quote_name

_TIME: Final = re.compile(r"([a-z]{3,9})s?,? +(?:at +)?(\d{1,2})(?::(\d\d))? ?(am|pm|h|o'clock)?")
_NAMES: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def hour_of_week(text: str) -> int:
    """`Sunday 8:00` is 152, the hour from 8 to 9; Monday 0 h is 0. Raises `BadArguments`."""
    found = _TIME.fullmatch(" ".join(text.lower().split())[:40])
    if found is not None and (day := _day(found[1])) is not None:
        hour, half = int(found[2]), found[4]
        if half in ("am", "pm") and 1 <= hour <= 12:
            hour = hour % 12 + (12 if half == "pm" else 0)
        if hour < 24 and int(found[3] or 0) < 60:
            return day * 24 + hour
    raise BadArguments(f"`open_at` is {quote_name(text)}: give a day of the week and an hour, such as Sunday 8:00.")


def hour_label(hour: int) -> str:
    return f"{_NAMES[hour // 24].capitalize()} {hour % 24}:00"


def _day(word: str) -> int | None:
    """By its name or the beginning of it."""
    return next((at for at, name in enumerate(_NAMES) if name.startswith(word.removesuffix("s")) or name == word), None)
