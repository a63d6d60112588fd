"""Chains of two tools: a lookup that must come first, or the tool that is left after an observation.

The first takes what the question names and returns what the second needs. No tool declares what it returns, so its
description is used.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from glassloop.core.messages import ToolMessage
from glassloop.core.text_terms import SMALL_WORDS, content_words, stem, word_set
from glassloop.extensions.embedded.advice.asked_nouns import asked_nouns, aspects, described
from glassloop.extensions.embedded.advice.known_values import CallableTool, KnownValues, is_built_alike
from glassloop.extensions.embedded.advice.observed_facts import PEOPLE, is_looked_up, is_of_person
from glassloop.extensions.embedded.language.names import is_common
from glassloop.extensions.embedded.language.parameters import ParameterHints
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_choice import Meaning, ToolChoice
from glassloop.extensions.embedded.language.tool_scores import OfferedTools, ToolProfile, lexical_score
from glassloop.extensions.embedded.language.values import shape

_GIVEN: Final = frozenset({"name", "place", "identifier", "text"})
_ASPECT: Final = 2.0
_OWN_NAME: Final = 0.5
_UNTOLD: Final = frozenset(map(stem, word_set("number id code no name the its exampl text such first last")))
_NAMED: Final = frozenset({"name", "text", "place", "source place", "target place"})
_MAX_TOOLS: Final = 2
_ENABLED, _LEFT = 2.0, 2.2
"""What the words that no observation answers must share with a tool: one that only now can be called, or any other."""

_CLEARLY, _SOMEWHAT, ALONE, ALONE_NAMED = 1.0, 0.3, 3.5, 2.0
"""By how much a tool that cannot be called yet must be nearer than the best that can; what it must reach alone."""

_PLACES: Final = word_set("city town place port harbour harbor office home address location site")
_SEVERAL: Final = re.compile(r"\b(?:and|und|also|sowie|then|dann)\b|[;?。？；]\s*\S|然后|并且|再", re.IGNORECASE)
_RELATED: Final = re.compile(r"(?<![^\W\d_])([^\W\d_]{3,}+)\s++(?:of|for|from|von|vom)\b", re.IGNORECASE)
_OF: Final = r"(?<![^\W\d_])([^\W\d_]++)\s++(?:of|where|von|vom)\s+"
_SOME: Final = re.compile(r"\b(?:an?|some|any|of)\s+([^\W\d_]{3,})", re.IGNORECASE)
_EVERYDAY: Final = word_set("i i'm i'd i've ok please")


def intents(among: OfferedTools, question: ParsedQuestion, meaning: Meaning | None) -> Mapping[str, float]:
    """How near the question is to each tool by its words, by what it asks for and by its meaning, whether it can be
    called or not. What is asked for is not what a tool has to be given."""
    terms = among.terms(question)
    wanted, asked = aspects(question), asked_nouns(question)
    return {
        profile.spec.name: lexical_score(question, terms, profile, among.rarity)
        + _ASPECT * sum(not words.isdisjoint(described(profile)) for words in wanted)
        + (meaning.get(profile.spec.name, 0.0) if meaning else 0.0)
        for profile in among.profiles
        if (profile.spec.effect == "read" or not question.asks) and not is_asked_for(profile, asked, question)
    }


def is_asked_for(profile: ToolProfile, asked: frozenset[str], question: ParsedQuestion) -> bool:
    """Whether the tool needs what the question wants to know: `in which town` is for no tool that takes a town."""
    if not asked or question.identifiers:
        return False
    return any(
        p.required and p.kind in _GIVEN and p.nouns and p.nouns <= asked and _is_the_only(p, profile)
        for p in profile.parameters
    )


def _is_the_only(parameter: ParameterHints, profile: ToolProfile) -> bool:
    return all(other is parameter or not other.required for other in profile.parameters)


def out_of_reach(
    likely: Mapping[str, float],
    now: Mapping[str, CallableTool],
    choice: ToolChoice | None,
    rivals: Mapping[str, float],
    alone: float = ALONE,
) -> str | None:
    """A tool that is meant more clearly than the one that was chosen, or than any that has all it needs (`rivals`), and
    cannot be called yet."""
    meant = [name for name in likely if name in rivals or (now[name].lacks and all(map(is_looked_up, now[name].lacks)))]
    best = max(meant, key=lambda name: likely[name], default=None)
    if best is None or not now[best].lacks or (choice is not None and best == choice.tool):
        return None
    least = alone if choice is None else likely.get(choice.tool, 0.0) + _CLEARLY
    least = max(least, max(rivals.values(), default=0.0) + (_CLEARLY if choice is None else _SOMEWHAT))
    return best if likely[best] >= least else None


def names_something(said: KnownValues, among: OfferedTools) -> bool:
    """Whether the question names a thing that a tool could look up: an identifier, a number, something quoted, a name,
    or a word that neither the tools nor everybody uses."""
    question = said.question
    if question.identifiers or question.quoted or question.numbers:
        return True
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)?", question.text)
    named = [word for word in words[1:] if word[:1].isupper() and word.lower() not in SMALL_WORDS | _EVERYDAY]
    rare = [word for word in words if len(word) > 3 and not is_common(word, german=False)]
    rare += [match[1] for match in _SOME.finditer(question.text)]
    return bool(named) or any(content_words(word) and among.words.isdisjoint(content_words(word)) for word in rare)


def stands_for_another(
    said: KnownValues, choice: ToolChoice, parameters: Sequence[ParameterHints]
) -> tuple[ParameterHints, ...]:
    """Parameters whose value only tells whose it is: `the home port of Ada` names no port, `Ada's office` no office."""
    text = said.question.text
    found: list[ParameterHints] = []
    for parameter in parameters:
        value = choice.args.get(parameter.name)
        if parameter.kind not in _NAMED or not isinstance(value, str) or not value:
            continue
        nouns = parameter.nouns | _PLACES if "place" in parameter.kind else parameter.nouns
        nouns = nouns | PEOPLE if is_of_person(parameter) else nouns
        name = re.escape(value)
        of = re.search(rf"{_OF}(?:(?:the|our)\s+)?(?:[^\W\d_]+\s+)?{name}", text, re.IGNORECASE)
        own = re.search(rf"{name}(?:['’]s?)\s+(?:\w+\s+)?([^\W\d_]+)", text, re.IGNORECASE)
        if any(match and stem(match[1].lower()) in set(map(stem, nouns)) for match in (of, own)):
            found.append(parameter)
    return tuple(found)


def providers(
    among: OfferedTools, said: KnownValues, now: Mapping[str, CallableTool], wanted: ToolChoice
) -> Sequence[str]:
    """Tools that may find out what the wanted one lacks: they only look, can be called, take what it cannot use, and
    speak of what is missing. The likeliest first."""
    direct = _providing(among, said, now, wanted)
    if direct:
        return direct
    # None that can be called tells it: one may find what those need that do.
    told = {word for parameter in wanted.missing for word in _about(parameter)} - _UNTOLD
    for profile in among.profiles:
        name = profile.spec.name
        if name != wanted.tool and profile.spec.effect == "read" and now[name].lacks and told & described(profile):
            inner = ToolChoice(tool=name, args={}, score=0.0, missing=now[name].lacks)
            if found := _providing(among, said, now, inner, {_sort(p) for p in wanted.missing}):
                return found
    return ()


def _providing(
    among: OfferedTools,
    said: KnownValues,
    now: Mapping[str, CallableTool],
    wanted: ToolChoice,
    unknown: AbstractSet[str] = frozenset(),
) -> Sequence[str]:
    """`unknown`: what is to be found in the end, and cannot be given therefore."""
    lacking = {parameter.name for parameter in wanted.missing}
    used = {str(value) for name, value in wanted.args.items() if name not in lacking}
    told = {word for parameter in wanted.missing for word in _about(parameter)} - _UNTOLD
    told |= {stem(match[1].lower()) for match in _RELATED.finditer(said.question.text)} - _UNTOLD
    named = frozenset(content_words(wanted.tool.replace("_", " "))) - told - _UNTOLD
    free = [found.text for found in said.question.identifiers if found.text not in used]
    # What needs a place itself finds none; identifiers are of many kinds.
    needs = ({_sort(parameter) for parameter in wanted.missing} | unknown) - {"identifier"}
    terms = among.terms(said.question)
    found: list[tuple[float, str]] = []
    for profile in among.profiles:
        name = profile.spec.name
        takes = {_sort(parameter) for parameter in _takes(profile, free, among, said.question)}
        if name == wanted.tool or profile.spec.effect != "read" or now[name].lacks or takes <= needs:
            continue
        spoken = len(told & described(profile)) + _OWN_NAME * len(named & described(profile))
        if spoken or free:
            found.append((spoken + 0.4 * lexical_score(said.question, terms, profile, among.rarity), name))
    ranked = sorted(found, key=lambda pair: -pair[0])
    return [name for score, name in ranked if score >= 0.6 * ranked[0][0]][:_MAX_TOOLS]


def left_over(
    among: OfferedTools,
    said: KnownValues,
    now: Mapping[str, CallableTool],
    before: Mapping[str, CallableTool],
    observations: Sequence[ToolMessage],
    meaning: Meaning | None,
) -> Sequence[str]:
    """Tools for what the observations do not answer: those that only now can be called, and those that are meant at
    least as much as what was called, or as another part of the question. Best first."""
    done = {seen.tool for seen in observations}
    seen = " ".join(message.content for message in observations)
    called = [profile for profile in among.profiles if profile.spec.name in done]
    covered = {*content_words(seen.replace("_", " ")), *(word for each in called for word in described(each))}
    left = ParsedQuestion(
        " ".join(word for word in re.findall(r"[^\W_]+", said.question.text) if _is_open(word, covered))
    )
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
        filled = among.fill(profile, said.question).args
        if any(p.required and p.name not in filled and _is_computed_with(p) for p in profile.parameters):
            continue
        score = lexical_score(left, terms, profile, among.rarity) / (_ENABLED if before[name].lacks else _LEFT)
        if score >= 1.0 and _can_be_filled(among, profile, said, observations):
            found.append((score, name))
    return [name for _, name in sorted(found, key=lambda pair: -pair[0])][:_MAX_TOOLS]


def _can_be_filled(
    among: OfferedTools, profile: ToolProfile, said: KnownValues, observations: Sequence[ToolMessage]
) -> bool:
    """Whether names and places that it needs were said, or are such as were looked up with."""
    filled = among.fill(profile, said.question)
    needed = [parameter for parameter in filled.missing if parameter.kind in _NAMED and parameter.kind != "text"]
    places = [found for found in among.profiles if found.spec.name in {seen.tool for seen in observations}]
    earlier = {parameter.kind.split()[-1] for each in places for parameter in each.parameters}
    return all(parameter.kind.split()[-1] in earlier for parameter in needed)


def _is_computed_with(parameter: ParameterHints) -> bool:
    return parameter.kind == "date" or not is_looked_up(parameter)


def _is_open(word: str, covered: set[str]) -> bool:
    return all(stemmed not in covered for stemmed in content_words(word))


def _takes(
    profile: ToolProfile, identifiers: Sequence[str], among: OfferedTools, question: ParsedQuestion
) -> Sequence[ParameterHints]:
    """The parameters that what the question names could fill."""
    needed = [parameter for parameter in profile.parameters if parameter.required]
    filled = among.fill(profile, question)
    if needed and not filled.missing and not identifiers and all(p.kind not in _NAMED for p in needed):
        return needed
    if identifiers:
        shapes = [shape(each) for each in identifiers]
        loose = [prefix for prefix in shapes if prefix not in among.claims]
        return [p for p in needed if any(map(p.is_shaped, shapes)) or any(is_built_alike(each, p) for each in loose)]
    return [parameter for parameter in needed if parameter.kind in _NAMED]


def _sort(parameter: ParameterHints) -> str:
    """Its kind, whichever way it goes: a place is a place. A name is one of something."""
    named = parameter.kind == "name"
    return " ".join(sorted(parameter.nouns)) if named and parameter.nouns else parameter.kind.split()[-1]


def _about(parameter: ParameterHints) -> frozenset[str]:
    return frozenset(parameter.nouns) | frozenset(content_words(parameter.description))
