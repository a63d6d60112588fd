"""A tool's parameters as one Pydantic model and its JSON schema, made once, when the tool is made.

What cannot be put into a schema is refused here, with the remedy. The docstring says what the tool does and what each
parameter means; it is read in Google (`Args:`), NumPy (underlined `Parameters`) and reST (`:param x:`) style, whatever
the text, and types written in it are ignored: the annotations are the truth. Importing this module imports Pydantic, so
only what makes a tool imports it.
"""

import copy
import inspect
import re
import typing
from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, Union, cast

import msgspec
from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from glassloop.core.errors import UsageError
from glassloop.core.records import Json
from glassloop.tools.result import to_json
from glassloop.tools.signature import REMEDY, Parameter, Signature, annotate, read_signature, show_hint

_UNFIT = (PydanticUserError, TypeError, NameError, ValueError, RecursionError)


class Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """What a function takes: `renamed` maps fields that could not keep the parameter's name, `context` names the
    parameter that wants the `ToolContext`."""

    description: str
    names: frozenset[str]
    model: type[BaseModel]
    schema: dict[str, Json]
    renamed: dict[str, str]
    context: str | None


def parameters_of(function: Callable[..., Any], label: str) -> Parameters:
    """Reads the signature and the docstring; raises `UsageError` for what a model could not be offered."""
    signature, text = read_signature(function, label), inspect.getdoc(function) or ""
    # 1 and True are equal and are not the same default.
    defaults = tuple(repr(parameter.default) for parameter in signature.parameters)
    try:
        hash(signature)
    except TypeError:
        return _make_parameters(label, text, signature)
    made = _made_parameters(label, text, signature, defaults)
    return msgspec.structs.replace(made, schema=copy.deepcopy(made.schema))


@lru_cache(maxsize=256)
def _made_parameters(label: str, text: str, signature: Signature, defaults: tuple[str, ...]) -> Parameters:  # noqa: ARG001
    """Kept: a function that makes tools is called again and again, and each schema takes milliseconds."""
    return _make_parameters(label, text, signature)


def _make_parameters(label: str, text: str, signature: Signature) -> Parameters:
    description, documented = read_docstring(text)
    renamed: dict[str, str] = {}
    fields: dict[str, Any] = {}
    for parameter in signature.parameters:
        name = _field_name(parameter.name)
        if name != parameter.name:
            renamed[name] = parameter.name
        fields[name] = _field(parameter, documented.get(parameter.name), alias=name in renamed)
    try:
        model = _model(label, fields)
        schema = schema_of(model)
    except _UNFIT as error:
        raise UsageError(_blame(label, fields, renamed, error)) from error
    return Parameters(
        description=description,
        names=signature.names,
        model=model,
        schema=schema,
        renamed=renamed,
        context=signature.context,
    )


def strict(model: Any, label: str) -> type[BaseModel]:
    """The model (None: one without fields), refusing unknown arguments unless it says itself what becomes of them."""
    if model is None:
        return _model(label, {})
    if not (isinstance(model, type) and issubclass(model, BaseModel)):
        raise UsageError(f"Tool {label!r}: 'Input' is {model!r}; make it a Pydantic model (a subclass of BaseModel).")
    if "extra" in model.model_config:
        return model
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, __cls_kwargs__={"extra": "forbid"})


def input_schema(model: type[BaseModel], label: str) -> dict[str, Json]:
    """The schema of a class tool's `Input`; raises `UsageError` when none can be made."""
    try:
        return schema_of(model)
    except _UNFIT as error:
        raise UsageError(
            f"Tool {label!r}: no JSON schema can be made of its Input ({_first_sentence(error)}): {REMEDY}."
        ) from error


def schema_of(model: type[BaseModel]) -> dict[str, Json]:
    """The JSON schema as a model is shown it: an object, no titles, only JSON in it."""
    if not model.__pydantic_complete__:
        model.model_rebuild()
    schema = cast("dict[str, Json]", to_json(model.model_json_schema(schema_generator=_QuietSchema)))
    if schema.get("type") != "object":
        raise TypeError(f"arguments are an object, but {model.__name__} is not")
    _drop_titles(schema)
    schema.setdefault("properties", {})
    return schema


class _QuietSchema(GenerateJsonSchema):
    """A default that is not JSON is left out of the schema: nothing a tool's author must be warned about."""

    def emit_warning(self, kind: str, detail: str) -> None:
        pass


def _drop_titles(schema: Any) -> None:
    """Titles repeat the names; every model would pay for them in tokens."""
    if isinstance(schema, list):
        for item in cast("list[Any]", schema):
            _drop_titles(item)
    if not isinstance(schema, dict):
        return
    node = cast("dict[str, Any]", schema)
    if isinstance(node.get("title"), str):
        del node["title"]
    for key, value in node.items():
        if key in ("properties", "$defs", "patternProperties"):
            for child in value.values():
                _drop_titles(child)
        elif key not in ("default", "enum", "const", "examples", "example"):
            _drop_titles(value)


def _field_name(name: str) -> str:
    """Pydantic keeps some names to itself; such a parameter gets another field and its own name as alias."""
    if not name.startswith("_") and not hasattr(BaseModel, name):
        return name
    return f"argument_{name.strip('_')}_"


