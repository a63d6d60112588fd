"""A tool's parameters, each with the kind of thing that may fill it, told from its schema.

Schemas may be of any quality: what is not understood becomes a parameter that nothing fills.
"""

import re
from typing import Any, Literal, cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.text_terms import stem, word_set
from glassloop.extensions.embedded.language.words import table

Kind = (
    Literal["choice", "boolean", "integer", "number", "array", "date", "identifier", "expression", "name", "text"]
    | Literal[
        "place", "source place", "target place", "source unit", "target unit", "time", "moment", "period", "unknown"
    ]
)

MAX_PARAMETERS = 50
_MAX_REFERENCE = 5
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_NAMED: tuple[Kind, ...] = ("expression", "date", "period", "time", "name", "place", "identifier")
_NAMES: dict[Kind, frozenset[str]] = {kind: word_set(table("parameters")[kind]) for kind in _NAMED}
_DESCRIBED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("expression", re.compile(r"\b(?:arithmetic|expression|formula)\b|算式|表达式", re.IGNORECASE)),
    ("date", re.compile(r"\biso (?:8601 )?date\b|yyyy-mm-dd|日期", re.IGNORECASE)),
    ("identifier", re.compile(r"\b(?:id|identifier|sku)\b|编号|单号|订单号", re.IGNORECASE)),
    ("place", re.compile(r"\b(?:city|time zone|location|place name)\b|城市|地点|时区|地区", re.IGNORECASE)),
    (
        "name",
        re.compile(r"\b(?:(?:person|employee|customer|colleague|project|company)(?:['’]s)? )?name\b|姓名|名字", re.I),
    ),
)
_MOMENT = re.compile(r"\b\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}\b|yyyy-mm-dd[ T]hh:mm", re.IGNORECASE)
_WRITTEN_DATE = re.compile(r"\byyyy-mm-dd\b", re.IGNORECASE)
_SOURCE = frozenset({"from", "source", "input", "old", "base", "origin", "departure", "start"})
_TARGET = frozenset({"to", "target", "into", "output", "new", "destination", "arrival", "end"})
_UNIT_NAMES = frozenset({"unit", "units", "currency"})
_MONEY = re.compile(r"\bcurrenc|货币|币种", re.IGNORECASE)
_WHERE = re.compile(
    r"\b(?:city|place|where|airport|station|address|location|town)\b|城市|地点|出发|到达|目的地", re.IGNORECASE
)
_JOURNEY = frozenset({"origin", "destination", "departure", "arrival"})
_EXAMPLE = re.compile(
    r"(?<![\w-])([A-Z]{1,8}(?:[-_][A-Z]{1,8}){0,2}[-_#]?|[a-z]{1,8}[-_])\d[\w-]*|(?<![\w-])(v)\d+(?:\.\d+)+"
    r"|(?<![\w:.-])\d{2,}(?![\w:.%-])",
    re.ASCII,
)
_OR_NAME = re.compile(r"\bor (?:\w+ )?name\b", re.IGNORECASE)
_LIKE_A_DATE = re.compile(r"^\d{4}-\d{2}")
_MAX_EXAMPLES = 5
_SHORT_PREFIX = 2


def of_people(parameter: "ParameterHints") -> bool:
    """Whether its values name people or firms."""
    words = name_words(parameter.name)
    return not _NAMES["name"].isdisjoint((*words, *(word.removesuffix("s") for word in words)))


