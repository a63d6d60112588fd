"""What is advised at one moment of a turn: what `reflex`'s rules would do, as a hint, and bound where it is certain.

Owns what is advised. Rules choose worse than a large model and better than a small one; what they find (values, what is
missing, what comes next) a small model mostly overlooks. It still decides: only what cannot be right is taken from it.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.advice import PREFIX
from glassloop.core.messages import Message, ToolMessage, ToolSpec, UserMessage
from glassloop.core.records import Advice, Json
from glassloop.models.advice.chains import (
    intents,
    left_over,
    names_something,
    out_of_reach,
    providers,
    stands_for_another,
)
from glassloop.models.advice.review import ASK
from glassloop.models.advice.said import Said
from glassloop.models.advice.values import Possible, possible
from glassloop.models.reflex.chatter import is_general, is_small_talk, is_to_be_written
from glassloop.models.reflex.choosing import Choice, Meaning, rank
from glassloop.models.reflex.conversation import since_question
from glassloop.models.reflex.matching import Offer, offer
from glassloop.models.reflex.meaning import weighed
from glassloop.models.reflex.parameters import Parameter
from glassloop.models.reflex.sequence import next_call
from glassloop.models.shortlist import liking

SURE: Final = 5.0
"""From here on a tool is so likely that it must be called before anything is answered."""

NEAR: Final = 0.85
"""What part of its score another tool may have then."""

_TOLD_BY_MODEL: Final = frozenset({"choice", "boolean", "array", "text", "expression", "source unit", "target unit"})
"""Kinds that a model may fill from words that rules do not understand: nobody is asked for these."""

_PERHAPS: Final = 3
_LONGEST_VALUE: Final = 80
_MOST_VALUES: Final = 6


class Advised:
    """One moment of a turn: what was said, what can be called, and what the rules make of it."""

    def __init__(
        self, question: str, messages: Sequence[Message], specs: Sequence[ToolSpec], near: Sequence[float] | None
    ) -> None:
        """`near`: the cosine of each tool to the question, where there is an embedder."""
        self.messages, self.specs = messages, specs
        self.near = near
        self.meaning: Meaning | None = None if near is None else weighed(near, specs)
        self.among: Offer = offer(specs)
        self.profiles = {profile.spec.name: profile for profile in self.among.profiles}
        self.said = Said(question, messages)
        _, self.observations, self.before = since_question(messages)
        self.now = self._possible(self.said)

    def advice(self) -> Advice:
        """What the next decision may be."""
        asked = self.said.question
        if (unsaid := _unsaid(self.messages)) is not None:
            return Advice(tools=(), asks=(unsaid,))
        if self.observations:
            return self._after()
        if is_small_talk(asked):
            return Advice(text=f"{PREFIX} this needs no tool.", tools=())
        if is_to_be_written(asked, self.among.words):
            return self._bound(Advice(text=f"{PREFIX} no tool is for this: answer it yourself."))
        choice = self._next(())
        far = self._out_of_reach(self.now)
        if far is not None:
            return self._missing(Choice(tool=far, args={}, score=0.0), self.now[far].lacks)
        if choice is None:
            return self._perhaps()
        lacking = self._lacking(choice)
        if lacking and is_general(asked):
            return self._bound(Advice())
        return self._missing(choice, lacking) if lacking else self._fits(choice)

    def _lacking(self, choice: Choice) -> tuple[Parameter, ...]:
        """What the question does not say, of kinds that nobody can guess."""
        unsaid = [parameter for parameter in choice.missing if parameter.kind not in _TOLD_BY_MODEL]
        possible_now = self.now[choice.tool]
        unsaid = [parameter for parameter in unsaid if not possible_now.values.get(parameter.name)]
        another = stands_for_another(self.said, choice, self.profiles[choice.tool].parameters)
        return tuple({each.name: each for each in (*possible_now.lacks, *unsaid, *another)}.values())

    def _next(self, observations: Sequence[ToolMessage]) -> Choice | None:
        """What `reflex` would do next; a question is not meant to change anything."""
        asked = self.said.question
        specs = [spec for spec in self.specs if spec.effect == "read" or not asked.asks]
        return next_call(specs, asked, self.before, observations, self.meaning)

    def _out_of_reach(self, then: Mapping[str, Possible]) -> str | None:
        """The tool that is meant, where it could not be called with what was known then."""
        asked = self.said.question
        if is_general(asked):
            return None
        return out_of_reach(intents(self.among, asked, self.meaning), then, self._next(()))

    def _perhaps(self) -> Advice:
        """Nothing is clear: only the few likeliest tools are left, and that none may be needed."""
        likely = self._likely()
        text = f"{PREFIX} if a tool is needed, it is {_either(likely)}." if likely else ""
        return self._bound(Advice(text=text, tools=likely))

    def _likely(self, *first: str) -> tuple[str, ...]:
        """These, and the likeliest others that can be called, or that find what one lacks that cannot be."""
        scores, asked = liking(self.specs, self.said.question, self.near), self.said.question
        specs = sorted(self.specs, key=lambda spec: -scores[spec.name])
        meant = [spec.name for spec in specs if spec.effect == "read" or not asked.asks]
        named = names_something(self.said, self.among)
        found = dict.fromkeys(first)
        for name in meant[:_PERHAPS]:
            lacks = self.now[name].lacks
            if lacks and named:
                wanted = Choice(tool=name, args={}, score=0.0, missing=lacks)
                found |= dict.fromkeys(providers(self.among, self.said, self.now, wanted)[:1])
            elif not lacks:
                found[name] = None
        able = [name for name in meant if not self.now[name].lacks and name not in found]
        return (*found, *able[: max(0, _PERHAPS - len(found))])

    def _fits(self, choice: Choice) -> Advice:
        told = f"{PREFIX} {self._named(choice)} fits what is asked."
        if self._is_sure(choice):
            return self._bound(Advice(text=told, tools=(choice.tool,), answers=False))
        return self._bound(Advice(text=told, tools=self._likely(choice.tool)))

    def _is_sure(self, choice: Choice) -> bool:
        """Whether nothing else can be meant: it uses what the question names, and no other tool is near."""
        asked = self.said.question
        kinds = {parameter.name: parameter.kind for parameter in self.profiles[choice.tool].parameters}
        named = any(kinds.get(name) not in (None, "text") for name in choice.args)
        if choice.score < SURE or choice.missing or not named or is_general(asked):
            return False
        others = [other.score for other in rank(self.among, asked, self.meaning) if other.tool != choice.tool]
        return max(others, default=0.0) <= choice.score * NEAR

    def _missing(self, choice: Choice, lacking: tuple[Parameter, ...]) -> Advice:
        """Something else may find out what is missing; where nothing is named that could lead to it, the person must
        say it."""
        wanted = msgspec.structs.replace(choice, missing=lacking)
        first = providers(self.among, self.said, self.now, wanted) if names_something(self.said, self.among) else ()
        needs = f"`{choice.tool}` needs {_asked_for(lacking)}"
        if self._leaves_a_number(choice):
            return self._perhaps()
        if first:
            text = f"{PREFIX} {needs}. To find it, first call {_either(first)}."
            others = tuple(name for name in self._likely(*first) if name != choice.tool)
            return self._bound(Advice(text=text, tools=others))
        asks = tuple(parameter.name for parameter in lacking)
        return Advice(text=f"{PREFIX} {needs}, and nobody said it. Ask the user for it.", tools=(), asks=asks)

    def _leaves_a_number(self, choice: Choice) -> bool:
        """Whether the question holds a number that the tool has no use for: then another may be meant."""
        takes = any(parameter.kind in ("number", "integer") for parameter in self.profiles[choice.tool].parameters)
        return bool(self.said.question.numbers) and not takes

    def _after(self) -> Advice:
        """After an observation: what the rest of the question needs, if anything."""
        if self.observations[-1].is_error:
            return self._bound(Advice())
        told = [message for message in self.messages if not isinstance(message, ToolMessage)]
        before = self._possible(Said(self.said.question.text, told))
        more = left_over(self.among, self.said, self.now, before, self.observations, self.meaning)
        if more:
            return self._bound(Advice(text=f"{PREFIX} part of the question is open: {_either(more)}."))
        meant = self._out_of_reach(before)
        if meant is not None:
            reached = all(seen.tool != meant for seen in self.observations) and not self.now[meant].lacks
            return self._bound(Advice(text=f"{PREFIX} now `{meant}` can be called." if reached else ""))
        choice = self._next(self.observations)
        if choice is not None and not self._lacking(choice):
            return self._bound(Advice(text=f"{PREFIX} still open: {self._named(choice)}."))
        return self._bound(Advice())

    def _bound(self, advice: Advice) -> Advice:
        """Only tools that can be called, with only the values there are."""
        names = [spec.name for spec in self.specs] if advice.tools is None else advice.tools
        able = tuple(name for name in names if not self.now[name].lacks)
        values: dict[str, dict[str, tuple[Json, ...]]] = {
            name: dict(self.now[name].values) for name in able if self.now[name].values
        }
        return msgspec.structs.replace(advice, tools=able, values=values, answers=advice.answers or not able)

    def _possible(self, said: Said) -> Mapping[str, Possible]:
        return {name: possible(profile, said, self.among) for name, profile in self.profiles.items()}

    def _named(self, choice: Choice) -> str:
        """The tool with its arguments. Those of an earlier question are only told with one that is new: else it is not
        known what of them should be different now."""
        known = self.now[choice.tool].values
        shown: list[str] = []
        new = not self.before.questions
        text = " ".join(self.said.texts[: 1 + len(self.said.observed)]).casefold()
        for name, value in list(choice.args.items())[:_MOST_VALUES]:
            new = new or str(value).casefold() in text
            allowed = known.get(name) or (value,)
            same = (each for each in allowed if str(each).casefold() == str(value).casefold())
            shown.append(f"{name} {str(next(same, value))[:_LONGEST_VALUE]!r}")
        return f"`{choice.tool}` with {', '.join(shown)}" if shown and new else f"`{choice.tool}`"


def _unsaid(messages: Sequence[Message]) -> str | None:
    """The parameter for which the last decision made something up, if it was sent back for that."""
    last = messages[-1] if messages else None
    if not isinstance(last, UserMessage) or not last.content.startswith(ASK):
        return None
    return last.content.split("`")[1] if "`" in last.content else ""


def _either(tools: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in tools)


def _asked_for(parameters: Sequence[Parameter]) -> str:
    def told(parameter: Parameter) -> str:
        about = parameter.description.split(",")[0].split(". ")[0].strip().rstrip(".")
        return f"`{parameter.name}` ({about})" if about and len(about) <= _LONGEST_VALUE else f"`{parameter.name}`"

    return ", ".join(map(told, parameters))
