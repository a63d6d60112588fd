"""`CodeExtension`: what the code assistant brings along."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings.fields import setting

if TYPE_CHECKING:
    from fastapi import APIRouter

    from glassloop.runtime.settings.settings import Settings


class CodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[code]`"""

    roots: Annotated[
        str,
        setting(
            "Folders that people may work in, with commas between; {user} stands for the user's name.", folder="never"
        ),
    ] = ""
    sandbox: Annotated[
        Literal["auto", "bubblewrap", "landlock", "off"],
        setting("What holds commands within their folder.", folder="never"),
    ] = "auto"
    rate: Annotated[int, setting("File operations of a session a minute.", folder="never")] = 100
    keep_days: Annotated[int, setting("Days for which what was changed can be taken back.", folder="never")] = 30
    keep_bytes: Annotated[int, setting("Bytes kept for taking changes back, the oldest go first.", folder="never")] = (
        500_000_000
    )


class CodeExtension(Extension):
    name = "code"
    settings = CodeSettings

    def workspace_roots(self, settings: "Settings") -> Sequence[str]:
        return [root.strip() for root in settings.of(CodeSettings).roots.split(",") if root.strip()]

    def routers(self) -> "Sequence[APIRouter]":
        from glassloop.extensions.code.chat.file_routes import router

        return (router,)
