"""Records of one invented company and the tools over them, in styles that differ from catalogue to catalogue."""

import re
from typing import Any, Final, cast

import msgspec

from training.data.companies import Action, Attribute, Company, Thing
from training.data.conversation import ToolText, effect_of
from training.data.days import clock, day
from training.data.values import CITIES, FIRST, LAST, Rng, dumps, filled, money, person

Record = dict[str, Any]
PATTERNS: Final = ("", "", "", "", "number", "letters", "path")
NAMES: Final = [
    "Aurora",
    "Falcon",
    "Juniper",
    "Meridian",
    "Cobalt",
    "Lantern",
    "Sparrow",
    "Harvest",
    "Granite",
    "Willow",
    "Compass",
    "Ember",
    "Horizon",
    "Maple",
    "Orchid",
    "Pioneer",
    "Quartz",
    "Saffron",
    "Tundra",
    "Umber",
    "Velvet",
    "Windmill",
    "Zephyr",
    "Bluebell",
    "Cascade",
    "Driftwood",
    "Evergreen",
    "Foxglove",
]
_UNITS: Final = re.compile(r"_(eur|usd|gbp|chf|percent|c|m2|kg|km|min|l_day|kw|mw|m3|cm|ml|bar|gb|l|m)$")
_UNCOUNTED: Final = frozenset(
    ["year", "vintage", "floor", "room", "pager number", "extension", "locker", "rack", "platform"]
)
_PRICES: Final = re.compile(r"price|rate|daily_rate|rent|hourly|ticket_price|fee|premium")


class Param(msgspec.Struct, frozen=True):
    """A parameter of a tool as its schema describes it."""

    name: str
    kind: str = "string"
    description: str = ""
    required: bool = True
    choices: tuple[Any, ...] = ()
    nullable: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"type": "string", "enum": list(self.choices)} if self.choices else {"type": self.kind}
        if self.description:
            shape["description"] = self.description
        if self.required:
            return shape
        if self.choices and self.nullable:
            return {"anyOf": [shape, {"type": "null"}], "default": None}
        return {**shape, "default": self.choices[0] if self.choices else None}


class Tool(msgspec.Struct, frozen=True, eq=False):
    """A tool of the catalogue with what a generator must know of it."""

    name: str
    description: str
    params: tuple[Param, ...]
    thing: Thing | None = None
    shown: tuple[Attribute, ...] = ()
    form: str = "json"
    """How its results are written: json, nested, lines or prose."""
    by_name: bool = False
    by: Attribute | None = None
    action: Action | None = None
    upward: bool = True
    given: tuple[str, ...] = ()
    """The parameters in the order that a generator knows them; empty: as they are."""

    @property
    def text(self) -> ToolText:
        needed = [param.name for param in self.params if param.required]
        properties = {param.name: param.schema for param in self.params}
        shape = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
        return ToolText(self.name, self.description, shape, effect_of(self.description))


