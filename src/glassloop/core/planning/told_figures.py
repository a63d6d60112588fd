"""Texts that were said or observed, and the figures in them, also in words. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice, permutations
from typing import Final

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage

NUMBER: Final = re.compile(r"\d{1,3}(?:\.\d{3}){1,6},\d{1,9}|\d[\d,]{0,20}(?:\.\d{1,9})?")
AMOUNT: Final = re.compile(rf"(?:(?<!\d[.,])(?<![-.])(?<![^\W\u3400-\u9fff])|(?<=\bx))(?:{NUMBER.pattern})(?![\d-])")
"""A number that is no part of an id or of a date."""
_COUNT_WORD: Final = re.compile(r"[^\W\d_\u3400-\u9fff]{1,9}|[\u3400-\u9fff]")
_HALF: Final = re.compile(r"\bhalf\b|\bhalb|半", re.IGNORECASE)
_UNITS: Final = (
    (re.compile(r"\bweeks?\b|\bfortnight|\bWochen?\b|周|星期|礼拜", re.IGNORECASE), 7),
    (re.compile(r"\byears?\b|\bJahre?\b|年", re.IGNORECASE), 12),
)
"""A week as days, a year as months."""
MAX_SPOKEN: Final = 4_000
_MAX_AMOUNTS: Final = 40


def texts_told(question: str, messages: Sequence[Message]) -> Iterator[str]:
    """Everything said and observed; what the runtime complained of is nobody's word."""
    yield question
    for message in messages:
        match message:
            case UserMessage(note="complaint"):
                continue
            case AssistantMessage(text=text, calls=()):
                yield text
            case AssistantMessage():
                continue
            case UserMessage(content=content) | ToolMessage(content=content):
                yield content


def said_by_people(question: str, messages: Sequence[Message]) -> list[str]:
    """What people said."""
    return [question, *(each.content for each in messages if isinstance(each, UserMessage) and each.author == "person")]


def is_amount_said(value: float, said: Sequence[str], told: str) -> bool:
    """Whether it is told, or two numbers that people said make it: their sum, difference or product."""
    if any(number_of(match.group()) == value for match in AMOUNT.finditer(told)):
        return True
    spoken = "\n".join(said)[:MAX_SPOKEN]
    numbers = [*counts_in(spoken), *(count for words, count in _UNITS if words.search(spoken))]
    numbers += [0.5] if _HALF.search(spoken) else []
    numbers += (number_of(match.group()) for match in islice(AMOUNT.finditer(spoken), _MAX_AMOUNTS))
    pairs = permutations(numbers[:_MAX_AMOUNTS], 2)
    if any(value in (a, a * 60, a * 24, a * 1000, a / 1000) for a in numbers):
        return True
    return any(value in (a + b, a - b, a * b, (a + b) * 60) for a, b in pairs)


def counts_in(text: str) -> list[float]:
    """The numbers that stand in a text as words: `three`, `drei`, `三`."""
    from glassloop.core.evidence.computed.relative_days import NUMBER_WORDS

    words = (match.group().casefold() for match in _COUNT_WORD.finditer(text[:MAX_SPOKEN]))
    return [float(NUMBER_WORDS[word]) for word in words if word in NUMBER_WORDS]


def number_of(text: str) -> float:
    """The first number in a text; 0 where there is none."""
    match = NUMBER.search(text)
    return read_number(match.group())[0] if match else 0.0


def read_number(written: str) -> tuple[float, int]:
    """A match of `NUMBER` and its decimal places: `1,250.5`, and `64,50` or `1.250,50` with a decimal comma."""
    from glassloop.core.evidence.units.quantities import read_run

    read = next(((float(digits), places) for digits, places, is_likely in read_run(written) if is_likely), None)
    return read or (float(written.replace(",", "")), len(written.partition(".")[2]))
