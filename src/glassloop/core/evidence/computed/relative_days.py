"""Days that the person means without naming them: "three months ago", "in 10 days", "year's end".

Knows the calendar and nothing of the answer. Only what is exact is read: "recently" or "a few weeks ago" means no day.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

MAX_CHARS: Final = 4_000
MAX_SPAN: Final = 1_000

NUMBER_WORDS: Final = {
    **dict.fromkeys(("a", "an", "one", "einem", "einer", "一"), 1),
    **dict.fromkeys(("two", "zwei", "二", "两"), 2),
    **dict.fromkeys(("three", "drei", "三"), 3),
    **dict.fromkeys(("four", "vier", "四"), 4),
    **dict.fromkeys(("five", "fünf", "五"), 5),
    **dict.fromkeys(("six", "sechs", "六"), 6),
    **dict.fromkeys(("seven", "sieben", "七"), 7),
    **dict.fromkeys(("eight", "acht", "八"), 8),
    **dict.fromkeys(("nine", "neun", "九"), 9),
    **dict.fromkeys(("ten", "zehn", "十"), 10),
    **dict.fromkeys(("twelve", "zwölf", "十二"), 12),
}
_LATIN = sorted((name for name in NUMBER_WORDS if name[0].isascii()), key=len, reverse=True)
_COUNT: Final = rf"[0-9]{{1,3}}|{'|'.join(_LATIN)}"
_SPANS = (
    (-1, re.compile(rf"\b(?P<n>{_COUNT})[ -](?P<unit>day|week|month|year)s? (?:ago|earlier|back)\b", re.I)),
    (1, re.compile(rf"\bin (?P<n>{_COUNT})[ -](?P<unit>day|week|month|year)s?(?: time)?\b", re.I)),
    (1, re.compile(rf"\b(?P<n>{_COUNT})[ -](?P<unit>day|week|month|year)s? (?:from (?:now|today)|hence)\b", re.I)),
    (-1, re.compile(rf"\bvor (?P<n>{_COUNT}) (?P<unit>Tag|Woche|Monat|Jahr)(?:en|n|e)?\b", re.I)),
    (-1, re.compile(r"(?P<n>[0-9]{1,3}|十二|[一二两三四五六七八九十]) ?个?(?P<unit>天|周|星期|月|年)(?:之?前|以前)")),
    (1, re.compile(r"(?P<n>[0-9]{1,3}|十二|[一二两三四五六七八九十]) ?个?(?P<unit>天|周|星期|月|年)(?:之?后|以后)")),
)
_UNITS: Final = {
    **dict.fromkeys(("day", "tag", "天"), "day"),
    **dict.fromkeys(("week", "woche", "周", "星期"), "week"),
    **dict.fromkeys(("month", "monat", "月"), "month"),
    **dict.fromkeys(("year", "jahr", "年"), "year"),
}
_NAMED = (
    ("day", -1, re.compile(r"\byesterday\b|\bgestern\b|昨天", re.I)),
    ("day", 1, re.compile(r"\btomorrow\b|\bmorgen\b|明天", re.I)),
)
_ENDS = (
    (
        "year",
        re.compile(
            r"(?<!(?:last|next) )\b(?:year[’']s end|year[- ]end|end of (?:the|this) year|Jahresende)\b"
            r"|(?<![去明前后]年)(?<![去明前后])年[底末]",
            re.I,
        ),
    ),
    (
        "month",
        re.compile(r"(?<!(?:last|next) )\b(?:month[’']s end|end of (?:the|this) month|Monatsende)\b|本月底", re.I),
    ),
)


def days_meant(text: str, today: date) -> Iterator[tuple[date, str]]:
    """Each day that a text means, with the words it is meant by."""
    text = text[:MAX_CHARS]
    for sign, pattern in _SPANS:
        for found in pattern.finditer(text):
            count = int(found["n"]) if found["n"].isdecimal() else NUMBER_WORDS[found["n"].lower()]
            day = moved(today, sign * count, _UNITS[found["unit"].lower()])
            if count <= MAX_SPAN and day is not None:
                yield day, found[0]
    for unit, count, pattern in _NAMED:
        if (named := pattern.search(text)) is not None and (day := moved(today, count, unit)) is not None:
            yield day, named[0]
    for unit, pattern in _ENDS:
        if (named := pattern.search(text)) is not None:
            month = 12 if unit == "year" else today.month
            yield date(today.year, month, monthrange(today.year, month)[1]), named[0]


def moved(day: date, count: int, unit: str) -> date | None:
    """So many units later; the last day of a month that is too short. None where the calendar ends."""
    try:
        if unit in ("day", "week"):
            return day + timedelta(days=count * (7 if unit == "week" else 1))
        months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
        year, month = months // 12, months % 12 + 1
        return date(year, month, min(day.day, monthrange(year, month)[1]))
    except (ValueError, OverflowError):
        return None
