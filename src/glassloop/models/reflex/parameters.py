"""A tool's parameters as `reflex` sees them: each with the kind of thing that may fill it, told from its schema.

Owns the reading of JSON schemas of any quality: what is not understood becomes a parameter that nothing fills.
"""

import re
from typing import Any, Literal, cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.records import Json
from glassloop.core.words import stem

Kind = Literal[
    "choice",
    "boolean",
    "integer",
    "number",
    "array",
    "date",
    "identifier",
    "expression",
    "source unit",
    "target unit",
    "place",
    "text",
    "unknown",
]

MOST_PARAMETERS = 50
_DEEPEST_REFERENCE = 5
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_A-Za-z]+")
_NAMES: dict[Kind, frozenset[str]] = {
    "expression": frozenset({"expression", "formula", "equation", "arithmetic", "math"}),
    "date": frozenset({"date", "day", "since", "until", "deadline", "日期"}),
    "place": frozenset(
        {"timezone", "zone", "tz", "city", "town", "place", "location", "country", "region", "where", "address", "城市"}
    ),
    "identifier": frozenset(
        {"id", "ids", "sku", "code", "number", "no", "uuid", "isbn", "email", "url", "uri", "link", "order", "编号"}
    ),
}
_DESCRIBED: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("expression", re.compile(r"\b(?:arithmetic|expression|formula)\b|算式|表达式", re.IGNORECASE)),
    ("date", re.compile(r"\biso (?:8601 )?date\b|yyyy-mm-dd|日期", re.IGNORECASE)),
    ("identifier", re.compile(r"\b(?:id|identifier|sku)\b|编号|单号|订单号", re.IGNORECASE)),
    ("place", re.compile(r"\b(?:city|time zone|location|place name)\b|城市|地点|时区|地区", re.IGNORECASE)),
)
_SOURCE = frozenset({"from", "source", "input", "old"})
_TARGET = frozenset({"to", "target", "into", "output", "new"})


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter; `nouns` are the words people say beside its value (`order` for `order_id`)."""

    name: str
    kind: Kind
    schema: dict[str, Json]
    required: bool
    description: str = ""
    nouns: frozenset[str] = frozenset()
    choices: tuple[Json, ...] = ()


def read_parameters(spec: ToolSpec) -> list[Parameter]:
    """In the order of the schema."""
    schema = spec.parameters
    properties = _mapping(schema.get("properties"))
    required = schema.get("required")
    needed = {str(name) for name in cast("list[Json]", required)} if isinstance(required, list) else set[str]()
    return [
        _parameter(name, resolve(schema, raw), name in needed)
        for name, raw in list(properties.items())[:MOST_PARAMETERS]
    ]


def resolve(root: dict[str, Json], raw: Json) -> dict[str, Json]:
    """A schema without references, of one type: an optional value's `null` is left out."""
    schema = _mapping(raw)
    for _ in range(_DEEPEST_REFERENCE):
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


def _parameter(name: str, schema: dict[str, Json], required: bool) -> Parameter:
    words = name_words(name)
    described = schema.get("description")
    description = described[:500] if isinstance(described, str) else ""
    enum = schema.get("enum")
    choices = tuple(cast("list[Json]", enum)) if isinstance(enum, list) else ()
    if "const" in schema:
        choices = (schema["const"],)
    return Parameter(
        name=name,
        kind="choice" if choices else _kind(words, description, schema),
        schema=schema,
        required=required,
        description=description,
        nouns=frozenset(stem(word) for word in words if word not in ("id", "ids", "number", "no", "from", "to")),
        choices=choices,
    )


def _kind(words: list[str], description: str, schema: dict[str, Json]) -> Kind:
    match schema.get("type"):
        case "boolean":
            return "boolean"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case "array":
            return "array"
        case "string":
            return _text_kind(words, description, schema)
        case _:
            return "unknown"


def _text_kind(words: list[str], description: str, schema: dict[str, Json]) -> Kind:
    if schema.get("format") in ("date", "date-time"):
        return "date"
    if not {"unit", "units"}.isdisjoint(words):
        if _SOURCE & set(words):
            return "source unit"
        return "target unit" if _TARGET & set(words) else "text"
    for kind, names in _NAMES.items():
        if names & set(words):
            return kind
    for kind, pattern in _DESCRIBED:
        if pattern.search(description):
            return kind
    return "text"


def _mapping(value: Any) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}