class Store:
    """The records of one company and its tools. `get[thing, key]` is the tool that tells that attribute."""

    def __init__(self, rng: Rng, company: Company, count: int) -> None:
        self.rng, self.company = rng, _with_names(rng, company)
        company = self.company
        self.records: dict[str, dict[str | int, Record]] = {}
        self.id_key: dict[str, str] = {}
        self.style = {thing.name: rng.some(PATTERNS) for thing in company.things}
        suffix = rng.some(["_id", "_id", "_id", "_number", "_no", "_code"])
        for thing in company.things:
            self.id_key[thing.name] = thing.name + suffix
            names: list[str] = []
            if thing.names == "Person":
                names = sorted({person(rng) for _ in range(count)})
            elif thing.names:
                every = thing.names.split(",")
                names = rng.sample(every, min(count, len(every)))
            rows: dict[str | int, Record] = {}
            for at in range(len(names) or count):
                while (ident := self.new_id(thing)) in rows:
                    pass
                rows[ident] = {"name": names[at]} if names else {}
            self.records[thing.name] = rows
        for thing in company.things:
            for record in self.records[thing.name].values():
                record |= {attribute.key: self._value(attribute) for attribute in thing.attributes}
        self.tools: list[Tool] = []
        self.get: dict[tuple[str, str], Tool] = {}
        self.find: dict[str, Tool] = {}
        self.lists: dict[str, Tool] = {}
        self.bounds: dict[str, Tool] = {}
        self.tables: dict[str, Tool] = {}
        self.totals: dict[str, Tool] = {}
        self.actions: list[Tool] = []
        self.named: set[str] = set()
        self._build()

    def new_id(self, thing: Thing) -> str | int:
        style = self.style[thing.name]
        if style == "number":
            return int(filled(self.rng, "#####"))
        if style == "letters":
            return filled(self.rng, f"{thing.name[:2]}_#@##@@")
        if style == "path":
            return filled(self.rng, f"{thing.plural}/####")
        return filled(self.rng, thing.pattern)

    def _value(self, attribute: Attribute) -> Any:
        rng, kind = self.rng, attribute.kind
        if kind.startswith("c:"):
            value = rng.some(kind[2:].split(","))
            return int(value) if value.isdigit() else value
        if kind.startswith("n:"):
            _, low, high, decimals, _unit = kind.split(":")
            number = round(rng.uniform(float(low), float(high)), int(decimals))
            return number if int(decimals) else int(number)
        if kind.startswith("m:"):
            return money(rng)
        if kind.startswith("x:"):
            return rng.some(list(self.records[kind[2:]]))
        if kind == "e":
            plain = f"{rng.some(FIRST)}.{rng.some(LAST)}".lower().translate(str.maketrans("öřáćł", "oracl"))
            return f"{plain}@{rng.some(['mail', 'post', 'net', 'work'])}.example"
        if kind == "ph":
            return f"+{rng.randrange(20, 99)} {rng.randrange(100, 999)} {rng.randrange(100000, 999999)}"
        return {
            "d": lambda: day(rng),
            "p": lambda: person(rng),
            "l": lambda: rng.some(CITIES),
            "t": lambda: clock(rng),
        }[kind]()

    def id_param(self, thing: Thing, name: str = "") -> Param:
        rng, example = self.rng, self.new_id(thing)
        kind = "integer" if self.style[thing.name] == "number" else "string"
        about = rng.some(
            [
                f"The {thing.name}'s number, such as {example}.",
                f"Number of the {thing.name}, like {example}.",
                f"The number of the {thing.name}.",
                f"Identifier of the {thing.name}, e.g. {example}.",
                "",
            ]
        )
        return Param(name or self.id_key[thing.name], kind, about)

    def _build(self) -> None:
        rng = self.rng
        verb = rng.some(["get_", "show_", "read_", "lookup_", "fetch_", "", "check_", "describe_"])
        ending = rng.some(["", "_info", "_details", "_record", "_data", ""]) or ("" if verb else "_info")
        for thing in self.company.things:
            self._build_getters(thing, verb, ending)
            self._build_finder(thing)
            self._build_lists(thing)
        for action in self.company.actions:
            if rng.chance(0.8):
                self._add(Tool(action.name, action.description, self._action_params(action), action=action))
                self.actions.append(self.tools[-1])

    def _add(self, tool: Tool) -> Tool:
        self.tools.append(tool)
        return tool

    def _build_getters(self, thing: Thing, verb: str, ending: str) -> None:
        rng = self.rng
        by_name = bool(thing.names) and rng.chance(0.35)
        if by_name:
            self.named.add(thing.name)
            key = Param(rng.some([thing.name, "name", f"{thing.name}_name"]), "string", f"Name of the {thing.name}.")
        else:
            key = self.id_param(thing)
        every = list(thing.attributes)
        rng.shuffle(every)
        apart = min(rng.some([0, 0, 1, 1, 2, 3]), len(every) - 1)
        main = tuple(one for one in thing.attributes if one not in every[:apart])
        labels = ", ".join(one.label for one in main)
        about = rng.some(
            [
                f"One {thing.name} by its {'name' if by_name else 'number'}: {labels}.",
                f"Details of a {thing.name}: {labels}.",
                f"Looks up a {thing.name}; tells its {labels}.",
                f"Returns the {labels} of a {thing.name}.",
            ]
        )
        forms = ["json", "json", "json", "nested", "lines", "prose"]
        tool = self._add(Tool(verb + thing.name + ending, about, (key,), thing, main, rng.some(forms), by_name))
        self.get |= {(thing.name, one.key): tool for one in main}
        for one in every[:apart]:
            name = rng.some(
                [f"{verb or 'get_'}{thing.name}_{one.key}", f"{thing.name}_{one.key}", f"{one.key}_of_{thing.name}"]
            )
            name = _UNITS.sub("", name) if rng.chance(0.4) else name
            about = rng.some([f"The {one.label} of a {thing.name}.", f"Tells the {one.label} of one {thing.name}."])
            tool = self._add(Tool(name, about, (key,), thing, (one,), rng.some([*forms, "prose"]), by_name))
            self.get[thing.name, one.key] = tool

    def _build_finder(self, thing: Thing) -> None:
        rng = self.rng
        if not thing.names or thing.name in self.named or not rng.chance(0.9):
            return
        name = rng.some(
            ["name", "query", "text", f"{thing.name}_name", "search", "keyword", "description", "words", thing.name]
        )
        shown = tuple(one for one in thing.attributes if one.target is None)
        shown = tuple(rng.sample(shown, min(len(shown), rng.some([0, 1, 1, 2, 2, 3, 4]))))
        told = ": number, name" + "".join(f", {one.label}" for one in shown) if rng.chance(0.5) else ""
        about = rng.some(
            [
                f"Finds {thing.plural} by name{told}.",
                f"Searches {thing.plural} by a part of the name{told}.",
                f"{thing.plural.capitalize()} whose name contains a text{told}.",
                f"Looks for a {thing.name} by name or a part of it{told}.",
                f"The {thing.plural} that fit a description, with their numbers.",
                f"Search our {thing.plural}.",
            ]
        )
        names = [f"find_{thing.plural}", f"search_{thing.plural}", f"find_{thing.name}", f"{thing.name}_search"]
        names += [f"lookup_{thing.name}", f"{thing.name}_by_name", f"match_{thing.plural}"]
        param = Param(name, "string", rng.some(["", "A part of the name.", f"Name of the {thing.name}."]))
        more = (Param("limit", "integer", "", required=False),) if rng.chance(0.2) else ()
        form = rng.some(["json", "json", "json", "lines", "table"])
        self.find[thing.name] = self._add(Tool(rng.some(names), about, (param, *more), thing, shown, form))

    def _build_lists(self, thing: Thing) -> None:
        rng = self.rng
        numbers = [one for one in thing.attributes if one.is_number and one.label not in _UNCOUNTED]
        grouping = [one for one in thing.attributes if one.kind[:2] in ("c:", "x:") or one.kind == "l"]
        if grouping and rng.chance(0.6):
            by = rng.some(grouping)
            shown = (rng.some(numbers),) if numbers else ()
            choices = tuple(by.kind[2:].split(",")) if by.kind.startswith("c:") and rng.chance(0.5) else ()
            about = f"All {thing.plural} with a given {by.label}" + "".join(f", with {one.label}" for one in shown)
            name = rng.some([f"list_{thing.plural}", f"{thing.plural}_by_{by.key}", f"all_{thing.plural}"])
            order = Param(rng.some(["sort", "order"]), required=False, choices=("ascending", "descending"))
            names = bool(by.target) and bool(self.company.thing(by.target or "").names) and rng.chance(0.6)
            kind = "integer" if by.target and not names and self.style[by.target] == "number" else "string"
            params = (Param(by.key, kind, choices=choices), *((order,) if rng.chance(0.25) else ()))
            self.lists[thing.name] = self._add(Tool(name, about + ".", params, thing, shown, by=by, by_name=names))
        if numbers and rng.chance(0.35):
            one, upward = rng.some(numbers), rng.chance(0.6)
            word = "minimum" if upward else "maximum"
            about = f"Finds {thing.plural} whose {one.label} is {'at least' if upward else 'at most'} a value."
            param = Param(rng.some([f"{word}_{one.key}", word, f"{one.key}_{word}"]), "number")
            name = rng.some([f"{thing.plural}_with_{word}", f"filter_{thing.plural}"])
            self.bounds[thing.name] = self._add(Tool(name, about, (param,), thing, (one,), upward=upward))
        if rng.chance(0.45):
            shown = tuple(rng.sample(numbers, min(len(numbers), rng.some([1, 1, 2]))))
            about = f"All {thing.plural} there are" + "".join(f", with {one.label}" for one in shown) + "."
            name = rng.some([f"overview_of_{thing.plural}", f"{thing.plural}_overview", f"{thing.plural}_table"])
            form = rng.some(["json", "table", "lines"])
            self.tables[thing.name] = self._add(Tool(name, about, (), thing, shown, form))
        price = next((one for one in numbers if _PRICES.match(one.key) and one.kind.startswith("m:")), None)
        if price and rng.chance(0.6):
            count = rng.some(["quantity", "count", "how_many", "number_of_units"])
            about = rng.some(
                [
                    f"What several of one {thing.name} cost together.",
                    f"The total price for a number of one {thing.name}.",
                ]
            )
            name = rng.some([f"cost_of_{thing.plural}", f"total_for_{thing.name}", f"{thing.name}_offer"])
            tool = Tool(name, about, (self.id_param(thing), Param(count, "integer")), thing, (price,))
            self.totals[thing.name] = self._add(tool)

    def _action_params(self, action: Action) -> tuple[Param, ...]:
        made: list[Param] = []
        for part in action.parameters:
            if len(part) == 2:
                made.append(self.id_param(self.company.thing(part[0])))
            else:
                about = {"d": "Date, such as 2026-01-31.", "t": "Time, such as 08:30."}.get(
                    part[1], f"{part[2].capitalize()}."
                )
                made.append(Param(part[0], "integer" if part[1] == "i" else "string", about))
        return (*made, *((Param("note", required=False),) if self.rng.chance(0.4) else ()))

    def row(self, thing: Thing, ident: str | int, shown: tuple[Attribute, ...]) -> Record:
        record = self.records[thing.name][ident]
        name = {"name": record["name"]} if thing.names else {}
        return {self.id_key[thing.name]: ident, **name, **{one.key: record[one.key] for one in shown}}

    def observe(self, tool: Tool, ident: str | int) -> str:
        """What a tool that reads one record returns."""
        thing = tool.thing
        assert thing is not None
        row = self.row(thing, ident, tool.shown)
        if tool.form == "nested":
            return dumps({"status": "ok", "data": row})
        if tool.form == "lines":
            return "\n".join(f"{key}: {value}" for key, value in row.items())
        if tool.form == "prose":
            label = str(self.records[thing.name][ident].get("name") or f"{thing.name} {ident}")
            said = [one.answer.replace("{e}", label).replace("{v}", str(row[one.key])) for one in tool.shown]
            text = " ".join(sentence[:1].upper() + sentence[1:] for sentence in said)
            return text or dumps(row)
        return dumps(row)


