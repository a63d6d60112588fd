"""Thoughts with content: before an answer what of the results it is made of, before calls their plan.

A thought without content ("I have what was asked for.") teaches a model to answer before it has looked.
"""

import datetime
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Any, Final, NamedTuple, cast

import msgspec

from training.data.conversation import Answer, Call, Conversation, Exchange, Step
from training.data.values import Rng

MAX_CELLS: Final = 4
MAX_VALUE: Final = 80
MAX_QUOTE: Final = 140
MAX_PLANNED: Final = 220
TOO_SHORT: Final = 0.06
TOO_LONG: Final = 0.015
"""Of the plans of conversations with calls. Plans that are too long teach to stop, so they are few."""
_NOTHING: Final = frozenset({"[]", "{}", "null", ""})
_EMPTY: Final = re.compile(
    r"I have |That answers|The result tells|The line shows it|Ich habe |已查到|It is planned|It was sent|It is done\."
)
_YES: Final = re.compile(r"(?:Yes|No|Ja|Nein)\b|[是不没有]")
_TOKEN: Final = re.compile(r"\d[\d.,:/-]*\d|\d|[^\W\d_]{4,}")
_FIGURE: Final = re.compile(r"\d[\d.,:/-]*\d|\d")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|\n+")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_ROW: Final = re.compile(r"(?:^|, )([\w ]{1,30}): ")


class Cell(NamedTuple):
    """A value of a result, the name of its field, and what its record begins with."""

    field: str
    value: str
    record: str


def quoting(rng: Rng, made: Conversation) -> Conversation:
    """The conversation with the results quoted where a thought before an answer said nothing."""
    exchanges = tuple(_quoted(rng, each) for each in made.exchanges)
    return msgspec.structs.replace(made, exchanges=exchanges)


def _quoted(rng: Rng, exchange: Exchange) -> Exchange:
    *steps, answer = exchange.steps
    seen = [step.observation for step in steps if isinstance(step, Call) and not step.failed]
    if not seen or not isinstance(answer, Answer) or not _EMPTY.match(answer.thought) or rng.chance(0.05):
        return exchange
    thought = quote(rng, exchange.question, seen, answer.text)
    if not thought:
        return exchange
    return msgspec.structs.replace(exchange, steps=(*steps, Answer(thought, answer.text)))


def with_days(rng: Rng, made: Conversation) -> Conversation:
    """The conversation with days told in the thought before a call that takes them, where they were said otherwise."""
    exchanges = tuple(_with_days(rng.today, each) for each in made.exchanges)
    return msgspec.structs.replace(made, exchanges=exchanges)


def _with_days(today: datetime.date, exchange: Exchange) -> Exchange:
    told, steps = exchange.question, list[Step]()
    for step in exchange.steps:
        if isinstance(step, Call):
            days = [str(value) for value in step.args.values() if _DAY.fullmatch(str(value))]
            new = [_named(day, today) for day in dict.fromkeys(days) if day not in f"{told} {step.thought}"]
            thought = f"{step.thought} The day is {' and '.join(new)}." if new else step.thought
            told += f" {step.thought} {step.observation}"
            step = msgspec.structs.replace(step, thought=thought)
        steps.append(step)
    return msgspec.structs.replace(exchange, steps=tuple(steps))


def _named(day: str, today: datetime.date) -> str:
    """With the name of the weekday and the week that the context tells it in, or how many days ago it was."""
    found = datetime.date.fromisoformat(day)
    ahead = (found - today).days
    if -7 < ahead < -1:
        return f"{found:%A}, {-ahead} days ago, {day}"
    if not 0 <= today.weekday() + ahead < 14 or ahead < 0:
        return day
    return f"{found:%A} {day}" if today.weekday() + ahead < 7 else f"{found:%A} of next week, {day}"


def with_plan(made: Conversation) -> Conversation:
    """The conversation whose first thought names the tools of the way, also where there is one only: the first words
    then choose a tool, and not how many there will be.

    What follows a call that found nothing or failed could not be planned, and is not named.
    """
    exchanges = tuple(_planned(each) for each in made.exchanges)
    return msgspec.structs.replace(made, exchanges=exchanges)


