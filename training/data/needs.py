"""Thoughts that plan backwards: the tool that tells what is asked, and where each of its arguments comes from.

`berth: boat missing; find_boat: name Tansy.` What is missing either another tool tells, which is called then, or
nobody, and the person is asked. The first words are the same for a direct call, a look-up and a question back, so that
none of them is chosen before the arguments have been gone through.
"""

import datetime
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

import msgspec

from glassloop.core.evidence.computed.relative_days import NUMBER_WORDS, days_meant
from glassloop.core.planning.call_review import stands_in
from glassloop.core.planning.decision_review import review
from glassloop.core.protocols.parameter_descriptions import how_written
from glassloop.core.records import Decision, ToolCall
from training.data.conversation import (
    NEVER,
    Answer,
    Call,
    Conversation,
    Exchange,
    Json,
    Step,
    ToolText,
    Wanted,
)
from training.data.quotes import NOTHING, cells
from training.data.requests import spec_of
from training.data.values import Rng

MAX_THOUGHT: Final = 220
MAX_QUOTED: Final = 40
MAX_WORDED: Final = 32
TOO_SHORT: Final = 0.1
TOO_LONG: Final = 0.05
"""Of the plans of turns with calls."""
INVENTED: Final = 0.25
"""Of the questions back: with a call before them that was sent back."""
REFUSED: Final = 0.15
"""Of the turns with calls: the same."""
_ISO: Final = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_SHORT: Final = 3


class Said(NamedTuple):
    """What is known when a turn begins: the question, and all that was told before it."""

    question: str
    before: str
    today: datetime.date


def with_needs(rng: Rng, made: Conversation, prompt: str, tools: Sequence[ToolText]) -> Conversation:
    """The conversation with such a thought before the first decision of each turn, and after what came to nothing.

    What follows a call that found nothing or failed could not be planned, and is not named. Now and then the last turn
    begins with a wrong plan, which is not learned: what is learned is to look at what is there.
    """
    known, exchanges, named = prompt, list[Exchange](), {tool.name: tool for tool in tools}
    for exchange in made.exchanges:
        said = Said(exchange.question, known, rng.today)
        exchanges.append(_planned(exchange, said, named))
        told = (step.observation if isinstance(step, Call) else step.text for step in exchange.steps)
        known = "\n".join((known, exchange.question, *told))
        if exchange is made.exchanges[-1]:
            exchanges[-1] = _with_wrong_plan(rng, exchanges[-1], said, named)
        if len(made.exchanges) == 1 and rng.chance(INVENTED):
            exchanges[-1] = _with_invented(rng, exchanges[-1], said, named)
        if exchange is made.exchanges[-1] and rng.chance(REFUSED):
            exchanges[-1] = _with_refused(rng, exchanges[-1], said, named)
    return msgspec.structs.replace(made, exchanges=tuple(exchanges))


def _planned(exchange: Exchange, said: Said, tools: Mapping[str, ToolText]) -> Exchange:
    steps, told = list(exchange.steps), exchange.question
    for number, step in enumerate(exchange.steps):
        if isinstance(step, Answer):
            if number == 0 and step.wants is not None and step.wants.tool in tools:
                steps[number] = msgspec.structs.replace(step, thought=asking(step.wants, said, tools))
            continue
        thought = step.thought
        if number == 0 or (step.learned and _has_failed(exchange, number)):
            plan = needs(list(_foreseen(exchange.steps[number:])), _since(exchange.steps[:number], said), tools)
            whole = f"{thought} {plan}" if number else plan
            thought = whole if len(whole) <= MAX_THOUGHT else thought
        else:
            thought = _with_days(step, told, said.today)
        steps[number] = msgspec.structs.replace(step, thought=thought)
        told += f" {thought} {step.observation}"
    return msgspec.structs.replace(exchange, steps=tuple(steps))


