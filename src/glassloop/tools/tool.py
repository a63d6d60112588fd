"""A tool: something a model can ask for by name, made of a function (`@tool`) or of a class (`Tool`).

Owns what every tool offers: how it is described, and how its arguments are checked. How a call is guarded (timeout,
retry, cache, errors) is the orchestrator's. Pydantic is imported when a tool is made, and not before.
"""

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property, partial, update_wrapper
from opcode import opmap
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Self, TypedDict, TypeVar, Unpack, overload

from glassloop.core.call_terms import CallTerms, GrantKind
from glassloop.core.errors import BadArguments, UsageError
from glassloop.core.json_schema import without_references
from glassloop.core.labels import Confidentiality, Integrity, Labels
from glassloop.core.messages import DEFAULT_DOMAIN, Effect, Reach, ToolSpec
from glassloop.core.ports import CallContext
from glassloop.core.records import Json, ToolResult
from glassloop.tools.arguments import explain
from glassloop.tools.context import ToolContext, attended
from glassloop.tools.result import to_result
from glassloop.tools.suggestion import quote, suggest
from glassloop.tools.tool_checks import check_destinations, check_tool, retries_of

if TYPE_CHECKING:
    from glassloop.tools.schema import Parameters

P = ParamSpec("P")
R = TypeVar("R")


