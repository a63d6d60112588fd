"""Arguments for a tool out of a question, by the kind of each parameter.

Owns who gets which piece of the question. A required parameter that nothing fits means the tool is not the one.
"""

import re
from collections.abc import Callable, Sequence
from typing import cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.words import CJK, SMALL_WORDS, content_words, has_cjk, stem, word_set
from glassloop.models.reflex.parameters import Parameter, name_words, resolve
from glassloop.models.reflex.question import Found, Question
from glassloop.models.reflex.remainder import remainder

LONGEST_TEXT = 1000
MOST_ITEMS = 20

_ZONE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?|\b(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?\b")
_PLACE = re.compile(
    rf"\b(in|at|near|around|for|of)\s+(?:the\s+)?((?:[^\W\d_{CJK}][\w'’.-]*)(?:\s+[^\W\d_{CJK}][\w'’.-]*){{0,4}})"
)
_AT_ONCE = word_set("today tomorrow tonight now right currently please this next week weekend moment time")
_COUNTED = re.compile(
    r"\b(?:top|first|last|latest|best|limit(?:\s+of)?|up\s+to|at\s+most)\s+(\d{1,6})\b|(?:前|最近)(\d{1,6})"
    r"|\b(\d{1,6})\s+(?:most\s+recent|latest|newest|last|best|top|recent)\b",
    re.IGNORECASE,
)
_COUNTS = frozenset({"limit", "top", "count", "n", "max", "size", "k", "results"})
_NUMBERING = word_set("number no nr id is the with called of")
_NEAR = 24


class Filled(msgspec.Struct, frozen=True):
    """The arguments, and how much the pieces found speak for this tool."""

    args: dict[str, Json]
    evidence: float


def fill(spec: ToolSpec, parameters: Sequence[Parameter], question: Question) -> Filled | None:
    """Arguments that fit, or None."""
    return _Filling(spec, parameters, question).run()


class _Filling:
    """One tool, one question: which pieces are taken, and what they filled."""

    def __init__(self, spec: ToolSpec, parameters: Sequence[Parameter], question: Question) -> None:
        self._spec = spec
        self._question = question
        self._parameters = parameters
        self._args: dict[str, Json] = {}
        self._evidence = 0.0
        self._taken: list[Found] = []
        self._said: set[str] = set()
        self._wrote = False

    def run(self) -> Filled | None:
        if any(p.kind == "source unit" for p in self._parameters):
            self._fill_conversion()
        for late in (False, True):
            for parameter in self._parameters:
                if (parameter.kind in ("text", "array", "place")) == late and parameter.name not in self._args:
                    self._fill(parameter)
        if any(p.required and p.name not in self._args for p in self._parameters):
            return None
        return Filled(self._args, self._evidence)

    def _fill(self, parameter: Parameter) -> None:
        by_kind: dict[str, Callable[[Parameter], Json]] = {
            "choice": self._choice,
            "boolean": self._boolean,
            "integer": self._number,
            "number": self._number,
            "array": self._array,
            "date": self._date,
            "identifier": self._identifier,
            "expression": self._expression,
            "place": self._place,
            "text": self._text,
        }
        value = self._named(parameter)
        if value is None and parameter.kind in by_kind:
            value = by_kind[parameter.kind](parameter)
        if isinstance(value, str):
            value = _fitting(value, parameter.schema)
        if value is not None:
            self._args[parameter.name] = value

    def _fill_conversion(self) -> None:
        """A value with its unit and the unit it is wanted in belong together: all three or none."""
        conversion = self._question.conversion
        values = [p for p in self._parameters if p.kind in ("number", "integer")]
        if conversion is None or not values:
            return
        self._args[values[0].name] = _numeric(conversion.value, values[0])
        for parameter in self._parameters:
            if parameter.kind in ("source unit", "target unit"):
                unit = conversion.source if parameter.kind == "source unit" else conversion.target
                self._args[parameter.name] = unit
        self._evidence += 4.0

    def _named(self, parameter: Parameter) -> Json:
        """`topic: garden` or `limit=3`, said outright."""
        match = re.search(rf"\b{re.escape(parameter.name)}\s*[:=]\s*(?:\"([^\"]+)\"|([^\s,;]+))", self._question.text)
        if match is None:
            return None
        said = match[1] or match[2]
        self._evidence += 1.0
        if parameter.kind in ("integer", "number"):
            return _numeric(said, parameter)
        if parameter.kind == "choice":
            return next((c for c in parameter.choices if str(c).lower() == said.lower()), None)
        return None if parameter.kind in ("boolean", "array", "unknown") else said

    def _choice(self, parameter: Parameter) -> Json:
        """The choice that is said first; the only one there is needs no saying."""
        if len(parameter.choices) == 1:
            return parameter.choices[0]
        said = [(at, choice) for choice in parameter.choices if (at := _said_at(self._question.text, str(choice))) >= 0]
        if not said:
            return None
        choice = min(said, key=lambda pair: pair[0])[1]
        self._said |= {stem(word) for _, other in said for word in name_words(str(other))}
        self._evidence += 0.5
        return choice

    def _boolean(self, parameter: Parameter) -> Json:
        words = [stem(word) for word in re.findall(r"\w+", self._question.text.lower())]
        at = next((index for index, word in enumerate(words) if word in parameter.nouns), None)
        if at is None:
            return None
        return not {"no", "not", "without", "don't", "exclud"} & set(words[max(0, at - 3) : at])

    def _number(self, parameter: Parameter) -> Json:
        free = [found for found in self._question.numbers if found not in self._taken]
        beside = [found for found in free if self._beside(found, parameter)]
        counted = _COUNTED.search(self._question.text) if parameter.nouns & {stem(w) for w in _COUNTS} else None
        if counted:
            group = counted.lastindex or 0
            self._taken.append(Found(counted[group], counted.start(group), counted.end(group)))
            return _numeric(counted[group], parameter)
        names_a_thing = not {"id", "ids", "no"}.isdisjoint(name_words(parameter.name))
        guess = parameter.required and not (names_a_thing and self._spec.effect != "read")
        for found in beside or (free if guess else []):
            value = _numeric(found.text, parameter)
            if value is not None:
                self._taken.append(found)
                self._evidence += 0.5 if beside else 0.0
                return value
        return None

    def _identifier(self, parameter: Parameter) -> Json:
        free = [found for found in self._question.identifiers if found not in self._taken]
        numbers = [found for found in self._question.numbers if found not in self._taken]
        beside = [found for found in (*free, *numbers) if self._beside(found, parameter)]
        for found in beside or free[:1] or (numbers[:1] if parameter.required else []):
            self._taken.append(found)
            self._evidence += 1.5 if found in free or beside else 0.0
            return found.text
        return None

    def _date(self, _parameter: Parameter) -> Json:
        for found in self._question.dates:
            if found not in self._taken:
                self._taken.append(found)
                self._evidence += 1.0
                return found.text
        return None

    def _expression(self, _parameter: Parameter) -> Json:
        arithmetic = self._question.arithmetic
        self._evidence += 4.0 if arithmetic else 0.0
        return arithmetic

    def _place(self, parameter: Parameter) -> Json:
        text = self._question.text
        zone = _ZONE.search(text)
        if zone:
            return zone.group()
        if has_cjk(text):
            said = re.split(r"[\d\s]", self._remainder(), maxsplit=1)[0]
            place = remainder(said, self._spec, self._parameters, frozenset())
            self._evidence += 0.5 if place else 0.0
            return place or None
        for match in sorted(_PLACE.finditer(text), key=lambda match: match[1].lower() in ("for", "of")):
            words = match[2].split()
            stop = next(
                (i for i, w in enumerate(words) if w.lower() in _AT_ONCE or w.lower() in SMALL_WORDS), len(words)
            )
            if stop:
                self._evidence += 0.5
                return " ".join(words[:stop]).strip(".,")
        return (self._remainder() or None) if parameter.required else None

    def _text(self, parameter: Parameter) -> Json:
        """The first parameter for free text gets what is left of the question; others only what is said outright."""
        if self._wrote:
            return None
        self._wrote = True
        if self._question.quoted and self._spec.effect == "read":
            return self._question.quoted[0].text
        if self._spec.effect != "read" and not parameter.required and (self._taken or self._question.asks):
            return None
        return self._remainder() or None

    def _array(self, parameter: Parameter) -> Json:
        items = resolve(self._spec.parameters, parameter.schema.get("items"))
        choices = items.get("enum")
        if isinstance(choices, list):
            known = cast("list[Json]", choices)
            return [choice for choice in known if _said_at(self._question.text, str(choice)) >= 0][:MOST_ITEMS] or None
        if items.get("type") in ("number", "integer"):
            whole = items.get("type") == "integer"
            numbers = [_to_number(found.text, whole=whole) for found in self._question.numbers[:MOST_ITEMS]]
            return [number for number in numbers if number is not None] or None
        if items.get("type") != "string":
            return None
        pieces = self._question.quoted or self._question.identifiers
        if pieces:
            return [piece.text for piece in pieces[:MOST_ITEMS]]
        parts = re.split(r"\s*(?:,|;|、|，|\band\b|和|与)\s*", self._remainder())
        return [part for part in parts if part][:MOST_ITEMS] or None

    def _remainder(self) -> str:
        """A search does not need what already went elsewhere; a text to keep stays whole."""
        text = self._question.text
        for found in self._taken if self._spec.effect == "read" else ():
            text = f"{text[: found.start]}{' ' * (found.end - found.start)}{text[found.end :]}"
        return remainder(text, self._spec, self._parameters, frozenset(self._said))[:LONGEST_TEXT]

    def _beside(self, found: Found, parameter: Parameter) -> bool:
        """Whether one of the parameter's own words stands right beside the piece: `note 3`, `order no. 7`."""
        text = self._question.text
        before, after = text[max(0, found.start - _NEAR) : found.start], text[found.end : found.end + _NEAR]
        if has_cjk(before[-2:] + after[:2]):
            around = {*content_words(before[-6:]), *content_words(after[:4])}
            return not around.isdisjoint(parameter.nouns | set(content_words(parameter.description)))
        spoken = [word for word in re.findall(r"[^\W\d_]+", before.lower()) if word not in _NUMBERING][-1:]
        spoken += re.findall(r"[^\W\d_]+", after.lower())[:1]
        return not parameter.nouns.isdisjoint(map(stem, spoken))


def _said_at(text: str, choice: str) -> int:
    """Where a choice is named, in any form of its word; -1 where it is not."""
    if has_cjk(choice):
        return text.find(choice)
    wanted = [stem(word) for word in name_words(choice)]
    spoken = [(stem(match.group().lower()), match.start()) for match in re.finditer(r"[^\W_]+", text)]
    for index in range(len(spoken) - len(wanted) + 1):
        if wanted and [word for word, _ in spoken[index : index + len(wanted)]] == wanted:
            return spoken[index][1]
    return -1


def _numeric(text: str, parameter: Parameter) -> Json:
    """The number as the parameter wants it, or None where it does not fit its bounds."""
    number = _to_number(text, whole=parameter.kind == "integer")
    if number is None:
        return None
    low, high = parameter.schema.get("minimum"), parameter.schema.get("maximum")
    if (isinstance(low, int | float) and number < low) or (isinstance(high, int | float) and number > high):
        return None
    return number


def _to_number(text: str, *, whole: bool) -> int | float | None:
    plain = text.replace(",", "").replace("−", "-")
    try:
        if re.fullmatch(r"-?\d{1,18}", plain):
            return int(plain)
        return None if whole else float(plain)
    except ValueError:
        return None


def _fitting(text: str, schema: dict[str, Json]) -> str | None:
    longest, shortest = schema.get("maxLength"), schema.get("minLength")
    if isinstance(longest, int):
        text = text[: max(0, longest)]
    return None if isinstance(shortest, int) and len(text) < shortest else text
