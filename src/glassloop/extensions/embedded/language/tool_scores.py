"""Lexical score of each tool for a question: words shared with its name, description and schema, weighed by rarity.

A word counts for itself and, less, for what it may stand for (`terms`); a mistyped one for the nearest word the tools
know. What is to be done (made, ended, changed, sent, or only looked at) separates near neighbours: `schedule_meeting`
and `cancel_meeting` share all words but one. `arguments` says whether a tool can be called, `tool_choice` which one is.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import Literal

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.text_terms import content_words, has_cjk, stem, word_set
from glassloop.extensions.embedded.language.arguments import FilledArguments, fill_arguments
from glassloop.extensions.embedded.language.lexicon import TRANSLATED, Spelling, Term, lexicon
from glassloop.extensions.embedded.language.parameters import ParameterHints, read_parameters
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.terms import is_german, read_terms
from glassloop.extensions.embedded.language.words import table

MEANT = 0.6
"""From here on a word is said, in other words; below, something is only spoken of that goes with it."""

_NAME, _CHOICE, _HEAD, _PARAMETER, _DESCRIPTION, _PARAMETER_TEXT = 3.0, 1.5, 1.5, 0.8, 1.0, 0.4
_HEAD_WORDS = 3
_PAIR = 0.5
"""Names of tools are seldom Chinese, so the description must do more."""

_MISTYPED = 0.85
_ORDERED_EFFECT = 0.6
"""A question is rarely meant to change anything: effects count less for it."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(ToolSpec)
Action = Literal["look", "make", "end", "change", "send", ""]

FITS, DIFFERS, ONLY_LOOKS = 1.2, -1.5, -0.8
_EARLY = 4
_WANTS = re.compile(
    r"\bi(?:['’]d|\s+would)?\s+(?:want|need|like)\s+to\b|\bich\s+(?:möchte|will|würde)\b|我(?:想|要)", re.IGNORECASE
)
_ACTIONS: tuple[Action, ...] = ("look", "make", "end", "change", "send")
_VERBS: Mapping[Action, frozenset[str]] = {
    action: frozenset(map(stem, word_set(table("verbs")[action]))) for action in _ACTIONS
}


