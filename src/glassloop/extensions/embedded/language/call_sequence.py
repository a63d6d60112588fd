"""Several calls for one question: a part of it each, or a first one that yields what the second one needs.

Owns the order of calls and their bound. Each step is worked out anew from the question and what was observed, so that
nothing has to be kept between steps.
"""

import re
from collections.abc import Sequence

import msgspec

from glassloop.core.messages import ToolMessage, ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import stem, word_set
from glassloop.extensions.embedded.language.observed_values import observed
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_choice import (
    ENOUGH,
    EarlierQuestion,
    Meaning,
    ToolChoice,
    choose,
    rank,
)
from glassloop.extensions.embedded.language.tool_scores import MEANT, OfferedTools, lexical_score, offer_tools

MAX_CALLS = 3
CLEAR = 2.6
"""What a part of a question must reach by itself to be a question of its own."""

_LEFT_OVER, _SOME = 1.8, 0.5
_WHOLE = 0.4
_MAX_PARTS = 4
_BREAK = re.compile(
    r"[;?!。？；！]\s*|\.\s+|(?:(?<!\s)\s++)?(?:,\s*+)?\b(?:and\s+then|and\s+also|and|then|also|afterwards|und\s+dann|und|dann|sowie)\b[\s,]*+"
    r"|，|然后|并且|并|接着|再(?!订货|次|度)",
    re.IGNORECASE,
)
_RELATES = re.compile(
    r"\bwhere\s+(?!is\b|are\b|was\b|can\b|do\b|does\b)\w|\bwhose\b|\b(?:city|town|place|office|home|address)\s+of\b"
    r"|['’]s\s+(?:city|town|office|home|place|location|address)\b|\bwo\s+(?:[A-ZÄÖÜ]|die\b|der\b|das\b|mein)|所在",
)
_POSSESSIVE = re.compile(r"\b(?:of|for|from|von|vom|whose|where|wo)\b|['’]s\b|的")
_THIN = frozenset(
    map(
        stem,
        word_set(
            "left remain remaining open current free total first last latest most details info information status "
            "state person date list find show check number how_much how_many how_long name customer"
        ),
    )
)
"""Words that go with many tools: they speak for a second call only where something else does."""

_PLACED = frozenset({"place", "source place", "target place"})
_HOLDS_THE_KEY = frozenset({"name", "identifier", "place", "date"})


def next_call(
    tools: Sequence[ToolSpec],
    question: ParsedQuestion,
    before: EarlierQuestion,
    observations: Sequence[ToolMessage] = (),
    meaning: Meaning | None = None,
) -> ToolChoice | None:
    """What to call or to ask next; None where nothing fits, or all is done."""
    if len(observations) >= MAX_CALLS or any(seen.is_error for seen in observations):
        return None
    done = {seen.tool for seen in observations}
    for choice in _plan(tools, question, before, meaning):
        if choice.tool not in done:
            whole = completed(choice, observations)
            return whole if not (done and whole.missing) else None
    return _left_over(offer_tools(tools), question, observations) if len(observations) == 1 else None


def _plan(
    tools: Sequence[ToolSpec], question: ParsedQuestion, before: EarlierQuestion, meaning: Meaning | None
) -> Sequence[ToolChoice]:
    among = offer_tools(tools)
    chosen = choose(tools, question, before, meaning)
    if chosen is None:
        return ()
    parts = parts_of(among, question)
    if parts:
        return parts
    unsure = _unsure(among, question, chosen)
    if unsure.missing and (first := _provider(among, question, unsure, meaning)):
        return (first, unsure)
    return (chosen,)


def _unsure(among: OfferedTools, question: ParsedQuestion, chosen: ToolChoice) -> ToolChoice:
    """`where Ada works` names a person where a place is wanted: that argument is still to be found."""
    if not _RELATES.search(question.text):
        return chosen
    profile = next(profile for profile in among.profiles if profile.spec.name == chosen.tool)
    doubtful = tuple(p for p in profile.parameters if p.required and p.kind in _PLACED and p.name in chosen.args)
    args = {name: value for name, value in chosen.args.items() if all(p.name != name for p in doubtful)}
    return msgspec.structs.replace(chosen, args=args, missing=(*chosen.missing, *doubtful))


