"""Months, quarters and years that are said outright, `October 2026`, `Q2` or 第三季度, and what is compared with what.

Owns reading them for tools whose first and last day may be written so, as their descriptions show. What day it is
nobody here needs to know: a month without its year is handed on as it is, where the tool says that it takes such.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from glassloop.core.records import Json
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.phrases.periods import NamedPeriod, is_period, spans_in
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece

COMPARES = re.compile(
    r"\b(?:compar\w*|versus|vs|against|than|vergl\w+|year\s+on\s+year)\b|对比|比较|同比|环比|相比", re.IGNORECASE
)
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_GERMAN = (
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
    "dezember",
)  # fmt: skip
_SHORT = tuple(name[:3] for name in MONTHS)
_BY_NAME = {name.lower(): number for names in (MONTHS, _GERMAN, _SHORT) for number, name in enumerate(names, 1)}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_DIGITS = dict(zip("一二三四五六七八九十", range(1, 11), strict=True)) | {"十一": 11, "十二": 12}
_MONTH = "|".join(sorted(_BY_NAME, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_OF_YEAR = rf"(?:,?\s+(?:of\s+)?(?P<{{}}>{_YEAR})(?![\d-]))?"
_COARSE = re.compile(
    rf"(?<![\d-])(?P<y1>{_YEAR})-(?P<m1>0[1-9]|1[0-2])(?![\d-])"
    rf"|(?<![\d-])(?P<y2>{_YEAR})[-\s]?Q(?P<q2>[1-4])\b"
    rf"|\bQ(?P<q3>[1-4])\b{_OF_YEAR.format('y3')}"
    rf"|\b(?P<q4>{'|'.join(_ORDINALS)})\s+quarter\b{_OF_YEAR.format('y4')}"
    rf"|(?<!\d\s)(?<!\d\.\s)(?<!\dth\s)(?<!\dst\s)(?<!\dnd\s)(?<!\drd\s)\b(?P<m5>{_MONTH})\b\.?(?!\s+\d{{1,2}}(?!\d))"
    rf"{_OF_YEAR.format('y5')}"
    rf"|(?P<y6>{_YEAR})年(?:第?(?P<q6>[一二三四1-4])季度|(?P<m6>\d{{1,2}}|十?[一二三四五六七八九十])月份?(?!\d{{1,2}}[日号]))?"
    r"|(?<![去明上年\d])(?:第?(?P<q7>[一二三四1-4])季度|(?P<m7>1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?(?!\d{1,2}[日号]))"
    rf"|\b(?:in|for|of|during|since|year|from|until|and|with|to|than|vs\.?|versus)\s+(?P<y8>{_YEAR})(?![\d-])(?!\s+[a-z]*s\b)",
    re.IGNORECASE,
)
_QUARTER = re.compile(r"Q[1-4]", re.IGNORECASE)
_MODAL = re.compile(r"\b(?:may|march|mar|mai|sep|dec|jan|jun|jul|apr|aug|nov|oct|feb)\b\.?$")
"""Lower-case words that are months only after a preposition."""
_BEFORE_MONTH = re.compile(r"\b(?:in|of|for|since|from|until|during|to|and|than|vs\.?|versus|this|with)\s+$", re.I)
_LAST_YEAR = re.compile(r"^\s+(?:of\s+)?(?:last|next)\s+year\b", re.IGNORECASE)
_SINCE = re.compile(r"\b(?:since|from|starting|ab|seit)\s+(?:in\s+)?$|[从自]$", re.IGNORECASE)
_SINCE_AFTER = re.compile(r"^\s*(?:以来|起|开始)")
_UNTIL = re.compile(r"\b(?:until|till|through|by|bis|up\s+to)\s+(?:the\s+end\s+of\s+)?$|截至|到$", re.IGNORECASE)
_OUTSIDE = re.compile(r"\b(?:before|after|vor|nach)\s+$", re.IGNORECASE)
_OUTSIDE_AFTER = re.compile(r"^\s*(?:之前|以前|之后|以后)")
_WITH = re.compile(
    r"\b(?:with|to|against|versus|vs\.?|than|from|over)\s+(?:the\s+|that\s+of\s+|those\s+of\s+)?$|[与和跟同比]\s*$",
    re.I,
)
_YEAR_BEFORE = re.compile(
    r"\b(?:year\s+before|year\s+ago|year\s+earlier|previous\s+year|same\s+\w+\s+last\s+year|year\s+on\s+year)\b"
    r"|同比|去年同期",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    r"\b(?:previous|prior|preceding)\s+(?:period|week|month|quarter)\b|\b(?:period|week|month|quarter)\s+before\b"
    r"|环比|上期",
    re.IGNORECASE,
)


class CalendarPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """A month, quarter or year: `months` long, from the month `first` on; without a year where none is said."""

    value: str
    months: int
    first: int
    year: int | None
    found: TextPiece


class DateRange(msgspec.Struct, frozen=True):
    """The arguments that days and comparison fill, and the pieces of the question they were said with."""

    args: dict[str, Json] = {}
    pieces: tuple[TextPiece, ...] = ()


def coarse_in(question: ParsedQuestion) -> tuple[CalendarPeriod, ...]:
    """In the order they are said."""
    named = [each for each in question.identifiers if _QUARTER.fullmatch(each.text) is None]
    taken = [*question.dates, *named, *question.quoted]
    return tuple(
        each
        for each in _coarse(question.text)
        if not any(each.found.start < other.end and other.start < each.found.end for other in taken)
    )


def range_of(question: ParsedQuestion, parameters: Sequence[ParameterHints]) -> DateRange:
    """What the question says of days, as far as these parameters take it; of two periods to be compared, the later."""
    compares = COMPARES.search(question.text) is not None
    how = next((p for p in parameters if _chooses_before(p)), None)
    first, last = _ends(parameters)
    if first is not None and last is not None:
        said = [each for each in coarse_in(question) if _takes(first, each)]
        if said:
            return _between(question, said, first, last, how if compares else None)
    named = next((p for p in parameters if is_period(p.choices)), None)
    return _compared(question, named, how) if compares and how is not None and named is not None else DateRange()


def _between(
    question: ParsedQuestion,
    said: list[CalendarPeriod],
    first: ParameterHints,
    last: ParameterHints,
    how: ParameterHints | None,
) -> DateRange:
    said = _with_year(said)
    if how is not None and len(said) == 2:
        said.sort(key=_index)
        distance = _index(said[1]) - _index(said[0])
        same = said[0].months == said[1].months
        which = "previous" if same and distance == said[0].months else "year" if same and distance == 12 else ""
        args: dict[str, Json] = {first.name: said[1].value, last.name: said[1].value}
        if not which:
            return DateRange(args, (said[1].found,))
        return DateRange(args | {how.name: _choice(how, which)}, (said[0].found, said[1].found))
    if len(said) > 2:
        return DateRange()
    if len(said) == 2:
        pair = {first.name: said[0].value, last.name: said[1].value}
        return DateRange(dict(pair), (said[0].found, said[1].found))
    found = said[0].found
    before, after = question.text[: found.start], question.text[found.end :]
    if _OUTSIDE.search(before) or _OUTSIDE_AFTER.search(after):
        return DateRange()
    args = {first.name: said[0].value, last.name: said[0].value}
    if _SINCE.search(before) or _SINCE_AFTER.search(after):
        del args[last.name]
    elif _UNTIL.search(before):
        del args[first.name]
    pieces = (found,)
    if how is not None and (which := _named_before(question.text)):
        args[how.name] = _choice(how, which)
    return DateRange(args, pieces)


def _compared(question: ParsedQuestion, named: ParameterHints, how: ParameterHints) -> DateRange:
    """`this quarter` with `last quarter`: the period is this one, and the one before is what it is compared with."""
    spans = [span for span in spans_in(question.text) if "_" in span.name]
    which = _named_before(question.text)
    if len(spans) == 2:
        later = max(spans, key=lambda span: ("last", "this", "next").index(_turn(span)) if _turn(span) else -1)
        earlier = spans[0] if later is spans[1] else spans[1]
        if _unit(later) == _unit(earlier) and (_turn(earlier), _turn(later)) in (("last", "this"), ("this", "next")):
            return _told(
                question, (later, earlier), {named.name: later.name, how.name: _choice(how, "previous")}, named
            )
        return DateRange()
    if (
        len(spans) == 1
        and _turn(spans[0]) == "last"
        and _unit(spans[0])
        and _WITH.search(question.text[: spans[0].start])
    ):
        args: dict[str, Json] = {named.name: f"this_{_unit(spans[0])}", how.name: _choice(how, "previous")}
        return _told(question, spans, args, named) if _unit(spans[0]) != "year" else DateRange()
    return DateRange({how.name: _choice(how, which)}) if which else DateRange()


def _told(
    question: ParsedQuestion, spans: Sequence[NamedPeriod], args: dict[str, Json], named: ParameterHints
) -> DateRange:
    if args[named.name] not in named.choices:
        return DateRange()
    return DateRange(args, tuple(TextPiece(question.text[s.start : s.end], s.start, s.end) for s in spans))


def _named_before(text: str) -> str:
    return "year" if _YEAR_BEFORE.search(text) else "previous" if _BEFORE.search(text) else ""


def _turn(span: NamedPeriod) -> str:
    turn = span.name.partition("_")[0]
    return turn if _unit(span) in ("week", "month", "quarter", "year") else ""


def _unit(span: NamedPeriod) -> str:
    return span.name.partition("_")[2]


def _chooses_before(parameter: ParameterHints) -> bool:
    return bool(_choice(parameter, "previous")) and bool(_choice(parameter, "year"))


def _choice(parameter: ParameterHints, which: str) -> Json:
    return next(
        (c for c in parameter.choices if not is_period(parameter.choices) and which in name_words(str(c))), None
    )


def _ends(parameters: Sequence[ParameterHints]) -> tuple[ParameterHints | None, ParameterHints | None]:
    dates = {p.name: p for p in parameters if p.kind == "date"}
    first = next((p for name, p in dates.items() if {"start", "from", "first"} & set(name_words(name))), None)
    last = next((p for name, p in dates.items() if {"end", "to", "until", "last"} & set(name_words(name))), None)
    return first, last


def _takes(parameter: ParameterHints, said: CalendarPeriod) -> bool:
    """As the examples of its description show."""
    shown = parameter.description
    if said.year is None:
        return re.search(r"(?<![\d-])Q[1-4]\b", shown) is not None
    if said.months == 12:
        return re.search(r"\byear\b", shown) is not None
    return re.search(r"\d{4}-\d\d(?![\d-])" if said.months == 1 else r"\d{4}-Q[1-4]", shown) is not None


def _with_year(said: list[CalendarPeriod]) -> list[CalendarPeriod]:
    """`Q2 and Q3 2026`: a year that is said once is that of both."""
    years = {each.year for each in said if each.year is not None}
    if len(years) != 1 or all(each.year is not None for each in said):
        return said
    return [each if each.year else _made(each.found, year, each.months, each.first) for year in years for each in said]


def _index(said: CalendarPeriod) -> int:
    return (said.year or 0) * 12 + said.first


@lru_cache(maxsize=256)
def _coarse(text: str) -> tuple[CalendarPeriod, ...]:
    found: list[CalendarPeriod] = []
    for match in _COARSE.finditer(text):
        parts = match.groupdict()
        year = next((int(parts[name]) for name in parts if name[0] == "y" and parts[name]), None)
        month = next((parts[name].lower() for name in parts if name[0] == "m" and parts[name]), "")
        quarter = next((parts[name].lower() for name in parts if name[0] == "q" and parts[name]), "")
        start = match.start("y8") if parts["y8"] else match.start()
        if parts["m5"] and not _is_month(text, match):
            continue
        piece = TextPiece(text[start : match.end()], start, match.end())
        number = _number(month) if month else 3 * (_number(quarter) - 1) + 1 if quarter else 1
        if 1 <= number <= 12:
            found.append(_made(piece, year, 1 if month else 3 if quarter else 12, number))
    return tuple(found)


def _is_month(text: str, match: re.Match[str]) -> bool:
    """`may` and `march` are verbs too; of last year's months nobody can tell the year."""
    if _LAST_YEAR.match(text[match.end() :]):
        return False
    said = match["m5"]
    return bool(
        match["y5"] or not (_MODAL.match(said) or said[0].islower()) or _BEFORE_MONTH.search(text[: match.start()])
    )


def _number(said: str) -> int:
    return int(said) if said.isdecimal() else _BY_NAME.get(said) or _ORDINALS.get(said) or _DIGITS.get(said) or 0


def _made(found: TextPiece, year: int | None, months: int, first: int) -> CalendarPeriod:
    quarter = f"Q{(first + 2) // 3}"
    if year is None:
        value = MONTHS[first - 1] if months == 1 else quarter
    else:
        value = f"{year}-{first:02d}" if months == 1 else f"{year}-{quarter}" if months == 3 else f"{year}"
    return CalendarPeriod(value=value, months=months, first=first, year=year, found=found)
