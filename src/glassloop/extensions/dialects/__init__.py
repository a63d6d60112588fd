"""Other HTTP dialects for the same turns: `/chat/react`, `/api/agent`, `/api/analyze`, and OpenAI's `/v1`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import msgspec

from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from fastapi import APIRouter


class DialectsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[dialects]`"""

    react_enabled: Annotated[bool, setting("`false`: `/chat/react` answers 503 and says why.", env="REACT_ENABLED")] = (
        True
    )


class DialectsExtension(Extension):
    name = "dialects"
    settings = DialectsSettings

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.dialects import agent, analyze, chat_completions, chat_react

        return (agent.router, analyze.router, chat_react.router, chat_completions.router)
