"""Nouns that a question asks for, and chains of two tools: a lookup that must come first.

`how deep` wants a depth, `whose` an owner. The first tool of a chain takes what the question names and returns what the
second needs; no tool declares what it returns, so its description is used.
"""

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from glassloop.core.text_terms import SMALL_WORDS, content_words, stem, word_set
from glassloop.extensions.embedded.advice.known_values import CallableTool, KnownValues, is_built_alike
from glassloop.extensions.embedded.advice.observed_facts import PEOPLE, ObservedFact, is_looked_up, is_of_person
from glassloop.extensions.embedded.language.lexicon import Term
from glassloop.extensions.embedded.language.names import is_common
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.terms import WEAK_WORDS
from glassloop.extensions.embedded.language.tool_choice import Meaning, ToolChoice
from glassloop.extensions.embedded.language.tool_scores import MEANT, OfferedTools, ToolProfile, lexical_score
from glassloop.extensions.embedded.language.values import shape
from glassloop.extensions.embedded.language.words import stems, table

_GIVEN: Final = frozenset({"name", "place", "identifier", "text"})
_ASPECT: Final = 2.0
_OWN_NAME: Final = 0.5
_UNTOLD: Final = frozenset(map(stem, word_set("number id code no name the its exampl text such first last")))
_NAMED: Final = frozenset({"name", "text", "place", "source place", "target place"})
_MAX_TOOLS: Final = 2
_CLEARLY, _SOMEWHAT, ALONE, ALONE_NAMED = 1.0, 0.3, 3.5, 2.0
"""By how much a tool that cannot be called yet must be nearer than the best that can; what it must reach alone."""

_PLACES: Final = word_set("city town place port harbour harbor office home address location site")
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


_PATTERNS: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), frozenset(map(stem, word_set(words))))
    for words, pattern in table("aspects").items()
)
WHEN: Final = "@when"
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}|(?<!\d)\d{1,2}:\d{2}(?!\d)")
_ASKS_WHICH: Final = re.compile(
    r"(?<!phone )(?<!mobile )\b(?:number|id|identifier|code|sku|registration|reference|nummer|kennung)\b|编号|号码",
    re.IGNORECASE,
)
_WHICH: Final = re.compile(r"\b(?:which|what)\s+(?:kind\s+of\s+|sort\s+of\s+)?([^\W\d_]{3,})", re.IGNORECASE)
_COUNTED: Final = re.compile(r"\bhow\s+many\s+([^\W\d_]{3,})", re.IGNORECASE)
_FRAME: Final = stems("frame")

_SAYS_LITTLE: Final = _FRAME | WEAK_WORDS | SMALL_WORDS


def aspects(question: ParsedQuestion) -> Sequence[frozenset[str]]:
    """Words for each thing that is asked, which the question need not say itself."""
    return [words for pattern, words in _PATTERNS if pattern.search(question.text)]


def asked_nouns(question: ParsedQuestion) -> frozenset[str]:
    """What the answer is to be: `in which town` asks for a town and names none."""
    return frozenset(stem(match[1].lower()) for match in _WHICH.finditer(question.text))


def counted_nouns(question: ParsedQuestion) -> frozenset[str]:
    """Of what the question asks how many there are."""
    return frozenset(stem(match[1].lower()) for match in _COUNTED.finditer(question.text))


def asks_which(question: ParsedQuestion) -> bool:
    """Whether an identifier itself is asked for."""
    return _ASKS_WHICH.search(question.text) is not None


def open_terms(
    question: ParsedQuestion, among: OfferedTools, facts: Sequence[ObservedFact], said: Sequence[str]
) -> Sequence[tuple[str, Term]]:
    """Words of the question that the tools know, and that name neither what was looked up with (`said`) nor anything
    that was observed."""
    used = {stem(word) for value in said for word in re.findall(r"[^\W\d_]+", value.casefold())}
    known = told_by(facts, question)
    asking = {part for pattern, _ in _PATTERNS for match in pattern.finditer(question.text) for part in _parts(match)}
    found: list[tuple[str, Term]] = []
    for (word, _), term in zip(question.terms, among.terms(question), strict=True):
        meant = {key for key, weight in term.items() if weight >= MEANT} | {word}
        if word in used or word.split("_")[-1] in asking or word in _SAYS_LITTLE:
            continue
        if known.isdisjoint(meant_by(word, term, among)) and not among.words.isdisjoint(meant):
            found.append((word, term))
    return found


def meant_by(word: str, term: Term, among: OfferedTools) -> frozenset[str]:
    """What tells it. A tool's own word is told by itself alone: something like it, of another tool, is no answer."""
    if word in among.words:
        return frozenset({word})
    return frozenset({word, *(key for key, weight in term.items() if weight >= MEANT)})


def _parts(match: re.Match[str]) -> set[str]:
    words = re.findall(r"[^\W\d_]+", match.group().lower())
    return {*words, *map(stem, words)}


def told_by(facts: Sequence[ObservedFact], question: ParsedQuestion) -> frozenset[str]:
    """What the observations speak of: the words of their keys, and those of their texts. An identifier tells which
    thing it is and nothing about it, unless just that was asked."""
    words: set[str] = set()
    which = asked_nouns(question)
    for fact in facts:
        own = {stem(word) for key in fact.keys for word in name_words(key)}
        words |= own & which if fact.names and not asks_which(question) else own
        if isinstance(fact.value, str):
            words |= set(content_words(fact.value))
            words |= {WHEN} if _MOMENT.search(fact.value) else set()
    return frozenset(words)


def described(profile: ToolProfile) -> frozenset[str]:
    """The words a tool is described with."""
    return frozenset(content_words(f"{profile.spec.name.replace('_', ' ')} {profile.spec.description}"))
