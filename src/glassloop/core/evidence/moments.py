"""Dates and times as they are written, and what they can mean.

Owns the shapes a date can have (2026-11-14, 14 November 2026, Nov 14, 14. Dezember, 11/14/2026, 2026年11月14日, 11-14
before a time, Fri 11-20, 2026-11-23 to 11-29, 01.07.–30.09., 14:05, 2 pm) and the keys two of them are compared by.
Knows no calendar and no time zone: what is not written is not known.
"""

import re
from collections.abc import Iterator

import msgspec

MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), 1
    )
} | {"mär": 3, "mai": 5, "okt": 10, "dez": 12}
MONTH = (
    r"(?P<name>[JFMASOND](?i:an(?:uary?)?|eb(?:ruary?)?|ar(?:ch)?|ärz?|pr(?:il)?|a[yi]|un[ei]?|ul[yi]?|ug(?:ust)?"
    r"|ept?(?:ember)?|[ck]t(?:ober)?|ov(?:ember)?|e[cz](?:ember)?))(?![A-Za-z])\.?"
)
_CLOCK = r"(?P<H>[01]?[0-9]|2[0-4]):(?P<M>[0-5][0-9])(?::(?P<S>[0-5][0-9]|60)(?:[.,][0-9]{1,9})?)?(?!:?[0-9])"
_OFFSET = r"(?:0[0-9]|1[0-4]):?[0-9]{2}(?![0-9])"
# A bare "18:30-21:00" is from one time to another: west of Greenwich is only what has a T or seconds.
_ZONE = rf"(?: ?Z(?![A-Za-z])| ?UTC(?![A-Za-z])|\+{_OFFSET}|(?(iso)-{_OFFSET}|(?(S)-{_OFFSET}|(?!))))?"
_WITH_CLOCK = rf"(?:(?P<gap>(?P<iso>T)|[ ]){_CLOCK}{_ZONE})?"
_YEAR = r"(?P<y>(?:1[5-9]|2[01])[0-9]{2})"
_DAY = r"(?P<d>0?[1-9]|[12][0-9]|3[01])"
_NUMBER_OF_MONTH = r"(?P<m>0?[1-9]|1[0-2])"
_TO_DAY = r"(?: ?[–—-] ?| (?:bis|und)(?: zum)? )(?:0?[1-9]|[12][0-9]|3[01])\."
_HALF = r"(?: ?(?P<half>[AaPp])(?:\.[Mm]\.|[Mm](?![A-Za-z0-9])))"

_DIGIT_FIRST = tuple(
    re.compile(shape)
    for shape in (
        rf"{_YEAR}(?P<sep>[-/.]){_NUMBER_OF_MONTH}(?P=sep){_DAY}(?![0-9]){_WITH_CLOCK}",
        rf"{_YEAR} ?年(?: ?{_NUMBER_OF_MONTH} ?月(?: ?{_DAY} ?[日号])?)?",
        rf"{_NUMBER_OF_MONTH} ?月 ?{_DAY} ?[日号]",
        r"(?P<one>0?[1-9]|[12][0-9]|3[01])(?P<sep>[-/.])(?P<two>0?[1-9]|[12][0-9]|3[01])(?P=sep)"
        rf"{_YEAR}(?![0-9]){_WITH_CLOCK}",
        rf"{_DAY}(?:st|nd|rd|th|\.(?=[ \xa0]))?(?:[ \xa0-]| of ){MONTH}(?:[ -]|, ?)?(?:(?<=[ ,-]){_YEAR}(?![0-9]))?",
        rf"{_DAY}\.(?={_TO_DAY}[ \xa0]{MONTH}(?: {_YEAR}(?![0-9]))?)",
        rf"{_YEAR}-(?P<m>0[1-9]|1[0-2])(?![-0-9.,]?[0-9])",
        r"(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])(?= [0-2][0-9]:[0-5][0-9])",
        r"(?P<d>0[1-9]|[12][0-9]|3[01])\.(?P<m>0[1-9]|1[0-2])\.(?:(?=[–—-])|(?<=[–—(-][0-9]{2}\.[0-9]{2}\.)(?![0-9]))",
        rf"{_CLOCK}{_HALF}?",
        rf"(?P<H>0?[1-9]|1[0-2]){_HALF}",
        r"(?P<H>[01]?[0-9]|2[0-4]) ?[点时](?!间)(?: ?(?P<M>[0-5]?[0-9]) ?分)?",
    )
)
# Day and month alone (11-29) may be anything: what stands before them has to tell that they are a date.
_SHORT = re.compile(r"(?P<m>0[1-9]|1[0-2])-(?P<d>0[1-9]|[12][0-9]|3[01])(?![0-9-]|[.,][0-9]| [a-z]{2,}[^\W_aious]s\b)")
_TOLD = (
    r"(?:\b(?:on|due|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch)|[周期][一二三四五六日天])[.,，]?[ \xa0]?[(（]?"
)
_BEFORE_SHORT = re.compile(
    rf"(?:[0-9]{{4}}-|{_TOLD})[0-9]{{2}}-[0-9]{{2}}(?: ?[–—~～至到和,，-] ?| (?:to|until|and|bis|und) )$|{_TOLD}$",
    re.IGNORECASE,
)
_BEFORE_CHARS = 32
_MONTH_FIRST = re.compile(
    rf"{MONTH} ?,?[ \xa0](?:{_YEAR}(?![0-9])|{_DAY}(?:st|nd|rd|th)?(?![0-9A-Za-z:%]|[.,][0-9]|[ -]?(?:[Mm]al|times)\b)"
    r"(?:,? (?P<y2>(?:1[5-9]|2[01])[0-9]{2})(?![0-9]))?)"
)
# Most numbers are no dates: one look decides whether the shapes are tried at all.
_LIKELY = re.compile(
    r"[0-9]{1,4}(?:[-/.:][0-9]| ?[年月点时]|\.(?: ?[–—-] ?| (?:bis|und) )"
    r"|(?:st|nd|rd|th|\.)?(?:[ \xa0-]| of )[JFMASOND]| ?[AaPp]\.?[Mm])"
)
_AFTERNOON = frozenset({"下午", "晚上", "傍晚"})
_COMPACT = re.compile(r"((?:19|20)[0-9]{2})(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])")