def _left_over(among: OfferedTools, question: ParsedQuestion, observations: Sequence[ToolMessage]) -> ToolChoice | None:
    """A tool that the words no called tool knows speak for, if what it needs was observed."""
    called = [profile for profile in among.profiles if any(profile.spec.name == seen.tool for seen in observations)]
    known = {word for profile in called for word in profile.weights}
    used = {value for profile in called for value in _values(among.fill(profile, question).args)}
    said = [
        {key: weight for key, weight in term.items() if weight >= MEANT}
        for (word, _), term in zip(question.terms, among.terms(question), strict=True)
        if word not in _THIN
    ]
    terms = [term for term in said if known.isdisjoint(term)]
    best: tuple[float, ToolChoice] | None = None
    for choice in rank(among, question) if terms else ():
        profile = next(profile for profile in among.profiles if profile.spec.name == choice.tool)
        converts = any(p.kind == "target unit" and p.name in choice.args for p in profile.parameters)
        score = lexical_score(question, terms, profile, among.rarity) + (_LEFT_OVER if converts else 0.0)
        if profile in called or score < _LEFT_OVER or (best and score <= best[0]):
            continue
        own = {name: value for name, value in choice.args.items() if not (isinstance(value, str) and value in used)}
        needed = tuple(p for p in profile.parameters if p.required and p.name not in own)
        whole = completed(msgspec.structs.replace(choice, args=own, missing=needed), observations)
        if needed and not whole.missing:
            best = (score, whole)
    return best[1] if best else None


def _values(args: dict[str, Json]) -> list[str]:
    return [value for value in args.values() if isinstance(value, str)]


def part_texts(text: str) -> list[str]:
    """Where a question may fall apart."""
    return [part for part in _BREAK.split(text) if part and part.strip()]


def parts_of(among: OfferedTools, question: ParsedQuestion) -> Sequence[ToolChoice]:
    """A call for each part that is clear by itself; nothing where there are not two different ones."""
    texts = part_texts(question.text)
    if not 2 <= len(texts) <= _MAX_PARTS:
        return ()
    whole = {choice.tool: choice for choice in rank(among, question)}
    found: list[ToolChoice] = []
    for index, text in enumerate(texts):
        own = rank(among, ParsedQuestion(text))
        mixed = [_weighed(choice, whole, _WHOLE if index else 0.0) for choice in own if choice.score >= CLEAR]
        best = max(mixed, key=lambda choice: choice.score, default=None)
        if best is not None and all(best.tool != other.tool for other in found):
            found.append(_borrowed(among, question, best, found))
    return found[:MAX_CALLS] if len(found) > 1 and not found[0].missing else ()


def _weighed(choice: ToolChoice, whole: dict[str, ToolChoice], share: float) -> ToolChoice:
    other = whole.get(choice.tool)
    return msgspec.structs.replace(choice, score=choice.score + share * other.score) if other else choice


def _borrowed(
    among: OfferedTools, question: ParsedQuestion, choice: ToolChoice, earlier: Sequence[ToolChoice]
) -> ToolChoice:
    """What a part does not say is taken from the calls before it, then from the whole question."""
    if not choice.missing:
        return choice
    profile = next(profile for profile in among.profiles if profile.spec.name == choice.tool)
    said = among.fill(profile, question).args
    args: dict[str, Json] = dict(choice.args)
    for parameter in choice.missing:
        given = [other.args[parameter.name] for other in earlier if parameter.name in other.args]
        if given:
            args[parameter.name] = given[-1]
        elif parameter.kind != "text" and parameter.name in said:
            args[parameter.name] = said[parameter.name]
    return _with(choice, args)


def _provider(
    among: OfferedTools, question: ParsedQuestion, chosen: ToolChoice, meaning: Meaning | None
) -> ToolChoice | None:
    """A tool that only looks, and can use what the chosen one cannot: what it finds may be what is missing."""
    profiles = {profile.spec.name: profile for profile in among.profiles}
    for choice in rank(among, question, meaning):
        if choice.score < (_SOME if chosen.effect == "read" and _POSSESSIVE.search(question.text) else ENOUGH):
            return None
        used = list(chosen.args.values())
        keys = [p for p in profiles[choice.tool].parameters if p.required and p.kind in _HOLDS_THE_KEY]
        new = any(choice.args.get(p.name, used) not in used for p in keys if p.name in choice.args)
        if choice.tool != chosen.tool and choice.effect == "read" and not choice.missing and new:
            return choice
    return None


def completed(choice: ToolChoice, observations: Sequence[ToolMessage]) -> ToolChoice:
    args = dict(choice.args)
    for parameter in choice.missing if observations else ():
        value = observed(observations, parameter, only=choice.effect != "read")
        if value is not None:
            args[parameter.name] = value
    return _with(choice, args)


def _with(choice: ToolChoice, args: dict[str, Json]) -> ToolChoice:
    missing = tuple(parameter for parameter in choice.missing if parameter.name not in args)
    return msgspec.structs.replace(choice, args=args, missing=missing)
