"""Transcript as a model sees it: observations shortened, calls in a protocol's own words.

Returns the same message where nothing changes. Only the prompt is changed, never the log.
"""

import re
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage, note
from glassloop.core.protocols.reply_reader import MachineOf, thought_in
from glassloop.core.protocols.result_pages import shown_page
from glassloop.core.records import ToolCall

WriteCalls = Callable[[str, tuple[ToolCall, ...]], str]
"""A thought and the calls it led to, as the model would have written them."""

NAME_CHARS: Final = 80
_ODD: Final = re.compile(r"[^\w.:/-]+")
_FENCE: Final = re.compile(r"<(/?(?:observation|system-note|context|file)\b)", re.IGNORECASE)
"""A fence inside of what is fenced."""


def shown_content(message: ToolMessage) -> str:
    """What the model is shown of an observation."""
    return shown_page(message.content, message.limit, message.ref) if message.limit else message.content


def with_shown_content(message: ToolMessage) -> Message:
    """For models with tools of their own: long observations shortened, and no mark of the runtime's in them."""
    if not message.limit and "<" not in message.content:
        return message
    return replace(message, content=without_marks(shown_content(message)))


def without_marks(text: str) -> str:
    """Text of others, in which nothing passes for a note of the runtime's."""
    return _FENCE.sub(r"<\\\1", text)


def plain_name(name: str) -> str:
    """A tool's name as it may stand in a prompt: one word, whatever the model wrote."""
    return _ODD.sub("_", name)[:NAME_CHARS] or "_"


def fenced(message: UserMessage) -> UserMessage:
    """What the runtime says, marked as such: it is not in the user's voice."""
    if message.author == "person":
        return replace(message, content=without_marks(message.content)) if "<" in message.content else message
    if message.note == "file":
        # Given by the person, written by whomever: data, and nothing in it passes for a note of the runtime's.
        return replace(message, content=f"<file>{without_marks(message.content)}</file>")
    tag = "context" if message.note == "context" else "system-note"
    return replace(message, content=f"<{tag}>{message.content}</{tag}>")


def in_words(
    message: Message,
    write_calls: WriteCalls,
    machine_of: MachineOf,
    write_answer: Callable[[str], str] | None = None,
) -> Message:
    """For models that only read text: calls and answers as `write_calls` and `write_answer` put them, observations as
    user messages, fenced so that nothing in them passes for the user's words. Without `write_answer`, as small models
    read it: answers as they are, and no fences.

    Of what the model wrote around its calls only the reasoning goes back, read by the protocol's own machine.
    """
    match message:
        case UserMessage():
            return message if write_answer is None else fenced(message)
        case AssistantMessage():
            if not message.calls:
                return message if write_answer is None else replace(message, text=write_answer(message.text))
            thought = thought_in(message.text, machine_of) or message.thought.strip()
            return AssistantMessage(text=write_calls(thought, message.calls), provider=message.provider)
        case ToolMessage():
            content = shown_content(message)
            mark = "Error: " if message.is_error and not content.startswith("Error") else ""
            name = plain_name(message.tool)
            if write_answer is None:
                return note("observation", f"Observation ({name}): {mark}{content}")
            return note("observation", f'<observation tool="{name}">\n{mark}{without_marks(content)}\n</observation>')
