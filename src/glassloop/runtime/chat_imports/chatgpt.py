"""Conversations of ChatGPT's data export, `conversations.json`: a list, each with its tree of messages."""

from typing import Any, cast

import msgspec

from glassloop.runtime.chat_imports.message_tree import ForeignConversation, ForeignMessage, Role

_SHOWN = frozenset({"text", "multimodal_text", "code"})
"""Kinds of content that the chat showed as somebody's words; others are reasoning, searches and their results."""


class ChatGptAuthor(msgspec.Struct):
    """Who wrote a message."""

    role: str


class ChatGptContent(msgspec.Struct):
    """What a message says: `parts`, or the `text` of code."""

    content_type: str = "text"
    parts: list[Any] | None = None
    text: str | None = None


class ChatGptMetadata(msgspec.Struct):
    """What else is told of a message."""

    model_slug: str | None = None
    is_visually_hidden_from_conversation: bool | None = None


class ChatGptMessage(msgspec.Struct):
    """A message as it is exported."""

    author: ChatGptAuthor
    content: ChatGptContent | None = None
    create_time: float | None = None
    recipient: str | None = "all"
    metadata: ChatGptMetadata | None = None


class ChatGptNode(msgspec.Struct):
    """A place in the tree; the root has no message."""

    message: ChatGptMessage | None = None
    parent: str | None = None


class ChatGptExport(msgspec.Struct):
    """A conversation as it is exported."""

    mapping: dict[str, ChatGptNode]
    title: str | None = None
    id: str | None = None
    conversation_id: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    is_archived: bool | None = None


def read_chatgpt(raw: bytes) -> ForeignConversation:
    """Raises `msgspec.MsgspecError` for what is no conversation of this kind."""
    found = msgspec.json.decode(raw, type=ChatGptExport)
    return ForeignConversation(
        source="chatgpt",
        id=found.conversation_id or found.id or "",
        title=found.title or "",
        at=found.create_time or 0.0,
        current=found.current_node or "",
        messages={ident: _message(ident, node) for ident, node in found.mapping.items()},
        archived=bool(found.is_archived),
    )


def _message(ident: str, node: ChatGptNode) -> ForeignMessage:
    message, parent = node.message, node.parent or ""
    if message is None:
        return ForeignMessage(id=ident, parent=parent, role="other", text="")
    about = message.metadata or ChatGptMetadata()
    return ForeignMessage(
        id=ident,
        parent=parent,
        role=_role(message, about),
        text=_text(message.content),
        at=message.create_time or 0.0,
        model=about.model_slug or "",
    )


def _role(message: ChatGptMessage, about: ChatGptMetadata) -> Role:
    """What went to a tool, or was hidden, was not said to the person."""
    shown = message.content is not None and message.content.content_type in _SHOWN
    if about.is_visually_hidden_from_conversation or not shown:
        return "other"
    if message.author.role == "user":
        return "user"
    return "assistant" if message.author.role == "assistant" and message.recipient in (None, "all") else "other"


def _text(content: ChatGptContent | None) -> str:
    if content is None:
        return ""
    if content.parts is None:
        return content.text or ""
    return "\n\n".join(filter(None, map(_part, content.parts))).strip()


def _part(part: object) -> str:
    """Text as it is; the export names images and sounds, and does not hold them beside the text."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    fields = cast("dict[str, object]", part)
    text = fields.get("text")
    if isinstance(text, str):
        return text
    return "(audio)" if "audio" in str(fields.get("content_type", "")) else "(image)"
