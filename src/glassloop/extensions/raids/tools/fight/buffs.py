"""The tool for buffs and debuffs, of one player or of the whole raid."""

import asyncio
from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.grades import MAJOR_BUFF
from glassloop.extensions.raids.analysis.review.buffs import (
    AuraUptime,
    BuffCoverage,
    PartialCoverage,
    ProcUptime,
    any_debuffs,
    buffs_on,
    debuffs_by,
    debuffs_on,
    missing_buffs,
    procs_of,
    raid_coverage,
    unseen_buffs,
)
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.names import name_list
from glassloop.extensions.raids.tools.night.buffs import night_buffs
from glassloop.extensions.raids.tools.night.fights import whole_night
from glassloop.extensions.raids.tools.parameters import LAST, NIGHT, FightOfNight, PlayerOrRaid, ReportCode
from glassloop.extensions.raids.tools.player_title import player_heading
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RAID_WORDS, RaidReader
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

MAX_NAMED: Final = 5
MAX_WITHOUT: Final = 10
MAX_MOMENTS: Final = 12


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_buff_analysis(
        context: ToolContext, player_name: PlayerOrRaid, report_code: ReportCode = LAST, fight_id: FightOfNight = NIGHT
    ) -> ToolResult:
        """Uptimes of buffs and debuffs in one fight: of a player its buffs, what it kept on the boss, trinket procs
        beside what is expected, and what was missing; with player_name 'raid' which raid buffs covered whom and the
        debuffs on the boss. Without fight_id the raid buffs of the whole night."""
        if (night := await whole_night(reader, context.user, report_code, fight_id)) is not None:
            return await night_buffs(reader, context.user, night, player_name)
        view = await reader.fight(context.user, report_code, fight_id)
        if player_name.strip().casefold() in RAID_WORDS:
            return await asyncio.to_thread(raid_buff_answer, reader, view)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(buff_answer, reader, view, player)

    return [get_buff_analysis]


def buff_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    buffs, own_debuffs, procs = buffs_on(view, player), debuffs_by(view, player), procs_of(view, player)
    lacking, of_groups = missing_buffs(view, player), missing_buffs(view, player, "group")
    figures: dict[str, Json] = {
        "missing_raid_buffs": [missing_text(view, one, player) for one in lacking],
        "missing_group_buffs": [missing_text(view, one, player) for one in of_groups] or None,
        "procs": [_proc_row(proc) for proc in procs],
        "buffs": [_aura_row(view, one) for one in sorted(buffs, key=_interest)],
        "debuffs_on_enemies": [_debuff_row(view, one) for one in own_debuffs],
        "debuffs_on_the_player": [_aura_row(view, one) for one in debuffs_on(view, player)],
    }
    notes = [*_major_notes(view, player, buffs), *_proc_notes(procs)]
    if own_debuffs:
        notes.append(
            "Debuffs on enemies name the boss that had them longest: uptime is of the fight, since the first hit of "
            "the time from the first hit on that target to its death or the end."
        )
    if lacking:
        notes.append(
            "Missing: the raid has the class that brings it, and this player had it for less than half of the time "
            "alive. Named is who cast it for others, else who can."
        )
    if of_groups:
        notes.append("Buffs of a group reach the caster's group alone: who is without one may be in another.")
    missing = [*reader.missing(view), *_unseen(view, "a buff that is not listed may have been there")]
    chart = bar_chart(
        f"Buffs of {view.name_of(player)}",
        [(one.name, one.percent) for one in sorted(buffs, key=_interest)],
        "Uptime",
        "%",
    )
    return raid_result(player_heading(reader, view, player), figures, missing=missing, notes=notes, chart=chart)


