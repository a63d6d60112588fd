"""Values in a question: choices that are named, numbers, currencies, counts, lengths of time, days with their time.

`arguments` decides which parameter gets what.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import cast

import msgspec

from glassloop.core.records import Json
from glassloop.core.text_terms import SMALL_WORDS, has_cjk, stem
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece
from glassloop.extensions.embedded.language.words import table

_EXAMPLES = re.compile(r"(?:such as|like|e\.g\.|for example|:)\s+([^.;()]+)", re.IGNORECASE)
_SPLIT = re.compile(r"(?:(?<!\s)\s++)?,\s*+|(?<!\s)\s++(?:or|and)\s++")
_ANY = ("any", "all", "none")
_DENIED = re.compile(
    r"(?:\b(?:not|never|nobody|no\s+one|nicht|\w+n['’]t)\s+(?:yet\s+|been\s+|has\s+|have\s+)*|未|没有?)$", re.IGNORECASE
)
_CODES = table("currencies")
_CURRENCIES = {stem(word): code for code, words in _CODES.items() for word in words.split()}
_CODE = re.compile(r"\b[A-Z]{3}\b")
_CURRENCY = re.compile(r"[^\W\d_]+|[€$£¥]")
_NUMBERS: dict[str, float] = {
    word: number
    for number, words in enumerate(
        ("a an one eine einer", "two zwei", "three drei", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
    for word in words.split()
} | dict.fromkeys(("half", "half a", "half an"), 0.5)
_COUNT = rf"\d{{1,6}}|{'|'.join(word for word in _NUMBERS if len(word) > 2 and 'half' not in word)}"
_RANKED = "latest|newest|last|best|top|largest|biggest|highest|worst|oldest|smallest|lowest|cheapest|most"
_COUNTED = re.compile(
    rf"\b(?:first|limit(?:\s+of)?|up\s+to|at\s+most|{_RANKED})\s+(?P<after>{_COUNT})\b"
    rf"(?!\s+(?:days?|weeks?|months?|quarters?|years?|hours?)\b)|\b(?P<before>{_COUNT})\s+(?:{_RANKED})\b",
    re.IGNORECASE,
)
_MINUTES = {"s": 1 / 60, "m": 1.0, "h": 60.0, "d": 1440.0, "t": 1440.0}
_UNIT = re.compile(r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|sekunden?|minuten?|stunden?|tage?n?)$", re.I)
_LENGTH = re.compile(
    r"(?<![\d.,:])(?P<count>\d{1,4}(?:\.\d{1,2})?|\b(?:half\s+an?|an?|one|two|three|four|half|einer?|zwei|drei)\b)[\s-]*"
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|sekunden|minuten|stunden?|tage?n?)(?![a-z])"
    r"(?P<and_half>\s+and\s+a\s+half\b)?",
    re.IGNORECASE,
)
_SPOKEN = re.compile(r"\btomorrow\b|明天", re.IGNORECASE)
_NO_DAY = re.compile(r"week(?!\S)|weekend|month|year|quarter|yesterday|gestern|\blast\b|昨天|上|(?:周|星期|月)$", re.I)


class TimedValue(msgspec.Struct, frozen=True):
    """A value, and the pieces of the question it was said with."""

    value: str | float
    pieces: tuple[TextPiece, ...]


def shape(text: str) -> str:
    """What stands before the digits: `INV-` of `inv-7781`."""
    return re.split(r"\d", text, maxsplit=1)[0].upper()


def of_money(parameter: ParameterHints) -> bool:
    return "currency" in name_words(parameter.name) or "currenc" in parameter.description.lower()


def currency_code(said: str) -> str | None:
    """`euros`, `€` and `EUR` as `EUR`; None where it is no currency known here."""
    word = said.strip().lower()
    return _CURRENCIES.get(stem(word)) or _CURRENCIES.get(word)


def currencies_in(text: str) -> list[str]:
    """The codes of those named, in their order."""
    return list(dict.fromkeys(code for said in _CURRENCY.findall(text) if (code := currency_code(said))))


def wants_codes(description: str) -> bool:
    """Whether a parameter is described with codes: `such as EUR`."""
    return any(code in _CODES or code == "ISO" for code in _CODE.findall(description))


def said_at(text: str, words: str) -> int:
    """Where a choice or another word is named, in any form; -1 where it is not."""
    if has_cjk(words):
        return text.find(words)
    wanted = _stems_of(words)
    spoken, places = _spoken(text)
    for index in range(len(spoken) - len(wanted) + 1):
        if wanted and spoken[index : index + len(wanted)] == wanted:
            return places[index]
    return -1


def said_choices(text: str, choices: Sequence[Json]) -> list[tuple[int, Json]] | None:
    """The choices that are named, with their places. `any` is as often a word of the question itself, and counts only
    alone; one that is denied (`not resolved`) is its opposite (`unresolved`). None where that is not there."""
    said = [(at, c) for c in choices if str(c) not in SMALL_WORDS - set(_ANY) and (at := said_at(text, str(c))) >= 0]
    named = [pair for pair in said if pair[1] not in _ANY] or said
    meant = [(at, _opposite(choice, choices) if is_denied(text, at) else choice) for at, choice in named]
    return [(at, choice) for at, choice in meant if choice is not None] or (None if said else [])


def aliased(parameter: ParameterHints, text: str) -> Json:
    """The choice one of whose other words is said, as its description has them: `late (overdue, 逾期)`. The longest
    counts: `not complete` is not `complete`."""
    called: list[tuple[str, Json]] = []
    for choice in parameter.choices:
        told = re.search(rf"(?<!\w){re.escape(str(choice))}\s*+\(([^)]{{1,300}})\)", parameter.description)
        called += [(word.strip(), choice) for word in (told[1].split(",") if told else ())]
    said = ((said_at(text, word), choice) for word, choice in sorted(called, key=lambda pair: -len(pair[0])))
    return next((choice for at, choice in said if at >= 0 and not is_denied(text, at)), None)


def is_denied(text: str, at: int) -> bool:
    return _DENIED.search(text, 0, at) is not None


def _opposite(choice: Json, choices: Sequence[Json]) -> Json:
    return next((other for other in choices if other in (f"un{choice}", f"not_{choice}")), None)


@lru_cache(maxsize=2048)
def _stems_of(words: str) -> tuple[str, ...]:
    return tuple(stem(word) for word in name_words(words))


@lru_cache(maxsize=64)
def _spoken(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The words of a text, as they are compared, and where each begins."""
    found = [(stem(match.group().lower()), match.start()) for match in re.finditer(r"[^\W_]+", text)]
    return tuple(word for word, _ in found), tuple(place for _, place in found)


