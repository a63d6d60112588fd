"""Choice of a tool and its arguments for one question, the ones before it, and the parts it falls into. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.records import Json
from glassloop.core.text_terms import has_cjk, stem, word_set
from glassloop.extensions.embedded.language.arguments import FilledArguments
from glassloop.extensions.embedded.language.lexicon import Term
from glassloop.extensions.embedded.language.parameters import ParameterHints, name_words
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.small_talk import is_general, is_small_talk, is_to_be_written
from glassloop.extensions.embedded.language.terms import WEAK
from glassloop.extensions.embedded.language.tool_scores import (
    MEANT,
    OfferedTools,
    ToolProfile,
    action_fit,
    action_of_question,
    lexical_score,
    offer_tools,
)
from glassloop.extensions.embedded.language.values import shape
from glassloop.extensions.embedded.language.words import words

ENOUGH = 1.8
"""One word of a tool's name or of the head of its description, two of the rest, or a piece only this tool can use."""

ASKING = 2.4
"""From here on a tool that misses an argument is worth asking back for."""

NEARLY = 0.8
"""A tool that can be called is taken before one that cannot if its score is at least this part of the other's."""

_ASTRAY, _TOLERATED = 2.5, 0.34
"""What a question loses whose words are mostly about something else, and the share of them that is forgiven."""

_UNUSED = 1.5
"""What a tool loses that leaves an identifier aside which another one knows."""

_SURE = 2.5
_ANY_WORDS = word_set("query search q text topic question keyword keywords term terms words subject item word title")
_GENERAL_NEEDS = 4.0
_BEFORE, _SAME_TOOL = 0.5, 1.0
_FRAGMENT = 4
_MAX_DEPTH = 2
_GOES_ON = re.compile(
    r"^(?:and|or|only|just|(?:which|who|how\s+many)\s+of|what\s+about|how\s+about|also|then|now|same|but|und|oder|was\s+ist\s+mit|wie\s+(?:ist|sieht)\s+es\s+(?:mit|in)|dann|auch|aber"
    r"|那|那么|还有|然后|再|换成)\b|^(?:那|还有|然后|换成|其中|只)|呢\s*[?？]?$",
    re.IGNORECASE,
)
_REFERS = words("refers")
_REFERS_CHINESE = re.compile(r"[它他她]|这个|那个|这些|那些|那里|那边")
_NOT_INHERITED = frozenset({"text", "array", "expression"})
_REMEMBERED = 3
"""Earlier questions that a short one may go on from."""

CLEAR = 2.6
"""What a part of a question must reach by itself to be a question of its own."""

_FLOOR, _WORTH = 0.3, 12.0
"""Texts about nothing in common are about this near in meaning; all above it counts so much."""

_MAX_CALLS, _MAX_PARTS = 3, 4
_WHOLE = 0.4
_BREAK = re.compile(
    r"[;?!。？；！]\s*|\.\s+|(?:(?<!\s)\s++)?(?:,\s*+)?\b(?:and\s+then|and\s+also|and|then|also|afterwards|und\s+dann|und|dann|sowie)\b[\s,]*+"
    r"|，|然后|并且|并|接着|再(?!订货|次|度)",
    re.IGNORECASE,
)


class ToolChoice(msgspec.Struct, frozen=True, kw_only=True):
    """A tool with its arguments, how well it fits, and which arguments are still missing."""

    tool: str
    args: dict[str, Json]
    score: float
    effect: str = "read"
    missing: tuple[ParameterHints, ...] = ()


class EarlierQuestion(msgspec.Struct, frozen=True):
    """What was asked before, the latest last, and whether it was answered with a question."""

    questions: tuple[str, ...] = ()
    asked_back: bool = False


Meaning = Mapping[str, float]
"""By tool, how near the question is to it in meaning, on the scale of the scores."""


def combine_scores(near: Sequence[float], tools: Sequence[ToolSpec]) -> Meaning:
    """Cosines on the scale of the lexical scores."""
    return {spec.name: round(max(0.0, each - _FLOOR) * _WORTH, 4) for spec, each in zip(tools, near, strict=True)}


