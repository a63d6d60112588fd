"""Mistakes that are played before the right call and not learned: what follows them is.

A model that only ever saw right calls takes the first error for the end: it says that there is nothing.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

import msgspec

from training.data.conversation import Answer, Call, Exchange, may_change
from training.data.values import Rng
from training.data.world_expressions import Row, is_code
from training.data.world_stage import Stage

CHANCE: Final = 0.4
"""Of an exchange with calls."""
MAX_THOUGHT: Final = 170
MAX_RESULT: Final = 700
"""Characters of a mistaken result."""
_TITLES: Final = ("Ms", "Mr", "Mrs", "Dr", "Frau", "Herr")
_HINTS: Final = ("", "", " Please check it.", " Try another one.", " See {tool}.", " Use {tool} to find it.")

Mistake = tuple[Call, str]
"""The mistaken call with what it returned, and the thought that leads away from it."""


def with_mistake(stage: Stage, exchange: Exchange) -> Exchange:
    """The exchange with a mistaken call before one of its calls; as it was where none suits."""
    rng = stage.rng
    calls = [number for number, step in enumerate(exchange.steps) if isinstance(step, Call)]
    if not calls or not rng.chance(CHANCE):
        return exchange
    tries = rng.sample(every := [(kind, at) for kind in _KINDS for at in calls], len(every))
    if rng.chance(0.5):
        tries.sort(key=lambda each: each[0] not in _RARE)
    for kind, at in tries:
        try:
            found = [each for each in kind(stage, exchange, at) if _suits(each, exchange, at)]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            # A tool of a file is written for the arguments that its questions give.
            continue
        if found:
            mistake, thought = rng.some(found)
            right = cast("Call", exchange.steps[at])
            whole = f"{thought} {right.thought}"
            right = msgspec.structs.replace(right, thought=whole if len(whole) <= MAX_THOUGHT else thought)
            wrong = msgspec.structs.replace(_hinted(rng, mistake, right.tool), learned=False)
            steps = (*exchange.steps[:at], wrong, right, *exchange.steps[at + 1 :])
            return msgspec.structs.replace(exchange, steps=steps)
    return exchange


def _suits(mistake: Mistake, exchange: Exchange, at: int) -> bool:
    wrong, right = mistake[0], cast("Call", exchange.steps[at])
    made = [(step.tool, step.args) for step in exchange.steps if isinstance(step, Call)]
    same = (wrong.tool, wrong.args) in made or wrong.observation == right.observation
    return not same and len(wrong.observation) <= MAX_RESULT


def _hinted(rng: Rng, call: Call, tool: str) -> Call:
    """A failed call with what its tool advises: the other tool that is called next."""
    if not call.failed:
        return call
    hint = rng.some(_HINTS if call.tool != tool else _HINTS[:-2]).format(tool=tool)
    return msgspec.structs.replace(call, observation=call.observation + hint)


def _said(key: str) -> str:
    return key.replace("_", " ")


def _is_free_text(stage: Stage, first: str, key: str) -> bool:
    shape = stage.shape(first, key)
    return shape["type"] == "string" and "enum" not in shape


def is_reading(stage: Stage, first: str) -> bool:
    """Whether a tool changes nothing."""
    about = stage.tools[first].about
    return not may_change(about if isinstance(about, str) else about[0])


def _call_at(stage: Stage, exchange: Exchange, at: int) -> tuple[str, dict[str, Any]]:
    return stage.written(cast("Call", exchange.steps[at]))


def _other_parameter(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """What is searched for stands in the wrong parameter, and nothing is found."""
    first, given = _call_at(stage, exchange, at)
    texts = [key for key in stage.schemas[first] if _is_free_text(stage, first, key)]
    for key in (each for each in texts if each in given):
        for other in (each for each in texts if each not in given):
            changed = {other if each == key else each: value for each, value in given.items()}
            if any(needed and each not in changed for each, (_, needed, _) in stage.schemas[first].items()):
                continue
            wrong, value = stage.made(f"I look for {given[key]}.", first, changed)
            if wrong.failed or not value:
                names = _said(stage.keys[first][key]), _said(stage.keys[first][other])
                yield wrong, f"{given[key]} is the {names[0]}, not the {names[1]}."


def _too_many_words(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """A name is searched for with a title or with a word beside it, and nothing is found."""
    first, given = _call_at(stage, exchange, at)
    for key, value in given.items():
        if not _is_free_text(stage, first, key) or not is_reading(stage, first) or re.search(r"\d", str(value)):
            continue
        beside = re.search(rf"(\w+ )?{re.escape(str(value))}(?: (\w+))?", exchange.question, re.IGNORECASE)
        if beside is None:
            continue
        longer = [f"{beside[1]}{value}" if beside[1] else "", f"{value} {beside[2]}" if beside[2] else "", f"{value}s"]
        if str(value)[0].isupper() and stage.rng.chance(0.3):
            longer.append(f"{stage.rng.some(_TITLES)} {value}")
        for text in filter(None, longer):
            wrong, found = stage.made(f"I look for {text}.", first, {**given, key: text})
            if wrong.failed or not found:
                yield (
                    wrong,
                    stage.rng.some([f"Nothing under {text}; I try {value}.", f"I leave out the rest: {value}."]),
                )


def _other_choice(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """Another one of a few choices than was said."""
    first, given = _call_at(stage, exchange, at)
    for key, value in given.items():
        choices = [each for each in stage.shape(first, key).get("enum", []) if each != value]
        if choices and is_reading(stage, first):
            other = stage.rng.some(choices)
            wrong, _ = stage.made(f"I ask for {other}.", first, {**given, key: other})
            yield wrong, f"That was {other}; {value} is meant."


def _number_as_id(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """A number of the question is taken for the number of another thing."""
    first, given = _call_at(stage, exchange, at)
    for key, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int) or str(value) not in exchange.question:
            continue
        for other, schemas in stage.schemas.items():
            needed = [each for each, (_, is_needed, _) in schemas.items() if is_needed]
            if other == first or len(needed) != 1 or stage.shape(other, needed[0])["type"] != "integer":
                continue
            wrong, _ = stage.made(f"I look up {value}.", other, {needed[0]: value})
            if wrong.failed:
                names = _said(stage.keys[other][needed[0]]), _said(stage.keys[first][key])
                yield wrong, f"{value} is no {names[0]}, it is the {names[1]}."


def _later(stage: Stage, exchange: Exchange, at: int) -> Iterator[tuple[str, str, Any, dict[str, Any]]]:
    """Calls after this one whose argument a result gave: tool, parameter, value, all arguments."""
    for step in exchange.steps[at + 1 :]:
        if isinstance(step, Call):
            first, given = stage.written(step)
            for key, value in given.items():
                others = all(str(each) in exchange.question for name, each in given.items() if name != key)
                if others and isinstance(value, str | int) and str(value) not in exchange.question:
                    yield first, key, value, given


def _searched(stage: Stage, exchange: Exchange, at: int) -> str:
    """The text that this call searches for."""
    first, given = _call_at(stage, exchange, at)
    texts = [value for key, value in given.items() if _is_free_text(stage, first, key)]
    said = _known(exchange, at).casefold()
    return texts[0] if len(texts) == 1 and texts[0].casefold() in said else ""


def _known(exchange: Exchange, at: int) -> str:
    """What was asked and observed before a call."""
    seen = [step.observation for step in exchange.steps[:at] if isinstance(step, Call)]
    return "\n".join([exchange.question, *seen])


def _both_at_once(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """Two names in one search, where the tool takes one at a time."""
    first, given = _call_at(stage, exchange, at)
    other, also = _call_at(stage, exchange, at + 1)
    for key, value in given.items() if other == first and is_reading(stage, first) else ():
        if _is_free_text(stage, first, key) and also.get(key, value) != value:
            wrong, found = stage.made(
                f"I look for {value} and {also[key]}.", first, {**given, key: f"{value} and {also[key]}"}
            )
            if wrong.failed or not found:
                yield wrong, f"One at a time: {value} first."


def _name_as_id(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """The name of a thing where its id is wanted, instead of the search that tells the id."""
    name = _searched(stage, exchange, at)
    for first, key, _, given in _later(stage, exchange, at) if name else ():
        if _is_free_text(stage, first, key):
            wrong, _ = stage.made(f"I look up {name}.", first, {**given, key: name})
            if wrong.failed:
                yield wrong, f"That takes the {_said(stage.keys[first][key])}, which I have to find for {name}."


def _id_of_another_kind(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """The id at hand where that of another thing is wanted, instead of the record that tells the other."""
    _, given = _call_at(stage, exchange, at)
    known = _known(exchange, at)
    ids = [each for each in given.values() if is_code(each) and str(each) in known]
    for value in ids:
        for other, key, wanted, arguments in _later(stage, exchange, at):
            if wanted == value or type(wanted) is not type(value):
                continue
            wrong, _ = stage.made(f"I look up {value}.", other, {**arguments, key: value})
            if wrong.failed:
                name = _said(stage.keys[other][key])
                yield wrong, stage.rng.some([f"{value} is no {name}; I have to find that.", f"That takes the {name}."])


def _id_as_name(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """The id of the record that a result has shown, where its name is wanted."""
    first, given = _call_at(stage, exchange, at)
    before = exchange.steps[at - 1] if at else None
    if not isinstance(before, Call):
        return
    seen: Any = json.loads(before.observation)
    for record in cast("list[Any]", seen) if isinstance(seen, list) else [seen]:
        for key, value in given.items():
            if value not in record.values() or not isinstance(value, str) or re.search(r"\d", value):
                continue
            for other in (each for each in record.values() if isinstance(each, str) and is_code(each)):
                wrong, found = stage.made(f"I take {other}.", first, {**given, key: other})
                if wrong.failed or not found:
                    yield wrong, f"The {_said(stage.keys[first][key])} is wanted: {value}, not {other}."


def _invented_id(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """The id of another thing that nobody named. The review sends most of these back."""
    name = _searched(stage, exchange, at)
    for first, key, value, given in _later(stage, exchange, at) if name else ():
        others = [each for each in _like(stage, value) if str(each) not in exchange.question]
        if others and is_reading(stage, first):
            wrong, _ = stage.made(f"I look up {name}.", first, {**given, key: stage.rng.some(others)})
            yield wrong, f"Nobody gave that {_said(stage.keys[first][key])}; I look for {name} first."


def _like(stage: Stage, value: Any) -> list[Any]:
    """The other values of the column that a value stands in."""
    for table in stage.world.tables:
        rows = cast("list[Row]", stage.names[table])
        for column in rows[0] if rows else ():
            values = [row[column] for row in rows]
            if value in values:
                return [each for each in values if type(each) is type(value) and each != value]
    return []


def _among_other_things(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """A name is searched for among things of another kind, and nothing is found."""
    first, _ = _call_at(stage, exchange, at)
    name = _searched(stage, exchange, at)
    for other, schemas in stage.schemas.items() if name and not re.search(r"\d", name) else ():
        needed = [key for key, (_, is_needed, _) in schemas.items() if is_needed] or list(schemas)[:1]
        if other == first or len(needed) != 1 or not _is_free_text(stage, other, needed[0]):
            continue
        if not (is_reading(stage, first) and is_reading(stage, other)):
            continue
        wrong, found = stage.made(f"I look for {name}.", other, {needed[0]: name})
        if wrong.failed or not found:
            yield wrong, stage.rng.some([f"{name} is not there; {stage.called[first]} may know it.", "Not there."])


def _other_tool(stage: Stage, exchange: Exchange, at: int) -> Iterator[Mistake]:
    """A tool with the same parameters whose result does not tell what was asked."""
    first, given = _call_at(stage, exchange, at)
    right, answer = cast("Call", exchange.steps[at]), exchange.steps[-1]
    if not is_reading(stage, first):
        return
    told = set(re.findall(r"\w{2,}", answer.text if isinstance(answer, Answer) else "")) & set(
        re.findall(r"\w{2,}", right.observation)
    )
    told -= set(re.findall(r"\w{2,}", exchange.question))
    for other, schemas in stage.schemas.items():
        needed = {each for each, (_, is_needed, _) in schemas.items() if is_needed}
        if other == first or not needed or not needed <= set(given) or not is_reading(stage, other):
            continue
        if any(stage.shape(other, key) != stage.shape(first, key) for key in needed):
            continue
        wrong, _ = stage.made(f"{stage.called[other]} may tell it.", other, {key: given[key] for key in needed})
        if told and not told & set(re.findall(r"\w{2,}", wrong.observation)):
            yield wrong, "That does not tell it."


_KINDS: Final[tuple[Callable[[Stage, Exchange, int], Iterator[Mistake]], ...]] = (
    _other_parameter,
    _too_many_words,
    _both_at_once,
    _other_choice,
    _number_as_id,
    _name_as_id,
    _id_of_another_kind,
    _id_as_name,
    _invented_id,
    _among_other_things,
    _other_tool,
)
_RARE: Final = frozenset({_name_as_id, _id_of_another_kind, _id_as_name, _too_many_words, _both_at_once})
"""Kinds that few exchanges allow, and that models make often."""