def _with_wrong_plan(rng: Rng, exchange: Exchange, said: Said, tools: Mapping[str, ToolText]) -> Exchange:
    """Now and then the exchange with a first plan that ends too early, or goes on to another tool for what a result
    has told already; it is not learned."""
    *steps, answer = exchange.steps
    calls, chance = [step for step in steps if isinstance(step, Call)], rng.random()
    is_right = bool(calls) and exchange.rejected is None and isinstance(answer, Answer)
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
    rest = f"That is not all. {calls[kept].thought} {needs(calls[kept:], _since(calls[:kept], said), tools)}"
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
        for parameter in _required(tool)
        if parameter in told and len(_required(tool)) == 1
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
    for name in wants.missing or _required(tools[wants.tool]):
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
        value, named = args[parameter], parameter.replace("_", " ")
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
        if name not in used and len(parameters := _required(tool)) == 1:
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
    shown = how_written(name, schema).removeprefix(" like ").removesuffix(" or by name")
    if "YYYY" in shown or name.rpartition("_")[2] in ("day", "date", "on") or _DAY.fullmatch(shown):
        return (today + datetime.timedelta(days=rng.randint(0, 3))).isoformat()
    return shown or f"{rng.some('ABCKMT')}-{rng.randint(10, 999)}"


def _since(steps: Sequence[Step], said: Said) -> Said:
    """What is known after some steps: their results, too."""
    seen = (step.observation for step in steps if isinstance(step, Call))
    return said._replace(before="\n".join((said.before, *seen)))


def needs(calls: Sequence[Call], said: Said, tools: Mapping[str, ToolText]) -> str:
    """`bench_slots: mechanic Piet, day friday = 2029-10-19.`, or from the last call back to the first of `calls`."""
    sources = [sources_of(calls, number, said) for number in range(len(calls))]
    serving = {source for each in sources for source in each.values()}
    goals = [number for number in range(len(calls)) if number not in serving]
    at = next((goal for goal in goals if 0 in _behind(goal, sources)), 0)
    main, parts = at, list[str]()
    while True:
        parts.append(_arguments(calls[at], sources[at], said, tools))
        if not sources[at]:
            break
        at = min(sources[at].values(), key=lambda each: min(_behind(each, sources)))
    later = [calls[goal].tool for goal in goals if goal != main]
    if same := later.count(calls[main].tool):
        head, colon, rest = parts[0].partition(":")
        parts[0] = f"{head} {same + 1} times{colon}{rest}"
    others = [name for name in dict.fromkeys(later) if name != calls[main].tool]
    return f"{'; '.join([*parts, *(f'then {name}' for name in others)])}."


def asking(wants: Wanted, said: Said, tools: Mapping[str, ToolText]) -> str:
    """What a call would need that nobody said and no tool tells."""
    tool = tools[wants.tool]
    lacking = wants.missing or tuple(name for name in _required(tool) if name not in wants.args)
    names = _ordered(tool, [*wants.args, *lacking])
    parts = [f"{name} missing" if name in lacking else f"{name} {_said(wants.args[name], said)}" for name in names]
    return f"{wants.tool}: {', '.join(parts)}, and no tool tells it."


def _arguments(call: Call, sources: Mapping[str, int], said: Said, tools: Mapping[str, ToolText]) -> str:
    names, parts, told = _ordered(tools.get(call.tool), call.args), list[str](), dict[str, str]()
    for name in names:
        how = "missing" if name in sources else _said(call.args[name], said)
        # The day that a period of one day ends with is not told twice.
        is_again = how in told.values() and " = " in how
        parts.append(f"{name} {str(call.args[name]) if is_again else how}")
        told[name] = how
    return f"{call.tool}: {', '.join(parts)}" if parts else call.tool


def sources_of(calls: Sequence[Call], number: int, said: Said) -> dict[str, int]:
    """Which earlier call tells each argument that nobody said."""
    found: dict[str, int] = {}
    for name, value in calls[number].args.items():
        values = cast("list[Any]", value) if isinstance(value, list) else [value]
        for each in values:
            if not isinstance(each, str | int | float) or isinstance(each, bool) or is_said(each, said):
                continue
            # A short value stands in many results by chance.
            earlier = range(number) if len(str(each)) > _SHORT else reversed(range(number))
            source = next((at for at in earlier if is_in(each, calls[at].observation)), None)
            if source is not None and name not in found:
                found[name] = source
    return found