def choose(
    tools: Sequence[ToolSpec],
    question: ParsedQuestion,
    before: EarlierQuestion | None = None,
    meaning: Meaning | None = None,
) -> ToolChoice | None:
    """The best tool, perhaps with something missing; None where none fits."""
    among = offer_tools(tools)
    if is_small_talk(question) or is_to_be_written(question, among.words):
        return None
    own = rank(among, question, meaning)
    if before is None or not before.questions or not _goes_on(question, before, own):
        sums = question.arithmetic is not None and not question.identifiers and not among.calculates
        needed = _GENERAL_NEEDS if sums or is_general(question) else ENOUGH
        return pick(own, needed)
    return pick(_with_before(among, tools, question, own, before))


def rank(among: OfferedTools, question: ParsedQuestion, meaning: Meaning | None = None) -> list[ToolChoice]:
    """Every tool that may be meant, the best first, the first among equals."""
    terms = among.terms(question)
    said = {word for term in terms for word, weight in term.items() if weight >= MEANT}
    spoken = {word for term in terms for word in term}
    claimed = {found.text for found in question.identifiers if shape(found.text) in among.claims}
    wanted = action_of_question(question.text, question.terms, asks=question.asks)
    found: list[ToolChoice] = []
    for profile in among.profiles:
        if profile.spec.effect != "read" and profile.calls_for.isdisjoint(said if wanted != profile.action else spoken):
            continue
        near = meaning.get(profile.spec.name, 0.0) if meaning else 0.0
        shared = lexical_score(question, terms, profile, among.rarity)
        fit = action_fit(wanted, profile.action) if shared else 0.0
        filled = among.fill(profile, question)
        score = shared + near + fit + filled.evidence - _UNUSED * (bool(claimed) and claimed.isdisjoint(_texts(filled)))
        if score >= ENOUGH:
            score -= _ASTRAY * max(0.0, _uncovered(question, terms, profile, filled) - _TOLERATED)
        found.append(_choice(profile, filled, score))
    return sorted(found, key=lambda choice: -choice.score)


def pick(ranked: Sequence[ToolChoice], needed: float = ENOUGH) -> ToolChoice | None:
    """The best; one that lacks an argument only where nothing nearly as good could be called."""
    if not ranked or ranked[0].score < needed:
        return None
    best = ranked[0]
    if not best.missing:
        return best
    for other in ranked[1:]:
        if other.score < max(needed, best.score * NEARLY):
            break
        if not other.missing and other.effect == "read":
            return other
    return best if best.score >= max(needed, ASKING) else None


def _uncovered(question: ParsedQuestion, terms: Sequence[Term], profile: ToolProfile, filled: FilledArguments) -> float:
    """The share of the question's words that neither speak for the tool nor went into an argument of its own kind.
    Free text takes any words."""
    kinds = {p.name: p.kind for p in profile.parameters}
    takes_any = {name for name, kind in kinds.items() if kind == "text" and _ANY_WORDS & set(name_words(name))}
    free = any(kinds.get(name) == "text" for name in filled.args) and profile.spec.effect != "read"
    if free or filled.evidence >= _SURE or takes_any & filled.args.keys():
        return 0.0
    used = {stem(w) for value in filled.args.values() for w in re.findall(r"[^\W\d_]+", str(value).lower())}
    counted = [
        bool(term.keys() & profile.weights.keys()) or word in used
        for (word, _), term in zip(question.terms, terms, strict=True)
        if max(term.values(), default=0.0) > WEAK and word.isascii()
    ]
    return counted.count(False) / len(counted) if counted else 0.0


def _texts(filled: FilledArguments) -> set[str]:
    """The arguments as they were said; lists one by one."""
    found: set[str] = set()
    for value in filled.args.values():
        found |= set(map(str, cast("list[Json]", value))) if isinstance(value, list) else {str(value)}
    return found


