"""Questions about the rows that a world's tool returns: the first above a bound, the most, all of a kind, a difference,
the next one.

The thought names the rows that decide, with those beside them, before the answer is given.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from training.data.conversation import Answer, Call, Conversation, Exchange, Language
from training.data.filters import use_filters
from training.data.mistakes import is_reading
from training.data.phrases import typed
from training.data.tables import Table, is_plain, words
from training.data.values import Rng, tidy
from training.data.world_expressions import Row, join, rows_of_one_form
from training.data.world_stage import Stage

ROWS: Final = (4, 60)
MAX_NAMED: Final = 6
MAX_THOUGHT: Final = 200
MAX_LISTED: Final = 120
"""Characters of the rows that a thought goes through."""
_VERBS: Final = re.compile(r"^(get|list|find|search|show|fetch|lookup|look_up|read|all|the|tell|give)_")

_LATER: Final = re.compile(r"due|free|until|end|expir|next|back|valid|return|clos")
"""Days by which nothing is new or old."""
_DAYS: Final = (
    ("The oldest is of", "oldest {}?;which {} is the earliest, and when", "Welches {} ist das älteste?",
     "最早的{}是哪个？"),
    ("The newest is of", "newest {}?;which {} is the latest one, and its date", "Welches {} ist das neueste?",
     "最新的{}是哪个？"),
    ("After today, {}, comes", "which {} is next, and when?;next {}?;when is the next one?;next {} from today on",
     "Welches {} kommt als nächstes, und wann?", "下一个{}是哪个，什么时候？"),
    ("Before today, {}, the last is", "which {} was the last one before today?;most recent {} so far?;when was it last",
     "Welches {} war das letzte bis heute?", "到今天为止最近的{}是哪个？"),
)  # fmt: skip
"""Rows by their day: the thought, and questions with the name of a row in English, German and Chinese."""

Texts = dict[Language, tuple[str, ...]]


class Asked(NamedTuple):
    """Wordings of a question by language, the thought, and the answer by language."""

    texts: Texts
    thought: str
    said: Texts


def subject_of(tool: str) -> str:
    """What a list is called in a question, from the name of its tool."""
    return words(_VERBS.sub("", tool))


def table_question(stage: Stage, played: Conversation) -> Conversation | None:
    """A question about the rows that a conversation's first call returns; None where it returns no such rows."""
    rng, call = stage.rng, played.exchanges[0].steps[0]
    if not isinstance(call, Call) or call.failed or any(not is_plain(value) for value in call.args.values()):
        return None
    first, given = stage.written(call)
    made, value = stage.made("", first, given)
    rows = rows_of_one_form(value)
    if not is_reading(stage, first) or not ROWS[0] <= len(rows) <= ROWS[1]:
        return None
    talk = _asked(rng, Table(rng, rows), made, first if stage.is_nameless else call.tool)
    if talk is None or (_other_filters(stage, first, given) and _says_a_value(talk.exchanges[0].question, rows)):
        return None
    filtered = use_filters(stage, talk.exchanges[0])
    return None if filtered is None else msgspec.structs.replace(talk, exchanges=(filtered,))


def _other_filters(stage: Stage, first: str, given: Mapping[str, Any]) -> bool:
    """Whether the tool has parameters of its own that could take what a question says of a row."""
    return any(key not in given and key not in stage.filters.get(first, ()) for key in stage.schemas[first])


def _says_a_value(question: str, rows: list[Row]) -> bool:
    said = question.casefold()
    return any(
        isinstance(value, str) and len(value) > 2 and value.casefold() in said for row in rows for value in row.values()
    )


def _asked(rng: Rng, table: Table, call: Call, name: str) -> Conversation | None:
    if not table.key or any(isinstance(value, bool) for value in call.args.values()):
        return None
    language: Language = rng.choices(("en", "de", "zh"), (70, 15, 15))[0]
    for kind in [*([_by_day] * 2 if table.days else []), *rng.sample(_KINDS * 3, len(_KINDS) * 3)]:
        asked = None if kind is _cell and rng.chance(0.7) else kind(rng, table)
        if asked is not None and len(asked.thought) <= MAX_THOUGHT:
            break
    else:
        return None
    about = ", ".join([subject := subject_of(name), *(f"{words(key)} {value}" for key, value in call.args.items())])
    question = rng.some(["{1}: {0}", "{1} - {0}", "{0} ({1})", "{1}, {0}"]).format(
        rng.some(asked.texts[language]), about
    )
    thought = rng.some([f"I get the {subject}.", f"I read the {subject}.", f"It is in the {subject}."])
    steps = (
        Call(thought, call.tool, call.args, call.observation),
        Answer(asked.thought, rng.some(asked.said[language])),
    )
    return Conversation("table", (Exchange(typed(rng, question, language), steps),), language)


