"""Form of an answer that a caller gave as a JSON schema, for one turn.

The schema is somebody else's: bounded, without references to other places, in words that are checked here. The turn's
first event keeps it, so that every worker and every replay holds the answer to the same schema.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.json_schema import find_reference
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Json
from glassloop.core.schema_checker import TYPES, Fault, SchemaChecker
from glassloop.runtime.assistants.output_type import MAX_PROBLEM_CHARS, instructions_for, problem_for

ANY_OBJECT: Final[Mapping[str, Json]] = {"type": "object"}
"""The schema of an answer that is some JSON object."""
MAX_SCHEMA_BYTES = 64_000
MAX_DEPTH = 32
MAX_PARTS = 2_000
_MAX_PATTERN_CHARS = 1_000
_UNKNOWN = frozenset(
    {
        "not", "if", "then", "else", "patternProperties", "propertyNames", "contains", "dependentRequired",
        "dependentSchemas", "dependencies", "unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef",
    }
)  # fmt: skip
"""Words that say what fits, and that are not checked here."""
_SHAPES: dict[str, type | tuple[type, ...]] = {
    "$ref": str,
    "properties": dict,
    "$defs": dict,
    "definitions": dict,
    "required": list,
    "enum": list,
    "anyOf": list,
    "oneOf": list,
    "allOf": list,
    "prefixItems": list,
    "items": (dict, bool),
    "additionalProperties": (dict, bool),
    "pattern": str,
    "minimum": (int, float),
    "maximum": (int, float),
    "exclusiveMinimum": (int, float),
    "exclusiveMaximum": (int, float),
    "multipleOf": (int, float),
    "minLength": int,
    "maxLength": int,
    "minItems": int,
    "maxItems": int,
    "minProperties": int,
    "maxProperties": int,
}


class JsonOutput:
    """An `OutputSchema` of a schema as JSON. Raises `UsageError` for one that cannot be kept to."""

    def __init__(self, schema: Mapping[str, Json]) -> None:
        self.schema = dict(schema)
        self.text = msgspec.json.encode(self.schema).decode()
        _check(self.schema, len(self.text.encode()))
        self.instructions = instructions_for(self.schema)
        self._checker = SchemaChecker(self.schema, "answer", _matches)

    def read(self, text: str) -> dict[str, Json]:
        """The object that an answer holds; raises `ValueError` with what is wrong."""
        found = read_object(text)
        if found is None:
            raise ValueError("There is no JSON object in it.")
        if faults := self._checker.faults(found):
            raise ValueError(" ".join(map(_told, faults))[:MAX_PROBLEM_CHARS])
        return found

    def problem(self, text: str) -> str | None:
        """Why an answer does not have this form, in words that the model can act on."""
        return problem_for(self.read, text)


def json_output(settings: Mapping[str, Json]) -> JsonOutput | None:
    """The form that the settings of a turn ask for, if any."""
    text = settings.get("output_schema")
    return JsonOutput(msgspec.json.decode(text, type=dict[str, Any])) if isinstance(text, str) else None


def _told(fault: Fault) -> str:
    return f"{'.'.join(map(str, fault['loc']))[:200]}: {fault['msg']}."


def _matches(pattern: str, text: str) -> bool:
    """By an engine that takes linear time, whatever the pattern; what it does not know (looking around) matches."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern)).isinstance_python(text)
    except SchemaError:
        return True


def _check(root: dict[str, Json], size: int) -> None:
    if size > MAX_SCHEMA_BYTES:
        raise UsageError(f"The schema of the answer has {size:,} bytes; the limit is {MAX_SCHEMA_BYTES:,}: shorten it.")
    if root.get("type", "object") != "object":
        raise UsageError("The schema of the answer is not an object: wrap it in one of type 'object'.")
    parts, waiting = 0, [((), root, 0)]
    while waiting:
        place, node, depth = waiting.pop()
        parts += 1
        if parts > MAX_PARTS or depth > MAX_DEPTH:
            raise UsageError(
                f"The schema of the answer has more than {MAX_PARTS:,} parts, or more than {MAX_DEPTH} levels: "
                "make it smaller."
            )
        if why := _why_unfit(root, node):
            where = ".".join(map(str, place))[:200]
            raise UsageError(f"The schema of the answer cannot be used{where and f', at {where}'}: {why}.")
        waiting += [((*place, *step), part, depth + 1) for step, part in _parts(node)]


def _why_unfit(root: dict[str, Json], node: Any) -> str | None:
    if isinstance(node, bool):
        return None
    if not isinstance(node, dict):
        return "there is no schema where one should be"
    words = cast("dict[str, Any]", node)
    if unknown := sorted(_UNKNOWN & words.keys()):
        return f"{unknown[0]!r} is not supported, remove it"
    for word, shape in _SHAPES.items():
        if word in words and (not isinstance(words[word], shape) or (isinstance(words[word], bool) and shape is int)):
            return f"{word!r} is not as JSON schema has it"
    kinds: list[Any] = words.get("type", []) if isinstance(words.get("type"), list) else [words.get("type", "object")]
    if any(kind not in TYPES for kind in kinds):
        return f"'type' must be of {', '.join(TYPES)}"
    if any(not isinstance(name, str) for name in words.get("required", ())):
        return "'required' must hold names"
    if len(words.get("pattern", "")) > _MAX_PATTERN_CHARS:
        return f"'pattern' has more than {_MAX_PATTERN_CHARS:,} characters"
    reference: str = words.get("$ref", "#")
    if not reference.startswith("#"):
        return "'$ref' leads elsewhere, and nothing is fetched: put it under '$defs'"
    if find_reference(root, reference) is None:
        return f"'$ref' names {reference[:80]!r}, which the schema does not hold"
    return None


def _parts(node: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The schemas in a schema, with the way there."""
    if not isinstance(node, dict):
        return
    words = cast("dict[str, Any]", node)
    for word in ("properties", "$defs", "definitions"):
        for name, part in words.get(word, {}).items():
            yield (word, str(name)), part
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        for number, part in enumerate(words.get(word, ())):
            yield (word, str(number)), part
    for word in ("items", "additionalProperties"):
        if word in words:
            yield (word,), words[word]
