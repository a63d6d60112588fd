"""A server's input schema, cut down to what our own tools' schemas hold, and arguments checked against it.

What is offered is an object schema of known, well-formed words that every provider takes: definitions under `$defs`, no
other references, unions as `anyOf`, none at the top. Words that only narrow are left out where they are not known or
not well-formed; the server checks them itself. What cannot be offered at all is refused with a sentence.

Arguments are checked before a person is asked and before anything is sent, for what a model can mend: names, types,
choices, bounds. Patterns and formats are left to the server: a regular expression of somebody else's must not run here.
Bounded in depth and size, whatever it is given.
"""

import re
from typing import Any, cast

import msgspec

from glassloop.core.json_schema import find_reference
from glassloop.core.records import Json
from glassloop.core.schema_checker import Fault, SchemaChecker
from glassloop.extensions.mcp.client.untrusted_text import line, plain

MAX_BYTES = 32_000
_MAX_DEPTH = 24
_MAX_NODES = 1_000
_MAX_CHOICES = 256
_DESCRIPTION_CHARS = 600
_TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_TEXTS = ("format", "pattern")
_TEXT_CHARS = 200
# Anthropic refuses a request in which any tool has a parameter of another form.
_PARAMETER = re.compile(r"[A-Za-z0-9_.-]{1,64}")

Schema = dict[str, Json]


class UnfitSchema(Exception):
    """Why a schema cannot be used."""


def simplified(schema: Schema) -> Schema:
    """The schema as it is offered; raises `UnfitSchema`."""
    if len(msgspec.json.encode(schema)) > 4 * MAX_BYTES:
        raise UnfitSchema(f"its schema is larger than {4 * MAX_BYTES:,} bytes")
    made = _Simplifier(schema).whole()
    if len(msgspec.json.encode(made)) > MAX_BYTES:
        raise UnfitSchema(f"its schema is larger than {MAX_BYTES:,} bytes")
    return made