def _with(name: str, figure: float) -> Texts:
    """An answer with a row's name and its figure."""
    return {"en": (f"{name}, with {figure}.",), "de": (f"{name}, mit {figure}.",), "zh": (f"{name}，{figure}。",)}


def _listed(names: list[str]) -> Texts:
    return {"en": (f"{join(names)}.",), "de": (f"{join(names, 'und')}.",), "zh": (f"{'、'.join(names)}。",)}


def _crossing(rng: Rng, table: Table) -> Asked | None:
    """The first or last row above or below a bound."""
    if not table.figures:
        return None
    column, above, last = rng.some(table.figures), rng.chance(0.5), rng.chance(0.25)
    rows = table.rows[::-1] if last else table.rows
    at = rng.randint(1, len(rows) - 1)
    bound = _bound([row[column] for row in rows], at, above=above)
    if bound is None:
        return None
    name, row, before = words(column), rows[at], rows[at - 1]
    sign, come = (">" if above else "<"), ", ".join(str(each[column]) for each in rows[:at])
    passed = come if len(come) <= MAX_LISTED // 2 else f"{table.named(before)} {before[column]}"
    thought = (
        f"{'From the end' if last else 'From the top'}: {passed} {'is' if passed.count(',') == 0 else 'are'} not "
        f"{sign} {bound}, {table.named(row)} {row[column]} is."
    )
    key, which = words(table.key), "last" if last else "first"
    over = "above" if above else "below"
    german, chinese = ("über" if above else "unter"), ("高于" if above else "低于")
    texts: Texts = {
        "en": (
            f"which is the {which} {key} with {name} {over} {bound}?",
            f"{which} {key} where {name} is {'more' if above else 'less'} than {bound}",
            f"at which {key} is {name} {over} {bound} for the {which} time?",
        ),
        "de": (f"Bei welchem {key} liegt {name} zum {'letzten' if last else 'ersten'} Mal {german} {bound}?",),
        "zh": (f"{name}{'最后' if last else '第'}一次{chinese}{bound}是在哪个{key}？",),
    }
    return Asked(texts, thought, _with(table.named(row), row[column]))


def _bound(values: list[Any], at: int, *, above: bool) -> float | int | None:
    """A round bound that the values before `at` keep and the one there does not."""
    edge = max(values[:at]) if above else min(values[:at])
    low, high = (edge, values[at]) if above else (values[at], edge)
    if not low < high:
        return None
    for size in (1000, 500, 100, 50, 10, 5, 1, 0.5, 0.1):
        bound = tidy(round(low / size) * size)
        bound = bound if bound >= low else tidy(bound + size)
        if (low <= bound < high) if above else (low < bound <= high):
            return bound
    return None


def _most(rng: Rng, table: Table) -> Asked | None:
    """The highest or lowest, now and then of a kind alone."""
    if not table.figures:
        return None
    column, high = rng.some(table.figures), rng.chance(0.55)
    rows, of = table.rows, ""
    if table.kinds and rng.chance(0.5):
        kind = rng.some(table.kinds)
        of = rng.some([str(row[kind]) for row in rows])
        rows = [row for row in rows if row[kind] == of]
    ranked = sorted(rows, key=lambda row: row[column], reverse=high)
    if len(ranked) < 2 or ranked[0][column] == ranked[1][column]:
        return None
    best, name, key = ranked[0], words(column), words(table.key)
    told, which = _compared(table, rows, column, ranked), "highest" if high else "lowest"
    thought = f"{of + ': ' if of else ''}{told}; the {which} is {best[column]}, of {table.named(best)}."
    within = f" of the {of} ones" if of else ""
    texts: Texts = {
        "en": (
            f"which {key} has the {'highest' if high else 'lowest'} {name}{within}?",
            f"{'most' if high else 'least'} {name}{within}: which {key}?",
            f"where is {name} {'highest' if high else 'lowest'}{within}",
        ),
        "de": (f"Welches {key} hat {'am meisten' if high else 'am wenigsten'} {name}{f' ({of})' if of else ''}?",),
        "zh": (f"{f'{of}中' if of else ''}哪个{key}的{name}最{'高' if high else '低'}？",),
    }
    return Asked(texts, thought, _with(table.named(best), best[column]))


