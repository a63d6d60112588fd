"""Time zones by IANA name, city, abbreviation or offset.

Owns the finding of a zone and the reading of a clock in it; what people call one is in `data/zones.toml`. The rules of
zones come from the machine's or the `tzdata` package's database; without either, only UTC, `local` and offsets work,
and the error says what to install.
"""

import re
import tomllib
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cache, cached_property
from importlib.resources import files
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

import msgspec

from glassloop.core.errors import BadArguments, ToolError

MAX_NAME_CHARS = 60

_REGIONS = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_OFFSET = re.compile(r"(?:utc|gmt)?\s*([-+−])\s*(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)


class ZoneNames(msgspec.Struct, frozen=True):
    """`places`: what a zone is also called; `several`: names of more than one, with those to choose from."""

    places: dict[str, str]
    several: dict[str, str]


@cache
def _names() -> ZoneNames:
    text = (files("glassloop.extensions.general") / "data" / "zones.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), ZoneNames)


class Zones:
    """The zones this machine knows, by every name people use."""

    def __init__(self, names: Callable[[], Iterable[str]] = available_timezones) -> None:
        self._names = names

    def find(self, name: str) -> tuple[str, tzinfo | None]:
        """The zone's proper name and rules; None as rules means the machine's own local time."""
        wanted = _fold(name[: MAX_NAME_CHARS + 1])
        if wanted in ("", "utc", "gmt", "z", "zulu"):
            return "UTC", UTC
        if wanted in ("local", "here", "localtime", "system"):
            return "local", None
        if offset := _OFFSET.fullmatch(wanted):
            return _fixed(name, *offset.groups())
        if wanted in _names().several:
            raise BadArguments(f"{name!r} has several time zones: say {_names().several[wanted]}.")
        key = self._known.get(wanted)
        if key is None:
            raise self._unknown(name, wanted)
        try:
            return key, ZoneInfo(key)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ToolError(f"The rules of time zone {key!r} cannot be read: install the package 'tzdata'.") from None

    def read(self, now: float, name: str) -> dict[str, str | int]:
        """The clock `now` (seconds since the epoch) as it reads in the zone."""
        key, rules = self.find(name)
        moment = datetime.fromtimestamp(now, UTC).astimezone(rules).replace(microsecond=0)
        offset = moment.strftime("%z")
        return {
            "timezone": key,
            "iso": moment.isoformat(),
            "weekday": _WEEKDAYS[moment.weekday()],
            "date": moment.date().isoformat(),
            "time": moment.strftime("%H:%M:%S"),
            "utc_offset": f"{offset[:3]}:{offset[3:5]}",
            "unix": int(now),
        }

    @cached_property
    def _known(self) -> dict[str, str]:
        """Places last, so that they win over a zone's own last word; nothing that this machine has no rules for."""
        available = sorted(self._names())
        known = {_fold(key.rsplit("/", 1)[-1]): key for key in available if key.split("/", 1)[0] in _REGIONS}
        known |= {_fold(key): key for key in available}
        for key, places in _names().places.items():
            if key in available:
                known |= dict.fromkeys(map(_fold, places.split(",")), key)
        return known

    def _unknown(self, name: str, wanted: str) -> ToolError:
        if not self._known:
            return ToolError(
                f"No time zone rules on this machine, so {name[:MAX_NAME_CHARS]!r} is unknown: "
                "install the package 'tzdata', or use UTC, local or an offset such as +08:00."
            )
        near = dict.fromkeys(self._known[key] for key in get_close_matches(wanted, self._known, n=3, cutoff=0.7))
        hint = f"did you mean {', '.join(near)}?" if near else "use an IANA name such as Asia/Tokyo, or a large city."
        return BadArguments(f"{name[:MAX_NAME_CHARS]!r} is no time zone known here: {hint}")


def _fold(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())


def _fixed(name: str, sign: str, hours: str, minutes: str | None) -> tuple[str, tzinfo]:
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > timedelta(hours=14) or int(minutes or 0) > 59:
        raise BadArguments(f"{name!r} is no offset from UTC: they reach from -12:00 to +14:00.")
    label = f"UTC{'+' if sign == '+' else '-'}{int(hours):02}:{minutes or '00'}"
    return label, timezone(offset if sign == "+" else -offset, label)
