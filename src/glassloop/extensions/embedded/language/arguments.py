"""Arguments for a tool out of a question, by the kind of each parameter.

Decides who gets which piece of the question. A required parameter that nothing fits means the tool is not the one. A
wrong filter finds nothing, where none would have found what was asked for: optional parameters get only what is clearly
said for them.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import SMALL_WORDS, content_words, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon import SYNONYM
from glassloop.extensions.embedded.language.names import is_common, journey_in, name_in, people_in, place_in
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words, of_people, resolve
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece
from glassloop.extensions.embedded.language.remainder import remainder, without
from glassloop.extensions.embedded.language.terms import is_german
from glassloop.extensions.embedded.language.values import (
    TimedValue,
    aliased,
    counted_in,
    currencies_in,
    currency_code,
    examples_of,
    is_denied,
    length_in,
    moment_in,
    numeric,
    of_money,
    said_at,
    said_choices,
    said_examples,
    shape,
    stands_beside,
    to_number,
    wants_codes,
)

MAX_TEXT, MAX_ITEMS = 1000, 20

_COUNTS = frozenset(map(stem, word_set("limit top count n max size k results")))
_NUMBERING = word_set("number no nr id is the with called of")
_LATE = frozenset({"text", "array", "place", "name", "source place", "target place"})
_NEAR, _MAX_NAME = 24, 6
_SAYING = re.compile(r"[\s,]*(?:that\b|dass\b|to\s+say\b|:)\s*(\S.{1,2000})$", re.IGNORECASE)
_ALIKE, _EXAMPLE, _NEEDED_EXAMPLE = 2.5, 1.2, 2.2
_TELLING = word_set("title subject summary body message text description content note reason details comment")
_BOXES = word_set("query search q text topic question keyword keywords term terms words subject")


class FilledArguments(msgspec.Struct, frozen=True):
    """The arguments, how much the pieces found speak for this tool, and what it needs that nothing fits."""

    args: dict[str, Json]
    evidence: float
    missing: tuple[ParameterHints, ...] = ()


def fill_arguments(
    spec: ToolSpec,
    parameters: Sequence[ParameterHints],
    question: ParsedQuestion,
    claims: Mapping[str, frozenset[str]] | None = None,
) -> FilledArguments:
    """The arguments that the question holds. `claims` tells what things are called whose identifiers begin so."""
    return _Filling(spec, parameters, question, claims or {}).run()


class _Filling:
    """One tool, one question: which pieces are taken, and what they filled."""

    def __init__(
        self,
        spec: ToolSpec,
        parameters: Sequence[ParameterHints],
        question: ParsedQuestion,
        claims: Mapping[str, frozenset[str]],
    ) -> None:
        self._claims = claims
        self._spec = spec
        self._question = question
        self._parameters = parameters
        self._args: dict[str, Json] = {}
        self._evidence, self._wrote = 0.0, False
        self._taken: list[TextPiece] = []
        self._said: set[str] = set()
        self._spent: list[TextPiece] = []
        self._named: list[TextPiece] = []

    def run(self) -> FilledArguments:
        for parameter, value, piece in said_examples(self._parameters, self._question.text):
            self._args[parameter.name] = value
            self._named.append(piece)
        if any(p.kind == "source unit" for p in self._parameters):
            self._fill_conversion()
        for late in (False, True):
            for parameter in self._parameters:
                if (parameter.kind in _LATE) == late and parameter.name not in self._args:
                    self._fill(parameter)
        args = self._without_guesses()
        missing = tuple(p for p in self._parameters if p.required and p.name not in args)
        named = [p for p in self._parameters if p.name in args and str(args[p.name]) in examples_of(p)]
        worth = sum(_NEEDED_EXAMPLE if p.required else _EXAMPLE for p in named)
        return FilledArguments(args, self._evidence + worth, missing)

    def _fill(self, parameter: ParameterHints) -> None:
        asked = self._question
        by_kind: dict[str, Callable[[ParameterHints], Json]] = {
            "choice": self._choice,
            "boolean": self._boolean,
            "integer": self._number,
            "number": self._number,
            "array": self._array,
            "date": self._date,
            "identifier": self._identifier,
            "expression": self._expression,
            "place": self._place,
            "source place": self._journey,
            "target place": self._journey,
            "source unit": self._currency,
            "target unit": self._currency,
            "name": self._name,
            "time": lambda _: self._first(asked.times),
            "moment": self._moment,
            "period": lambda p: self._first((*asked.periods, *(asked.dates if p.required else ()))),
            "text": self._text,
        }
        value = by_kind[parameter.kind](parameter) if parameter.kind in by_kind else None
        if value is not None:
            self._args[parameter.name] = value

    def _fill_conversion(self) -> None:
        """A value with its unit and the unit it is wanted in belong together: all three or none."""
        conversion = self._question.conversion
        values = [p for p in self._parameters if p.kind in ("number", "integer")]
        if conversion is None or not values:
            return
        self._args[values[0].name] = numeric(conversion.value, values[0])
        for parameter in self._parameters:
            if parameter.kind in ("source unit", "target unit"):
                unit = conversion.source if parameter.kind == "source unit" else conversion.target
                code = currency_code(unit) if of_money(parameter) else None
                if code is None and of_money(parameter) != bool(currency_code(unit)):
                    self._evidence -= 3.0
                self._args[parameter.name] = code if code and wants_codes(parameter.description) else unit
        self._evidence += 4.0

    def _currency(self, parameter: ParameterHints) -> Json:
        """Where no whole conversion was said: the one currency that is named is the one it is wanted in."""
        named = currencies_in(self._question.text) if of_money(parameter) else []
        fits = len(named) == 1 and (parameter.kind == "source unit") == bool(self._question.numbers)
        return named[0] if fits else None

    def _choice(self, parameter: ParameterHints) -> Json:
        """The choice that is said first; the only one there is needs no saying."""
        if len(parameter.choices) == 1:
            return parameter.choices[0]
        text = without(self._question.text, self._spent)
        said = said_choices(text, parameter.choices)
        if said is None:
            return None
        if not said:
            alias = aliased(parameter, text)
            return next((c for c in parameter.choices if self._means(str(c), text)), None) if alias is None else alias
        at, choice = min(said, key=lambda pair: pair[0])
        words = name_words(str(choice))
        if len(words) > 1:
            # `last month` names no month to another parameter.
            end = [at + match.end() for match in re.finditer(r"[^\W_]+", text[at:])][: len(words)][-1]
            self._spent.append(TextPiece(text[at:end], at, end))
        self._said |= {stem(word) for _, other in said for word in name_words(str(other))}
        self._evidence += 0.5
        return choice

    def _means(self, choice: str, text: str) -> bool:
        """Whether a word of the question stands for it: `Zug` for `train`. Chinese periods are not read."""
        terms = self._question.terms if text == self._question.text else ParsedQuestion(text).terms
        meant = {word for _, term in terms for word, weight in term.items() if weight >= SYNONYM}
        return not has_cjk(text) and meant.issuperset(map(stem, name_words(choice)))

    def _boolean(self, parameter: ParameterHints) -> Json:
        """Whether a word of its name is said, and not denied."""
        said = [at for word in name_words(parameter.name) if (at := said_at(self._question.text, word)) >= 0]
        return not is_denied(self._question.text, said[0]) if said else None

    def _number(self, parameter: ParameterHints) -> Json:
        length = self._said_with(length_in(self._question, parameter))
        if length is not None:
            return length
        free = [found for found in self._question.numbers if found not in self._taken]
        beside = [found for found in free if self._beside(found, parameter)]
        counted = counted_in(self._question.text) if parameter.nouns & _COUNTS else None
        if counted:
            self._taken.append(counted)
            return numeric(counted.text, parameter)
        names_a_thing = not {"id", "ids", "no"}.isdisjoint(name_words(parameter.name))
        guess = parameter.required and not (names_a_thing and self._spec.effect != "read")
        for found in beside or (free if guess else []):
            value = numeric(found.text, parameter)
            if value is not None:
                self._taken.append(found)
                self._evidence += 0.5 if beside else 0.0
                return value
        return None

    def _identifier(self, parameter: ParameterHints) -> Json:
        free = [found for found in self._identifiers(parameter) if found not in self._taken]
        numbers = [found for found in self._question.numbers if found not in self._taken]
        beside = [found for found in (*free, *numbers) if self._beside(found, parameter)]
        if parameter.shapes:
            alike = [found for found in free if parameter.is_shaped(shape(found.text))]
            long = [found for found in numbers if len(found.text) >= parameter.digits]
            bare = long[:1] if "" in parameter.shapes and parameter.required else []
            chosen, worth = (alike or beside or bare), (_ALIKE if alike else 1.0 if beside else 0.0)
        else:
            chosen = beside or free[:1] or (numbers[:1] if parameter.required else [])
            worth = 1.5 if beside or free else 0.0
        for found in chosen[:1]:
            self._taken.append(found)
            self._evidence += worth
            return found.text
        return None

    def _identifiers(self, parameter: ParameterHints) -> list[TextPiece]:
        """Those that may name such a thing: an invoice's is no customer's."""
        own, nouns = any(parameter.shapes), parameter.nouns
        return [
            found
            for found in self._question.identifiers
            if parameter.is_shaped(prefix := shape(found.text))
            or (not (own and prefix) and not nouns.isdisjoint(self._claims.get(prefix, nouns)))
            or (not nouns and not own)
        ]

    def _date(self, parameter: ParameterHints) -> Json:
        """A date; a day as people say it only where one is needed and none is prescribed how to write it."""
        free = parameter.required and not {"format", "pattern"} & parameter.schema.keys()
        spoken = self._question.spoken_dates if free else ()
        return self._first(self._question.dates, 1.0) or self._first(spoken, 0.3)

    def _expression(self, _parameter: ParameterHints) -> Json:
        arithmetic = self._question.arithmetic
        self._evidence += 4.0 if arithmetic else 0.0
        return arithmetic

    def _place(self, parameter: ParameterHints) -> Json:
        free = self._question.plain if self._spec.effect == "read" else without(self._question.plain, self._taken)
        place = place_in(free) or self._left(parameter)
        if place and self._spec.effect != "read" and not parameter.required:
            elsewhere = any(place in str(given) for given in self._args.values())
            place = None if elsewhere or place[:1].islower() else place
        return self._noted(place)

    def _journey(self, parameter: ParameterHints) -> Json:
        way = journey_in(self._question.plain)
        place = way[0] if parameter.kind == "source place" else way[1]
        self._evidence += 0.8 if place else 0.0
        return place or None

    def _name(self, parameter: ParameterHints) -> Json:
        """A thing with a number of its own may be meant by it: `customer C-77`."""
        quoted, identifiers = self._question.quoted, self._identifiers(parameter)
        if quoted and self._spec.effect == "read":
            return quoted[0].text
        alike = [each for each in identifiers if any(parameter.shapes) and parameter.is_shaped(shape(each.text))]
        near = [*alike, *(each for each in identifiers if self._beside(each, parameter))]
        beside = near[0].text if near else None
        plain = without(self._question.plain, self._named)
        return self._noted(beside or name_in(plain, parameter.nouns) or self._left(parameter))

    def _moment(self, parameter: ParameterHints) -> Json:
        return self._said_with(moment_in(self._question, parameter))

    def _said_with(self, said: TimedValue | None) -> Json:
        if said is None:
            return None
        self._taken += said.pieces
        self._evidence += 0.5
        return said.value

    def _first(self, pieces: Sequence[TextPiece], worth: float = 0.5) -> Json:
        """The text of the first that nothing else took."""
        found = next((piece for piece in pieces if piece not in self._taken), None)
        if found is None:
            return None
        self._taken.append(found)
        self._evidence += worth
        return found.text

    def _noted(self, found: str | None) -> str | None:
        self._evidence += 0.5 if found else 0.0
        return found

    def _left(self, parameter: ParameterHints) -> str | None:
        """What is left of the question, if it has a word that is not an everyday one, or an effect names its thing."""
        if not parameter.required or has_cjk(self._question.text):
            return None
        left, german = self._remainder(), is_german(self._question.text)
        words = re.findall(r"[^\W_]+(?:['’][^\W\d_]+)?", left)
        if self._question.asks and left == left.lower():
            return None
        named = [not is_common(word, german=german) for word in words]
        whole = not any(word.lower() in SMALL_WORDS for word in words)
        whole = whole and not any(character.isdigit() for character in left)
        return left if any(named) and whole and len(words) <= _MAX_NAME else None

    def _text(self, parameter: ParameterHints) -> Json:
        """The first parameter for free text gets what is left of the question; others only what is said outright."""
        if self._wrote and not (parameter.required and _TELLING & set(name_words(parameter.name))):
            return None
        self._wrote = True
        if parameter.name == "title" and any(p.kind == "moment" for p in self._parameters):
            return self._question.quoted[0].text if self._question.quoted else self._remainder(self._taken) or None
        if self._question.quoted and self._spec.effect == "read":
            return self._question.quoted[0].text
        if self._spec.effect != "read" and not parameter.required and (self._taken or self._question.asks):
            return None
        return self._told_to_someone() or self._remainder() or None

    def _told_to_someone(self) -> str | None:
        """What comes after the name of whoever is told something: `tell Ada that it works`."""
        told = [p.name for p in self._parameters if p.kind == "name" and isinstance(self._args.get(p.name), str)]
        if self._spec.effect == "read" or not told:
            return None
        before, name, after = self._question.text.partition(str(self._args[told[0]]))
        match = _SAYING.match(after) if name and len(before) < _NEAR * 2 else None
        return match[1][:MAX_TEXT] if match else None

    def _array(self, parameter: ParameterHints) -> Json:
        """Choices, numbers or people that are named, else what is quoted or has a number of its own."""
        items = resolve(self._spec.parameters, parameter.schema.get("items"))
        asked = self._question
        found: list[Json] = []
        if isinstance(choices := items.get("enum"), list):
            found = [choice for choice in cast("list[Json]", choices) if said_at(asked.text, str(choice)) >= 0]
        elif items.get("type") in ("number", "integer"):
            numbers = [to_number(each.text, whole=items.get("type") == "integer") for each in asked.numbers]
            found = [number for number in numbers if number is not None]
        elif items.get("type") == "string" and of_people(parameter):
            addresses = [each.text for each in asked.identifiers if "@" in each.text]
            found = [*addresses, *people_in(without(asked.plain, asked.spoken_dates))]
        elif items.get("type") == "string":
            found = [piece.text for piece in asked.quoted or asked.identifiers]
        return found[:MAX_ITEMS] or None

    def _remainder(self, taken: Sequence[TextPiece] = ()) -> str:
        """A search does not need what already went elsewhere; a text to keep stays whole."""
        taken = self._taken if self._spec.effect == "read" else taken
        return remainder(without(self._question.text, taken), self._spec, self._parameters, self._said)[:MAX_TEXT]

    def _without_guesses(self) -> dict[str, Json]:
        """Without what was only guessed for an optional filter of a tool that reads. One value stays with the filter
        whose word stands beside it, else with the first; one that a filter names as its example goes there."""
        kept = dict(self._args)
        if self._spec.effect != "read":
            return kept
        holders: dict[str, list[ParameterHints]] = {}
        for parameter in self._parameters:
            value = kept.get(parameter.name)
            if parameter.required or parameter.kind not in ("text", "name", "place") or not isinstance(value, str):
                continue
            if self._is_said(parameter, value):
                holders.setdefault(value, []).append(parameter)
            else:
                del kept[parameter.name]
        for value, several in holders.items():
            beside = [p for p in several if stands_beside(p, self._question.text, value)]
            for parameter in several:
                if parameter is not (beside or several)[0]:
                    del kept[parameter.name]
        for parameter in self._parameters:
            if not parameter.required and parameter.name not in kept and parameter.kind in ("text", "name", "place"):
                examples = sorted(examples_of(parameter), key=len, reverse=True)
                example = next((each for each in examples if said_at(self._question.text, each) >= 0), None)
                if example is not None:
                    kept = {name: value for name, value in kept.items() if value != example} | {parameter.name: example}
        return kept

    def _is_said(self, parameter: ParameterHints, value: str) -> bool:
        if any(value == quoted.text for quoted in self._question.quoted):
            return True
        if parameter.kind == "text":
            return bool(_BOXES & set(name_words(parameter.name))) and "search" in name_words(self._spec.name)
        return value[:1].isupper() or any(map(str.isdigit, value))

    def _beside(self, found: TextPiece, parameter: ParameterHints) -> bool:
        """Whether one of the parameter's own words stands right beside the piece: `note 3`, `order no. 7`."""
        text = self._question.text
        before, after = text[max(0, found.start - _NEAR) : found.start], text[found.end : found.end + _NEAR]
        if has_cjk(before[-2:] + after[:2]):
            around = {*content_words(before[-6:]), *content_words(after[:4])}
            return not around.isdisjoint(parameter.nouns | set(content_words(parameter.description)))
        spoken = [word for word in re.findall(r"[^\W\d_]+", before.lower()) if word not in _NUMBERING][-1:]
        spoken += re.findall(r"[^\W\d_]+", after.lower())[:1]
        return not parameter.nouns.isdisjoint(map(stem, spoken))
