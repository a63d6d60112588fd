"""A question taken apart: the dates, identifiers, numbers, quantities, quoted words and arithmetic it holds.

`arguments` decides which parameter gets what. Repetitions in the patterns are bounded, and so is the text: no question
takes long.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import Any

import msgspec

from glassloop.core.text_terms import CJK, content_words, has_cjk, stem
from glassloop.extensions.embedded.language.lexicon import Term
from glassloop.extensions.embedded.language.terms import is_german, read_terms

MAX_QUESTION_CHARS = 2000

_QUOTED = re.compile(
    r"\"([^\"\n]{1,300})\"|“([^”\n]{1,300})”|「([^」\n]{1,300})」|『([^』\n]{1,300})』|《([^》\n]{1,300})》|`([^`\n]{1,300})`"
    r"|(?<!\w)'([^'\n]{1,300})'(?!\w)"
)
_MONTH_NAMES = (
    "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|sep sept september|oct october"
    "|nov november|dec december"
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split("|"), 1) for name in names.split()}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DATE = re.compile(
    r"(?<!\d)(?P<y1>\d{4})[-/.年](?P<m1>\d{1,2})[-/.月](?P<d1>\d{1,2})日?(?!\d)"
    rf"|(?<!\d)(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?P<m2>{_MONTH})\.?,?\s+(?P<y2>\d{{4}})(?!\d)"
    rf"|\b(?P<m3>{_MONTH})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})(?!\d)"
    r"|(?<![\d.])(?P<d4>\d{1,2})\.(?P<m4>\d{1,2})\.(?P<y4>\d{4})(?!\d)",
    re.IGNORECASE,
)
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_WEEKDAY_GERMAN = "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag"
_SPOKEN_DATE = re.compile(
    rf"\b(?:(?:this|next|on|last)\s+)?(?:{_WEEKDAY})\b|\b(?:today|tomorrow|tonight|yesterday|day\s+after\s+tomorrow)\b"
    r"|\b(?:this|next|last)\s+(?:week|weekend|month|year|quarter)\b"
    rf"|\b(?:(?:nächsten|diesen|am)\s+)?(?:{_WEEKDAY_GERMAN})\b|\b(?:heute|morgen|übermorgen|gestern)\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?(?:{_MONTH})\b|\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\b"
    r"|今天|明天|后天|昨天|[下这本上]?(?:周|星期)[一二三四五六日天]|[下这本上]个?(?:周|星期|月)|\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?<![\d:])(?P<h1>[01]?\d|2[0-3])[:.](?P<m1>[0-5]\d)(?![\d:]|\.\d)\s*(?P<p1>[ap]\.?m\b\.?)?"
    r"|\b(?P<h2>1[0-2]|0?[1-9])\s*(?P<p2>[ap]\.?m\b\.?)|\b(?P<h3>[01]?\d|2[0-3])\s*(?:Uhr|o'clock)\b"
    r"|\bat\s+(?P<h4>[01]?\d|2[0-3])(?![\d:.,%-]|\s*(?:[%€$]|[ap]\.?m\b))\b|\b(?:noon|mittags?)\b",
    re.IGNORECASE,
)
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?:[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_]?\d[\w-]{0,40}|\d{1,12}-[A-Za-z\d][\w-]{0,40})(?![\w@])"
    r"|(?<![\w.-])v\d{1,4}(?:\.\d{1,6}){1,3}(?![\w@])|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|https?://[^\s<>\"'，。]{1,500}",
    re.ASCII,
)
_YEAR_MONTH = re.compile(r"(?:19|20)\d\d-(?:0\d|1[0-2])")
_PERIOD = re.compile(
    rf"(?<![\d-])(?:19|20)\d\d-(?:0\d|1[0-2])(?![\d-])|\bq[1-4](?:\s+(?:19|20)\d\d)?\b|\b(?:{_MONTH})\b(?:\s+(?:19|20)\d\d\b)?"
    r"|\b(?:this|last|next)\s+(?:month|year|quarter|week)\b|(?<![\d-])(?:19|20)\d\d(?![\d-])"
    r"|(?:19|20)\d\d年(?:\d{1,2}月)?|(?:上|本|这)个?(?:月|季度)|今年|去年",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?<![\w.,])[-−]?(?:\d{1,3}(?:,\d{3}){1,9}|\d{1,30})(?:\.\d{1,30})?(?![\d_A-Za-z]|[.,]\d)", re.ASCII
)
_OPERAND = r"(?:sqrt)?[-−√(]{0,9}[$€£¥]?\d[\d,]{0,29}(?:\.\d{1,30})?(?:\s*+%|\s++(?:percent|prozent))?[!)]{0,9}"
_OPERATOR = r"[-+*/^×÷−–]|\*\*|(?:of|off|plus|minus|times|over|mod|divided\s+by|x)\b"
_ARITHMETIC = re.compile(
    rf"(?<![\w.:])(?:{_OPERAND}(?:\s*+(?:{_OPERATOR})\s*+{_OPERAND}){{1,40}}|sqrt\({_OPERAND}|√\d+)", re.I
)
_INTO = re.compile(
    rf"(?<![\d.,])(?P<value>[-−]?\d[\d,]{{0,29}}(?:\.\d{{1,29}})?)\s*+(?P<source>[^\s\d?!;:{CJK}][^\d?!;:{CJK}]{{0,30}}?)\s++"
    r"(?:to|in|into|as|equals?|is\s++how\s++many|is\s++what\s++in|=)\s++(?P<target>[^\d?!,;:=][^?!,;:=]{0,30})",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"(?:how\s+(?:many|much)|wie\s*viele?)\s++(?P<target>[^\d?!,;:]{1,30}?)\s++"
    r"(?:is|are|in|make|makes|equals?|does|ist|sind|ergeben)(?:\s++(?:there|in))*+\s++"
    r"(?<![\d.,])(?P<value>[-−]?\d[\d,]{0,29}(?:\.\d{1,29})?)\s*(?P<source>[^\d?!,;:]{1,30})",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"(?<!\s)(?:\s++(?:please|now|exactly|roughly|there|be|have|make)){1,8}+\s*+\.?$|(?<![.。\s])[.。\s]++$",
    re.IGNORECASE,
)
_COMPOUND = re.compile(r"\d\s*[^\W\d_]+\s+(?:and\s+)?$")
"""`5 feet 3 inches` is one length in two units: better not converted than half of it."""

_SPOKEN = (
    (re.compile(r"(?:the\s+)?square\s+root\s+of\s+(\d{1,30}(?:\.\d{1,30})?)", re.IGNORECASE), r"sqrt(\1)"),
    (re.compile(r"(?<![\d.])(\d{1,30}(?:\.\d{1,30})?)\s+squared\b", re.IGNORECASE), r"\1^2"),
    (re.compile(r"\badd\s+(\d{1,30}(?:\.\d{1,30})?)\s+(?:and|to|plus)\s+(?=\d)", re.IGNORECASE), r"\1 + "),
    (re.compile(r"(?<=[\dt%])\s+von\s+(?=\d)", re.IGNORECASE), " of "),
    (re.compile(r"(?<=\d)\s+mal\s+(?=\d)", re.IGNORECASE), " times "),
    (re.compile(r"(?<=\d)\s+geteilt\s+durch\s+(?=\d)", re.IGNORECASE), " divided by "),
    (re.compile(r"(?<![\d.])(\d{1,30}(?:\.\d{1,30})?)\s+cubed\b", re.IGNORECASE), r"\1^3"),
)
_CAPITAL = re.compile(r"(?<=\s)[A-ZÄÖÜ][^\W\d_]+")
_TODO = re.compile(r"\bto-do\b", re.IGNORECASE)
_ORDERS = re.compile(r"(?:can|could|would|will)\s+you\b", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?:and\s+|und\s+|so\s+|ok(?:ay)?,?\s+)?(?:what|who|whom|whose|which|when|where|why|how|is|are|was|were|do|does|did|can|could|should|will"
    r"|has|have|any|show|tell\s+(?:me|us)|list|find|search|look|display|check"
    r"|was|wer|wen|wem|wessen|welche[rsnm]?|wann|wo|wohin|woher|warum|wieso|wie|wieviel|ist|sind|hat|haben|gibt|kann|zeige?)\b",
    re.IGNORECASE,
)
_ASKS_CJK = re.compile(r"^(?:请|帮我)?(?:查|显示|列出|搜|找)|什么|多少|几点|哪|怎么|怎样|吗|呢|谁|为何|何时|几个|如何")


class TextPiece(msgspec.Struct, frozen=True):
    """A piece of the question with its place."""

    text: str
    start: int
    end: int


class UnitConversion(msgspec.Struct, frozen=True):
    """A value with its unit, and the unit it is wanted in."""

    value: str
    source: str
    target: str


class ParsedQuestion:
    """One question; each kind of piece is looked for once, when first asked for."""

    def __init__(self, text: str) -> None:
        # Halves of surrogate pairs cannot be written as JSON later on.
        whole = text[:MAX_QUESTION_CHARS].encode("utf-8", "replace").decode()
        self.text = _TODO.sub("todo", " ".join(whole.split()))
        self.filled: dict[tuple[int, str], Any] = {}
        """What `matching` worked out for it, by offer and tool."""

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(content_words(self.text))

    @cached_property
    def terms(self) -> Sequence[tuple[str, Term]]:
        """Each word with what it may stand for."""
        return read_terms(self.text)

    @cached_property
    def proper(self) -> frozenset[str]:
        """Words that are written like names, in the form they are compared in; none in German, where all nouns are."""
        return frozenset() if is_german(self.text) else frozenset(stem(w.lower()) for w in _CAPITAL.findall(self.text))

    @cached_property
    def asks(self) -> bool:
        """Whether it is a question rather than an order."""
        text = self.text.strip()
        if has_cjk(text):
            return text.endswith(("?", "？")) or _ASKS_CJK.search(text) is not None
        return _ORDERS.match(text) is None and (text.endswith("?") or _ASKS.match(text) is not None)

    @cached_property
    def quoted(self) -> list[TextPiece]:
        return [
            TextPiece(next(filter(None, match.groups())), match.start(), match.end())
            for match in _QUOTED.finditer(self.text)
        ]

    @cached_property
    def dates(self) -> list[TextPiece]:
        """As ISO dates, in the order they are said."""
        found: list[TextPiece] = []
        for match in _DATE.finditer(self.text):
            parts = match.groupdict()
            year, month, day = (next(filter(None, (parts[f"{k}{n}"] for n in "1234")), "") for k in "ymd")
            try:
                said = date(int(year), _MONTHS.get(month.lower(), 0) or int(month), int(day))
            except ValueError:
                continue
            found.append(TextPiece(said.isoformat(), match.start(), match.end()))
        return found

    @cached_property
    def spoken_dates(self) -> list[TextPiece]:
        """Days as people say them, which only a clock could turn into dates."""
        return [found for found in _found(_SPOKEN_DATE.finditer(self.text)) if not _overlaps(found, self.dates)]

    @cached_property
    def periods(self) -> list[TextPiece]:
        """Months, quarters and years as they are said."""
        return [found for found in _found(_PERIOD.finditer(self.text)) if not _overlaps(found, self.dates)]

    @cached_property
    def times(self) -> list[TextPiece]:
        """Times of day as `HH:MM`; none in Chinese, where the word before them says which half of the day."""
        return [
            TextPiece(_clock(match), match.start(), match.end())
            for match in _TIME.finditer("" if has_cjk(self.text) else self.text)
            if not _overlaps(TextPiece("", match.start(), match.end()), self.dates)
        ]

    @cached_property
    def identifiers(self) -> list[TextPiece]:
        taken = self.dates
        found = [each for each in _found(_IDENTIFIER.finditer(self.text)) if not _overlaps(each, taken)]
        return [each for each in found if not _YEAR_MONTH.fullmatch(each.text)]

    @cached_property
    def numbers(self) -> list[TextPiece]:
        """Free-standing numbers: not parts of dates, identifiers or quotes."""
        taken = [*self.dates, *self.identifiers, *self.quoted]
        return [found for found in _found(_NUMBER.finditer(self.text)) if not _overlaps(found, taken)]

    @cached_property
    def plain(self) -> str:
        """The text without its dates, times, identifiers and numbers, where names are looked for."""
        text = self.text
        for found in (*self.dates, *self.times, *self.identifiers, *self.numbers):
            text = f"{text[: found.start]}{',' * (found.end - found.start)}{text[found.end :]}"
        return text

    @cached_property
    def arithmetic(self) -> str | None:
        """The longest run that reads as arithmetic, if there is one."""
        text = self.text
        months = [found for found in self.periods if _YEAR_MONTH.fullmatch(found.text)]
        for taken in (*self.dates, *self.identifiers, *months):
            if not text[taken.end :].lstrip().startswith("("):
                text = text[: taken.start] + "\x00" * (taken.end - taken.start) + text[taken.end :]
        for spoken, written in _SPOKEN:
            text = spoken.sub(written, text)
        return max((match.group() for match in _ARITHMETIC.finditer(text)), key=len, default=None)

    @cached_property
    def conversion(self) -> UnitConversion | None:
        for pattern in (_HOW_MANY, _INTO):
            match = pattern.search(self.text)
            if match and not _COMPOUND.search(self.text[: match.start("value")]):
                return UnitConversion(
                    match["value"].replace(",", "").replace("−", "-"),
                    _POLITE.sub("", match["source"]).strip(),
                    _POLITE.sub("", match["target"]).strip(),
                )
        return None


def _found(matches: Iterator[re.Match[str]]) -> list[TextPiece]:
    return [TextPiece(match.group(), match.start(), match.end()) for match in matches]


def _clock(match: re.Match[str]) -> str:
    hour = next((int(match[f"h{n}"]) for n in "1234" if match[f"h{n}"]), 12)
    half = (match["p1"] or match["p2"] or "").lower()
    hour = hour % 12 + 12 * half.startswith("p") if half else hour
    return f"{hour:02d}:{match['m1'] or '00'}"


def _overlaps(found: TextPiece, others: list[TextPiece]) -> bool:
    return any(found.start < other.end and other.start < found.end for other in others)