class _Simplifier:
    """Walks one schema. A reference is given a definition of its own, made when it is first met."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        self._nodes = 0
        self._names: dict[str, str] = {}
        self._definitions: dict[str, Schema] = {}

    def whole(self) -> Schema:
        top = self._object(self._opened(self._root, 0), 0)
        return {**top, "$defs": self._definitions} if self._definitions else top

    def _opened(self, node: Schema, depth: int) -> Schema:
        """The top without references and unions, which providers refuse there: what its branches name is optional."""
        self._count(depth)
        opened = {word: value for word, value in node.items() if word not in ("$ref", "allOf", "anyOf", "oneOf")}
        parts = [(self._find(node["$ref"]), True)] if isinstance(node.get("$ref"), str) else []
        for word in ("allOf", "anyOf", "oneOf"):
            parts += [(branch, word == "allOf") for branch in _schemas(node.get(word))]
        properties, required = dict(_named(opened.get("properties"))), list(_texts(opened.get("required")))
        for part, always in parts:
            branch = self._opened(part, depth + 1)
            properties = {**_named(branch.get("properties")), **properties}
            required += _texts(branch.get("required")) if always else []
        return {**opened, "properties": properties, "required": required}

    def _convert(self, node: Any, depth: int) -> Schema:
        self._count(depth)
        if node is True:
            return {}
        if not isinstance(node, dict):
            raise UnfitSchema(f"its schema holds {line(repr(node), 40)} where a schema should be")
        source = cast("Schema", node)
        if isinstance(source.get("$ref"), str):
            return {"$ref": self._reference(source["$ref"], depth), **_described(source)}
        # Beside a type a union only narrows.
        union = () if "type" in source or "properties" in source else _schemas(source.get("anyOf", source.get("oneOf")))
        if branches := [self._convert(branch, depth + 1) for branch in union]:
            return {"anyOf": branches, **_described(source)}
        for part in _schemas(source.get("allOf")):
            source = {**part, **{word: value for word, value in source.items() if word != "allOf"}}
        return self._plain(source, depth)

    def _plain(self, source: Schema, depth: int) -> Schema:
        kinds = _kinds(source)
        made: Schema = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
        made |= _described(source) | _bounds(source)
        if "object" in kinds or (not kinds and "properties" in source):
            made |= self._object(source, depth)
            made["type"] = "object" if len(kinds) < 2 else kinds
        if "array" in kinds:
            made |= self._array(source, depth)
        return made

    def _object(self, source: Schema, depth: int) -> Schema:
        if _kinds(source) not in ([], ["object"]) and depth == 0:
            raise UnfitSchema(f"its arguments are not an object, but {line(repr(source.get('type')), 40)}")
        properties: Schema = {}
        for name, part in _named(source.get("properties")).items():
            if not _PARAMETER.fullmatch(name):
                raise UnfitSchema(
                    f"its parameter {line(name, 40)!r} has a name that providers refuse "
                    "(letters, digits, '_', '.' and '-', 64 at most)"
                )
            if part is not False:
                properties[name] = self._convert(part, depth + 1)
        made: Schema = {"type": "object", **_described(source), "properties": properties}
        if required := [name for name in dict.fromkeys(_texts(source.get("required"))) if name in properties]:
            made["required"] = required
        others = source.get("additionalProperties")
        if isinstance(others, bool):
            made["additionalProperties"] = others
        elif isinstance(others, dict):
            made["additionalProperties"] = self._convert(others, depth + 1)
        return made

    def _array(self, source: Schema, depth: int) -> Schema:
        places = source.get("prefixItems", source.get("items"))
        if isinstance(places, list):
            return {"prefixItems": [self._convert(place, depth + 1) for place in _schemas(places)], "items": {}}
        items = source.get("items")
        return {"items": self._convert({} if items is None or items is False else items, depth + 1)}

    def _reference(self, pointer: str, depth: int) -> str:
        if pointer not in self._names:
            fit = re.sub(r"[^A-Za-z0-9_]", "_", pointer.rpartition("/")[2])[:32]
            name = self._names[pointer] = f"{fit}_{len(self._names) + 1}" if fit in self._names.values() else fit
            self._definitions[name] = {}
            self._definitions[name] = self._convert(self._find(pointer), depth + 1)
        return f"#/$defs/{self._names[pointer]}"

    def _find(self, pointer: str) -> Schema:
        if not pointer.startswith("#"):
            raise UnfitSchema(f"its schema refers to {line(pointer, 80)!r}, and nothing is fetched from elsewhere")
        found = find_reference(self._root, pointer)
        if found is None:
            raise UnfitSchema(f"its schema refers to {line(pointer, 80)!r}, which it does not hold")
        return found

    def _count(self, depth: int) -> None:
        self._nodes += 1
        if depth > _MAX_DEPTH:
            raise UnfitSchema(f"its schema is nested more than {_MAX_DEPTH} levels deep")
        if self._nodes > _MAX_NODES:
            raise UnfitSchema(f"its schema has more than {_MAX_NODES:,} parts")


def _kinds(source: Schema) -> list[str]:
    given = source.get("type")
    kinds: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [] if given is None else [given]
    for kind in kinds:
        if kind not in _TYPES:
            raise UnfitSchema(f"its schema has a type {line(repr(kind), 40)}, which JSON schema does not know")
    return list(dict.fromkeys(kinds))


def _described(source: Schema) -> Schema:
    text = source.get("description")
    return {"description": plain(text, _DESCRIPTION_CHARS)} if isinstance(text, str) and text.strip() else {}


def _bounds(source: Schema) -> Schema:
    """The words that narrow a value, those that are well-formed."""
    made: Schema = {word: source[word] for word in _NUMBERS if _is_number(source.get(word))}
    made |= {word: source[word] for word in _COUNTS if type(source.get(word)) is int and source[word] >= 0}
    for word in _TEXTS:
        text = source.get(word)
        if isinstance(text, str) and text.isprintable() and len(text) <= _TEXT_CHARS:
            made[word] = text
    choices = source.get("enum")
    if isinstance(choices, list) and (values := cast("list[Json]", choices)):
        if len(values) > _MAX_CHOICES:
            raise UnfitSchema(f"one of its parameters has more than {_MAX_CHOICES} choices")
        made["enum"] = values
    if "const" in source:
        made["const"] = source["const"]
    if "default" in source and len(msgspec.json.encode(source["default"])) <= _TEXT_CHARS:
        made["default"] = source["default"]
    return made


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _named(value: Any) -> Schema:
    return cast("Schema", value) if isinstance(value, dict) else {}


def _schemas(value: Any) -> list[Schema]:
    parts = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Schema", part) for part in parts if isinstance(part, dict)]


def _texts(value: Any) -> list[str]:
    parts = cast("list[Any]", value) if isinstance(value, list) else []
    return [part for part in parts if isinstance(part, str)]


class ArgumentMisfit(Exception):
    """Arguments that do not fit; `errors` in the form that `tools.arguments.explain` reads."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self._faults = faults

    def errors(self, **_: object) -> list[Fault]:
        return self._faults


class ArgumentChecker:
    """Arguments in, the same arguments out; raises `ArgumentMisfit`."""

    def __init__(self, schema: dict[str, Json]) -> None:
        self._check = SchemaChecker(schema, "arguments")

    def __call__(self, args: Any) -> dict[str, Json]:
        if not isinstance(args, dict):
            raise ArgumentMisfit([{"loc": (), "type": "model_type", "msg": "They must be an object", "input": args}])
        faults = self._check.faults(args)
        if faults:
            raise ArgumentMisfit(faults)
        return cast("dict[str, Json]", args)
