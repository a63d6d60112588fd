"""Reports with a line of totals above a table (`measures.txt`): questions that want one or two of their measures."""

from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from training.data.catalogue import Param, Tool, write_rows
from training.data.conversation import Answer, Call, Conversation, Exchange, Language
from training.data.phrases import dressed
from training.data.talks.reports import PERIODS
from training.data.values import CITIES, Rng, dumps, person, tidy

MAX_ROWS: Final = 9
_LANGUAGES: Final[tuple[Language, ...]] = ("en", "de", "zh")
_AVERAGED: Final = ("%", "h", "min", "kW")
_NAMES: Final = ("supplier", "customer", "partner", "buyer", "driver", "team")
_CODES: Final = ("warehouse", "line", "vehicle", "meter", "shift", "grade", "entrance")
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_THOUGHTS: Final = ("{} is in the figures on {}.", "I need {} from the report on {}.", "{}: that is a figure on {}.")
_ABOUT: Final = ("{0} with totals: {1}.", "{1} of {0}.", "Figures on {0}: {1}, by {2}.")


class Measure(NamedTuple):
    """A figure of a report: its column, its unit, and ways to ask for it in English, German and Chinese."""

    name: str
    unit: str
    asked: str
    german: str
    chinese: str


class Area(NamedTuple):
    """What a report is about: names of its tool, its measures, and what it can be grouped by."""

    title: str
    tools: tuple[str, ...]
    measures: tuple[Measure, ...]
    groups: tuple[str, ...]


class Wish(NamedTuple):
    """What is asked for: the total of measures, or of one measure the top row, a row or all rows of a grouping."""

    measures: tuple[Measure, ...]
    kind: str
    group: str


@cache
def read_areas() -> tuple[Area, ...]:
    """The areas of `measures.txt`: a line with `#` begins one, the others are its measures."""
    areas = list[Area]()
    for line in (Path(__file__).parent / "measures.txt").read_text("utf-8").splitlines():
        parts = [part.strip() for part in line.lstrip("# ").split("|")]
        if line.startswith("#"):
            areas.append(Area(parts[0], tuple(parts[1].split()), (), tuple(parts[2].split())))
        else:
            areas[-1] = areas[-1]._replace(measures=(*areas[-1].measures, Measure(*parts)))
    return tuple(areas)