def raid_buff_answer(reader: RaidReader, view: FightView) -> ToolResult:
    coverage = raid_coverage(view)
    if not any_debuffs(view):
        coverage = [one for one in coverage if not one.buff.debuff]
    buffs, debuffs = ([one for one in coverage if one.buff.debuff is kind] for kind in (False, True))
    figures: dict[str, Json] = {
        "players": len(view.players()),
        "issues": [one.buff.name for one in coverage if one.issue],
        "raid_buffs": [_coverage_row(view, one) for one in buffs],
        "debuffs_on_the_boss": [
            {
                "debuff": one.buff.name,
                "brought_by": one.buff.class_name,
                "uptime_percent": one.percent,
                "casters": _names(view, one.casters) or None,
                "should_bring": _names(view, one.responsible) if one.issue else None,
            }
            for one in debuffs
        ],
    }
    notes = [
        "Covered: it was on for at least half of the time alive; without: for less, and until when where it was there "
        "at all; counted are the players that gain by it. Fewer than half of them covered is an issue for buffs of the "
        "whole raid, and below half of the fight for debuffs; buffs of a group or of single players reach some only.",
        "Should bring: of one that somebody is without, who cast it for others, else who can.",
    ]
    if len({view.name_of(boss) for boss in view.bosses()}) > 1:
        notes.append(
            "Of several bosses a debuff counts as long as one of them had it: with targets that change, less is usual."
        )
    if any(one.begun for one in buffs):
        notes.append("Buffs of a cooldown (Bloodlust …) last for seconds: covered is whoever had one at all.")
    missing = reader.missing(view)
    if not any_debuffs(view):
        missing.append("no debuffs on enemies: the log has none in this fight, so nobody is to blame for one")
    missing += _unseen(view, "coverage may be higher than told")
    bars = [(one.buff.name, 100 * len(one.covered) / max(1, len(one.covered) + len(one.without))) for one in buffs]
    chart = bar_chart("Players covered by raid buffs", bars, "Covered", "%")
    return raid_result(reader.heading(view), figures, missing=missing, notes=notes, chart=chart)


def missing_text(view: FightView, one: BuffCoverage, player: int) -> str:
    """A buff that a player is without: who should have brought it, and when it was there."""
    part = next((part for part in one.partial if part.player == player), None)
    when = f": {_when(part, view.length_ms)}" if part is not None else ""
    who = _names(view, [other for other in one.responsible if other != player] or one.responsible)
    return f"{one.buff.name} ({one.buff.class_name}{f': {who}' if who else ''}){when}"


def _unseen(view: FightView, so: str) -> list[str]:
    """What the log cannot show of buffs, and is no zero."""
    told = list[str]()
    if not any(one.auras for one in view.record.combatants):
        told.append(
            f"no buffs from before the pull that lasted through the fight: the log has no COMBATANT_INFO, so {so}"
        )
    whys = dict[str, list[str]]()
    for one in unseen_buffs(view):
        why = "passive or on weapons" if one.buff.hidden else "cast before the pull"
        whys.setdefault(why, []).append(one.buff.name)
    for why, names in whys.items():
        told.append(f"no {', '.join(names)}: {why}, which the log need not show, so nobody is known to be without")
    return told


def _interest(one: AuraUptime) -> tuple[int, float]:
    """What can be done something about first: raid buffs, consumables, procs and cooldowns, then the others."""
    order = ("raid buff", "consumable", "proc", "cooldown", "other")
    return order.index(one.kind), -one.percent


def _aura_row(view: FightView, one: AuraUptime) -> dict[str, Json]:
    return {
        "name": one.name,
        "kind": one.kind,
        "uptime_percent": one.percent,
        "uptime_s": round(one.uptime_ms / 1000, 1),
        "applied": one.applied,
        "stacks": one.stacks if one.stacks > 1 else None,
        "from_before": one.from_before,
        "by": _names(view, one.sources),
        "targets": one.targets if one.targets > 1 else None,
        "grade": MAJOR_BUFF.grade(one.percent) if one.major else None,
    }


def _debuff_row(view: FightView, one: AuraUptime) -> dict[str, Json]:
    """With the target it was on longest, and the others."""
    main, *others = one.by_target
    told = [
        f"{view.name_of(each.target)} {each.uptime_ms / 1000:.1f} s ({each.applied} ×)" for each in others[:MAX_NAMED]
    ]
    return {
        "name": one.name,
        "target": view.name_of(main.target),
        "uptime_percent": one.percent,
        "since_first_hit_percent": main.percent,
        "first_hit_at": show_length(main.first_hit),
        "uptime_s": round(one.uptime_ms / 1000, 1),
        "on_target_s": round(main.uptime_ms / 1000, 1) if main.uptime_ms != one.uptime_ms else None,
        "applied": one.applied,
        "stacks": one.stacks if one.stacks > 1 else None,
        "from_before": one.from_before,
        "other_targets": name_list(told, MAX_NAMED) if len(others) <= MAX_NAMED else f"{', '.join(told)} …",
        "grade": MAJOR_BUFF.grade(one.percent) if one.major else None,
    }


