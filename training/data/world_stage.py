"""A hand-written world: tables, tools over them, and questions with the calls they need. One file each.

Columns, results and texts of a file are Python expressions of this repository; they are evaluated while data is made.
"""

import ast
import re
import tomllib
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from training.data.catalogue import write_result
from training.data.conversation import Answer, Call, Conversation, Exchange, Language, Step, ToolText, Wanted, effect_of
from training.data.forbidden import forbidden_tools
from training.data.phrases import mistyped, typed
from training.data.values import Rng, dumps
from training.data.world_expressions import (
    Failed,
    Row,
    WorldError,
    as_rows,
    evaluate,
    fill,
    find,
    functions,
    is_code,
    split_draws,
    unseen,
    unused,
)

FOLDER: Final = Path(__file__).parent / "world_files"
TRIES: Final = 80
LONG_TABLES: Final = (12, 16, 20, 24, 30)
"""Rows of a table that has more than all of these: so many that most results can be shown whole."""
NAMELESS: Final = 0.12
"""Of the stages have tools whose names tell nothing, so that their descriptions have to be read."""
EXAMPLES: Final = 0.6
"""Of the parameters for codes without an example."""
DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
_STEP: Final = re.compile(r"(?s)(?:(.*?)\s*->\s*)?(\w+)\((.*)\)\s*")
_ENOUGH: Final = (
    "I have what was asked for.",
    "That answers the question.",
    "The result tells it.",
    "I have everything for the answer.",
)
_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    "integer": int,
    "number": (int, float),
    "string": str,
    "boolean": bool,
    "array": list,
}


class Turn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question in several wordings and languages, the calls it needs, and the answer.

    `wants` is the call that an answer asks back for, `tool(parameter=value)` with what is said.
    """

    q: list[str]
    say: list[str]
    do: list[str] = []
    think: str = ""
    wants: str = ""
    q_de: list[str] = []
    say_de: list[str] = []
    q_zh: list[str] = []
    say_zh: list[str] = []


class Ask(Turn, frozen=True, forbid_unknown_fields=True):
    """The first turn of a conversation, with what is drawn for it."""

    draw: str = ""
    where: str = "True"
    then: list[Turn] = []


class WorldTool(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    about: str | list[str]
    result: str
    params: dict[str, str] = {}


class World(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file."""

    place: str
    tables: dict[str, dict[str, str | int]]
    tools: list[WorldTool]
    asks: list[Ask]
    prompts: list[str] = []


@cache
def read_worlds(folder: Path = FOLDER) -> dict[str, World]:
    return {path.stem: read_world(path) for path in sorted(folder.rglob("*.toml"))}


def read_world(path: Path) -> World:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), World)
    except (msgspec.ValidationError, tomllib.TOMLDecodeError) as error:
        raise WorldError(f"{path.name}: {error}") from None


def alternatives(text: str) -> list[str]:
    return [part.strip() for part in text.split("|") if part.strip()]


def schema_of(text: str, rng: Rng) -> tuple[dict[str, Any], bool, Any]:
    """A parameter's schema, whether it is required, and its default; from "choice? a, b = a | What it is."."""
    kind, _, about = (part.strip() for part in text.partition("|"))
    kind, _, default = (part.strip() for part in kind.partition("="))
    optional = "?" in kind or bool(default)
    kind = kind.replace("?", "", 1)
    if kind.startswith("choice"):
        shape: dict[str, Any] = {"type": "string", "enum": alternatives(kind[6:].replace(",", "|"))}
    elif kind.startswith("list of ("):
        fields = dict(field.split() for field in kind[9:].rstrip(" )").split(","))
        items = {"type": "object", "properties": {name: {"type": of} for name, of in fields.items()}}
        shape = {"type": "array", "items": {**items, "required": list(fields), "additionalProperties": False}}
    elif kind.startswith("list of "):
        shape = {"type": "array", "items": {"type": kind[8:].strip()}}
    elif kind in _TYPES:
        shape = {"type": kind}
    else:
        known_types = "integer, number, string, boolean, choice a, b, list of TYPE or list of (name TYPE, name TYPE)"
        raise WorldError(f"{kind!r} is no type: write {known_types}")
    known: Any = default or None
    if default and shape["type"] in ("integer", "number", "boolean"):
        known = ast.literal_eval(default.capitalize() if shape["type"] == "boolean" else default)
    if about:
        shape["description"] = about
    if optional:
        nullable = known is None and rng.chance(0.6)
        shape = {"anyOf": [shape, {"type": "null"}], "default": None} if nullable else {**shape, "default": known}
    return shape, not optional, known


