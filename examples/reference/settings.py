"""Extension, Settings, load_settings, setting: an extension with a setting of its own."""

from pathlib import Path
from typing import Annotated

import msgspec

from glassloop import Extension, Settings, load_settings, setting


class HarbourSettings(msgspec.Struct, frozen=True, kw_only=True):
    berths: Annotated[int, setting("How many ships can lie here.", env="HARBOUR_BERTHS")] = 4


class Harbour(Extension):
    name = "harbour"
    settings = HarbourSettings


settings: Settings = load_settings({"HARBOUR_BERTHS": "12"}, Path.cwd(), [Harbour()])
print(settings.of(HarbourSettings).berths, settings.max_iterations)
