"""Conversations whose turns begin with a plan (`needs`), now and then after a wrong one or after a call that the
review sends back; what is wrong is played and not learned."""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import msgspec

from glassloop.core.planning.decision_review import review
from glassloop.core.protocols.parameter_descriptions import how_written
from glassloop.core.records import Decision, ToolCall
from training.data.conversation import NEVER, Answer, Call, Conversation, Exchange, Json, Step, ToolText
from training.data.needs import (
    Said,
    asking,
    day_named,
    is_in,
    is_said,
    needs,
    properties_of,
    required_of,
    since,
    sources_of,
)
from training.data.quotes import NOTHING, cells
from training.data.requests import spec_of
from training.data.values import Rng

MAX_THOUGHT: Final = 220
TOO_SHORT: Final = 0.1
TOO_LONG: Final = 0.05
"""Of the plans of turns with calls."""
INVENTED: Final = 0.25
"""Of the questions back: with a call before them that was sent back."""
REFUSED: Final = 0.15
"""Of the turns with calls: the same."""
_UNTOLD: Final = "\0"
"""In place of a value that no result has."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def with_needs(rng: Rng, made: Conversation, prompt: str, tools: Sequence[ToolText]) -> Conversation:
    """The conversation with a plan before the first decision of each turn, and after what came to nothing.

    What another tool is asked after a call that found nothing or failed could not be foreseen, and is not named. Now
    and then the last turn begins with a wrong plan, which is not learned: what is learned is to look at what is there.
    """
    known, exchanges, named = prompt, list[Exchange](), {tool.name: tool for tool in tools}
    for exchange in made.exchanges:
        said = Said(exchange.question, known, rng.today)
        exchanges.append(_planned(exchange, said, named, is_later=bool(exchanges)))
        told = (step.observation if isinstance(step, Call) else step.text for step in exchange.steps)
        known = "\n".join((known, exchange.question, *told))
        if exchange is made.exchanges[-1]:
            exchanges[-1] = _with_wrong_plan(rng, exchanges[-1], said, named)
        if len(made.exchanges) == 1 and rng.chance(INVENTED):
            exchanges[-1] = _with_invented(rng, exchanges[-1], said, named)
        if exchange is made.exchanges[-1] and rng.chance(REFUSED):
            exchanges[-1] = _with_refused(rng, exchanges[-1], said, named)
    return msgspec.structs.replace(made, exchanges=tuple(exchanges))


def _planned(exchange: Exchange, said: Said, tools: Mapping[str, ToolText], *, is_later: bool) -> Exchange:
    steps, told = list(exchange.steps), exchange.question
    for number, step in enumerate(exchange.steps):
        if isinstance(step, Answer):
            if number == 0 and step.wants is not None and step.wants.tool in tools:
                steps[number] = msgspec.structs.replace(step, thought=asking(step.wants, said, tools))
            continue
        thought = step.thought
        if number == 0 or (step.learned and _has_failed(exchange, number)):
            calls = list(_foreseen(_with_retries(exchange.steps[number:])))
            calls = calls if number else _with_wanted(calls, exchange.steps[-1], tools)
            plan = needs(calls, since(exchange.steps[:number], said), tools)
            from_before = is_later and not all(is_in(value, said.question) for value in step.args.values())
            whole = f"{thought} {plan}" if number or from_before else plan
            thought = whole if len(whole) <= MAX_THOUGHT else thought
        else:
            thought = _with_days(step, told, said.today)
        steps[number] = msgspec.structs.replace(step, thought=thought)
        told += f" {thought} {step.observation}"
    return msgspec.structs.replace(exchange, steps=tuple(steps))


def _asks(answer: Answer) -> bool:
    return answer.wants is not None or answer.text.rstrip().endswith(("?", "？"))


def _with_retries(steps: Sequence[Step]) -> Sequence[Step]:
    """The steps as they would be had the first call found at once what the same tool was asked for again."""
    first, *rest = steps
    while rest and _found_nothing(first) and isinstance(again := rest[0], Call) and isinstance(first, Call):
        if again.tool != first.tool:
            break
        first = msgspec.structs.replace(first, observation=again.observation, failed=again.failed)
        rest = rest[1:]
    return [first, *rest]


def _found_nothing(step: Step) -> bool:
    return isinstance(step, Call) and step.learned and (step.failed or step.observation in NOTHING)


def _with_wanted(calls: list[Call], answer: Step, tools: Mapping[str, ToolText]) -> list[Call]:
    """The calls with those that could not be made, since a result did not tell what they need: it was not foreseen."""
    wants = answer.wants if isinstance(answer, Answer) else None
    if wants is None or wants.tool not in tools or not calls:
        return calls
    if wants.way:
        return list(wants.way)
    lacking = wants.missing or tuple(name for name in required_of(tools[wants.tool]) if name not in wants.args)
    found = msgspec.structs.replace(calls[-1], observation=f"{calls[-1].observation} {_UNTOLD}")
    return [*calls[:-1], found, Call("", wants.tool, {**wants.args, **dict.fromkeys(lacking, _UNTOLD)}, "")]


def _with_wrong_plan(rng: Rng, exchange: Exchange, said: Said, tools: Mapping[str, ToolText]) -> Exchange:
    """Now and then the exchange with a first plan that ends too early, or goes on to another tool for what a result
    has told already; it is not learned."""
    *steps, answer = exchange.steps
    calls, chance = [step for step in steps if isinstance(step, Call)], rng.random()
    is_right = bool(calls) and exchange.rejected is None and isinstance(answer, Answer) and not _asks(answer)
    if not is_right or not all(each.learned and not each.failed and each.observation not in NOTHING for each in calls):
        return exchange
    if chance < TOO_SHORT and len(calls) > 1:
        made = _begun_too_short(rng, calls, said, tools)
    elif TOO_SHORT <= chance < TOO_SHORT + TOO_LONG:
        made = _begun_too_long(rng, calls, said, tools)
        answer = msgspec.structs.replace(answer, thought=f"It is told already. {answer.thought}")
    else:
        return exchange
    if not made or any(len(each.thought) > MAX_THOUGHT for each in (*made, answer)):
        return exchange
    return msgspec.structs.replace(exchange, steps=(*made, answer))


def _begun_too_short(rng: Rng, calls: Sequence[Call], said: Said, tools: Mapping[str, ToolText]) -> list[Call]:
    kept, made = rng.randint(1, len(calls) - 1), list(calls)
    made[0] = msgspec.structs.replace(calls[0], thought=needs(calls[:kept], said, tools), learned=False)
    rest = f"That is not all. {calls[kept].thought} {needs(calls[kept:], since(calls[:kept], said), tools)}"
    made[kept] = msgspec.structs.replace(calls[kept], thought=rest)
    return made


def _begun_too_long(rng: Rng, calls: Sequence[Call], said: Said, tools: Mapping[str, ToolText]) -> list[Call]:
    """Of a tool that takes what the last result has under the same name. Empty where there is none."""
    used = {call.tool for call in calls}
    told = {cell.field: cell.value for cell in cells(calls[-1].observation) if not is_said(cell.value, said)}
    further = [
        Call("", name, {parameter: told[parameter]}, "")
        for name, tool in tools.items()
        if name not in used
        for parameter in required_of(tool)
        if parameter in told and len(required_of(tool)) == 1
    ]
    if not further:
        return []
    plan = needs([*calls, rng.some(further)], said, tools)
    return [msgspec.structs.replace(calls[0], thought=plan, learned=False), *calls[1:]]


def _with_invented(rng: Rng, exchange: Exchange, said: Said, tools: Mapping[str, ToolText]) -> Exchange:
    """The exchange that asks for something, after a call with something made up that the review sends back."""
    answer = exchange.steps[0]
    wants = answer.wants if isinstance(answer, Answer) else None
    if wants is None or wants.tool not in tools or exchange.rejected is not None:
        return exchange
    specs = {name: spec_of(tool) for name, tool in tools.items()}
    args, properties = dict(wants.args), properties_of(tools[wants.tool])
    for name in wants.missing or required_of(tools[wants.tool]):
        if name not in args:
            args[name] = _invented(rng, name, properties[name], said.today)
    decision = Decision(calls=(ToolCall(id="c", tool=wants.tool, args=args),))
    refused = review(decision, said.question, [], specs, said.before).refused
    if refused is None or refused.parameter in wants.args:
        return exchange
    thought = needs([Call("", wants.tool, args, NEVER)], said, tools)
    asks = msgspec.structs.replace(answer, thought=f"Nobody said the {refused.parameter}. {answer.thought}")
    if len(asks.thought) > MAX_THOUGHT:
        return exchange
    rejected = Call(thought, wants.tool, args, NEVER)
    return msgspec.structs.replace(exchange, steps=(asks, *exchange.steps[1:]), rejected=rejected)


def _with_refused(rng: Rng, exchange: Exchange, said: Said, tools: Mapping[str, ToolText]) -> Exchange:
    """The exchange after a call that the review sends back, of which the first right call is learned."""
    first = exchange.steps[0]
    if not isinstance(first, Call) or not first.learned or exchange.rejected is not None:
        return exchange
    specs = {name: spec_of(tool) for name, tool in tools.items()}
    for tool, args, parameter in _tempting(rng, exchange, said, tools):
        decision = Decision(calls=(ToolCall(id="c", tool=tool, args=args),))
        refused = review(decision, said.question, [], specs, said.before).refused
        if refused is None or refused.parameter != parameter:
            continue
        rejected = Call(needs([Call("", tool, args, NEVER)], said, tools), tool, args, NEVER)
        value, named = args[parameter], "number" if parameter in ("no", "nr") else parameter.replace("_", " ")
        why = rng.some(["{} is no {}.", "{} is not the {}."]).format(value, named)
        why = why if is_said(value, said) else f"Nobody gave the {named}."
        after = msgspec.structs.replace(first, thought=f"{why} {first.thought}")
        if len(after.thought) <= MAX_THOUGHT:
            return msgspec.structs.replace(exchange, steps=(after, *exchange.steps[1:]), rejected=rejected)
    return exchange


def _tempting(
    rng: Rng, exchange: Exchange, said: Said, tools: Mapping[str, ToolText]
) -> Iterator[tuple[str, Json, str]]:
    """Calls that a model may make too early or of the wrong tool, each with the parameter whose value is wrong: what is
    at hand where another thing's id is wanted, or the example of a description."""
    calls = list(_foreseen(exchange.steps))
    at_hand = [value for value in calls[0].args.values() if isinstance(value, str) and is_said(value, said)]
    found: list[tuple[str, Json, str]] = []
    for number, call in enumerate(calls[1:], 1):
        unsaid = sources_of(calls, number, said)
        for name in unsaid if len(unsaid) == 1 and isinstance(call.args[next(iter(unsaid))], str) else ():
            invented = _invented(rng, name, properties_of(tools.get(call.tool)).get(name, {}), said.today)
            found += [(call.tool, {**call.args, name: value}, name) for value in (*at_hand, *at_hand, invented)]
    used = {call.tool for call in calls}
    for name, tool in tools.items():
        if name not in used and len(parameters := required_of(tool)) == 1:
            ids = [value for value in at_hand if any(map(str.isdigit, value))]
            found += [(name, {parameters[0]: value}, parameters[0]) for value in ids]
    return iter(rng.sample(found, len(found)))