class Moment(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A date, a time or both, as far as written."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None

    @property
    def key(self) -> str:
        """All of it, as text to compare by."""
        return " ".join(part for part in (self._date, self._time) if part)

    def parts(self) -> Iterator[str]:
        """Every part of it that an answer may name on its own."""
        date, time = self._date, self._time
        short = time and f"{self.hour:02}:{self.minute or 0:02}"
        yield from {part for part in (date, time, short) if part}
        if date and time:
            yield from {f"{date} {time}", f"{date} {short}"}
        if self.month is not None and self.day is not None and self.year is not None:
            yield f"{self.month:02}-{self.day:02}"
            yield f"{self.year}-{self.month:02}"
        if self.year is not None and self.month is not None:
            yield str(self.year)

    @property
    def _date(self) -> str:
        parts = (self.year and str(self.year), self.month and f"{self.month:02}", self.day and f"{self.day:02}")
        return "-".join(part for part in parts if part)

    @property
    def _time(self) -> str:
        if self.hour is None:
            return ""
        seconds = f":{self.second:02}" if self.second else ""
        return f"{self.hour:02}:{self.minute or 0:02}{seconds}"


def moment_at(text: str, at: int, *, joined: bool) -> tuple[tuple[Moment, ...], int]:
    """The date or time that begins with the digit at `at`: its readings and its end; none when there is none.

    `joined` takes a time after a blank into the same moment, as a source has it; an answer's are told apart.
    """
    if _LIKELY.match(text, at) is None:
        return (), at
    for shape in _DIGIT_FIRST:
        if (found := shape.match(text, at)) is not None:
            moments, end = _read(found, joined)
            if moments:
                return moments, end
    short = _SHORT.match(text, at)
    if short is not None and _BEFORE_SHORT.search(text[max(0, at - _BEFORE_CHARS) : at]):
        return _read(short, joined)
    return (), at


def month_at(text: str, at: int) -> tuple[tuple[Moment, ...], int]:
    """The same for a date that begins with the name of its month."""
    found = _MONTH_FIRST.match(text, at)
    return _read(found, joined=False) if found is not None else ((), at)


def moments_of_digits(digits: str) -> tuple[Moment, ...]:
    """What a bare number may be as a date: a year, or a compact date (20261114)."""
    if len(digits) == 4 and digits.isdigit() and "1900" <= digits < "2100":
        return (Moment(year=int(digits)),)
    if (found := _COMPACT.fullmatch(digits)) is not None:
        return (Moment(year=int(found[1]), month=int(found[2]), day=int(found[3])),)
    return ()


def _read(found: re.Match[str], joined: bool) -> tuple[tuple[Moment, ...], int]:
    parts = found.groupdict()
    end = found.end()
    if parts.get("gap") == " " and not joined:
        end = found.start("gap")
        parts |= {"H": None, "M": None, "S": None}
    year = parts.get("y") or parts.get("y2")
    if parts.get("name"):
        end = found.start() + len(found[0].rstrip(" ,-"))
        parts["m"] = str(MONTHS.get(found["name"][:3].lower(), 0))
    days = [(parts.get("m"), parts.get("d"))]
    if parts.get("one"):
        days = [(found["one"], found["two"]), (found["two"], found["one"])]
    hour = _hour(found, parts)
    moments = tuple(
        Moment(
            year=_number(year),
            month=_number(month),
            day=_number(day),
            hour=hour,
            minute=_number(parts.get("M")),
            second=_number(parts.get("S")),
        )
        for month, day in dict.fromkeys(days)
        if month is None or 1 <= int(month) <= 12
    )
    return (moments, end) if moments else ((), found.start())


def _hour(found: re.Match[str], parts: dict[str, str | None]) -> int | None:
    hour = _number(parts.get("H"))
    if hour is None:
        return None
    if half := parts.get("half"):
        return hour % 12 + (12 if half in "Pp" else 0)
    before = found.string[max(0, found.start() - 2) : found.start()]
    return hour + 12 if hour < 12 and before in _AFTERNOON else hour


def _number(digits: str | None) -> int | None:
    return int(digits) if digits else None
