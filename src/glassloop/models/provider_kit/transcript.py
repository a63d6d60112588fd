"""The conversation in the order every provider accepts: what was said, the calls made, their results right behind.

Neutral messages in, exchanges out. Turning an exchange into a provider's JSON is the adapter's business.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec

from glassloop.core.messages import AssistantMessage, Message, ToolMessage, UserMessage
from glassloop.core.records import Attachment, ToolCall


class Exchange(msgspec.Struct, frozen=True, kw_only=True):
    """One assistant message (None before the first) with what followed it: its results in call order, then text with
    the attachments it was said with.

    `open` while no text follows: the turn this message belongs to is still running.
    """

    assistant: AssistantMessage | None
    results: tuple[tuple[ToolCall, ToolMessage], ...] = ()
    text: str = ""
    open: bool = False
    attachments: tuple[Attachment, ...] = ()


class MessagePiece(msgspec.Struct, frozen=True, kw_only=True):
    """A part of an assistant message in its place: text, a call, or neither; `entry` is the provider's record of it."""

    text: str = ""
    call: ToolCall | None = None
    entry: dict[str, Any] = {}


def exchanges(messages: Sequence[Message]) -> list[Exchange]:
    """The transcript in exchanges. Results stand in the order of the calls they answer, wherever they came."""
    groups: list[tuple[AssistantMessage | None, list[UserMessage | ToolMessage]]] = [(None, [])]
    for message in messages:
        if isinstance(message, AssistantMessage):
            groups.append((message, []))
        else:
            groups[-1][1].append(message)
    made = [_exchange(assistant, heard) for assistant, heard in groups]
    last_said = max((at for at, one in enumerate(made) if one.text), default=-1)
    return [
        msgspec.structs.replace(one, open=at > last_said)
        for at, one in enumerate(made)
        if one.assistant is not None or one.text
    ]


def _exchange(assistant: AssistantMessage | None, heard: list[UserMessage | ToolMessage]) -> Exchange:
    left: dict[str, ToolMessage] = {}
    said: list[str] = []
    attachments: list[Attachment] = []
    known = {call.id for call in assistant.calls} if assistant else set[str]()
    for message in heard:
        if isinstance(message, UserMessage):
            said.append(message.content)
            attachments += message.attachments
        elif message.call_id in known and message.call_id not in left:
            left[message.call_id] = message
        else:
            # A result without its call would make the whole transcript invalid; as text it is still there to read.
            said.append(f"Result of {message.tool}: {message.content}")
    calls = assistant.calls if assistant else ()
    return Exchange(
        assistant=assistant,
        results=tuple((call, left[call.id]) for call in calls if call.id in left),
        text="\n\n".join(text for text in said if text.strip()),
        attachments=tuple(attachments),
    )


def append_parts(made: list[dict[str, Any]], role: str, word: str, parts: list[dict[str, Any]]) -> None:
    """Adds parts under `word`, to the last message where that is of the same role: some providers want turns."""
    if parts and made and made[-1]["role"] == role:
        made[-1][word].extend(parts)
    elif parts:
        made.append({"role": role, word: parts})


def pieces(message: AssistantMessage, provider: str) -> Iterator[MessagePiece]:
    """The parts of `message` as `provider` sent them; without its own record of them, text and then the calls.

    A record that no longer fits (the text was rewritten, a call left out) keeps only the provider's own blocks.
    """
    layout = _layout(message, provider)
    chars = sum(entry.get("chars", 0) for entry in layout)
    called = sum(entry["type"] == "call" for entry in layout)
    if layout and chars == len(message.text) and called == len(message.calls):
        at, calls = 0, iter(message.calls)
        for entry in layout:
            if entry["type"] == "call":
                yield MessagePiece(call=next(calls), entry=entry)
            else:
                end = at + entry.get("chars", 0)
                yield MessagePiece(text=message.text[at:end], entry=entry)
                at = end
        return
    for entry in layout:
        if entry["type"] not in ("text", "call"):
            yield MessagePiece(entry=entry)
    yield MessagePiece(text=message.text)
    for call in message.calls:
        yield MessagePiece(call=call)


def _layout(message: AssistantMessage, provider: str) -> list[dict[str, Any]]:
    """The record kept in `opaque`, if it is this provider's and has the shape that `ReplyBuilder` gives it."""
    if message.provider != provider or not isinstance(message.opaque, list):
        return []
    kept: list[dict[str, Any]] = []
    for entry in cast("list[Any]", message.opaque):
        if not isinstance(entry, dict):
            return []
        typed = cast("dict[str, Any]", entry)
        if not isinstance(typed.get("type"), str) or not isinstance(typed.get("chars", 0), int):
            return []
        kept.append(typed)
    return kept
