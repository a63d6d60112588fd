"""The tools of the places assistant. Each file has `make(reader)`; this one puts them together."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.extensions.places.tools.reader import PlacesReader


def make_tools(home: Path) -> list[Tool]:
    """All of them, over the data sets in the home folder."""
    from glassloop.extensions.places.data_set.open_databases import databases_in
    from glassloop.extensions.places.tools.reader import PlacesReader

    return tools_over(PlacesReader(databases_in(home)))


def tools_over(reader: "PlacesReader") -> list[Tool]:
    """All of them, over what this reader reads."""
    return [made for make in _makers() for made in make(reader)]


def _makers() -> "Sequence[Callable[[PlacesReader], Sequence[Tool]]]":
    """The files of tools, one a line."""
    # Imported late: every command imports the pack, and few call a tool.
    from glassloop.extensions.places.tools import (
        audience,
        comparison,
        flows,
        new_store,
        search,
        similar,
        summary,
        trade_area,
    )

    return (
        search.make,
        summary.make,
        comparison.make,
        trade_area.make,
        audience.make,
        flows.make,
        similar.make,
        new_store.make,
    )
