"""Time expressions: a day and a time together, and lengths of time in a parameter's own unit.

Finds both in English, German and Chinese. Only a clock can tell which date `tomorrow` is, so it is handed on as it was
said, where the tool says that it understands such words.
"""

import re
from collections.abc import Sequence

import msgspec

from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece

_SPOKEN = re.compile(r"\btomorrow\b|明天", re.IGNORECASE)
_NO_DAY = re.compile(
    r"week(?!\S)|weekend|month|year|quarter|yesterday|gestern|\blast\b|昨天|上|(?:周|星期|月)$", re.IGNORECASE
)
_MINUTES = {"s": 1 / 60, "m": 1.0, "h": 60.0, "d": 1440.0}
_UNITS = {
    "second": "s", "seconds": "s", "sec": "s", "secs": "s", "minute": "m", "minutes": "m", "min": "m", "mins": "m",
    "hour": "h", "hours": "h", "hr": "h", "hrs": "h", "day": "d", "days": "d",
    "sekunden": "s", "minuten": "m", "stunde": "h", "stunden": "h", "秒": "s", "分钟": "m", "小时": "h", "钟头": "h",
}  # fmt: skip
_COUNTS = {
    "a": 1.0, "an": 1.0, "one": 1.0, "two": 2.0, "three": 3.0, "four": 4.0, "half": 0.5, "half an": 0.5, "half a": 0.5,
    "an hour and a half": 1.5, "eine": 1.0, "einer": 1.0, "zwei": 2.0, "半": 0.5, "半个": 0.5, "一": 1.0, "一个": 1.0,
    "两": 2.0, "两个": 2.0, "三": 3.0, "三个": 3.0, "四个": 4.0, "一个半": 1.5, "两个半": 2.5,
}  # fmt: skip
_LENGTH = re.compile(
    r"(?:\b(?:for|lasting|takes?|für)\s+|时长\s*)?(?:\b(?P<and_half>an\s+hour\s+and\s+a\s+half)\b"
    r"|(?<![\d.,:])(?P<count>\d{1,4}(?:\.\d{1,2})?|\b(?:half\s+an?|an?|one|two|three|four|half|einer?|zwei)\b"
    r"|[一两]个半|[半一两三]个?|四个)[\s-]*个?"
    r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|sekunden|minuten|stunden?|秒|分钟|小时|钟头)(?![a-z]))",
    re.IGNORECASE,
)
_UNTIL = re.compile(r"\s*(?:to|until|till|bis|[-–—~]|到|至)\s*", re.IGNORECASE)
_LEADING = re.compile(r"(?:\b(?:on|at|from|um|am|von|ab|starting)\s+|[于在从])$", re.IGNORECASE)


class TimedValue(msgspec.Struct, frozen=True):
    """A value, and the pieces of the question it was said with."""

    value: str | float
    pieces: tuple[TextPiece, ...]


def moment_in(question: ParsedQuestion, parameter: ParameterHints) -> TimedValue | None:
    """The first day and the first time that are said; None where either is missing."""
    spoken = question.spoken_dates if _SPOKEN.search(parameter.description) else ()
    days = [*question.dates, *(day for day in spoken if not _NO_DAY.search(day.text))]
    if not days or not question.times:
        return None
    day, time = days[0], question.times[0]
    pieces = (*days[:1], *question.times[:1], *_next_weeks(question))
    return TimedValue(
        f"{day.text.lower()}{_week(question, day)} {time.text}", tuple(_with_lead(question, p) for p in pieces)
    )


def length_in(question: ParsedQuestion, parameter: ParameterHints) -> TimedValue | None:
    """How long, in the unit that the parameter's name ends in: 90 for `duration_minutes` and an hour and a half."""
    unit = next((_UNITS[word] for word in name_words(parameter.name) if word in _UNITS), None)
    if unit is None:
        return None
    if (match := _LENGTH.search(question.text)) is not None:
        minutes, found = _minutes(match), TextPiece(match.group(), match.start(), match.end())
    elif (between := _between(question)) is not None:
        minutes, found = between
    else:
        return None
    length = minutes / _MINUTES[unit]
    if parameter.kind == "integer" and abs(length - round(length)) > 1e-6:
        return None
    return TimedValue(round(length) if parameter.kind == "integer" else length, (found,))


def without(text: str, pieces: Sequence[TextPiece]) -> str:
    """The text with these pieces blanked, character by character, so that places in it stay."""
    for found in pieces:
        text = f"{text[: found.start]}{' ' * (found.end - found.start)}{text[found.end :]}"
    return text


def _minutes(match: re.Match[str]) -> float:
    if match["and_half"]:
        return 90.0
    said = " ".join(match["count"].lower().split())
    count = _COUNTS[said] if said in _COUNTS else float(said)
    return count * _MINUTES[_UNITS[match["unit"].lower()]]


def _between(question: ParsedQuestion) -> tuple[float, TextPiece] | None:
    """From one time to another of the same day."""
    for first, second in zip(question.times, question.times[1:], strict=False):
        if _UNTIL.fullmatch(question.text[first.end : second.start]):
            minutes = _of_day(second.text) - _of_day(first.text)
            return (minutes, TextPiece("", first.end, second.end)) if minutes > 0 else None
    return None


def _of_day(clock: str) -> int:
    hour, _, minute = clock.partition(":")
    return int(hour) * 60 + int(minute)


def _next_weeks(question: ParsedQuestion) -> list[TextPiece]:
    return [day for day in question.spoken_dates if day.text.lower() == "next week"]


def _week(question: ParsedQuestion, day: TextPiece) -> str:
    """`Tuesday next week` names its day in two pieces."""
    return " next week" if day.text.lower().removeprefix("on ").endswith("day") and _next_weeks(question) else ""


def _with_lead(question: ParsedQuestion, piece: TextPiece) -> TextPiece:
    lead = _LEADING.search(question.text, 0, piece.start)
    return TextPiece(piece.text, lead.start() if lead else piece.start, piece.end)
