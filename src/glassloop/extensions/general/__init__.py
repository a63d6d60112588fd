"""The general assistant: exact calculation, units, dates and times."""

from collections.abc import Sequence
from pathlib import Path

from glassloop.runtime.extensions import Extension


class GeneralExtension(Extension):
    name = "general"

    def assistants(self) -> Sequence[Path]:
        return (Path(__file__).parent,)