def _invented(rng: Rng, name: str, schema: Json, today: datetime.date) -> Any:
    """A value as a model makes it up."""
    shape = cast("Json", next(iter(schema["anyOf"]), {})) if "anyOf" in schema else schema
    if "enum" in shape:
        return rng.some(cast("list[Any]", shape["enum"]))
    if shape.get("type") in ("integer", "number"):
        return rng.some([1, 2, 3, 5, 10, 10, 20, 50, 100])
    shown = how_written(schema).removeprefix(" like ").removesuffix(" or by name")
    if "YYYY" in shown or name.rpartition("_")[2] in ("day", "date", "on") or _DAY.fullmatch(shown):
        return (today + datetime.timedelta(days=rng.randint(0, 3))).isoformat()
    return shown or f"{rng.some('ABCKMT')}-{rng.randint(10, 999)}"


def _with_days(step: Call, told: str, today: datetime.date) -> str:
    """The thought of a later call with days that it takes and nobody wrote so."""
    days = [str(value) for value in step.args.values() if _DAY.fullmatch(str(value))]
    new = [day_named(day, today) for day in dict.fromkeys(days) if day not in f"{told} {step.thought}"]
    return f"{step.thought} The day is {' and '.join(new)}." if new else step.thought


def _has_failed(exchange: Exchange, number: int) -> bool:
    """Whether what was decided before this step came to nothing, so that there is a new plan."""
    before = exchange.steps[number - 1]
    sent_back = exchange.rejected is not None and exchange.rejected_at == number
    failed = isinstance(before, Call) and (not before.learned or before.failed or before.observation in NOTHING)
    return sent_back or failed


def _foreseen(steps: Sequence[Step]) -> Iterator[Call]:
    """The calls up to the first that is a mistake, finds nothing or fails."""
    for number, step in enumerate(steps):
        if isinstance(step, Call) and (step.learned or number == 0):
            yield step
            if not step.learned or step.failed or step.observation in NOTHING:
                return
