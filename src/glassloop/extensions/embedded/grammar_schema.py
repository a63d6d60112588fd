"""A JSON schema as llama.cpp can hold a model to it: every string and list bounded, nothing it would refuse.

What is left out here is still checked where arguments are: a grammar only has to make decisions readable.
"""

from typing import Final, cast

from glassloop.core.records import Json

_STRING_CHARS: Final = 400
_MAX_CHARS: Final = 1900
"""llama.cpp refuses repetitions of 2,000 and more."""

_ITEMS: Final = 12
_LEVELS: Final = 24
_COMPACT: Final[Json] = {"whitespace_flexible": False}
"""For llama.cpp's grammar engine: space between members would be without bound, and every token of it is slow."""

_MAPS: Final = ("properties", "$defs", "definitions")
_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
_INNER: Final = ("items", "additionalProperties")
_PLAIN: Final = ("type", "enum", "const", "required", "$ref", "minimum", "maximum", "minItems")
_FORMATS: Final = frozenset({"date", "time", "date-time", "uuid"})
_ANYTHING: Final[dict[str, Json]] = {"type": ["string", "number", "boolean", "null"], "maxLength": _STRING_CHARS}


def grammar_schema(schema: dict[str, Json]) -> dict[str, Json]:
    """The schema with bounds; what says nothing about its type becomes a plain value."""
    return _bounded(schema, _LEVELS) | {"x-guidance": _COMPACT}


def _bounded(schema: Json, levels: int) -> dict[str, Json]:
    if not isinstance(schema, dict) or levels <= 0:
        return _ANYTHING
    shape = cast("dict[str, Json]", schema)
    made: dict[str, Json] = {key: shape[key] for key in _PLAIN if key in shape}
    for key in _MAPS:
        members = shape.get(key)
        if isinstance(members, dict):
            made[key] = {name: _bounded(one, levels - 1) for name, one in cast("dict[str, Json]", members).items()}
    for key in _LISTS:
        choices = shape.get(key)
        if isinstance(choices, list) and choices:
            made[key] = [_bounded(one, levels - 1) for one in cast("list[Json]", choices)]
    for key in _INNER:
        if isinstance(shape.get(key), dict):
            made[key] = _bounded(shape[key], levels - 1)
        elif shape.get(key) is False:
            made[key] = False
    if not made:
        return _ANYTHING
    _bound_kinds(made, shape)
    return made


def _bound_kinds(made: dict[str, Json], shape: dict[str, Json]) -> None:
    kinds = shape.get("type")
    kinds = cast("list[Json]", kinds) if isinstance(kinds, list) else [kinds]
    if "string" in kinds and "enum" not in made and "const" not in made:
        if shape.get("format") in _FORMATS:
            made["format"] = shape["format"]
        else:
            most = min(_number(shape.get("maxLength"), _STRING_CHARS), _MAX_CHARS)
            made |= {"minLength": min(_number(shape.get("minLength"), 0), most), "maxLength": most}
    if "array" in kinds:
        least = min(_number(shape.get("minItems"), 0), _ITEMS)
        made |= {"minItems": least, "maxItems": max(least, min(_number(shape.get("maxItems"), _ITEMS), _ITEMS))}
        made.setdefault("items", _ANYTHING)
    if "object" in kinds:
        # Members nobody named would be invented, one after the other.
        made["additionalProperties"] = False if made.get("properties") else made.get("additionalProperties", _ANYTHING)


def _number(value: Json, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise
