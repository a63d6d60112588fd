"""Arithmetic with observed figures: a conversion, a sum, a difference, a share, so many times a price.

Decides which tool computes, when the question wants it, and the figures it is given. A small model makes sums up; a
tool that was given the right figures does not.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from glassloop.core.records import Json, ToolCall
from glassloop.core.text_terms import content_words, stem, word_set
from glassloop.extensions.embedded.advice.next_call import NextCall
from glassloop.extensions.embedded.advice.observed_facts import ObservedFact
from glassloop.extensions.embedded.advice.tool_chains import aspects
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_scores import OfferedTools, ToolProfile
from glassloop.extensions.embedded.language.values import currency_code
from glassloop.extensions.embedded.language.words import table

MONEY: Final = "money"
_KNOWN: Final = {
    "_".join(stem(part) for part in word.split("_")): (unit.split()[0], dimension)
    for dimension, listed in table("units").items()
    for unit in listed.split(", ")
    for word in unit.split()
}
_MAX_WORDS: Final = 3
_SHORT: Final = 2


class Unit(tuple[str, str]):
    """A unit by its short name, and what it measures."""

    __slots__ = ()

    @property
    def dimension(self) -> str:
        return self[1]


@lru_cache(maxsize=512)
def unit_named(text: str) -> Unit | None:
    """The unit that a word or a choice names: `ft`, `feet`, `EUR`, `square metres`."""
    joined = "_".join(stem(part) for part in re.findall(r"[^\W_]+", text.lower()))
    known = _KNOWN.get(joined)
    if known is not None:
        return Unit(known)
    code = currency_code(text)
    return Unit((code, MONEY)) if code else None


@lru_cache(maxsize=512)
def unit_of_key(key: str) -> Unit | None:
    """The unit a key ends in, or begins with: `length_m`, `total_eur`, `euros_a_night`, `hectares`."""
    words = name_words(key)
    for word in reversed(words):
        unit = unit_named(word)
        if unit is not None and (len(word) > _SHORT or word == words[-1]):
            return unit
    return None


@lru_cache(maxsize=128)
def units_said(text: str) -> tuple[tuple[Unit, str], ...]:
    """The units that a question names in words, with those words, in their order; abbreviations only after `in`."""
    words = re.findall(r"[^\W\d_]+|[€$£]", text)
    found: dict[Unit, str] = {}
    at = 0
    while at < len(words):
        for size in range(min(_MAX_WORDS, len(words) - at), 0, -1):
            piece = " ".join(words[at : at + size])
            unit = unit_named(piece)
            short = len(piece) <= _SHORT and piece not in "€$£"
            if unit is not None and (not short or (at and words[at - 1].lower() in ("in", "into", "to"))):
                if piece.lower() not in ("in", "second", "c", "f", "try", "real", "won", "min"):
                    found.setdefault(unit, piece)
                    if code := currency_code(piece):
                        found.setdefault(Unit((code, MONEY)), piece)
                    at += size - 1
                break
        at += 1
    return tuple(found.items())


_NAMES_UNIT: Final = frozenset(map(stem, word_set("currency unit")))
_SOURCE: Final = word_set("from source input base")
_TARGET: Final = word_set("to target into output")
_MAX_FIGURES: Final = 12
_PERCENT: Final = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)\s*(?:%|percent|per\s+cent|prozent)", re.IGNORECASE)
_WANTED: Final = (
    ("mean", re.compile(r"\b(?:average|mean|on\s+average|durchschnitt\w*)\b|平均", re.IGNORECASE)),
    (
        "difference",
        re.compile(
            r"\bdifference\b|\bhow\s+(?:many|much)\b.{0,60}\bbetween\b|\bby\s+how\s+(?:much|many)\b|\bhow\s+(?:much|many)\s+(?:\w+\s+){0,2}(?:more|less|fewer|\w+er)\b"
            r"(?=.{0,300}\bthan\b)|\bunterschied\b|相差|差多少",
            re.IGNORECASE,
        ),
    ),
    (
        "sum",
        re.compile(
            r"\b(?:together|altogether|in\s+total|sum|combined|in\s+all|overall|add(?:ed)?\s+up|total|zusammen|insgesamt)\b"
            r"|总共|一共|合计|总和",
            re.IGNORECASE,
        ),
    ),
)
_DOES: Final[Mapping[str, frozenset[str]]] = {
    name: frozenset(map(stem, word_set(words)))
    for name, words in {
        "sum": "sum add total plus addition",
        "difference": "difference subtract minus subtraction",
        "product": "product multiply times multiplication",
        "mean": "mean average",
    }.items()
}


class ArithmeticCalls:
    """One moment after an observation."""

    def __init__(
        self, among: OfferedTools, question: ParsedQuestion, facts: Sequence[ObservedFact], calls: Sequence[ToolCall]
    ) -> None:
        self._among, self._question = among, question
        self._facts = [fact for fact in facts if fact.number is not None]
        self._beside = {(fact.row, fact.keys[:-1]): fact.value for fact in facts if fact.named & _NAMES_UNIT}
        self._calls = calls
        self._called = {call.tool for call in calls}
        self._used = {str(value) for call in calls for value in call.args.values()}
        self._words = set(question.words).union(*aspects(question))

    def next(self) -> NextCall | None:
        """The tool that computes what is asked, with its figures."""
        whole = self._question.conversion
        if not self._facts or self._question.arithmetic is not None or (whole and unit_named(whole.source)):
            return None
        return self._conversion() or self._calculation()

    def _conversion(self) -> NextCall | None:
        for unit, said in units_said(self._question.text):
            measured = [fact for fact in self._facts if (own := self._unit(fact)) and own.dimension == unit.dimension]
            if not measured or any(self._unit(fact) == unit for fact in measured):
                continue
            chosen = self._meant(measured)
            for profile in self._among.profiles:
                values = self._converting(profile, unit, said, chosen)
                if values is not None and profile.spec.name not in self._called:
                    return NextCall(tool=profile.spec.name, values=values)
        return None

    def _unit(self, fact: ObservedFact) -> Unit | None:
        """What it is measured in: its key says so, or a `currency` or `unit` beside it."""
        if not fact.keys:
            return None
        beside = self._beside.get((fact.row, fact.keys[:-1]))
        return unit_of_key(fact.keys[-1]) or (unit_named(beside) if isinstance(beside, str) else None)

    def _converting(
        self, profile: ToolProfile, unit: Unit, said: str, facts: Sequence[ObservedFact]
    ) -> Mapping[str, tuple[Json, ...]] | None:
        numbers = [p for p in profile.parameters if p.kind in ("number", "integer") and p.required]
        source, target = _ends(profile)
        if len(numbers) != 1 or source is None or target is None:
            return None
        into = _written(target, unit, said, profile)
        if into is None:
            return None
        of = self._unit(facts[0])
        whence = _written(source, of, name_words(facts[0].keys[-1])[-1], profile) if of else None
        figures = tuple(dict.fromkeys(fact.number for fact in facts if fact.number is not None))
        values: dict[str, tuple[Json, ...]] = {numbers[0].name: figures[:_MAX_FIGURES], target.name: (into,)}
        if whence is not None:
            values[source.name] = (whence,)
        return values

    def _calculation(self) -> NextCall | None:
        for operation, figures in self._operations():
            for profile in self._among.profiles:
                values = _computing(profile, operation, figures)
                if values is not None and profile.spec.name not in self._called:
                    return NextCall(tool=profile.spec.name, values=values)
        return None

    def _operations(self) -> Sequence[tuple[str, Sequence[int | float]]]:
        """What is to be computed, with which figures."""
        found: list[tuple[str, Sequence[int | float]]] = []
        column = self._column()
        share = _PERCENT.search(self._question.text)
        if share and len(column) == 1:
            found.append(("share", (_plain(share[1]), column[0])))
        if len(column) > 1:
            found += [(name, column) for name, said in _WANTED if said.search(self._question.text)]
        counts = [each.text for each in self._question.numbers if each.text not in self._used]
        if len(column) == 1 and len(counts) == 1 and not share and self._asks_price():
            found.append(("product", (_plain(counts[0]), column[0])))
        return found

    def _asks_price(self) -> bool:
        chosen = self._meant(self._facts)
        money = [unit for fact in chosen if (unit := self._unit(fact)) and unit.dimension == MONEY]
        return bool(money) and not self._words.isdisjoint({stem("price"), stem("cost")})

    def _column(self) -> Sequence[int | float]:
        """The figures that are meant, one a row: of one key, that the question names or that alone is there."""
        chosen = self._meant(self._facts)
        keys = {fact.keys for fact in chosen}
        if len(keys) != 1 or len(chosen) > _MAX_FIGURES or len({fact.row for fact in chosen}) != len(chosen):
            return ()
        return [fact.number for fact in chosen if fact.number is not None]

    def _meant(self, facts: Sequence[ObservedFact]) -> Sequence[ObservedFact]:
        """Those under keys that the question's words name; money where a price is asked for."""
        scores = {fact.keys: self._likely(fact) for fact in facts}
        best = max(scores.values(), default=0.0)
        return [fact for fact in facts if scores[fact.keys] == best]

    def _likely(self, fact: ObservedFact) -> float:
        unit = self._unit(fact)
        said = len(fact.named & self._words)
        priced = unit is not None and unit.dimension == MONEY and not self._words.isdisjoint({"pric", "cost", "amount"})
        return said + 0.5 * priced


