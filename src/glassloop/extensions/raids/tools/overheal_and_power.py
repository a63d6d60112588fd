"""Tools about healing done in vain and about power: mana, rage, energy."""

import asyncio
from collections.abc import Sequence
from typing import Final

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.efficiency import overheal, resources
from glassloop.extensions.raids.analysis.grades import OVERHEAL
from glassloop.extensions.raids.analysis.review.energy import EnergyReadings
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Kind
from glassloop.extensions.raids.tools.night.fights import whole_night
from glassloop.extensions.raids.tools.night.overheal import night_overheal
from glassloop.extensions.raids.tools.night.power import fight_power, mana_verdict, night_power
from glassloop.extensions.raids.tools.parameters import (
    LAST,
    FightOrNight,
    PlayerName,
    PlayerOrRaid,
    ReportCode,
)
from glassloop.extensions.raids.tools.player_title import performance_of, player_heading, seconds
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RAID_WORDS, RaidReader
from glassloop.extensions.raids.tools.result import bar_chart, line_chart, raid_result, show_count, show_length
from glassloop.tools.tool import Tool, ToolContext

NO_POWER: Final = "no mana, rage or energy: the log has no advanced data (turn on Advanced Combat Logging)"


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_overheal_analysis(
        context: ToolContext, player_name: PlayerName, report_code: ReportCode = LAST, fight_id: FightOrNight = LAST
    ) -> ToolResult:
        """Overheal of a healer in one fight: in all and by spell, beside the target of the spec (over 30 % flagged),
        and which ranks were cast; with fight_id 'all' by fight over the whole night. For questions about healing
        efficiency, wasted healing or downranking."""
        if (night := await whole_night(reader, context.user, report_code, fight_id)) is not None:
            return await night_overheal(reader, context.user, night, player_name)
        view = await reader.fight(context.user, report_code, fight_id)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(overheal_answer, reader, view, player)

    @raid_tool
    async def get_resource_usage(
        context: ToolContext, player_name: PlayerOrRaid, report_code: ReportCode = LAST, fight_id: FightOrNight = LAST
    ) -> ToolResult:
        """Mana, rage or energy of a player over one fight: lowest, highest, average, when it ran dry and for how long,
        where it went, and what came back (potions, Innervate, Mana Tide). For "was I out of mana?" and for rage or
        energy that ran dry. With player_name 'raid' all healers in one table ("which healer ran out of mana?"), with
        fight_id 'all' over the whole night."""
        if (night := await whole_night(reader, context.user, report_code, fight_id)) is not None:
            return await night_power(reader, context.user, night, player_name)
        view = await reader.fight(context.user, report_code, fight_id)
        if player_name.strip().casefold() in RAID_WORDS:
            return await asyncio.to_thread(fight_power, reader, view)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(resource_answer, reader, view, player)

    return [get_overheal_analysis, get_resource_usage]


def overheal_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    found = overheal.analyse_overheal(view, player)
    one = performance_of(view, player)
    notes = list[str]()
    if one.role != "healer":
        notes.append(f"{view.name_of(player)} is no healer here ({one.role}): overheal is no measure for that role.")
    if found.target is not None and found.effective:
        over = found.percent - found.target
        side = "above" if over > 0 else "below"
        notes.append(f"Overheal is {abs(over):.1f} points {side} the target of {found.target:g} % for this spec.")
    if found.target is not None and OVERHEAL.grade(found.target) == "flagged":
        notes.append("Heals over time overheal by nature: for this spec over 30 % is usual.")
    if any(spell.shield for spell in found.spells):
        notes.append("Shields count by what they absorbed; the log does not tell what was left of them.")
    figures: dict[str, Json] = {
        "hps": found.effective * 1000 / view.length_ms,
        "effective_healing": found.effective,
        "of_it_absorbs": found.absorbs,
        "overheal": found.overheal,
        "overheal_percent": found.percent,
        "target_percent": found.target,
        "flagged": OVERHEAL.grade(found.percent) == "flagged",
        "spells": [_overheal_row(spell, found) for spell in found.spells],
        "ranks": [row for spell in found.spells for row in _rank_rows(spell)],
    }
    missing = reader.missing(view)
    if not found.effective and not found.overheal:
        notes.append("This player healed nobody in this fight.")
    shown = [spell for spell in found.spells if not spell.shield and spell.effective + spell.overheal]
    title = f"Overheal of {view.name_of(player)}: {reader.fight_title(view)}"
    chart = bar_chart(title, [(spell.name, round(spell.percent, 1)) for spell in shown], "Overheal", "%")
    return raid_result(player_heading(reader, view, player), figures, missing=missing, notes=notes, chart=chart)


def _overheal_row(spell: overheal.SpellOverheal, found: overheal.OverhealAnalysis) -> dict[str, Json]:
    return {
        "spell": f"{spell.name} ({spell.by})" if spell.by else spell.name,
        "casts": spell.casts,
        "effective": spell.effective,
        "share_percent": 100 * spell.effective / found.effective if found.effective else 0.0,
        "overheal": spell.overheal,
        "overheal_percent": None if spell.shield else spell.percent,
        "flagged": not spell.shield and OVERHEAL.grade(spell.percent) == "flagged",
        "number_of_ranks": len(spell.ranks),
    }


def _rank_rows(spell: overheal.SpellOverheal) -> list[dict[str, Json]]:
    return [
        {
            "spell": spell.name,
            "rank": rank.rank,
            "spell_id": str(rank.spell_id),
            "casts": rank.casts,
            "average_heal": (rank.effective + rank.overheal) / rank.hits if rank.hits else None,
            "overheal_percent": overheal.overheal_percent(rank.effective, rank.overheal),
        }
        for rank in spell.ranks
        if rank.rank is not None or len(spell.ranks) > 1
    ]


