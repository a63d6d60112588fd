"""A tool made of a function: what `@tool` gives back.

Owns how the function is called: with checked arguments by name, the `ToolContext` where it asks for it, in a thread
unless it is async. Importing this module imports Pydantic.
"""

import inspect
from collections.abc import Callable, Coroutine, Mapping
from functools import partial, update_wrapper
from opcode import opmap
from typing import Any, Generic, ParamSpec, TypeVar, Unpack

from glassloop.core.errors import BadArguments, UsageError
from glassloop.core.ports import CallContext
from glassloop.core.records import ToolResult
from glassloop.tools import threads
from glassloop.tools.context import ToolContext, attended
from glassloop.tools.result import to_result
from glassloop.tools.schema import Parameters, parameters_of
from glassloop.tools.signature import read_signature
from glassloop.tools.tool import Tool, ToolOptions

P = ParamSpec("P")
R = TypeVar("R")


class FunctionTool(Tool, Generic[P, R]):
    """A function as a tool; it can still be called as before."""

    def __init__(self, function: Callable[P, R], **options: Unpack[ToolOptions]) -> None:
        update_wrapper(self, function)
        self.name = options.pop("name", "") or getattr(function, "__name__", "")
        previewed = options.pop("preview", None)
        description = options.pop("description", "")
        parameters = parameters_of(function, self.name)
        self._model, self._schema = parameters.model, parameters.schema
        self._renamed = parameters.renamed
        self._work = _Callee(function, parameters.context, self.name)
        self._preview = None if previewed is None else _preview(previewed, parameters, self.name)
        # The common case is called straight: no thread, no context, no field with another name.
        self._plain = None if self._work.threaded or parameters.context or parameters.renamed else self._work.function
        self.description = description or parameters.description
        self.reports_progress = parameters.context is not None
        self.waits = self._plain is None or _may_wait(function)
        for option, value in options.items():
            setattr(self, option, value)
        # Both are made here and not at the first call, so that mistakes show where the tool is written.
        _ = self.spec, self.validate

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self._work.function(*args, **kwargs)

    def start(self, input: Any, context: CallContext) -> Coroutine[Any, Any, Any]:  # noqa: A002
        if self._plain is not None:
            return self._plain(**input.__dict__)
        return self._work.start(self._values(input), ToolContext.of(context))

    async def execute(
        self,
        input: Any = None,  # noqa: A002
        context: ToolContext | None = None,
        /,
        **arguments: Any,
    ) -> ToolResult:
        """Runs the function by hand: with a mapping or keywords, checked first. Raises what the function raises."""
        if input is None or isinstance(input, Mapping):
            input = self._checked({**(input or {}), **arguments})  # noqa: A001
        return to_result(await self._work.start(self._values(input), context or ToolContext()))

    async def preview(self, input: Any, context: ToolContext, /) -> Any:  # noqa: A002
        return None if self._preview is None else await self._preview.start(self._values(input), context)

    def _checked(self, args: dict[str, Any]) -> Any:
        try:
            return self.validate(args)
        except Exception as error:
            raise BadArguments(self.explain(error)) from error

    def _values(self, input: Any) -> dict[str, Any]:  # noqa: A002
        fields: dict[str, Any] = input.__dict__
        return {self._renamed.get(name, name): value for name, value in fields.items()}


class _Callee:
    """A function and how it is called."""

    def __init__(self, function: Callable[..., Any], context: str | None, label: str) -> None:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise UsageError(f"Tool {label!r} yields: return a list instead.")
        self.function = function
        self.threaded = not inspect.iscoroutinefunction(function)
        self._context = context

    def start(self, values: dict[str, Any], context: ToolContext) -> Coroutine[Any, Any, Any]:
        if self._context is None:
            return self._begin(values)
        return attended(partial(self._begin_with, self._context, values), context)

    def _begin_with(self, name: str, values: dict[str, Any], context: ToolContext) -> Coroutine[Any, Any, Any]:
        return self._begin({**values, name: context})

    def _begin(self, values: dict[str, Any]) -> Coroutine[Any, Any, Any]:
        return self._in_thread(values) if self.threaded else self.function(**values)

    async def _in_thread(self, values: dict[str, Any]) -> Any:
        value = await threads.shared.run(self.function, values)
        return await value if inspect.isawaitable(value) else value


def _may_wait(function: Callable[..., Any]) -> bool:
    """Whether an async function has a place where it could wait: every `await` is compiled to this instruction."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & inspect.CO_COROUTINE:
        return True
    return opmap.get("SEND") is None or opmap["SEND"] in code.co_code[::2]


def _preview(function: Callable[..., Any], parameters: Parameters, label: str) -> _Callee:
    signature = read_signature(function, f"{label} (preview)")
    if signature.names != parameters.names:
        raise UsageError(
            f"Tool {label!r}: its preview takes ({', '.join(sorted(signature.names))}) and the tool "
            f"({', '.join(sorted(parameters.names))}): give both the same parameters."
        )
    return _Callee(function, signature.context, label)
