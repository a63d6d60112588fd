"""Units of labels: what a key, the head of a column or the words before a colon say that its numbers are.

`latency_ms` is a time, `overheal_percent` a percentage, `kills` a count and `fight_id` a name for something. A label
that says nothing (`value`, `humidity`) contradicts no unit.
"""

import re
from functools import lru_cache

from glassloop.core.evidence.units.quantities import AMOUNT, COUNT, CURRENCIES, NAME, STOCK, UNITS

Unit = tuple[str, float]
"""A dimension, a currency, `%`, `COUNT`, `STOCK`, `AMOUNT` or `NAME`, and the factor to the dimension's base unit."""

_UNKNOWN: Unit = "", 1.0
# The end of a key is a unit only where it can hardly be anything else: `price_min` is no time, `level_m` no length.
_KEY_UNITS = frozenset(
    {"ns", "us", "ms", "s", "sec", "secs", "seconds", "mins", "minutes", "hrs", "hours", "days", "weeks"}
    | {"bytes", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib", "mm", "cm", "km", "mg", "g", "kg"}
    | {"eur", "usd", "gbp", "cny", "rmb", "jpy", "inr", "chf"}
    | {"sekunden", "minuten", "stunden", "tage"}
)
_SPELLED = frozenset(
    {"seconds", "minutes", "hours", "days", "weeks", "bytes", "stunden", "minuten", "sekunden", "tage"}
)
_TIMED = frozenset({"duration", "time", "length", "response", "wait", "delay", "dwell", "drive", "travel", "bake"})
_SPATIAL = frozenset({"distance", "height", "radius", "depth", "altitude", "elevation", "width", "length", "away"})
"""Words before `min` that make it minutes, and before `m` that make it metres."""
_PERCENT = frozenset({"percent", "pct", "percentage", "perc", "prozent"})
_RELATIVE = frozenset(
    {"share", "ratio", "rate", "quote", "anteil", "proportion", "fraction", "probability", "likelihood"}
    | {"chance", "growth", "change", "margin", "discount", "interest", "tax", "vat", "humidity", "battery"}
    | {"progress", "coverage", "accuracy", "confidence", "risk", "cpu", "load", "usage", "used", "use"}
    | {"utilization", "utilisation", "activity", "occupancy", "conversion", "churn", "turnout", "uptime"}
    | {"availability", "overheal", "possession", "yield", "apr", "completion", "completed", "efficiency"}
    | {"increase", "decrease", "rise", "drop", "inflation", "precision", "recall", "score", "quota", "level"}
    | {"health", "fat", "hydration", "marge", "rabatt", "zins", "steuer", "value", "result"}
)
"""Words of labels whose whole numbers may be percentages."""
_COUNTED = frozenset(
    {"count", "headcount", "staff", "people", "attendance", "anzahl", "population"}
    | {"late", "open", "closed", "passed", "failed", "pending", "overdue", "crew", "personnel", "audience", "stück"}
)
_STOCKED = frozenset(
    {"qty", "quantity", "menge", "stock", "hand", "reserved", "sold", "inventory", "bestand", "ordered", "shipped"}
)
"""Of goods: pieces, or what they are weighed or measured in."""
_MONEY = frozenset(
    {"sales", "earnings", "costs", "expenses", "savings", "fees", "taxes", "wages", "proceeds", "funds", "losses"}
    | {"profits", "assets", "revenues", "totals", "gains", "receivables", "payables", "tolls", "liabilities"}
)
_AMOUNTS = frozenset(
    {"price", "cost", "amount", "salary", "revenue", "budget", "turnover", "preis", "umsatz", "betrag"}
)
_NAMES = frozenset({"id", "uuid", "guid"})
_NUMBERING = frozenset({"number", "no", "nr", "code", "nummer", "index", "rank", "position", "page", "seq"})
_NO_PLURAL = ("ss", "us", "is", "as", "os")
_CJK_COUNT = re.compile(r"(?:数|数量|人数|次数|件数|个数)$")
_CJK_NAME = re.compile(r"(?:编号|序号|号码|号|排名)$")
_CJK_PERCENT = re.compile(r"(?:率|占比|比例|百分比|概率)$")
_WORDS = re.compile(r"[^\W\d_]+|%")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAX_LABEL = 60


@lru_cache(4_096)
def unit_of_label(label: str) -> Unit:
    """What a label says of its numbers, by its words; `("", 1.0)` where it says nothing."""
    if len(label) > MAX_LABEL:
        return _UNKNOWN
    words = _WORDS.findall(_CAMEL.sub(" ", label).lower())
    if not words:
        return _UNKNOWN
    if "%" in words or not _PERCENT.isdisjoint(words):
        return "%", 1.0
    if words[1:-1] and words[-2] == "per":
        # `price_per_kg` is a price and no weight, `minutes_per_run` a time.
        words = words[:-2]
    first, last = words[0], words[-1]
    if last in _KEY_UNITS or first in _SPELLED:
        word = last if last in _KEY_UNITS else first
        return UNITS[word] if word in UNITS else (CURRENCIES[word], 1.0)
    if (last == "min" and not _TIMED.isdisjoint(words)) or (last == "m" and not _SPATIAL.isdisjoint(words)):
        return UNITS[last]
    if last in _NAMES or (len(words) > 1 and last in _NUMBERING) or _CJK_NAME.search(last):
        return NAME, 1.0
    if not _RELATIVE.isdisjoint(words) or not _MONEY.isdisjoint(words) or _CJK_PERCENT.search(last):
        return _UNKNOWN
    if not _STOCKED.isdisjoint(words):
        return STOCK, 1.0
    if not _COUNTED.isdisjoint(words) or is_plural(last) or is_plural(first) or _CJK_COUNT.search(last):
        return COUNT, 1.0
    return _UNKNOWN if _AMOUNTS.isdisjoint(words) else (AMOUNT, 1.0)


@lru_cache(4_096)
def may_be_percent(label: str) -> bool:
    """Whether the whole numbers of a label are percentages wherever an answer says so."""
    words = _WORDS.findall(_CAMEL.sub(" ", label).lower())
    return not words or not _RELATIVE.isdisjoint(words) or _CJK_PERCENT.search(words[-1]) is not None


def is_plural(word: str) -> bool:
    """Whether an English word (in small letters) is that for several things."""
    return word.isascii() and len(word) > 3 and word[-1] == "s" and not word.endswith(_NO_PLURAL) and word not in _MONEY