def resource_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    uses = resources.resource_uses(view, player)
    helped = resources.mana_help(view, player)
    missing = reader.missing(view)
    if not uses:
        missing.append(NO_POWER)
    healer = performance_of(view, player).role == "healer"
    figures: dict[str, Json] = {
        "verdict": next((_mana_verdict(use) for use in uses if healer and use.power == "mana"), None),
        **_wasted_energy(view, player, uses),
        "resources": [_resource_row(use) for use in uses],
        "falls": [_fall_row(use, fall) for use in uses for fall in use.falls],
        "spent_by_spell": [
            {"resource": use.power, "spell": name, "spent_about": spent} for use in uses for name, spent in use.spent
        ],
        "gained": [
            {"resource": use.power, "spell": gain.spell, "from": gain.source, "total": gain.total, "times": gain.times}
            for use in uses
            for gain in use.gains
        ],
        "potions_and_help": [
            {"what": one.name, "at_s": seconds(one.at), "at": show_length(one.at), "from": one.source or None}
            for one in helped
        ],
    }
    notes = _resource_notes(uses)
    chart = None
    if uses:
        use = uses[0]
        values = [round(100 * value / use.maximum, 1) for _, value in use.points]
        points = [show_length(at) for at, _ in use.points]
        title = f"{use.power.capitalize()} of {view.name_of(player)}: {reader.fight_title(view)}"
        chart = line_chart(title, points, {use.power: values}, "%")
    return raid_result(player_heading(reader, view, player), figures, missing=missing, notes=notes, chart=chart)


def _resource_row(use: resources.ResourceUse) -> dict[str, Json]:
    return {
        "resource": use.power,
        "maximum": use.maximum,
        "lowest": use.lowest,
        "lowest_percent": 100 * use.lowest / use.maximum,
        "lowest_at": show_length(use.lowest_at),
        "highest": use.highest,
        "average": use.average,
        "average_percent": 100 * use.average / use.maximum,
        "first_at_zero": show_length(use.first_zero_at) if use.first_zero_at is not None else None,
        "at_zero_s": seconds(use.at_zero_ms),
        "at_zero_percent": use.zero_percent,
        "usual_heal": f"{use.usual_heal} ({use.usual_cost:,} mana)" if use.usual_heal else None,
        "below_usual_heal_s": seconds(use.short_ms) if use.usual_heal else None,
        "below_usual_heal_percent": use.short_percent if use.usual_heal else None,
        "first_below_usual_heal": show_length(use.short_spans[0][0]) if use.short_spans else None,
        "spent_about": use.spent_total or None,
        "gained": use.gained_total or None,
        "regenerated_about": use.regained if use.power == "mana" and use.spent_total else None,
        "readings": use.samples,
    }


def _wasted_energy(view: FightView, player: int, uses: Sequence[resources.ResourceUse]) -> dict[str, Json]:
    """Energy that is full does not come back: what a rogue or cat loses, while at zero nothing is lost."""
    if not any(use.power == "energy" for use in uses):
        return {}
    casts = [view.log.at[row] for row in view.rows_of(player, {Kind.CAST})]
    full = EnergyReadings(view, player).full_between_ms(casts)
    return {} if full is None else {"energy_full_between_casts_s": seconds(full)}


def _fall_row(use: resources.ResourceUse, fall: resources.Fall) -> dict[str, Json]:
    return {
        "resource": use.power,
        "from": show_length(fall.begin),
        "to": show_length(fall.end),
        "from_percent": 100 * fall.high / use.maximum,
        "to_percent": 100 * fall.low / use.maximum,
        "lost": fall.high - fall.low,
    }


def _mana_verdict(use: resources.ResourceUse) -> str:
    """Of a healer. Who casts whenever there is mana for one heal is hardly ever at zero, and out of mana all the
    same."""
    times = [use.short_spans[0][0]] if use.short_spans else []
    times += [use.first_zero_at] if use.first_zero_at is not None else []
    first = f", first at {show_length(min(times))}" if times else ""
    below = f" or below the {use.usual_cost:,} mana of the usual heal, {use.usual_heal}," if use.usual_heal else ""
    zero = f" (at zero alone {use.zero_percent:.1f} %)" if below else ""
    told = f"at zero{below} for {use.short_percent:.1f} % of the time alive{first}{zero}"
    verdict = mana_verdict(use)
    return f"{verdict.capitalize()}: {told}; over 10 % {'is' if verdict == 'out of mana' else 'would be'}."


def _resource_notes(uses: Sequence[resources.ResourceUse]) -> list[str]:
    notes = list[str]()
    for use in uses:
        limit = resources.EMPTY_PERCENT[use.power]
        notes.append(
            f"{use.power.capitalize()} counts as zero at or below {limit:g} % of the maximum. It is known at the "
            f"player's casts and at hits and heals taken ({show_count(use.samples, 'reading')}), and taken to change "
            "evenly between."
        )
        if use.power == "mana" and use.spent_total:
            notes.append(
                "Regenerated is the mana that came back without a line in the log (spirit, mana per 5 s): what was "
                "spent and is left, less what is listed as gained and was there at first. Costs are learnt from the "
                "readings, so that it is about right and not exact."
            )
        often = use.zero_percent > resources.OFTEN_PERCENT
        if use.power == "energy":
            notes.append("Full energy between casts, counted at least, is wasted; at zero none is.")
        if use.power == "energy" and often:
            notes.append("Often without energy: too much is pressed; pool energy for what matters.")
        elif use.power == "rage" and often:
            notes.append("Often without rage: attacks miss, or hit rating is short.")
    return notes
