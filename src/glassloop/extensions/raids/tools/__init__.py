"""The thirty tools of the raid analyst. Each file has `make(reader)`; this one puts them together."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from glassloop.tools.tool import Tool

if TYPE_CHECKING:
    from glassloop.extensions.raids.tools.reader import RaidReader
    from glassloop.runtime.settings import Settings
    from glassloop.store.store import Store


def make_tools(home: Path, store: "Store | None" = None, settings: "Settings | None" = None) -> list[Tool]:  # noqa: ARG001
    """All of them, over the reports in the store. Without a store each says that nothing is kept."""
    from glassloop.extensions.raids.knowledge.loader import load_knowledge
    from glassloop.extensions.raids.storage.reports import RaidStore
    from glassloop.extensions.raids.tools.reader import RaidReader

    return tools_over(RaidReader(None if store is None else RaidStore(store), load_knowledge()))


def tools_over(reader: "RaidReader") -> list[Tool]:
    """All of them, over what this reader reads."""
    return [made for make in _makers() for made in make(reader)]


def _makers() -> "Sequence[Callable[[RaidReader], Sequence[Tool]]]":
    """The files of tools, one a line."""
    # Imported late: every command imports the pack, and few call a tool.
    from glassloop.extensions.raids.tools import attempts, efficiency, mechanics, overheal_and_power, preparation
    from glassloop.extensions.raids.tools.fight import abilities, activity, buffs, deaths, overview
    from glassloop.extensions.raids.tools.history import (
        fight_search,
        leaderboards,
        player_comparison,
        player_history,
        raid_nights,
        reference_benchmarks,
        regressions,
    )

    return (
        player_history.make,
        regressions.make,
        fight_search.make,
        leaderboards.make,
        player_comparison.make,
        reference_benchmarks.make,
        raid_nights.make,
        overview.make,
        abilities.make,
        buffs.make,
        deaths.make,
        activity.make,
        attempts.make,
        efficiency.make,
        overheal_and_power.make,
        mechanics.make,
        preparation.make,
    )
