"""Advice at one moment of a turn: what plain rules would do, as a hint, and binding where it is certain.

Rules choose worse than a large model and better than a small one; what they find (values, what is missing, what comes
next) a small model mostly overlooks. The model still decides: only what cannot be right is taken from it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.messages import Message, ToolMessage, ToolSpec
from glassloop.core.records import Advice, Json, Refusal, ToolCall
from glassloop.core.text_terms import has_cjk
from glassloop.extensions.embedded.advice.arithmetic import ArithmeticCalls
from glassloop.extensions.embedded.advice.decision_review import AGAIN, UNSAID, hint
from glassloop.extensions.embedded.advice.known_values import (
    CallableTool,
    KnownValues,
    callable_tools,
    calls_since_question,
)
from glassloop.extensions.embedded.advice.next_call import NextCall, NextCallFinder, repeated_call
from glassloop.extensions.embedded.advice.observed_facts import ObservedFact, facts_of, is_looked_up
from glassloop.extensions.embedded.advice.tool_chains import (
    ALONE,
    ALONE_NAMED,
    asked_nouns,
    intents,
    is_asked_for,
    names_something,
    out_of_reach,
    providers,
    stands_for_another,
)
from glassloop.extensions.embedded.language.parameters import ParameterHints
from glassloop.extensions.embedded.language.small_talk import is_general, is_small_talk, is_to_be_written
from glassloop.extensions.embedded.language.tool_choice import (
    Meaning,
    ToolChoice,
    choose,
    combine_scores,
    parts_of,
    rank,
    since_question,
)
from glassloop.extensions.embedded.language.tool_scores import OfferedTools, offer_tools
from glassloop.extensions.embedded.language.values import currencies_in, of_money
from glassloop.extensions.embedded.shortlist import similarity_scores

MAX_VALUE: Final = 80
MAX_VALUES: Final = 6
SURE: Final = 5.0
"""From here on a tool is so likely that it must be called before anything is answered."""

NEAR: Final = 0.85
"""What part of its score another tool may have then."""

_TOLD_BY_MODEL: Final = frozenset({"choice", "boolean", "array", "text", "expression", "source unit", "target unit"})
"""Kinds that a model may fill from words that rules do not understand: nobody is asked for these."""

MAX_STEPS: Final = 5
"""After so many observations nothing is bound any more."""

_WORDED: Final = frozenset({"text", "array", "boolean"})
_DECIDED: Final = frozenset({"date", "time", "period", "text"})
_HOW_TO: Final = re.compile(r"^\s*how\s+(?:(?:do|can|should|would|could)\s+(?:i|you|we|one)|to)\b", re.IGNORECASE)
_THERE: Final = re.compile(r"\b(?:there|dort)\b|那里|那儿", re.IGNORECASE)
_NO_TOOL: Final = hint("no tool is for this: answer it yourself.")
_SIZED: Final = re.compile(r"^\s*how\s+(?:old|tall|big|deep)\b", re.IGNORECASE)
_WHOLE: Final = hint("all of it was observed: answer every part of the question.")
_PERHAPS: Final = 3
_MAX_FREE: Final = 12
_INTENT: Final = 0.15


class TurnAdvice:
    """One moment of a turn: what was said, what can be called, and what the rules make of it."""

    def __init__(
        self,
        question: str,
        messages: Sequence[Message],
        specs: Sequence[ToolSpec],
        near: Sequence[float] | None,
        refused: Refusal | None = None,
    ) -> None:
        """`near`: the cosine of each tool to the question, where there is an embedder. `refused`: why the last decision
        did not stand."""
        self.messages, self.specs, self.refused = messages, specs, refused
        self.near = near
        self.meaning: Meaning | None = None if near is None else combine_scores(near, specs)
        self.among: OfferedTools = offer_tools(specs)
        self.profiles = {profile.spec.name: profile for profile in self.among.profiles}
        self.said = KnownValues(question, messages)
        _, self.observations, self.before = since_question(messages)
        self.now = self._possible(self.said)
        asked = self.said.question
        self.named = bool(asked.proper or asked.identifiers or asked.quoted)
        self.general = is_general(self.said.question) and not self.said.question.identifiers

    def advice(self) -> Advice:
        """What the next decision may be."""
        asked = self.said.question
        if self.refused is not None and self.refused.reason == UNSAID:
            return Advice(tools=(), asks=(self.refused.parameter,))
        if self.observations:
            return self._after()
        if is_small_talk(asked):
            return Advice(text=hint("this needs no tool."), tools=())
        if is_to_be_written(asked, self.among.words):
            return self._bound(Advice(text=_NO_TOOL))
        choice = self._chosen()
        far = self._out_of_reach(self.now)
        if far is not None:
            return self._missing(ToolChoice(tool=far, args={}, score=0.0), self.now[far].lacks, guessed=choice is None)
        if choice is None and self.general and _SIZED.search(asked.text) is None:
            return self._bound(Advice(text=_NO_TOOL))
        if choice is None:
            return self._perhaps()
        lacking = self._lacking(choice)
        if lacking and self.general:
            return self._bound(Advice())
        return self._missing(choice, lacking) if lacking else self._fits(choice)

    def _lacking(self, choice: ToolChoice) -> tuple[ParameterHints, ...]:
        """What the question does not say, of kinds that nobody can guess."""
        text = self.said.question.text
        unsaid = [
            parameter
            for parameter in choice.missing
            if parameter.kind not in _TOLD_BY_MODEL or (of_money(parameter) and len(currencies_in(text)) == 1)
        ]
        possible_now = self.now[choice.tool]
        # Names, places and times are not read in Chinese: they may have been said.
        unsaid = [] if has_cjk(text) else [each for each in unsaid if not possible_now.values.get(each.name)]
        another = stands_for_another(self.said, choice, self.profiles[choice.tool].parameters)
        return tuple({each.name: each for each in (*possible_now.lacks, *unsaid, *another)}.values())

    def _chosen(self) -> ToolChoice | None:
        """The tool that the question means; a question is not meant to change anything."""
        asked = self.said.question
        nouns = asked_nouns(asked)
        specs = [
            spec
            for spec in self.specs
            if (spec.effect == "read" or not asked.asks) and not is_asked_for(self.profiles[spec.name], nouns, asked)
        ]
        parts = parts_of(self.among, asked)
        chosen = choose(specs, asked, self.before, self.meaning)
        return parts[0] if chosen is not None and parts else chosen

    def _out_of_reach(self, then: Mapping[str, CallableTool]) -> str | None:
        """The tool that is meant, where it could not be called with what was known then."""
        asked = self.said.question
        if self.general or asked.arithmetic is not None:
            return None
        likely = intents(self.among, asked, self.meaning)
        filled = {name: self.among.fill(profile, asked) for name, profile in self.profiles.items() if name in likely}
        rivals = {
            name: likely[name] + found.evidence
            for name, found in filled.items()
            if found.args and not found.missing and not then[name].lacks
        }
        alone = ALONE_NAMED if self.named else ALONE
        return out_of_reach(likely, then, self._chosen(), rivals, alone)

    def _perhaps(self) -> Advice:
        """Nothing is clear: only the few likeliest tools are left, and that none may be needed."""
        likely = self._likely()
        counted = [name for name in likely if self._uses_a_number(name)]
        if len(counted) == 1:
            args = self.among.fill(self.profiles[counted[0]], self.said.question).args
            return self._fits(ToolChoice(tool=counted[0], args=args, score=0.0))
        text = hint(f"if a tool is needed, it is {either(likely)}.") if likely else ""
        return self._bound(Advice(text=text, tools=likely))

    def _likely(self, *first: str) -> tuple[str, ...]:
        """These, and the likeliest others that can be called, or that find what one lacks that cannot be."""
        asked = self.said.question
        scores, likely = similarity_scores(self.specs, asked, self.near), intents(self.among, asked, self.meaning)
        told = {name: self.among.fill(profile, asked) for name, profile in self.profiles.items()}
        whole = {name: found.evidence for name, found in told.items() if not found.missing}
        meant = {name: likely.get(name, 0.0) + whole.get(name, 0.0) for name in self.profiles}
        specs = sorted(self.specs, key=lambda spec: -scores[spec.name] - _INTENT * meant[spec.name])
        names = [spec.name for spec in specs if spec.effect == "read" or not asked.asks]
        named = names_something(self.said, self.among)
        found = dict.fromkeys(first)
        for name in names[:_PERHAPS]:
            lacks = self.now[name].lacks
            if lacks and named:
                wanted = ToolChoice(tool=name, args={}, score=0.0, missing=lacks)
                found |= dict.fromkeys(providers(self.among, self.said, self.now, wanted)[:1])
            elif not lacks:
                found[name] = None
        able = [name for name in names if not self.now[name].lacks and name not in found]
        return (*found, *able[: max(0, _PERHAPS - len(found))])

    def _fits(self, choice: ToolChoice) -> Advice:
        told = hint(f"{self._named(choice)} fits what is asked.")
        if self._is_sure(choice):
            return self._bound(Advice(text=told, tools=(choice.tool,), answers=False, meant=choice.tool))
        return self._bound(Advice(text=told, tools=self._likely(choice.tool), meant=choice.tool))

    def _is_sure(self, choice: ToolChoice) -> bool:
        """Whether nothing else can be meant: it uses what the question names, and no other tool is near."""
        asked = self.said.question
        kinds = {parameter.name: parameter.kind for parameter in self.profiles[choice.tool].parameters}
        named = any(kinds.get(name) not in (None, "text") for name in choice.args)
        if choice.score < SURE or choice.missing or not named or self.general:
            return False
        others = [other.score for other in rank(self.among, asked, self.meaning) if other.tool != choice.tool]
        return max(others, default=0.0) <= choice.score * NEAR

    def _missing(self, choice: ToolChoice, lacking: tuple[ParameterHints, ...], *, guessed: bool = False) -> Advice:
        """Something else may find out what is missing; where nothing is named that could lead to it, the person must
        say it. Where the tool itself is `guessed`, others may be meant."""
        wanted = msgspec.structs.replace(choice, missing=lacking)
        found = names_something(self.said, self.among) and not self._only_people_know(choice, lacking)
        first = providers(self.among, self.said, self.now, wanted) if found else ()
        needs = f"`{choice.tool}` needs {needed(lacking)}"
        if self._leaves_a_number(choice) or (guessed and not first and self.named):
            return self._perhaps()
        if first:
            text = hint(f"{needs}. To find it, first call {either(first)}.")
            others = tuple(name for name in self._likely(*first) if name != choice.tool)
            certain = self.named and _HOW_TO.search(self.said.question.text) is None
            return self._bound(Advice(text=text, tools=others, answers=not certain, meant=choice.tool))
        asks = tuple(parameter.name for parameter in lacking)
        return Advice(text=hint(f"{needs}, and nobody said it. Ask the user for it."), tools=(), asks=asks)

    def _uses_a_number(self, tool: str) -> bool:
        """Whether it needs a number that the question says, and nothing that it does not."""
        profile = self.profiles[tool]
        filled = self.among.fill(profile, self.said.question)
        takes = any(p.required and p.kind in ("number", "integer") for p in profile.parameters)
        return takes and not filled.missing and bool(self.said.question.numbers)

    def _only_people_know(self, choice: ToolChoice, lacking: Sequence[ParameterHints]) -> bool:
        """Whether it is for the person to say: how many, and on which day, something is to be done."""
        acts = self.profiles[choice.tool].spec.effect != "read"
        return acts and any(p.kind in _DECIDED or not is_looked_up(p) for p in lacking)

    def _leaves_a_number(self, choice: ToolChoice) -> bool:
        """Whether the question holds a number that the tool has no use for: then another may be meant."""
        takes = any(parameter.kind in ("number", "integer") for parameter in self.profiles[choice.tool].parameters)
        return bool(self.said.question.numbers) and not takes

    def _after(self) -> Advice:
        """After an observation: what the rest of the question needs, if anything."""
        if self.observations[-1].is_error:
            return self._bound(Advice())
        talk = [message for message in self.messages if not isinstance(message, ToolMessage)]
        before = self._possible(KnownValues(self.said.question.text, talk))
        calls, facts = calls_since_question(self.messages), facts_of(self.observations)
        chosen = self._chosen()
        meant = self._out_of_reach(before) or (chosen.tool if chosen and before[chosen.tool].lacks else None)
        chain = NextCallFinder(self.among, self.said, facts, calls, self.meaning, meant)
        if following := self._following(chain, facts, calls):
            return self._must(following)
        if self._goes_round(calls):
            return Advice(text=_WHOLE, tools=())
        last = self.profiles.get(calls[-1].tool) if calls else None
        acted = last is not None and last.spec.effect != "read"
        told = bool(facts) and (chain.is_counted() or (not chain.is_thin() and chain.is_answered()))
        if acted or told or len(self.observations) > 1:
            return self._bound(Advice(text=_WHOLE if len(self.observations) > 1 else ""))
        if meant is not None:
            reached = all(seen.tool != meant for seen in self.observations) and not self.now[meant].lacks
            return self._bound(Advice(text=hint(f"now `{meant}` can be called.") if reached else ""))
        return self._bound(Advice())

    def _goes_round(self, calls: Sequence[ToolCall]) -> bool:
        """Whether the same was called again: all that is left is to answer."""
        again = self.refused is not None and self.refused.reason == AGAIN
        made = [(call.tool, call.args) for call in calls]
        return again or any(call in made[:at] for at, call in enumerate(made))

    def _following(
        self, chain: NextCallFinder, facts: Sequence[ObservedFact], calls: Sequence[ToolCall]
    ) -> Sequence[NextCall]:
        """What must be called now, as what was observed cannot answer the question yet."""
        asked = self.said.question
        if len(self.observations) >= MAX_STEPS:
            return ()
        again = repeated_call(self.among, self.said, calls)
        part = self._part(calls)
        if again is not None and (part is None or part.tool == again.tool):
            return (again,)
        if found := chain.next():
            return found
        if part is not None:
            return (part,)
        computed = ArithmeticCalls(self.among, asked, facts, calls).next()
        return (computed,) if computed is not None else ()

    def _part(self, calls: Sequence[ToolCall]) -> NextCall | None:
        """A part of the question that is clear by itself, and has not had its tool."""
        asked, done = self.said.question, {call.tool for call in calls}
        for choice in parts_of(self.among, asked):
            if choice.tool in done or (asked.asks and choice.effect != "read"):
                continue
            whole = self._there(choice, calls)
            if not whole.missing and not self.now[choice.tool].lacks:
                free = {p.name for p in self.profiles[choice.tool].parameters if p.kind in _WORDED}
                bound = {name: (value,) for name, value in whole.args.items() if name not in free}
                return NextCall(tool=choice.tool, values=bound)
        return None

    def _there(self, choice: ToolChoice, calls: Sequence[ToolCall]) -> ToolChoice:
        """`from there` is the place that was asked about before."""
        if not choice.missing or _THERE.search(self.said.question.text) is None:
            return choice
        places = [
            call.args[parameter.name]
            for call in calls
            if call.tool in self.profiles
            for parameter in self.profiles[call.tool].parameters
            if "place" in parameter.kind and parameter.name in call.args
        ]
        needed = [parameter for parameter in choice.missing if "place" in parameter.kind]
        if len(needed) != len(choice.missing) or not places:
            return choice
        args = choice.args | {parameter.name: places[-1] for parameter in needed[:1]}
        return msgspec.structs.replace(choice, args=args, missing=tuple(needed[1:]))

    def _must(self, following: Sequence[NextCall]) -> Advice:
        """One of these has to be called: the values of its parameters are those that were found."""
        told = " or ".join(called_for(each) for each in following)
        values = {each.tool: dict(self.now[each.tool].values) | dict(each.values) for each in following}
        text = hint(f"that is not all yet: now call {told}.")
        return Advice(text=text, tools=tuple(values), values=values, answers=False)

    def _bound(self, advice: Advice) -> Advice:
        """Only tools that can be called, with only the values there are."""
        names = self._nearest() if advice.tools is None else advice.tools
        able = tuple(name for name in names if not self.now[name].lacks)
        values: dict[str, dict[str, tuple[Json, ...]]] = {
            name: dict(self.now[name].values) for name in able if self.now[name].values
        }
        return msgspec.structs.replace(advice, tools=able, values=values, answers=advice.answers or not able)

    def _nearest(self) -> Sequence[str]:
        """Those that may be called where nothing speaks for any: not more than a small model can choose from."""
        asked = self.said.question
        scores = similarity_scores(self.specs, asked, self.near)
        able = [spec.name for spec in self.specs if not self.now[spec.name].lacks]
        kept = frozenset(sorted(able, key=lambda name: -scores[name])[:_MAX_FREE])
        return [name for name in able if name in kept]

    def _possible(self, said: KnownValues) -> Mapping[str, CallableTool]:
        return {name: callable_tools(profile, said, self.among) for name, profile in self.profiles.items()}

    def _named(self, choice: ToolChoice) -> str:
        """The tool with its arguments. Those of an earlier question are only told with one that is new: else it is not
        known what of them should be different now."""
        known = self.now[choice.tool].values
        shown: list[str] = []
        new = not self.before.questions
        text = " ".join(self.said.texts[: 1 + len(self.said.observed)]).casefold()
        for name, value in list(choice.args.items())[:MAX_VALUES]:
            new = new or str(value).casefold() in text
            allowed = known.get(name) or (value,)
            same = (each for each in allowed if str(each).casefold() == str(value).casefold())
            shown.append(f"{name} {str(next(same, value))[:MAX_VALUE]!r}")
        return f"`{choice.tool}` with {', '.join(shown)}" if shown and new else f"`{choice.tool}`"


def either(tools: Sequence[str]) -> str:
    return " or ".join(f"`{name}`" for name in tools)


def needed(parameters: Sequence[ParameterHints]) -> str:
    """What is lacking, each with what it is."""

    def told(parameter: ParameterHints) -> str:
        about = parameter.description.split(",")[0].split(". ")[0].strip().rstrip(".")
        return f"`{parameter.name}` ({about})" if about and len(about) <= MAX_VALUE else f"`{parameter.name}`"

    return ", ".join(map(told, parameters))


def called_for(following: NextCall) -> str:
    """The tool with the arguments that are settled."""
    single = {name: str(allowed[0]) for name, allowed in following.values.items() if len(allowed) == 1}
    settled = [f"{name} {value[:MAX_VALUE]!r}" for name, value in single.items()][:MAX_VALUES]
    return f"`{following.tool}` with {', '.join(settled)}" if settled else f"`{following.tool}`"