def _proc_row(proc: ProcUptime) -> dict[str, Json]:
    return {
        "proc": proc.proc.name,
        "uptime_percent": proc.percent,
        "expected_percent": proc.proc.uptime,
        "applied": proc.applied,
        "worn": proc.worn,
    }


def _coverage_row(view: FightView, one: BuffCoverage) -> dict[str, Json]:
    return {
        "buff": one.buff.name,
        "brought_by": one.buff.class_name,
        "for": one.buff.covers,
        "covered": len(one.covered),
        "of": len(one.covered) + len(one.without),
        "average_uptime_percent": one.percent,
        "came_at": ", ".join(show_length(at) for at in one.begun[:MAX_MOMENTS]) or None,
        "without": _without(view, one),
        "not_known": len(one.unknown) or None,
        "covered_in_part": _in_part(view, one),
        "casters": _names(view, one.casters) or None,
        "should_bring": _names(view, one.responsible) if _is_missed(one) else None,
    }


def _is_missed(one: BuffCoverage) -> bool:
    """Whether somebody is known to be without it who should have it: of a group's, all where nobody cast it."""
    wanted = one.buff.covers == "raid" or (one.buff.covers == "group" and not one.casters)
    return wanted and not one.crowded_out and len(one.unknown) < len(one.without)


def _without(view: FightView, one: BuffCoverage) -> str | None:
    """Whom it did not reach, of those that are for more than single players."""
    if one.buff.covers == "player" or not one.without:
        return None
    if one.crowded_out:
        return "not asked for: its casters had others up"
    if not one.covered and not one.partial and not one.unknown:
        return "all"
    # Whose buff ran out is more to the point than who was never in reach of it.
    parts = {part.player for part in one.partial}
    known = [player for player in one.without if player not in one.unknown]
    order = sorted(known, key=lambda player: (player not in parts, view.name_of(player)))
    return name_list([_with_part(view, one, player) for player in order], MAX_WITHOUT)


def _in_part(view: FightView, one: BuffCoverage) -> str | None:
    """Of a buff for the whole raid: who counts as covered and had it for less than nine tenths of the time alive."""
    if one.buff.covers != "raid":
        return None
    parts = [part.player for part in one.partial if part.player in one.covered]
    return name_list([_with_part(view, one, player) for player in parts], MAX_WITHOUT) or None


def _with_part(view: FightView, one: BuffCoverage, player: int) -> str:
    """The name, when the player had it, and whether the player cast it for others."""
    part = next((part for part in one.partial if part.player == player), None)
    facts = [_when(part, view.length_ms)] if part is not None else []
    if player in one.casters and player in one.without:
        facts.append("cast it for others")
    return f"{view.name_of(player)} ({', '.join(facts)})" if facts else view.name_of(player)


def _when(part: PartialCoverage, length_ms: int) -> str:
    begin = f"from {show_length(part.begin)} " if part.begin > 0 else ""
    end = f"until {show_length(part.end)} " if part.end < length_ms else ""
    return f"{begin}{end}{part.percent:.0f} %"


def _names(view: FightView, actors: Sequence[int]) -> str:
    """The first few, and how many more."""
    names = sorted({view.name_of(actor) for actor in actors if actor < len(view.actors)})
    return name_list(names, MAX_NAMED)


def _major_notes(view: FightView, player: int, buffs: Sequence[AuraUptime]) -> list[str]:
    low = [one for one in buffs if one.major and MAJOR_BUFF.grade(one.percent) != "good"]
    if not low:
        return []
    told = ", ".join(f"{one.name} {one.percent:.0f} %" for one in low)
    notes = [f"Too little of major buffs: {told}. {MAJOR_BUFF.note()}"]
    if any(view.revived(death) is not None for death in view.record.deaths if death.actor == player):
        notes.append("The player died and came back: a death takes most buffs away.")
    return notes


def _proc_notes(procs: Sequence[ProcUptime]) -> list[str]:
    notes = list[str]()
    for proc in procs:
        if not proc.applied:
            notes.append(f"{proc.proc.name} is worn and was never seen.")
        elif proc.percent < proc.proc.uptime * 0.6:
            notes.append(f"{proc.proc.name}: {proc.percent:.0f} % where about {proc.proc.uptime:.0f} % is expected.")
    return notes
