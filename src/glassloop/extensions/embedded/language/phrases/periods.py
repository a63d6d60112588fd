"""Days as people name them, `last quarter` or 上个月, under the names that tools give them: `last_quarter`.

Owns the reading of such words in English, Chinese and German. What day it is nobody here needs to know.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

_WHICH = {
    "this": "this", "current": "this", "running": "this", "last": "last", "previous": "last", "past": "last",
    "prior": "last", "next": "next", "coming": "next", "following": "next", "diese": "this", "diesen": "this",
    "diesem": "this", "dieses": "this", "letzte": "last", "letzten": "last", "letztes": "last", "vorige": "last",
    "nachste": "next", "nächste": "next", "nächsten": "next", "nächstes": "next",
    "本": "this", "这": "this", "这个": "this", "当": "this", "上": "last", "上个": "last", "上一个": "last",
    "下": "next", "下个": "next", "下一个": "next",
}  # fmt: skip
_UNITS = {
    "week": "week", "month": "month", "quarter": "quarter", "year": "year", "woche": "week", "monat": "month",
    "quartal": "quarter", "jahr": "year", "周": "week", "星期": "week", "礼拜": "week", "月": "month", "月份": "month",
    "季度": "quarter", "年": "year", "年度": "year",
}  # fmt: skip
_DAYS = {
    "today": "today", "yesterday": "yesterday", "tomorrow": "tomorrow", "heute": "today", "gestern": "yesterday",
    "今天": "today", "今日": "today", "昨天": "yesterday", "昨日": "yesterday", "明天": "tomorrow", "明日": "tomorrow",
    "今年": "this_year", "去年": "last_year", "明年": "next_year",
    "year to date": "this_year", "so far this year": "this_year",
}  # fmt: skip
_NUMBERS = {
    "seven": 7, "twelve": 12, "thirty": 30, "ninety": 90, "七": 7, "十二": 12, "三十": 30, "九十": 90, "sieben": 7,
    "zwölf": 12, "dreißig": 30,
}  # fmt: skip


def _either(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def _written(words: Sequence[str], *, cjk: bool) -> list[str]:
    return [word for word in words if word.isascii() != cjk or (not cjk and word[0].isascii())]


_LATIN = re.compile(
    rf"\b(?P<which>{_either(_written(list(_WHICH), cjk=False))})\s+"
    rf"(?P<unit>{_either(_written(list(_UNITS), cjk=False))})\b"
    rf"|\b(?P<day>{_either(_written(list(_DAYS), cjk=False))})\b"
    rf"|\b(?:last|past|previous|letzten)\s+(?P<count>\d{{1,3}}|{_either(_written(list(_NUMBERS), cjk=False))})\s+"
    r"(?P<of>days?|months?|tagen?|tage|monaten?|monate)\b",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    rf"(?P<which>{_either(_written(list(_WHICH), cjk=True))})(?P<unit>{_either(_written(list(_UNITS), cjk=True))})"
    rf"|(?P<day>{_either(_written(list(_DAYS), cjk=True))})"
    rf"|(?:最近|过去|近)\s*(?P<count>\d{{1,3}}|{_either(_written(list(_NUMBERS), cjk=True))})\s*(?P<of>天|日|个月)"
    r"|(?:最近|过去|近)(?P<one>一周|一个月|一年)"
)
_ONE = {"一周": "last_7_days", "一个月": "last_30_days", "一年": "last_12_months"}


class NamedPeriod(msgspec.Struct, frozen=True):
    """A period as it is named, and where it stands in the text."""

    name: str
    start: int
    end: int


@lru_cache(maxsize=256)
def spans_in(text: str) -> tuple[NamedPeriod, ...]:
    """In the order they are said."""
    found = [
        NamedPeriod(name, match.start(), match.end())
        for pattern in (_LATIN, _CHINESE)
        for match in pattern.finditer(text)
        if (name := _name(match))
    ]
    return tuple(sorted(found, key=lambda span: span.start))


def is_period(choices: Sequence[object]) -> bool:
    """Whether a parameter chooses among periods."""
    names = ("today", "this_week", "this_month", "last_month", "last_quarter", "this_year")
    return sum(name in choices for name in names) > 2


def without_spans(text: str) -> str:
    """The text with the periods blanked, each character by a space."""
    for span in spans_in(text):
        text = f"{text[: span.start]}{' ' * (span.end - span.start)}{text[span.end :]}"
    return text


def _name(match: re.Match[str]) -> str:
    parts = {name: (value or "").lower() for name, value in match.groupdict().items()}
    if parts["which"]:
        return f"{_WHICH[parts['which']]}_{_UNITS[parts['unit']]}"
    if parts["day"]:
        return _DAYS[parts["day"]]
    if parts.get("one"):
        return _ONE[parts["one"]]
    count = _NUMBERS.get(parts["count"]) or int(parts["count"])
    unit = "months" if parts["of"].startswith(("month", "monat", "个月")) else "days"
    return f"last_{count}_{unit}"
