"""The one tool that fits a question, or why there is none: which of its words a tool uses, and which are left over.

Owns the law of `reflex`: a tool fits only where nothing of the question is left over and nothing that it needs is
missing. Of several the one is taken that most words speak for.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, Literal

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.extensions.reflex import arguments
from glassloop.extensions.reflex.coverage import Coverage, joined
from glassloop.extensions.reflex.question import MAX_QUESTION, PhraseIndex, TokenizedQuestion
from glassloop.extensions.reflex.tool import ToolWords, read_tool
from glassloop.extensions.reflex.values import conversion_in, converted, sum_in
from glassloop.extensions.reflex.words import (
    NEUTRAL,
    NEUTRAL_CHINESE,
    NEUTRAL_GERMAN,
    NEUTRAL_PHRASES,
    NOW,
    OWN,
    PAST,
    norm,
)

_STATEMENT: Final = re.compile(
    r"^(?P<order>[^:：]{1,60}?)(?: that | ?[:：] ?)(?P<rest>.{1,900})$", re.IGNORECASE | re.DOTALL
)
_POLITE: Final = re.compile(r"^ ?(?:(?:please|kindly|can you|could you|would you|请|帮我) ?){1,3}", re.IGNORECASE)
_MAKING: Final = frozenset(map(norm, ("make", "add", "take", "write", "down", "new", "open", "create", "save", "keep")))
_WHEN: Final = frozenset(("when", "wann"))
_NOTHING: Final = ToolWords(name="")


class ToolFit(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool makes of a question. `used` has each content word and what it was used for; `strong` counts those
    that speak for this tool by its name, its subject or an argument. `doubts` counts names that were taken for an
    argument because nothing else takes them, and parameters that nothing was said of. `is_near`: some word speaks for
    it."""

    tool: str
    args: dict[str, Json]
    strong: int = 0
    unused: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    doubts: int = 0
    used: tuple[tuple[str, str], ...] = ()
    is_near: bool = False

    @property
    def is_whole(self) -> bool:
        return self.is_near and not self.unused and not self.missing


def fit(question: TokenizedQuestion, tool: ToolWords) -> ToolFit:
    """The tool with the arguments that the question says."""
    whole = _as_a_whole(question, tool)
    if whole is not None:
        used = tuple((token.text, "argument") for token in question.tokens)
        return ToolFit(tool=tool.name, args=whole, strong=len(used), used=used, is_near=True)
    coverage = Coverage(question, tool)
    arguments.take_phrases(coverage)
    arguments.take_pairs(coverage)
    arguments.take_identifiers(coverage)
    arguments.take_dates(coverage)
    arguments.take_numbers(coverage)
    _take_sayings(coverage)
    _take_subject(coverage)
    _take_neutral(coverage)
    arguments.take_quoted(coverage)
    arguments.take_names(coverage)
    arguments.take_rest(coverage)
    arguments.take_search(coverage)
    return _told(coverage)


def content_of(question: TokenizedQuestion) -> tuple[str, ...]:
    """The words that an answer would have to use."""
    coverage = Coverage(question, _NOTHING)
    _take_neutral(coverage)
    return tuple(joined([coverage.tokens[at] for at in coverage.left()]))


def _told(coverage: Coverage) -> ToolFit:
    tokens, tool = coverage.tokens, coverage.tool
    left = joined([token for at, token in enumerate(tokens) if at not in coverage.taken or at in coverage.doubtful])
    if tool.effect != "read" and not _is_order(coverage.question, tool):
        # A question never changes anything.
        left = left or [coverage.question.text]
    others = tool.is_own and OWN.isdisjoint(token.text.lower() for token in tokens)
    given = any(parameter.name in coverage.args for parameter in tool.required)
    return ToolFit(
        tool=tool.name,
        args=coverage.args,
        strong=sum(used in ("subject", "argument") for used in coverage.taken.values()),
        unused=tuple(left),
        missing=tuple(parameter.name for parameter in tool.required if parameter.name not in coverage.args),
        used=tuple((tokens[at].text, used) for at, used in sorted(coverage.taken.items()) if used != "neutral"),
        doubts=10 * coverage.guessed + sum(parameter.name not in coverage.args for parameter in tool.parameters),
        is_near=not others and (bool(coverage.spoken) or (given and "description" in coverage.taken.values())),
    )


def _as_a_whole(question: TokenizedQuestion, tool: ToolWords) -> dict[str, Json] | None:
    """The arguments of a question that has one form from end to end: a sum, a conversion, a statement to keep."""
    needed = tool.required
    if len(needed) == 1 and needed[0].name == "expression" and (said := sum_in(question.text)):
        return {"expression": said}
    if (conversion := conversion_in(question.text)) is not None:
        return converted(tool, conversion)
    return None if tool.effect == "read" else _statement(question, tool)


def _statement(question: TokenizedQuestion, tool: ToolWords) -> dict[str, Json] | None:
    """`Remember that …`, `Make a note: …`: an order in the tool's own words, and the text it is for."""
    found = _STATEMENT.match(question.text)
    needed = tool.required
    if found is None or len(needed) != 1 or needed[0].kind != "text":
        return None
    order = TokenizedQuestion(_POLITE.sub("", found["order"])).tokens
    known = tool.subject | tool.clause
    content = [token for token in order if token.text.lower() not in NEUTRAL and token.norm not in _MAKING]
    ordered = bool(order) and order[0].norm in known | _MAKING
    if not ordered or not content or not all(token.norm in known for token in content):
        return None
    return {needed[0].name: found["rest"].strip()}


