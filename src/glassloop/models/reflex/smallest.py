"""The smallest JSON value that fits a schema.

Owns nothing but that: it says what a schema allows, not what is true. `choose` lets the caller pick among an enum.
"""

from collections.abc import Callable
from typing import Any, cast

from glassloop.core.records import Json
from glassloop.models.reflex.parameters import resolve

Choose = Callable[[list[Json]], Json]

_DEEPEST = 8


def smallest(schema: dict[str, Json], choose: Choose = lambda values: values[0]) -> Json:
    """Required keys only, least numbers, shortest texts and lists."""
    return _value(schema, schema, choose, 0)


def _value(root: dict[str, Json], raw: Json, choose: Choose, depth: int) -> Json:
    schema = resolve(root, raw)
    if "const" in schema:
        return schema["const"]
    if "default" in schema:
        return schema["default"]
    enum = schema.get("enum")
    if isinstance(enum, list) and enum:
        return choose(cast("list[Json]", enum))
    if depth > _DEEPEST:
        return None
    match schema.get("type", "object" if "properties" in schema else "null"):
        case "object":
            return _object(root, schema, choose, depth)
        case "array":
            least = _whole(schema.get("minItems"))
            return [_value(root, schema.get("items"), choose, depth + 1)] * min(least, 100 if depth < 2 else 1)
        case "string":
            return "-" * min(_whole(schema.get("minLength")), 10_000)
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return False
        case _:
            return None


def _object(root: dict[str, Json], schema: dict[str, Json], choose: Choose, depth: int) -> dict[str, Json]:
    required: Any = schema.get("required")
    properties: Any = schema.get("properties")
    names = cast("list[Json]", required) if isinstance(required, list) else []
    known = cast("dict[str, Json]", properties) if isinstance(properties, dict) else {}
    return {str(name): _value(root, known.get(str(name)), choose, depth + 1) for name in names}


def _number(schema: dict[str, Json]) -> int | float:
    """Zero if it is allowed, else the bound nearest to it."""
    low, high = _bound(schema.get("minimum")), _bound(schema.get("maximum"))
    above, below = _bound(schema.get("exclusiveMinimum")), _bound(schema.get("exclusiveMaximum"))
    low = low if above is None else above + 1 if schema.get("type") == "integer" else above + 0.5
    high = high if below is None else below - 1 if schema.get("type") == "integer" else below - 0.5
    if low is not None and low > 0:
        return low
    return high if high is not None and high < 0 else 0


def _bound(value: Json) -> int | float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _whole(value: Json) -> int:
    return value if isinstance(value, int) and value > 0 else 0