def _planned(exchange: Exchange) -> Exchange:
    steps = list(exchange.steps)
    for number, step in enumerate(exchange.steps):
        if not isinstance(step, Call) or (number and not step.learned):
            continue
        plan = plan_of(_foreseen(exchange.steps[number:]))
        if number == 0:
            thought = f"{plan} {step.thought}"
        elif _has_failed(exchange, number):
            thought = f"{step.thought} {plan}"
        else:
            continue
        if len(thought) <= MAX_PLANNED:
            steps[number] = msgspec.structs.replace(step, thought=thought)
    return msgspec.structs.replace(exchange, steps=tuple(steps))


def _has_failed(exchange: Exchange, number: int) -> bool:
    """Whether what was decided before this step came to nothing, so that there is a new plan."""
    before = exchange.steps[number - 1]
    sent_back = exchange.rejected is not None and exchange.rejected_at == number
    failed = isinstance(before, Call) and (not before.learned or before.failed or before.observation in _NOTHING)
    return sent_back or failed


def with_wrong_plan(rng: Rng, made: Conversation, tools: Sequence[str]) -> Conversation:
    """The conversation whose last exchange now and then begins with a plan of a call too many or too few, which is not
    learned: what is learned is to look at what is there, and not at the plan."""
    *before, last = made.exchanges
    calls = [step for step in last.steps if isinstance(step, Call)]
    is_right = calls and last.rejected is None and all(each.learned and not each.failed for each in calls)
    plan = plan_of(each.tool for each in calls)
    answer, others = last.steps[-1], [name for name in tools if name not in {each.tool for each in calls}]
    fits = is_right and isinstance(answer, Answer) and calls[0].thought.startswith(plan) and others
    if not fits or any(each.observation in _NOTHING for each in calls):
        return made
    steps, chance = list(last.steps), rng.random()
    if len(calls) > 1 and chance < TOO_SHORT:
        kept = rng.randint(1, len(calls) - 1)
        wrong, rest = plan_of(each.tool for each in calls[:kept]), plan_of(each.tool for each in calls[kept:])
        steps[kept] = msgspec.structs.replace(calls[kept], thought=f"That is not all. {calls[kept].thought} {rest}")
    elif chance < TOO_LONG:
        wrong = plan_of([*(each.tool for each in calls), rng.some(others)])
        steps[-1] = msgspec.structs.replace(answer, thought=f"It is told already. {answer.thought}")
    else:
        return made
    thought = calls[0].thought.replace(plan, wrong, 1)
    steps[0] = msgspec.structs.replace(calls[0], thought=thought, learned=False)
    return msgspec.structs.replace(made, exchanges=(*before, msgspec.structs.replace(last, steps=tuple(steps))))


def plan_of(tools: Iterable[str]) -> str:
    """`Plan: find_boat, berth 2 times.`"""
    counted = [(name, len(list(group))) for name, group in groupby(tools)]
    return f"Plan: {', '.join(name if count == 1 else f'{name} {count} times' for name, count in counted)}."


def _foreseen(steps: Sequence[Step]) -> Iterator[str]:
    """The tools up to the first call that is a mistake, finds nothing or fails."""
    for number, step in enumerate(steps):
        if isinstance(step, Call) and (step.learned or number == 0):
            yield step.tool
            if not step.learned or step.failed or step.observation in _NOTHING:
                return


def quote(rng: Rng, question: str, seen: Sequence[str], answer: str) -> str:
    """What of the results stands in the answer and was not in the question; empty where that is nothing, or much."""
    every = [list(cells(text)) for text in seen]
    told: dict[str, list[Cell]] = {}
    for shown in every:
        last = [cell for cell in shown if _is_told(cell.value, answer, question)]
        told |= {cell.value: [same for same in last if same.value == cell.value] for cell in last}
    meant = [_meant(same, f"{question} {answer}") for same in told.values()]
    found = [cell for cell in meant if cell is not None]
    if len(found) < len(meant):
        return ""
    found += _around(question, chain.from_iterable(every), answer, found)
    if not found and every[-1] and _YES.match(answer):
        flags = [cell for cell in every[-1] if cell.value in ("true", "false")]
        found = flags if len(flags) == 1 else []
    if found:
        return _written(rng, found) if len(found) <= MAX_CELLS else ""
    return "" if any(every) else _sentence(rng, question, seen[-1], answer)


def _meant(same: Sequence[Cell], words: str) -> Cell | None:
    """The one of the cells with the same value that the answer speaks of; None where that cannot be told."""
    if len({cell.field for cell in same}) == 1:
        return same[-1]
    stems = {word[:4] for word in _WORD.findall(words.casefold())}
    near = [cell for cell in same if stems & {word[:4] for word in _WORD.findall(cell.field.casefold())}]
    return near[-1] if len({cell.field for cell in near}) == 1 else None


