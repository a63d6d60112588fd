"""Written numbers and what they can mean: separators, scale words, units, currencies, percent.

Reads one number that was already found in a text. It does not look for numbers (`figures` does) and does not know where
they came from (`figure_links` does). An ambiguous spelling gives all its readings, the likeliest first and alone marked
`sure`.
"""

import re
from functools import cache
from typing import Literal

import msgspec

MAX_DIGITS = 15
"""A float holds this many for certain; longer numbers are compared as text only."""


_ULPS = 4.5e-16
"""Two units in the last place of a float: what scaling may cost, and less than a step of `MAX_DIGITS` digits."""


class NumberReading(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One meaning of a written number.

    `step` is what one unit of its last shown digit is worth, `unit` its dimension or currency. `base` says that the
    value is counted in the dimension's base unit, `ratio` that it is a percentage as a fraction, `scale` that it is
    the bare number before a scale word, which only means the same where the source names that scale too.
    """

    value: float
    step: float = 1.0
    unit: str = ""
    base: bool = False
    ratio: bool = False
    sure: bool = True
    scale: str = ""

    @property
    def interval(self) -> tuple[float, float]:
        """What rounds to it. Both halves belong to it: some round half up, some half to even."""
        slack = self.step / 2 + abs(self.value) * _ULPS
        return self.value - slack, self.value + slack

    @property
    def space(self) -> str:
        """Readings are comparable within one space: bare numbers, or one dimension in its base unit."""
        return self.unit if self.base else ""

    def negated(self) -> "NumberReading":
        return msgspec.structs.replace(self, value=-self.value, sure=False)


_SCALES = {
    **dict.fromkeys(("thousand", "tausend", "tsd", "千"), 3),
    **dict.fromkeys(("million", "millionen", "mn", "mio", "mln", "百万", "百萬"), 6),
    **dict.fromkeys(("billion", "bn", "milliarde", "milliarden", "mrd", "十亿"), 9),
    **dict.fromkeys(("trillion", "tn", "万亿", "萬億", "兆"), 12),
    **dict.fromkeys(("万", "萬"), 4),
    **dict.fromkeys(("千万", "千萬", "crore", "crores"), 7),
    **dict.fromkeys(("亿", "億"), 8),
    **dict.fromkeys(("lakh", "lakhs"), 5),
    **dict.fromkeys("kK", 3),
    **dict.fromkeys("mM", 6),
    **dict.fromkeys("bB", 9),
    **dict.fromkeys("tT", 12),
}
UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ns", "nanosecond", "nanoseconds"), ("time", 1e-9)),
    **dict.fromkeys(("us", "µs", "μs", "microsecond", "microseconds", "微秒"), ("time", 1e-6)),
    **dict.fromkeys(("ms", "millisecond", "milliseconds", "millisekunden", "毫秒"), ("time", 1e-3)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "秒", "秒钟"), ("time", 1.0)),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "minuten", "分钟"), ("time", 60.0)),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "小时", "个小时"), ("time", 3600.0)),
    **dict.fromkeys(("d", "day", "days", "tag", "tage", "tagen", "天"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks", "woche", "wochen", "周"), ("time", 604800.0)),
    **dict.fromkeys(("B", "byte", "bytes", "字节"), ("data", 1.0)),
    **dict.fromkeys(("KB", "kB", "kb"), ("data", 1e3)),
    **dict.fromkeys(("MB", "mb"), ("data", 1e6)),
    **dict.fromkeys(("GB", "gb"), ("data", 1e9)),
    **dict.fromkeys(("TB", "tb"), ("data", 1e12)),
    **dict.fromkeys(("KiB", "kib"), ("data", 2.0**10)),
    **dict.fromkeys(("MiB", "mib"), ("data", 2.0**20)),
    **dict.fromkeys(("GiB", "gib"), ("data", 2.0**30)),
    **dict.fromkeys(("TiB", "tib"), ("data", 2.0**40)),
    **dict.fromkeys(("mm", "毫米"), ("length", 1e-3)),
    **dict.fromkeys(("cm", "厘米"), ("length", 1e-2)),
    **dict.fromkeys(("m", "meter", "meters", "metern", "metre", "metres", "米"), ("length", 1.0)),
    **dict.fromkeys(("km", "kilometer", "kilometern", "kilometers", "kilometres", "公里", "千米"), ("length", 1e3)),
    **dict.fromkeys(("mg", "毫克"), ("mass", 1e-6)),
    **dict.fromkeys(("g", "gram", "grams", "gramm", "克"), ("mass", 1e-3)),
    **dict.fromkeys(("kg", "kilogram", "kilograms", "kilogramm", "公斤", "千克"), ("mass", 1.0)),
    **dict.fromkeys(("t", "tonne", "tonnes", "tonnen", "吨"), ("mass", 1e3)),
}
_BINARY = {
    **dict.fromkeys(("KB", "kB", "kb"), 2.0**10),
    **dict.fromkeys(("MB", "mb"), 2.0**20),
    **dict.fromkeys(("GB", "gb"), 2.0**30),
    **dict.fromkeys(("TB", "tb"), 2.0**40),
}
CURRENCIES = {
    **dict.fromkeys(("€", "EUR", "eur", "euro", "euros", "欧元"), "€"),
    **dict.fromkeys(("$", "US$", "HK$", "NT$", "A$", "C$", "S$", "USD", "CAD", "AUD", "HKD", "SGD", "TWD"), "$"),
    **dict.fromkeys(("usd", "dollar", "dollars", "美元", "美金", "港元", "港币"), "$"),
    **dict.fromkeys(("£", "GBP", "gbp", "pounds", "英镑"), "£"),
    **dict.fromkeys(("¥", "CNY", "cny", "RMB", "rmb", "JPY", "jpy", "yuan", "yen", "元", "块", "日元", "円"), "¥"),
    **dict.fromkeys(("₹", "INR", "inr", "Rs", "Rs.", "rupees", "卢比"), "₹"),
    **dict.fromkeys(("CHF", "chf", "Fr.", "瑞士法郎"), "CHF"),
    **dict.fromkeys(("₩", "KRW", "krw", "韩元"), "₩"),
}
_PERCENT = {
    **dict.fromkeys(("%", "percent", "pct", "percentage", "prozent", "百分之", "个百分点", "百分点", "pp"), 2),
    **dict.fromkeys(("‰", "permille"), 3),
}
_UNITLESS = frozenset({"st", "nd", "rd", "th", "x", "X", "倍", "pcs"})
_PLAIN = {
    **{word: word for word in ("°", "°F", "rpm", "px", "fps", "V", "Pa", "kPa", "MPa", "bar", "kN", "m²", "m³", "dB")},
    **{word: word for word in ("W", "kW", "MW", "GW", "kWh", "MWh", "Hz", "kHz", "MHz", "GHz", "bps", "Mbps", "Gbps")},
    **{word: word for word in ("kcal", "kJ", "bpm", "mph")},
    "°C": "°C",
    "℃": "°C",
    "l": "l",
    "L": "l",
    "ml": "ml",
    "mL": "ml",
}
"""Units that nothing is converted from or to."""
_KNOWN = frozenset({*_SCALES, *UNITS, *CURRENCIES, *_PERCENT, *_UNITLESS, *_PLAIN})
_SCALE_NAMES = {
    3: ("thousand", "千", "(k", "'000"),
    4: ("万", "萬", "_wan"),
    5: ("lakh",),
    6: ("million", "mio", "mn", "mln", "百万", "(m"),
    7: ("千万", "crore"),
    8: ("亿", "億"),
    9: ("billion", "bn"),
    12: ("trillion", "tn", "万亿", "兆"),
}

_SEPARATOR = re.compile(r"[.,' \xa0\u2009\u202f]")
_SUFFIX = re.compile(
    r"[ \xa0\u2009\u202f-]?"
    r"(?:(?P<latin>[A-Za-zµμ°]++[²³]?)(?![A-Za-z0-9_À-ɏ])"
    r"|(?P<sign>[%‰℃]|[€$£¥₹₩](?! ?[-+]?[0-9]))|(?P<cjk>[一-鿿]{1,4}))"
)


def read_run(run: str) -> tuple[tuple[str, int, bool], ...]:
    """Each way to read digits with separators: the plain decimal, its decimal places, and whether it is the likely one.

    Empty for what is no number (`1.2.3`, `1,2,3`) or too long to compare as one.
    """
    marks = _SEPARATOR.findall(run)
    if len(run) - len(marks) > MAX_DIGITS:
        return ()
    if not marks:
        return ((run, 0, True),)
    groups = _SEPARATOR.split(run)
    last, tail = marks[-1], groups[-1]
    grouped = _is_grouped(groups, marks)
    if len(marks) == 1 and last in ".,":
        decimal = f"{groups[0] or '0'}.{tail}"
        if not grouped:
            return ((decimal, len(tail), True),)
        return ((groups[0] + tail, 0, last == ","), (decimal, len(tail), last == "."))
    if grouped:
        return (("".join(groups), 0, True),)
    if last in ".," and last not in marks[:-1] and _is_grouped(groups[:-1], marks[:-1]):
        return ((f"{''.join(groups[:-1])}.{tail}", len(tail), True),)
    return ()


def _is_grouped(groups: list[str], marks: list[str]) -> bool:
    """By thousands, or as lakh and crore are (12,34,567)."""
    first = groups[0]
    if len(set(marks)) != 1 or not 1 <= len(first) <= 3 or first[0] == "0" or len(groups[-1]) != 3:
        return False
    inner = {len(group) for group in groups[1:-1]}
    return inner <= {3} or (inner == {2} and marks[0] == "," and len(first) <= 2)


def read_quantity(
    run: str, *, power: int = 0, negative: bool = False, words: tuple[str, ...] = ()
) -> list[NumberReading]:
    """Every meaning of a run of digits with the scale, unit, currency and percent words around it."""
    readings: list[NumberReading] = []
    for digits, places, sure in read_run(run):
        plain = "-" + digits if negative else digits
        for meaning in _meanings(words):
            # Powers of ten go into the literal, so that they cost no precision.
            exponent = power + meaning.shift
            readings.append(
                NumberReading(
                    value=float(f"{plain}e{exponent}") * meaning.factor,
                    step=float(f"1e{exponent - places}") * meaning.factor,
                    unit=meaning.unit,
                    base=meaning.base,
                    ratio=meaning.ratio,
                    sure=sure and meaning.sure,
                    scale=meaning.scale,
                )
            )
    return readings


class _Meaning(msgspec.Struct, frozen=True, kw_only=True):
    """What the words around a number make of it; the fields are those of `NumberReading`."""

    shift: int = 0
    factor: float = 1.0
    unit: str = ""
    base: bool = False
    ratio: bool = False
    sure: bool = True
    scale: str = ""


@cache
def _meanings(words: tuple[str, ...]) -> tuple[_Meaning, ...]:
    currency = next((CURRENCIES[word] for word in words if word in CURRENCIES), "")
    for word in words:
        if word in _PERCENT:
            return _Meaning(unit="%"), _Meaning(shift=-_PERCENT[word], unit="%", ratio=True)
    scaled: list[_Meaning] = []
    scale = next((word for word in words if is_scale(word)), "")
    if scale:
        scaled = [_Meaning(shift=_SCALES[scale], unit=currency), _Meaning(unit=currency, sure=False, scale=scale)]
    measure = next((word for word in reversed(words) if word in UNITS), "")
    if not measure or currency:
        plain = next((_PLAIN[word] for word in words if word in _PLAIN), "")
        return tuple(scaled) or (_Meaning(unit=currency or plain),)
    dimension, factor = UNITS[measure]
    shift = scaled[0].shift if scaled and scale != measure else 0
    measured = [_Meaning(shift=shift, unit=dimension), _Meaning(shift=shift, factor=factor, unit=dimension, base=True)]
    if measure in _BINARY:
        measured.append(_Meaning(shift=shift, factor=_BINARY[measure], unit=dimension, base=True, sure=False))
    return (*measured, *scaled) if scale == measure else tuple(measured)


def word_after(text: str, at: int) -> tuple[str, int]:
    """The scale, unit, currency or percent word that stands at `at`, and where it ends; empty when there is none."""
    found = _SUFFIX.match(text, at)
    if found is None:
        return "", at
    if (cjk := found["cjk"]) is not None:
        for size in range(len(cjk), 0, -1):
            if cjk[:size] in _KNOWN:
                return cjk[:size], found.start("cjk") + size
        return "", at
    word = found["latin"] or found["sign"]
    if word not in _KNOWN and (len(word) > 2 or word in {"KG", "KM"}):
        word = word.lower()
    return (word, found.end()) if word in _KNOWN else ("", at)


def is_scale(word: str) -> bool:
    return word in _SCALES


def scale_names(word: str) -> tuple[str, ...]:
    """How a source may name the scale its bare numbers are in."""
    return _SCALE_NAMES[_SCALES[word]]


def agrees(wanted: NumberReading, seen: NumberReading) -> Literal["exactly", "rounded"] | None:
    """Whether what was seen is what the wanted figure says, at the figure's own precision."""
    if wanted.space != seen.space or not _units_agree(wanted, seen):
        return None
    # A percentage is a fraction only where the fraction is written as one: 100 % is no witness for every 1.
    if (wanted.ratio and seen.step >= 1) or (seen.ratio and not wanted.ratio and wanted.step >= 1):
        return None
    if abs(wanted.value - seen.value) <= abs(wanted.value) * _ULPS:
        return "exactly"
    # Whatever is small rounds to a bare 0, which says nothing about where the 0 came from.
    if wanted.value == 0 and wanted.step >= 1:
        return None
    low, high = wanted.interval
    return "rounded" if seen.sure and low <= seen.value <= high else None


def _units_agree(wanted: NumberReading, seen: NumberReading) -> bool:
    if not wanted.unit or not seen.unit or wanted.base:
        return True
    if seen.unit in UNSTATED:
        return wanted.unit in _SIGNS or (seen.unit == STOCK and wanted.unit not in _NO_GOODS)
    return wanted.unit == seen.unit and wanted.unit not in DIMENSIONS


DIMENSIONS = frozenset(dimension for dimension, _ in UNITS.values())
"""What can be converted; within one of these two bare numbers say nothing without their units."""

COUNT, STOCK, AMOUNT, NAME = "count", "stock", "amount", "name"
"""What the numbers of a source are where its label names no unit: things, goods, money, or what something is called
by."""
_NO_GOODS = frozenset({"%", "time", "data"})
"""What no goods are measured in."""
UNSTATED = frozenset({COUNT, STOCK, AMOUNT})
"""Of these an answer may tell the currency: nothing says whether `licences` are pieces or what they cost."""
_SIGNS = frozenset(CURRENCIES.values())
