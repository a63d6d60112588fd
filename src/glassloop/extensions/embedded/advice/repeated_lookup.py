"""Repeated lookup: the same tool for a second thing that the question names, `A or B`, `in X and in Y`.

Finds what stands beside a value that was looked up. Only tools that read are asked again.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from glassloop.core.records import Json, ToolCall
from glassloop.core.text_terms import SMALL_WORDS, content_words
from glassloop.extensions.embedded.advice.known_values import KnownValues
from glassloop.extensions.embedded.advice.next_call import NextCall
from glassloop.extensions.embedded.language.call_sequence import CLEAR, part_texts
from glassloop.extensions.embedded.language.parameters import ParameterHints
from glassloop.extensions.embedded.language.phrases.names import is_common
from glassloop.extensions.embedded.language.phrases.single_values import shape
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_choice import rank
from glassloop.extensions.embedded.language.tool_scores import OfferedTools

_MAX_CALLS: Final = 4
_NAMED: Final = frozenset({"name", "place", "text"})
_JOINED: Final = re.compile(
    r",|&|\b(?:and|or|with|than|versus|vs|to|und|oder|mit|als|as\s+well\s+as)\b|和|与|还是|跟|比", re.IGNORECASE
)
_CAPITALS: Final = re.compile(r"(?<![\w-])[A-ZÄÖÜ][^\W\d_]+(?:[ -][A-ZÄÖÜ][^\W\d_]+)*(?![\w-])")
_PLAIN: Final = r"\s*+(?:,|&|\band\b|\bor\b|\bund\b|\boder\b)\s*+(?:(?:an?|the|eine?n?|der|die|das)\s++)?"
_NEAR: Final = 60


def repeated_call(among: OfferedTools, said: KnownValues, calls: Sequence[ToolCall]) -> NextCall | None:
    """The call that is still open, like one that was made."""
    used = {str(value).casefold() for call in calls for value in call.args.values()}
    profiles = {profile.spec.name: profile for profile in among.profiles}
    for call in reversed(calls):
        profile = profiles.get(call.tool)
        if profile is None or profile.spec.effect != "read":
            continue
        for parameter in profile.parameters:
            value = call.args.get(parameter.name)
            if not parameter.required or not isinstance(value, str):
                continue
            others = [
                other
                for other in _others(value, parameter, said, among)
                if other.casefold() not in used and not _has_its_own(other, value, call.tool, said, among)
            ]
            if others and sum(made.tool == call.tool for made in calls) < _MAX_CALLS:
                kept = {name: (old,) for name, old in call.args.items() if name != parameter.name}
                values: dict[str, tuple[Json, ...]] = {parameter.name: (others[0],), **kept}
                return NextCall(tool=call.tool, values=values, why=others[0])
    return None


def _has_its_own(other: str, value: str, tool: str, said: KnownValues, among: OfferedTools) -> bool:
    """Whether it stands in a part of the question that another tool is for."""
    for part in part_texts(said.question.text):
        if other in part and value.casefold() not in part.casefold():
            best = next(iter(rank(among, ParsedQuestion(part))), None)
            return best is not None and best.tool != tool and best.score >= CLEAR
    return False


def _others(value: str, parameter: ParameterHints, said: KnownValues, among: OfferedTools) -> Iterator[str]:
    text = said.question.text
    if parameter.kind == "identifier":
        mine = shape(value)
        yield from (found.text for found in said.question.identifiers if shape(found.text) == mine)
        return
    if parameter.kind not in _NAMED:
        return
    at = text.casefold().find(value.casefold())
    if at < 0:
        return
    end = at + len(value)
    if value[:1].isupper() and text[at].isupper():
        yield from _names_beside(text, at, end)
    else:
        yield from _words_beside(text, at, end, among)


def _names_beside(text: str, at: int, end: int) -> Iterator[str]:
    for match in _CAPITALS.finditer(text):
        if match.end() <= at:
            between = text[match.end() : at]
        elif match.start() >= end:
            between = text[end : match.start()]
        else:
            continue
        first = match.start() == 0 or text[: match.start()].rstrip().endswith((".", "?", "!"))
        words = match.group().split()
        if first and is_common(words[0], german=False):
            continue
        if len(between) <= _NEAR and _JOINED.search(between) and not re.search(r"[?!;]|\.\s", between):
            yield _whole(text, match)


def _whole(text: str, match: re.Match[str]) -> str:
    """A name goes on in small letters where no sentence does: `River meadow`."""
    after = re.match(r" ([a-zäöü]+)(?=[?.!,]|$)", text[match.end() :])
    more = after[1] if after else ""
    return (
        f"{match.group()} {more}"
        if more and more not in SMALL_WORDS and not is_common(more, german=False)
        else match.group()
    )


def _words_beside(text: str, at: int, end: int, among: OfferedTools) -> Iterator[str]:
    after = re.match(rf"{_PLAIN}([^\W\d_]{{3,}})", text[end:], re.IGNORECASE)
    before = re.search(rf"(?<![^\W\d_])([^\W\d_]{{3,}}+){_PLAIN}$", text[:at], re.IGNORECASE)
    for match in (after, before):
        word = match[1] if match else ""
        if word and word.lower() not in SMALL_WORDS and among.words.isdisjoint(content_words(word)):
            yield word
