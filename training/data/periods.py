"""Lists that take a first and a last day, and questions about a period: this week, last month, from one day to another.

The thought tells the days of the period, which a small model does not work out while it writes arguments.
"""

import calendar
import datetime
from typing import Any, Final, NamedTuple

from training.data.conversation import Answer, Conversation, Exchange, Language
from training.data.days import GERMAN_MONTHS, GERMAN_WEEKDAYS, MONTHS, WEEKDAYS
from training.data.filters import rows_without_arguments
from training.data.table_questions import subject_of
from training.data.tables import Table
from training.data.values import Rng, tidy
from training.data.world_expressions import Row, join, rows_of_one_form
from training.data.world_stage import DAY, Stage, schema_of

CHANCE: Final = 0.8
"""Of a list whose rows have a day."""
MAX_ROWS: Final = 8
_NAMES: Final = (
    ("from_day", "to_day"),
    ("first_day", "last_day"),
    ("since", "until"),
    ("start", "end"),
    ("from_date", "to_date"),
    ("after", "before"),
)
_ABOUT: Final = (
    ("First day, YYYY-MM-DD.", "Last day, YYYY-MM-DD."),
    ("Only from this day on (YYYY-MM-DD).", "Only up to this day (YYYY-MM-DD)."),
    ("YYYY-MM-DD, the first day that counts.", "YYYY-MM-DD, the last day that counts."),
)
_ONE_DAY = datetime.timedelta(days=1)


class Period(NamedTuple):
    """Two days, the thought that tells them, and how the period is said in English, German and Chinese."""

    first: datetime.date
    last: datetime.date | None
    thought: str
    said: tuple[str, str, str]


def add_periods(stage: Stage) -> None:
    """Some lists with days take the first and the last one as optional parameters."""
    rng = stage.rng
    for first in stage.tools:
        _, rows = _listed(stage, first)
        days = [name for name in (rows[0] if rows else ()) if all(DAY.fullmatch(str(row[name])) for row in rows)]
        low, high = rng.some(_NAMES)
        taken = {*stage.schemas[first], *stage.keys[first].values(), *stage.names}
        if not days or {low, high} & taken or not rng.chance(CHANCE):
            continue
        for key, about in zip((low, high), rng.some(_ABOUT), strict=True):
            stage.schemas[first][key] = schema_of(f"string? | {about}", rng)
            stage.keys[first][key] = key
        stage.periods[first] = (days[0], low, high)


def period_question(stage: Stage) -> Conversation | None:
    """A question about the rows of a period; None where no list takes one, or the period has no row or too many."""
    rng = stage.rng
    if not stage.periods:
        return None
    first = rng.some(sorted(stage.periods))
    day, low, high = stage.periods[first]
    period = rng.some(_periods(rng))
    of, _ = _listed(stage, first)
    given = {**of, low: period.first.isoformat()} | ({high: period.last.isoformat()} if period.last else {})
    call, rows = stage.made(f"{period.thought} I ask for these days.", first, given)
    if call.failed or not 0 < len(rows) <= MAX_ROWS or first in stage.demanding:
        return None
    table, key = Table(rng, rows), next(iter(rows[0]))
    if len({row[key] for row in rows}) < len(rows):
        return None
    table.key = key
    language: Language = rng.choices(("en", "de", "zh"), (70, 15, 15))[0]
    subject = subject_of(first if stage.is_nameless else call.tool)
    subject = " ".join([subject, *map(str, of.values())])
    question, answer = _worded(rng, table, subject, period, day, language)
    return Conversation("period", (Exchange(question, (call, answer)),), language)


def _listed(stage: Stage, first: str) -> tuple[dict[str, Any], list[Row]]:
    """What a tool has to be given, which is nothing or a drawn code of a table, and the rows that it then returns."""
    needed = [key for key, (_, required, _) in stage.schemas[first].items() if required]
    if not needed:
        return {}, rows_without_arguments(stage, first)
    codes = stage.codes(needed[0]) if len(needed) == 1 else []
    given = {needed[0]: stage.rng.some(codes)} if codes else {}
    try:
        return given, rows_of_one_form(stage.made("", first, given)[1]) if given else []
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return {}, []


