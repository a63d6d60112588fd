"""Arguments checked against a simplified schema, before a person is asked and before anything is sent.

Checks what a model can mend: names, types, choices, bounds. Patterns and formats are left to the server: a regular
expression of somebody else's must not run here. Bounded: a schema made to be slow stops being checked with a fault.
"""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

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
_MINIMA = {"minimum": "at least", "exclusiveMinimum": "more than"}
_MAXIMA = {"maximum": "at most", "exclusiveMaximum": "less than"}
_SIZES = {"string": ("Length", "characters"), "array": ("Items", "items"), "object": ("Properties", "properties")}

Place = tuple[str | int, ...]
Fault = dict[str, Any]


class ArgumentMisfit(Exception):
    """Arguments that do not fit; `errors` in the form that `tools.arguments.explain` reads."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self._faults = faults

    def errors(self, **_: object) -> list[Fault]:
        return self._faults


class ArgumentChecker:
    """Arguments in, the same arguments out; raises `ArgumentMisfit`."""

    def __init__(self, schema: dict[str, Json]) -> None:
        self._schema = schema

    def __call__(self, args: Any) -> dict[str, Json]:
        if not isinstance(args, dict):
            raise ArgumentMisfit([{"loc": (), "type": "model_type", "msg": "They must be an object", "input": args}])
        check = _Check(self._schema.get("$defs", {}))
        check.look(args, self._schema, ())
        if check.faults:
            raise ArgumentMisfit(check.faults)
        return cast("dict[str, Json]", args)


class _Check:
    """One look at one set of arguments."""

    def __init__(self, definitions: dict[str, Any]) -> None:
        self.faults: list[Fault] = []
        self._definitions = definitions
        self._left = _STEPS

    def look(self, value: Json, schema: dict[str, Json], place: Place, depth: int = 0) -> None:
        self._left -= 1
        if self._left < 0 or depth > _MAX_DEPTH:
            # Raised, not noted: with unions, going on elsewhere could take for ever.
            raise ArgumentMisfit([_fault(place, value, "Is too deep or too large to be checked")])
        if len(self.faults) >= _MAX_FAULTS:
            return
        if (reference := schema.get("$ref")) is not None:
            self.look(value, self._definitions.get(reference.rpartition("/")[2], {}), place, depth + 1)
        elif branches := schema.get("anyOf"):
            self._any(value, branches, place, depth)
        else:
            self._one(value, schema, place, depth)

    def _any(self, value: Json, branches: list[dict[str, Json]], place: Place, depth: int) -> None:
        faults, self.faults = self.faults, []
        closest: list[Fault] | None = None
        for branch in branches:
            self.faults = []
            self.look(value, branch, place, depth + 1)
            if not self.faults:
                closest = []
                break
            # Whoever got furthest into the value was probably meant.
            if closest is None or len(self.faults[0]["loc"]) > len(closest[0]["loc"]):
                closest = self.faults
        self.faults = faults + (closest or [])

    def _one(self, value: Json, schema: dict[str, Json], place: Place, depth: int) -> None:
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

    def _object(self, value: dict[str, Json], schema: dict[str, Json], place: Place, depth: int) -> None:
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

    def _array(self, value: list[Json], schema: dict[str, Json], place: Place, depth: int) -> None:
        places: list[Any] = schema.get("prefixItems", [])
        for number, item in enumerate(value):
            rest = schema.get("items", {})
            self.look(item, places[number] if number < len(places) else rest, (*place, number), depth + 1)
            if len(self.faults) >= _MAX_FAULTS:
                return

    def _bounds(self, value: Json, schema: dict[str, Json], place: Place) -> None:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            for word, told in (_MINIMA | _MAXIMA).items():
                limit = schema.get(word)
                within = limit is None or (limit <= value if word in _MINIMA else value <= limit)
                if not within or (limit == value and word.startswith("exclusive")):
                    self._fault(place, value, f"Should be {told} {limit}")
        if isinstance(value, (str, list, dict)):
            size = len(cast("str | list[Json] | dict[str, Json]", value))
            word, unit = next(named for kind, named in _SIZES.items() if _is(value, kind))
            least, most = schema.get(f"min{word}", 0), schema.get(f"max{word}")
            if size < least or (most is not None and size > most):
                told = f"at least {least}" if size < least else f"at most {most}"
                self._fault(place, value, f"Should have {told} {unit}")

    def _fault(self, place: Place, value: Json, message: str, kind: str = "value") -> None:
        self.faults.append(_fault(place, value, message, kind))


def _fault(place: Place, value: Json, message: str, kind: str = "value") -> Fault:
    return {"loc": place or ("arguments",), "type": kind, "msg": message, "input": value}


def _is(value: Json, kind: str) -> bool:
    if isinstance(value, bool) and kind != "boolean":
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _CHECKS[kind])


def _same(value: Json, choice: Json) -> bool:
    """As JSON sees it: true is not 1."""
    return value == choice and isinstance(value, bool) == isinstance(choice, bool)
