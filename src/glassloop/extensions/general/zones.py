"""Time zones by IANA name, city, abbreviation or offset.

Owns the finding of a zone and the reading of a clock in it. The zone rules themselves come from the machine's or the
`tzdata` package's database; without either, only UTC, `local` and offsets work, and the error says what to install.
"""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from difflib import get_close_matches
from functools import cached_property
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from glassloop.core.errors import BadArguments, ToolError

MAX_NAME_CHARS = 60

_REGIONS = frozenset(
    {"Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"}
)
_OFFSET = re.compile(r"(?:utc|gmt)?\s*([-+−])\s*(\d{1,2})(?::?(\d{2}))?", re.IGNORECASE)
_PLACES = {
    "Asia/Shanghai": "beijing,china,shenzhen,guangzhou,hangzhou,chengdu,wuhan,北京,上海,深圳,广州,杭州,成都,中国",
    "Asia/Tokyo": "japan,osaka,kyoto,jst,东京,大阪,日本",
    "Asia/Hong_Kong": "hongkong,香港",
    "Asia/Taipei": "taiwan,台北,台湾",
    "Asia/Singapore": "sgt,新加坡",
    "Asia/Seoul": "south korea,korea,busan,kst,首尔,韩国",
    "Asia/Kolkata": "india,mumbai,delhi,new delhi,bangalore,bengaluru,chennai,hyderabad,印度,孟买,新德里",
    "Asia/Dubai": "uae,abu dhabi,迪拜",
    "Asia/Ho_Chi_Minh": "vietnam,hanoi,saigon,河内",
    "Asia/Bangkok": "thailand,曼谷",
    "Asia/Riyadh": "saudi arabia,mecca",
    "Asia/Jerusalem": "israel,tel aviv",
    "Europe/London": "uk,england,britain,united kingdom,scotland,manchester,edinburgh,bst,伦敦,英国",
    "Europe/Paris": "france,lyon,marseille,巴黎,法国",
    "Europe/Berlin": "germany,munich,hamburg,frankfurt,cologne,柏林,德国,慕尼黑",
    "Europe/Madrid": "spain,barcelona,马德里",
    "Europe/Rome": "italy,milan,florence,venice,罗马",
    "Europe/Zurich": "switzerland,geneva,basel,bern",
    "Europe/Amsterdam": "netherlands,the hague,rotterdam",
    "Europe/Brussels": "belgium,cet,cest",
    "Europe/Athens": "greece,eet,eest",
    "Europe/Istanbul": "turkey,ankara",
    "Europe/Moscow": "msk,st petersburg,saint petersburg,莫斯科",
    "Europe/Kyiv": "ukraine,kiev",
    "America/New_York": "nyc,boston,washington,washington dc,miami,atlanta,philadelphia,est,edt,eastern,et,纽约,华盛顿",
    "America/Chicago": "houston,dallas,austin,minneapolis,central,芝加哥",
    "America/Denver": "salt lake city,mst,mdt,mountain",
    "America/Los_Angeles": "la,san francisco,seattle,san diego,las vegas,portland,silicon valley,california"
    ",pst,pdt,pacific,pt,洛杉矶,旧金山,西雅图",
    "America/Toronto": "montreal,ottawa,多伦多",
    "America/Sao_Paulo": "sao paulo,são paulo,rio de janeiro,brasilia,圣保罗",
    "America/Argentina/Buenos_Aires": "argentina,buenos aires",
    "Pacific/Honolulu": "hawaii,hst",
    "Australia/Sydney": "canberra,aest,aedt,悉尼",
    "Pacific/Auckland": "new zealand,wellington,nzst,nzdt,奥克兰",
    "Africa/Johannesburg": "south africa,cape town,pretoria",
    "Africa/Lagos": "nigeria,abuja",
}
_SEVERAL = {
    "ist": "Asia/Kolkata, Europe/Dublin or Asia/Jerusalem",
    "cst": "America/Chicago or Asia/Shanghai",
    "usa": "America/New_York, America/Chicago, America/Denver or America/Los_Angeles",
    "us": "America/New_York, America/Chicago, America/Denver or America/Los_Angeles",
    "australia": "Australia/Sydney, Australia/Adelaide or Australia/Perth",
    "canada": "America/Toronto or America/Vancouver",
    "russia": "Europe/Moscow or Asia/Vladivostok",
    "brazil": "America/Sao_Paulo or America/Manaus",
}


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
        if wanted in _SEVERAL:
            raise BadArguments(f"{name!r} has several time zones: say {_SEVERAL[wanted]}.")
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
        for key, places in _PLACES.items():
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


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def _fold(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").split())


def _fixed(name: str, sign: str, hours: str, minutes: str | None) -> tuple[str, tzinfo]:
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    if offset > timedelta(hours=14) or int(minutes or 0) > 59:
        raise BadArguments(f"{name!r} is no offset from UTC: they reach from -12:00 to +14:00.")
    label = f"UTC{'+' if sign == '+' else '-'}{int(hours):02}:{minutes or '00'}"
    return label, timezone(offset if sign == "+" else -offset, label)