def _worded(rng: Rng, table: Table, subject: str, period: Period, day: str, language: Language) -> tuple[str, Answer]:
    """The question and the answer; the thought names the rows with their days."""
    place = ("en", "de", "zh").index(language)
    said, names = period.said[place], [table.named(row) for row in table.rows]
    is_plural = subject.endswith("s")
    figures = [column for column in table.figures if column != table.key]
    if figures and len(names) > 1 and rng.chance(0.3):
        column = rng.some(figures)
        total: Any = tidy(round(sum(row[column] for row in table.rows), 2))
        summed = " + ".join(str(row[column]) for row in table.rows)
        what = column.replace("_", " ")
        asked = (f"{subject} {said}: how much {what} in all?", f"{subject} {said}: wie viel {what} insgesamt?",
                 f"{said}的{subject}，{what}一共多少？")  # fmt: skip
        return asked[place], Answer(
            f"{summed} = {total}.", (f"{total}.", f"Insgesamt {total}.", f"一共{total}。")[place]
        )
    dated = ", ".join(f"{name} {row[day]}" for name, row in zip(names, table.rows, strict=True))
    if rng.chance(0.4):
        many = [f"how many {subject} {said}?", f"{subject} {said} - how many"]
        asked = (rng.some(many if is_plural else [f"{subject}: how many entries {said}?"]),
                 f"Wie viele {subject} {said}?" if is_plural else f"{subject}: wie viele Einträge {said}?",
                 f"{said}有多少{subject}？")  # fmt: skip
        count = len(names)
        return asked[place], Answer(f"{dated}: {count}.", (f"{count}.", f"{count}.", f"{count}个。")[place])
    which = [f"what's in the {subject} {said}?", f"what does the {subject} have {said}?"]
    if is_plural:
        which = [f"which {subject} {said}?", f"all {subject} {said} please"]
    asked = (rng.some([*which, f"{subject} {said}"]),
             f"Welche {subject} {said}?" if is_plural else f"Was steht {said} in {subject}?",
             f"{said}有哪些{subject}？")  # fmt: skip
    about = _about(table, day)
    told = [f"{name} ({row[about]})" for name, row in zip(names, table.rows, strict=True)] if about else names
    listed = (f"{join(told)}.", f"{join(told, 'und')}.", f"{'、'.join(told)}。")[place]
    return asked[place], Answer(f"{dated}.", listed)


def _about(table: Table, day: str) -> str:
    """The column that tells most of a row beside its key; empty where there is none."""
    texts = [name for name in table.plain if name not in (table.key, day) and isinstance(table.rows[0][name], str)]
    different = {name: len({row[name] for row in table.rows}) for name in texts}
    return max(different, key=lambda name: different[name], default="")


def _periods(rng: Rng) -> list[Period]:
    today = rng.today
    monday = today - _ONE_DAY * today.weekday()
    found: list[Period] = []
    for weeks, said in ((0, ("this week", "diese Woche", "本周")), (1, ("next week", "nächste Woche", "下周")),
                        (-1, ("last week", "letzte Woche", "上周"))):  # fmt: skip
        first, last = monday + 7 * weeks * _ONE_DAY, monday + (7 * weeks + 6) * _ONE_DAY
        thought = f"{said[0].capitalize()} is Monday {first} to Sunday {last}."
        found.append(Period(first, last, thought, said))
    for weeks, said in ((0, ("this week, monday to friday", "diese Woche von Montag bis Freitag", "本周一到周五")),
                        (1, ("next week, monday to friday", "nächste Woche Mo bis Fr", "下周一到周五"))):  # fmt: skip
        first, last = monday + 7 * weeks * _ONE_DAY, monday + (7 * weeks + 4) * _ONE_DAY
        found.append(Period(first, last, f"Monday is {first}, Friday {last}.", said))
    for months, said in ((0, ("this month", "diesen Monat", "这个月")), (1, ("next month", "nächsten Monat", "下个月")),
                         (-1, ("last month", "letzten Monat", "上个月"))):  # fmt: skip
        number = today.year * 12 + today.month - 1 + months
        first, last = _month(number // 12, number % 12 + 1)
        found.append(Period(first, last, f"{said[0].capitalize()} is {first} to {last}.", said))
    month = rng.randint(1, 12)
    first, last = _month(today.year, month)
    said = (rng.some([f"in {MONTHS[month - 1]}", f"in {MONTHS[month - 1].lower()}"]), f"im {GERMAN_MONTHS[month - 1]}",
            f"{month}月")  # fmt: skip
    found.append(Period(first, last, f"{MONTHS[month - 1]} is {first} to {last}.", said))
    start = today + rng.randint(-30, 20) * _ONE_DAY
    end = start + rng.randint(2, 20) * _ONE_DAY
    said = (f"from {start.day} {MONTHS[start.month - 1]} to {end.day} {MONTHS[end.month - 1]}",
            f"vom {start.day}.{start.month}. bis {end.day}.{end.month}.",
            f"{start.month}月{start.day}日到{end.month}月{end.day}日")  # fmt: skip
    found.append(Period(start, end, f"The days are {start} to {end}.", said))
    ago = rng.randint(1, 6)
    since = today - ago * _ONE_DAY
    said = (f"since {WEEKDAYS[since.weekday()]}", f"seit {GERMAN_WEEKDAYS[since.weekday()]}",
            f"从{since.month}月{since.day}日起")  # fmt: skip
    found.append(Period(since, None, f"{WEEKDAYS[since.weekday()]} was {since}.", said))
    return found


def _month(year: int, month: int) -> tuple[datetime.date, datetime.date]:
    return datetime.date(year, month, 1), datetime.date(year, month, calendar.monthrange(year, month)[1])
