"""The tools over many fights tell of generated seasons exactly what the generator knows."""

from pathlib import Path
from typing import Any

import pytest
from tests.extensions.raids.round_trip import import_raid
from tests.extensions.raids.season import NIGHTS, Season
from tests.extensions.raids.season_figures import SeasonFigures
from tests.extensions.raids.season_nights import NightComparisons

from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools import make_tools
from glassloop.store.store import Store
from glassloop.tools.tool import FunctionTool, ToolContext

USER = "ada"


async def season_differences(store: Store, season: Season, folder: Path) -> list[str]:
    raids, codes = RaidStore(store), list[str]()
    for raid in (*season.nights, *season.references):
        report, fights = import_raid(raid, folder)
        number = await raids.begin(USER, reference=raid in season.references, name="raid.txt")
        for record in fights:
            await raids.add_fight(number, record)
        codes.append(await raids.complete(number, report))
    tools: dict[str, Any] = {tool.name: tool for tool in make_tools(Path(), store)}

    async def call(name: str, **arguments: Any) -> Any:
        tool: FunctionTool[..., Any] = tools[name]
        result = await tool.execute(arguments, ToolContext(user=USER))
        assert result.success, result.output
        return result.data

    rows = season.rows(codes)
    figures = SeasonFigures(call, rows, codes[:NIGHTS])
    for name in figures.names[:2]:
        await raids.add_character(USER, name, "", "Mage", "Fire")
    fights = [raid.truth.fights for raid in (*season.nights, *season.references)]
    sides = [dict(zip(codes[part], fights[part], strict=True)) for part in (slice(NIGHTS), slice(NIGHTS, None))]
    return await figures.differences() + await NightComparisons(call, rows, *sides).differences()


@pytest.mark.slow
async def test_tools_over_many_fights_say_exactly_what_happened(kept: Store, tmp_path: Path) -> None:
    assert await season_differences(kept, Season(1, 0.05), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 150))
async def test_tools_over_many_fights_say_exactly_what_happened_in_many_seasons(
    kept: Store, seed: int, tmp_path: Path
) -> None:
    assert await season_differences(kept, Season(seed, 0.1), tmp_path) == []