class Tool(ABC):
    """The one interface of every tool. The class form sets the attributes it needs and writes `execute`."""

    name: str = ""
    """What the model calls it."""
    description: str = ""
    """What the model reads about it."""
    Input: Any = None
    """A Pydantic model of the arguments; None for a tool that takes none."""

    effect: Effect = "external"
    """`read`, `write` or `external`. Only reads are cached and run side by side."""
    idempotent: bool = False
    """Doing it twice does no harm: a call cut off in the middle is made again."""
    volatile: bool = False
    """A read that changes by itself: never cached."""
    confirm: bool = False
    """A person is asked before each call."""
    required: bool = False
    """If it fails, the other calls of its step are stopped."""
    timeout_s: float = 30.0
    """Seconds after which a call fails."""
    cache_ttl_s: float = 300.0
    """Seconds for which a read is remembered."""
    retries: int | None = None
    """How often a failure that may pass is tried again; None is twice for a read, else never."""
    retry_on: tuple[type[Exception], ...] = ()
    """Failures that may pass, beside `ToolUnavailable`, `ConnectionError` and `TimeoutError`."""
    domain: str = DEFAULT_DOMAIN
    """The department it belongs to, for assistants with a router."""
    reports_progress: bool = True
    """Whether it says how far it is."""
    words: Mapping[str, Json] = {}
    """What rules compare a question with in place of the description; no language model is shown them."""
    sentences: Mapping[str, Sequence[str]] = {}
    """How rules put its result into words, by language: templates such as `{"en": ["{expression} is {result}."]}`."""
    integrity: Integrity = "untrusted"
    """`trusted` where no words of strangers can be in its results."""
    confidentiality: Confidentiality = "user"
    """Whom its results belong to: everybody (`public`), the `user` or the `operator`."""
    reaches: Reach | None = None
    """Whether its arguments leave this machine, `outside` or `here`; None: those of an external effect do."""
    destinations: tuple[str, ...] = ()
    """The parameters that say where to: addresses, recipients."""
    grant: GrantKind | None = None
    """How a person may allow it for a session: `never`, as a `tool`, by `folder`, or by the first words of a
    `command`."""
    waits: bool = True
    """False for one that waits for nothing, ever: it needs no timer and is not worth showing while it runs."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @abstractmethod
    async def execute(self, input: Any, context: ToolContext, /) -> Any:  # noqa: A002
        """Does the work with checked input. What it returns is made into a `ToolResult`; what it raises, too."""

    async def preview(self, input: Any, context: ToolContext, /) -> Any:  # noqa: A002, ARG002
        """What `execute` would do, without doing it, for the person who must allow it. None: what the arguments say."""
        return None

    async def terms(self, input: Any, context: ToolContext, /) -> bool | CallTerms | None:  # noqa: A002, ARG002
        """On which terms this call runs: whether it asks, or all of them. None: as the tool declares."""
        return None

    @property
    def has_terms(self) -> bool:
        """Whether `terms` is asked before each call."""
        return type(self).terms is not Tool.terms

    @cached_property
    def spec(self) -> ToolSpec:
        """The tool as the loop and the models see it. Raises `UsageError` when it is not put together well."""
        check_tool(self)
        if self.destinations:
            check_destinations(self, self._schema)
        return ToolSpec(
            name=self.name,
            description=self.description.strip() or self.name.replace("_", " "),
            parameters=self._schema,
            effect=self.effect,
            idempotent=self.idempotent,
            volatile=self.volatile,
            confirm=self.confirm,
            required=self.required,
            timeout_s=float(self.timeout_s),
            cache_ttl_s=float(self.cache_ttl_s),
            retries=retries_of(self),
            domain=self.domain,
            reports_progress=self.reports_progress,
            waits=self.waits,
            words=dict(self.words),
            sentences=dict(self.sentences),
            labels=Labels(integrity=self.integrity, confidentiality=self.confidentiality),
            reaches=self.reaches,
            destinations=tuple(self.destinations),
            grant=self.grant,
            has_terms=self.has_terms,
        )

    @property
    def parameter_schema(self) -> dict[str, Json]:
        """The JSON schema of its arguments."""
        return self.spec.parameters

    @property
    def requires_confirmation(self) -> bool:
        """Whether a person is asked before each call."""
        return self.spec.confirm

    @cached_property
    def cacheable(self) -> bool:
        """Whether a second identical call may be answered with the first one's result."""
        return self.spec.effect == "read" and not self.spec.volatile and self.spec.cache_ttl_s > 0

    @cached_property
    def validate(self) -> Callable[[Any], Any]:
        """Arguments in, checked input out; raises what `explain` puts into words."""
        return self._model.__pydantic_validator__.validate_python

    def explain(self, error: Exception) -> str:
        """Why `validate` refused, for the model."""
        return explain(self.name, error, self.spec.parameters["properties"])

    def validate_params(self, args: Mapping[str, Json]) -> str | None:
        """Why these arguments cannot be used, or None."""
        try:
            self.validate(args)
        except Exception as error:
            return self.explain(error)
        return None

    def start(self, input: Any, context: CallContext) -> Coroutine[Any, Any, Any]:  # noqa: A002
        """The work of one call, not yet awaited."""
        return attended(partial(self.execute, input), ToolContext.of(context))

    def renamed(self, name: str) -> Self:
        """The same tool under another name."""
        other = copy.copy(self)
        vars(other).pop("spec", None)
        other.name = name
        return other

    def to_anthropic_schema(self) -> dict[str, Json]:
        """The tool in Anthropic's form."""
        spec = self.spec
        return {"name": spec.name, "description": spec.description, "input_schema": copy.deepcopy(spec.parameters)}

    def to_openai_schema(self) -> dict[str, Json]:
        """The tool in OpenAI's form."""
        spec = self.spec
        parameters = copy.deepcopy(spec.parameters)
        return {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": parameters},
        }

    def to_gemini_schema(self) -> dict[str, Json]:
        """The tool in Gemini's form."""
        spec = self.spec
        parameters = without_references(spec.parameters)
        return {"name": spec.name, "description": spec.description, "parameters_json_schema": parameters}

    @cached_property
    def _model(self) -> Any:
        from glassloop.tools.schema import strict

        return strict(self.Input, self.name)

    @cached_property
    def _schema(self) -> dict[str, Json]:
        from glassloop.tools.schema import input_schema

        return input_schema(self._model, self.name)


