"""Days that the person means without naming them: "three months ago", "in 10 days", "next Friday", "year's end", and
those that "last month" begins and ends with.

Knows the calendar and nothing of the answer. Only what is exact is read: "recently" or "a few weeks ago" means no day.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from glassloop.core.evidence.moments import MONTH, MONTHS

MAX_CHARS: Final = 4_000
MAX_SPAN: Final = 1_000

NUMBER_WORDS: Final = {
    **dict.fromkeys(("a", "an", "one", "ein", "eine", "einen", "einem", "einer", "一"), 1),
    **dict.fromkeys(("two", "zwei", "二", "两"), 2),
    **dict.fromkeys(("three", "drei", "三"), 3),
    **dict.fromkeys(("four", "vier", "四"), 4),
    **dict.fromkeys(("five", "fünf", "五"), 5),
    **dict.fromkeys(("six", "sechs", "六"), 6),
    **dict.fromkeys(("seven", "sieben", "七"), 7),
    **dict.fromkeys(("eight", "acht", "八"), 8),
    **dict.fromkeys(("nine", "neun", "九"), 9),
    **dict.fromkeys(("ten", "zehn", "十"), 10),
    **dict.fromkeys(("eleven", "elf"), 11),
    **dict.fromkeys(("twelve", "dozen", "zwölf", "dutzend", "十二"), 12),
    **dict.fromkeys(("fifteen", "fünfzehn"), 15),
    **dict.fromkeys(("twenty", "zwanzig"), 20),
    **dict.fromkeys(("thirty", "dreißig"), 30),
    **dict.fromkeys(("forty", "vierzig"), 40),
    **dict.fromkeys(("fifty", "fünfzig"), 50),
    **dict.fromkeys(("sixty", "sechzig"), 60),
    **dict.fromkeys(("eighty", "achtzig"), 80),
    **dict.fromkeys(("hundred", "hundert", "einhundert", "百"), 100),
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
    **dict.fromkeys(("quarter", "quartal", "季度"), "quarter"),
    **dict.fromkeys(("year", "jahr", "年"), "year"),
}
_NAMED = (
    ("day", -1, re.compile(r"\byesterday\b|\bgestern\b|昨天", re.I)),
    ("day", 0, re.compile(r"\btoday\b|\btonight\b|\bheute\b|今天|今日", re.I)),
    ("day", 1, re.compile(r"\b(?<!after )tomorrow\b|\bmorgen\b|明天", re.I)),
    ("day", 2, re.compile(r"\bday after tomorrow\b|\bübermorgen\b|后天", re.I)),
)
_TO: Final = r"(?: ?[–—-] ?| (?:to|till|until|and|bis|und)(?: the| zum)? )"
_DATES: Final = tuple(
    re.compile(pattern, re.I)
    for pattern in (
        rf"\b(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? {MONTH}(?:,? (?P<y>[0-9]{{4}}))?",
        rf"\b(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?{_TO}[0-9]{{1,2}}(?:st|nd|rd|th|\.)?(?: of)? {MONTH}"
        r"(?:,? (?P<y>[0-9]{4}))?",
        rf"\b{MONTH} [0-9]{{1,2}}(?:st|nd|rd|th)?{_TO}(?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>[0-9]{{4}}))?",
        rf"\b{MONTH} (?P<d>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>[0-9]{{4}}))?",
        r"(?<![0-9.])(?P<d>[0-9]{1,2})\.(?P<m>[0-9]{1,2})\.(?P<y>[0-9]{4})?(?![0-9])",
        r"(?:(?P<y>[0-9]{4}) ?年 ?)?(?P<m>[0-9]{1,2}) ?月 ?(?P<d>[0-9]{1,2}) ?[日号]",
        rf"\bfirst(?: of)? {MONTH}(?:,? (?P<y>[0-9]{{4}}))?",
    )
)
"""Days as people type them: without care for capitals, most often without the year."""
_DAY_OF_MONTH: Final = re.compile(
    r"\bthe (?P<d>[0-9]{1,2})(?:st|nd|rd|th)\b(?! of\b)|\bam (?P<de>[0-9]{1,2})\.(?! ?[0-9]| (?-i:[A-ZÄÖÜ]))"
    r"|(?<![月0-9] )(?<![月0-9])(?P<zh>[0-9]{1,2}) ?[日号]",
    re.I,
)
"""Of this month, the one before or the next."""
_MONTH_OF_YEAR: Final = re.compile(rf"\b{MONTH},? (?P<y>[0-9]{{4}})\b", re.I)
NEAR_DAYS: Final = 360
"""How far from today a day without its year may be."""
_WEEKDAYS: Final = {
    name: number
    for names in (
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        ("montag", "dienstag", "mittwoch", "donnerstag", "freitag", "samstag", "sonntag"),
        "一二三四五六日",
    )
    for number, name in enumerate(names)
} | {"天": 6}
_LATIN_DAYS: Final = "|".join(name for name in _WEEKDAYS if name.isascii())
_WEEKDAY: Final = re.compile(
    rf"\b(?:(?P<which>this|next|last|coming|diese[nrms]?|übernächste[nrms]?|nächste[nrms]?|kommende[nrms]?|letzte[nrms]?)"
    rf"(?P<first>(?: week(?:['’]s)?| Woche)? ))?(?:am )?(?P<day>{_LATIN_DAYS})"
    rf"(?:(?:vor|nach)?mittags?|morgens?|abends?|früh|nachts?|s)?"
    rf"(?: (?:of |in der |der |in )?(?:(?P<week>this|next|last|diese[nr]?|übernächste[nr]?|nächste[nr]?|letzte[nr]?) "
    rf"(?:week|Woche)|(?:the )?(?P<after>week after next)))?\b"
    r"|(?P<zh>下下|[下上这本])?个?(?:周|星期|礼拜)(?P<zhday>[一二三四五六日天])",
    re.I,
)
_WEEKS: Final = {"ne": 1, "nä": 1, "ko": 1, "la": -1, "le": -1, "下": 1, "上": -1, "üb": 2, "we": 2, "下下": 2}
"""By the first two letters of a word, how many weeks from this one; 0 where none stands here."""
_PERIOD: Final = re.compile(
    r"\b(?P<which>this|the current|last|previous|past|next|coming) (?P<unit>week|month|quarter|year)\b(?!['’]?s? end\b)"
    r"|\b(?P<de>diese|laufende|letzte|vorige|vergangene|nächste|kommende)[nrms]? "
    r"(?P<deunit>Woche|Monat|Quartal|Jahr)(?:e?s)?\b"
    r"|(?P<zh>[本这上下])个?(?P<zhunit>周|星期|月|季度)(?![一二三四五六日天])|(?P<zhyear>[今去明])年(?!年?[底末])",
    re.I,
)
_PERIODS: Final = (
    {"next": 1, "coming": 1, "nächste": 1, "kommende": 1, "下": 1, "明": 1}
    | dict.fromkeys(("last", "previous", "past", "letzte", "vorige", "vergangene", "上", "去"), -1)
)  # fmt: skip
"""How many periods from this one; 0 where none stands here."""
_MONTHS_OF: Final = {"month": 1, "quarter": 3, "year": 12}
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
    weekdays = list(_WEEKDAY.finditer(text))
    for found in weekdays:
        for ahead in _weekdays(found, today.weekday()):
            if (day := moved(today, ahead, "day")) is not None:
                yield day, found[0]
    for found in _PERIOD.finditer(text):
        if not any(each.start() < found.end() and found.start() < each.end() for each in weekdays):
            yield from ((day, found[0]) for day in _first_and_last(found, today))
    for pattern in _DATES:
        for found in pattern.finditer(text):
            for day in _dates(found, today):
                yield day, found[0]
    for found in _DAY_OF_MONTH.finditer(text):
        for months in (0, -1, 1):
            first = moved(today.replace(day=1), months, "month")
            number = int(found["d"] or found["de"] or found["zh"])
            if first is not None and 1 <= number <= monthrange(first.year, first.month)[1]:
                yield first.replace(day=number), found[0]
    for unit, pattern in _ENDS:
        if (named := pattern.search(text)) is not None:
            month = 12 if unit == "year" else today.month
            yield date(today.year, month, monthrange(today.year, month)[1]), named[0]


def months_named(text: str) -> Iterator[tuple[int, int, str]]:
    """Each month that a text names with its year, without care for capitals: year, month and the words."""
    for found in _MONTH_OF_YEAR.finditer(text[:MAX_CHARS]):
        yield int(found["y"]), MONTHS.get(found["name"][:3].lower(), 0), found[0]


def _dates(found: re.Match[str], today: date) -> Iterator[date]:
    """The day of a month, in the year that is told or in those around today."""
    parts = found.groupdict()
    month = int(parts["m"]) if "m" in parts else MONTHS.get(parts["name"][:3].lower(), 0)
    for year in (int(found["y"]),) if found["y"] else (today.year, today.year - 1, today.year + 1):
        try:
            day = date(year, month, int(parts.get("d") or 1))
        except ValueError:
            continue
        if found["y"] or abs((day - today).days) < NEAR_DAYS:
            yield day


def _weekdays(found: re.Match[str], today: int) -> Iterator[int]:
    """How many days ahead the name of a weekday may mean: in the week that is named, or the nearest ones."""
    number = _WEEKDAYS[(found["day"] or found["zhday"]).lower()]
    is_of_week = (found["first"] or "").strip()
    week = found["week"] or found["after"] or found["zh"] or (found["which"] if is_of_week else None)
    if week is not None:
        yield number - today + 7 * _WEEKS.get(week.lower()[:2], 0)
        return
    which = (found["which"] or "").lower()
    weeks = _WEEKS.get(which[:2], 0)
    if weeks >= 0:
        yield (number - today - 1) % 7 + 1
    if weeks < 0 or not which:
        yield -((today - number - 1) % 7 + 1)
    if weeks:
        yield number - today + 7 * weeks


def _first_and_last(found: re.Match[str], today: date) -> Iterator[date]:
    """The days that a week, a month, a quarter or a year begins and ends with."""
    which = found["which"] or found["de"] or found["zh"] or found["zhyear"]
    unit = _UNITS[(found["unit"] or found["deunit"] or found["zhunit"] or "年").lower()]
    count = _PERIODS.get(which.lower(), 0)
    if unit == "week":
        first = moved(today, 7 * count - today.weekday(), "day")
        after = first and moved(first, 7, "day")
    else:
        months = _MONTHS_OF[unit]
        first = moved(date(today.year, (today.month - 1) // months * months + 1, 1), count * months, "month")
        after = first and moved(first, months, "month")
    if first is not None and after is not None:
        yield from (first, after - timedelta(days=1))


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
