"""Output type of an agent: the answer as a value instead of text.

Owns its JSON schema, what the model is told of it, and reading the value out of the answer. What Pydantic can validate
is taken (models, dataclasses, typed dictionaries, unions, lists, scalars), and structs of msgspec.
"""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar, cast, get_args

import msgspec

from glassloop.core.errors import UsageError
from glassloop.core.protocols.tolerant.first_object import read_object
from glassloop.core.records import Json

if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    OutputT = TypeVarWithDefault("OutputT", default=str)
else:
    OutputT = TypeVar("OutputT")

WRAPPED: Final = "result"
"""Where a value stands that is no object: providers want one."""
MAX_PROBLEM_CHARS = 1_000
_MAX_PARTIAL_CHARS = 200_000


def output_of(wanted: type[OutputT]) -> "OutputType[OutputT] | None":
    """The type prepared for an agent; None for text, which needs no preparation."""
    return None if wanted is str else OutputType[OutputT](wanted)


class OutputType(Generic[OutputT]):
    """One type, prepared once for all turns of an agent. Raises `UsageError` where no schema can be made of it."""

    def __init__(self, wanted: Any) -> None:
        self.name = getattr(wanted, "__name__", str(wanted))
        self._struct = _is_msgspec(wanted)
        self._adapter: Any = None
        try:
            if self._struct:
                schema = _msgspec_schema(wanted)
            else:
                from pydantic import TypeAdapter

                self._adapter = TypeAdapter(wanted)
                schema = self._adapter.json_schema()
        except Exception as error:
            raise UsageError(f"{self.name} has no JSON schema ({error}): use another output_type.") from error
        self._wanted = wanted
        self.wrapped = schema.get("type") != "object" or "$ref" in schema
        self.schema: dict[str, Json] = _wrap(schema) if self.wrapped else schema
        self.instructions = instructions_for(self.schema)

    def read(self, text: str) -> OutputT:
        """The value; raises `ValueError` with what is wrong."""
        found = read_object(text)
        if found is None:
            raise ValueError("There is no JSON object in it.")
        value: Any = found
        if self.wrapped:
            if WRAPPED not in found:
                raise ValueError(f"The object has no {WRAPPED!r}.")
            value = found[WRAPPED]
        try:
            if self._struct:
                return cast(OutputT, msgspec.convert(value, self._wanted))
            return cast(OutputT, self._adapter.validate_json(json.dumps(value)))
        except ValueError as error:
            raise ValueError(str(error)[:MAX_PROBLEM_CHARS]) from None

    def problem(self, text: str) -> str | None:
        """Why an answer is none of this type, in words that the model can act on."""
        return problem_for(self.read, text)

    def partial(self, text: str) -> Json:
        """What can be read of a value that is still being written; None while there is nothing."""
        from pydantic_core import from_json

        begin = text.find("{")
        if begin < 0:
            return None
        try:
            found = from_json(text[begin : begin + _MAX_PARTIAL_CHARS], allow_partial="trailing-strings")
        except ValueError:
            return None
        return found.get(WRAPPED) if self.wrapped else found


def instructions_for(schema: Mapping[str, Json]) -> str:
    """What a model is told of the schema of its answer."""
    return (
        "Your answer is read by a program. When you have what you need, answer with one JSON object of this schema, "
        f"with no text around it:\n{json.dumps(schema, ensure_ascii=False)}"
    )


def problem_for(read: Callable[[str], object], text: str) -> str | None:
    """What a model is told of an answer that `read` does not take; None where it does."""
    try:
        read(text)
    except ValueError as error:
        return f"The answer is not of the schema that was asked for: {error} Answer again with the whole JSON object."
    return None


def _is_msgspec(wanted: Any) -> bool:
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
        return True
    return any(map(_is_msgspec, get_args(wanted)))


def _msgspec_schema(wanted: Any) -> dict[str, Json]:
    (schema,), definitions = msgspec.json.schema_components((wanted,), ref_template="#/$defs/{name}")
    reference = schema.get("$ref")
    if reference is not None:
        schema = definitions[str(reference).rpartition("/")[2]]
    return {**schema, "$defs": definitions} if definitions else schema


def _wrap(schema: dict[str, Json]) -> dict[str, Json]:
    definitions = schema.pop("$defs", None)
    wrapped: dict[str, Json] = {"type": "object", "properties": {WRAPPED: schema}, "required": [WRAPPED]}
    return {**wrapped, "$defs": definitions} if definitions else wrapped
