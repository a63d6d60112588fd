"""Tool catalog for prompts: the tools as text and as a schema, for models that are told about them in words.

Byte-stable for the same tools in the same order, so that a provider's prompt cache hits.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols.tolerant.json_values import write_json
from glassloop.core.protocols.tolerant.repair import properties
from glassloop.core.records import Json

_DESCRIPTION_CHARS: Final = 1000
_PARAMETER_CHARS: Final = 300
_BRIEF_CHARS: Final = (120, 60, 25)
"""Characters of a description in a short catalogue: fewer where there are many tools."""
_BRIEF_CATALOGUE_CHARS: Final = 6000
_EXAMPLE_CHARS: Final = 24
_LONG_TYPE: Final = 80
_SHOWN: Final = re.compile(
    r"\b(?i:such as|like|e\.g\.|for example|written as|as)\s+[\"'`]?((?=[^\s\"'`,;()]*[\dA-Z])[^\s\"'`,;()]{2,24}?)"
    r"(?=[\"'`]|\s*$|[.,;:)](?:\s|$))"
)
"""An example in the words of a description. It has a digit or a capital, as words of a sentence have not."""
_NAMED: Final = re.compile(r"\b(?:nick|sur)?names?\b(?! (?:it|its|them|the)\b)", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"\b(id|number|code|reference|key|plate|tag)s?\b", re.IGNORECASE)
_UNNAMED: Final = re.compile(
    r"\b(?:not?|never|without|instead of)\b[^.;,]{0,24}\b(?:nick|sur)?names?\b|names?\b[^.;,]{0,16}\b(?:not|never)\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r"\([^()]{0,200}\)")
_TOOL: Final = re.compile(r"[^\W_]_[^\W_]|\btool\b")
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
        more = _example(name, schema) if kind in _PLAIN_TYPES or kind.startswith("string|{") else ""
        more = more or (_named(name, schema) if kind == "string" else f": {kind}")
        if len(more) > _LONG_TYPE:
            more = "" if name in told else more
            told.add(name)
        parameters.append(f"{name}{'' if name in wanted else '?'}{more}")
    return f"- {spec.name}({', '.join(parameters)}): {_description(spec, most_chars)}"


def _example(name: str, schema: Json) -> str:
    """How a value is written, where the schema or its description shows it: ` like SKU-100`, ` like P01 or by name`."""
    shape = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    shown = shape.get("examples")
    first = cast("list[Json]", shown)[0] if isinstance(shown, list) and shown else None
    if isinstance(first, str | int | float) and len(str(first)) <= _EXAMPLE_CHARS:
        return f" like {first}"
    description = _about(schema)
    found = _SHOWN.search(description)
    if found is None:
        return ""
    before = description[: found.start()]
    numbered = [*_NUMBERED.finditer(before)]
    is_name = _NAMED.search(before, numbered[-1].end() if numbered else 0) is not None
    by_name = not is_name and _named(name, schema)
    return f" like {found.group(1)}{' or by name' if by_name else ''}"


def _named(name: str, schema: Json) -> str:
    """What a text is, where its description says that it may be a name: `: name or id`."""
    # An aside about another tool is left out, such as `(find_routes finds it by name)`.
    description = _ASIDE.sub(lambda aside: "" if _TOOL.search(aside.group()) else aside.group(), _about(schema))
    if "name" in name.lower() or not _NAMED.search(description) or _UNNAMED.search(description):
        return ""
    number = _NUMBERED.search(description)
    return f": name or {number.group(1).lower()}" if number else ": name"


def _about(schema: Json) -> str:
    shape = cast("dict[str, Json]", schema) if isinstance(schema, dict) else {}
    description = shape.get("description")
    return description if isinstance(description, str) else ""


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
