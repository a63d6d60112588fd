"""Scanner for the figures, dates, identifiers and quoted names of a text.

One pass over the text, every look back or ahead bounded, so that no input makes it more than linear. Numbers that are
only structure (list numbering, headings, step references, footnotes, exponents, URLs, code fences) are skipped. What a
number or date means is read by `quantities` and `moments`; which observation it came from is decided by `figure_links`.
"""

import re
from collections.abc import Iterator
from typing import Literal

import msgspec
from msgspec.structs import replace

from glassloop.core.evidence.keywords import KEYWORDS
from glassloop.core.evidence.moments import Moment, moment_at, moments_of_digits, month_at
from glassloop.core.evidence.structure import RUN, fence_end, match_end, rank_cells, structure_end, url_end
from glassloop.core.evidence.units.quantities import UNITS, NumberReading, is_scale, read_quantity, read_run, word_after

MAX_NAME = 120
"""A longer quotation is a passage, not a name."""
MAX_IDENTIFIER = 200


class FigureMark(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A figure as it stands in a text, with everything it can mean.

    `parts` are the numbers a run is made of if it is a list after all (`[100,200]`). `count` is the value of a bare
    whole number, which may count something, and `noun` what follows it.
    """

    kind: Literal["number", "date", "identifier", "name"]
    start: int
    end: int
    readings: tuple[NumberReading, ...] = ()
    moments: tuple[Moment, ...] = ()
    parts: "tuple[FigureMark, ...]" = ()
    count: int | None = None
    noun: str = ""


_FORMS = {
    **{ord(wide): plain for wide, plain in zip("．％－＋（）：／−‑￥＄　’", ".%-+():/--¥$ '", strict=True)},
    **{zero + digit: chr(48 + digit) for zero in (0xFF10, 0x660, 0x6F0, 0x966) for digit in range(10)},
    **{wide: chr(wide - 0xFEE0) for wide in (*range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))},
}
_WIDE_COMMA = re.compile(r"(?<=[０-９])，(?=[０-９])")
_ANY_FORM = re.compile(f"[{re.escape(''.join(map(chr, _FORMS)))}]")

# The first character class lets the regex engine skip everything else at full speed; the group then decides.
_DATE_HEAD = (
    r"(?<=[JFMASOND])(?<![A-Za-z].)(?i:an|eb|[aä]r|pr|a[yi]|un|ul|ug|ep|[ck]t|ov|e[cz])[A-Za-z]{0,7}\.? ?,?[ \xa0][0-9]"
)
_PLAIN_HEAD = re.compile(rf"[0-9JFMASOND](?:(?<=[0-9])|{_DATE_HEAD})")
_PROSE_HEAD = re.compile(
    r'[0-9JFMASONDhw~\]"“„«「『《`](?:(?<=[0-9"“„«「『《`])|(?<=\])\(|(?<=h)ttps?://|(?<=w)(?<![A-Za-z0-9].)ww\.|(?<=~)~~'
    rf"|{_DATE_HEAD})"
)

_EXPONENT = re.compile(r"[eE]([+-]?[0-9]{1,2})(?![0-9A-Za-z_])")
_JOINT = re.compile(r" ?(?:[-–—~～至到]|to(?= )) ?[€$£¥₹]?")
_PER = re.compile(r"/[A-Za-z]")
_RUNS_ON = re.compile(r"[A-Za-z]|_++[A-Za-z0-9]")
_SPLIT = re.compile(r"[, ']")
_CURRENCY_BEFORE = re.compile(
    r"(?P<currency>(?:US|HK|NT|(?<![A-Z])[ACS])?\$|[€£¥₹₩]"
    r"|(?<![A-Za-z])(?:USD|EUR|GBP|CNY|RMB|JPY|INR|CHF|CAD|AUD|HKD|SGD|TWD|KRW|Rs\.?|Fr\.)|百分之)"
    r"[ \xa0\u202f]?[-+–]?$"
)
_CURRENCY_ENDS = frozenset("$€£¥₹₩DRPYBFWs.之-+– \xa0\u202f")
"""What the pattern above can end with, so that most identifiers need not be searched for it."""
_BEFORE_SIGN = frozenset("([{|*_~=:,;，。：；、（") | {""}
_ATTACHED = frozenset({"st", "nd", "rd", "th", "x", "X"})
_IDENTIFIER_HEAD = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:@")
_IDENTIFIER_TAIL = re.compile(r"[A-Za-z0-9_]*+(?:[-.@][A-Za-z0-9_]++){0,100}+")
_PATH_TAIL = re.compile(r"[A-Za-z0-9_]*+(?:[-.@/][A-Za-z0-9_]++){0,100}+")
_LINE_TAIL = re.compile(r":[0-9]++(?:[:-][0-9]++)?")
_CODE = re.compile(
    r"[0-9]++(?:-[0-9A-Za-z]++){2,8}+|[0-9]{3}-[0-9]{4}(?![0-9A-Za-z])|[0-9]++-(?=[0-9A-Za-z]*[0-9])[0-9A-Za-z]++"
)
_LOCAL_PHONE = re.compile(r"[0-9]{3}-[0-9]{4}(?![0-9])")
_RANGE_END = re.compile(r"[0-9]+-[0-9]+(?P<unit>[A-Za-z]*)")
_PHONE = re.compile(
    r"(?<=\+)[0-9]{1,3}(?:[ -]\(?[0-9]{2,8}\)?){2,5}(?![0-9])|(?<=\()[0-9]{3}\) ?[0-9]{3}-[0-9]{4}(?![0-9])"
)
_ALNUM = re.compile(r"[A-Za-z0-9]")
_QUOTATION = re.compile(
    "|".join(
        rf"{opening}[^{opening}{closing}\n]{{1,{MAX_NAME}}}+[{closing}]"
        for opening, closing in zip('"“„«「『《`', ('"', "”", "“”", "»", "」", "』", "》", "`"), strict=True)
    )
)
_LETTER = re.compile(r"[A-Za-z]")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
# Words that merely look like identifiers, and prefixes that merely qualify the number after them.
_WORDS = frozenset(
    {"b2b", "b2c", "c2c", "d2c", "p2p", "o2o", "3d", "2d", "4k", "3g", "4g", "5g", "co2", "h2o", "mp3", "mp4", "k8s"}
    | {"i18n", "l10n", "utf-8", "utf8", "m2", "m3", "km2", "cm2", "cm3", "24/7", "x86", "web3"}
)
_QUALIFIERS = frozenset({"pre", "post", "mid", "sub", "top", "under", "over", "non", "early", "late", "plus", "ca"})

_LESS = re.compile(
    r"\b(?:loss|losses|lost|down|fell|falls?|fallen|drop\w*|declin\w*|decreas\w*|deficit|shortfall|below|behind"
    r"|minus|negative|lower|less|reduc\w*|shrank|shrunk|short|overdrawn)\b|[亏降减跌负少低缺]",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?。！？;；\n](?![0-9])")


def plain(text: str) -> str:
    """The same text with full-width and other digits and signs as ASCII, character for character."""
    if text.isascii() or _ANY_FORM.search(text) is None:
        return text
    return _WIDE_COMMA.sub(",", text).translate(_FORMS)


def read_figures(text: str, *, prose: bool = True) -> Iterator[FigureMark]:
    """Every figure of a text, in order. In `prose`, an answer's, quoted names count and structure is passed over."""
    text = plain(text)
    return _with_ranges(text, _scan(text, prose)) if prose else _scan(text, prose)


def _scan(text: str, prose: bool) -> Iterator[FigureMark]:
    head = _PROSE_HEAD if prose else _PLAIN_HEAD
    ranks = rank_cells(text) if prose and "|" in text else frozenset[int]()
    at = 0
    while (found := head.search(text, at)) is not None:
        floor, at = at, found.start()
        char = text[at]
        if "0" <= char <= "9":
            end = structure_end(text, at, floor, ranks) if prose else at
            marks, at = ((), end) if end > at else _figure_at(text, at, floor, prose)
        elif char in "JFMASOND":
            moments, at = month_at(text, at)
            marks = (_date(moments, found.start(), at),) if moments else ()
            at = max(at, found.start() + 1)
        elif char in "hw]":
            marks, at = (), url_end(text, at + 2)
        else:
            marks, at = _quoted_at(text, at)
        yield from marks


def _with_ranges(text: str, marks: Iterator[FigureMark]) -> Iterator[FigureMark]:
    """The days of a range share their month and year: 14–16 November, Nov 14–16, 1 Oct to 2 Nov 2026."""
    held: FigureMark | None = None
    for mark in marks:
        if held is not None and _JOINT.fullmatch(text, held.end, mark.start):
            yield _as_day(held, mark)
            held = _as_day(mark, held)
            continue
        if held is not None:
            yield held
        held = mark
    if held is not None:
        yield held


def _as_day(bare: FigureMark, dated: FigureMark) -> FigureMark:
    if bare.kind == "date":
        return _in_year(bare, dated)
    if bare.count is None or not 1 <= bare.count <= 31:
        return bare
    days = tuple(replace(each, day=bare.count) for each in dated.moments if each.day is not None and each.hour is None)
    return _date(days, bare.start, bare.end) if dated.kind == "date" and days else bare


def _in_year(bare: FigureMark, dated: FigureMark) -> FigureMark:
    """1 Oct – 31 Dec 2026: the earlier day is of the same year; a later one may be of the year before."""
    years = [(each.year, each.month, each.day) for each in dated.moments if each.year and each.month and each.day]
    days = [each for each in bare.moments if each.year is None and each.month and each.day and each.hour is None]
    if not years or not days or (days[0].month, days[0].day) > years[0][1:]:
        return bare
    return _date(tuple(replace(each, year=years[0][0]) for each in days), bare.start, bare.end)


def _date(moments: tuple[Moment, ...], start: int, end: int) -> FigureMark:
    """A date also stands in data as a bare year or a compact number."""
    numbers: list[NumberReading] = []
    for moment in moments:
        if moment.hour is None and moment.year is not None:
            if moment.month is None:
                numbers.append(NumberReading(value=float(moment.year)))
            elif moment.day is not None:
                numbers.append(
                    NumberReading(value=float(moment.year * 10000 + moment.month * 100 + moment.day), sure=False)
                )
    return FigureMark(kind="date", start=start, end=end, readings=tuple(numbers), moments=moments)


def _quoted_at(text: str, at: int) -> tuple[tuple[FigureMark, ...], int]:
    """A quoted name, the figure it consists of, or the end of a code fence."""
    if text.startswith(("```", "~~~"), at):
        return (), fence_end(text, at)
    found = _QUOTATION.match(text, at)
    if found is None or (text[at] == '"' and (text[at + 1].isspace() or _ALNUM.match(text, max(0, at - 1), at))):
        return (), at + 1
    start, stop, end = at + 1, found.end() - 1, found.end()
    start += len(text[start:stop]) - len(text[start:stop].lstrip())
    stop = start + len(text[start:stop].rstrip(" \t.,;:!?，。；：！？"))
    if not any(char.isalnum() for char in text[start:stop]) or (text[at] == "`" and text[start:stop] in KEYWORDS):
        return (), end
    digit = next((place for place in range(start, stop) if "0" <= text[place] <= "9"), -1)
    if digit >= 0:
        marks, _ = _figure_at(text, digit, start, prose=True)
        if len(marks) == 1 and (marks[0].start, marks[0].end) == (start, stop):
            return marks, end
    return (FigureMark(kind="name", start=start, end=stop),), end


def _figure_at(text: str, at: int, floor: int, prose: bool) -> tuple[tuple[FigureMark, ...], int]:
    """The figure that the digit at `at` belongs to; it may begin before it, though not before `floor`."""
    start = _identifier_start(text, at, floor, prose)
    if start < at:
        return _identifier(text, start, at, prose)
    moments, end = moment_at(text, at, joined=not prose)
    if moments:
        return (_date(moments, at, end),), end
    phone = _PHONE.match(text, at) if text[at - 1 : at] in {"+", "("} else None
    if phone is not None and sum(char.isdigit() for char in phone[0]) >= 9 and not read_run(phone[0]):
        return (FigureMark(kind="identifier", start=at - 1, end=phone.end()),), phone.end()
    code = _CODE.match(text, at)
    if code is not None and not _is_range(text, at):
        return (FigureMark(kind="identifier", start=at, end=code.end()),), code.end()
    return _number(text, at, floor, prose)


def _is_range(text: str, at: int) -> bool:
    """`10-20` and `5-10k` are two numbers; `6204-2RS` and `010-8888-6666` are one name."""
    found = _RANGE_END.match(text, at)
    if found is None or text[found.end() : found.end() + 1] == "-":
        return False
    if _LOCAL_PHONE.match(text, at) is not None:
        return False
    word, end = word_after(text, found.start("unit"))
    return not found["unit"] or (bool(word) and end == found.end("unit"))


def _identifier_start(text: str, at: int, floor: int, prose: bool) -> int:
    """Where the identifier around this digit begins; `at` when the digit begins a number."""
    start = at
    while start > floor and text[start - 1] in _IDENTIFIER_HEAD:
        start -= 1
    if start == at:
        return at
    last = text[at - 1]
    if last not in _LETTERS and not _LETTER.search(text, start, at):
        return at
    while not text[start].isalnum():
        start += 1
    head = text[start:at]
    if last in _CURRENCY_ENDS and _CURRENCY_BEFORE.search(text, max(start, at - 6), at) is not None:
        return at
    if last == "-" and head[-2:-1] == ":":
        # A name and its negative figure: `Denver：-3.4`.
        return at
    if last == ":":
        return start if prose and "." in head[:-1] and " " not in head else at
    if last in "/." or (last == "-" and head[:-1].lower() in _QUALIFIERS):
        return at
    return start


def _identifier(text: str, start: int, at: int, prose: bool) -> tuple[tuple[FigureMark, ...], int]:
    end = match_end(_PATH_TAIL if "/" in text[start:at] else _IDENTIFIER_TAIL, text, at)
    # A source's line number is a figure of its own, so that an answer may name the line alone.
    if prose and "." in text[start:end] and (line := _LINE_TAIL.match(text, end)) is not None:
        end = line.end()
    if end - start > MAX_IDENTIFIER or text[start:end].lower() in _WORDS:
        return (), end
    return (FigureMark(kind="identifier", start=start, end=end),), end


def _number(text: str, at: int, floor: int, prose: bool) -> tuple[tuple[FigureMark, ...], int]:
    if at > floor and text[at - 1] == "." and (at < 2 or not text[at - 2].isalnum()):
        at -= 1
    end = match_end(RUN, text, at)
    run = text[at:end]
    if _is_code(text, run, end):
        end = match_end(_IDENTIFIER_TAIL, text, at)
        if end - at > MAX_IDENTIFIER or text[at:end].lower() in _WORDS:
            return (), end
        return (FigureMark(kind="identifier", start=at, end=end),), end
    if text.startswith("24/7", at):
        return (), at + 4
    power = 0
    if (exponent := _EXPONENT.match(text, end)) is not None:
        power, end = int(exponent[1]), exponent.end()
    words, end = _words_after(text, end)
    if words == ("s",) and moments_of_digits(run):
        words = ()
    start, negative, signed, currency = _sign_before(text, at, floor)
    if currency:
        words = (*words, currency)
    readings = read_quantity(run, power=power, negative=negative, words=words)
    if prose and (shared := _words_of_range(text, end)):
        readings += read_quantity(run, power=power, negative=negative, words=(*words, *shared))
    if not readings:
        return _listed(at, run, words, end), end
    bracketed = text[start - 1 : start] == "(" and text[end : end + 1] == ")"
    if not signed and (bracketed or (prose and _is_less(text, start, end))):
        readings += [reading.negated() for reading in readings]
    whole = run.isdigit() and not words and not signed
    mark = FigureMark(
        kind="number",
        start=start,
        end=end,
        readings=tuple(readings),
        moments=moments_of_digits(run) if whole else (),
        parts=_listed(at, run, words, end) if _is_list(text, at, run, prose) else (),
        count=int(run) if whole else None,
        noun=text[end : end + 40] if whole else "",
    )
    return (mark,), end


def _is_code(text: str, run: str, end: int) -> bool:
    """Digits that name something: long, with leading zeros, with letters on their heels, or dotted as versions are."""
    digits = run.isdigit()
    if digits and (len(run) > 15 or (run[0] == "0" and len(run) > 1)):
        return True
    if not digits and not run.strip("0123456789.") and not read_run(run):
        return True
    if _RUNS_ON.match(text, end) is None or _EXPONENT.match(text, end) is not None:
        return False
    return not word_after(text, end)[0]


def _words_after(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """The scale, then the unit, currency or percent sign behind a number."""
    word, end = word_after(text, at)
    if not word or (word in _ATTACHED and end - at > len(word)):
        return (), at
    if word in UNITS and _PER.match(text, end):
        # A speed is no length: 4.2 m/s.
        return (), end
    if not is_scale(word):
        return (word,), end
    measure, further = word_after(text, end)
    if not measure or is_scale(measure) or measure in _ATTACHED:
        return (word,), end
    return (word, measure), further


def _words_of_range(text: str, at: int) -> tuple[str, ...]:
    """What the upper end of a range says for the lower one too: 10–20 %, 1.2 to 1.5 million."""
    joint = _JOINT.match(text, at)
    upper = RUN.match(text, joint.end()) if joint is not None else None
    return _words_after(text, upper.end())[0] if upper is not None else ()


def _sign_before(text: str, at: int, floor: int) -> tuple[int, bool, bool, str]:
    """Where a number with its sign and currency begins, whether it is negative, whether it has a sign, the currency."""
    found = _CURRENCY_BEFORE.search(text, max(floor, at - 6), at)
    start, currency = (found.start(), found["currency"]) if found is not None else (at, "")
    for place in (at - 1, start - 1):
        if place >= floor and text[place] in "-+–":
            before = text[place - 1 : place] if place else ""
            if before.isspace() or before in _BEFORE_SIGN or (place == at - 1 and start < at):
                return min(start, place), text[place] != "+", True, currency
    return start, False, False, currency


def _is_less(text: str, start: int, end: int) -> bool:
    """Whether the sentence says in words what a source says with a minus."""
    before, after = text[max(0, start - 40) : start], text[end : end + 24]
    before = _SENTENCE_END.split(before)[-1]
    after = _SENTENCE_END.split(after, maxsplit=1)[0]
    return _LESS.search(before) is not None or _LESS.search(after) is not None


def _is_list(text: str, at: int, run: str, prose: bool) -> bool:
    """Whether separators may stand between numbers instead of inside one."""
    if " " in run and not prose:
        return True
    before, after = text[at - 1 : at], text[at + len(run) : at + len(run) + 2]
    return "," in run and (before in {"[", ","} or after[:1] == "]" or (after[:1] == "," and not after[1:].isspace()))


def _listed(at: int, run: str, words: tuple[str, ...], end: int) -> tuple[FigureMark, ...]:
    """The numbers of a run that is a list; the words behind it belong to the last."""
    marks: list[FigureMark] = []
    stop = at + len(run)
    for piece in _SPLIT.split(run):
        last = at + len(piece) == stop
        readings = read_quantity(piece, words=words if last else ())
        if readings:
            marks.append(
                FigureMark(kind="number", start=at, end=end if last else at + len(piece), readings=tuple(readings))
            )
        at += len(piece) + 1
    return tuple(marks)