def _with_names(rng: Rng, company: Company) -> Company:
    """Half of the things that only have numbers get names as well, so that people speak of them by name."""
    things = [
        thing
        if thing.names or rng.chance(0.5)
        else msgspec.structs.replace(thing, names=",".join(rng.sample(NAMES, 10)))
        for thing in company.things
    ]
    return msgspec.structs.replace(company, things=tuple(things))


def write_rows(rows: list[Record], form: str) -> str:
    """Rows of a search or a list."""
    if not rows:
        return {"table": "No rows.", "lines": "Nothing found."}.get(form, "[]")
    if form == "table":
        head = list(rows[0])
        lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
        return "\n".join([*lines, *("| " + " | ".join(str(row[key]) for key in head) + " |" for row in rows)])
    if form == "lines":
        return "\n".join("- " + ", ".join(f"{key}: {value}" for key, value in row.items()) for row in rows)
    return dumps(rows)


def write_result(value: Any, forms: tuple[str, str]) -> str:
    """What a tool returned, as the model is told it."""
    one, many = forms
    if isinstance(value, str):
        return value
    row = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    flat = bool(row) and not any(isinstance(each, dict | list) for each in row.values())
    if flat and one == "lines":
        return "\n".join(f"{key}: {'-' if each is None else each}" for key, each in row.items())
    if flat and one == "nested":
        return dumps({"status": "ok", "data": row})
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    if rows and isinstance(rows[0], dict) and many != "json":
        return write_rows(cast("list[dict[str, Any]]", rows), many)
    return dumps(value)
