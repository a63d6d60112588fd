"""Other HTTP dialects for the same turns: `/chat/react`, `/api/agent`, `/api/analyze`, `/conversations`, and OpenAI's
`/v1`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec
from msgspec import Meta

from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from fastapi import APIRouter


class DialectsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[dialects]`"""

    react_enabled: Annotated[bool, setting("`false`: `/chat/react` answers 503 and says why.", env="REACT_ENABLED")] = (
        True
    )
    held_chars: Annotated[
        int,
        Meta(ge=0),
        setting(
            "Characters of a reply that `/v1`, `/conversations` and `/api/analyze/stream` hold before its text flows: "
            "what a model says before it calls a tool is no answer."
        ),
    ] = 300


class DialectsExtension(Extension):
    name = "dialects"
    settings = DialectsSettings

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.dialects import (
            agent,
            analyze,
            chat_completions,
            chat_react,
            conversation_socket,
            conversations,
        )

        own = (conversations.router, conversation_socket.router)
        return (agent.router, analyze.router, chat_react.router, chat_completions.router, *own)
