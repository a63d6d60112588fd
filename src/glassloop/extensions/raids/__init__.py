"""The raid analyst: combat logs of World of Warcraft, The Burning Crusade, read and explained."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from glassloop.runtime.extensions import Extension
from glassloop.runtime.settings.fields import setting


class RaidsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`[raids]`"""

    upload_limit: Annotated[int, setting("The largest combat log that is taken in, in bytes.")] = 2_000_000_000


class RaidsExtension(Extension):
    name = "raids"
    settings = RaidsSettings

    def assistants(self) -> Sequence[Path]:
        return (Path(__file__).parent,)

    def migrations(self) -> Path:
        return Path(__file__).parent / "migrations"
