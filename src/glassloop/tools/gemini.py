"""A JSON schema in the subset that Gemini's function declarations accept.

No references, no union with null, no keywords it refuses. What it cannot say in a keyword is said in the description,
so that the model still knows. Recursive and very large schemas are cut off as open objects.
"""

from typing import Any, cast

from glassloop.core.records import Json

_NODES = 2_000
_KEPT = ("minItems", "maxItems", "minLength", "maxLength", "minimum", "maximum", "pattern")
_FORMATS = {"string": ("date-time",), "number": ("float", "double"), "integer": ("int32", "int64")}
_ANYTHING: tuple[Json, ...] = ("string", "number", "boolean", "object")

Schema = dict[str, Json]


def to_gemini(schema: Schema) -> Schema:
    """The schema, converted; the one given stays as it is."""
    return _Converter(schema.get("$defs", {})).convert(schema, ())


class _Converter:
    """Converts one schema and counts its nodes, because inlined references can multiply."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self._definitions = definitions
        self._nodes = 0

    def convert(self, node: Any, inside: tuple[str, ...]) -> Schema:
        self._nodes += 1
        if not isinstance(node, dict) or self._nodes > _NODES:
            return {"type": "object"}
        source = cast("Schema", node)
        if "$ref" in source:
            return self._inline(source, inside)
        if "allOf" in source:
            return self._merge(source, inside)
        for union in ("anyOf", "oneOf"):
            if union in source:
                return self._unite(source, source[union], inside)
        return self._plain(source, inside)

    def _inline(self, source: Schema, inside: tuple[str, ...]) -> Schema:
        name = _name(source)
        if name in inside:
            return _another(name)
        converted = self.convert(self._definitions.get(name, {}), (*inside, name))
        return {**converted, "description": source["description"]} if "description" in source else converted

    def _merge(self, source: Schema, inside: tuple[str, ...]) -> Schema:
        merged: Schema = {key: value for key, value in source.items() if key != "allOf"}
        for part in source["allOf"]:
            if "$ref" in part:
                name = _name(part)
                if name in inside:
                    return _another(name)
                inside, part = (*inside, name), self._definitions.get(name, {})
            properties = {**part.get("properties", {}), **merged.get("properties", {})}
            merged = {**part, **merged, **({"properties": properties} if properties else {})}
        return self.convert(merged, inside)

    def _unite(self, source: Schema, branches: list[Schema], inside: tuple[str, ...]) -> Schema:
        kinds = [branch for branch in branches if branch.get("type") != "null"]
        converted = [self.convert(branch, inside) for branch in kinds]
        united = converted[0] if len(converted) == 1 else {"anyOf": converted} if converted else _nothing()
        if "description" in source:
            united = {**united, "description": source["description"]}
        return {**united, "nullable": True} if len(kinds) < len(branches) else united

    def _plain(self, source: Schema, inside: tuple[str, ...]) -> Schema:
        kind = source.get("type")
        if isinstance(kind, list):
            kinds = cast("list[str]", kind)
            return self._unite(source, [{**source, "type": each} for each in kinds], inside)
        if kind == "null":
            return _nothing()
        choices = [source["const"]] if "const" in source else source.get("enum")
        if kind is None:
            if choices is None:
                return _described({"anyOf": [{"type": each} for each in _ANYTHING]}, source, [])
            kind = "string" if any(isinstance(choice, str) for choice in choices) else "number"
        target: Schema = {"type": kind, **{key: source[key] for key in _KEPT if key in source}}
        notes: list[str] = []
        if choices is not None:
            _choose(target, choices, notes)
        if (wanted := source.get("format")) is not None:
            if wanted in _FORMATS.get(kind, ()):
                target["format"] = wanted
            else:
                notes.append(f"format: {wanted}")
        _bound(target, source, notes)
        if kind == "object":
            self._object(target, source, inside, notes)
        if kind == "array":
            self._array(target, source, inside)
        return _described(target, source, notes)

    def _object(self, target: Schema, source: Schema, inside: tuple[str, ...], notes: list[str]) -> None:
        properties = cast("dict[str, Schema]", source.get("properties", {}))
        if properties:
            target["properties"] = {name: self.convert(child, inside) for name, child in properties.items()}
        if required := source.get("required"):
            target["required"] = list(required)
        values = source.get("additionalProperties")
        if isinstance(values, dict) and "type" in values:
            notes.append(f"an object of any keys with values of type {values['type']}")

    def _array(self, target: Schema, source: Schema, inside: tuple[str, ...]) -> None:
        if not (places := source.get("prefixItems")):
            target["items"] = self.convert(source.get("items", {}), inside)
            return
        kinds = [self.convert(place, inside) for place in places]
        distinct = [kind for number, kind in enumerate(kinds) if kind not in kinds[:number]]
        target["items"] = distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _name(reference: Schema) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _another(name: str) -> Schema:
    return {"type": "object", "description": f"Another {name}, of the same form."}


def _choose(target: Schema, choices: list[Json], notes: list[str]) -> None:
    """Gemini lists choices for text only; others are told in words."""
    named = [choice for choice in choices if choice is not None]
    if len(named) < len(choices):
        target["nullable"] = True
    if target["type"] == "string" and all(isinstance(choice, str) for choice in named):
        target["enum"] = named
    else:
        notes.append(f"one of: {', '.join(str(choice) for choice in named)}")


def _bound(target: Schema, source: Schema, notes: list[str]) -> None:
    """Gemini's bounds are inclusive."""
    for keyword, bound, step, words in (
        ("exclusiveMinimum", "minimum", 1, "more than"),
        ("exclusiveMaximum", "maximum", -1, "less than"),
    ):
        if keyword not in source:
            continue
        if target["type"] == "integer":
            target[bound] = source[keyword] + step
        else:
            notes.append(f"{words} {source[keyword]}")
    if "multipleOf" in source:
        notes.append(f"a multiple of {source['multipleOf']}")


def _described(target: Schema, source: Schema, notes: list[str]) -> Schema:
    text = " ".join(part for part in (source.get("description", ""), f"({'; '.join(notes)})" if notes else "") if part)
    return {**target, "description": text} if text else target


def _nothing() -> Schema:
    return {"type": "string", "nullable": True, "description": "Always null."}
