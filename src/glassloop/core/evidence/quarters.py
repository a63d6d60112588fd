"""Quarters: `Q3 2026` in an answer, and the periods and words of a source that mean one.

A source names a quarter by all of its days (2026-07-01 to 2026-09-30) or in words (third quarter of 2026, 第三季度).
A part of a quarter is none.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

MAX_QUARTERS: Final = 64
"""Those of one text that are looked at."""

_YEAR: Final = r"(?:19|20)[0-9]{2}"
_NAME = re.compile(r"[Qq]([1-4])")
_NUMBERED = re.compile(r"[1-4]")
_NUMBERED_AFTER = re.compile(r"\.?[ \xa0]?(?:季度|Quartal)")
_YEAR_AFTER = re.compile(
    rf"(?:\.?[ \xa0]?(?:季度|Quartal))?(?:[ \xa0]?[-/,(']|[ \xa0]of)?[ \xa0]?({_YEAR})(?![0-9])", re.IGNORECASE
)
_YEAR_BEFORE = re.compile(rf"(?<![0-9])({_YEAR})[ \xa0]?(?:年|[-/])?[ \xa0]?第?[ \xa0]?$")
_DAYS = re.compile(
    rf"(?<![0-9-])(?P<year>{_YEAR})-(?P<first>0[147]|10)-01"
    r"(?:T00:00(?::00)?Z?)?[ \t]*(?:to|until|till|through|bis|至|到|[-–—~～/]|\.\.)[ \t]*"
    r"(?P=year)-(?P<last>0[369]|12)-(?P<day>3[01])(?![0-9])"
)
_ORDINALS: Final = {
    **dict.fromkeys(("first", "1st", "erstes", "ersten", "erste", "一", "1"), 1),
    **dict.fromkeys(("second", "2nd", "zweites", "zweiten", "zweite", "二", "2"), 2),
    **dict.fromkeys(("third", "3rd", "drittes", "dritten", "dritte", "三", "3"), 3),
    **dict.fromkeys(("fourth", "4th", "viertes", "vierten", "vierte", "四", "4"), 4),
}
_WORDS = re.compile(
    r"\b(?P<latin>first|1st|erste[sn]?|second|2nd|zweite[sn]?|third|3rd|dritte[sn]?|fourth|4th|vierte[sn]?)"
    rf" (?:quarter|Quartal)\b(?:,?(?: of| in| des Jahres)? (?P<after>{_YEAR})(?![0-9]))?"
    rf"|(?:(?<![0-9])(?P<before>{_YEAR}) ?年 ?)?第? ?(?P<cjk>[一二三四1-4]) ?季度",
    re.IGNORECASE,
)
_ENDS: Final = {1: ("03", "31"), 2: ("06", "30"), 3: ("09", "30"), 4: ("12", "31")}
_FROM: Final = ("from", "start", "start_date", "begin", "period_start", "first_day", "since")
_TO: Final = ("to", "end", "end_date", "period_end", "last_day", "until")


class Quarter(NamedTuple):
    """A quarter that a source names: the text it is named by, and the first day where it is named by its days."""

    number: int
    year: int | None
    found: str
    first_day: str | None = None

    def names(self) -> Iterator[tuple[str, str]]:
        """What an answer may call it by."""
        yield quarter_key(self.number, None)
        if self.year is not None:
            yield quarter_key(self.number, self.year)


def quarter_key(number: int, year: int | None) -> tuple[str, str]:
    return "quarter", f"{year or ''}Q{number}"


def quarter_at(text: str, start: int, end: int) -> tuple[str, str] | None:
    """The key of the quarter that a figure of an answer names, with the year that stands beside it."""
    name = _NAME.fullmatch(text, start, end)
    if name is None and (_NUMBERED.fullmatch(text, start, end) is None or _NUMBERED_AFTER.match(text, end) is None):
        return None
    year = _YEAR_AFTER.match(text, end) or _YEAR_BEFORE.search(text, max(0, start - 12), start)
    return quarter_key(int(text[end - 1]), int(year[1]) if year is not None else None)


def quarters_in(text: str) -> Iterator[Quarter]:
    """The quarters that a text names."""
    for found in _DAYS.finditer(text):
        number = (int(found["first"]) + 2) // 3
        if (found["last"], found["day"]) == _ENDS[number]:
            yield Quarter(number, int(found["year"]), found[0], f"{found['year']}-{found['first']}-01")
    for found in _WORDS.finditer(text):
        year = found["after"] or found["before"]
        yield Quarter(_ORDINALS[(found["latin"] or found["cjk"]).lower()], int(year) if year else None, found[0])


def quarter_of_record(record: Mapping[str, Any]) -> Quarter | None:
    """The quarter that a record names by its first and last day."""
    first = next((record[key] for key in _FROM if type(record.get(key)) is str), "")
    last = next((record[key] for key in _TO if type(record.get(key)) is str), "")
    return next(quarters_in(f"{first[:10]} to {last[:10]}"), None) if first and last else None
