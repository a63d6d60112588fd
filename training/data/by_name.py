"""Tools that take a name where others take an id: the look-up before them is left out, and their description says so.

In most catalogues of the other modules a name has to be looked up first. A model that sees nothing else looks up names
that the tool itself would have taken.
"""

import datetime
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from training.data.conversation import Answer, Call, Conversation, Exchange, Group, Json, ToolText
from training.data.needs import Said, is_in, properties_of, sources_of
from training.data.quotes import cells
from training.data.values import Rng

CHANCE: Final = 0.6
"""Of a group."""
MOST: Final = 2
"""Parameters of a group that take names, too."""
MAX_NAME: Final = 40
NO_DAY: Final = datetime.date(2026, 1, 1)
"""Days are no names: which one it is does not matter."""
_TOKEN: Final = re.compile(r"\d[\d.,:/-]*\d|\d|[^\W\d_]{4,}")
_BY_ID: Final = re.compile(r"\bby (?:its |their |the )?(code|number|id|no\.|tag|reference)(?!\w)")
_FORMS: Final = (
    "{}, or the name",
    "{}; the name will do, too",
    "{} or its name",
    "Name or id. {}",
    "{}. Names work, too",
)
_BARE: Final = ("Its id or name.", "Name or number.", "The id, or just the name.", "Name or id.")

Place = tuple[str, str]
"""A tool and a parameter of it."""


def by_name(rng: Rng, group: Group) -> Group:
    """Now and then the group with one or two parameters that take the name that was looked up for them."""
    found = {place for each in group.conversations for turn in each.exchanges for place in _looked_up(turn)}
    gains = {place: _gain(group, place) for place in sorted(found) if _takes_text(group.tools, place)}
    good = [place for place, gain in gains.items() if gain > 0]
    if not good or not rng.chance(CHANCE):
        return group
    places = set(rng.sample(good, min(len(good), rng.randint(1, MOST))))
    conversations = tuple(filter(None, (_shortened(each, places) for each in group.conversations)))
    tools = tuple(_described(rng, tool, places) for tool in group.tools)
    return msgspec.structs.replace(group, tools=tools, conversations=conversations)


def _gain(group: Group, place: Place) -> int:
    """How many conversations get shorter, less those that would have to be left out."""
    made = [(each, _shortened(each, {place})) for each in group.conversations]
    return sum(-1 if short is None else short != each for each, short in made)


def _takes_text(tools: Sequence[ToolText], place: Place) -> bool:
    shapes = (properties_of(each).get(place[1]) for each in tools if each.name == place[0])
    shape = cast("Json", next(filter(None, shapes), {}))
    return shape.get("type") == "string" and "enum" not in shape and "name" not in place[1].lower()


def _looked_up(exchange: Exchange) -> Iterator[Place]:
    """The parameters for which a call before this one found the id of a name in the question."""
    for number, step in enumerate(exchange.steps):
        if isinstance(step, Call):
            yield from ((step.tool, name) for name in _found_before(exchange, number))


def _found_before(exchange: Exchange, number: int) -> dict[str, int]:
    """The arguments of a call that an earlier one tells and the question does not, with the number of that call."""
    calls = [step for step in exchange.steps if isinstance(step, Call)]
    return sources_of(calls, number, Said(exchange.question, "", NO_DAY))


def _shortened(made: Conversation, places: set[Place]) -> Conversation | None:
    """The conversation without the look-ups; None where one of them cannot be left out."""
    exchanges: list[Exchange] = []
    for exchange in made.exchanges:
        shorter = _without_look_ups(exchange, places) if set(_looked_up(exchange)) & places else exchange
        if shorter is None:
            return None
        exchanges.append(shorter)
    return msgspec.structs.replace(made, exchanges=tuple(exchanges))


def _without_look_ups(exchange: Exchange, places: set[Place]) -> Exchange | None:
    *calls, answer = exchange.steps
    is_plain = exchange.rejected is None and isinstance(answer, Answer)
    if not is_plain or not all(isinstance(each, Call) and each.learned and not each.failed for each in calls):
        return None
    left_out, steps = set[int](), dict[int, Call]()
    for number, call in enumerate(cast("list[Call]", calls)):
        steps[number] = call
        for parameter, at in _found_before(exchange, number).items():
            name = _name_of(cast("Call", calls[at]), exchange.question)
            if (call.tool, parameter) not in places:
                continue
            own = next(iter(cells(cast("Call", calls[at]).observation)), None)
            # The name of one thing is no name of another that its record tells of.
            if (
                not name
                or own is None
                or own.value != str(call.args[parameter])
                or _is_used_again(exchange, at, number)
            ):
                return None
            left_out.add(at)
            args = {**steps[number].args, parameter: name}
            steps[number] = msgspec.structs.replace(call, args=args, thought=f"{name}: the name will do.")
    kept = [call for number, call in steps.items() if number not in left_out]
    shorter = msgspec.structs.replace(exchange, steps=(*kept, answer))
    return shorter if kept and _is_told(exchange, left_out) else None


def _name_of(call: Call, question: str) -> str:
    """The name of the question that a call looked up, where it found one record of that name."""
    texts = [value for value in call.args.values() if isinstance(value, str)]
    if len(texts) != 1 or len(call.args) != 1 or _records(call.observation) != 1:
        return ""
    is_name = not re.search(r"\d", texts[0]) and len(texts[0]) <= MAX_NAME and is_in(texts[0], question)
    return texts[0] if is_name and is_in(texts[0], call.observation) else ""


def _records(observation: str) -> int:
    try:
        value = json.loads(observation)
    except ValueError:
        found = list(cells(observation))
        return len({cell.record for cell in found})
    inner = cast("Json", value).get("data", value) if isinstance(value, dict) else value
    return len(cast("list[Any]", inner)) if isinstance(inner, list) else 1


def _is_used_again(exchange: Exchange, at: int, number: int) -> bool:
    """Whether another call than `number` takes what the call `at` told."""
    others = (each for each in range(at + 1, len(exchange.steps) - 1) if each != number)
    return any(at in _found_before(exchange, each).values() for each in others)


def _is_told(exchange: Exchange, left_out: set[int]) -> bool:
    """Whether all of the answer stands elsewhere than in the look-ups."""
    *calls, answer = cast("Sequence[Call]", exchange.steps)
    seen = [call.observation for number, call in enumerate(calls) if number not in left_out]
    known = " ".join((exchange.question, *seen)).casefold()
    gone = " ".join(calls[number].observation for number in left_out).casefold()
    words = {word.casefold() for word in _TOKEN.findall(cast("Answer", cast("object", answer)).text)}
    return not any(word in gone and word not in known for word in words)


def _described(rng: Rng, tool: ToolText, places: set[Place]) -> ToolText:
    properties = dict(properties_of(tool))
    wanted = [name for name in properties if (tool.name, name) in places]
    if not wanted:
        return tool
    for name in wanted:
        shape = {**properties[name], "type": "string"}
        told = str(shape.get("description", "")).rstrip(".")
        shape["description"] = f"{rng.some(_FORMS).format(told)}." if told else rng.some(_BARE)
        properties[name] = shape
    description = _BY_ID.sub(r"by \1 or name", tool.description)
    parameters = {**tool.parameters, "properties": properties}
    return msgspec.structs.replace(tool, description=description, parameters=parameters)
