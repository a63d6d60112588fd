"""Checks values against a JSON schema of somebody else's. Bounded in depth and steps, whatever it is given.

Knows the words that providers of models take: types, choices, bounds, objects, arrays, unions, references inside of the
schema. `format` and words it does not know let everything pass, and so do patterns where no `matches` is given: a
regular expression of somebody else's must not run in Python's engine.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from glassloop.core.json_schema import find_reference
from glassloop.core.records import Json

_MAX_DEPTH = 64
_STEPS = 50_000
_MAX_FAULTS = 16
_CHECKS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
    "number": (int, float),
    "integer": (int, float),
}
TYPES = tuple(_CHECKS)
_MINIMA = {"minimum": "at least", "exclusiveMinimum": "more than"}
_MAXIMA = {"maximum": "at most", "exclusiveMaximum": "less than"}
_SIZES = {"string": ("Length", "characters"), "array": ("Items", "items"), "object": ("Properties", "properties")}

Place = tuple[str | int, ...]
Fault = dict[str, Any]
"""What does not fit: `loc`, `type`, `msg` and `input`, as Pydantic tells it."""
Matches = Callable[[str, str], bool]
"""Whether a text has a part that a pattern describes."""


class SchemaChecker:
    """`name` is what a fault of the whole value is called by. The schema must be well-formed."""

    def __init__(self, schema: dict[str, Json], name: str = "value", matches: Matches | None = None) -> None:
        self._schema = schema
        self._name = name
        self._matches = matches

    def faults(self, value: Json) -> list[Fault]:
        """What of it does not fit, the first of them; empty where all does."""
        check = _Check(self._schema, self._name, self._matches)
        try:
            check.look(value, self._schema, ())
        except _TooLarge as error:
            return [error.fault]
        return check.faults


class _TooLarge(Exception):
    """Raised, not noted: with unions, going on elsewhere could take for ever."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self.fault = fault


