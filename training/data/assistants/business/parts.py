"""What the talks of the business assistant share: the company's rows, periods, reading of results."""

import re
from datetime import date, timedelta
from functools import cache
from typing import Any, Final

import msgspec

from glassloop.extensions.business.company.generator import make_company
from training.data.assistants.data_sets import Drawn
from training.data.assistants.talk import Ask, Seen
from training.data.conversation import Answer, Language
from training.data.days import GERMAN_MONTHS, MONTHS
from training.data.values import Rng

Rows = list[tuple[Any, ...]]
Cells = dict[str, str]

_NAMED: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]]] = {
    "today": (("today",), ("heute",), ("今天",)),
    "yesterday": (("yesterday",), ("gestern",), ("昨天",)),
    "this_week": (("this week", "so far this week"), ("diese Woche",), ("本周", "这周")),
    "last_week": (("last week",), ("letzte Woche", "vorige Woche"), ("上周",)),
    "this_month": (("this month", "so far this month"), ("diesen Monat", "im laufenden Monat"), ("本月", "这个月")),
    "last_month": (("last month", "in the past month"), ("letzten Monat", "im Vormonat"), ("上个月", "上月")),
    "this_quarter": (("this quarter", "in the current quarter"), ("in diesem Quartal",), ("本季度",)),
    "last_quarter": (("last quarter", "in the previous quarter"), ("im letzten Quartal", "im Vorquartal"), ("上季度",)),
    "this_year": (("this year", "so far this year"), ("dieses Jahr", "in diesem Jahr"), ("今年",)),
    "last_year": (("last year",), ("letztes Jahr", "im Vorjahr"), ("去年",)),
    "last_7_days": (("in the last 7 days", "over the past seven days"), ("in den letzten 7 Tagen",), ("最近7天",)),
    "last_30_days": (("in the last 30 days", "over the past 30 days"), ("in den letzten 30 Tagen",), ("最近30天",)),
    "last_90_days": (("in the last 90 days", "over the past 90 days"), ("in den letzten 90 Tagen",), ("最近90天",)),
    "last_12_months": (("in the last 12 months",), ("in den letzten 12 Monaten",), ("过去12个月",)),
    "tomorrow": (("tomorrow",), ("morgen",), ("明天",)),
    "next_week": (("next week",), ("nächste Woche",), ("下周",)),
    "next_month": (("next month",), ("nächsten Monat",), ("下个月",)),
}
MONTHLY: Final = ("this_month", "last_month", "this_quarter", "last_quarter", "this_year", "last_year")
RECENT: Final = ("last_month", "last_week", "this_month", "last_7_days", "last_30_days", "last_90_days", "this_quarter")
PLACE: Final[dict[Language, int]] = {"en": 0, "de": 1, "zh": 2}
_BEFORE: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("hey, ", "quick one: ", "hi! ", "pls tell me: ", "question: ", "good morning, ", "for my report: "),
    "de": ("Kurze Frage: ", "Hallo, ", "Sag mal, ", "Für den Bericht: "),
    "zh": ("请问", "帮我看下，", "麻烦查一下：", "你好，"),
}
_STARTS: Final = frozenset(
    [
        "how",
        "what",
        "which",
        "who",
        "when",
        "where",
        "is",
        "are",
        "do",
        "does",
        "did",
        "has",
        "have",
        "was",
        "were",
        "show",
        "count",
        "total",
        "list",
        "any",
        "number",
        "give",
        "break",
        "can",
        "tell",
        "i'd",
        "wie",
        "was",
        "welche",
        "welcher",
        "welches",
        "wer",
        "wann",
        "wo",
        "gibt",
        "ist",
        "sind",
        "hat",
        "haben",
        "für",
        "zeig",
    ]
)


class Span(msgspec.Struct, frozen=True):
    """A period: as arguments, as it is asked for and as it is told."""

    args: dict[str, str]
    q: str
    a: str


@cache
def _made(today: date) -> dict[str, Rows]:
    found: dict[str, Rows] = {}
    make_company(lambda name, row: found.setdefault(name, []).append(row), today=today)
    return found


def rows_of(table: str) -> Rows:
    """The rows of the sample company of this day."""
    return _made(Drawn.day)[table]


def vendors() -> list[str]:
    return [row[1] for row in rows_of("vendors")]


def customers() -> list[str]:
    return [row[1] for row in rows_of("customers")]