def _behind(goal: int, sources: Sequence[Mapping[str, int]]) -> set[int]:
    """The calls that a call needs, and itself."""
    return {goal}.union(*(_behind(each, sources) for each in sources[goal].values()))


def is_said(value: str | float, said: Said) -> bool:
    """Whether the question or what was told before says it, also in words."""
    known = f"{said.question}\n{said.before}"
    if is_in(value, known):
        return True
    if isinstance(value, str) and _ISO.fullmatch(value):
        return next(_day_words(value, said), None) is not None
    return not isinstance(value, str) and _number_word(value, said.question) is not None


def is_in(value: Any, text: str) -> bool:
    """Whether a text has a value, as a word of its own if it is short."""
    if isinstance(value, bool | list | dict):
        return False
    written = f"{value:g}" if isinstance(value, float) else str(value)
    if len(written) <= _SHORT:
        return re.search(rf"(?<![\w.]){re.escape(written)}(?![\w]|\.\d)", text, re.IGNORECASE) is not None
    return stands_in(written, text.casefold())


def _number_word(value: float, question: str) -> str | None:
    words = (word for word, number in NUMBER_WORDS.items() if number == value)
    found = (re.search(word if word > "\u3000" else rf"\b{word}\b", question, re.IGNORECASE) for word in words)
    return next((match.group() for match in found if match), None)


def _said(value: Any, said: Said) -> str:
    """A value as the question has it: a day in its words with its date, a number in its word, else the value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        listed = cast("list[Any]", value)
        shown = " and ".join(str(each) for each in listed if isinstance(each, str | int | float))
        return shown if 0 < len(shown) <= MAX_QUOTED else "said"
    if isinstance(value, str) and _ISO.fullmatch(value):
        return _said_day(value, said)
    if isinstance(value, int | float):
        word = None if is_in(value, said.question) else _number_word(value, said.question)
        return word or (f"{value:g}" if isinstance(value, float) else str(value))
    text = " ".join(str(value).split())
    return text if 0 < len(text) <= (MAX_QUOTED if is_in(text, said.question) else MAX_WORDED) else "said"


def _said_day(value: str, said: Said) -> str:
    if value in said.question:
        return value
    shown = day_named(value, said.today) if _DAY.fullmatch(value) else value
    words = next(_day_words(value, said), "")
    is_named = any(map(str.isdigit, words)) or shown.split()[0].casefold() in words.casefold()
    return f"{words} = {value if is_named else shown}" if words else shown


def _day_words(value: str, said: Said) -> Iterator[str]:
    """The words of the question that mean a day, or a month."""
    meant = days_meant(said.question, said.today)
    return (words.rstrip(".") for day, words in meant if day.isoformat().startswith(value))


def day_named(value: str, today: datetime.date) -> str:
    """With the name of the weekday and the week that the context tells it in, or how many days ago it was."""
    found = datetime.date.fromisoformat(value)
    ahead = (found - today).days
    if -7 < ahead < -1:
        return f"{found:%A}, {-ahead} days ago, {value}"
    if not 0 <= today.weekday() + ahead < 14 or ahead < 0:
        return value
    return f"{found:%A} {value}" if today.weekday() + ahead < 7 else f"{found:%A} of next week, {value}"


def _with_days(step: Call, told: str, today: datetime.date) -> str:
    """The thought of a later call with days that it takes and nobody wrote so."""
    days = [str(value) for value in step.args.values() if _DAY.fullmatch(str(value))]
    new = [day_named(day, today) for day in dict.fromkeys(days) if day not in f"{told} {step.thought}"]
    return f"{step.thought} The day is {' and '.join(new)}." if new else step.thought


def properties_of(tool: ToolText | None) -> dict[str, Any]:
    """The schemas of a tool's parameters."""
    return cast("dict[str, Any]", tool.parameters.get("properties", {})) if tool is not None else {}


def _required(tool: ToolText | None) -> list[str]:
    return cast("list[str]", tool.parameters.get("required", [])) if tool is not None else []


def _ordered(tool: ToolText | None, names: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """The names in the order of the catalogue."""
    order = list(properties_of(tool))
    return sorted(dict.fromkeys(names), key=lambda name: order.index(name) if name in order else len(order))


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
