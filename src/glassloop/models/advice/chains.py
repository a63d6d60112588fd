"""Which tool comes first where the one that is meant cannot be called yet, and which one is left after an observation.

Owns chains of two: a lookup that takes what the question names and tells what the other tool needs. No tool says what
it returns, so what it is described with must do.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from glassloop.core.messages import ToolMessage
from glassloop.core.words import SMALL_WORDS, content_words, stem, word_set
from glassloop.models.advice.said import Said
from glassloop.models.advice.values import Possible
from glassloop.models.reflex.choosing import Choice, Meaning
from glassloop.models.reflex.matching import Offer, Profile, lexical_score
from glassloop.models.reflex.names import is_common
from glassloop.models.reflex.observed import observed
from glassloop.models.reflex.parameters import Parameter
from glassloop.models.reflex.question import Question
from glassloop.models.reflex.values import shape

_NAMED: Final = frozenset({"name", "text", "place", "source place", "target place"})
_MOST: Final = 2
_ENABLED, _LEFT = 2.0, 2.2
"""What the words that no observation answers must share with a tool: one that only now can be called, or any other."""

_CLEARLY, _ALONE = 1.0, 3.5
"""By how much a tool that cannot be called yet must be nearer than the best that can; what it must reach alone."""

_PLACES: Final = word_set("city town place port harbour harbor office home address location site")
_SEVERAL: Final = re.compile(r"\b(?:and|und|also|sowie|then|dann)\b|[;?。？；]\s*\S|然后|并且|再", re.IGNORECASE)
_EVERYDAY: Final = word_set("i i'm i'd i've ok please")


def intents(among: Offer, question: Question, meaning: Meaning | None) -> Mapping[str, float]:
    """How near the question is to each tool by its words and its meaning, whether it can be called or not."""
    terms = among.terms(question)
    return {
        profile.spec.name: lexical_score(question, terms, profile, among.rarity)
        + (meaning.get(profile.spec.name, 0.0) if meaning else 0.0)
        for profile in among.profiles
        if profile.spec.effect == "read" or not question.asks
    }


def out_of_reach(likely: Mapping[str, float], now: Mapping[str, Possible], choice: Choice | None) -> str | None:
    """A tool that is meant more clearly than the one that was chosen, and cannot be called yet."""
    best = max(likely, key=lambda name: likely[name], default=None)
    if best is None or not now[best].lacks or (choice is not None and best == choice.tool):
        return None
    least = _ALONE if choice is None else likely.get(choice.tool, 0.0) + _CLEARLY
    return best if likely[best] >= least else None


def names_something(said: Said, among: Offer) -> bool:
    """Whether the question names a thing that a tool could look up: an identifier, a number, something quoted, a name,
    or a word that neither the tools nor everybody uses."""
    question = said.question
    if question.identifiers or question.quoted or question.numbers:
        return True
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", question.text)
    named = [word for word in words[1:] if word[:1].isupper() and word.lower() not in SMALL_WORDS | _EVERYDAY]
    rare = [word for word in words if len(word) > 3 and not is_common(word, german=False)]
    return bool(named) or any(among.words.isdisjoint(content_words(word)) for word in rare)


def stands_for_another(said: Said, choice: Choice, parameters: Sequence[Parameter]) -> tuple[Parameter, ...]:
    """Parameters whose value only tells whose it is: `the home port of Ada` names no port, `Ada's office` no office."""
    text = said.question.text
    found: list[Parameter] = []
    for parameter in parameters:
        value = choice.args.get(parameter.name)
        if parameter.kind not in _NAMED or not isinstance(value, str) or not value:
            continue
        nouns = parameter.nouns | _PLACES if "place" in parameter.kind else parameter.nouns
        name = re.escape(value)
        of = re.search(rf"([^\W\d_]+)\s+(?:of|where|von|vom)\s+(?:the\s+|our\s+)?{name}", text, re.IGNORECASE)
        own = re.search(rf"{name}(?:['’]s?)\s+(?:\w+\s+)?([^\W\d_]+)", text, re.IGNORECASE)
        if any(match and stem(match[1].lower()) in set(map(stem, nouns)) for match in (of, own)):
            found.append(parameter)
    return tuple(found)


def providers(among: Offer, said: Said, now: Mapping[str, Possible], wanted: Choice) -> Sequence[str]:
    """Tools that may find out what the wanted one lacks: they only look, can be called, take what it cannot use, and
    speak of what is missing. The likeliest first."""
    lacking = {parameter.name for parameter in wanted.missing}
    used = {str(value) for name, value in wanted.args.items() if name not in lacking}
    told = {word for parameter in wanted.missing for word in _about(parameter)}
    free = [found.text for found in said.question.identifiers if found.text not in used]
    # What needs a place itself finds none; identifiers are of many kinds.
    needs = {_sort(parameter) for parameter in wanted.missing} - {"identifier"}
    terms = among.terms(said.question)
    found: list[tuple[float, str]] = []
    for profile in among.profiles:
        name = profile.spec.name
        takes = {_sort(parameter) for parameter in _takes(profile, free)}
        if name == wanted.tool or profile.spec.effect != "read" or now[name].lacks or takes <= needs:
            continue
        spoken = told & _described(profile)
        if spoken or free:
            found.append((len(spoken) + 0.3 * lexical_score(said.question, terms, profile, among.rarity), name))
    ranked = sorted(found, key=lambda pair: -pair[0])
    return [name for score, name in ranked if score >= 0.6 * ranked[0][0]][:_MOST]


def left_over(
    among: Offer,
    said: Said,
    now: Mapping[str, Possible],
    before: Mapping[str, Possible],
    observations: Sequence[ToolMessage],
    meaning: Meaning | None,
) -> Sequence[str]:
    """Tools for what the observations do not answer: those that only now can be called, and those that are meant at
    least as much as what was called, or as another part of the question. Best first."""
    done = {seen.tool for seen in observations}
    seen = " ".join(message.content for message in observations)
    called = [profile for profile in among.profiles if profile.spec.name in done]
    covered = {*content_words(seen.replace("_", " ")), *(word for each in called for word in _described(each))}
    left = Question(" ".join(word for word in re.findall(r"[^\W_]+", said.question.text) if _is_open(word, covered)))
    terms = among.terms(left)
    likely = intents(among, said.question, meaning)
    several = _SEVERAL.search(said.question.text) is not None
    least = max((likely.get(name, 0.0) for name in done), default=0.0)
    found: list[tuple[float, str]] = []
    for profile in among.profiles:
        name = profile.spec.name
        if not before[name].lacks and likely.get(name, 0.0) < least and not several:
            continue
        if name in done or now[name].lacks or (said.question.asks and profile.spec.effect != "read"):
            continue
        score = lexical_score(left, terms, profile, among.rarity) / (_ENABLED if before[name].lacks else _LEFT)
        if score >= 1.0 and _can_be_filled(among, profile, said, observations):
            found.append((score, name))
    return [name for _, name in sorted(found, key=lambda pair: -pair[0])][:_MOST]


def _can_be_filled(among: Offer, profile: Profile, said: Said, observations: Sequence[ToolMessage]) -> bool:
    """Whether names and places that it needs were said or observed."""
    filled = among.fill(profile, said.question)
    needed = [parameter for parameter in filled.missing if parameter.kind in _NAMED and parameter.kind != "text"]
    places = [found for found in among.profiles if found.spec.name in {seen.tool for seen in observations}]
    earlier = {parameter.kind.split()[-1] for each in places for parameter in each.parameters}
    return all(
        observed(observations, parameter) is not None or parameter.kind.split()[-1] in earlier for parameter in needed
    )


def _is_open(word: str, covered: set[str]) -> bool:
    return all(stemmed not in covered for stemmed in content_words(word))


def _takes(profile: Profile, identifiers: Sequence[str]) -> Sequence[Parameter]:
    """The parameters that what the question names could fill."""
    needed = [parameter for parameter in profile.parameters if parameter.required]
    if identifiers:
        return [p for p in needed if any(p.is_shaped(shape(each)) for each in identifiers)]
    return [parameter for parameter in needed if parameter.kind in _NAMED]


def _sort(parameter: Parameter) -> str:
    """Its kind, whichever way it goes: a place is a place."""
    return parameter.kind.split()[-1]


def _about(parameter: Parameter) -> frozenset[str]:
    return frozenset(parameter.nouns) | frozenset(content_words(parameter.description))


def _described(profile: Profile) -> frozenset[str]:
    spec = profile.spec
    return frozenset(content_words(f"{spec.name.replace('_', ' ')} {spec.description}"))
