"""Raid buffs of a whole night: by buff who was without it in which fights, or by fight what a player lacked."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.review.buffs import BuffCoverage, missing_buffs, raid_coverage
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.names import name_list
from glassloop.extensions.raids.tools.night.fights import NightFights, chosen_names, fight_label, some_of
from glassloop.extensions.raids.tools.reader import RaidReader, show_outcome
from glassloop.extensions.raids.tools.result import raid_result, show_length

MAX_NAMED: Final = 15
_COVERED: Final = (
    "Covered: on for at least half of the time alive; without and missing: for less, and until when where it was there "
    "at all."
)


async def night_buffs(reader: RaidReader, user: str, night: NightFights, player_name: str) -> ToolResult:
    views, coverages = list[FightView](), list[Sequence[BuffCoverage]]()
    for row in night.rows:
        view = await reader.fight(user, row.code, row.number)
        views.append(view)
        coverages.append(await asyncio.to_thread(raid_coverage, view))
    names = await chosen_names(reader, user, views, player_name)
    if names is not None:
        return _of_players(reader, night, views, names)
    labels = [fight_label(reader, row) for row in night.rows]
    by_buff = defaultdict[str, list[tuple[int, BuffCoverage]]](list)
    for place, found in enumerate(coverages):
        for one in found:
            by_buff[one.buff.name].append((place, one))
    told = [group for group in by_buff.values() if not group[0][1].begun and group[0][1].buff.covers == "raid"]
    buffs = [group for group in told if not group[0][1].buff.debuff]
    debuffs = [group for group in told if group[0][1].buff.debuff]
    figures: dict[str, Json] = {
        "raid_buffs": [_buff_row(group, views, labels) for group in buffs],
        "debuffs_on_bosses": [_debuff_row(group, labels) for group in debuffs],
    }
    notes = [
        f"{_COVERED} Numbers before bosses are the fights'. Buffs of a group and cooldowns: one fight.",
        *night.notes(),
    ]
    return raid_result(night.heading(), figures, missing=night.missing(views), notes=notes)


def _buff_row(
    group: Sequence[tuple[int, BuffCoverage]], views: Sequence[FightView], labels: Sequence[str]
) -> dict[str, Json]:
    without = defaultdict[str, list[str]](list)
    for place, one in group:
        for player in one.without:
            without[views[place].name_of(player)].append(f"{labels[place]}{_part(one, player)}")
    ordered = sorted(without.items(), key=lambda item: (-len(item[1]), item[0]))
    buff = group[0][1].buff
    of = sum(len(one.covered) + len(one.without) for _, one in group)
    return {
        "buff": buff.name,
        "brought_by": buff.class_name,
        "fights": len(group),
        "covered_percent": 100 * sum(len(one.covered) for _, one in group) / of if of else None,
        "issue_in": ", ".join(labels[place] for place, one in group if one.issue) or None,
        "without": name_list([f"{name} ({', '.join(where)})" for name, where in ordered], MAX_NAMED) or None,
    }


def _part(one: BuffCoverage, player: int) -> str:
    """Until when it was on, where it was there at all."""
    part = next((part for part in one.partial if part.player == player), None)
    return "" if part is None else f", until {show_length(part.end)}, {part.percent:.0f} %"


def _debuff_row(group: Sequence[tuple[int, BuffCoverage]], labels: Sequence[str]) -> dict[str, Json]:
    buff = group[0][1].buff
    issues = [f"{labels[place]} {one.percent:.0f} %" for place, one in group if one.issue]
    return {
        "debuff": buff.name,
        "brought_by": buff.class_name,
        "fights": len(group),
        "average_uptime_percent": sum(one.percent for _, one in group) / len(group),
        "issue_in": some_of(issues, len(group)),
    }


def _of_players(reader: RaidReader, night: NightFights, views: Sequence[FightView], names: set[str]) -> ToolResult:
    rows = list[Json]()
    for row, view in zip(night.rows, views, strict=True):
        for player in view.players():
            if view.full_name(player) not in names:
                continue
            lacking = missing_buffs(view, player)
            rows.append({
                "fight_id": row.number,
                "encounter": reader.encounter_name(row.encounter_id, row.name),
                "result": show_outcome(row.kill, row.boss_health),
                "player": view.name_of(player),
                "missing_raid_buffs": ", ".join(f"{one.buff.name}{_part(one, player)}" for one in lacking) or "none",
            })  # fmt: skip
    heading = night.heading() | {"player": ", ".join(sorted(names))}
    notes = [f"{_COVERED} Uptimes and procs: one fight.", *night.notes()]
    return raid_result(heading, {"by_fight": rows}, missing=night.missing(views), notes=notes)
