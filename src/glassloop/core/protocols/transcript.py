"""Transcript as a model sees it: observations shortened, calls in a protocol's own words.

Returns the same message where nothing changes. Only the prompt is changed, never the log.
"""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, note
from glassloop.core.protocols.reply_reader import MachineOf, thought_in
from glassloop.core.records import ToolCall

WriteCalls = Callable[[str, tuple[ToolCall, ...]], str]
"""A thought and the calls it led to, as the model would have written them."""

NAME_CHARS: Final = 80
_ODD: Final = re.compile(r"[^\w.:/-]+")


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of `text`, from its head and its tail, around a line that says what is missing."""
    missing = len(text) - max(limit, 0)
    if missing <= 0:
        return text
    kept = len(text) - missing
    tail = kept // 3
    return f"{text[: kept - tail]}\n[… {missing} characters left out …]\n{text[len(text) - tail :]}"


def shorten_observation(message: Message, limit: int) -> Message:
    """For models with tools of their own: everything as it is, long observations shortened."""
    if isinstance(message, ToolMessage) and len(message.content) > limit:
        return msgspec.structs.replace(message, content=shorten(message.content, limit))
    return message


def plain_name(name: str) -> str:
    """A tool's name as it may stand in a prompt: one word, whatever the model wrote."""
    return _ODD.sub("_", name)[:NAME_CHARS] or "_"


def in_words(message: Message, limit: int, write_calls: WriteCalls, machine_of: MachineOf) -> Message:
    """For models that only read text: calls as `write_calls` puts them, observations as user messages.

    Of what the model wrote around its calls only the reasoning goes back, read by the protocol's own machine.
    """
    match message:
        case UserMessage():
            return message
        case AssistantMessage():
            if not message.calls:
                return message
            thought = thought_in(message.text, machine_of) or message.thought.strip()
            return AssistantMessage(text=write_calls(thought, message.calls), provider=message.provider)
        case ToolMessage():
            content = shorten(message.content, limit)
            mark = "Error: " if message.is_error and not content.startswith("Error") else ""
            return note("observation", f"Observation ({plain_name(message.tool)}): {mark}{content}")
