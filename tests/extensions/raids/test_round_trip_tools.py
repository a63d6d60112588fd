"""Round trips through the store: the tools say of a generated raid exactly what the generator knows."""

from pathlib import Path
from typing import Any

import pytest
from tests.extensions.raids.judged_figures import JudgedFigures
from tests.extensions.raids.night_figures import NightFigures
from tests.extensions.raids.round_trip import import_raid
from tests.extensions.raids.tool_figures import ToolFigures

from glassloop.extensions.raids.sample import GeneratedRaid, make_raid
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools import make_tools
from glassloop.store.store import Store
from glassloop.tools.tool import FunctionTool, ToolContext

USER = "ada"


async def tool_differences(store: Store, raid: GeneratedRaid, folder: Path) -> list[str]:
    report, fights = import_raid(raid, folder)
    raids = RaidStore(store)
    number = await raids.begin(USER, reference=False, name="raid.txt")
    for record in fights:
        await raids.add_fight(number, record)
    code = await raids.complete(number, report)
    tools: dict[str, Any] = {tool.name: tool for tool in make_tools(Path(), store)}

    async def call(name: str, **arguments: Any) -> Any:
        tool: FunctionTool[..., Any] = tools[name]
        return (await tool.execute(arguments, ToolContext(user=USER))).data

    names = {one.guid: f"{one.name}-{one.realm}" if one.realm else one.name for one in report.actors}
    spells = {one.id: one.name for one in report.spells}
    found = list[str]()
    for record, truth in zip(fights, raid.truth.fights, strict=True):
        number = record.fight.number
        found += await ToolFigures(call, code, number, truth, names, spells).differences()
        found += await JudgedFigures(call, code, number, truth, names, raid.form).differences()
    return found + await NightFigures(call, code, raid, names).differences()


@pytest.mark.parametrize("seed", [19])
async def test_tools_say_exactly_what_happened(kept: Store, seed: int, tmp_path: Path) -> None:
    assert await tool_differences(kept, make_raid(seed, varied=True, health=0.1), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(200, 250))
async def test_tools_say_exactly_what_happened_in_many_raids(kept: Store, seed: int, tmp_path: Path) -> None:
    assert await tool_differences(kept, make_raid(seed, varied=True, size=10), tmp_path) == []