def _choice(profile: ToolProfile, filled: FilledArguments, score: float) -> ToolChoice:
    return ToolChoice(
        tool=profile.spec.name,
        args=filled.args,
        score=score,
        effect=profile.spec.effect,
        missing=filled.missing,
    )


def _goes_on(question: ParsedQuestion, before: EarlierQuestion, own: Sequence[ToolChoice]) -> bool:
    """Whether it can only be understood with the question before it."""
    text = question.text.strip()
    words = re.findall(r"[^\W_]+", text.lower())
    if _GOES_ON.search(text):
        return True
    best = pick(own)
    if best is not None and not best.missing:
        return False
    if before.asked_back and len(question.terms) <= _FRAGMENT * (3 if has_cjk(text) else 1):
        return True
    refers = _REFERS_CHINESE.search(text) if has_cjk(text) else not _REFERS.isdisjoint(words)
    return bool(refers) or (best is None and not question.asks and len(words) <= _FRAGMENT - 1)


def _with_before(
    among: OfferedTools,
    tools: Sequence[ToolSpec],
    question: ParsedQuestion,
    own: Sequence[ToolChoice],
    before: EarlierQuestion,
) -> list[ToolChoice]:
    """Both questions' scores, and the earlier one's arguments where this one has none."""
    earlier = ParsedQuestion(before.questions[-1])
    rest = EarlierQuestion(before.questions[:-1][-_MAX_DEPTH:])
    last = choose(tools, earlier, rest if len(before.questions) > 1 else None)
    scores = {choice.tool: choice for choice in rank(among, earlier)}
    profiles = {profile.spec.name: profile for profile in among.profiles}
    mine = {choice.tool: choice for choice in own}
    found: list[ToolChoice] = []
    for name in dict.fromkeys((*mine, *scores)):
        now, then = mine.get(name), scores.get(name)
        same = last is not None and last.tool == name
        given = last.args if same and last else then.args if then else {}
        parameters = profiles[name].parameters
        given = given or among.fill(profiles[name], earlier).args
        kept = {p.name: given[p.name] for p in parameters if p.name in given and (same or p.kind not in _NOT_INHERITED)}
        args = {**kept, **(now.args if now else among.fill(profiles[name], question).args)}
        score = (now.score if now else 0.0) + _BEFORE * (then.score if then else 0.0) + (_SAME_TOOL if same else 0.0)
        missing = tuple(p for p in parameters if p.required and p.name not in args)
        effect = profiles[name].spec.effect
        found.append(ToolChoice(tool=name, args=args, score=score, effect=effect, missing=missing))
    return sorted(found, key=lambda choice: -choice.score)


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
            found.append(best)
    return found[:_MAX_CALLS] if len(found) > 1 and not found[0].missing else ()


def _weighed(choice: ToolChoice, whole: dict[str, ToolChoice], share: float) -> ToolChoice:
    other = whole.get(choice.tool)
    return msgspec.structs.replace(choice, score=choice.score + share * other.score) if other else choice


def since_question(messages: Sequence[Message]) -> tuple[str, list[ToolMessage], EarlierQuestion]:
    """The question, the observations since, and the questions before."""
    observations: list[ToolMessage] = []
    asked: list[str] = []
    said = ""
    for message in reversed(messages):
        if isinstance(message, ToolMessage) and not asked:
            observations.insert(0, message)
        elif isinstance(message, AssistantMessage) and len(asked) == 1:
            said = said or message.text
        elif isinstance(message, UserMessage) and message.author == "person":
            asked.append(message.content)
            if len(asked) > _REMEMBERED:
                break
    before = EarlierQuestion(tuple(reversed(asked[1:])), _was_asked_back(said))
    return asked[0] if asked else "", observations, before


def _was_asked_back(text: str) -> bool:
    """Whether an earlier answer ended in a question."""
    lines = [line for line in text[-1000:].splitlines() if line.strip() and not line.startswith("_")]
    return bool(lines) and ("?" in lines[-1] or "？" in lines[-1])
