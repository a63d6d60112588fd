"""A model that says what it is told to: for tests of agents, tools and assistants.

Each entry of the script is one reply: text (an answer), a call or several, a `Reply`, or an exception to raise.
It is a real `Model`, streamed in pieces, so whatever works with it works with a provider.
"""

from collections.abc import AsyncGenerator, Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from glassloop.core.errors import ModelRejected
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

Line = str | ToolCall | Sequence[ToolCall] | Reply | BaseException


def call(tool: str, /, **args: Any) -> ToolCall:
    """A call of `tool` for a script; the loop gives it an id."""
    return ToolCall(id="", tool=tool, args=args)


class ScriptedModel:
    """Plays `script` reply by reply, and remembers what it was asked.

    `name` and `abilities` are those of the model it plays, `chunk` is how many characters it writes at once, `price`
    what a token costs, in US dollars (None: no price is known).
    """

    def __init__(
        self,
        script: Iterable[Line],
        *,
        name: str = "scripted",
        abilities: Abilities | None = None,
        chunk: int = 16,
        price: float | None = 0.0,
    ) -> None:
        self._script = iter(script)
        self._name = name
        self._abilities = abilities or Abilities(json_schema=True, images=True, documents=True)
        self._chunk = chunk
        self._price = price
        self.requests: list[ModelRequest] = []
        """What it was asked, call by call."""

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

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """The next reply of the script, in pieces. Raises `ModelRejected` at its end."""
        self.requests.append(replace(request, messages=tuple(request.messages)))
        line = next(self._script, None)
        if line is None:
            raise ModelRejected(f"The script of {self._name!r} is at its end: give it one more reply.")
        if isinstance(line, BaseException):
            raise line
        reply = self._reply(line)
        message = reply.message
        for start in range(0, len(message.thought), self._chunk):
            yield ThoughtChunk(message.thought[start : start + self._chunk])
        for start in range(0, len(message.text), self._chunk):
            yield TextChunk(message.text[start : start + self._chunk])
        for index, made in enumerate(message.calls):
            yield CallChunk(index, made.tool, "")
        yield reply

    def _reply(self, line: str | ToolCall | Sequence[ToolCall] | Reply) -> Reply:
        if isinstance(line, Reply):
            return line
        if isinstance(line, str):
            message, stop = AssistantMessage(text=line), "end_turn"
        else:
            calls = (line,) if isinstance(line, ToolCall) else tuple(line)
            message, stop = AssistantMessage(calls=calls), "tool_use"
        words = len(message.text.split()) + 8 * len(message.calls)
        return Reply(
            message=message,
            usage=Usage(input_tokens=10, output_tokens=words, cost=self.quote(10, words)),
            stop=stop,
            model=self._name,
        )
