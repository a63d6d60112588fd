"""Next call after an observation: the tool it made possible, where the question is not yet answered.

An observed value fills a parameter of a tool that the open words of the question speak for. Knows no tool and no
domain; where nothing is certain it says so, and the model decides.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.records import Json, ToolCall
from glassloop.core.text_terms import SMALL_WORDS, content_words, stem
from glassloop.extensions.embedded.advice.known_values import KnownValues
from glassloop.extensions.embedded.advice.observed_facts import (
    ObservedFact,
    asks_each,
    feeding,
    is_looked_up,
    pick_values,
)
from glassloop.extensions.embedded.advice.tool_chains import (
    asks_which,
    aspects,
    counted_nouns,
    described,
    meant_by,
    open_terms,
    told_by,
)
from glassloop.extensions.embedded.language.names import is_common
from glassloop.extensions.embedded.language.parameters import ParameterHints
from glassloop.extensions.embedded.language.question import ParsedQuestion
from glassloop.extensions.embedded.language.tool_choice import Meaning, part_texts
from glassloop.extensions.embedded.language.tool_scores import OfferedTools, ToolProfile, lexical_score
from glassloop.extensions.embedded.language.values import shape

MAX_TOOLS: Final = 2
_FREE: Final = frozenset({"text", "choice", "boolean", "array", "unknown", "time", "period"})
_CLEAR, _THIN, _NEAR = 2.0, 0.6, 0.75
_SHALLOW: Final = 2
_ASPECT, _MEANT, _CALLED_FOR, _NOUN = 2.0, 0.5, 1.0, 0.8


class NextCall(msgspec.Struct, frozen=True, kw_only=True):
    """A tool that can be called now, and with what: several values where any of them may be meant."""

    tool: str
    values: Mapping[str, tuple[Json, ...]]
    score: float = 0.0


class NextCallFinder:
    """One moment after an observation."""

    def __init__(
        self,
        among: OfferedTools,
        said: KnownValues,
        facts: Sequence[ObservedFact],
        calls: Sequence[ToolCall],
        meaning: Meaning | None,
        wanted: str | None,
    ) -> None:
        """`wanted`: the tool that was meant from the start and could not be called then."""
        self._among, self._said, self._facts, self._calls = among, said, facts, calls
        self._meaning = meaning or {}
        self._wanted = wanted
        self._question = said.question
        used = [str(value) for call in calls for value in call.args.values() if isinstance(value, str | int | float)]
        given = self._given()
        terms = open_terms(self._question, among, facts, used)
        self.open = [(word, term) for word, term in terms if word not in given]
        self._used = used
        self._asked = aspects(self._question)
        self._told = told_by(facts, self._question)
        self._covered = self._covered_by_calls()

    def _given(self) -> frozenset[str]:
        """What the calls were given values for: that thing was looked up."""
        parameters = [
            parameter
            for profile in self._among.profiles
            for parameter in profile.parameters
            if any(call.tool == profile.spec.name and parameter.name in call.args for call in self._calls)
        ]
        return frozenset(noun for parameter in parameters for noun in parameter.nouns)

    def _covered_by_calls(self) -> frozenset[str]:
        """What the tools that were called are for, and what they were given. Of what they only gave an identifier for,
        nothing is known yet, unless they are named after it."""
        found: set[str] = set()
        named: set[str] = set()
        for profile in self._among.profiles:
            if any(call.tool == profile.spec.name for call in self._calls):
                found |= described(profile)
                named |= set(content_words(profile.spec.name.replace("_", " ")))
        pointed = {
            word for fact in self._facts if fact.names and str(fact.value) not in self._used for word in fact.named
        }
        return frozenset((found - pointed) | named)

    def next(self) -> Sequence[NextCall]:
        """Tools of which one must be called now, the likeliest first; none where what was observed may be enough."""
        if not self._facts:
            return ()
        if rest := self._rest():
            return (rest,)
        thin = self.is_thin()
        if self.is_counted() or (thin and asks_which(self._question)):
            return ()
        found = sorted(self._able(), key=lambda each: -each.score)
        least = _THIN if thin else _CLEAR
        if not found or found[0].score < least:
            found = self._towards() or found
        if not found or found[0].score < least or (not thin and self.is_answered()):
            return ()
        near = [each for each in found if each.score >= found[0].score * _NEAR]
        return ([each for each in near if self._tells(each.tool)] or near)[:MAX_TOOLS]

    def _rest(self) -> NextCall | None:
        """The same once more, where all of those that were found are asked about."""
        last = self._calls[-1] if self._calls else None
        looked_up = [call.tool for call in self._calls if last is not None and call.tool != last.tool]
        if last is None or not (asks_each(self._question) or len(looked_up) > len(set(looked_up))):
            return None
        for profile in self._among.profiles:
            values = self._fed(profile) if profile.spec.name == last.tool and profile.spec.effect == "read" else None
            if values and not self._was_called(last.tool, values):
                return NextCall(tool=last.tool, values=values)
        return None

    def _towards(self) -> list[NextCall]:
        """A tool on the way to the one that is meant: it takes what was observed and speaks of what that one needs."""
        wanted = next((each for each in self._among.profiles if each.spec.name == self._wanted), None)
        if wanted is None or any(call.tool == self._wanted for call in self._calls):
            return []
        lacking = [p for p in wanted.parameters if p.required and not self._found(p)]
        told = {noun for parameter in lacking for noun in parameter.nouns}
        return [
            NextCall(tool=each.spec.name, values=values, score=_CLEAR)
            for each in self._among.profiles
            if each.spec.effect == "read"
            and told & described(each)
            and (values := self._fed(each))
            and not self._was_called(each.spec.name, values)
        ]

    def is_thin(self) -> bool:
        """Whether the last observation only says which thing is meant: what was asked about it is not there."""
        last = self._facts[-1].row[0]
        latest = [fact for fact in self._facts if fact.row[0] == last]
        return not any(self._is_news(fact) for fact in latest)

    def is_counted(self) -> bool:
        """Whether it is asked how many of those there are that were listed."""
        counted = counted_nouns(self._question)
        return any(fact.names and not counted.isdisjoint(fact.named) for fact in self._facts)

    def _is_news(self, fact: ObservedFact) -> bool:
        if fact.names or not fact.keys:
            return not fact.names
        if isinstance(fact.value, str):
            said = self._question.text.casefold()
            value = fact.value.casefold()
            echo = value in said or any(used.casefold() in value for used in self._used)
            return not echo and not (fact.named & {"nam", "titl", "label"} and len(fact.keys) <= _SHALLOW)
        return True

    def is_answered(self) -> bool:
        """Whether what is asked for stands in what was observed."""
        if self._calls and self._calls[-1].tool == self._wanted:
            return True
        if any(self._told.isdisjoint(words) for words in self._asked):
            return False
        return not any(meant_by(word, term, self._among).isdisjoint(self._covered) for word, term in self.open)

    def _able(self) -> Sequence[NextCall]:
        found: list[NextCall] = []
        for profile in self._among.profiles:
            if profile.spec.effect != "read" and not self._is_ordered(profile):
                continue
            values = self._fed(profile)
            if values and not self._was_called(profile.spec.name, values):
                found.append(NextCall(tool=profile.spec.name, values=values, score=self._score(profile, values)))
        return found

    def _is_ordered(self, profile: ToolProfile) -> bool:
        """Whether a part of the question tells to do it: what is only asked changes nothing."""
        return any(
            not part.asks and lexical_score(part, self._among.terms(part), profile, self._among.rarity) >= _CLEAR
            for part in map(ParsedQuestion, part_texts(self._question.text))
        )

    def _fed(self, profile: ToolProfile) -> Mapping[str, tuple[Json, ...]] | None:
        """What its parameters can be; None where nothing that was observed leads to it."""
        filled = self._among.fill(profile, self._question).args
        values: dict[str, tuple[Json, ...]] = {}
        fed = False
        for parameter in profile.parameters:
            if not parameter.required:
                continue
            found = self._found(parameter)
            own = filled.get(parameter.name)
            mine = own is not None and str(own) not in self._used
            if parameter.kind == "text" and profile.spec.effect != "read":
                continue
            if mine and not (found and parameter.kind in ("name", "place", "text")):
                values[parameter.name] = (own,)
            elif found and is_looked_up(parameter):
                values[parameter.name] = found
                fed = True
            elif parameter.kind not in _FREE or (parameter.kind == "text" and profile.spec.effect == "read"):
                return None
        return values if fed else None

    def _found(self, parameter: ParameterHints) -> tuple[Json, ...]:
        said = self._question.text.casefold()
        facts = [fact for fact in feeding(self._facts, parameter) if str(fact.value).casefold() not in said]
        if not facts:
            return ()
        last = max((fact.row[0] for fact in facts if str(fact.value) not in self._used), default=None)
        latest = [fact for fact in facts if fact.row[0] == last]
        found = pick_values(latest, self._facts, self._question, self._used)
        left = tuple(value for value in found if str(value) not in self._used)
        return left if len(left) == len(found) or asks_each(self._question) else ()

    def _was_called(self, tool: str, values: Mapping[str, tuple[Json, ...]]) -> bool:
        for call in self._calls:
            if call.tool == tool and all(call.args.get(name) in allowed for name, allowed in values.items()):
                return True
        return False

    def _score(self, profile: ToolProfile, values: Mapping[str, tuple[Json, ...]]) -> float:
        terms = [term for _, term in self.open]
        score = lexical_score(self._question, terms, profile, self._among.rarity)
        score += _ASPECT * self._tells(profile.spec.name)
        score += _MEANT * self._meaning.get(profile.spec.name, 0.0)
        score += _CALLED_FOR if profile.spec.name == self._wanted else 0.0
        nouns = {noun for p in profile.parameters if p.name in values for noun in p.nouns}
        return score + (_NOUN if nouns & {stem(word) for word in self._question.words} else 0.0)

    def _tells(self, tool: str) -> int:
        """How much of what is asked for, and was not observed, a tool says that it tells."""
        told = next(described(profile) for profile in self._among.profiles if profile.spec.name == tool)
        return sum(self._told.isdisjoint(words) and not words.isdisjoint(told) for words in self._asked)


_MAX_CALLS: Final = 4
_NAMED: Final = frozenset({"name", "place", "text"})
_JOINED: Final = re.compile(
    r",|&|\b(?:and|or|with|than|versus|vs|to|und|oder|mit|als|as\s+well\s+as)\b|和|与|还是|跟|比", re.IGNORECASE
)
_CAPITALS: Final = re.compile(r"(?<![\w-])[A-ZÄÖÜ][^\W\d_]+(?:[ -][A-ZÄÖÜ][^\W\d_]+)*(?![\w-])")
_PLAIN: Final = r"\s*+(?:,|&|\band\b|\bor\b|\bund\b|\boder\b)\s*+(?:(?:an?|the|eine?n?|der|die|das)\s++)?"
_MAX_BETWEEN: Final = 60


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
            others = [other for other in _others(value, parameter, said, among) if other.casefold() not in used]
            if others and sum(made.tool == call.tool for made in calls) < _MAX_CALLS:
                kept = {name: (old,) for name, old in call.args.items() if name != parameter.name}
                values: dict[str, tuple[Json, ...]] = {parameter.name: (others[0],), **kept}
                return NextCall(tool=call.tool, values=values)
    return None


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
        if len(between) <= _MAX_BETWEEN and _JOINED.search(between) and not re.search(r"[?!;]|\.\s", between):
            yield match.group()


def _words_beside(text: str, at: int, end: int, among: OfferedTools) -> Iterator[str]:
    after = re.match(rf"{_PLAIN}([^\W\d_]{{3,}})", text[end:], re.IGNORECASE)
    before = re.search(rf"(?<![^\W\d_])([^\W\d_]{{3,}}+){_PLAIN}$", text[:at], re.IGNORECASE)
    for match in (after, before):
        word = match[1] if match else ""
        if word and word.lower() not in SMALL_WORDS and among.words.isdisjoint(content_words(word)):
            yield word
