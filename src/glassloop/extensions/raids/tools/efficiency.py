"""Tools that say how well one player used a fight: cooldowns, DoTs, and the rotation as a score."""

import asyncio
from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.efficiency import cooldowns, dots, rotation
from glassloop.extensions.raids.analysis.expected_uptime import USUAL_GCD, expected_uptime
from glassloop.extensions.raids.analysis.grades import COOLDOWN_USE, DOT_UPTIME, RENEWALS, ROTATION
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.tools.parameters import LAST, FightId, PlayerName, ReportCode
from glassloop.extensions.raids.tools.player_title import performance_of, player_heading, seconds, without_casts
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_length
from glassloop.extensions.raids.tools.timelines import cooldown_timeline, dot_timeline
from glassloop.tools.tool import Tool, ToolContext

MAX_TIMES: Final = 20
"""Of a DoT that was put on more than once."""
BY_REFERENCES: Final = (
    "Targets of GCD uptime, casts a minute and main abilities are {source}. What was not cast there has no target."
)
ESTIMATED: Final = (
    "No reference of the spec survived this boss in a kill that was imported: targets of casts are estimates for the "
    "spec in general, lowered by what the boss allows."
)
SHOTS: Final = "Shots between auto shots"


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_cooldown_efficiency(
        context: ToolContext, player_name: PlayerName, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """How a player used major cooldowns (Death Wish, Icy Veins, trinkets …) in one fight: used beside possible, per
        cent, first and last use, how long each was held; those for damage or healing are flagged below 70 %. For "did I
        use my cooldowns?". Time dead and downtime phases are not held against anybody."""
        view = await reader.fight(context.user, report_code, fight_id)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(cooldown_answer, reader, view, player)

    @raid_tool
    async def get_dot_management(
        context: ToolContext, player_name: PlayerName, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """How a Warlock, Shadow Priest or Balance Druid kept damage over time up in one fight: casts, early renewals
        (clipped DoTs), lost ticks and the damage they would have done, a grade for that, and uptime. Other specs are
        told that it does not apply."""
        view = await reader.fight(context.user, report_code, fight_id)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(dot_answer, reader, view, player)

    @raid_tool
    async def get_rotation_score(
        context: ToolContext, player_name: PlayerName, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """One score (0–100, A–F) for a player's rotation in one fight, from GCD uptime, casts a minute, cooldowns and
        the spec's main abilities, each with its target for this boss, value and points. For "how was my rotation?"."""
        view = await reader.fight(context.user, report_code, fight_id)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(rotation_answer, reader, view, player)

    return [get_cooldown_efficiency, get_dot_management, get_rotation_score]


def cooldown_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    if (nothing := without_casts(reader, view, player)) is not None:
        return nothing
    uses = cooldowns.cooldown_uses(view, player)
    sure = [use for use in uses if use.sure and use.ready]
    missing = reader.missing(view)
    if not view.class_of(player):
        missing.append("no class: the player did nothing that tells it, so only cooldowns that were used are listed")
    unseen = [use.cooldown.name for use in uses if use.ready and not use.sure]
    kept = [use.cooldown.name for use in uses if not use.ready]
    throughput = cooldowns.throughput_percent(uses)
    figures: dict[str, Json] = {
        "throughput_used_percent": throughput,
        "cooldowns": [_cooldown_row(use) for use in sure],
        "flagged": [use.cooldown.name for use in sure if use.flagged],
        "not_seen": unseen,
        "long_ones_not_used": kept,
    }
    notes = [COOLDOWN_USE.note(), *(note for use in sure if (note := _cooldown_note(use)))]
    if unseen:
        notes.append("Those not seen are talents, items or of a race: the player may not have them.")
    if kept:
        notes.append(
            "Long cooldowns (10 minutes and more) that were not used may have been spent on a pull before, and of those"
            " that help the whole raid one player's is enough: they are not counted."
        )
    if any(use.below and not use.flagged for use in sure):
        notes.append("Defensive, utility and interrupt cooldowns are kept for need: a low count is no fault by itself.")
    chart = bar_chart(
        "Cooldowns used of those possible", [(use.cooldown.name, use.percent) for use in sure], "Used", "%"
    )
    timeline = cooldown_timeline(view, player, sure)
    heading = player_heading(reader, view, player)
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart, timeline=timeline)


def _cooldown_row(use: cooldowns.CooldownUse) -> dict[str, Json]:
    return {
        "cooldown": use.cooldown.name,
        "kind": use.cooldown.kind,
        "length_s": use.cooldown.cooldown_s,
        "used": len(use.uses),
        "possible": use.possible,
        "used_percent": use.percent,
        "flagged": use.flagged,
        "first_use_s": seconds(use.uses[0]) if use.uses else None,
        "last_use_s": seconds(use.uses[-1]) if use.uses else None,
        "used_at": [show_length(at) for at in use.uses[:MAX_TIMES]],
        "held_s": seconds(use.held),
        "longest_hold_s": seconds(use.longest_hold),
        "longest_hold_from": show_length(use.longest_hold_at) if use.longest_hold else None,
    }


def _cooldown_note(use: cooldowns.CooldownUse) -> str:
    name = use.cooldown.name
    if use.before_pull:
        return f"{name} was used before the pull."
    if use.cooldown.kind != "throughput":
        return ""
    if not use.uses:
        return f"{name} is worn and was never used." if use.worn else f"{name} was never used."
    if not use.late:
        return ""
    first = show_length(use.uses[0])
    if use.cooldown.cooldown_s <= cooldowns.SHORT_COOLDOWN_S:
        return f"{name}: first used at {first}, late for a short cooldown: a fault of the rotation."
    return f"{name}: first used at {first}; a long cooldown may have been held for a phase."


def dot_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    if (nothing := without_casts(reader, view, player)) is not None:
        return nothing
    one, missing = performance_of(view, player), reader.missing(view)
    heading = player_heading(reader, view, player)
    if not dots.is_judged(one.class_name, one.spec):
        who = f"{one.spec} {one.class_name}".strip() or "unknown class"
        note = f"DoT management is judged for Warlocks, Shadow Priests and Balance Druids only; this is a {who}."
        return raid_result(heading, {"applies": False}, missing=missing, notes=[note])
    uses = dots.dot_uses(view, player)
    early, applications = sum(use.early for use in uses), sum(use.applications for use in uses)
    percent, lost = dots.early_percent(early, applications), sum(use.lost_damage for use in uses)
    low = [note for use in uses if (note := _uptime_note(view, player, use))]
    figures: dict[str, Json] = {
        "applies": True,
        "grade": f"renewals: {RENEWALS.grade(percent)}" if applications else None,
        "grade_scale": RENEWALS.told() if applications else None,
        "uptime": _uptime_verdict(low, uses),
        "early_renewals": early,
        "applications": applications,
        "early_percent": percent,
        "lost_ticks": sum(use.lost_ticks for use in uses),
        "lost_damage": lost,
        "lost_dps": lost * 1000 / view.length_ms,
        "dots": [_dot_row(view, use) for use in uses],
        "worst_renewals": _worst(view, uses),
    }
    notes = ["There is no pandemic window: a renewal loses what was left. Renew when the last tick has fallen."]
    notes += [DOT_UPTIME.note(), *low]
    if not uses:
        notes = ["No DoT of this class was put on anything in this fight."]
    bars = [(use.name, round(100 * use.uptime / view.length_ms, 1)) for use in uses]
    chart, timeline = bar_chart("DoT uptime", bars, "Uptime", "%"), dot_timeline(view, player, uses)
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart, timeline=timeline)


def _uptime_verdict(low: Sequence[str], uses: Sequence[dots.DotUse]) -> str | None:
    """Beside the grade of renewals: who renews nothing too early may let DoTs fall off."""
    if not uses:
        return None
    return f"low of {len(low) or 'none'} of {len(uses)} DoTs"


def _uptime_note(view: FightView, player: int, use: dots.DotUse) -> str:
    """Of one that is meant to be kept up, by the time its main target was fought and the player alive."""
    fought = dots.fought_ms(view, player, use.main_target) if use.main_target is not None else 0
    if use.applications < 2 or not fought:
        return ""
    percent = min(100.0, 100 * use.main_uptime / fought)
    if DOT_UPTIME.grade(percent) != "low":
        return ""
    target = view.name_of(use.main_target) if use.main_target is not None else ""
    return (
        f"{use.name} was on {target} for {percent:.0f} % of the time it was fought and the player alive, "
        f"which is low, whatever the grade of the renewals."
    )


def _dot_row(view: FightView, use: dots.DotUse) -> dict[str, Json]:
    return {
        "dot": use.name,
        "duration_s": seconds(use.duration),
        "casts": use.casts,
        "applications": use.applications,
        "renewed_early": use.early,
        "early_percent": use.early_percent,
        "lost_ticks": use.lost_ticks,
        "lost_damage": use.lost_damage,
        "ticks": use.ticks,
        "tick_damage": use.damage,
        "uptime_percent": 100 * use.uptime / view.length_ms,
        "main_target": None if use.main_target is None else view.name_of(use.main_target),
        "main_target_uptime_percent": 100 * use.main_uptime / view.length_ms,
        "renewal_grade": use.grade,
    }


def _worst(view: FightView, uses: Sequence[dots.DotUse], most: int = 10) -> list[Json]:
    found = [(use, one) for use in uses for one in use.renewals if one.lost_ticks]
    found.sort(key=lambda pair: -pair[1].lost_damage)
    return [
        {
            "dot": use.name,
            "at": show_length(one.at),
            "target": view.name_of(one.target),
            "left_s": seconds(one.left),
            "lost_ticks": one.lost_ticks,
            "lost_damage": one.lost_damage,
        }
        for use, one in found[:most]
    ]


def rotation_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    if (nothing := without_casts(reader, view, player)) is not None:
        return nothing
    score = rotation.rotation_score(view, player)
    one = performance_of(view, player)
    figures: dict[str, Json] = {
        "score": score.score,
        "grade": f"rotation: {score.letter}",
        "grade_scale": ROTATION.told(),
        "graded_on": "the parts below, each up to its target; not what was done with it",
        "parts": [
            {
                "part": SHOTS if part.unit == rotation.SHOTS_UNIT else _part_name(part.name),
                "value": part.value,
                "target": part.target,
                "unit": part.unit,
                "points": part.points,
                "out_of": part.most,
            }
            for part in score.parts
        ],
        "main_abilities": [
            {"ability": each.name, "casts_per_minute": each.value, "target_per_minute": each.target,
             "reached_percent": 100 * each.share}
            for each in score.abilities
        ],
    }  # fmt: skip
    notes = [f"{_part_name(name)} left out: {why}." for name, why in score.left_out]
    encounter = view.encounter
    if encounter is not None and encounter.gcd < USUAL_GCD:
        notes.append(f"Targets are lower here: {encounter.name} allows about {encounter.gcd} % GCD uptime.")
    if (targets := view.targets_of(player)) is not None:
        notes.append(BY_REFERENCES.format(source=targets.source()))
    else:
        notes.append(ESTIMATED)
    if targets is None and expected_uptime(view, player) < (encounter.gcd if encounter is not None else USUAL_GCD):
        notes.append(
            "Energy, rage or cooldowns limit how often this spec can press anything: its GCD uptime target is what its "
            "casts a minute take."
        )
    if dots.is_judged(one.class_name, one.spec):
        notes.append("DoTs that are renewed too early count as casts here: `get_dot_management` tells what they cost.")
    if one.role == "healer":
        notes.append("Healers cast as damage comes in: weigh overheal and mana more than this score.")
    elif one.role == "tank":
        notes.append("Tanks are judged on survival, mitigation and defensive cooldowns first.")
    if one.deaths:
        notes.append("Rates are of the time alive.")
    bars = [(_part_name(part.name), round(100 * part.points / part.most, 1)) for part in score.parts]
    chart = bar_chart("Rotation score by part", bars, "Of its points", "%")
    heading = player_heading(reader, view, player)
    return raid_result(heading, figures, missing=reader.missing(view), notes=notes, chart=chart)


def _part_name(name: rotation.PartName) -> str:
    names = {"gcd_uptime": "GCD uptime", "casts_per_minute": "Casts a minute", "cooldowns": "Cooldowns"}
    return names.get(name, "Main abilities")
