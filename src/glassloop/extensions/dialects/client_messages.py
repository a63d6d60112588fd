"""Messages as clients of OpenAI's API send them: read tolerantly, refused where an answer would ignore what they hold.

A conversation becomes a question, what was said before it, and the instructions of the client.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from glassloop.core.errors import UsageError
from glassloop.core.messages import AssistantMessage, Message, ToolMessage, said_with
from glassloop.core.records import ToolCall
from glassloop.runtime.assistants.agent import MAX_QUESTION_CHARS
from glassloop.runtime.attachments.parts import File, Image, MessagePart, Question, data_of
from glassloop.runtime.attachments.prompt import MAX_BYTES, bytes_of

MAX_MESSAGES = 1_000
MAX_PARTS = 100
MAX_ATTACHED = 20
"""Images and files of a conversation."""
MAX_ENCODED_CHARS = 30_000_000
"""Of an image or a file in base64: the limit of a request's body is reached before it."""
TEXTS = ("text", "input_text", "output_text", "refusal")
IMAGES = ("image_url", "input_image")
FILES = ("file", "input_file")

ClientRole = Literal["user", "assistant", "system", "developer", "tool", "function"]
_LongText = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]
_ShortText = Annotated[str, Field(max_length=200)]
_Encoded = Annotated[str, Field(max_length=MAX_ENCODED_CHARS)]


class LooseBody(BaseModel):
    """Fields that are not read are let pass."""

    model_config = ConfigDict(extra="ignore")


class LooseImage(LooseBody):
    url: _Encoded = ""


class LooseFile(LooseBody):
    filename: _ShortText = ""
    file_data: _Encoded = ""


class LoosePart(LooseBody):
    """A part of a message: text, an image or a file as a data: URL; anything else is refused."""

    type: Annotated[str, Field(max_length=100)] = "text"
    text: _LongText = ""
    image_url: LooseImage | _Encoded | None = None
    file: LooseFile | None = None
    filename: _ShortText = ""
    file_data: _Encoded = ""

    def part(self) -> MessagePart | None:
        """The image or file that it is; raises `UsageError` where it cannot be taken."""
        if self.type in IMAGES:
            given = self.image_url
            return Image(url=(given if isinstance(given, str) else given.url) if given else "")
        if self.type in FILES:
            told = self.file or LooseFile(filename=self.filename, file_data=self.file_data)
            return File(data_of(told.file_data, "file"), name=told.filename or None)
        return None


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

    @property
    def parts(self) -> list[MessagePart]:
        """The images and files in it."""
        given = self.content if isinstance(self.content, list) else ()
        return [part for each in given if (part := each.part()) is not None]

    def messages(self, parts: Sequence[MessagePart] = ()) -> Iterator[Message]:
        """The same in our terms; instructions are none of them."""
        match self.role:
            case "user":
                yield from said_with(self.text or "…", [part.attachment for part in parts])
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
    """The question is the last thing the user said; `blobs` are the bytes of what was given before."""

    question: Question
    history: Sequence[Message] | None
    instructions: str
    blobs: Mapping[str, bytes] = {}


async def read_messages(said: Sequence[LooseMessage]) -> ClientConversation:
    """As `split`; images and files are read in a thread."""
    parted = any(part.type not in TEXTS for each in said if isinstance(each.content, list) for part in each.content)
    return await asyncio.to_thread(split, said) if parted else split(said)


def split(said: Sequence[LooseMessage]) -> ClientConversation:
    """Raises `UsageError` where there is no question, or a part that cannot be taken."""
    for message in said:
        for part in message.content if isinstance(message.content, list) else ():
            if part.type not in (*TEXTS, *IMAGES, *FILES):
                raise UsageError(f"A message has {part.type!r}, which is not read: send text, images or files.")
    last = next((place for place in range(len(said) - 1, -1, -1) if said[place].role == "user"), None)
    if last is None or not said[last].text.strip():
        raise UsageError("There is no question: the last message of the role 'user' must say something.")
    # What tools of the client returned for the question comes after it; then the question is asked once more.
    until = len(said) if any(message.role in ("tool", "function") for message in said[last:]) else last
    parts = [message.parts if message.role == "user" else [] for message in said]
    _check_number(parts)
    history = [told for place in range(until) for told in said[place].messages(parts[place])]
    instructions = [message.text for message in said if message.role in ("system", "developer")]
    question: Question = [said[last].text, *parts[last]] if parts[last] else said[last].text
    blobs = bytes_of(part for several in parts[:until] for part in several)
    return ClientConversation(question, history or None, "\n\n".join(filter(None, instructions)), blobs)


def _check_number(parts: Sequence[Sequence[MessagePart]]) -> None:
    count = sum(map(len, parts))
    size = sum(len(part.data) for several in parts for part in several)
    if count > MAX_ATTACHED or size > MAX_BYTES:
        raise UsageError(
            f"The conversation has {count} images and files of {size:,} bytes, and {MAX_ATTACHED} of {MAX_BYTES:,} "
            "bytes together are taken: leave out the older ones."
        )


def text_of(content: "str | list[LoosePart] | None") -> str:
    return "".join(part.text for part in content) if isinstance(content, list) else content or ""


def as_call(ident: str, function: LooseFunction) -> ToolCall:
    try:
        args = msgspec.json.decode(function.arguments, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError):
        args = {"arguments": function.arguments} if function.arguments else {}
    return ToolCall(id=ident, tool=function.name or "tool", args=args)
