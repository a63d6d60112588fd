"""The tool that shows everybody in one fight."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Final

from glassloop.core.charts import Chart, Span, Timeline, fit_timeline
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.expected_uptime import USUAL_GCD, expected_uptime
from glassloop.extensions.raids.analysis.grades import ACTIVITY
from glassloop.extensions.raids.analysis.parses import MIN_KILLS, PARSE_NOTE, THEIR_PARSE_NOTE, ParsePopulation, rate
from glassloop.extensions.raids.analysis.phases import PhaseSpan, phases_of
from glassloop.extensions.raids.analysis.review.activity import activity_grade
from glassloop.extensions.raids.analysis.review.rates import raid_rates
from glassloop.extensions.raids.analysis.totals.deaths import SPIRIT
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import Performance
from glassloop.extensions.raids.tools.fight.activity import timeline_marks
from glassloop.extensions.raids.tools.fight.falls import fall_figures, spirit_notes
from glassloop.extensions.raids.tools.parameters import LAST, FightId, ReportCode
from glassloop.extensions.raids.tools.player_title import by_interest
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import line_chart, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

_ROLES: Final = ("tank", "healer", "damage")


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_fight_details(
        context: ToolContext, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """Everybody in one fight: role, spec, damage and DPS, healing and HPS, damage taken, deaths and who came back,
        interrupts, dispels, activity and parse; the raid's composition and phases. For "who did what?", and the first
        look at a fight."""
        view = await reader.fight(context.user, report_code, fight_id)
        values = await reader.store.parse_values(context.user, [view.fight.encounter_id]) if view.fight.kill else []
        return await asyncio.to_thread(fight_answer, reader, view, ParsePopulation(values))

    return [get_fight_details]


def fight_answer(reader: RaidReader, view: FightView, population: ParsePopulation) -> ToolResult:
    everybody = sorted(view.record.performances, key=by_interest)
    damage, healing = sum(one.damage for one in everybody), sum(one.healing for one in everybody)
    phases, rows = phases_of(view), [_player_row(view, one, population) for one in everybody]
    figures: dict[str, Json] = {
        "players": len(everybody),
        "raid_damage": damage,
        "raid_dps": rate(damage, view.length_ms),
        "raid_healing": healing,
        "raid_hps": rate(healing, view.length_ms),
        "deaths": sum(one.deaths for one in everybody),
        **fall_figures(view.record.deaths, view.name_of),
        "interrupts": sum(one.interrupts for one in everybody),
        "dispels": sum(one.dispels for one in everybody),
        "composition": _composition(everybody),
        "everybody": list(rows),
        "phases": [
            {
                "phase": phase.name,
                "from": show_length(phase.begin),
                "length_s": round(phase.length_ms / 1000, 1),
                "downtime": phase.downtime,
                "estimated": not phase.seen,
            }
            for phase in phases
        ],
    }
    notes = [
        *spirit_notes(view.record.deaths, view.name_of),
        "Damage dealers come first, by damage, then healers by healing, then tanks. Healers are judged on healing, "
        "tanks on survival and mitigation: their DPS says little.",
    ]
    missing = reader.missing(view)
    if any(row.get("parse") is not None for row in rows):
        notes.append(PARSE_NOTE)
    elif view.fight.kill:
        missing.append(f"no parses: this store has fewer than {MIN_KILLS} kills of this boss by each spec")
    else:
        notes.append("A wipe has no parse and is not compared with kills.")
    if any(row["activity"] is not None for row in rows):
        notes.append(
            f"Activity, where {USUAL_GCD} % is expected: {ACTIVITY.told()}; limits are lower where encounter and spec "
            "allow less, as `get_activity_report` tells."
        )
    if any(one.their_parse is not None for one in everybody):
        notes.append(THEIR_PARSE_NOTE)
    return raid_result(
        reader.heading(view),
        figures,
        missing=missing,
        notes=notes,
        chart=_damage_chart(view),
        timeline=_timeline(view, phases),
    )


def _player_row(view: FightView, one: Performance, population: ParsePopulation) -> dict[str, Json]:
    parse = population.parse(one, view.fight.encounter_id, view.length_ms, kill=view.fight.kill)
    active = min(100.0, 100 * one.active_ms / view.alive_ms(one.actor))
    graded = one.role == "damage" and one.class_name != "Hunter"
    return {
        "player": view.full_name(one.actor),
        "class": one.class_name or "unknown",
        "spec": one.spec or "unknown",
        "role": one.role,
        "item_level": one.item_level or None,
        "damage": one.damage,
        "dps": rate(one.damage, view.length_ms),
        "healing": one.healing,
        "hps": rate(one.healing, view.length_ms),
        "overheal_percent": 100 * one.overheal / whole if (whole := one.healing - one.absorbs + one.overheal) else None,
        "taken": one.taken,
        "friendly_fire": one.friendly_fire or None,
        "deaths": one.deaths,
        "died_at": show_length(one.died_at) if one.died_at is not None else None,
        "alive_again_at": _alive_again(view, one.actor),
        "spirit_of_redemption_at": _spirit_at(view, one.actor),
        "interrupts": one.interrupts,
        "dispels": one.dispels,
        "gcd_uptime_percent": active,
        "activity": activity_grade(active, expected_uptime(view, one.actor)) if graded else None,
        **parse.told(),
    }


def _alive_again(view: FightView, player: int) -> str | None:
    """When the player came back after each death."""
    revivals = [view.revived(death) for death in view.record.deaths if death.actor == player]
    return ", ".join(show_length(one.at) for one in revivals if one is not None) or None


def _spirit_at(view: FightView, player: int) -> str | None:
    """When a priest became a Spirit of Redemption: the loss is then, whenever the death is."""
    times = [show_length(one.at) for one in view.record.deaths if one.actor == player and one.feigned == SPIRIT]
    return ", ".join(times) or None


def _composition(everybody: Sequence[Performance]) -> dict[str, Json]:
    roles = Counter(one.role for one in everybody)
    specs = Counter(f"{one.spec} {one.class_name}".strip() or "unknown" for one in everybody)
    return {
        **{f"{role}s" if role != "damage" else "damage_dealers": roles[role] for role in _ROLES},
        "specs": ", ".join(f"{count} {name}" if count > 1 else name for name, count in sorted(specs.items())),
    }


def _damage_chart(view: FightView) -> Chart | None:
    """Damage to enemies and effective healing a second, over time."""
    rates = raid_rates(view)
    return line_chart(
        "Damage and healing a second",
        [show_length(step * rates.step_ms) for step in range(len(rates.dps))],
        {"DPS": rates.dps, "HPS": rates.hps},
    )


def _timeline(view: FightView, spans: Sequence[PhaseSpan]) -> Timeline | None:
    """Phases, and who was dead when."""
    phases = [
        Span(
            begin=phase.begin / 1000,
            end=phase.end / 1000,
            label=phase.name[:100],
            kind="downtime" if phase.downtime else "phase",
        )
        for phase in spans
    ]
    rows = [("Phases", phases)]
    for player in view.players():
        if away := view.dead_spans(player):
            dead = [Span(begin=begin / 1000, end=end / 1000, label="dead", kind="gap") for begin, end in away]
            rows.append((view.name_of(player), dead))
    return fit_timeline(
        f"Course of {view.fight.name or 'the fight'}", view.length_ms / 1000, rows, timeline_marks(view)
    )
