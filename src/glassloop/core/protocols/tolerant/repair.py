"""Repair of tool names and arguments: spelling and wrapping as models send them, matched to what the tools declare.

No value changes its type, except text that holds the JSON of a list or an object where nothing else can be meant.
Unknown tools stay as they are: the executor reports them to the model.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, cast

import msgspec

from glassloop.core.messages import ToolSpec
from glassloop.core.protocols.tolerant.json_scan import read_json
from glassloop.core.protocols.tolerant.json_values import UNREADABLE, tidy
from glassloop.core.records import Json, Mend, ToolCall

_PREFIX: Final = re.compile(r"(?:functions?|tools?|default_api)[.:/]+", re.IGNORECASE)
_FILLING: Final = re.compile(r"[-_\s.]+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NAME_CHARS: Final = 200
_SAFE: Final = 2**53
_JSON_TYPES: Final = (
    (bool, frozenset({"boolean"})),
    (int, frozenset({"integer", "number"})),
    (float, frozenset({"number"})),
    (list, frozenset({"array"})),
)
_WRAPPERS: Final = frozenset({"args", "arguments", "parameters", "params", "input", "kwargs"})


def repair_call(call: ToolCall, tools: Mapping[str, ToolSpec]) -> ToolCall:
    """The call as its tool declares it; the very same object where nothing had to be mended."""
    name = match_name(call.tool, tools) or call.tool
    args = tidy(call.args)
    if args is UNREADABLE:
        return call
    spec = tools.get(name)
    if spec is not None:
        args = _fit(args, spec)
    if name == call.tool and args is call.args:
        return call
    return msgspec.structs.replace(call, tool=name, args=args)


def mark_mended(call: ToolCall, mend: Mend | None) -> ToolCall:
    """The call, with the first reason to doubt its arguments."""
    return call if mend is None or call.mended is not None else msgspec.structs.replace(call, mended=mend)


def is_declared(call: ToolCall, tools: Mapping[str, ToolSpec]) -> bool:
    """Whether a call plainly needs no repair. Says no where it would have to look closer."""
    spec = tools.get(call.tool)
    declared: Any = spec.parameters.get("properties") if spec is not None else None
    if type(declared) is not dict:
        return False
    for name, value in call.args.items():
        if name not in declared:
            return False
        if type(value) is str:
            if not value.isascii() or _as_object(declared[name]).get("type") != "string":
                return False
        elif type(value) is int:
            if not -_SAFE < value < _SAFE:
                return False
        elif type(value) is not bool:
            return False
    return True


def match_name(name: str, tools: Mapping[str, ToolSpec]) -> str | None:
    """The tool meant by `name`: exact, else by spelling alone, and only if no other tool is spelt so too."""
    if name in tools:
        return name
    if len(name) > _NAME_CHARS:
        return None
    bare = _PREFIX.sub("", name.strip(), count=1)
    wanted = _core(bare)
    if not wanted:
        return None
    found = [tool for tool in tools if _core(tool) == wanted]
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=1024)
def _core(name: str) -> str:
    return _FILLING.sub("", name).casefold()


def snake_case(name: str) -> str:
    """`EncounterName`, `encounterName`, `encounter-name` as `encounter_name`."""
    return _FILLING.sub("_", _HUMP.sub("_", name)).lower()


def read_arguments(value: Json, spec: ToolSpec | None = None) -> dict[str, Json] | None:
    """Arguments as an object or as the JSON text of one; nothing means none. None where they are neither.

    A value alone is the argument of a tool that takes one."""
    text = value if isinstance(value, str) else None
    if text is not None:
        if not text.strip():
            return {}
        value = read_json(text)
    if value is None or value == []:
        return {}
    if isinstance(value, dict):
        return cast("dict[str, Json]", value)
    return None if spec is None or (text or "").lstrip().startswith("{") else _sole_argument(value, text, spec)


def _sole_argument(value: Json, text: str | None, spec: ToolSpec) -> dict[str, Json] | None:
    """The value as the tool's only required parameter, its only one or the only one for text, if it takes the value."""
    types = {name: types_of(schema, spec.parameters.get("$defs")) for name, schema in properties(spec).items()}
    names = [name for name in types if name in _required(spec)] or list(types)
    if len(names) > 1 and not _required(spec):
        names = [name for name in names if "string" in types[name]]
    if len(names) != 1:
        return None
    (name,) = names
    if text is not None and (not types[name] or "string" in types[name]):
        return {name: value if isinstance(value, str) else text.strip()}
    fits = any(type(value) is kind and wanted & types[name] for kind, wanted in _JSON_TYPES)
    return {name: value} if fits else None


