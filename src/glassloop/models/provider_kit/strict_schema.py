"""JSON schemas as providers take them: what the strict modes of some ask of a schema.

Which of these a provider needs is the adapter's business.
"""

from typing import cast

from glassloop.core.records import Json

_MAX_DEPTH = 32


def object_schema(parameters: dict[str, Json]) -> dict[str, Json]:
    """A tool's parameters as the object schema every provider expects, also where the tool takes nothing."""
    return parameters if parameters.get("type") == "object" else {"type": "object", "properties": {}, **parameters}


def is_closed(schema: Json, depth: int = 0) -> bool:
    """Whether every object names all it may hold, so that a strict mode would not shut out anything it allows."""
    if depth > _MAX_DEPTH:
        return False
    if isinstance(schema, list):
        return all(is_closed(part, depth + 1) for part in cast("list[Json]", schema))
    if not isinstance(schema, dict):
        return not isinstance(schema, bool)
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
    if depth > _MAX_DEPTH:
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


def without_type_lists(schema: Json) -> Json:
    """The schema with unions of types written as `anyOf`: what takes several types at once is not taken everywhere."""
    if not isinstance(schema, dict):
        return schema
    node = dict(cast("dict[str, Json]", schema))
    for word, part in node.items():
        if word in ("properties", "$defs", "definitions") and isinstance(part, dict):
            named = cast("dict[str, Json]", part)
            node[word] = {name: without_type_lists(each) for name, each in named.items()}
        elif word in ("anyOf", "oneOf", "allOf", "prefixItems") and isinstance(part, list):
            node[word] = [without_type_lists(each) for each in cast("list[Json]", part)]
        elif word in ("items", "additionalProperties"):
            node[word] = without_type_lists(part)
    kinds = node.get("type")
    if not isinstance(kinds, list):
        return node
    rest = {word: part for word, part in node.items() if word not in ("type", "description")}
    told = {word: part for word, part in node.items() if word == "description"}
    if "enum" in rest or "const" in rest:
        return {**told, **rest}
    branches = [{"type": kind} if kind == "null" else {"type": kind, **rest} for kind in cast("list[Json]", kinds)]
    return {**told, "anyOf": branches}