def _compared(table: Table, rows: list[Row], column: str, ranked: list[Row]) -> str:
    """All rows with their figures where they are few, or the figures alone; of many the first three of the order."""
    named = ", ".join(f"{table.named(row)} {row[column]}" for row in rows)
    if len(named) <= MAX_LISTED:
        return named
    figures = ", ".join(str(row[column]) for row in rows)
    if len(figures) <= MAX_LISTED:
        return f"{words(column)}: {figures}"
    return ", ".join(f"{table.named(row)} {row[column]}" for row in rows if row in ranked[:3])


def _of_a_kind(rng: Rng, table: Table) -> Asked | None:
    """All rows of a kind, or how many they are."""
    if not table.kinds:
        return None
    column = rng.some(table.kinds)
    counted = [value for value, count in Counter(row[column] for row in table.rows).items() if 1 <= count <= MAX_NAMED]
    if not counted:
        return None
    of, name = rng.some(counted), words(column)
    told = rng.some([table.key, *(each for each in table.plain if each != column)])
    key, rows = words(told), [row for row in table.rows if row[column] == of]
    found = [table.named(row) for row in rows]
    if rng.chance(0.3) and len(found) > 1:
        numbered = ", ".join(f"{number} {each}" for number, each in enumerate(found, 1))
        texts: Texts = {
            "en": (f"how many have {name} {of}?", f"number of rows with {name} {of}", f"how many {of} are there?"),
            "de": (f"Wie viele haben {name} {of}?",),
            "zh": (f"{name}是{of}的有多少个？",),
        }
        count = len(found)
        return Asked(
            texts,
            f"{name} {of}: {numbered}.",
            {"en": (f"{count}.", f"{count}: {join(found)}."), "de": (f"{count}.",), "zh": (f"{count}个。",)},
        )
    texts = {
        "en": (f"which {key} have {name} {of}?", f"all {key} with {of} please", f"{of}: which {key}?"),
        "de": (f"Welche {key} gibt es bei {name} {of}?",),
        "zh": (f"{name}是{of}的有哪些{key}？",),
    }
    values = [str(row[told]) for row in rows]
    found = list(dict.fromkeys(values))
    return Asked(texts, f"{name} {of}: {', '.join(values)}.", _listed(found))


def _values(rng: Rng, table: Table) -> Asked | None:
    """What stands in a column, each once."""
    if not table.kinds:
        return None
    column = rng.some(table.kinds)
    values = [str(row[column]) for row in table.rows]
    found = list(dict.fromkeys(values))
    if len(found) > MAX_NAMED:
        return None
    name = words(column)
    texts: Texts = {
        "en": (f"which {name} are in it?", f"{name}: all that occur", f"every {name}, each once"),
        "de": (f"Welche {name} kommen vor?",),
        "zh": (f"有哪些{name}？",),
    }
    return Asked(texts, f"{name}: {', '.join(values)}.", _listed(found))


def _cell(rng: Rng, table: Table) -> Asked | None:
    """One field of the row with a name, most often not the first."""
    row = rng.some(table.rows[1:])
    fields = [name for name in table.plain if len({str(each[name]) for each in table.rows}) > 1]
    if not (fields := [name for name in fields if name != table.key]):
        return None
    column = rng.some(fields)
    name, key, called = words(column), words(table.key), table.named(row)
    texts: Texts = {
        "en": (f"{name} of {called}?", f"what does it say for {key} {called}: {name}", f"{called}: what's the {name}?"),
        "de": (f"Was steht bei {called} unter {name}?",),
        "zh": (f"{called}的{name}是什么？",),
    }
    value = str(row[column])
    return Asked(
        texts,
        f"Row {called}: {name} {value}.",
        {"en": (f"{value}.", f"{called}: {value}."), "de": (f"{value}.",), "zh": (f"{value}。",)},
    )


