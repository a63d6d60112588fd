"""A model that says what it is told to: for tests of agents, tools and assistants.

It is a real `Model`, streamed in pieces, so whatever works with it works with a provider.
"""

import dataclasses
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from inspect import isawaitable
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, cast

import msgspec
from msgspec.structs import replace

from glassloop.core.errors import ModelRejected, UsageError
from glassloop.core.messages import (
    Abilities,
    AssistantMessage,
    CallChunk,
    Chunk,
    ModelRequest,
    Reply,
    TextChunk,
    ThoughtChunk,
    Usage,
)
from glassloop.core.records import ToolCall

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import BaseModel

    Value = BaseModel | DataclassInstance | msgspec.Struct | dict[str, Any]
else:
    Value = Any
Line = str | ToolCall | Sequence[ToolCall] | AssistantMessage | Reply | BaseException | Value
MAX_REQUESTS = 10_000
_FORMS = (
    "A line is text, call(...), a list of calls, a value of the agent's output_type (a Pydantic model, dataclass, "
    "msgspec struct or dict), a messages.AssistantMessage or messages.Reply, or an exception to raise."
)


def call(tool: str, /, **args: Any) -> ToolCall:
    """A call of `tool` for a script; the loop gives it an id."""
    return ToolCall(id="", tool=tool, args=args)


class ScriptedModel:
    """Plays `script` reply by reply, and remembers what it was asked.

    Each line of the script is one reply:

    - text: the answer, or whatever else the model is to write
    - `call("tool", argument=…)`: it calls a tool; a list of them: it calls several at once
    - a Pydantic model, dataclass, msgspec struct or dict: the answer of an agent with an `output_type`, written as JSON
    - an exception: the request fails with it, as with a provider that does
    - a `messages.AssistantMessage` (text, thought and calls at once), or a `messages.Reply` with usage and all

    Instead of a list, `script` may be a function, also an async one, of the `messages.ModelRequest` that returns a
    line. It has no end and answers by what the transcript says, which fits servers and programs that are restarted.

    `name` and `abilities` are those of the model it plays, `chunk` is how many characters it writes at once, `price`
    what a token costs, in US dollars (None: no price is known). Raises `UsageError` for what is no line.
    """

    def __init__(
        self,
        script: Iterable[Line] | Callable[[ModelRequest], Line | Awaitable[Line]],
        *,
        name: str = "scripted",
        abilities: Abilities | None = None,
        chunk: int = 16,
        price: float | None = 0.0,
    ) -> None:
        self._name = name
        self._abilities = abilities or Abilities(json_schema=True, images=True, documents=True)
        self._chunk = chunk
        self._price = price
        is_function = callable(script) and not isinstance(script, type)
        self._function = cast("Callable[[ModelRequest], Any]", script) if is_function else None
        self._script = iter(() if is_function else _checked(script))
        self.requests: list[ModelRequest] = []
        """What it was asked, call by call; the last 10,000."""

    @property
    def name(self) -> str:
        """As it was given."""
        return self._name

    @property
    def abilities(self) -> Abilities:
        """As they were given; a model with native calls and schemas by default."""
        return self._abilities

    def quote(self, input_tokens: int, output_tokens: int) -> float | None:
        """What a call of this size costs."""
        return None if self._price is None else self._price * (input_tokens + output_tokens)

    @property
    def unplayed(self) -> Sequence[Line]:
        """The lines that were not played yet, for a test to see that there are none; the first 10,000. A function has
        none."""
        lines = tuple(islice(self._script, MAX_REQUESTS))
        self._script = chain(lines, self._script)
        return lines

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """The next reply of the script, in pieces. Raises `ModelRejected` at its end."""
        kept = replace(request, messages=tuple(request.messages))
        self.requests.append(kept)
        del self.requests[:-MAX_REQUESTS]
        line = await self._next(kept)
        if isinstance(line, BaseException):
            raise line
        reply = line if isinstance(line, Reply) else self._reply(_message(line, schema=request.schema))
        message = reply.message
        for start in range(0, len(message.thought), self._chunk):
            yield ThoughtChunk(message.thought[start : start + self._chunk])
        for start in range(0, len(message.text), self._chunk):
            yield TextChunk(message.text[start : start + self._chunk])
        for index, made in enumerate(message.calls):
            yield CallChunk(index, made.tool, "")
        yield reply

    async def _next(self, request: ModelRequest) -> Line:
        if self._function is not None:
            line = self._function(request)
            return await line if isawaitable(line) else line
        for line in self._script:
            return line
        raise ModelRejected(f"The script of {self._name!r} is at its end: give it one more reply.")

    def _reply(self, message: AssistantMessage) -> Reply:
        words = len(message.text.split()) + 8 * len(message.calls)
        return Reply(
            message=message,
            usage=Usage(input_tokens=10, output_tokens=words, cost=self.quote(10, words)),
            stop="tool_use" if message.calls else "end_turn",
            model=self._name,
        )


def _checked(script: object) -> Iterable[Line]:
    """The script; a list of lines is looked through at once, an iterator as it is played."""
    if _is_value(script) or isinstance(script, str) or not isinstance(script, Iterable):
        shown = _shown(cast("object", script))
        raise UsageError(f"A script is a list of lines or a function, not {shown}: write ScriptedModel([…]). {_FORMS}")
    lines = cast("Iterable[Any]", script)
    if isinstance(lines, Collection):
        for number, line in enumerate(lines, 1):
            if not isinstance(line, Reply | BaseException):
                _message(line, f"Line {number} of the script")
    return lines


def _message(
    line: object, label: str = "What the script says next", schema: Mapping[str, Any] | None = None
) -> AssistantMessage:
    """What the model says by a line; raises `UsageError` for what is none."""
    if isinstance(line, str):
        return AssistantMessage(text=line)
    if isinstance(line, ToolCall):
        return AssistantMessage(calls=(line,))
    if isinstance(line, AssistantMessage):
        return line
    if calls := _calls(line):
        return AssistantMessage(calls=calls)
    if not _is_value(line):
        raise UsageError(f"{label} is {_shown(line)}, which is no line. {_FORMS}")
    try:
        value = msgspec.to_builtins(line, enc_hook=_plain, str_keys=True)
        # A schema that asks for one of several types wants the value under this name.
        if schema is not None and schema.get("required") == ["result"] and "result" not in value:
            value = {"result": value}
        return AssistantMessage(text=msgspec.json.encode(value).decode())
    except (TypeError, ValueError) as error:
        raise UsageError(f"{label} is {_shown(line)}, which cannot be written as JSON: {error}") from error


def _calls(line: object) -> tuple[ToolCall, ...]:
    """The calls of a list of them; none where it is another one, or no list."""
    every = tuple(cast("Sequence[object]", line)) if isinstance(line, list | tuple) else ()
    calls = tuple(one for one in every if isinstance(one, ToolCall))
    return calls if len(calls) == len(every) else ()


def _is_value(line: object) -> bool:
    """Whether it may be the output of an agent: an object in JSON."""
    if isinstance(line, type):
        return False
    return isinstance(line, dict | msgspec.Struct) or dataclasses.is_dataclass(line) or hasattr(line, "model_dump")


def _plain(value: Any) -> Any:
    """What msgspec cannot write itself: models of Pydantic, under the names they are read by."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True)
    raise TypeError(f"{type(value).__name__} has no form in JSON.")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
