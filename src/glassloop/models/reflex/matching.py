"""Which tool a question is for: words shared with the tool's name, description and schema, weighed by rarity.

Owns the score and the choice. `lexical_score` is the one place where likeness is judged; what else may judge it
(an embedding) stands beside it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log, sqrt

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.words import content_words, has_cjk
from glassloop.models.reflex.arguments import fill
from glassloop.models.reflex.parameters import Parameter, read_parameters
from glassloop.models.reflex.question import Question

ENOUGH = 1.8
"""One word of a tool's name or of the head of its description, two of the rest, or a piece only this tool can use."""

_NAME, _CHOICE, _HEAD, _PARAMETER, _DESCRIPTION, _PARAMETER_TEXT = 3.0, 1.5, 1.5, 0.8, 1.0, 0.4
_HEAD_WORDS = 3
_PAIR = 0.5
"""Names of tools are seldom Chinese, so the description must do more."""

_ORDERED_EFFECT = 0.6
"""A question is rarely meant to change anything: effects count less for it."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(ToolSpec)


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as words with weights; `calls_for` are those an effect needs at least one of."""

    spec: ToolSpec
    parameters: Sequence[Parameter]
    weights: Mapping[str, float]
    calls_for: frozenset[str]


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A tool with its arguments, and how well it fits."""

    tool: str
    args: dict[str, Json]
    score: float


def choose(tools: Sequence[ToolSpec], question: Question) -> Choice | None:
    """The best tool that can be called with what the question holds; the first among equals."""
    profiles, rarity = _weighed(tools)
    best: Choice | None = None
    for profile in profiles:
        if profile.spec.effect != "read" and profile.calls_for.isdisjoint(question.words):
            continue
        filled = fill(profile.spec, profile.parameters, question)
        if filled is None:
            continue
        score = lexical_score(question, profile, rarity) + filled.evidence
        if score >= ENOUGH and (best is None or score > best.score):
            best = Choice(tool=profile.spec.name, args=filled.args, score=score)
    return best


def likeness(tools: Sequence[ToolSpec], question: Question) -> Sequence[float]:
    """How much each tool shares with the question, whether it can be called with what that holds or not."""
    profiles, rarity = _weighed(tools)
    return [lexical_score(question, profile, rarity) for profile in profiles]


def _weighed(tools: Sequence[ToolSpec]) -> tuple[Sequence[Profile], Mapping[str, float]]:
    """The tools as words, and how rare each word is among them."""
    profiles = [_profile(_encoder.encode(spec)) for spec in tools]
    spread = Counter(word for profile in profiles for word in profile.weights)
    return profiles, {word: sqrt((1 + log(len(tools) / n)) / (1 + log(len(tools)))) for word, n in spread.items()}


def lexical_score(question: Question, profile: Profile, rarity: Mapping[str, float]) -> float:
    """How much of the question's words the tool shares; about 0 to 10."""
    shared = question.words & profile.weights.keys()
    score = sum(profile.weights[word] * rarity[word] for word in sorted(shared))
    return score * _ORDERED_EFFECT if question.asks and profile.spec.effect != "read" else score


@lru_cache(maxsize=1024)
def _profile(encoded: bytes) -> Profile:
    """By the tool's encoded form, the one thing of it that can be a key: the same tools come with every request."""
    spec = _decoder.decode(encoded)
    parameters = read_parameters(spec)
    weights: Counter[str] = Counter()
    named, described = content_words(spec.name.replace("_", " ")), content_words(spec.description)
    choices: list[str] = []
    for parameter in parameters:
        _weigh(weights, content_words(parameter.name.replace("_", " ")), _PARAMETER)
        _weigh(weights, content_words(parameter.description), _PARAMETER_TEXT)
        choices += content_words(" ".join(str(choice).replace("_", " ") for choice in parameter.choices))
    _weigh(weights, choices, _CHOICE)
    _weigh(weights, described, _DESCRIPTION)
    _weigh(weights, [word for word in described if has_cjk(word)], _PAIR)
    _weigh(weights, described[:_HEAD_WORDS], _HEAD)
    _weigh(weights, named, _NAME)
    calls_for = frozenset((*named, *choices, *described[:_HEAD_WORDS]))
    return Profile(spec=spec, parameters=parameters, weights=weights, calls_for=calls_for)


def _weigh(weights: Counter[str], words: list[str], weight: float) -> None:
    """Each word once a field, however often the field repeats it."""
    for word in set(words):
        weights[word] += weight  # pyright: ignore[reportArgumentType]
