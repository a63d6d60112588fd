"""Known values: everything said and observed in a conversation, to look values up in. What is not in it was made up.

`allowed_values` decides which of them a parameter may have.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import cached_property

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.core.records import ToolCall
from glassloop.core.text_terms import content_words, has_cjk, word_set
from glassloop.extensions.embedded.language.question import ParsedQuestion

MAX_MESSAGES = 60
MAX_CHARS = 20_000
_MAX_VALUES = 200
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?:[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_#]?\d[\w-]{0,40}|\d{1,12}-[A-Za-z\d][\w-]{0,40})",
    re.ASCII,
)
_NUMBER = re.compile(r"(?<![\w-])\d{1,12}(?![\w-])", re.ASCII)
_ISO_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_COUNTED = word_set(
    "one two three four five six seven eight nine ten eleven twelve dozen twenty thirty forty fifty hundred thousand "
    "half quarter couple pair both twice double single week fortnight month hour year once "
    "eins ein eine einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dutzend halbe woche monat stunde"
)
_COUNTED_CHINESE = re.compile(r"[一二两三四五六七八九十百千半]")
_ALIKE = 0.8
_SHORT, _MAX_COMPARED = 3, 60


class KnownValues:
    """`question` first; then what is newest. Advice of ours is nobody's word."""

    def __init__(self, question: str, messages: Sequence[Message]) -> None:
        self.question = ParsedQuestion(question)
        told: list[str] = []
        self.observed: list[str] = []
        for message in reversed(messages[-MAX_MESSAGES:]):
            match message:
                case UserMessage(content, "person"):
                    told.append(content[:MAX_CHARS])
                case AssistantMessage(text=text, calls=()):
                    told.append(text[:MAX_CHARS])
                case ToolMessage(content=content):
                    self.observed.append(content[:MAX_CHARS])
                case _:
                    continue
        self.texts = (question, *self.observed, *told)

    @cached_property
    def identifiers(self) -> Sequence[str]:
        return _first(match.group() for text in self.texts for match in _IDENTIFIER.finditer(text))

    @cached_property
    def numbers(self) -> Sequence[str]:
        """Bare whole numbers, as they are written."""
        return _first(match.group() for text in self.texts for match in _NUMBER.finditer(text))

    @cached_property
    def days(self) -> Sequence[str]:
        """Dates that were said outright, as YYYY-MM-DD."""
        observed = (match.group() for text in self.texts for match in _ISO_DAY.finditer(text))
        return _first((*(found.text for found in self.question.dates), *observed))

    @cached_property
    def speaks_of_days(self) -> bool:
        """Whether a day is said in words or figures anywhere."""
        if self.days:
            return True
        return any(asked.spoken_dates or asked.dates or asked.periods for asked in map(ParsedQuestion, self.texts))

    @cached_property
    def counts(self) -> bool:
        """Whether any number is said, in figures or in words."""
        for text in self.texts:
            plain = _IDENTIFIER.sub(" ", text)
            if any(character.isdigit() for character in plain) or _COUNTED_CHINESE.search(plain):
                return True
            if not _COUNTED.isdisjoint(re.findall(r"[^\W\d_]+", plain.lower())):
                return True
        return False

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for text in self.texts for word in re.findall(r"[^\W_]+", text.casefold()))

    def holds(self, value: str) -> bool:
        """Whether a name may have come from here: at least half of its words, perhaps spelt a little differently. What
        may have been translated is taken on trust, and so is what is short."""
        wanted = [word for word in re.findall(r"[^\W_]+", value.casefold()) if len(word) > _SHORT]
        if not wanted or any(map(has_cjk, self.texts)):
            return True
        return sum(map(self._knows, wanted)) * 2 >= len(wanted)

    def _knows(self, word: str) -> bool:
        if word in self.words or not self._stems.isdisjoint(content_words(word)):
            return True
        if len(word) > _MAX_COMPARED:
            return False
        near = (other for other in self.words if other[0] == word[0] and abs(len(other) - len(word)) <= 2)
        return any(SequenceMatcher(None, word, other).ratio() >= _ALIKE for other in near)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(word for text in self.texts for word in content_words(text))


def calls_since_question(messages: Sequence[Message]) -> Sequence[ToolCall]:
    """What was called for the question under way."""
    found: list[ToolCall] = []
    for message in reversed(messages):
        if isinstance(message, AssistantMessage):
            if not message.calls:
                break
            found[:0] = message.calls
        elif isinstance(message, UserMessage) and message.author == "person":
            break
    return found


def _first(found: Iterator[str] | Sequence[str]) -> Sequence[str]:
    return list(dict.fromkeys(found))[:_MAX_VALUES]