def _difference(rng: Rng, table: Table) -> Asked | None:
    """From the first row to the last, or between two named ones."""
    if not table.figures:
        return None
    column, ends = rng.some(table.figures), rng.chance(0.5)
    one, other = (table.rows[0], table.rows[-1]) if ends else rng.sample(table.rows, 2)
    result = tidy(round(other[column] - one[column], 2))
    if result <= 0:
        return None
    name, key = words(column), words(table.key)
    low, high = one[column], other[column]
    thought = f"{table.named(one)} {low}, {table.named(other)} {high}: {high} - {low} = {result}."
    between = f"from the first to the last {key}" if ends else f"from {table.named(one)} to {table.named(other)}"
    german = "vom ersten zum letzten Eintrag" if ends else f"von {table.named(one)} zu {table.named(other)}"
    chinese = "从第一行到最后一行" if ends else f"从{table.named(one)}到{table.named(other)}"
    texts: Texts = {
        "en": (
            f"how much more {name} {between}?",
            f"by how much did {name} go up {between}?",
            f"difference in {name} {between}",
        ),
        "de": (f"Um wie viel steigt {name} {german}?",),
        "zh": (f"{chinese}，{name}增加了多少？",),
    }
    return Asked(
        texts,
        thought,
        {
            "en": (f"By {result}.", f"{result} more, from {one[column]} to {other[column]}."),
            "de": (f"Um {result}.",),
            "zh": (f"{result}。",),
        },
    )


def _by_day(rng: Rng, table: Table) -> Asked | None:
    """The next row from today on, the last one before, the newest or the oldest."""
    if not table.days:
        return None
    column, today = rng.some(table.days), rng.today.isoformat()
    late = sorted(table.rows, key=lambda row: row[column])
    past, coming = [row for row in late if row[column] < today], [row for row in late if row[column] > today]
    asked = list(zip((late[:2], late[:-3:-1], coming[:2], past[:-3:-1]), _DAYS, strict=True))
    is_later = _LATER.search(column) is not None or (past and coming and rng.chance(0.8))
    rows, (told, english, *others) = rng.some(asked[2:] if is_later else asked)
    if len(rows) < 2 or rows[0][column] == rows[1][column]:
        return None
    named, day = table.named(rows[0]), rows[0][column]
    days = ", ".join(str(row[column])[5:] for row in table.rows)
    is_short = len(days) <= MAX_LISTED // 2 and len({str(row[column])[:4] for row in table.rows}) == 1
    told = f"{words(column)}: {days}. {told}" if is_short else told
    thought = f"{told.format(today)} {day}: {named}; then {rows[1][column]}."
    german, chinese = (each.format(words(table.key)) for each in others)
    texts: Texts = {
        "en": tuple(each.format(words(table.key)) for each in english.split(";")),
        "de": (german,),
        "zh": (chinese,),
    }
    said: Texts = {
        "en": (f"{named}, on {day}.", f"{day}: {named}."),
        "de": (f"{named}, am {day}.",),
        "zh": (f"{named}，{day}。",),
    }
    return Asked(texts, thought, said)


def _sum(rng: Rng, table: Table) -> Asked | None:
    """Of a figure over the few rows of a kind."""
    if not table.figures or not table.kinds:
        return None
    kind, column = rng.some(table.kinds), rng.some(table.figures)
    of = rng.some([row[kind] for row in table.rows])
    parts = [row[column] for row in table.rows if row[kind] == of]
    if not 2 <= len(parts) <= 4:
        return None
    total, steps = parts[0], list[str]()
    for part in parts[1:]:
        steps.append(f"{total} + {part} = {tidy(round(total + part, 2))}")
        total = tidy(round(total + part, 2))
    name = words(column)
    texts: Texts = {
        "en": (f"total {name} of the {of} ones?", f"how much {name} do {of} have together", f"add up {name} for {of}"),
        "de": (f"Wie viel {name} haben {of} zusammen?",),
        "zh": (f"{of}的{name}一共是多少？",),
    }
    thought = f"{of}: {', '.join(map(str, parts))}; {'; '.join(steps)}."
    return Asked(
        texts,
        thought,
        {"en": (f"{total}.", f"{total} in all."), "de": (f"Zusammen {total}.",), "zh": (f"一共{total}。",)},
    )


_KINDS: Final[tuple[Callable[[Rng, Table], Asked | None], ...]] = (
    _crossing,
    _most,
    _of_a_kind,
    _values,
    _cell,
    _difference,
    _by_day,
    _sum,
)