def _ends(profile: ToolProfile) -> tuple[ParameterHints | None, ParameterHints | None]:
    """The parameters for the unit it is in, and the one it is wanted in."""
    texts = [p for p in profile.parameters if p.schema.get("type") == "string" or p.choices]
    source = next((p for p in texts if p.kind == "source unit" or _SOURCE & set(name_words(p.name))), None)
    target = next((p for p in texts if p.kind == "target unit" or _TARGET & set(name_words(p.name))), None)
    return source, target


def _written(parameter: ParameterHints, unit: Unit, said: str, profile: ToolProfile) -> str | None:
    """The unit as the tool wants it: one of its choices, a currency's code, or the word that was used."""
    if parameter.choices:
        return next((str(choice) for choice in parameter.choices if unit_named(str(choice)) == unit), None)
    told = f"{profile.spec.name} {profile.spec.description} {parameter.name} {parameter.description}".lower()
    money = "currenc" in told or "money" in told
    if money != (unit.dimension == MONEY):
        return None
    if money:
        return unit[0]
    named = {stem(word) for word in re.findall(r"[^\W\d_]+", told)}
    return said if unit.dimension in named or stem(said.lower()) in named or "unit" in named else None


def _computing(
    profile: ToolProfile, operation: str, figures: Sequence[int | float]
) -> Mapping[str, tuple[Json, ...]] | None:
    needed = [p for p in profile.parameters if p.required]
    if len(needed) == 1 and needed[0].kind == "expression":
        return {needed[0].name: (_expression(operation, figures),)}
    told = set(content_words(f"{profile.spec.name.replace('_', ' ')} {profile.spec.description}"))
    if told.isdisjoint(_DOES.get(operation, frozenset())):
        return None
    if len(needed) == 1 and needed[0].kind == "array" and operation in ("sum", "mean"):
        return {needed[0].name: (list(figures),)}
    if len(needed) == len(figures) == 2 and all(p.kind in ("number", "integer") for p in needed):
        ordered = sorted(figures, reverse=True) if operation == "difference" else figures
        return {p.name: (figure,) for p, figure in zip(needed, ordered, strict=True)}
    return None


def _expression(operation: str, figures: Sequence[int | float]) -> str:
    written = [f"{figure:.10g}" for figure in figures]
    match operation:
        case "share":
            return f"{written[1]} * {written[0]} / 100"
        case "product":
            return " * ".join(written)
        case "difference":
            high, *rest = sorted(figures, reverse=True)
            return " - ".join(f"{figure:.10g}" for figure in (high, *rest))
        case "mean":
            return f"({' + '.join(written)}) / {len(written)}"
        case _:
            return " + ".join(written)


def _plain(text: str) -> int | float:
    plain = text.replace(",", "").replace("−", "-")
    return float(plain) if "." in plain else int(plain)