def _around(question: str, every: Iterable[Cell], answer: str, found: Sequence[Cell]) -> list[Cell]:
    """The cells whose longer value has a figure of the answer that nothing else has."""
    known = " ".join([question, *(cell.value for cell in found)])
    left = [figure for figure in _FIGURE.findall(answer) if figure not in known]
    long = [
        cell for cell in every if len(cell.value) <= MAX_VALUE and any(_stands_in(each, cell.value) for each in left)
    ]
    return long if len(long) <= len(left) else []


def _is_told(value: str, answer: str, question: str) -> bool:
    if len(value) > MAX_VALUE or (len(value) < 2 and not value.isdigit()):
        return False
    return _stands_in(value.casefold(), answer.casefold()) and not _stands_in(value.casefold(), question.casefold())


def _stands_in(value: str, text: str) -> bool:
    """Between other signs than letters and figures; Chinese needs none."""
    return re.search(rf"(?<![A-Za-z0-9_.]){re.escape(value)}(?![A-Za-z0-9_]|[.,]\d)", text) is not None


def _written(rng: Rng, found: Sequence[Cell]) -> str:
    records = {cell.record for cell in found}
    if len(found) == 1 and (cell := found[0]):
        of = f" of {cell.record}" if cell.record not in ("", cell.value) and rng.chance(0.5) else ""
        form = rng.some(["{} is {}.", "{}: {}.", "The result says {} {}."])
        return form.format(cell.field + of, cell.value)
    if len(records) == 1:
        return ", ".join(f"{cell.field}: {cell.value}" for cell in found) + "."
    if len({cell.field for cell in found}) == 1 and all(cell.record in ("", cell.value) for cell in found):
        return f"{found[0].field}: {', '.join(cell.value for cell in found)}."
    parts = [
        f"{cell.field} {cell.value}" if cell.record == cell.value else f"{cell.record}: {cell.field} {cell.value}"
        for cell in found
    ]
    return "; ".join(parts) + "."


def _sentence(rng: Rng, question: str, text: str, answer: str) -> str:
    known = question.casefold()
    wanted = {token for token in _TOKEN.findall(answer) if token.casefold() not in known}
    parts = [part for part in _SENTENCE.split(text) if not part.startswith("|")] or [""]
    best = max(parts, key=lambda part: sum(token in part for token in wanted))
    if not any(token in best for token in wanted) or len(best) > MAX_QUOTE:
        return ""
    return rng.some(['It says: "{}"', 'The text says "{}"', "{}"]).format(best.strip().rstrip(";"))


def cells(text: str) -> Iterator[Cell]:
    """The values of a result: of JSON, of a table, of lines with names; nothing of prose."""
    try:
        value = json.loads(text, parse_float=str, parse_int=str)
    except ValueError:
        yield from _table(text) if text.lstrip().startswith("|") else _lines(text)
    else:
        yield from _walk(value, "", "")


def _walk(value: Any, field: str, record: str) -> Iterator[Cell]:
    if isinstance(value, dict):
        row = cast("dict[str, Any]", value)
        plain = next((_plain(each) for each in row.values() if not isinstance(each, dict | list | bool)), "")
        for name, each in row.items():
            yield from _walk(each, name, plain)
    elif isinstance(value, list):
        for each in cast("list[Any]", value):
            yield from _walk(each, field, record)
    elif field and value is not None:
        yield Cell(field, _plain(value), record)


def _plain(value: Any) -> str:
    return json.dumps(value) if isinstance(value, bool) else str(value)


def _table(text: str) -> Iterator[Cell]:
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in text.splitlines()]
    names, *rest = rows
    for row in rest[1:]:
        yield from (Cell(name, value, row[0]) for name, value in zip(names, row, strict=False))


def _lines(text: str) -> Iterator[Cell]:
    """`- key: value, key: value` one record a line, or one record of `key: value` lines."""
    lines = text.splitlines()
    if lines and all(line.startswith("- ") for line in lines):
        for line in lines:
            parts = _ROW.split(line[2:])[1:]
            pairs = list(zip(parts[::2], parts[1::2], strict=False))
            yield from (Cell(name, value, pairs[0][1]) for name, value in pairs)
    elif lines and all(re.match(r"[\w ]{1,30}: ", line) for line in lines):
        pairs = [line.split(": ", 1) for line in lines]
        yield from (Cell(name, value, pairs[0][1]) for name, value in pairs)
