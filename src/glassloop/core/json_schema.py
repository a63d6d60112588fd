"""A JSON schema without references, in the keywords that every provider of models takes.

Bounded against schemas made to explode: a few lines of references to references can stand for billions.
"""

from typing import Any, cast

from glassloop.core.records import Json

_MAX_DEPTH = 32
_MAX_NODES = 5_000

_KEYWORDS = frozenset(
    {
        "type", "format", "title", "description", "enum", "items", "prefixItems", "minItems", "maxItems", "minimum",
        "maximum", "anyOf", "oneOf", "properties", "additionalProperties", "required",
    }
)  # fmt: skip
_LISTS = frozenset({"anyOf", "oneOf", "prefixItems"})


def without_references(schema: dict[str, Json]) -> dict[str, Json]:
    """The schema with its references written out and other keywords left out; a cycle ends in an open object."""
    return _Writer(schema).write(schema, (), 0)


class _Writer:
    """Writes references out, up to so many nodes."""

    def __init__(self, root: dict[str, Json]) -> None:
        self._root = root
        self._left = _MAX_NODES

    def write(self, node: Any, path: tuple[str, ...], depth: int) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH or not isinstance(node, dict):
            return {"type": "object"}
        source = cast("dict[str, Any]", node)
        reference = source.get("$ref")
        if isinstance(reference, str):
            if reference in path:
                return {"type": "object"}
            beside = {word: value for word, value in source.items() if word != "$ref"}
            return self.write(
                {**(find_reference(self._root, reference) or {}), **beside}, (*path, reference), depth + 1
            )
        if "const" in source and "enum" not in source:
            source = {**source, "enum": [source["const"]]}
        made: dict[str, Any] = {}
        for word, value in source.items():
            if word == "allOf" and isinstance(value, list) and len(cast("list[Any]", value)) == 1:
                made.update(self.write(value[0], path, depth + 1))
            elif word in _KEYWORDS:
                made[word] = self._word(word, value, path, depth)
        return made

    def _word(self, word: str, value: Any, path: tuple[str, ...], depth: int) -> Any:
        if word == "properties" and isinstance(value, dict):
            named = cast("dict[str, Any]", value)
            return {name: self.write(part, path, depth + 1) for name, part in named.items()}
        if word in _LISTS and isinstance(value, list):
            return [self.write(part, path, depth + 1) for part in cast("list[Any]", value)]
        # `items` and `additionalProperties` hold a schema; the rest are plain values.
        return self.write(value, path, depth + 1) if isinstance(value, dict) else value


def find_reference(root: dict[str, Json], reference: str) -> dict[str, Json] | None:
    """The part of a schema that a reference inside of it names; None where there is none."""
    found: Any = root
    for part in filter(None, reference.removeprefix("#").split("/")):
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, list) and name.isdecimal():
            found = dict(enumerate(cast("list[Any]", found))).get(int(name[:6]))
        else:
            found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
    return cast("dict[str, Any]", found) if isinstance(found, dict) else None
