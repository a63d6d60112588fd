"""`CodeExtension`: what the code assistant brings along."""

from typing import Annotated, Literal

import msgspec

from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings.fields import setting


class CodeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[code]`"""

    roots: Annotated[
        str,
        setting("Folders that people may work in, with commas between; {user} stands for the user's name."),
    ] = ""
    sandbox: Annotated[
        Literal["auto", "bubblewrap", "landlock", "off"], setting("What holds commands within their folder.")
    ] = "auto"
    rate: Annotated[int, setting("File operations of a session a minute.")] = 100
    keep_days: Annotated[int, setting("Days for which what was changed can be taken back.")] = 30
    keep_bytes: Annotated[int, setting("Bytes kept for taking changes back, the oldest go first.")] = 500_000_000
    searxng_url: Annotated[
        str, setting("The SearXNG server that web searches go to; its JSON format must be on.", env="SEARXNG_URL")
    ] = "http://localhost:8888"


class CodeExtension(Extension):
    name = "code"
    settings = CodeSettings