class ToolProfile(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as words with weights; `calls_for` are those an effect needs at least one of."""

    spec: ToolSpec
    parameters: Sequence[ParameterHints]
    weights: Mapping[str, float]
    calls_for: frozenset[str]
    action: Action


class OfferedTools:
    """The tools of a request, with how rare each of their words is among them."""

    def __init__(self, profiles: Sequence[ToolProfile]) -> None:
        self.profiles = profiles
        count = len(profiles)
        spread = Counter(word for profile in profiles for word in profile.weights)
        self.rarity = {word: sqrt((1 + log(count / n)) / (1 + log(count))) for word, n in spread.items()}

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(self.rarity)

    @cached_property
    def calculates(self) -> bool:
        return any(p.kind == "expression" for profile in self.profiles for p in profile.parameters)

    @cached_property
    def spelling(self) -> Spelling:
        return Spelling(word for word in self.rarity if word.isascii())

    @cached_property
    def claims(self) -> Mapping[str, frozenset[str]]:
        """What identifiers begin with, as the tools' own examples say, and what such a thing is called."""
        found: defaultdict[str, set[str]] = defaultdict(set)
        for parameter in (parameter for profile in self.profiles for parameter in profile.parameters):
            for shape in parameter.shapes - {""}:
                found[shape] |= parameter.nouns
        return {shape: frozenset(nouns) for shape, nouns in found.items()}

    def fill(self, profile: ToolProfile, question: ParsedQuestion) -> FilledArguments:
        """Worked out once: ranking asks for it again and again."""
        key = (id(self), profile.spec.name)
        known = question.filled.get(key)
        if known is None:
            known = question.filled[key] = fill_arguments(profile.spec, profile.parameters, question, self.claims)
        return known

    def terms(self, question: ParsedQuestion) -> Sequence[Term]:
        """What the question's words may mean here. Names of people and places are not mended."""
        found: list[Term] = []
        for word, meant in question.terms:
            if len(meant) > 1 or word in self.rarity or word in question.proper or not word.isascii():
                found.append(meant)
                continue
            near = self._nearest(word) or (self._nearest(f"{word[:-1]}i") if word.endswith("y") else None)
            known = (lexicon().english(near) or {near: 1.0}) if near else meant
            found.append({key: weight * _MISTYPED for key, weight in known.items()} if near else meant)
        return found

    def _nearest(self, word: str) -> str | None:
        return self.spelling.nearest(word) or _common_spelling().nearest(word)


def offer_tools(tools: Sequence[ToolSpec]) -> OfferedTools:
    return _offer(tuple(_encoder.encode(spec) for spec in tools))


def tool_likeness(tools: Sequence[ToolSpec], question: ParsedQuestion) -> Sequence[float]:
    """How much each tool shares with the question, whether it can be called with what that holds or not."""
    among = offer_tools(tools)
    terms = among.terms(question)
    return [lexical_score(question, terms, profile, among.rarity) for profile in among.profiles]


def lexical_score(
    question: ParsedQuestion, terms: Sequence[Term], profile: ToolProfile, rarity: Mapping[str, float]
) -> float:
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
    return score * _ORDERED_EFFECT if question.asks and profile.spec.effect != "read" else score


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
    parameters = read_parameters(spec)
    weights: Counter[str] = Counter()
    named, described = content_words(spec.name.replace("_", " ")), _words(spec.description)
    choices: list[str] = []
    for parameter in parameters:
        _weigh(weights, content_words(parameter.name.replace("_", " ")), _PARAMETER)
        _weigh(weights, _words(parameter.description), _PARAMETER_TEXT)
        choices += content_words(" ".join(str(choice).replace("_", " ") for choice in parameter.choices))
    _weigh(weights, choices, _CHOICE)
    _weigh(weights, described, _DESCRIPTION)
    _weigh(weights, [word for word in described if has_cjk(word)], _PAIR)
    _weigh(weights, described[:_HEAD_WORDS], _HEAD)
    _weigh(weights, named, _NAME)
    calls_for = frozenset((*named, *choices, *described[:_HEAD_WORDS]))
    action = action_of_tool(spec, named, described)
    return ToolProfile(spec=spec, parameters=parameters, weights=weights, calls_for=calls_for, action=action)


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


def action_of_tool(spec: ToolSpec, named: Sequence[str], described: Sequence[str]) -> Action:
    """By the first verb of its name, else of its description; what only reads is looked at."""
    if spec.effect == "read":
        return "look"
    return _first((*named, *described[:3]))


def action_of_question(text: str, terms: Iterable[tuple[str, Term]], *, asks: bool) -> Action:
    """By the verb an order begins with; a question only wants to see. A plural (`books`) is no verb."""
    if asks:
        return "look"
    for word, meant in list(terms)[:_EARLY]:
        if re.search(rf"\b{re.escape(word)}s\b", text, re.IGNORECASE):
            continue
        sure = [key for key in (word, *meant) if key == word or meant[key] > 0.9]
        if found := _first(sure) or _first([key for key, weight in meant.items() if weight > 0.6]):
            return found
    return "make" if _WANTS.search(text) else ""


def action_fit(wanted: Action, tool: Action) -> float:
    """What the two say about each other; nothing where one of them is not known."""
    if not wanted or not tool:
        return 0.0
    if wanted == tool:
        return 0.0 if wanted == "look" else FITS
    if wanted == "look":
        return 0.0  # Effects already count less for a question.
    return ONLY_LOOKS if tool == "look" else DIFFERS


def _first(words: Iterable[str]) -> Action:
    for word in words:
        for action, verbs in _VERBS.items():
            if word in verbs:
                return action
    return ""
