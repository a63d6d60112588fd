"""Thoughts with content: before an answer what of the results it is made of.

A thought without content ("I have what was asked for.") teaches a model to answer before it has looked.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final, NamedTuple, cast

import msgspec

from training.data.conversation import Answer, Call, Conversation, Exchange
from training.data.values import Rng

MAX_CELLS: Final = 4
MAX_VALUE: Final = 80
MAX_QUOTE: Final = 140
NOTHING: Final = frozenset({"[]", "{}", "null", ""})
"""Results without anything in them."""
_EMPTY: Final = re.compile(
    r"I have |That answers|The result tells|The line shows it|Ich habe |已查到|It is planned|It was sent|It is done\."
)
_YES: Final = re.compile(r"(?:Yes|No|Ja|Nein)\b|[是不没有]")
_TOKEN: Final = re.compile(r"\d[\d.,:/-]*\d|\d|[^\W\d_]{4,}")
_FIGURE: Final = re.compile(r"\d[\d.,:/-]*\d|\d")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|\n+")
_PROSE: Final = re.compile(r"[a-z]\. [A-Z]")
_ROW: Final = re.compile(r"(?:^|, )([\w ]{1,30}): ")


_FLAGS: Final = frozenset({"true", "false", "yes", "no", "True", "False"})


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


def quote(rng: Rng, question: str, seen: Sequence[str], answer: str) -> str:
    """What of the results stands in the answer and was not in the question; empty where that is nothing, or much."""
    every = [list(cells(text)) for text in seen]
    told: dict[str, list[Cell]] = {}
    for shown in every:
        last = [cell for cell in shown if cell.value not in _FLAGS and _is_told(cell.value, answer, question)]
        told |= {cell.value: [same for same in last if same.value == cell.value] for cell in last}
    meant = [_meant(same, f"{question} {answer}") for same in told.values()]
    found = [cell for cell in meant if cell is not None]
    if len(found) < len(meant):
        return ""
    found += _around(question, chain.from_iterable(every), answer, found)
    if _YES.match(answer) and (flags := [cell for cell in every[-1] if cell.value in _FLAGS]):
        asked = flags if len(flags) == 1 else list(filter(None, [_meant(flags, f"{question} {answer}")]))
        found = [*asked, *found] if asked else []
    if found:
        return _written(rng, _with_same(found, told)) if len(found) <= MAX_CELLS else ""
    return "" if every[-1] else _sentence(rng, question, seen[-1], answer)


def _with_same(found: Sequence[Cell], told: Mapping[str, Sequence[Cell]]) -> list[Cell]:
    """The cells, in the order of their records; what several of the records have for each of them."""
    records = list(dict.fromkeys(cell.record for cell in found))
    fields = {(cell.field, cell.value) for cell in found}
    every = [same for cell in found for same in told.get(cell.value, (cell,)) if same.record in records]
    kept = dict.fromkeys(cell for cell in every if (cell.field, cell.value) in fields)
    return sorted(kept, key=lambda cell: records.index(cell.record))


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
    parts: list[str] = []
    for record in dict.fromkeys(cell.record for cell in found):
        own = [cell for cell in found if cell.record == record and (cell.value != record or len(records) == len(found))]
        told = ", ".join(f"{cell.field} {cell.value}" for cell in own)
        parts += [told if record in ("", *(cell.value for cell in own)) else f"{record}: {told}"] if told else []
    return "; ".join(parts) + "."


def _sentence(rng: Rng, question: str, text: str, answer: str) -> str:
    known = question.casefold()
    wanted = {token for token in _TOKEN.findall(answer) if token.casefold() not in known}
    if not wanted and _YES.match(answer):
        wanted = set(_TOKEN.findall(question))
    parts = [part for part in _SENTENCE.split(text) if not part.startswith("|")] or [""]
    wanted = {token.casefold() for token in wanted}
    best = max(parts, key=lambda part: sum(token in part.casefold() for token in wanted))
    if not any(token in best.casefold() for token in wanted) or len(best) > MAX_QUOTE:
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
    elif lines and all(re.match(r"[\w ]{1,30}: ", line) and not _PROSE.search(line) for line in lines):
        pairs = [line.split(": ", 1) for line in lines]
        yield from (Cell(name, value, pairs[0][1]) for name, value in pairs)
