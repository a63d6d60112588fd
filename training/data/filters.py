"""Optional filters on the lists of worlds, and calls that use them and names as the question says them.

A model that often sees lists without filters reads the whole list even where a parameter takes the name.
"""

import re
from typing import Any, Final

import msgspec

from training.data.conversation import Answer, Call, Exchange
from training.data.values import Rng
from training.data.world_expressions import Failed, Row, rows_of_one_form
from training.data.world_stage import Stage, schema_of

CHANCE: Final = 0.6
"""Of a list that takes nothing but optional parameters."""
DEMANDING: Final = 0.25
"""Of those with filters: they fail without one."""
IN_FULL: Final = 0.8
"""Of names that were said in full and are searched for by a part."""
MAX_FILTERS: Final = 3
MAX_CHOICES: Final = 6
ROWS: Final = 4
_TOKEN: Final = re.compile(r"\w{2,}")


def add_filters(stage: Stage) -> None:
    """Some lists of the stage take columns of their rows as optional parameters."""
    rng = stage.rng
    for first in stage.tools:
        rows = rows_without_arguments(stage, first)
        taken = {*stage.schemas[first], *stage.keys[first].values()}
        columns = [column for column in (rows[0] if rows else ()) if column not in taken and _is_text(rows, column)]
        if not columns or not rng.chance(CHANCE):
            continue
        chosen = rng.sample(columns, min(rng.randint(1, MAX_FILTERS), len(columns)))
        for column in chosen:
            stage.schemas[first][column] = schema_of(_described(rng, rows, column), rng)
            stage.keys[first][column] = column
        stage.filters[first] = chosen
        if rng.chance(DEMANDING):
            stage.demanding.add(first)


def rows_without_arguments(stage: Stage, first: str) -> list[Row]:
    """What the tool returns without arguments, if these are rows of one form."""
    if any(needed for _, needed, _ in stage.schemas[first].values()):
        return []
    try:
        value: Any = stage.made("", first, {})[1]
    except (ArithmeticError, LookupError, TypeError, ValueError, Failed):
        return []
    rows = rows_of_one_form(value)
    return rows if len(rows) >= ROWS else []


def _is_text(rows: list[Row], column: str) -> bool:
    values = [row[column] for row in rows]
    return all(isinstance(each, str) and 2 < len(each) <= 40 for each in values) and len(set(values)) > 1


def _described(rng: Rng, rows: list[Row], column: str) -> str:
    values = sorted({str(row[column]) for row in rows})
    plain = not any(sign in each for each in values for sign in ",|=?")
    if plain and len(values) <= MAX_CHOICES and len(values) * 2 <= len(rows) and rng.chance(0.5):
        return f"choice? {', '.join(values)} | Only these."
    return f"string? | {rng.some(['Only this', 'All or a part of the', 'Filter by'])} {column.replace('_', ' ')}."


def use_filters(stage: Stage, exchange: Exchange) -> Exchange | None:
    """The exchange with filters where its question says them; None where a tool that demands one would get none."""
    steps = list(exchange.steps)
    made = list[Any]()
    for number, step in enumerate(steps):
        if isinstance(step, Answer) or not stage.filters.get(stage.written(step)[0]):
            made.append(step)
            continue
        first, given = stage.written(step)
        filtered = _filtered(stage, exchange, first, given, steps[number + 1 :])
        if first in stage.demanding and not given:
            if filtered is None:
                return None
            if stage.rng.chance(0.3):
                made.append(_unfiltered(stage, first, step))
        made.append(filtered or step)
    return msgspec.structs.replace(exchange, steps=tuple(made))


def _filtered(stage: Stage, exchange: Exchange, first: str, given: dict[str, Any], later: list[Any]) -> Call | None:
    """The call with what the question says of its rows, if the rest of the exchange can do with fewer of them."""
    whole, rows = stage.made("", first, given)
    said = {
        column: text
        for column in stage.filters[first]
        if (text := _said(stage, exchange.question, rows, first, column))
    }
    if whole.failed or not said or any(column in given for column in said):
        return None
    shown = {stage.keys[first][column].replace("_", " "): text for column, text in said.items()}
    told = " and ".join(f"{name} {text}" for name, text in shown.items())
    thought = stage.rng.some(["I filter by {}.", "{} is said, and there is a filter for it.", "Only {}."]).format(told)
    call, left = stage.made(thought, first, {**given, **said})
    if call.failed or not left:
        return None
    needed = set(_TOKEN.findall(whole.observation)) - set(_TOKEN.findall(exchange.question))
    used = set(_TOKEN.findall(" ".join(_text(step) for step in later)))
    return call if needed & used <= set(_TOKEN.findall(call.observation)) else None


def _said(stage: Stage, question: str, rows: list[Row], first: str, column: str) -> str:
    """The one value of the column that the question says, as it says it: whole, or one word of a name."""
    shape = stage.shape(first, column)
    values = sorted({str(row[column]) for row in rows})
    found = {value: match[0] for value in values if (match := _word(question, value))}
    if not found and "enum" not in shape:
        parts = [(value, part) for value in values for part in re.findall(r"[^\W\d_]{4,}", value)]
        found = {part: match[0] for _, part in parts if (match := _word(question, part))}
    if len(found) != 1:
        return ""
    value, text = next(iter(found.items()))
    return value if "enum" in shape else text


def _word(question: str, value: str) -> re.Match[str] | None:
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(value)}(?![A-Za-z0-9])", question, re.IGNORECASE)


def _text(step: Call | Answer) -> str:
    if isinstance(step, Answer):
        return f"{step.thought} {step.text}"
    return f"{step.thought} {' '.join(map(str, step.args.values()))}"


def whole_names(stage: Stage, exchange: Exchange) -> Exchange:
    """The exchange with names searched for as they were said, where that finds the same: "Ada Grey", not "Grey"."""
    steps = tuple(
        step if isinstance(step, Answer) else _named_in_full(stage, exchange, step) for step in exchange.steps
    )
    return msgspec.structs.replace(exchange, steps=steps)


def _named_in_full(stage: Stage, exchange: Exchange, step: Call) -> Call:
    first, given = stage.written(step)
    for key, value in given.items():
        if not isinstance(value, str) or not value[:1].isupper() or stage.shape(first, key).get("enum"):
            continue
        said = re.search(rf"[A-Z][\w'’-]+ {re.escape(value)}(?![\w'’-]*[A-Za-z0-9])", exchange.question)
        if said is None or not stage.rng.chance(IN_FULL):
            continue
        try:
            call, _ = stage.made(step.thought, first, {**given, key: said[0]})
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue
        if not call.failed and call.observation == step.observation and call.observation not in ("[]", "{}"):
            is_said = said[0] in step.thought
            return msgspec.structs.replace(
                call, thought=step.thought if is_said else step.thought.replace(value, said[0], 1)
            )
    return step


def _unfiltered(stage: Stage, first: str, step: Call) -> Call:
    names = [stage.keys[first][column] for column in stage.filters[first]]
    told = stage.rng.some(["Give one of these: {}.", "At least one filter is needed: {}.", "Too many rows. Give {}."])
    return msgspec.structs.replace(step, observation=told.format(", ".join(names)), failed=True, learned=False)