def _is_order(question: TokenizedQuestion, tool: ToolWords) -> bool:
    """Whether it begins with a word of the tool's name."""
    order = TokenizedQuestion(_POLITE.sub("", question.text)).tokens
    return bool(order) and order[0].norm in {norm(part) for part in tool.name.split("_")}


def _take_sayings(coverage: Coverage) -> None:
    """Ways to ask for the tool that its description has in quotes. A single word uses itself up and names no tool."""
    for saying in coverage.tool.sayings:
        for places in coverage.find(saying):
            free = [at for at in places if at not in coverage.taken]
            if free and all(coverage.taken.get(at, "argument") == "argument" for at in places):
                several = len(places) > 1
                coverage.take(free, "subject" if several else "description", speaks=several)


def _take_subject(coverage: Coverage) -> None:
    """The tool's own words. In a question that picks some out of many, what it tells besides is no filter."""
    tool = coverage.tool
    named = {word for parameter in tool.parameters for word in parameter.words} - tool.subject
    for at in coverage.left():
        word = coverage.tokens[at].norm
        if word in tool.subject:
            coverage.take([at], "subject", speaks=True)
        elif word not in named and (word in tool.clause or (word in tool.listing and not coverage.strict)):
            coverage.take([at], "description")
    if coverage.question.is_chinese:
        for phrase in sorted(_parts(tool.subject_chinese), key=len, reverse=True):
            coverage.cover(phrase, "subject", speaks=True)
        for phrase in () if coverage.strict else sorted(tool.listing_chinese, key=len, reverse=True):
            coverage.cover(phrase, "description", speaks=len(phrase) > 2)
    _take_joints(coverage)


def _take_joints(coverage: Coverage) -> None:
    """`by stage` and `profit and loss`, where the tool's name or description has them so: it always gives it like
    that."""
    words = [token.text.lower() for token in coverage.tokens]
    about = f"{coverage.tool.name.replace('_', ' ')}: {coverage.tool.description}"
    for at, word in enumerate(words[:-1]):
        if word == "by" and re.search(rf"\bby {re.escape(words[at + 1])}\b", about):
            coverage.take([at, at + 1], "description")
        phrase = re.escape(" ".join(words[max(at - 1, 0) : at + 2]))
        if word in ("and", "or") and at and re.search(rf"\b{phrase}\b", about):
            coverage.take([at], "description")


def _parts(terms: Sequence[str]) -> set[str]:
    """Chinese terms with what they begin and end with: 服务器状态 speaks of 服务器 and of 状态."""
    return {part for term in terms for at in range(len(term) + 1) for part in (term[:at], term[at:]) if len(part) > 1}


@cache
def _neutral_phrases(has_days: bool) -> PhraseIndex:
    """The longest first."""
    phrases = (*NEUTRAL_PHRASES, *NEUTRAL_CHINESE, *(() if has_days else NOW))
    return PhraseIndex(sorted(phrases, key=len, reverse=True))


def _take_neutral(coverage: Coverage) -> None:
    """What asks for nothing. The present is meant where a tool has no days to choose, the past only where it has, or
    where it was given what to look up."""
    has_days = coverage.tool.has_days
    dated = (
        has_days
        or coverage.tool.is_past
        or any(parameter.name in coverage.args for parameter in coverage.tool.required)
    )
    for _, spots in coverage.find_all(_neutral_phrases(has_days)):
        for places in spots:
            if all(coverage.taken.get(at) != "argument" for at in places):
                coverage.take([at for at in places if at not in coverage.taken], "neutral")
    neutral = NEUTRAL | PAST if dated else NEUTRAL
    neutral |= NEUTRAL_GERMAN if coverage.question.is_german else frozenset[str]()
    # A tool that says how it is asked tells a time only where one of these ways asks for one.
    neutral -= _WHEN if coverage.tool.sayings else frozenset[str]()
    coverage.take([at for at in coverage.left() if coverage.tokens[at].text.lower() in neutral], "neutral")


Reason = Literal["unused", "missing", "several", "sentences", "long"]


class DeclinedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Why nothing is called: words that no tool uses, what the nearest tool lacks, or tools that fit alike."""

    reason: Reason
    words: tuple[str, ...] = ()
    tool: str = ""


def choose(tools: Sequence[ToolSpec], text: str) -> ToolFit | DeclinedQuestion:
    """The tool that uses every word of the question and lacks nothing, if it is the only one or clearly the first."""
    if len(text) > MAX_QUESTION:
        return DeclinedQuestion(reason="long")
    question = TokenizedQuestion(text)
    fits = [fit(question, read_tool(spec)) for spec in tools]
    whole = sorted((one for one in fits if one.is_whole), key=_rank)
    if whole and question.sentences > 1 and whole[0].strong < len(question.tokens):
        return DeclinedQuestion(reason="sentences")
    if len(whole) > 1 and _rank(whole[0]) == _rank(whole[1]):
        alike = tuple(one.tool for one in whole if _rank(one) == _rank(whole[0]))
        return DeclinedQuestion(reason="several", words=alike)
    return whole[0] if whole else _why(fits, question)


def _rank(one: ToolFit) -> tuple[int, int]:
    """The one that most words speak for comes first; of those, the one that leaves least to be guessed."""
    return -one.strong, one.doubts


def _why(fits: Sequence[ToolFit], question: TokenizedQuestion) -> DeclinedQuestion:
    near = sorted(
        (one for one in fits if one.is_near), key=lambda one: (len(one.unused), len(one.missing), -one.strong)
    )
    if not near:
        words = content_of(question) or (question.text.strip(),)
        return DeclinedQuestion(reason="unused", words=words)
    best = near[0]
    if best.unused:
        return DeclinedQuestion(reason="unused", words=best.unused)
    return DeclinedQuestion(reason="missing", words=best.missing, tool=best.tool)
