"""Lexical score of each tool for a question: words shared with its name, description and schema, weighed by rarity.

A word counts for itself and, less, for what it may stand for (`terms`); a mistyped one for the nearest word the tools
know.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import content_words, has_cjk, stem
from glassloop.extensions.embedded.language.lexicon import TRANSLATED, Spelling, Term, lexicon
from glassloop.extensions.embedded.language.terms import is_german, read_terms

_NAME, _CHOICE, _HEAD, _PARAMETER, _DESCRIPTION, _PARAMETER_TEXT = 3.0, 1.5, 1.5, 0.8, 1.0, 0.4
_HEAD_WORDS = 3
_PAIR = 0.5
"""Names of tools are seldom Chinese, so the description must do more."""

_MISTYPED = 0.85
_ORDERED_EFFECT = 0.6
"""A question is rarely meant to change anything: effects count less for it."""

_PROPER = re.compile(r"(?<=[^\W\d_,] )[A-Z][^\W\d_]+")
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(ToolSpec)


class ToolProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as words with weights."""

    spec: ToolSpec
    weights: Mapping[str, float]


class OfferedTools:
    """The tools of a request, with how rare each of their words is among them."""

    def __init__(self, profiles: Sequence[ToolProfile]) -> None:
        self.profiles = profiles
        count = len(profiles)
        spread = Counter(word for profile in profiles for word in profile.weights)
        self.rarity = {word: sqrt((1 + log(count / n)) / (1 + log(count))) for word, n in spread.items()}

    @cached_property
    def spelling(self) -> Spelling:
        return Spelling(word for word in self.rarity if word.isascii())

    def terms(self, question: str) -> Sequence[Term]:
        """What the question's words may mean here. Names of people and places are not mended."""
        proper = {stem(name.lower()) for name in _PROPER.findall(question)}
        found: list[Term] = []
        for word, meant in read_terms(question):
            if len(meant) > 1 or word in self.rarity or word in proper or not word.isascii():
                found.append(meant)
                continue
            near = self._nearest(word) or (self._nearest(f"{word[:-1]}i") if word.endswith("y") else None)
            known = (lexicon().english(near) or {near: 1.0}) if near else meant
            found.append({key: weight * _MISTYPED for key, weight in known.items()} if near else meant)
        return found

    def _nearest(self, word: str) -> str | None:
        return self.spelling.nearest(word) or _common_spelling().nearest(word)


def tool_likeness(tools: Sequence[ToolSpec], question: str) -> Sequence[float]:
    """How much each tool shares with the question."""
    among = _offer(tuple(_encoder.encode(spec) for spec in tools))
    terms, asks = among.terms(question), question.rstrip().endswith(("?", "？"))
    return [_lexical_score(terms, profile, among.rarity, asks=asks) for profile in among.profiles]


def _lexical_score(terms: Sequence[Term], profile: ToolProfile, rarity: Mapping[str, float], *, asks: bool) -> float:
    """How much of the question's words the tool shares; about 0 to 15. A word of the tool counts once."""
    shared: dict[str, float] = {}
    weights = profile.weights
    for term in terms:
        best, word = 0.0, ""
        for key in term.keys() & weights.keys() - shared.keys():
            worth = term[key] * weights[key] * rarity[key]
            if worth > best or (worth == best and key < word):
                best, word = worth, key
        if word:
            shared[word] = best
    score = sum(shared[word] for word in sorted(shared))
    return score * _ORDERED_EFFECT if asks and profile.spec.effect != "read" else score


@lru_cache(maxsize=16)
def _offer(encoded: tuple[bytes, ...]) -> OfferedTools:
    """The same tools come with every request of a conversation."""
    return OfferedTools([_profile(spec) for spec in encoded])


@lru_cache(maxsize=1)
def _common_spelling() -> Spelling:
    return Spelling(lexicon().english_words)


@lru_cache(maxsize=1024)
def _profile(encoded: bytes) -> ToolProfile:
    """By the tool's encoded form, the one thing of it that can be a key."""
    spec = _decoder.decode(encoded)
    weights: Counter[str] = Counter()
    described = _words(spec.description)
    properties = spec.parameters.get("properties")
    for name, schema in cast("dict[str, Json]", properties).items() if isinstance(properties, dict) else ():
        shape = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
        choices = shape.get("enum")
        _weigh(weights, content_words(name.replace("_", " ")), _PARAMETER)
        _weigh(weights, _words(str(shape.get("description") or "")), _PARAMETER_TEXT)
        if isinstance(choices, list):
            told = " ".join(str(each) for each in cast("list[Json]", choices))
            _weigh(weights, content_words(told.replace("_", " ")), _CHOICE)
    _weigh(weights, described, _DESCRIPTION)
    _weigh(weights, [word for word in described if has_cjk(word)], _PAIR)
    _weigh(weights, described[:_HEAD_WORDS], _HEAD)
    _weigh(weights, content_words(spec.name.replace("_", " ")), _NAME)
    return ToolProfile(spec=spec, weights=weights)


def _words(text: str) -> list[str]:
    """A description's words; those of a German or Chinese one also in English, after them."""
    words = content_words(text)
    if has_cjk(text) or is_german(text):
        for word, meant in read_terms(text):
            words += [key for key, weight in meant.items() if weight >= TRANSLATED and key != word and "_" not in key]
    return words


def _weigh(weights: Counter[str], words: list[str], weight: float) -> None:
    """Each word once a field, however often the field repeats it."""
    for word in set(words):
        weights[word] += weight  # pyright: ignore[reportArgumentType]