class _Check:
    """One look at one value."""

    def __init__(self, root: dict[str, Json], name: str, matches: Matches | None) -> None:
        self.faults: list[Fault] = []
        self._root = root
        self._name = name
        self._matches = matches
        self._left = _STEPS

    def look(self, value: Json, schema: Json, place: Place, depth: int = 0) -> None:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            raise _TooLarge(self._fault_at(place, value, "Is too deep or too large to be checked"))
        if len(self.faults) >= _MAX_FAULTS:
            return
        if not isinstance(schema, dict):
            if schema is False:
                self._fault(place, value, "Is not allowed here")
            return
        words = cast("dict[str, Any]", schema)
        if (reference := words.get("$ref")) is not None:
            self.look(value, find_reference(self._root, reference) or {}, place, depth + 1)
        for part in words.get("allOf", ()):
            self.look(value, part, place, depth + 1)
        if branches := words.get("anyOf"):
            self._any(value, branches, place, depth)
        if branches := words.get("oneOf"):
            self._any(value, branches, place, depth, only=True)
        self._one(value, words, place, depth)

    def _any(self, value: Json, branches: list[Json], place: Place, depth: int, *, only: bool = False) -> None:
        faults, closest, fitting = self.faults, list[Fault](), 0
        for branch in branches:
            self.faults = []
            self.look(value, branch, place, depth + 1)
            if not self.faults:
                fitting += 1
                if not only or fitting > 1:
                    break
            # The branch that got furthest into the value was probably meant.
            elif not closest or len(self.faults[0]["loc"]) > len(closest[0]["loc"]):
                closest = self.faults
        self.faults = faults + ([] if fitting else closest)
        if only and fitting > 1:
            self._fault(place, value, "Should be of one form only, and is of several")

    def _one(self, value: Json, schema: dict[str, Any], place: Place, depth: int) -> None:
        given: str | list[str] = schema.get("type", [])
        kinds = [given] if isinstance(given, str) else given
        if kinds and not any(_is(value, kind) for kind in kinds):
            self._fault(place, value, f"Should be {' or '.join(kinds)}")
            return
        choices: list[Json] = [schema["const"]] if "const" in schema else schema.get("enum", [])
        if choices and not any(_same(value, choice) for choice in choices):
            told = ", ".join(msgspec.json.encode(choice).decode()[:60] for choice in choices[:12])
            self._fault(place, value, f"Should be one of {told}{' …' if len(choices) > 12 else ''}")
        self._bounds(value, schema, place)
        if isinstance(value, dict):
            self._object(cast("dict[str, Json]", value), schema, place, depth)
        elif isinstance(value, list):
            self._array(cast("list[Json]", value), schema, place, depth)

    def _object(self, value: dict[str, Json], schema: dict[str, Any], place: Place, depth: int) -> None:
        properties: dict[str, Any] = schema.get("properties", {})
        others = schema.get("additionalProperties", True)
        for name in schema.get("required", ()):
            if name not in value:
                self.faults.append({"loc": (*place, name), "type": "missing", "msg": "Is missing", "input": value})
        for name, item in value.items():
            if name in properties:
                self.look(item, properties[name], (*place, name), depth + 1)
            elif others is False:
                self._fault((*place, name), item, "Is not known here", "extra_forbidden")
            elif isinstance(others, dict):
                self.look(item, cast("dict[str, Json]", others), (*place, name), depth + 1)

    def _array(self, value: list[Json], schema: dict[str, Any], place: Place, depth: int) -> None:
        places: list[Any] = schema.get("prefixItems", [])
        for number, item in enumerate(value):
            rest = schema.get("items", {})
            self.look(item, places[number] if number < len(places) else rest, (*place, number), depth + 1)
            if len(self.faults) >= _MAX_FAULTS:
                return
        if schema.get("uniqueItems") and len(set(map(msgspec.json.Encoder(order="sorted").encode, value))) < len(value):
            self._fault(place, value, "Should have no item twice")

    def _bounds(self, value: Json, schema: dict[str, Any], place: Place) -> None:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            for word, told in (_MINIMA | _MAXIMA).items():
                limit = schema.get(word)
                within = limit is None or (limit <= value if word in _MINIMA else value <= limit)
                if not within or (limit == value and word.startswith("exclusive")):
                    self._fault(place, value, f"Should be {told} {limit}")
            if (unit := schema.get("multipleOf")) and not _is_multiple(value, unit):
                self._fault(place, value, f"Should be a multiple of {unit}")
        if isinstance(value, (str, list, dict)):
            size = len(cast("str | list[Json] | dict[str, Json]", value))
            word, unit = next(named for kind, named in _SIZES.items() if _is(value, kind))
            least, most = schema.get(f"min{word}", 0), schema.get(f"max{word}")
            if size < least or (most is not None and size > most):
                told = f"at least {least}" if size < least else f"at most {most}"
                self._fault(place, value, f"Should have {told} {unit}")
        pattern = schema.get("pattern")
        if isinstance(value, str) and pattern and self._matches is not None and not self._matches(pattern, value):
            self._fault(place, value, f"Should match {pattern[:200]!r}")

    def _fault(self, place: Place, value: Json, message: str, kind: str = "value") -> None:
        self.faults.append(self._fault_at(place, value, message, kind))

    def _fault_at(self, place: Place, value: Json, message: str, kind: str = "value") -> Fault:
        return {"loc": place or (self._name,), "type": kind, "msg": message, "input": value}


def _is(value: Json, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _CHECKS[kind])


def _is_multiple(value: float, unit: float) -> bool:
    if isinstance(value, int) and isinstance(unit, int):
        return value % unit == 0
    try:
        times = value / unit
    except OverflowError:
        return True
    # Tenths and hundredths are no exact numbers.
    return not math.isfinite(times) or math.isclose(times, round(times), abs_tol=1e-9)


def _same(value: Json, choice: Json) -> bool:
    """As JSON sees it: true is not 1."""
    return value == choice and isinstance(value, bool) == isinstance(choice, bool)