class MeasureReport:
    """One report with its tool as a catalogue has it."""

    def __init__(self, rng: Rng, area: Area) -> None:
        self.rng, self.area = rng, area
        self.period, self.group = rng.some(["period", "when"]), rng.some(["group_by", "per", "breakdown"])
        self.place = rng.some(["site", "branch", "location"])
        periods = (*rng.sample(list(PERIODS), rng.randrange(5, 10)), "all")
        params = (
            Param(self.period, required=False, nullable=rng.chance(0.5), choices=periods),
            Param(self.group, required=False, nullable=rng.chance(0.5), choices=area.groups),
            Param(self.place, required=False),
            Param("limit", "integer", required=False),
        )
        told = ", ".join(measure.name for measure in area.measures)
        described = rng.some(_ABOUT).format(area.title, told, " or ".join(area.groups)).capitalize()
        self.tool = Tool(rng.some(area.tools), described, params)

    def talk(self) -> Conversation:
        """One question, and now and then the same for another period."""
        rng = self.rng
        language: Language = rng.choices(_LANGUAGES, (64, 18, 18))[0]
        wish, args = self._wish(language), self._said()
        exchanges = [self._exchange(language, wish, args)]
        if language == "en" and wish.kind != "row" and rng.chance(0.35):
            known = {"all", args.get(self.period)}
            period = rng.some([each for each in self.tool.params[0].choices if each not in known])
            question = rng.some([f"and {PERIODS[period][0]}?", f"what about {PERIODS[period][0]}"])
            exchanges.append(self._exchange(language, wish, {**args, self.period: period}, question))
        return Conversation("measure" if len(exchanges) == 1 else "measure-follow", tuple(exchanges), language)

    def _wish(self, language: Language) -> Wish:
        rng = self.rng
        measures = rng.sample(self.area.measures, 2 if language == "en" and rng.chance(0.18) else 1)
        kind = rng.choices(("total", "most", "row", "each"), (62, 14, 12, 12))[0]
        return Wish(tuple(measures), kind if len(measures) == 1 else "total", rng.some(self.area.groups))

    def _said(self) -> dict[str, Any]:
        args = dict[str, Any]()
        if self.rng.chance(0.6):
            args[self.period] = self.rng.some([each for each in self.tool.params[0].choices if each != "all"])
        if self.rng.chance(0.25):
            args[self.place] = self.rng.some(CITIES)
        return args

    def _exchange(self, language: Language, wish: Wish, args: dict[str, Any], question: str = "") -> Exchange:
        rows = self._rows(wish)
        row = self.rng.some(rows)
        given = args if wish.kind == "total" else {**args, self.group: wish.group}
        called = {param.name: given[param.name] for param in self.tool.params if param.name in given}
        totals = {each.name: _total(each, rows) for each in self.area.measures}
        thought = self.rng.some(_THOUGHTS).format(" and ".join(each.name for each in wish.measures), self.area.title)
        call = Call(thought, self.tool.name, called, self._page(called, totals, rows))
        question = question or self._question(language, wish, args, row)
        return Exchange(question, (call, _answer(language, wish, totals, rows, row)))

    def _question(self, language: Language, wish: Wish, args: dict[str, Any], row: dict[str, Any]) -> str:
        number = _LANGUAGES.index(language)
        texts = [self.rng.some((each.asked, each.german, each.chinese)[number].split(";")) for each in wish.measures]
        period = PERIODS[args[self.period]][number] if self.period in args else ""
        place, key = args.get(self.place, ""), row[wish.group]
        kinds: dict[Language, dict[str, str]] = {
            "en": {
                "most": f": which {wish.group} was the highest",
                "row": f" (only {key})",
                "each": f", by {wish.group}",
            },
            "de": {
                "most": f": welcher {wish.group} am meisten",
                "row": f" (nur {key})",
                "each": f", nach {wish.group}",
            },
            "zh": {"most": f"，哪个{wish.group}最多", "row": f"，只看{key}", "each": f"，按{wish.group}分"},
        }
        kind = kinds[language].get(wish.kind, "")
        if language == "zh":
            return f"{period}{place}{texts[0]}{kind}？"
        said = "".join([f" {period}" if period else "", f" in {place}" if place else ""])
        text = f"{', and '.join(texts)}{said}{kind}?"
        return dressed(self.rng, text) if language == "en" else text[0].upper() + text[1:]

    def _rows(self, wish: Wish) -> list[dict[str, Any]]:
        """Rows of the grouping with all measures, the largest first of what is wanted."""
        rng = self.rng
        keys = list(dict.fromkeys(_key(rng, wish.group) for _ in range(rng.randint(3, MAX_ROWS))))
        keys = keys if len(keys) > 1 else [keys[0], f"{keys[0]} B"]
        scales = {each.name: rng.some([40, 900, 20_000]) for each in self.area.measures}
        rows = [
            {wish.group: key} | {each.name: _figure(rng, each, scales[each.name]) for each in self.area.measures}
            for key in keys
        ]
        return sorted(rows, key=lambda row: -row[wish.measures[0].name])

    def _page(self, args: dict[str, Any], totals: dict[str, Any], rows: list[dict[str, Any]]) -> str:
        if self.rng.chance(0.25):
            named = {each.name: f"{each.name} ({each.unit})" for each in self.area.measures if each.unit}
            whole, *parts = [{named.get(key, key): value for key, value in row.items()} for row in (totals, *rows)]
            return dumps({"totals": whole, "rows": parts} if self.group in args else {"totals": whole})
        told = ", ".join(f"{each.name} {_written(each, totals[each.name])}" for each in self.area.measures)
        said = [f"{key.replace('_', ' ')}: {value}" for key, value in args.items()]
        head = " · ".join([self.area.title.capitalize(), *(said or ["all"]), f"as of {self.rng.today}"])
        page = f"{head}\nTotals: {told}."
        if self.group not in args and self.rng.chance(0.4):
            return page
        shown = [
            {key: f"{value:,}" if isinstance(value, int | float) else value for key, value in row.items()}
            for row in rows
        ]
        return f"{page}\n\nRows, largest first:\n\n{write_rows(shown, 'table')}"


def _answer(
    language: Language, wish: Wish, totals: dict[str, Any], rows: list[dict[str, Any]], row: dict[str, Any]
) -> Answer:
    first = wish.measures[0]
    if wish.kind == "total":
        values = [_written(each, totals[each.name]) for each in wish.measures]
        named = [f"{each.name} {value}" for each, value in zip(wish.measures, values, strict=True)]
        text = values[0] if len(values) == 1 else (" und " if language == "de" else " and ").join(named)
        return Answer(f"Totals: {', '.join(named)}.", f"{text[0].upper()}{text[1:]}.")
    told = [f"{each[wish.group]} {_written(first, each[first.name])}" for each in rows]
    if wish.kind == "most":
        return Answer(f"{told[0]}, then {told[1]}.", f"{told[0]}.")
    if wish.kind == "row":
        value = _written(first, row[first.name])
        return Answer(f"Row {row[wish.group]}: {first.name} {value}.", f"{value}.")
    return Answer(f"The column {first.name} by {wish.group}.", f"{', '.join(told)}.")


def _figure(rng: Rng, measure: Measure, scale: int) -> float | int:
    if measure.unit in _AVERAGED:
        return tidy(round(rng.uniform(0.5, 98), 1))
    if measure.unit in ("USD", "EUR"):
        return round(rng.uniform(scale, 45 * scale), 2)
    return rng.randint(scale // 20, scale)


def _total(measure: Measure, rows: list[dict[str, Any]]) -> float | int:
    values = [row[measure.name] for row in rows]
    return tidy(round(sum(values) / len(values), 1)) if measure.unit in _AVERAGED else round(sum(values), 2)


def _written(measure: Measure, value: float) -> str:
    return f"{value:,} {measure.unit}".strip()


def _key(rng: Rng, group: str) -> str:
    if group == "month":
        return f"{rng.today.year}-{rng.randint(1, 12):02d}"
    if group == "weekday":
        return rng.some(_DAYS)
    if group in _NAMES:
        return person(rng).split()[1]
    return f"{group[:2].upper()}-{rng.randint(1, 99):02d}" if group in _CODES else rng.some(CITIES)
