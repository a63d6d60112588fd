"""Moments as people write them: a date with a time, or a day as people say it (`tomorrow 10:00`, 下周二 14:30).

Owns reading of moments. Which day a word means is reckoned from the day the question was asked; what does not name
both a day and a time is refused, never guessed.
"""

import re
from datetime import date, datetime, timedelta

from glassloop.core.errors import BadArguments
from glassloop.extensions.business.periods import sane

MAX_CHARS = 60

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CHINESE_WEEKDAYS = "一二三四五六日"
_AWAY = {
    "today": 0, "tonight": 0, "tomorrow": 1, "day after tomorrow": 2, "the day after tomorrow": 2,
    "heute": 0, "morgen": 1, "übermorgen": 2, "今天": 0, "今日": 0, "明天": 1, "明日": 1, "后天": 2, "大后天": 3,
}  # fmt: skip
_WEEKDAY = re.compile(rf"(?:on )?(?:(?P<which>this|next|coming) )?(?P<day>{'|'.join(_WEEKDAYS)})(?P<after> next week)?")
_CHINESE_WEEKDAY = re.compile(r"(?P<which>本|这|这个|下|下个)?(?:周|星期|礼拜)(?P<day>[一二三四五六日天])")
_MONTH_DAY = re.compile(
    rf"(?:on )?(?:the )?(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\.? (?:of )?(?P<m1>{'|'.join(_MONTHS)})[a-z]*\.?"
    rf"|(?P<m2>{'|'.join(_MONTHS)})[a-z]*\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?"
    r"|(?P<m3>\d{1,2})月(?P<d3>\d{1,2})[日号])"
)
_SPOKEN = re.compile(
    r"(?P<day>\S.*?)(?:(?<![\s,])[\s,]++)?(?:(?<=\s)at |@ ?)?(?<!\d)(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?"
    r"(?: ?(?P<half>[ap])\.?m\.?)?(?: ?(?:utc|z))?"
)


def read_moment(text: str, label: str, asked: date) -> datetime:
    """A day with a time, in UTC where it names no zone. `asked`: the day that `tomorrow` comes after."""
    given = " ".join(text[: MAX_CHARS + 1].split())
    moment = _written(given, label) or _said(given.lower(), asked)
    if moment is None:
        raise BadArguments(
            f"{label} {given[:40]!r} is no date and time there is: write it as 2026-03-31 14:30 (UTC), "
            "or with a day such as tomorrow or next Tuesday."
        )
    return moment.replace(second=0, microsecond=0)


def _written(given: str, label: str) -> datetime | None:
    try:
        moment = datetime.fromisoformat(given)
        sane(moment.date())
        if moment.tzinfo is not None:
            offset = moment.utcoffset() or timedelta()
            moment = moment.replace(tzinfo=None) - offset
    except (ValueError, OverflowError):
        return None
    if len(given) <= len("2026-03-31"):
        raise BadArguments(f"{label} {given!r} has no time: write it as {given} 14:30 (UTC).")
    return moment


def _said(given: str, asked: date) -> datetime | None:
    match = _SPOKEN.fullmatch(given) if len(given) <= MAX_CHARS else None
    if match is None or not (match["minute"] or match["half"]):
        return None
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (match["half"] == "p")
    try:
        day = _day(match["day"], asked)
        return datetime(day.year, day.month, day.day, hour, minute) if day else None
    except ValueError:
        return None


def _day(said: str, asked: date) -> date | None:
    """The day that is meant. A weekday is the first to come; with `next` it is that of the next week, Monday first."""
    if said in _AWAY:
        return asked + timedelta(_AWAY[said])
    if match := _WEEKDAY.fullmatch(said):
        next_week = match["which"] == "next" or match["after"] is not None
        return _weekday(asked, _WEEKDAYS.index(match["day"]), "next" if next_week else "first")
    if match := _CHINESE_WEEKDAY.fullmatch(said):
        which = "next" if (match["which"] or "").startswith("下") else "this" if match["which"] else "first"
        return _weekday(asked, _CHINESE_WEEKDAYS.index(match["day"].replace("天", "日")), which)
    if match := _MONTH_DAY.fullmatch(said):
        month = match["m1"] or match["m2"]
        number = _MONTHS.index(month) + 1 if month else int(match["m3"])
        return _next_date(asked, number, int(match["d1"] or match["d2"] or match["d3"]))
    return None


def _weekday(asked: date, weekday: int, which: str) -> date:
    monday = asked - timedelta(asked.weekday())
    if which == "first":
        return asked + timedelta((weekday - asked.weekday() - 1) % 7 + 1)
    return monday + timedelta(weekday + 7 * (which == "next"))


def _next_date(asked: date, month: int, day: int) -> date | None:
    """In this year, or the next one that has it if that is past."""
    for year in range(asked.year, asked.year + 9):
        try:
            found = date(year, month, day)
        except ValueError:
            continue
        if found >= asked:
            return found
    return None
