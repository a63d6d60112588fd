"""Arguments for a tool out of a question, by the kind of each parameter.

Owns who gets which piece of the question. A required parameter that nothing fits means the tool is not the one.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import SMALL_WORDS, content_words, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.lexicon.lexicon import SYNONYM
from glassloop.extensions.embedded.language.lexicon.terms import is_german
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.phrases import optional_filters, single_values
from glassloop.extensions.embedded.language.phrases.counts import counted_in
from glassloop.extensions.embedded.language.phrases.date_ranges import COMPARES, coarse_in, range_of
from glassloop.extensions.embedded.language.phrases.lists import items_in
from glassloop.extensions.embedded.language.phrases.money import currencies_in, currency_code, wants_codes
from glassloop.extensions.embedded.language.phrases.names import is_common, journey_in, name_in, place_in
from glassloop.extensions.embedded.language.phrases.periods import is_period, spans_in, without_spans
from glassloop.extensions.embedded.language.phrases.remainder import remainder
from glassloop.extensions.embedded.language.phrases.time_expressions import TimedValue, length_in, moment_in, without
from glassloop.extensions.embedded.language.phrases.titles import is_title, title_in
from glassloop.extensions.embedded.language.question import ParsedQuestion, TextPiece

MAX_TEXT = 1000

_ZONE = re.compile(r"\b[A-Z][A-Za-z]+/[A-Z][A-Za-z_]+(?:/[A-Z][A-Za-z_]+)?|\b(?:UTC|GMT)(?:[+-]\d{1,2}(?::?\d{2})?)?\b")
_COUNTS = frozenset({"limit", "top", "count", "n", "max", "size", "k", "results"})
_NUMBERING = word_set("number no nr id is the with called of")
_NEAR = 24
_LATE = frozenset({"text", "array", "place", "name", "source place", "target place"})
_MAX_NAME = 6
_SAYING = re.compile(r"[\s,]*(?:that\b|dass\b|to\s+say\b|[:：]|发消息说|说)\s*(\S.{1,2000})$", re.IGNORECASE)
_ALIKE, _EXAMPLE, _NEEDED_EXAMPLE = 2.5, 1.2, 2.2
_TELLING = word_set("title subject summary body message text description content note reason details comment")


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
        self._evidence = 0.0
        self._taken: list[TextPiece] = []
        self._said: set[str] = set()
        self._wrote = False

    def run(self) -> FilledArguments:
        if any(p.kind == "source unit" for p in self._parameters):
            self._fill_conversion()
        self._fill_range()
        for late in (False, True):
            for parameter in self._parameters:
                if (parameter.kind in _LATE) == late and parameter.name not in self._args:
                    self._fill(parameter)
        args = optional_filters.without_guesses(self._spec, self._parameters, self._question, self._args)
        missing = tuple(p for p in self._parameters if p.required and p.name not in args)
        named = [p for p in self._parameters if p.name in args and str(args[p.name]) in optional_filters.examples_of(p)]
        worth = sum(_NEEDED_EXAMPLE if p.required else _EXAMPLE for p in named)
        return FilledArguments(args, self._evidence + worth, missing)

    def _fill(self, parameter: ParameterHints) -> None:
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
            "time": self._time,
            "moment": self._moment,
            "period": self._period,
            "text": self._text,
        }
        value = self._named(parameter)
        if value is None and parameter.kind in by_kind:
            value = by_kind[parameter.kind](parameter)
        if isinstance(value, str):
            value = single_values.fitting(value, parameter.schema)
        if value is not None:
            self._args[parameter.name] = value

    def _fill_conversion(self) -> None:
        """A value with its unit and the unit it is wanted in belong together: all three or none."""
        conversion = self._question.conversion
        values = [p for p in self._parameters if p.kind in ("number", "integer")]
        if conversion is None or not values:
            return
        self._args[values[0].name] = single_values.numeric(conversion.value, values[0])
        for parameter in self._parameters:
            if parameter.kind in ("source unit", "target unit"):
                unit = conversion.source if parameter.kind == "source unit" else conversion.target
                code = currency_code(unit) if single_values.of_money(parameter) else None
                if code is None and single_values.of_money(parameter) != bool(currency_code(unit)):
                    self._evidence -= 3.0
                self._args[parameter.name] = code if code and wants_codes(parameter.description) else unit
        self._evidence += 4.0

    def _fill_range(self) -> None:
        """Days and what they are compared with belong together too."""
        found = range_of(self._question, self._parameters)
        self._args |= found.args
        self._taken += found.pieces
        self._evidence += 0.5 if found.pieces else 0.0

    def _currency(self, parameter: ParameterHints) -> Json:
        """Where no whole conversion was said: the one currency that is named is the one it is wanted in."""
        named = currencies_in(self._question.text) if single_values.of_money(parameter) else []
        if len(named) != 1 or (parameter.kind == "source unit") != bool(self._question.numbers):
            return None
        return named[0]

    def _named(self, parameter: ParameterHints) -> Json:
        """`topic: garden` or `limit=3`, said outright."""
        match = single_values.outright(parameter.name).search(self._question.text)
        if match is None:
            return None
        said = match[1] or match[2]
        self._evidence += 1.0
        if parameter.kind in ("integer", "number"):
            return single_values.numeric(said, parameter)
        if parameter.kind == "choice":
            return next((c for c in parameter.choices if str(c).lower() == said.lower()), None)
        return None if parameter.kind in ("boolean", "array", "unknown") else said

    def _choice(self, parameter: ParameterHints) -> Json:
        """The choice that is said first; the only one there is needs no saying."""
        if len(parameter.choices) == 1:
            return parameter.choices[0]
        spans = [span.name for span in spans_in(self._question.text) if span.name in parameter.choices]
        dated = any(p.kind == "date" and p.name in self._args for p in self._parameters)
        if spans and (not dated if is_period(parameter.choices) else COMPARES.search(self._question.text)):
            self._evidence += 0.5
            return spans[0]
        text = self._free_of_periods
        said = single_values.said_choices(text, parameter.choices)
        if said is None:
            return None
        if not said:
            if alias := optional_filters.aliased(parameter, text):
                # A search box need not look for what a filter already says.
                self._taken += [alias.found] if alias.found else []
                return alias.choice
            return next((c for c in parameter.choices if self._means(str(c))), None)
        choice = min(said, key=lambda pair: pair[0])[1]
        self._said |= {stem(word) for _, other in said for word in name_words(str(other))}
        self._evidence += 0.5
        return choice

    def _means(self, choice: str) -> bool:
        """Whether a word of the question stands for it: `Zug` for `train`."""
        wanted = tuple(stem(word) for word in name_words(choice))
        return bool(wanted) and self._meant.issuperset(wanted)

    @cached_property
    def _meant(self) -> frozenset[str]:
        """The stems that a word of the question stands for."""
        free = self._free_of_periods
        terms = self._question.terms if free == self._question.text else ParsedQuestion(free).terms
        return frozenset(word for _, term in terms for word, weight in term.items() if weight >= SYNONYM)

    @cached_property
    def _free_of_periods(self) -> str:
        """The question without the days it names, where a parameter of its own takes those."""
        timed = any(is_period(parameter.choices) for parameter in self._parameters)
        pieces = [each.found for each in coarse_in(self._question)]
        return without(without_spans(self._question.text), pieces) if timed else self._question.text

    def _boolean(self, parameter: ParameterHints) -> Json:
        words = [stem(word) for word in re.findall(r"\w+", self._question.text.lower())]
        at = next((index for index, word in enumerate(words) if word in parameter.nouns), None)
        if at is None:
            named = re.findall(r"\(([^)]{1,300})\)", parameter.description)
            called = [word.strip() for each in named for word in each.split(",")]
            return True if any(optional_filters.is_said(self._question.text, word) for word in called) else None
        return not {"no", "not", "without", "don't", "exclud"} & set(words[max(0, at - 3) : at])

    def _number(self, parameter: ParameterHints) -> Json:
        length = self._said_with(length_in(self._question, parameter))
        if length is not None:
            return length
        free = [found for found in self._question.numbers if found not in self._taken]
        beside = [found for found in free if self._beside(found, parameter)]
        counted = counted_in(self._free_of_periods) if parameter.nouns & {stem(w) for w in _COUNTS} else None
        if counted:
            self._taken.append(counted)
            return single_values.numeric(counted.text, parameter)
        names_a_thing = not {"id", "ids", "no"}.isdisjoint(name_words(parameter.name))
        guess = parameter.required and not (names_a_thing and self._spec.effect != "read")
        for found in beside or (free if guess else []):
            value = single_values.numeric(found.text, parameter)
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
            alike = [found for found in free if parameter.is_shaped(single_values.shape(found.text))]
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
            if parameter.is_shaped(prefix := single_values.shape(found.text))
            or (not (own and prefix) and not nouns.isdisjoint(self._claims.get(prefix, nouns)))
            or (not nouns and not own)
        ]

    def _date(self, parameter: ParameterHints) -> Json:
        """A date; a day as people say it only where one is needed and none is prescribed how to write it."""
        free = parameter.required and not {"format", "pattern"} & parameter.schema.keys()
        for found in (*self._question.dates, *(self._question.spoken_dates if free else ())):
            if found not in self._taken:
                self._taken.append(found)
                self._evidence += 1.0 if found in self._question.dates else 0.3
                return found.text
        return None

    def _expression(self, _parameter: ParameterHints) -> Json:
        arithmetic = self._question.arithmetic
        self._evidence += 4.0 if arithmetic else 0.0
        return arithmetic

    def _place(self, parameter: ParameterHints) -> Json:
        text = self._question.text
        zone = _ZONE.search(text)
        if zone:
            return zone.group()
        free = self._question.plain if self._spec.effect == "read" else without(self._question.plain, self._taken)
        place = place_in(free, translate=not self._speaks_chinese) or self._left(parameter)
        if place and self._spec.effect != "read" and not parameter.required:
            elsewhere = any(place in str(given) for given in self._args.values())
            place = None if elsewhere or place[:1].islower() else place
        return self._noted(place)

    def _journey(self, parameter: ParameterHints) -> Json:
        way = journey_in(self._question.plain, translate=not self._speaks_chinese)
        place = way[0] if parameter.kind == "source place" else way[1]
        if place:
            self._evidence += 0.8
        return place

    def _name(self, parameter: ParameterHints) -> Json:
        """A thing with a number of its own may be meant by it: `customer C-77`."""
        quoted, identifiers = self._question.quoted, self._identifiers(parameter)
        if quoted and self._spec.effect == "read":
            return quoted[0].text
        alike = [
            each
            for each in identifiers
            if any(parameter.shapes) and parameter.is_shaped(single_values.shape(each.text))
        ]
        near = [*alike, *(each for each in identifiers if self._beside(each, parameter))]
        beside = near[0].text if near else None
        return self._noted(beside or name_in(self._question.plain, parameter.nouns) or self._left(parameter))

    def _time(self, _parameter: ParameterHints) -> Json:
        for found in self._question.times:
            self._evidence += 0.5
            return found.text
        return None

    def _moment(self, parameter: ParameterHints) -> Json:
        return self._said_with(moment_in(self._question, parameter))

    def _said_with(self, said: TimedValue | None) -> Json:
        if said is None:
            return None
        self._taken += said.pieces
        self._evidence += 0.5
        return said.value

    def _period(self, parameter: ParameterHints) -> Json:
        for found in (*self._question.periods, *(self._question.dates if parameter.required else ())):
            self._taken.append(found)
            self._evidence += 0.5
            return found.text
        return None

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

    @property
    def _speaks_chinese(self) -> bool:
        return has_cjk(self._spec.description)

    def _text(self, parameter: ParameterHints) -> Json:
        """The first parameter for free text gets what is left of the question; others only what is said outright."""
        if self._wrote and not (parameter.required and _TELLING & set(name_words(parameter.name))):
            return None
        self._wrote = True
        if is_title(parameter, self._parameters):
            return title_in(self._question, self._taken)
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
        return items_in(self._spec, parameter, self._question, self._remainder)

    def _remainder(self) -> str:
        """A search does not need what already went elsewhere; a text to keep stays whole."""
        text = self._free_of_periods if self._spec.effect == "read" else self._question.text
        text = without(text, self._taken if self._spec.effect == "read" else ())
        return remainder(text, self._spec, self._parameters, frozenset(self._said))[:MAX_TEXT]

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
