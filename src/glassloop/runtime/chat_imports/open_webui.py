"""Conversations of Open WebUI's export: a list of chats, each with its history as a tree of messages."""

from typing import Any

import msgspec

from glassloop.runtime.chat_imports.message_tree import ForeignConversation, ForeignMessage, Role

_REASONING, _END = '<details type="reasoning"', "</details>"
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
MILLISECONDS = 1e11
"""Times beyond this many seconds are milliseconds."""


class WebUiMessage(msgspec.Struct, rename="camel"):
    """A message as it is exported."""

    id: str = ""
    parent_id: str | None = None
    role: str = ""
    content: Any = ""
    timestamp: float | None = None
    model: str | None = None


class WebUiHistory(msgspec.Struct, rename="camel"):
    """The tree."""

    messages: dict[str, WebUiMessage] = {}
    current_id: str | None = None


class WebUiChat(msgspec.Struct):
    """What was said: as a tree, or in old exports as a list."""

    title: str | None = None
    history: WebUiHistory | None = None
    messages: list[WebUiMessage] = []
    timestamp: float | None = None


class WebUiExport(msgspec.Struct):
    """A conversation as it is exported."""

    chat: WebUiChat
    id: str | None = None
    title: str | None = None
    created_at: float | None = None
    archived: bool | None = None
    pinned: bool | None = None


def read_open_webui(raw: bytes) -> ForeignConversation:
    """Raises `msgspec.MsgspecError` for what is no conversation of this kind."""
    found = msgspec.json.decode(raw, type=WebUiExport)
    history = found.chat.history
    if history is None or not history.messages:
        history = _as_tree(found.chat.messages)
    return ForeignConversation(
        source="open_webui",
        id=found.id or "",
        title=found.title or found.chat.title or "",
        at=_seconds(found.created_at or found.chat.timestamp),
        current=history.current_id or "",
        messages={ident: _message(ident, each) for ident, each in history.messages.items()},
        archived=bool(found.archived),
        pinned=bool(found.pinned),
    )


def _as_tree(messages: list[WebUiMessage]) -> WebUiHistory:
    made: dict[str, WebUiMessage] = {}
    before: str | None = None
    for number, message in enumerate(messages):
        message.parent_id, before = before, str(number)
        made[before] = message
    return WebUiHistory(messages=made, current_id=before)


def _message(ident: str, message: WebUiMessage) -> ForeignMessage:
    return ForeignMessage(
        id=ident,
        parent=message.parent_id or "",
        role=_ROLES.get(message.role, "other"),
        text=_without_reasoning(message.content if isinstance(message.content, str) else ""),
        at=_seconds(message.timestamp),
        model=message.model or "",
    )


def _without_reasoning(text: str) -> str:
    """The answer alone: what the model thought before it stands in the same text."""
    kept: list[str] = []
    while (begin := text.find(_REASONING)) >= 0 and (end := text.find(_END, begin)) >= 0:
        kept.append(text[:begin])
        text = text[end + len(_END) :]
    return "".join((*kept, text)).strip()


def _seconds(at: float | None) -> float:
    return 0.0 if at is None else at / 1000 if at > MILLISECONDS else at