def people(department: str = "") -> list[str]:
    """Those who are there, without those whose name is part of another one's."""
    every = [row[1] for row in rows_of("employees")]
    return [
        row[1]
        for row in rows_of("employees")
        if row[7] == "active" and row[3].startswith(department) and sum(row[1] in name for name in every) == 1
    ]


def items(kind: str = "material") -> list[str]:
    return [row[1] for row in rows_of("items") if row[2] == kind]


def month_span(language: Language, back: int) -> Span:
    """A calendar month so many months ago, by its name."""
    number = Drawn.day.year * 12 + Drawn.day.month - 1 - back
    year, month = divmod(number, 12)
    iso = f"{year}-{month + 1:02d}"
    with_year = year != Drawn.day.year
    said = {
        "en": f"in {MONTHS[month]}{f' {year}' if with_year else ''}",
        "de": f"im {GERMAN_MONTHS[month]}{f' {year}' if with_year else ''}",
        "zh": f"{f'{year}年' if with_year else ''}{month + 1}月",
    }[language]
    return Span({"start_date": iso, "end_date": iso}, said, said)


def quarter_span(language: Language, back: int) -> Span:
    number = Drawn.day.year * 4 + (Drawn.day.month - 1) // 3 - back
    year, quarter = divmod(number, 4)
    iso, with_year = f"{year}-Q{quarter + 1}", year != Drawn.day.year
    said = {
        "en": f"in Q{quarter + 1}{f' {year}' if with_year else ''}",
        "de": f"im {quarter + 1}. Quartal{f' {year}' if with_year else ''}",
        "zh": f"{f'{year}年' if with_year else ''}第{quarter + 1}季度",
    }[language]
    return Span({"start_date": iso, "end_date": iso}, said, said)


def days_span(rng: Rng, language: Language) -> Span:
    """Some days of one month, from the one to the other."""
    end = Drawn.day - timedelta(rng.randrange(3, 70))
    start = max(end - timedelta(rng.randrange(3, 12)), end.replace(day=1))
    if start == end:
        end += timedelta(1)
    year = f" {end.year}" if end.year != Drawn.day.year or rng.chance(0.3) else ""
    said = {
        "en": rng.some(
            [
                f"between {start.day} and {end.day} {MONTHS[end.month - 1]}{year}",
                f"from {MONTHS[end.month - 1]} {start.day} to {end.day}{year}",
            ]
        ),
        "de": f"vom {start.day}. bis {end.day}. {GERMAN_MONTHS[end.month - 1]}{year}",
        "zh": f"{f'{end.year}年' if year else ''}{end.month}月{start.day}日到{end.day}日",
    }[language]
    return Span({"start_date": start.isoformat(), "end_date": end.isoformat()}, said, said)


def named(rng: Rng, language: Language, name: str) -> Span:
    forms = _NAMED[name][PLACE[language]]
    return Span({"period": name}, rng.some(forms), forms[0])


def span(rng: Rng, language: Language, names: tuple[str, ...] = MONTHLY, dated: float = 0.3) -> Span:
    """One of these periods; now and then a month, a quarter or some days by their dates."""
    if rng.chance(dated):
        kind = rng.randrange(5)
        if kind == 0:
            return quarter_span(language, rng.randrange(1, 4))
        return days_span(rng, language) if kind == 1 else month_span(language, rng.randrange(1, 9))
    return named(rng, language, rng.some(names))


def asked(rng: Rng, language: Language, route: str, *, en: str, de: str, zh: str, again: bool = False) -> Ask:
    """One of the wordings, which `|` parts, as people type it. `again`: it goes on from the question before."""
    said = _tidy(language, rng.some({"en": en, "de": de, "zh": zh}[language].split("|")))
    if rng.chance(0.3):
        said = said.rstrip("?？")
    starts = said.split()[0].lower() in _STARTS
    if language == "en" and starts and rng.chance(0.4):
        said = said[0].lower() + said[1:]
    if not again and rng.chance(0.14):
        before = rng.some(_BEFORE[language])
        said = before + (said[0].lower() + said[1:] if starts else said)
    return Ask(said, route=f"{route}_agent")


def told(language: Language, thought: str, *, en: str, de: str, zh: str) -> Answer:
    return Answer(thought, _tidy(language, {"en": en, "de": de, "zh": zh}[language]))


def _tidy(language: Language, text: str) -> str:
    """Without doubled spaces, and in Chinese without those between two characters."""
    text = " ".join(text.split())
    return re.sub(r"(?<=[\u4e00-\u9fff，。：]) (?=[\u4e00-\u9fff])", "", text) if language == "zh" else text


