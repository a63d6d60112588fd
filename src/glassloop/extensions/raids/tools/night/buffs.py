"""Raid buffs of a whole night: by buff who was without it in which fights, or by fight what a player lacked."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.review.buffs import BuffCoverage, missing_buffs, raid_coverage
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.names import name_list
from glassloop.extensions.raids.storage.rows import FightRow
from glassloop.extensions.raids.tools.night.fights import NightFights, chosen_names, fight_label, some_of
from glassloop.extensions.raids.tools.reader import RaidReader, show_outcome
from glassloop.extensions.raids.tools.result import raid_result, show_length

MAX_NAMED: Final = 15
MAX_RESPONSIBLE: Final = 5
_COVERED: Final = (
    "Covered: on for at least half of the time alive; without and missing: for less, and until when where it was there "
    "at all. Should bring: who cast it for others, else who can."
)


class FightBuffs(msgspec.Struct, frozen=True, kw_only=True):
    """The raid buffs of one fight: who had them, and what each player lacked. Names by the index of the player."""

    row: FightRow
    label: str
    coverage: Sequence[BuffCoverage]
    names: Mapping[int, str]
    lacking: Mapping[str, str]
    """By full name."""
    responsible: Mapping[str, tuple[str, ...]]
    """By the buff's name: who cast it for others, else who can."""


async def night_buffs(reader: RaidReader, user: str, night: NightFights, player_name: str) -> ToolResult:
    missing, fights = dict[str, None](), list[FightBuffs]()
    for row in night.rows:
        view = await reader.fight(user, row.code, row.number)
        missing |= dict.fromkeys(view.fight.missing)
        fights.append(await asyncio.to_thread(_fight_buffs, view, row, fight_label(reader, row)))
    names = await chosen_names(reader, user, {name for one in fights for name in one.lacking}, player_name)
    if names is not None:
        rows = [row for one in fights for row in _player_rows(reader, one, names)]
        notes = [f"{_COVERED} Uptimes and procs: one fight.", *night.notes()]
        heading = night.heading() | {"player": ", ".join(sorted(names))}
        return raid_result(heading, {"by_fight": rows}, missing=list(missing), notes=notes)
    by_buff = defaultdict[str, list[tuple[FightBuffs, BuffCoverage]]](list)
    for fight in fights:
        for one in fight.coverage:
            by_buff[one.buff.name].append((fight, one))
    told = [group for group in by_buff.values() if not group[0][1].begun and group[0][1].buff.covers == "raid"]
    figures: dict[str, Json] = {
        "raid_buffs": [_buff_row(group) for group in told if not group[0][1].buff.debuff],
        "debuffs_on_bosses": [_debuff_row(group) for group in told if group[0][1].buff.debuff],
    }
    explained = f"{_COVERED} Numbers before bosses are the fights'. Buffs of a group and cooldowns: one fight."
    return raid_result(night.heading(), figures, missing=list(missing), notes=[explained, *night.notes()])


def _fight_buffs(view: FightView, row: FightRow, label: str) -> FightBuffs:
    names = {player: view.name_of(player) for player in view.players()}
    coverage = raid_coverage(view)
    responsible = {one.buff.name: tuple(view.name_of(who) for who in one.responsible) for one in coverage}
    lacking = {
        view.full_name(player): "; ".join(_lack(one, player, responsible) for one in missing_buffs(view, player))
        for player in view.players()
    }
    return FightBuffs(row=row, label=label, coverage=coverage, names=names, lacking=lacking, responsible=responsible)


def _lack(one: BuffCoverage, player: int, responsible: Mapping[str, tuple[str, ...]]) -> str:
    who = name_list(responsible[one.buff.name], MAX_RESPONSIBLE)
    return f"{one.buff.name} ({one.buff.class_name}{f': {who}' if who else ''}){_part(one, player)}"


def _buff_row(group: Sequence[tuple[FightBuffs, BuffCoverage]]) -> dict[str, Json]:
    without = defaultdict[str, list[str]](list)
    for fight, one in group:
        for player in one.without if not one.crowded_out else ():
            if player in one.unknown:
                continue
            without[fight.names[player]].append(f"{fight.label}{_part(one, player)}")
    ordered = sorted(without.items(), key=lambda item: (-len(item[1]), item[0]))
    buff = group[0][1].buff
    of = sum(len(one.covered) + len(one.without) for _, one in group)
    return {
        "buff": buff.name,
        "brought_by": buff.class_name,
        "fights": len(group),
        "covered_percent": 100 * sum(len(one.covered) for _, one in group) / of if of else None,
        "issue_in": some_of([fight.label for fight, one in group if one.issue], len(group)),
        "without": name_list([f"{name} ({', '.join(where)})" for name, where in ordered], MAX_NAMED) or None,
        "not_known": sum(len(one.unknown) for _, one in group) or None,
        "should_bring": _responsible(
            [pair for pair in group if len(pair[1].unknown) < len(pair[1].without) and not pair[1].crowded_out]
        ),
    }


def _responsible(group: Sequence[tuple[FightBuffs, BuffCoverage]]) -> str | None:
    """Who should bring it, over these fights."""
    names = {name for fight, one in group for name in fight.responsible[one.buff.name]}
    return name_list(sorted(names), MAX_RESPONSIBLE) or None


def _part(one: BuffCoverage, player: int) -> str:
    """Until when it was on, where it was there at all."""
    part = next((part for part in one.partial if part.player == player), None)
    return "" if part is None else f", until {show_length(part.end)}, {part.percent:.0f} %"


def _debuff_row(group: Sequence[tuple[FightBuffs, BuffCoverage]]) -> dict[str, Json]:
    buff = group[0][1].buff
    return {
        "debuff": buff.name,
        "brought_by": buff.class_name,
        "fights": len(group),
        "average_uptime_percent": sum(one.percent for _, one in group) / len(group),
        "issue_in": some_of([f"{fight.label} {one.percent:.0f} %" for fight, one in group if one.issue], len(group)),
        "should_bring": _responsible([(fight, one) for fight, one in group if one.issue]),
    }


def _player_rows(reader: RaidReader, fight: FightBuffs, names: set[str]) -> Iterator[Json]:
    for name, lacking in fight.lacking.items():
        if name in names:
            yield {
                "fight_id": fight.row.number,
                "encounter": reader.encounter_name(fight.row.encounter_id, fight.row.name),
                "result": show_outcome(fight.row.kill, fight.row.boss_health),
                "player": name,
                "missing_raid_buffs": lacking or "none",
            }