def _field(parameter: Parameter, documented: str | None, *, alias: bool) -> Any:
    """One field for `create_model`: the annotation, with description and alias, and the default if there is one."""
    base, metadata = parameter.hint, list[Any]()
    if typing.get_origin(base) is Annotated:
        base, metadata = base.__origin__, list(base.__metadata__)
    written = next((item for item in metadata if isinstance(item, str)), documented)
    metadata = [item for item in metadata if not isinstance(item, str)]
    default = parameter.default
    described = any(isinstance(item, FieldInfo) and item.description for item in (*metadata, default))
    if written and not described:
        metadata.append(Field(description=written))
    if alias:
        metadata.append(Field(alias=parameter.name))
    if default is None and type(None) not in typing.get_args(base):
        base = Union[base, None]  # noqa: UP007
    annotation = annotate(base, metadata) if metadata else base
    return annotation if default is inspect.Parameter.empty else (annotation, default)


def _model(label: str, fields: dict[str, Any]) -> type[BaseModel]:
    config = ConfigDict(extra="forbid", protected_namespaces=())
    return create_model(label, __config__=config, __module__=__name__, **fields)


def _blame(label: str, fields: dict[str, Any], renamed: dict[str, str], error: Exception) -> str:
    """Which parameter it is: the first that fails on its own."""
    for name, field in fields.items():
        try:
            schema_of(_model(label, {name: field}))
        except _UNFIT as reason:
            hint = cast("tuple[Any, Any]", field)[0] if isinstance(field, tuple) else field
            return (
                f"Tool {label!r}: parameter {renamed.get(name, name)!r} is annotated {show_hint(hint)}, of which "
                f"no JSON schema can be made ({_first_sentence(reason)}): {REMEDY}."
            )
    return f"Tool {label!r}: no JSON schema can be made of its parameters ({_first_sentence(error)}): {REMEDY}."


def _first_sentence(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0].partition(". ")[0][:160]


_GOOGLE_HEADER = re.compile(r"\s*(args|arguments|params|parameters|keyword args|keyword arguments):\s*$", re.IGNORECASE)
_GOOGLE_ENTRY = re.compile(r"\s*+\*{0,2}(\w++)\s*+(?:\([^()]*+(?:\([^()]*+\)[^()]*+)*+\))?\s*+:\s*+(.*)$")
_NUMPY_HEADER = re.compile(r"\s*(other )?parameters\s*$", re.IGNORECASE)
_NUMPY_ENTRY = re.compile(r"\s*\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(?::.*)?$")
_REST_ENTRY = re.compile(r"\s*+:(?:param|parameter|arg|argument|keyword)\s(?:[^:]*\s)?\*{0,2}(\w++)\s*+:\s*+(.*)$")
_SECTION = re.compile(r"[A-Z][A-Za-z ]{2,30}:\s*$")
_RULE = re.compile(r"\s*-{3,}\s*$")


def read_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """The first paragraph on one line, and the description of each parameter that has one."""
    lines = inspect.cleandoc(text or "").splitlines()
    entries = {**_rest(lines), **_numpy(lines), **_google(lines)}
    joined = {name: " ".join(line.strip() for line in words if line.strip()) for name, words in entries.items()}
    return _summary(lines), {name: description for name, description in joined.items() if description}


def _summary(lines: list[str]) -> str:
    words: list[str] = []
    for number, line in enumerate(lines):
        if not line.strip() or line.startswith(":") or _SECTION.match(line) or _underlined(lines, number):
            break
        words.append(line.strip())
    return " ".join(words)


def _google(lines: list[str]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for start in (number for number, line in enumerate(lines) if _GOOGLE_HEADER.match(line)):
        current: list[str] = []
        entry_indent: int | None = None
        for line in lines[start + 1 :]:
            if line.strip() and _indent(line) <= _indent(lines[start]):
                break
            if line.strip() and entry_indent is None:
                entry_indent = _indent(line)
            if _indent(line) == entry_indent and (entry := _GOOGLE_ENTRY.match(line)):
                current = entries[entry[1]] = [entry[2]]
            else:
                current.append(line)
    return entries


def _numpy(lines: list[str]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    for start in (number for number, line in enumerate(lines) if _NUMPY_HEADER.match(line)):
        if not _underlined(lines, start):
            continue
        current: list[str] = []
        for number, line in enumerate(lines[start + 2 :], start + 2):
            if _underlined(lines, number):
                break
            if _indent(line) == _indent(lines[start]) and (entry := _NUMPY_ENTRY.match(line)):
                current = []
                entries.update((name.strip(), current) for name in entry[1].split(","))
            else:
                current.append(line)
    return entries


def _rest(lines: list[str]) -> dict[str, list[str]]:
    entries: dict[str, list[str]] = {}
    current: list[str] = []
    entry_indent = 0
    for line in lines:
        if entry := _REST_ENTRY.match(line):
            current = entries[entry[1]] = [entry[2]]
            entry_indent = _indent(line)
        elif line.strip() and _indent(line) > entry_indent:
            current.append(line)
        else:
            current = []
    return entries


def _underlined(lines: list[str], number: int) -> bool:
    return bool(lines[number].strip()) and number + 1 < len(lines) and _RULE.match(lines[number + 1]) is not None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