class ParameterHints(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter; `nouns` are the words people say beside its value (`order` for `order_id`), `shapes` what its
    identifiers begin with, as far as the description gives examples: `INV-`, or nothing for
    bare numbers, which then have at least `digits`."""

    name: str
    kind: Kind
    schema: dict[str, Json]
    required: bool
    description: str = ""
    nouns: frozenset[str] = frozenset()
    choices: tuple[Json, ...] = ()
    shapes: frozenset[str] = frozenset()
    digits: int = 0

    def is_shaped(self, prefix: str) -> bool:
        """Whether identifiers that begin so are like the examples. One letter or two right before the digits are no
        fixed beginning: a berth such as `E3` may be `A5`."""
        if prefix in self.shapes:
            return True
        short = prefix.isalpha() and len(prefix) <= _SHORT_PREFIX
        return short and any(own.isalpha() and len(own) == len(prefix) for own in self.shapes)


def read_parameters(spec: ToolSpec) -> list[ParameterHints]:
    """In the order of the schema."""
    schema = spec.parameters
    properties = _mapping(schema.get("properties"))
    required = schema.get("required")
    needed = {str(name) for name in cast("list[Json]", required)} if isinstance(required, list) else set[str]()
    return [
        _parameter(name, resolve(schema, raw), name in needed)
        for name, raw in list(properties.items())[:MAX_PARAMETERS]
    ]


def resolve(root: dict[str, Json], raw: Json) -> dict[str, Json]:
    """A schema without references, of one type: an optional value's `null` is left out."""
    schema = _mapping(raw)
    for _ in range(_MAX_REFERENCE):
        reference = schema.get("$ref")
        branches = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if isinstance(reference, str):
            inner: Json = root
            for part in reference.removeprefix("#/").split("/"):
                inner = _mapping(inner).get(part)
        elif isinstance(branches, list):
            kept = [branch for branch in cast("list[Json]", branches) if _mapping(branch).get("type") != "null"]
            inner = kept[0] if kept else {}
        else:
            break
        outer = {key: value for key, value in schema.items() if key not in ("$ref", "anyOf", "oneOf", "allOf")}
        schema = _mapping(inner) | outer
    kinds = schema.get("type")
    if isinstance(kinds, list):
        named = [kind for kind in cast("list[Json]", kinds) if kind != "null"]
        schema = schema | {"type": named[0] if named else "null"}
    return schema


def name_words(name: str) -> list[str]:
    """`from_unit` and `fromUnit` as their words, none left out."""
    return [part.lower() for part in _NAME_PART.findall(name)]


def _parameter(name: str, schema: dict[str, Json], required: bool) -> ParameterHints:
    words = name_words(name)
    described = schema.get("description")
    description = described[:500] if isinstance(described, str) else ""
    enum = schema.get("enum")
    choices = tuple(cast("list[Json]", enum)) if isinstance(enum, list) else ()
    if "const" in schema:
        choices = (schema["const"],)
    examples = _examples(description, schema) if schema.get("type") == "string" else []
    return ParameterHints(
        name=name,
        kind="choice" if choices else _kind(words, description, schema),
        shapes=frozenset(prefix for prefix, _ in examples),
        digits=min((digits for prefix, digits in examples if not prefix), default=0),
        schema=schema,
        required=required,
        description=description,
        nouns=frozenset(stem(word) for word in words if word not in ("id", "ids", "number", "no", "from", "to")),
        choices=choices,
    )


def _kind(words: list[str], description: str, schema: dict[str, Json]) -> Kind:
    match schema.get("type"):
        case "boolean" | "integer" | "number" | "array" as kind:
            return kind
        case "string":
            return _text_kind(words, description, schema)
        case _:
            return "unknown"


def _text_kind(words: list[str], description: str, schema: dict[str, Json]) -> Kind:
    if _MOMENT.search(description):
        return "moment"
    if schema.get("format") in ("date", "date-time") or _WRITTEN_DATE.search(description):
        return "date"
    said = set(words)
    if said & _UNIT_NAMES or (_MONEY.search(description) and said & (_SOURCE | _TARGET)):
        return "source unit" if _SOURCE & said else "target unit" if _TARGET & said else "text"
    if said & _JOURNEY or (said & (_SOURCE | _TARGET) and _WHERE.search(description) and not said & _NAMES["date"]):
        return "source place" if _SOURCE & said else "target place"
    if said & _NAMES["name"] and _OR_NAME.search(description):
        return "name"
    if any(prefix for prefix, _ in _examples(description, schema)) and not said & (
        _NAMES["expression"] | _NAMES["date"] | _NAMES["place"] | _NAMES["period"]
    ):
        return "identifier"
    for kind, names in _NAMES.items():
        if names & said:
            return kind
    for kind, pattern in _DESCRIBED:
        if pattern.search(description):
            return kind
    return "text"


def _examples(description: str, schema: dict[str, Json]) -> list[tuple[str, int]]:
    """What stands before the digits of each example, and how long it is."""
    examples = schema.get("examples")
    given = " ".join(map(str, cast("list[Json]", examples)[:_MAX_EXAMPLES])) if isinstance(examples, list) else ""
    found = [match for match in _EXAMPLE.finditer(f"{description} {given}") if not _LIKE_A_DATE.match(match.group())]
    return [((match[1] or match[2] or "").upper(), len(match.group())) for match in found[:_MAX_EXAMPLES]]


def _mapping(value: Any) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}
