"""Tools of one fight on a simulated night that went through the importer and the store."""

from pathlib import Path
from typing import Any

import pytest

from glassloop.core.errors import ToolError
from glassloop.extensions.raids.log.combat_log import read_log
from glassloop.extensions.raids.records import FightRecord
from glassloop.extensions.raids.sample.raid import make_raid
from glassloop.extensions.raids.storage.reports import RaidStore
from glassloop.extensions.raids.tools import make_tools
from glassloop.store.store import Store
from glassloop.tools.tool import ToolContext

TOOLS_OF_A_PLAYER = ("get_ability_breakdown", "get_buff_analysis", "get_activity_report", "get_cancelled_casts")


async def _put(raids: RaidStore, folder: Path) -> Any:
    """A night of `ada`; returns the figures that the simulation counted."""
    raid = make_raid(3, encounters=(661,))
    path = folder / "WoWCombatLog.txt"
    path.write_text("\n".join(raid.lines()) + "\n", "utf-8")
    fights = list[FightRecord]()
    report = read_log(path, found=fights.append, year=2026)
    number = await raids.begin("ada", reference=False, name=path.name)
    for one in fights:
        await raids.add_fight(number, one)
    await raids.complete(number, report)
    return raid.truth.fights[0]


async def test_tools_find_what_the_simulation_counted(raids: RaidStore, store: Store, tmp_path: Path) -> None:
    truth = await _put(raids, tmp_path)
    tools: dict[str, Any] = {tool.name: tool for tool in make_tools(tmp_path, store)}

    async def call(name: str, user: str = "ada", **arguments: str) -> dict[str, Any]:
        result = await tools[name].execute(
            {"report_code": "last", "fight_id": "last"} | arguments, ToolContext(user=user)
        )
        assert result.success
        return result.data

    details = await call("get_fight_details")
    found = {row["player"].partition("-")[0]: row for row in details["everybody"]}
    for player in truth.players.values():
        row = found[player.name]
        assert (row["damage"], row["healing"], row["taken"], row["deaths"]) == (
            player.damage, player.healing, player.taken, player.deaths,
        )  # fmt: skip
    for player in list(truth.players.values())[:3]:
        for name in TOOLS_OF_A_PLAYER:
            assert (await call(name, player_name=player.name.upper()))["player"].startswith(player.name)
        casts = await call("get_cancelled_casts", player_name=player.name)
        assert casts["cancelled"] == sum(one.cancelled for one in player.casts.values())
    deaths = await call("get_death_analysis")
    assert deaths["deaths"] == sum(player.deaths for player in truth.players.values())
    assert (await call("get_buff_analysis", player_name="raid"))["players"] == len(truth.players)
    with pytest.raises(ToolError, match="No combat log"):
        await call("get_fight_details", user="bob")