def _required(spec: ToolSpec) -> list[Json]:
    names = spec.parameters.get("required")
    return cast("list[Json]", names) if isinstance(names, list) else []


def properties(spec: ToolSpec) -> dict[str, Json]:
    """The parameters a tool declares, in order. A schema that comes from elsewhere may be of any shape."""
    return _as_object(spec.parameters.get("properties"))


def types_of(schema: Json, definitions: Json = None) -> frozenset[str]:
    """The JSON types a parameter accepts, as far as its schema says so directly."""
    shape = _as_object(schema)
    reference = shape.get("$ref")
    if isinstance(reference, str):
        shape = _as_object(_as_object(definitions).get(reference.rpartition("/")[2]))
    choices = shape.get("anyOf") or shape.get("oneOf") or [shape]
    found: set[str] = set()
    for choice in cast("list[Json]", choices if isinstance(choices, list) else []):
        kind = _as_object(choice).get("type")
        found.update(each for each in cast("list[Json]", kind if isinstance(kind, list) else [kind]) if each)
    return frozenset(each for each in found if isinstance(each, str))  # pyright: ignore[reportUnnecessaryIsInstance]


def _as_object(value: Json) -> dict[str, Json]:
    return cast("dict[str, Json]", value) if isinstance(value, dict) else {}


def _fit(args: dict[str, Json], spec: ToolSpec) -> dict[str, Json]:
    declared = properties(spec)
    if not declared:
        return _unwrap(args, declared) if spec.parameters.get("type") == "object" else args
    args = _unwrap(args, declared)
    args = _rename(args, declared)
    args = _unpack(args, declared, spec.parameters.get("$defs"))
    return _without_nulls(args, declared, spec) if None in args.values() else args


def _unwrap(args: dict[str, Json], declared: dict[str, Json]) -> dict[str, Json]:
    if len(args) != 1:
        return args
    (key,) = args
    if key in declared or key.lower() not in _WRAPPERS:
        return args
    inner = args[key]
    found = read_arguments(inner) if isinstance(inner, dict | str) else None
    return args if found is None else found


def _rename(args: dict[str, Json], declared: dict[str, Json]) -> dict[str, Json]:
    renamed: dict[str, str] = {}
    for key in args:
        if key not in declared and len(key) <= _NAME_CHARS:
            plain = snake_case(key)
            if plain in declared and plain not in args and plain not in renamed.values():
                renamed[key] = plain
    return {renamed.get(key, key): value for key, value in args.items()} if renamed else args


def _without_nulls(args: dict[str, Json], declared: dict[str, Json], spec: ToolSpec) -> dict[str, Json]:
    """Without what is null though its parameter takes none: so models say that they leave out what they may."""
    required, definitions = _required(spec), spec.parameters.get("$defs")
    left_out = {
        name
        for name, value in args.items()
        if value is None and name in declared and name not in required and not _takes_null(declared[name], definitions)
    }
    return {name: value for name, value in args.items() if name not in left_out} if left_out else args


def _takes_null(schema: Json, definitions: Json) -> bool:
    """Also where the schema does not say: a value that is allowed must not get lost."""
    shape, types = _as_object(schema), types_of(schema, definitions)
    choices = shape.get("enum")
    if isinstance(choices, list):
        return None in choices
    return not types or "null" in types or shape.get("nullable") is True


def _unpack(args: dict[str, Json], declared: dict[str, Json], definitions: Json) -> dict[str, Json]:
    unpacked: dict[str, Json] = {}
    for key, value in args.items():
        if isinstance(value, str) and key in declared and value.lstrip()[:1] in ("[", "{"):
            types = types_of(declared[key], definitions)
            found = UNREADABLE if "string" in types else read_json(value)
            if (isinstance(found, list) and "array" in types) or (isinstance(found, dict) and "object" in types):
                unpacked[key] = found
    return args | unpacked if unpacked else args