def numeric(text: str, parameter: ParameterHints) -> int | float | None:
    """The number as the parameter wants it, or None where it does not fit its bounds."""
    number = to_number(text, whole=parameter.kind == "integer")
    low, high = parameter.schema.get("minimum"), parameter.schema.get("maximum")
    if number is None or (isinstance(low, int | float) and number < low):
        return None
    return None if isinstance(high, int | float) and number > high else number


def to_number(text: str, *, whole: bool) -> int | float | None:
    plain = text.replace(",", "").replace("−", "-")
    if re.fullmatch(r"-?\d{1,18}", plain):
        return int(plain)
    return None if whole else float(plain)


def counted_in(text: str) -> TextPiece | None:
    """`top 5`, `the three largest`: the number as digits, with the place it was said at."""
    match = _COUNTED.search(text)
    if match is None or match.lastgroup is None:
        return None
    said = match[match.lastgroup].lower()
    return TextPiece(str(_NUMBERS.get(said, said)), match.start(match.lastgroup), match.end(match.lastgroup))


def moment_in(question: ParsedQuestion, parameter: ParameterHints) -> TimedValue | None:
    """The first day and the first time that are said; None where either is missing. A day in words is handed on as it
    was said, where the tool says that it understands such."""
    spoken = question.spoken_dates if _SPOKEN.search(parameter.description) else ()
    days = [*question.dates, *(day for day in spoken if not _NO_DAY.search(day.text))]
    if not days or not question.times:
        return None
    day, time = days[0], question.times[0]
    later = [each for each in question.spoken_dates if each.text.lower() == "next week" and each is not day]
    week = " next week" if later else ""
    return TimedValue(f"{day.text.lower()}{week} {time.text}", (day, time, *later))


def length_in(question: ParsedQuestion, parameter: ParameterHints) -> TimedValue | None:
    """How long, in the unit that the parameter's name ends in: 90 for `duration_minutes` and an hour and a half."""
    unit = next((word[0] for word in name_words(parameter.name) if _UNIT.match(word)), None)
    match = _LENGTH.search(question.text) if unit else None
    if unit is None or match is None:
        return None
    said = " ".join(match["count"].lower().split())
    count = float(_NUMBERS.get(said) or said) + 0.5 * bool(match["and_half"])
    length = count * _MINUTES[match["unit"][0].lower()] / _MINUTES[unit]
    if parameter.kind == "integer" and abs(length - round(length)) > 1e-6:
        return None
    piece = TextPiece(match.group(), match.start(), match.end())
    return TimedValue(round(length) if parameter.kind == "integer" else length, (piece,))


def examples_of(parameter: ParameterHints) -> list[str]:
    """Values that its description or schema names."""
    given = parameter.schema.get("examples")
    found = [each for each in cast("list[Json]", given) if isinstance(each, str)] if isinstance(given, list) else []
    for listed in _EXAMPLES.findall(parameter.description):
        found += [part.strip() for part in _SPLIT.split(listed) if 0 < len(part.strip()) <= 40]
    return found


def said_examples(parameters: Sequence[ParameterHints], text: str) -> list[tuple[ParameterHints, str, TextPiece]]:
    """Values that the schemas of parameters name as examples and the text says, the longest first; each place and each
    parameter once. What could be for two parameters is for none."""
    found: list[tuple[ParameterHints, str, TextPiece]] = []
    for parameter in parameters:
        given = parameter.schema.get("examples")
        listed = cast("list[Json]", given) if isinstance(given, list) and not parameter.choices else []
        for example in listed:
            if isinstance(example, str) and (at := said_at(text, example)) >= 0:
                ends = [at + match.end() for match in re.finditer(r"[^\W_]+", text[at:])]
                end = at + len(example) if has_cjk(example) else ends[len(_stems_of(example)) - 1]
                found.append((parameter, example, TextPiece(text[at:end], at, end)))
    found.sort(key=lambda each: each[2].start - each[2].end)
    kept: list[tuple[ParameterHints, str, TextPiece]] = []
    for parameter, example, piece in found:
        rivals = {other.name for other, _, place in found if place.start <= piece.start and piece.end <= place.end}
        free = all(piece.end <= other.start or other.end <= piece.start for _, _, other in kept)
        if free and rivals == {parameter.name} and parameter.name not in {each.name for each, _, _ in kept}:
            kept.append((parameter, example, piece))
    return kept


def stands_beside(parameter: ParameterHints, text: str, value: str) -> bool:
    before, _, after = text.partition(value)
    around = [*re.findall(r"[^\W\d_]+", before.lower())[-2:], *re.findall(r"[^\W\d_]+", after.lower())[:1]]
    return not parameter.nouns.isdisjoint(map(stem, around))
