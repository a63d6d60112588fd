"""JSON schemas as providers take them: references written out, unknown words left out, objects checked for openness.

Functions from schema to schema, bounded against schemas made to explode. Which of them a provider needs is the
adapter's business.
"""

from typing import Any, cast

from glassloop.core.records import Json

_DEEPEST = 32
_MOST_NODES = 5_000

# What Gemini's JSON-schema fields take, by the SDK's own description of them.
_GEMINI_WORDS = frozenset(
    {
        "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum",
        "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
    }
)  # fmt: skip
_GEMINI_LISTS = frozenset({"anyOf", "oneOf", "prefixItems"})


def for_gemini(schema: dict[str, Json]) -> dict[str, Json]:
    """`schema` without references and without what Gemini does not know; a cycle ends in an open object."""
    return _Writer(schema).write(schema, (), 0)


def object_schema(parameters: dict[str, Json]) -> dict[str, Json]:
    """A tool's parameters as the object schema every provider expects, also where the tool takes nothing."""
    return parameters if parameters.get("type") == "object" else {"type": "object", "properties": {}, **parameters}


def is_closed(schema: Json, depth: int = 0) -> bool:
    """Whether every object names all it may hold, so that a strict mode would not shut out anything it allows."""
    if depth > _DEEPEST:
        return False
    if isinstance(schema, list):
        return all(is_closed(part, depth + 1) for part in cast("list[Json]", schema))
    if not isinstance(schema, dict):
        return True
    node = cast("dict[str, Json]", schema)
    if not node:
        return False
    if node.get("type") == "object" and (not node.get("properties") or node.get("additionalProperties")):
        return False
    parts = [node[word] for word in ("anyOf", "oneOf", "allOf", "items", "prefixItems") if word in node]
    for word in ("properties", "$defs"):
        parts.extend(cast("dict[str, Json]", node.get(word) or {}).values())
    return all(is_closed(part, depth + 1) for part in parts)


def is_strict(schema: Json, depth: int = 0) -> bool:
    """Whether OpenAI's strict mode takes it as it stands: closed, said so, and every property required."""
    if depth > _DEEPEST:
        return False
    if isinstance(schema, list):
        return all(is_strict(part, depth + 1) for part in cast("list[Json]", schema))
    if not isinstance(schema, dict):
        return True
    node = cast("dict[str, Json]", schema)
    if node.get("type") == "object":
        named = set(cast("dict[str, Json]", node.get("properties") or {}))
        if node.get("additionalProperties") is not False or named != set(node.get("required") or ()):
            return False
    return all(is_strict(part, depth + 1) for part in node.values())


class _Writer:
    """Writes references out, up to so many nodes: a few lines of references to references can stand for billions."""

    def __init__(self, root: dict[str, Json]) -> None:
        self._root = root
        self._left = _MOST_NODES

    def write(self, node: Any, path: tuple[str, ...], depth: int) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST or not isinstance(node, dict):
            return {"type": "object"}
        source = cast("dict[str, Any]", node)
        reference = source.get("$ref")
        if isinstance(reference, str):
            if reference in path:
                return {"type": "object"}
            beside = {word: value for word, value in source.items() if word != "$ref"}
            return self.write({**self._find(reference), **beside}, (*path, reference), depth + 1)
        if "const" in source and "enum" not in source:
            source = {**source, "enum": [source["const"]]}
        made: dict[str, Any] = {}
        for word, value in source.items():
            if word == "allOf" and isinstance(value, list) and len(cast("list[Any]", value)) == 1:
                made.update(self.write(value[0], path, depth + 1))
            elif word in _GEMINI_WORDS:
                made[word] = self._word(word, value, path, depth)
        return made

    def _word(self, word: str, value: Any, path: tuple[str, ...], depth: int) -> Any:
        if word == "properties" and isinstance(value, dict):
            named = cast("dict[str, Any]", value)
            return {name: self.write(part, path, depth + 1) for name, part in named.items()}
        if word in _GEMINI_LISTS and isinstance(value, list):
            return [self.write(part, path, depth + 1) for part in cast("list[Any]", value)]
        # `items` and `additionalProperties` hold a schema; the rest are plain values.
        return self.write(value, path, depth + 1) if isinstance(value, dict) else value

    def _find(self, reference: str) -> dict[str, Any]:
        found: Any = self._root
        for part in reference.removeprefix("#").strip("/").split("/"):
            name = part.replace("~1", "/").replace("~0", "~")
            found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
