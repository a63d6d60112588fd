"""JSON schema of a decision object: one branch a tool, one for the answer, every string bounded.

Bounded so that a model held to it by a grammar cannot run on without end. `json_protocol` reads the decisions.
"""

import re
from collections.abc import Sequence
from typing import Final, cast

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols.decision_object import is_action_word
from glassloop.core.records import Json

# llama.cpp refuses a repetition of exactly 2,000 and gives up bounds above it: all of these stay below.
_REASONING_CHARS: Final = 500
_ARGUMENT_CHARS: Final = 1500
_RESPONSE_CHARS: Final = 1900
_BRIEF_THOUGHT_CHARS: Final = 220
_BRIEF_RESPONSE_CHARS: Final = 800
_LEVELS: Final = 32
_ODD: Final = re.compile(r"[^\w.-]")


def decision_schema(tools: Sequence[ToolSpec]) -> dict[str, Json]:
    """Keys come in the order in which they should be written: the reasoning before what it leads to."""
    definitions: dict[str, Json] = {}
    branches = [_tool_branch(spec, definitions) for spec in tools]
    response: Json = {"type": "string", "maxLength": _RESPONSE_CHARS}
    branches.append(_branch("answer", {"response": response}))
    schema: dict[str, Json] = {"anyOf": branches}
    if definitions:
        schema["$defs"] = definitions
    return schema


def brief_schema(tools: Sequence[ToolSpec]) -> dict[str, Json]:
    """The same for small models: the tool's name is the action, and the bounds are as near as they can be."""
    definitions: dict[str, Json] = {}
    branches: list[Json] = []
    for spec in tools:
        args = _arguments(spec, definitions)
        if is_action_word(spec.name):
            branches.append(_brief_branch("tool", {"tool": _word(spec.name), "args": args}))
        else:
            branches.append(_brief_branch(spec.name, {"args": args}))
    branches.append(_brief_branch("answer", {"response": {"type": "string", "maxLength": _BRIEF_RESPONSE_CHARS}}))
    schema: dict[str, Json] = {"anyOf": branches}
    if definitions:
        schema["$defs"] = definitions
    return schema


def _brief_branch(action: str, rest: dict[str, Json]) -> Json:
    thought: Json = {"type": "string", "maxLength": _BRIEF_THOUGHT_CHARS}
    return _object({"thought": thought, "action": _word(action), **rest})


def _tool_branch(spec: ToolSpec, definitions: dict[str, Json]) -> Json:
    return _branch("tool", {"tool": _word(spec.name), "args": _arguments(spec, definitions)})


def _arguments(spec: ToolSpec, definitions: dict[str, Json]) -> Json:
    own = spec.parameters.get("$defs")
    prefix = _ODD.sub("_", spec.name)
    if isinstance(own, dict):
        for name, schema in cast("dict[str, Json]", own).items():
            definitions[f"{prefix}.{name}"] = _bounded(schema, prefix, _LEVELS)
    parameters = {key: value for key, value in spec.parameters.items() if key != "$defs"}
    return _bounded(parameters, prefix, _LEVELS) or {"type": "object"}


def _branch(action: str, rest: dict[str, Json]) -> Json:
    members: dict[str, Json] = {
        "reasoning": {"type": "string", "maxLength": _REASONING_CHARS},
        "action": _word(action),
        **rest,
    }
    return _object(members)


def _object(members: dict[str, Json]) -> Json:
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _bounded(schema: Json, prefix: str, levels: int) -> Json:
    """The schema with a length on every string, and with references to where its definitions went."""
    if isinstance(schema, list):
        return [_bounded(item, prefix, levels - 1) for item in cast("list[Json]", schema)] if levels > 0 else []
    if not isinstance(schema, dict):
        return schema
    if levels <= 0:
        return {}
    shape = cast("dict[str, Json]", schema)
    made: dict[str, Json] = {}
    for key, value in shape.items():
        if key == "$ref" and isinstance(value, str):
            made[key] = value.replace("#/$defs/", f"#/$defs/{prefix}.", 1)
        elif key in ("properties", "$defs") and isinstance(value, dict):
            members = cast("dict[str, Json]", value)
            made[key] = {name: _bounded(member, prefix, levels - 1) for name, member in members.items()}
        elif key in ("enum", "const", "default", "examples", "required"):
            made[key] = value
        else:
            made[key] = _bounded(value, prefix, levels - 1)
    if _is_string(shape):
        own = shape.get("maxLength")
        made["maxLength"] = min(own, _ARGUMENT_CHARS) if isinstance(own, int) else _ARGUMENT_CHARS
    return made


def _is_string(shape: dict[str, Json]) -> bool:
    kind = shape.get("type")
    return kind == "string" or (isinstance(kind, list) and "string" in kind)


def _word(value: str) -> Json:
    return {"type": "string", "const": value, "maxLength": len(value)}