class ToolOptions(TypedDict, total=False):
    """What `@tool` can be told about a function, beyond what its signature and docstring say."""

    effect: Effect
    idempotent: bool
    volatile: bool
    confirm: bool
    required: bool
    timeout_s: float
    cache_ttl_s: float
    retries: int
    retry_on: tuple[type[Exception], ...]
    domain: str
    name: str
    description: str
    words: Mapping[str, Json]
    sentences: Mapping[str, Sequence[str]]
    integrity: Integrity
    confidentiality: Confidentiality
    reaches: Reach
    destinations: tuple[str, ...]
    preview: Callable[..., Any]
    grant: GrantKind
    asks: Callable[..., Any]


class FunctionTool(Tool, Generic[P, R]):
    """A function as a tool, called by name with checked arguments, in a thread unless it is async."""

    def __init__(self, function: Callable[P, R], **options: Unpack[ToolOptions]) -> None:
        from glassloop.tools.schema import parameters_of

        update_wrapper(self, function)
        self.name = options.pop("name", "") or getattr(function, "__name__", "")
        previewed, asks = options.pop("preview", None), options.pop("asks", None)
        description = options.pop("description", "")
        parameters = parameters_of(function, self.name)
        self._model, self._schema = parameters.model, parameters.schema
        self._renamed = parameters.renamed
        self._work = _Callee(function, parameters.context, self.name)
        self._preview = None if previewed is None else _preview(previewed, parameters, self.name)
        self._terms = None if asks is None else _preview(asks, parameters, self.name)
        # The common case is called straight: no thread, no context, no field with another name.
        self._plain = None if self._work.threaded or parameters.context or parameters.renamed else self._work.function
        self.description = description or parameters.description
        # One that is tried again tells so while it waits.
        self.reports_progress = parameters.context is not None or bool(options.get("retries"))
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

    async def terms(self, input: Any, context: ToolContext, /) -> bool | CallTerms | None:  # noqa: A002
        return None if self._terms is None else await self._terms.start(self._values(input), context)

    @property
    def has_terms(self) -> bool:
        return self._terms is not None

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
        from glassloop.tools.execution import threads

        value = await threads.shared.run(self.function, values)
        return await value if inspect.isawaitable(value) else value


@overload
def tool(function: Callable[P, R], /) -> FunctionTool[P, R]: ...
@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...
def tool(function: Callable[..., Any] | None = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Makes a tool of a `function`, async or plain (a plain one runs in a thread): `@tool` or `@tool(effect="read")`.

    The parameters come from the annotations, the description from the docstring's first paragraph. A parameter
    annotated `ToolContext` is filled in and hidden from the model. `preview` is a function with the same parameters
    that says what would happen, `asks` one that says whether this call asks a person, or all its `CallTerms`. The other
    options are the fields of `Tool`. The function can still be called as before.
    """
    if unknown := options.keys() - ToolOptions.__annotations__.keys():
        name = min(unknown)
        raise UsageError(f"@tool has no option {quote(name)}. {suggest(name, ToolOptions.__annotations__)}")

    def decorate(decorated: Callable[..., Any]) -> Any:
        return FunctionTool(decorated, **options)

    return decorate if function is None else decorate(function)


def _may_wait(function: Callable[..., Any]) -> bool:
    """Whether an async function has a place where it could wait: every `await` is compiled to this instruction."""
    code = getattr(function, "__code__", None)
    if code is None or not code.co_flags & inspect.CO_COROUTINE:
        return True
    return opmap.get("SEND") is None or opmap["SEND"] in code.co_code[::2]


def _preview(function: Callable[..., Any], parameters: "Parameters", label: str) -> _Callee:
    from glassloop.tools.signature import read_signature

    signature = read_signature(function, f"{label} (preview)")
    if signature.names != parameters.names:
        raise UsageError(
            f"Tool {label!r}: its preview takes ({', '.join(sorted(signature.names))}) and the tool "
            f"({', '.join(sorted(parameters.names))}): give both the same parameters."
        )
    return _Callee(function, signature.context, label)
