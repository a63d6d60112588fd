"""Tool catalog for prompts: the tools as text and as a schema, for models that are told about them in words.

Byte-stable for the same tools in the same order, so that a provider's prompt cache hits.
"""

from collections.abc import Mapping, Sequence
from typing import Final, cast

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols.parameter_descriptions import how_written, name_or_identifier
from glassloop.core.protocols.tolerant.json_values import write_json
from glassloop.core.protocols.tolerant.repair import properties
from glassloop.core.records import Json

_DESCRIPTION_CHARS: Final = 1000
_PARAMETER_CHARS: Final = 300
_BRIEF_CHARS: Final = (200, 120, 60, 25)
"""Characters of a description in a short catalogue: fewer where there are many tools."""
_BRIEF_CATALOGUE_CHARS: Final = 6000
_LONG_TYPE: Final = 80
_TYPE_LEVELS: Final = 4
_PLAIN_TYPES: Final = frozenset({"string", "number", "integer"})
_MAX_ENUM_VALUES: Final = 60
_MAX_FIELDS: Final = 20


def describe_tools(tools: Mapping[str, ToolSpec]) -> str:
    """One line a tool, and one for each parameter that has a description; empty without tools."""
    return "\n".join(("Tools:", *(_line(spec) for spec in tools.values()))) if tools else ""


def offered(tools: Mapping[str, ToolSpec], shortlist: Sequence[str] | None) -> Mapping[str, ToolSpec]:
    """The tools that may be called."""
    return tools if shortlist is None else {name: tools[name] for name in shortlist if name in tools}


def describe_briefly(tools: Mapping[str, ToolSpec]) -> str:
    """One short line a tool, in the order they came: nothing that depends on the question. A string has no type, and
    what may be left out is only marked with `?`."""
    text = ""
    for most_chars in _BRIEF_CHARS if tools else ():
        told: set[str] = set()
        text = "\n".join(("Tools:", *(_brief_line(spec, most_chars, told) for spec in tools.values())))
        if len(text) <= _BRIEF_CATALOGUE_CHARS:
            break
    return text


def _brief_line(spec: ToolSpec, most_chars: int, told: set[str]) -> str:
    """A long type is told with the first parameter of its name: `told` are those that were. Where a text does as well
    as an object, an example of it is told instead of the object's members."""
    wanted = _names(spec.parameters.get("required"))
    definitions = spec.parameters.get("$defs")
    parameters: list[str] = []
    for name, schema in properties(spec).items():
        kind = _type(schema, definitions, _TYPE_LEVELS).removesuffix("|null")
        more = how_written(schema) if kind in _PLAIN_TYPES or kind.startswith("string|{") else ""
        more = more or (name_or_identifier(name, schema) if kind == "string" else f": {kind}")
        if len(more) > _LONG_TYPE:
            more = "" if name in told else more
            told.add(name)
        parameters.append(f"{name}{'' if name in wanted else '?'}{more}")
    return f"- {spec.name}({', '.join(parameters)}): {_description(spec, most_chars)}"


def _line(spec: ToolSpec) -> str:
    wanted = _names(spec.parameters.get("required"))
    definitions = spec.parameters.get("$defs")
    parameters = [
        f"{name}{'' if name in wanted else '?'}: {_type(schema, definitions, _TYPE_LEVELS)}{_default(schema)}"
        for name, schema in properties(spec).items()
    ]
    lines = [f"- {spec.name}({', '.join(parameters)}): {_description(spec, _DESCRIPTION_CHARS)}"]
    for name, schema in properties(spec).items():
        about = cast("dict[str, Json]", schema).get("description") if isinstance(schema, dict) else None
        if isinstance(about, str) and about.strip():
            lines.append(f"    {name}: {_shortened(about, _PARAMETER_CHARS)}")
    return "\n".join(lines)


def _description(spec: ToolSpec, most_chars: int) -> str:
    return _shortened(spec.description, most_chars)


def _shortened(text: str, most_chars: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most_chars else text[: most_chars - 1] + "…"


def _names(value: Json) -> frozenset[str]:
    items = cast("list[Json]", value) if isinstance(value, list) else []
    return frozenset(item for item in items if isinstance(item, str))


def _default(schema: Json) -> str:
    shape = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    default = shape.get("default")
    return "" if default is None or isinstance(default, dict | list) else f" = {write_json(default)}"


def _fields(fields: dict[str, Json], wanted: frozenset[str], definitions: Json, levels: int) -> str:
    told = [
        f"{name}{'' if name in wanted else '?'}: {_type(schema, definitions, levels - 1)}"
        for name, schema in list(fields.items())[:_MAX_FIELDS]
    ]
    more = [f"… {len(fields) - _MAX_FIELDS} more"] if len(fields) > _MAX_FIELDS else []
    return "{" + ", ".join([*told, *more]) + "}"


def _type(schema: Json, definitions: Json, levels: int) -> str:
    if not isinstance(schema, dict) or levels <= 0:
        return "any"
    shape = cast("dict[str, Json]", schema)
    if isinstance(shape.get("$ref"), str) and isinstance(definitions, dict):
        target = cast("dict[str, Json]", definitions).get(str(shape["$ref"]).rpartition("/")[2])
        return _type(target, cast(Json, definitions), levels - 1)
    for values in (shape.get("enum"), [shape["const"]] if "const" in shape else None):
        if isinstance(values, list):
            choices = cast("list[Json]", values)
            more = [f"… {len(choices) - _MAX_ENUM_VALUES} more"] if len(choices) > _MAX_ENUM_VALUES else []
            return "|".join([*map(write_json, choices[:_MAX_ENUM_VALUES]), *more])
    options = shape.get("anyOf") or shape.get("oneOf")
    if isinstance(options, list):
        found = (_type(choice, definitions, levels - 1) for choice in cast("list[Json]", options)[:_MAX_ENUM_VALUES])
        return "|".join(dict.fromkeys(found))
    kind = shape.get("type")
    if isinstance(kind, list):
        return "|".join(str(each) for each in cast("list[Json]", kind))
    if kind == "array":
        return f"array<{_type(shape.get('items'), definitions, levels - 1)}>"
    if kind == "object" and isinstance(fields := shape.get("properties"), dict) and fields:
        return _fields(cast("dict[str, Json]", fields), _names(shape.get("required")), definitions, levels)
    return kind if isinstance(kind, str) else "any"