class Stage:
    """A world with its data drawn and its tools named, as one catalogue has them."""

    def __init__(self, world: World, rng: Rng, *, as_written: bool = False) -> None:
        self.world, self.rng, self.as_written = world, rng, as_written
        self.names: dict[str, Any] = {**functions(rng)}
        for name, columns in world.tables.items():
            self.names[name] = self._rows(name, dict(columns))
        self.tools = {alternatives(tool.name)[0]: tool for tool in world.tools}
        self.called = {first: _allowed(rng, alternatives(tool.name)) for first, tool in self.tools.items()}
        self.is_nameless = not as_written and rng.chance(NAMELESS)
        if self.is_nameless:
            self.called = _numbered(rng, list(self.tools))
        self.errors = "bare" if as_written else rng.some(["bare", "like", "like", "known"])
        self.filters: dict[str, list[str]] = {}
        """Columns of the rows that a tool returns which are parameters of it, too."""
        self.periods: dict[str, tuple[str, str, str]] = {}
        """The column with the day of a list's rows, and its parameters for the first and the last day."""
        self.demanding: set[str] = set()
        """Tools that fail without any filter."""
        self.keys: dict[str, dict[str, str]] = {}
        self.schemas: dict[str, dict[str, tuple[dict[str, Any], bool, Any]]] = {}
        self.forms: dict[str, tuple[str, str]] = {}
        for first, tool in self.tools.items():
            self.keys[first] = {alternatives(key)[0]: rng.some(alternatives(key)) for key in tool.params}
            self.schemas[first] = {alternatives(key)[0]: schema_of(text, rng) for key, text in tool.params.items()}
            if not as_written:
                self._add_examples(first)
            self.forms[first] = (
                rng.some(["json", "json", "nested", "lines"]),
                rng.some(["json", "json", "table", "lines"]),
            )

    def _add_examples(self, first: str) -> None:
        """Most parameters that take the code of a row say how one looks, as careful developers write it."""
        for key, (schema, needed, default) in self.schemas[first].items():
            shape = self.shape(first, key)
            told = shape.get("description", "")
            codes = self.codes(key) if shape["type"] in ("string", "integer") and "enum" not in shape else []
            other = _other_code(self.rng, codes) if codes else ""
            if other and not re.search(r"\d", told) and self.rng.chance(EXAMPLES):
                example = self.rng.some(["such as {}", "for example {}", "like {}"]).format(other)
                shape["description"] = f"{told.rstrip('.')}, {example}." if told else f"{example.capitalize()}."
                self.schemas[first][key] = (schema, needed, default)

    def codes(self, key: str) -> list[Any]:
        """The values of the table that has a column of this name first, where these are codes."""
        for table in self.world.tables:
            rows = cast("list[Row]", self.names[table])
            if rows and next(iter(rows[0])) == key and all(is_code(row[key]) for row in rows):
                return [row[key] for row in rows]
        return []

    def _rows(self, table: str, columns: dict[str, str | int]) -> list[Row]:
        count = int(columns.pop("rows", 8))
        if count > max(LONG_TABLES) and not self.as_written:
            count = self.rng.some(LONG_TABLES)
        taken: dict[str, list[str]] = {}
        rows: list[Row] = []
        for _ in range(count * TRIES):
            row = Row()
            names = {**self.names, "names": partial(unused, self.rng, taken)}
            for column, code in columns.items():
                try:
                    row[column] = names[column] = evaluate(str(code), names)
                except Exception as error:
                    raise WorldError(f"table {table}, column {column}: {error}") from error
                if len(row) == 1 and any(other[column] == row[column] for other in rows):
                    break
            else:
                rows.append(row)
            if len(rows) == count:
                break
        return rows

    def text(self, first: str) -> ToolText:
        tool, schemas, keys = self.tools[first], self.schemas[first], self.keys[first]
        about = tool.about if isinstance(tool.about, str) else self.rng.some(tool.about)
        needed = [keys[key] for key, (_, required, _) in schemas.items() if required]
        properties = {keys[key]: schema for key, (schema, _, _) in schemas.items()}
        shape = {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}
        return ToolText(self.called[first], about, shape, effect_of(about))

    def call(self, step: str, names: dict[str, Any], seen: str) -> tuple[Call, Any]:
        """A written step as a call with what it returns, and the value returned."""
        thought, first, given = self._read(step, names)
        if not thought:
            raise WorldError(f"a step needs a thought: {step!r}")
        self._check(first, given)
        if words := unseen(" ".join(_texts(given, self.schemas[first])), seen, step):
            raise WorldError(f"{first} is called with {words}, which were neither asked nor observed")
        return self.made(fill(thought, names, seen), first, given)

    def _read(self, step: str, names: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
        """The thought, the tool and the arguments of a written step."""
        found = _STEP.fullmatch(step)
        if found is None or found[2] not in self.tools:
            raise WorldError(f'a step is "thought -> tool(parameter=value)" with a tool of the file, not {step!r}')
        node = cast("ast.Call", ast.parse(f"f({found[3]})", mode="eval").body)
        if node.args:
            raise WorldError(f"a step names its arguments: {step!r}")
        given = {each.arg or "": evaluate(ast.unparse(each.value), names) for each in node.keywords}
        return found[1] or "", found[2], given

    def made(self, thought: str, first: str, given: dict[str, Any]) -> tuple[Call, Any]:
        """A call of the tool with arguments by their first names, and the value returned."""
        args = {self.keys[first][key]: given[key] for key in self.schemas[first] if key in given}
        known = {key: default for key, (_, _, default) in self.schemas[first].items()} | given
        wanted = {column: given[column] for column in self.filters.get(first, ()) if column in given}
        column, *bounds = self.periods.get(first, ("",))
        known = {key: value for key, value in known.items() if key not in (*self.filters.get(first, ()), *bounds)}
        try:
            value = as_rows(evaluate(self.tools[first].result, {**self.names, **known}))
            value = find(value, **wanted) if wanted else value
            if column:
                low, high = (given.get(key) or default for key, default in zip(bounds, ("", "9999"), strict=True))
                value = [row for row in value if low <= row[column] <= high]
        except Failed as error:
            told = error.told(self.errors, self.keys[first])
            return Call(thought, self.called[first], args, told, failed=True), told
        return Call(thought, self.called[first], args, write_result(value, self.forms[first])), value

    def written(self, call: Call) -> tuple[str, dict[str, Any]]:
        """The tool and the arguments of a call, by their first names."""
        first = next(first for first, name in self.called.items() if name == call.tool)
        keys = {shown: key for key, shown in self.keys[first].items()}
        return first, {keys[shown]: value for shown, value in call.args.items()}

    def shape(self, first: str, key: str) -> dict[str, Any]:
        """The schema of a parameter, without the null of an optional one."""
        schema = self.schemas[first][key][0]
        return schema["anyOf"][0] if "anyOf" in schema else schema

    def _check(self, first: str, given: dict[str, Any]) -> None:
        schemas = self.schemas[first]
        missing = [key for key, (_, required, _) in schemas.items() if required and key not in given]
        strange = [key for key in given if key not in schemas]
        if missing or strange:
            raise WorldError(f"{first} is called without {missing} and with unknown {strange}")
        for key, value in given.items():
            shape = self.shape(first, key)
            wanted = _TYPES[shape["type"]]
            wrong = not isinstance(value, wanted) or (isinstance(value, bool) and shape["type"] != "boolean")
            if wrong or value not in shape.get("enum", [value]):
                raise WorldError(f"{first}: {key}={value!r} is not what its schema allows: {shape}")

    def talk(self, ask: Ask, language: Language = "en") -> Conversation | None:
        """One conversation; None where nothing that was drawn meets its condition."""
        names = self.drawn(ask)
        if names is None:
            return None
        exchanges: list[Exchange] = []
        for turn in (ask, *ask.then):
            exchanges += [self.exchange(turn, names, language, said_in(exchanges))]
        calls = max(len(each.steps) for each in exchanges) - 1
        kind = "world-follow" if ask.then else f"world-{calls}"
        return Conversation(kind, tuple(exchanges), language)

    def drawn(self, ask: Ask) -> dict[str, Any] | None:
        for _ in range(TRIES):
            names = dict(self.names)
            try:
                for part in filter(None, (each.strip() for each in split_draws(ask.draw))):
                    name, _, code = (each.strip() for each in part.partition("="))
                    value = evaluate(code, names)
                    rows = isinstance(value, list) and code in self.world.tables
                    names[name] = self.rng.some(cast("list[Row]", value)) if rows else value
                if evaluate(ask.where, names):
                    return names
            except (Failed, IndexError):
                continue
        return None

    def exchange(self, turn: Turn, names: dict[str, Any], language: Language, seen: str) -> Exchange:
        """A turn in one of its wordings; `seen` is what was said and observed before it."""
        pairs = {"en": (turn.q, turn.say), "de": (turn.q_de, turn.say_de), "zh": (turn.q_zh, turn.say_zh)}
        questions, answers = pairs[language] if all(pairs[language]) else pairs["en"]
        template = self.rng.some(questions)
        if language == "en" and not self.as_written and self.rng.chance(0.08):
            template = mistyped(self.rng, template)
        question = fill(template, names)
        question = question if self.as_written else typed(self.rng, question, language)
        seen += f" {self.world.place} {question}"
        steps: list[Step] = []
        for number, step in enumerate(turn.do, 1):
            call, value = self.call(step, names, seen)
            seen += f" {call.observation}"
            names[f"r{number}"] = value
            if number == len(turn.do) or not self._tells_the_day(call):
                steps.append(call)
        if not steps and not turn.think:
            raise WorldError("where nothing is called, `think` says why")
        thought = fill(turn.think, names, seen) if turn.think else self.rng.some(_ENOUGH)
        wants = self._wanted(turn.wants, names) if turn.wants else None
        steps.append(Answer(thought, fill(self.rng.some(answers), names, seen), wants))
        return Exchange(question, tuple(steps))

    def _tells_the_day(self, call: Call) -> bool:
        """Whether a call only tells which day it is, which every request does."""
        about = self.tools[self.written(call)[0]].about
        tells = not call.args and self.rng.today.isoformat() in call.observation
        return tells and re.search(r"\b(?:today|day it is|dates)\b", str(about), re.IGNORECASE) is not None

    def _wanted(self, written: str, names: dict[str, Any]) -> Wanted:
        _, first, given = self._read(written, names)
        schemas, keys = self.schemas[first], self.keys[first]
        lacking = [key for key, (_, is_needed, _) in schemas.items() if is_needed and key not in given]
        if not lacking or not given.keys() <= schemas.keys():
            raise WorldError(f"`wants` leaves out something required, and nothing else: {written}")
        return Wanted(self.called[first], {keys[key]: given[key] for key in schemas if key in given})


def _other_code(rng: Rng, codes: list[Any]) -> str:
    """A code of the form of these, and none of them: an example is no row's. Empty where there is none."""
    form = str(rng.some(codes))
    tries = (re.sub(r"\d", lambda each: str(rng.randint(0 if each.start() else 1, 9)), form) for _ in range(TRIES))
    return next((each for each in tries if each not in map(str, codes)), "")


def said_in(exchanges: list[Exchange]) -> str:
    """Questions, observations and answers."""
    parts: list[str] = []
    for exchange in exchanges:
        parts.append(exchange.question)
        parts += [step.text if isinstance(step, Answer) else step.observation for step in exchange.steps]
    return " ".join(parts)


def _texts(given: dict[str, Any], schemas: dict[str, tuple[dict[str, Any], bool, Any]]) -> list[str]:
    """Arguments that are free texts."""
    free = [value for key, value in given.items() if '"enum"' not in dumps(schemas[key][0])]
    return [dumps(value) for value in free if isinstance(value, str | list)]


def _allowed(rng: Rng, names: list[str]) -> str:
    free = [name for name in names if name not in forbidden_tools()]
    if not free:
        raise WorldError(f"a suite has a tool {names[0]}: give it another name")
    return rng.some(free)


def _numbered(rng: Rng, tools: list[str]) -> dict[str, str]:
    form = rng.some(["tool_{}", "fn{}", "op_{}", "action{}", "q{}", "step_{}", "call_{}"])
    numbers = rng.sample(range(1, 90), len(tools))
    return {first: form.format(number) for first, number in zip(tools, numbers, strict=True)}
