"""Tools that say how a player used its time in a fight: activity with its gaps, and cancelled casts."""

import asyncio
from collections.abc import Sequence
from typing import Final

from glassloop.core.charts import Mark, Span, Timeline, fit_timeline
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.auras import AuraInterval, aura_intervals, aura_name
from glassloop.extensions.raids.analysis.casts import HASTE, CastSpan, casts_of, has_casts
from glassloop.extensions.raids.analysis.efficiency.resources import resource_uses
from glassloop.extensions.raids.analysis.expected_uptime import USUAL_GCD
from glassloop.extensions.raids.analysis.grades import ACTIVITY, CANCELLED
from glassloop.extensions.raids.analysis.review.activity import (
    Activity,
    CastCount,
    Gap,
    activity_of,
    cast_counts,
    overlap_ms,
)
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Kind
from glassloop.extensions.raids.tools.parameters import LAST, FightId, PlayerName, PlayerOrRaid, ReportCode
from glassloop.extensions.raids.tools.player_title import performance_of, player_heading, seconds
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RAID_WORDS, RaidReader
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

MAX_ABILITY_ROWS: Final = 24
MAX_BUFF_ROWS: Final = 12
INSTANT_S: Final = 0.3
"""How long an instant is drawn."""
_BLOODLUST: Final = frozenset({2825, 32182})


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_activity_report(
        context: ToolContext, player_name: PlayerOrRaid, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """How active a player was in one fight: GCD uptime with a grade for this boss, casts a minute, downtime, gaps
        over 2.5 s with when they were and what happened then. For "did I stand around?" or "where did I lose time?".
        With player_name 'raid' everybody in one table, those who lost most first ("who stood around?")."""
        view = await reader.fight(context.user, report_code, fight_id)
        if player_name.strip().casefold() in RAID_WORDS:
            return await asyncio.to_thread(raid_activity_answer, reader, view)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(activity_answer, reader, view, player)

    @raid_tool
    async def get_cancelled_casts(
        context: ToolContext, player_name: PlayerName, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """Casts of a player that were begun and not finished in one fight: begun, finished, cancelled and the rate by
        spell, with a grade. For "do I cancel too many casts?" and time lost by moving."""
        view = await reader.fight(context.user, report_code, fight_id)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(cancelled_answer, reader, view, player)

    return [get_activity_report, get_cancelled_casts]


def activity_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    activity, out_of_mana = activity_of(view, player), _out_of_mana(view, player)
    longest = activity.longest
    graded = performance_of(view, player).role == "damage"
    figures: dict[str, Json] = {
        "grade": activity.grade if graded else None,
        "grade_scale": ACTIVITY.told(activity.shift) if graded else None,
        "graded_on": activity.graded_on if graded else None,
        "gcd_uptime_percent": activity.uptime_percent,
        "expected_percent": activity.expected,
        "casts": activity.casts,
        "casts_per_minute": activity.casts_per_minute,
        "alive_s": seconds(activity.alive_ms),
        "active_s": seconds(activity.busy_ms),
        "downtime_s": seconds(activity.idle_ms),
        "long_gaps": len(activity.gaps),
        "in_long_gaps_s": seconds(sum(gap.length_ms for gap in activity.gaps)),
    }
    if any(gap.full_energy_ms is not None for gap in activity.gaps):
        waits = [gap.length_ms for gap in activity.gaps if gap.for_energy]
        figures["of_them_for_energy"] = len(waits)
        figures["of_them_for_energy_s"] = seconds(sum(waits))
    if longest is not None:
        figures["longest_gap"] = _gap_row(longest, out_of_mana)
    if activity.shots is not None:
        figures["auto_shots"] = activity.shots.auto_shots
        figures["between_auto_shots"] = activity.shots.between
        figures["with_another_shot"] = activity.shots.filled
        figures["with_another_shot_percent"] = activity.shots.percent
    in_order = sorted(activity.gaps, key=lambda gap: (gap.for_energy, -gap.length_ms))
    figures["gaps"] = [_gap_row(gap, out_of_mana) for gap in in_order]
    missing = reader.missing(view)
    if not activity.casts:
        missing.append("no casts of this player: the log has none in this fight")
    return raid_result(
        player_heading(reader, view, player),
        figures,
        missing=missing,
        notes=_activity_notes(view, player, activity),
        timeline=cast_timeline(view, player, activity.gaps),
    )


def raid_activity_answer(reader: RaidReader, view: FightView) -> ToolResult:
    """Everybody, by the time that was lost beside what encounter and spec allow."""
    found = [(player, activity_of(view, player)) for player in view.players()]
    found.sort(key=lambda pair: (performance_of(view, pair[0]).role != "damage", -pair[1].lost_ms))
    fine = sum(not activity.lost_ms for player, activity in found if performance_of(view, player).role == "damage")
    figures: dict[str, Json] = {
        "players": len(found),
        "in_order": f"{fine} damage dealers lost nothing; healers and tanks, who come last, are not graded",
        "everybody": [_raid_row(view, player, activity) for player, activity in found],
    }
    missing = reader.missing(view)
    if not has_casts(view):
        missing.append("no casts: the log has none in this fight, so nobody's activity can be told")
    notes = [
        "Lost is what lies below the GCD uptime that encounter and spec allow a good player (for hunters: below the "
        "shots between auto shots), of the time alive: it is fair between specs, while raw downtime is not.",
        f"Grades, where {USUAL_GCD} % is expected: {ACTIVITY.told()}; the limits move with what is expected.",
        "Damage dealers come first: a healer who waits saves mana, and a tank is judged on survival.",
    ]
    bars = [(view.name_of(player), round(activity.lost_ms / 1000, 1)) for player, activity in found]
    chart = bar_chart("Time lost by player", bars, "Lost", "s")
    return raid_result(reader.heading(view), figures, missing=missing, notes=notes, chart=chart)


def _raid_row(view: FightView, player: int, activity: Activity) -> dict[str, Json]:
    one, longest = performance_of(view, player), activity.longest
    return {
        "player": view.full_name(player),
        "spec": " ".join(part for part in (one.spec, one.class_name) if part) or "unknown",
        "role": one.role,
        "grade": activity.grade if one.role == "damage" else None,
        "lost_s": seconds(activity.lost_ms),
        "gcd_uptime_percent": activity.uptime_percent,
        "expected_percent": activity.expected if activity.shots is None else activity.allowed,
        "reached_percent": activity.shots.percent if activity.shots is not None else None,
        "graded_on": activity.graded_on if one.role == "damage" else None,
        "casts_per_minute": activity.casts_per_minute,
        "alive_s": seconds(activity.alive_ms),
        "downtime_s": seconds(activity.idle_ms),
        "long_gaps": len(activity.gaps),
        "longest_gap_s": seconds(longest.length_ms) if longest is not None else None,
        "longest_gap_from": show_length(longest.begin) if longest is not None else None,
        "what_happened": _reason(longest),
    }


def _reason(gap: Gap | None) -> str | None:
    if gap is None:
        return None
    return "waited for energy or pooled it" if gap.for_energy else next(iter(gap.happened), None)


def cancelled_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    counts = cast_counts(view, player)
    begun, cancelled = sum(one.begun for one in counts), sum(one.cancelled for one in counts)
    percent = 100 * cancelled / begun if begun else 0.0
    figures: dict[str, Json] = {
        "grade": CANCELLED.grade(percent) if begun else None,
        "grade_scale": CANCELLED.told() if begun else None,
        "begun": begun,
        "finished": sum(one.finished for one in counts),
        "cancelled": cancelled,
        "cancelled_percent": percent,
        "by_death_or_interrupt": sum(one.forced for one in counts),
        "open_at_the_end": sum(one.unfinished for one in counts),
        "lost_s": seconds(sum(one.lost_ms for one in counts)),
        "spells": [_count_row(one) for one in counts],
    }
    missing, notes = reader.missing(view), list[str]()
    if not begun:
        whole = view.rows_of_kind({Kind.CAST_START})
        missing.append(
            "no casts with a cast time by this player" if whole else "no beginnings of casts: the log has none"
        )
    elif performance_of(view, player).role == "healer":
        notes.append("Healers cancel heals on purpose when nobody needs them: weigh this with the overheal.")
    notes.append(
        "The log does not tell when a cast was broken off: lost time is up to the next act, and no more than the cast "
        "time."
    )
    chart = bar_chart(
        f"Casts of {view.name_of(player)} that were cancelled",
        [(one.name, one.cancelled_percent) for one in counts],
        "Cancelled",
        "%",
    )
    return raid_result(player_heading(reader, view, player), figures, missing=missing, notes=notes, chart=chart)


def cast_timeline(view: FightView, player: int, gaps: Sequence[Gap]) -> Timeline | None:
    """Casts by ability, the most used first; gaps; and below them cooldowns, procs and the like on the player."""
    casts = dict[str, list[CastSpan]]()
    for cast in casts_of(view, player):
        if cast.outcome != "failed":
            casts.setdefault(view.spell_name(cast.spell), []).append(cast)
    most = sorted(casts.items(), key=lambda item: (-len(item[1]), item[0]))[:MAX_ABILITY_ROWS]
    rows = [(name, [_cast_span(cast) for cast in group]) for name, group in most]
    if gaps:
        drawn = [
            Span(begin=gap.begin / 1000, end=gap.end / 1000, label=label, kind=kind)
            for gap in gaps
            for label, kind in [_gap_kind(gap)]
        ]
        rows.insert(0, ("Gaps", drawn))
    buffs = dict[str, list[AuraInterval]]()
    for one in aura_intervals(view, target=player):
        if one.buff and one.length_ms < 0.9 * view.length_ms and _worth_drawing(view, one.spell_id):
            buffs.setdefault(aura_name(view, one), []).append(one)
    for name, group in list(buffs.items())[:MAX_BUFF_ROWS]:
        rows.append((name, [Span(begin=one.begin / 1000, end=one.end / 1000, kind="buff") for one in group]))
    title = f"Casts of {view.name_of(player)}"
    return fit_timeline(title, view.length_ms / 1000, rows, timeline_marks(view, player))


def _gap_kind(gap: Gap) -> tuple[str, str]:
    """Label and kind of a gap as it is drawn: only what could have been used looks like a fault."""
    if gap.downtime:
        return "downtime", "downtime"
    return ("waiting for energy", "waiting") if gap.for_energy else ("gap", "gap")


def timeline_marks(view: FightView, player: int | None = None) -> list[Mark]:
    """Deaths of the player, or of everybody; and Bloodlust."""
    marks = [
        Mark(at=max(0, death.at) / 1000, label=f"{view.name_of(death.actor)} died", kind="death")
        for death in view.record.deaths
        if not death.feigned and player in (None, death.actor)
    ]
    lust = [one for one in aura_intervals(view, target=player, spell_ids=_BLOODLUST) if not one.from_before]
    if lust:
        marks.append(Mark(at=lust[0].begin / 1000, label=aura_name(view, lust[0]), kind="bloodlust"))
    return sorted(marks, key=lambda mark: mark.at)


def _worth_drawing(view: FightView, spell_id: int) -> bool:
    knowledge = view.knowledge
    return spell_id in HASTE or any(
        look_up(spell_id) is not None
        for look_up in (knowledge.cooldown_of, knowledge.proc_of, knowledge.consumable_of_aura)
    )


def _cast_span(cast: CastSpan) -> Span:
    begin, end = cast.begin / 1000, cast.end / 1000
    kind = {"finished": "cast", "unfinished": "cancelled"}.get(cast.outcome, cast.outcome)
    return Span(begin=begin, end=max(end, begin + INSTANT_S) if kind == "instant" else end, kind=kind)


def _out_of_mana(view: FightView, player: int) -> Sequence[tuple[int, int]]:
    """When a healer could not pay for the usual heal."""
    if performance_of(view, player).role != "healer":
        return ()
    return next((use.short_spans for use in resource_uses(view, player) if use.power == "mana"), ())


def _gap_row(gap: Gap, out_of_mana: Sequence[tuple[int, int]]) -> dict[str, Json]:
    happened = gap.happened
    if overlap_ms(gap.begin, gap.end, out_of_mana) * 2 > gap.length_ms:
        happened = ("less mana than the usual heal costs", *happened)
    if gap.full_energy_ms is not None:
        full = f"energy was full for about {seconds(gap.full_energy_ms)} s of it"
        happened = ("waited for energy or pooled it" if gap.for_energy else full, *happened)
    return {
        "from": show_length(gap.begin),
        "from_s": seconds(gap.begin),
        "length_s": seconds(gap.length_ms),
        "downtime_phase": gap.downtime,
        "what_happened": "; ".join(happened) or "nothing that the log shows",
    }


def _count_row(one: CastCount) -> dict[str, Json]:
    return {
        "spell": one.name,
        "begun": one.begun,
        "finished": one.finished,
        "cancelled": one.cancelled,
        "cancelled_percent": one.cancelled_percent,
        "lost_s": seconds(one.lost_ms),
    }


def _activity_notes(view: FightView, player: int, activity: Activity) -> list[str]:
    role = performance_of(view, player).role
    shifted = "; the grade is shifted by that" if role == "damage" else ""
    notes = ["Long gaps are those over 2.5 s, the longest first. Rates are of the time alive."]
    if activity.shots is None and (targets := view.targets_of(player)) is not None:
        notes.append(f"{activity.expected} % is {targets.source()}, and no more than the boss allows{shifted}.")
    elif activity.expected < activity.allowed and activity.shots is None:
        notes.append(
            f"The spec allows no more than about {activity.expected} %: energy, rage or cooldowns, not the player, "
            f"leave the rest of the global cooldowns unused{shifted}."
        )
    elif activity.expected != USUAL_GCD:
        notes.append(f"On this boss {activity.expected} % is what a good player reaches{shifted}.")
    if activity.shots is not None and role == "damage":
        notes.append("Hunters are graded on auto shots that another shot came between, not on the global cooldown.")
    if role == "healer":
        notes.append("No grade: a healer who waits while nobody is hurt saves mana, so low activity alone is no fault.")
    if role == "tank":
        notes.append("No grade: a tank is judged on survival and mitigation; activity comes after.")
    if any(gap.for_energy for gap in activity.gaps):
        notes.append(
            "Gaps for energy come last and are no fault: it was hardly ever full in them. Where it was full, "
            "something could have been pressed."
        )
    if any(gap.downtime for gap in activity.gaps):
        notes.append("Gaps in a downtime phase are not held against anybody.")
    if view.dead_spans(player):
        notes.append("Time dead is left out of all of it.")
    return notes
