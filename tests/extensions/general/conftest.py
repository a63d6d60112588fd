"""The tools as the runtime makes them, around an empty home folder and a clock that stands still."""

from pathlib import Path

import pytest

from glassloop.extensions.general.tools import make_tools
from glassloop.tools.tool import Tool

NOON = 1_794_830_400.0
"""2026-11-16 12:00:00 UTC, a Monday."""


@pytest.fixture
def tools(tmp_path: Path) -> dict[str, Tool]:
    return {made.name: made for made in make_tools(tmp_path / "home", clock=lambda: NOON)}