def totals(seen: Seen | None) -> Cells:
    """The figures of the totals line, with unit; a share with its base goes by its own name."""
    assert seen is not None
    line = next((each for each in seen.text.splitlines() if each.startswith("Totals: ")), "")
    pairs = re.findall(
        r"([a-z][a-z ]*?) (–|-?[\d,]*\d(?:\.\d+)?(?: USD| %)?)( \([^)]*\))?(?:, |\.)", line.removeprefix("Totals: ")
    )
    found: Cells = {}
    for name, value, base in pairs:
        found[f"{name} share" if name in found else name] = value
        if base:
            found[f"{name} of"] = base.strip(" ()")
    return found


def then(seen: Seen | None) -> Cells:
    """The figures of the period that is compared with; under `change …` by how much each one changed."""
    assert seen is not None
    line = next((each for each in seen.text.splitlines() if each.startswith("Compared with ")), "")
    changes, _, before = line.partition(" Then: ")
    found = dict(re.findall(r"([a-z][a-z ]*?) (–|-?[\d,]*\d(?:\.\d+)?(?: USD| %)?)(?: \([^)]*\))?(?:, |\.)", before))
    for name, value, share in re.findall(r"([a-z][a-z ]*?) ([+-][\d,.]*\d)(?: \(([+-][\d.]+ %)\))?", changes):
        found[f"change {name}"] = value
        found[f"share {name}"] = share
    return found


def table(seen: Seen | None, title: str = "Rows") -> list[Cells]:
    """The rows that are shown under this title."""
    assert seen is not None
    lines = seen.text.splitlines()
    at = next((number for number, line in enumerate(lines) if re.match(rf"{title}\b.*:$", line)), None)
    if at is None:
        return []
    heads: list[str] = []
    found: list[Cells] = []
    for line in lines[at + 1 :]:
        if not line.startswith("|"):
            if heads:
                break
            continue
        if line.startswith("|---"):
            continue
        cells = [cell.strip() for cell in line.removeprefix("| ").removesuffix("|").split(" | ")]
        if not heads:
            heads = [head.removesuffix(" (USD)") for head in cells]
        elif len(cells) == len(heads):
            found.append(dict(zip(heads, cells, strict=True)))
    return found


def number(text: str) -> float:
    return float(re.sub(r"[^\d.-]", "", text) or 0)


def listed(language: Language, parts: list[str]) -> str:
    if language == "zh":
        return "、".join(parts)
    last = " and " if language == "en" else " und "
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + last + parts[-1]


def plural(count: str, one: str, many: str) -> str:
    """`1 order`, `7 orders`."""
    return f"{count} {one if count == '1' else many}"


def cap(text: str) -> str:
    """With a capital at the beginning, the rest as it is."""
    return text[:1].upper() + text[1:]


def unit(language: Language, name: str) -> str:
    """A unit beside a figure, in the language of the answer."""
    return {"piece": {"en": "pieces", "de": "Stück", "zh": "件"}[language]}.get(name, name)


_LITTLE = frozenset(
    [
        "a",
        "all",
        "am",
        "an",
        "and",
        "any",
        "are",
        "at",
        "be",
        "become",
        "before",
        "by",
        "can",
        "do",
        "does",
        "for",
        "from",
        "get",
        "gets",
        "give",
        "given",
        "has",
        "have",
        "how",
        "i",
        "in",
        "is",
        "it",
        "may",
        "me",
        "much",
        "must",
        "my",
        "need",
        "needs",
        "of",
        "off",
        "on",
        "one",
        "or",
        "our",
        "own",
        "per",
        "please",
        "should",
        "so",
        "tell",
        "that",
        "the",
        "their",
        "them",
        "there",
        "to",
        "until",
        "up",
        "us",
        "was",
        "we",
        "what",
        "when",
        "which",
        "who",
        "whom",
        "why",
        "will",
        "with",
        "without",
        "you",
        "your",
        "say",
        "says",
        "said",
        "out",
        "many",
        "long",
        "fast",
        "often",
        "himself",
        "everybody",
        "without",
        "asking",
    ]
)


def keywords(question: str) -> str:
    """The words of a question to search by: those that say what it is about."""
    words = re.findall(r"[\w']+", question)
    return " ".join(word for word in words if word.lower() not in _LITTLE)
