"""Known values: everything said and observed in a conversation, and which of it a tool's parameters may have.

What is not in it was made up. A tool that needs a value of which there is none cannot be called yet: that can be told
for identifiers of a known shape, dates and numbers. Names and texts are free here; `decision_review` checks them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property
from typing import Final

import msgspec

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.core.records import Json, ToolCall
from glassloop.core.text_terms import content_words, has_cjk
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_scores import OfferedTools, ToolProfile
from glassloop.extensions.embedded.language.values import said_examples, shape
from glassloop.extensions.embedded.language.words import words

MAX_MESSAGES = 60
MAX_CHARS = 20_000
_MAX_VALUES = 200
_IDENTIFIER = re.compile(
    r"(?<![\w.-])(?:[A-Za-z]{1,12}(?:[-_][A-Za-z]{1,12}){0,3}[-_#]?\d[\w-]{0,40}|\d{1,12}-[A-Za-z\d][\w-]{0,40})",
    re.ASCII,
)
_NUMBER = re.compile(r"(?<![\w-])\d{1,12}(?![\w-])", re.ASCII)
_ISO_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_COUNTED = words("counted")
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


MAX_VALUES: Final = 40
_OR_NAMED: Final = re.compile(r"\b(?:names?|titles?|called)\b", re.IGNORECASE)
_ISO: Final = re.compile(r"yyyy-mm-dd|\biso\b|\d{4}-\d{2}-\d{2}", re.IGNORECASE)
_IDS: Final = frozenset({"id", "ids", "no", "number", "code", "sku", "nr"})
_FREE_STRINGS: Final = frozenset({"email", "uri", "url"})


class CallableTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool now: the only `values` some parameters may have, and what it `lacks`."""

    values: Mapping[str, tuple[Json, ...]]
    lacks: tuple[ParameterHints, ...] = ()


def callable_tools(profile: ToolProfile, said: KnownValues, among: OfferedTools) -> CallableTool:
    """What can be said of a tool's parameters from what was said."""
    values: dict[str, tuple[Json, ...]] = {}
    lacks: list[ParameterHints] = []
    for parameter in profile.parameters:
        known = _known(parameter, said, among, profile)
        if known is None:
            continue
        if known:
            values[parameter.name] = tuple(known[:MAX_VALUES])
        elif parameter.required:
            lacks.append(parameter)
        elif parameter.kind == "identifier":
            values[parameter.name] = ()
    return CallableTool(values=values, lacks=tuple(lacks))


def _known(
    parameter: ParameterHints, said: KnownValues, among: OfferedTools, profile: ToolProfile
) -> Sequence[Json] | None:
    """The values there are; None where any may be right."""
    named = [value for other, value, _ in said_examples(profile.parameters, said.question.text) if other is parameter]
    if named:
        return named
    match parameter.kind:
        case "identifier":
            return _identifiers(parameter, said, among)
        case "date":
            return _days(parameter, said)
        case "integer" | "number":
            converts = any(each.kind in ("source unit", "target unit") for each in profile.parameters)
            return _numbers(parameter, said) if not converts else None
        case _:
            return None


def _identifiers(parameter: ParameterHints, said: KnownValues, among: OfferedTools) -> Sequence[Json] | None:
    free = parameter.schema.get("format") in _FREE_STRINGS or not _FREE_STRINGS.isdisjoint(name_words(parameter.name))
    if free or parameter.schema.get("type") != "string" or _OR_NAMED.search(parameter.description):
        return None
    shapes = parameter.shapes - {""}
    if not shapes:
        loose = said.identifiers or said.numbers or said.question.quoted
        return None if loose or _IDS.isdisjoint(name_words(parameter.name)) else ()
    found = [_as_shown(each, parameter) for each in said.identifiers if parameter.is_shaped(shape(each))]
    if "" in parameter.shapes:
        found += [each for each in said.numbers if len(each) >= parameter.digits]
    return list(dict.fromkeys(found or _completed(parameter, said, shapes, among)))


def is_built_alike(prefix: str, parameter: ParameterHints) -> bool:
    """Whether it has as many letters as an example, and the same sign after them: `AP-3` is like `XY-1`."""
    built = re.sub(r"[^\W\d_]", "a", prefix)
    return (
        bool(built) and not built.isalpha() and any(re.sub(r"[^\W\d_]", "a", own) == built for own in parameter.shapes)
    )


def _as_shown(identifier: str, parameter: ParameterHints) -> str:
    """As the tool's own examples are written: `job-54` is meant as `JOB-54`."""
    prefix = shape(identifier)
    examples = f"{parameter.description} {parameter.schema.get('examples')}"
    return prefix + identifier[len(prefix) :] if prefix in examples else identifier


def _completed(parameter: ParameterHints, said: KnownValues, shapes: frozenset[str], among: OfferedTools) -> list[str]:
    """`order 4711` is `ORD-4711` where orders are numbered so: a number beside the parameter's own word."""
    text = said.question.text.casefold()
    nouns = {noun for noun in parameter.nouns if len(noun) > 2}
    beside = [
        found.text
        for found in said.question.numbers
        if found.text.isdecimal() and any(noun in text[max(0, found.start - 24) : found.start] for noun in nouns)
    ]
    own = [prefix for prefix in shapes if among.claims.get(prefix, frozenset()) & parameter.nouns]
    return [prefix + number for prefix in own[:1] for number in beside]


def _days(parameter: ParameterHints, said: KnownValues) -> Sequence[Json] | None:
    if not said.speaks_of_days:
        return () if parameter.required else None
    written = parameter.schema.get("format") == "date" or _ISO.search(parameter.description)
    if not written or not said.question.dates or said.question.spoken_dates or said.question.periods:
        return None
    return said.days


def _numbers(parameter: ParameterHints, said: KnownValues) -> Sequence[Json] | None:
    """Any number may follow from another: only where there is none at all, none can be given."""
    if said.counts or not parameter.required or "default" in parameter.schema:
        return None
    return ()
