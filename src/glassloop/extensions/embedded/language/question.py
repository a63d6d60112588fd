"""A question taken apart: the dates, identifiers, numbers, quantities, quoted words and arithmetic it holds.

Owns finding; which parameter gets what is `arguments`. Repetitions in the patterns are bounded, and so is the text:
no question takes long.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cached_property
from typing import Any

import msgspec

from glassloop.core.text_terms import CJK, content_words, has_cjk, stem
from glassloop.extensions.embedded.language.lexicon.terms import Term, is_german, read_terms

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
    r"|今天|明天|后天|昨天|(?:下|这|本|上)?(?:周|星期)[一二三四五六日天]|(?:下|这|本|上)个?(?:周|星期|月)|\d{1,2}月\d{1,2}日",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"(?:(?:早上|上午|中午|下午|晚上)\s*)?(?<![\d:])(?P<h1>[01]?\d|2[0-3])[:.](?P<m1>[0-5]\d)(?![\d:]|\.\d)\s*(?P<p1>[ap]\.?m\b\.?)?"
    r"|\b(?P<h2>1[0-2]|0?[1-9])\s*(?P<p2>[ap]\.?m\b\.?)|\b(?P<h3>[01]?\d|2[0-3])\s*(?:Uhr|o'clock)\b"
    r"|(?:(?:早上|上午|中午|下午|晚上)\s*(?P<h6>[一二两三四五六七八九十]{1,3})|(?P<h7>[二两三四五六七八九十]{1,3}))点(?P<q2>半|[一三]刻)?"
    r"|(?:(?:早上|上午|中午|下午|晚上)\s*+|(?<!\s)\s++)?(?P<h4>\d{1,2})点(?:(?P<m4>[0-5]?\d)分?|(?P<q1>半|[一三]刻))?(?!\d)|\bat\s+(?P<h5>[01]?\d|2[0-3])(?![\d:.,%-]|\s*(?:[%€$]|[ap]\.?m\b))\b|\b(?P<noon>noon|mittags?)\b|中午",
    re.IGNORECASE,
)
_QUARTERS = {"一刻": "15", "半": "30", "三刻": "45"}
_DIGITS = "零一二三四五六七八九"
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
_PIECE = re.compile(
    r"\d[\d,_]*(?:\.\d+)?|[-+*/^%×÷−–!√°()[\],$€£¥]|(?:of|off|plus|minus|times|over|mod|percent|divided\s+by|x|pi)\b"
    r"|[A-Za-z]{2,10}\d{0,2}(?=\()|乘以|除以|加上?|减去?|乘",
    re.IGNORECASE,
)
_BINARY = re.compile(
    r"[\d)%!]\s*(?:[-+*/^%×÷−–]|of\b|off\b|plus\b|minus\b|times\b|over\b|mod\b|divided|x\b|乘|除|加|减)", re.I
)
_CALLED = re.compile(r"[A-Za-z]{2,10}\d{0,2}\([^()]*\d|√\s*[\d(]|\d\s*!", re.ASCII)
_INTO = re.compile(
    rf"(?<![\d.,])(?P<value>[-−]?\d[\d,]{{0,29}}(?:\.\d{{1,29}})?)\s*(?P<source>[^\s\d?!;:{CJK}][^\d?!;:{CJK}]{{0,30}}?)\s+"
    r"(?:to|in|into|as|equals?|is\s+how\s+many|is\s+what\s+in|=)\s+(?P<target>[^\d?!,;:=][^?!,;:=]{0,30})",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    r"how\s+(?:many|much)\s++(?P<target>[^\d?!,;:]{1,30}?)\s++(?:is|are|in|make|makes|equals?|does)(?:\s++(?:there|in))*+\s++"
    r"(?<![\d.,])(?P<value>[-−]?\d[\d,]{0,29}(?:\.\d{1,29})?)\s*(?P<source>[^\d?!,;:]{1,30})",
    re.IGNORECASE,
)
_HOW_MANY_GERMAN = re.compile(
    r"wie\s*viele?\s++(?P<target>[^\d?!,;:]{1,30}?)\s++(?:ist|sind|ergeben|hat|haben)\s++"
    r"(?<![\d.,])(?P<value>[-−]?\d[\d,]{0,29}(?:\.\d{1,29})?)\s*(?P<source>[^\d?!,;:]{1,30})",
    re.IGNORECASE,
)
_CHINESE_INTO = re.compile(
    r"(?<![\d.,])(?P<value>[-−]?\d[\d,]{0,29}(?:\.\d{1,29})?)\s*(?P<source>[^\d\s,，?？]{1,12}?)\s*"
    r"(?:换算成|换算为|转换成|转换为|等于多少|是多少|有多少|相当于多少|折合多少|合多少|能换多少|可以换多少|换多少|能兑换多少|兑换多少|兑换成|换成|转成|等于|转为)\s*(?P<target>[^\d\s,，。?？!！]{1,12})"
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
    (re.compile(r"(?<=[\d%])\s+von\s+(?=\d)", re.IGNORECASE), " of "),
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
        """Times of day as `HH:MM`."""
        return [
            TextPiece(_clock(match), match.start(), match.end())
            for match in _TIME.finditer(self.text)
            if not _overlaps(TextPiece("", match.start(), match.end()), self.dates) and _clock(match) < "24"
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
        runs = [run for run in _runs(text) if _BINARY.search(run) or _CALLED.search(run)]
        numbered = [run for run in runs if len(re.findall(r"\d+", run)) > 1 or _CALLED.search(run)]
        return max(numbered, key=len, default=None)

    @cached_property
    def conversion(self) -> UnitConversion | None:
        for pattern in (_CHINESE_INTO, _HOW_MANY, _HOW_MANY_GERMAN, _INTO):
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
    hour = next((_hour(match[f"h{n}"]) for n in "1234567" if match[f"h{n}"]), 12)
    half = (match["p1"] or match["p2"] or "").lower()
    late = ("下午", "晚上", "中午") if hour < 6 else ("下午", "晚上")
    afternoon = half.startswith("p") or match.group().startswith(late)
    hour = hour % 12 + 12 * afternoon if half or (afternoon and hour < 12) else hour
    minute = match["m1"] or match["m4"] or _QUARTERS.get(match["q1"] or match["q2"] or "", "00")
    return f"{hour:02d}:{minute:0>2}"


def _hour(said: str) -> int:
    """Also 十点 and 十二点."""
    if said.isdecimal():
        return int(said)
    tens, ten, ones = said.replace("两", "二").rpartition("十")
    return (10 * (_DIGITS.index(tens[-1]) if tens else 1) if ten else 0) + (_DIGITS.index(ones[-1]) if ones else 0)


def _overlaps(found: TextPiece, others: list[TextPiece]) -> bool:
    return any(found.start < other.end and other.start < found.end for other in others)


def _runs(text: str) -> Iterator[str]:
    """Neighbouring pieces of arithmetic, joined over spaces; ends that cannot stand there are cut off."""
    start = end = -1
    for match in _PIECE.finditer(text):
        if end < 0 or text[end : match.start()].strip():
            if end > 0:
                yield _trimmed(text[start:end])
            start = match.start()
        end = match.end()
    if end > 0:
        yield _trimmed(text[start:end])


_LOOSE_START = re.compile(
    r"^(?:\s|[+*/^%×÷!,)\]]|(?:of|off|plus|minus|times|over|mod|percent|x)\b|乘以|除以|加上?|减去?|乘)+", re.I
)
_LOOSE_LAST = re.compile(
    r"(?:[-\s+*/^×÷−–√,(\[$€£¥]{1,20}|\b(?:of|off|plus|minus|times|over|mod|divided\s{1,9}by|x)|乘以|除以|加上?|减去?|乘)$",
    re.I,
)
_MAX_PIECE = 20


def without_end(text: str, last: re.Pattern[str]) -> str:
    """The text without the pieces at its end, one after another: a pattern for all of them would try every start."""
    end = len(text)
    while match := last.search(text, max(0, end - _MAX_PIECE), end):
        end = match.start()
    return text[:end]


def _trimmed(run: str) -> str:
    return without_end(_LOOSE_START.sub("", run), _LOOSE_LAST)
