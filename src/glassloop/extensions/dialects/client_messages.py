"""Messages as clients of OpenAI's API send them: read tolerantly, refused where an answer would ignore what they hold.

A conversation becomes a question, what was said before it, and the instructions of the client.
"""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from glassloop.core.errors import UsageError
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.core.records import ToolCall
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS

MAX_MESSAGES = 1_000
MAX_PARTS = 100
TEXTS = ("text", "input_text", "output_text", "refusal")

ClientRole = Literal["user", "assistant", "system", "developer", "tool", "function"]
_LongText = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]
_ShortText = Annotated[str, Field(max_length=200)]


class LooseBody(BaseModel):
    """Fields that are not read are let pass."""

    model_config = ConfigDict(extra="ignore")


class LoosePart(LooseBody):
    """A part of a message; what is no text is refused."""

    type: Annotated[str, Field(max_length=100)] = "text"
    text: _LongText = ""


_Content = _LongText | Annotated[list[LoosePart], Field(max_length=MAX_PARTS)] | None


class LooseFunction(LooseBody):
    name: _ShortText = ""
    arguments: _LongText = ""


class LooseCall(LooseBody):
    """A call of a tool that the client has, or had."""

    id: _ShortText = ""
    function: LooseFunction = LooseFunction()


class LooseMessage(LooseBody):
    """What only calls tools has no content."""

    role: ClientRole
    content: _Content = None
    name: _ShortText | None = None
    tool_calls: Annotated[list[LooseCall], Field(max_length=MAX_PARTS)] | None = None
    tool_call_id: _ShortText | None = None

    @property
    def text(self) -> str:
        return text_of(self.content)

    def messages(self) -> Iterator[Message]:
        """The same in our terms; instructions are none of them."""
        match self.role:
            case "user":
                yield UserMessage(self.text or "…")
            case "assistant":
                calls = tuple(as_call(call.id, call.function) for call in self.tool_calls or ())
                yield AssistantMessage(text=self.text or ("" if calls else "…"), calls=calls)
            case "tool" | "function":
                yield ToolMessage(call_id=self.tool_call_id or "", tool=self.name or "", content=self.text)
            case "system" | "developer":
                return


class InputItem(LooseBody):
    """An item of `input`, as the Responses API has them. One that is neither a message nor a call is passed over."""

    type: Annotated[str, Field(max_length=100)] = "message"
    role: ClientRole | None = None
    content: _Content = None
    call_id: _ShortText = ""
    name: _ShortText = ""
    arguments: _LongText = ""
    output: _Content = None

    def as_message(self) -> LooseMessage | None:
        if self.type == "function_call":
            called = LooseFunction(name=self.name, arguments=self.arguments)
            return LooseMessage(role="assistant", tool_calls=[LooseCall(id=self.call_id, function=called)])
        if self.type == "function_call_output":
            return LooseMessage(role="tool", content=self.output, tool_call_id=self.call_id)
        if self.role is None or self.type != "message":
            return None
        return LooseMessage(role=self.role, content=self.content)


class ClientTools(LooseBody):
    """Tools of the client are refused, as an answer without them would be another one than asked for."""

    tools: list[Any] | None = None
    functions: list[Any] | None = None
    tool_choice: Any = None

    def refuse_tools(self, assistant: str) -> None:
        if (self.tools or self.functions) and self.tool_choice != "none":
            raise UsageError(
                f"The assistant {assistant!r} works with its own tools, and tools of a client are not called here: "
                "leave out 'tools' and 'functions', and give the tools to an assistant of your own "
                "(docs/assistants.md)."
            )


class ClientConversation(NamedTuple):
    """The question is the last thing the user said."""

    question: str
    history: Sequence[Message] | None
    instructions: str


def split(said: Sequence[LooseMessage]) -> ClientConversation:
    """Raises `UsageError` where there is no question, or a part that is no text."""
    for message in said:
        for part in message.content if isinstance(message.content, list) else ():
            if part.type not in TEXTS:
                raise UsageError(f"A message has {part.type!r}: pictures, sound and files are not read, send text.")
    last = next((place for place in range(len(said) - 1, -1, -1) if said[place].role == "user"), None)
    if last is None or not said[last].text.strip():
        raise UsageError("There is no question: the last message of the role 'user' must say something.")
    # What tools of the client returned for the question comes after it; then the question is asked once more.
    until = len(said) if any(message.role in ("tool", "function") for message in said[last:]) else last
    history = [told for message in said[:until] for told in message.messages()]
    instructions = [message.text for message in said if message.role in ("system", "developer")]
    return ClientConversation(said[last].text, history or None, "\n\n".join(filter(None, instructions)))


def text_of(content: "str | list[LoosePart] | None") -> str:
    return "".join(part.text for part in content) if isinstance(content, list) else content or ""


def as_call(ident: str, function: LooseFunction) -> ToolCall:
    try:
        args = msgspec.json.decode(function.arguments, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        args = {"arguments": function.arguments} if function.arguments else {}
    return ToolCall(id=ident, tool=function.name or "tool", args=args)
