"""A function's signature, read for a model that calls by name: each parameter with its type.

Owns what kinds of signature can be a tool, and the errors for those that cannot. What a type means as JSON is
`schema`'s business; this module needs no Pydantic.
"""

import inspect
import sys
import types
import typing
from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, NotRequired, Required, Union, cast

import msgspec

from glassloop.core.errors import UsageError
from glassloop.tools.context import ToolContext

REMEDY = "use str, int, float, bool, list, dict, Literal, an Enum, a dataclass, a TypedDict or a Pydantic model"


class Parameter(msgspec.Struct, frozen=True):
    """A parameter that the model fills. `default` is `inspect.Parameter.empty` where there is none."""

    name: str
    hint: Any
    default: Any


class Signature(msgspec.Struct, frozen=True):
    """The parameters the model fills, and the name of the one that wants the `ToolContext`."""

    parameters: tuple[Parameter, ...]
    context: str | None

    @property
    def names(self) -> frozenset[str]:
        return frozenset(parameter.name for parameter in self.parameters)


def read_signature(function: Callable[..., Any], label: str) -> Signature:
    """Raises `UsageError`, in one sentence with the remedy, for a signature that a model could not be offered."""
    parameters: list[Parameter] = []
    context: str | None = None
    for found in _parameters(function, label):
        hint = _hint(function, found, label)
        if not _is_context(hint):
            parameters.append(Parameter(found.name, hint, found.default))
        elif context is None:
            context = found.name
        else:
            raise UsageError(
                f"Tool {label!r} asks for the ToolContext twice, as {context!r} and {found.name!r}: keep one."
            )
    return Signature(tuple(parameters), context)


def show_hint(hint: Any) -> str:
    """An annotation as its author wrote it, quoted and bounded."""
    if typing.get_origin(hint) is Annotated:
        hint = hint.__origin__
    text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
    return repr(text if len(text) <= 80 else f"{text[:79]}…")


def annotate(base: Any, metadata: Iterable[Any]) -> Any:
    """`Annotated[base, *metadata]` for metadata known only at run time."""
    return cast("Any", Annotated)[(base, *metadata)]


def _parameters(function: Callable[..., Any], label: str) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError, NameError) as error:
        raise UsageError(
            f"Tool {label!r} has no readable signature ({error}): wrap it in a function of yours."
        ) from error
    for parameter in parameters:
        name = parameter.name
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            raise UsageError(
                f"Tool {label!r} takes '*{name}', which a model cannot fill: declare '{name}: list[...]' instead."
            )
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            raise UsageError(
                f"Tool {label!r} takes '**{name}', which a model cannot fill: "
                f"declare each parameter, or one '{name}: dict[str, ...]', instead."
            )
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            raise UsageError(
                f"Tool {label!r}: parameter {name!r} is positional-only, but arguments come by name: "
                "remove the '/' from the signature."
            )
    return parameters


def _hint(function: Callable[..., Any], parameter: inspect.Parameter, label: str) -> Any:
    """The annotation as a type; written as text (or under `from __future__ import annotations`) it is looked up."""
    name, annotation = parameter.name, parameter.annotation
    if annotation is inspect.Parameter.empty:
        if name in ("self", "cls"):
            raise UsageError(f"Tool {label!r} is a method: make the tool of the bound method, 'tool(thing.{label})'.")
        raise UsageError(f"Tool {label!r}: parameter {name!r} has no annotation: write its type, as in '{name}: str'.")
    holder = types.SimpleNamespace(__annotations__={name: annotation})
    try:
        hint = typing.get_type_hints(holder, globalns=_globals_of(function), include_extras=True)[name]
        return _portable(hint)
    except NameError as error:
        raise UsageError(
            f"Tool {label!r}: parameter {name!r} is annotated {show_hint(annotation)}, where {error.name!r} is "
            "not known: define or import it at the top level of the module, not in a function or under TYPE_CHECKING."
        ) from error
    except Exception as error:
        raise UsageError(
            f"Tool {label!r}: parameter {name!r} is annotated {show_hint(annotation)}, which is not a type "
            f"({error}): {REMEDY}."
        ) from error


def _globals_of(function: Callable[..., Any]) -> dict[str, Any]:
    target: Any = inspect.unwrap(function)
    while isinstance(target, partial):
        target = cast("partial[Any]", target).func
    found = getattr(target, "__globals__", None)
    return found if found is not None else getattr(type(target).__call__, "__globals__", {})


def _is_context(hint: Any) -> bool:
    if typing.get_origin(hint) is Annotated:
        hint = hint.__origin__
    if hint is ToolContext or typing.get_origin(hint) is ToolContext:
        return True
    args = [each for each in typing.get_args(hint) if each is not type(None)]
    return typing.get_origin(hint) in (typing.Union, types.UnionType) and len(args) == 1 and _is_context(args[0])


def _portable(hint: Any) -> Any:
    """The hint with every `typing.TypedDict` in it remade: before Python 3.12 Pydantic reads only the backport's."""
    if sys.version_info >= (3, 12):
        return hint
    if typing.is_typeddict(hint) and type(hint).__module__ == "typing":
        return _backport(hint)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if not args or origin is typing.Literal:
        return hint
    remade = tuple(_portable(arg) for arg in args)
    if all(new is old for new, old in zip(remade, args, strict=True)):
        return hint
    if origin is Annotated:
        return annotate(remade[0], hint.__metadata__)
    return Union[remade] if origin in (Union, types.UnionType) else origin[remade]  # noqa: UP007


def _backport(hint: Any) -> Any:
    import typing_extensions

    required: frozenset[str] = hint.__required_keys__
    fields: dict[str, Any] = {}
    for name, found in typing.get_type_hints(hint, include_extras=True).items():
        bare = typing.get_args(found)[0] if typing.get_origin(found) in (Required, NotRequired) else found
        fields[name] = Required[_portable(bare)] if name in required else NotRequired[_portable(bare)]
    remade = cast("Any", typing_extensions.TypedDict)(hint.__name__, fields)
    remade.__doc__ = hint.__doc__
    return remade
