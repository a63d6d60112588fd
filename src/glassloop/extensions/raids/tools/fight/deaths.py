"""The tool that explains the deaths of a fight."""

import asyncio
from collections.abc import Sequence
from typing import Final

from glassloop.core.charts import Chart
from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.records import Blow, Death
from glassloop.extensions.raids.tools.days import Day, Days
from glassloop.extensions.raids.tools.fight.death_causes import avoidable, has_to_take, killing_mechanic
from glassloop.extensions.raids.tools.fight.defensives import blow_school, defensives_at
from glassloop.extensions.raids.tools.fight.falls import fall_figures, spirit_notes
from glassloop.extensions.raids.tools.fight.survival import LAST_MS, blow_row, school_name, survival_figures
from glassloop.extensions.raids.tools.fight.wipes import wipe_course
from glassloop.extensions.raids.tools.night.deaths import night_deaths
from glassloop.extensions.raids.tools.night.deaths_of_nights import deaths_over_nights
from glassloop.extensions.raids.tools.night.fights import whole_night
from glassloop.extensions.raids.tools.parameters import (
    ALL_NIGHTS,
    LAST,
    NIGHT,
    FightOfNight,
    OptionalPlayerName,
    ReportOrNights,
)
from glassloop.extensions.raids.tools.player_title import performance_of, seconds
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import line_chart, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

MAX_TOLD: Final = 6
"""Deaths whose last hits and heals are told; the others by their cause."""
_TOLD_MS: Final = 20_000


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_death_analysis(
        context: ToolContext,
        report_code: ReportOrNights = LAST,
        fight_id: FightOfNight = NIGHT,
        player_name: OptionalPlayerName = "",
        since: Day = "",
        until: Day = "",
    ) -> ToolResult:
        """Each death of one fight, or of one player in it: when, the killing blow and who did it, the hits and heals
        before with the health left, whether it was avoidable, which defensive cooldowns were ready, when the player was
        alive again; of a wipe its course; of survivors the lowest health and near deaths, of tanks misses, blocks,
        crushing blows and damage taken by source.
        Without fight_id the deaths of the whole night; with report_code 'all' those of the newest nights together (a
        boss as fight_id; since and until for days): who dies most and of what. For "why did I die?", "was it close?",
        "why did we wipe?", "who dies most lately?"."""
        days = Days(since=since, until=until)
        if report_code.strip().casefold() in ALL_NIGHTS or (days and report_code.strip().casefold() in ("", LAST)):
            return await deaths_over_nights(reader, context.user, fight_id, player_name, days)
        if days:
            raise BadArguments(f"`since` and `until` are of all nights: give report_code 'all', not {report_code!r}.")

        async def detail(number: int, name: str) -> ToolResult:
            view = await reader.fight(context.user, report_code, number)
            return await asyncio.to_thread(death_answer, reader, view, reader.player_or_all(view, name))

        if (night := await whole_night(reader, context.user, report_code, fight_id)) is not None:
            return await night_deaths(reader, context.user, night, player_name, detail)
        view = await reader.fight(context.user, report_code, fight_id)
        player = reader.player_or_all(view, player_name)
        return await asyncio.to_thread(death_answer, reader, view, player)

    return [get_death_analysis]


def death_answer(reader: RaidReader, view: FightView, player: int | None) -> ToolResult:
    chosen = [death for death in view.record.deaths if player in (None, death.actor)]
    deaths, false = [one for one in chosen if not one.feigned], [one for one in chosen if one.feigned]
    heading = reader.heading(view)
    if player is not None:
        heading["player"] = view.full_name(player)
    course = wipe_course(view, view.record.deaths)
    figures: dict[str, Json] = {
        "deaths": len(deaths),
        **fall_figures(chosen, view.name_of),
        "course_of_the_wipe": course.told() if course is not None else None,
        "each": [_death_row(view, number, death) for number, death in enumerate(deaths, 1)],
    }
    if advice := _advice(view, deaths):
        figures["advice"] = advice
    for number, death in enumerate(deaths[:MAX_TOLD], 1):
        figures[f"before_death_{number}"] = [blow_row(view, death.at, blow) for blow in _telling(death)]
    figures |= survival_figures(view, player)
    if false:
        figures["fell_or_feigned_without_a_death"] = [
            {"player": view.name_of(one.actor), "at": show_length(one.at), "what": one.feigned, **_blow(view, one)}
            for one in false
        ]
    missing, notes = reader.missing(view), [*spirit_notes(chosen, view.name_of), *_notes(view, deaths, player)]
    if course is not None:
        notes += course.notes()
    if deaths and all(blow.health < 0 for death in deaths for blow in death.blows):
        missing.append("no health before the deaths: the log has no advanced data")
    if len(deaths) > MAX_TOLD:
        notes.append(f"Hits and heals are told of the first {MAX_TOLD} deaths; give `player_name` for another one.")
    chart = _health_chart(view, deaths[0]) if deaths else None
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart)


def _advice(view: FightView, deaths: Sequence[Death]) -> list[Json]:
    """Once for each mechanic that somebody died of who could have done something about it."""
    told = dict[str, int]()
    for death in deaths:
        mechanic = killing_mechanic(view, death)
        if mechanic is not None and not has_to_take(view, death.actor, mechanic):
            text = f"{mechanic.name}: {mechanic.advice}"
            told[text] = told.get(text, 0) + 1
    return [f"{text} ({count} deaths)" if count > 1 else text for text, count in told.items()]


def _telling(death: Death) -> list[Blow]:
    """Without heals that healed nothing, and without what was long before, unless there is nothing else."""
    blows = [blow for blow in death.blows if blow.kind == "damage" or blow.amount]
    return [blow for blow in blows if death.at - blow.at <= _TOLD_MS] or blows


def _death_row(view: FightView, number: int, death: Death) -> dict[str, Json]:
    blow = death.blows[death.cause] if death.cause is not None else None
    mechanic = killing_mechanic(view, death)
    defensives = defensives_at(view, death.actor, death.at, blow)
    back = view.revived(death)
    recent = [one for one in death.blows if death.at - one.at <= LAST_MS]
    return {
        "number": number,
        "player": view.name_of(death.actor),
        "role": performance_of(view, death.actor).role,
        "at": show_length(death.at),
        "at_s": seconds(death.at),
        "killed_by": view.spell_name(blow.spell) if blow is not None else "unknown",
        "source": view.name_of(blow.source) if blow is not None else None,
        "amount": blow.amount if blow is not None else None,
        "overkill": blow.overkill if blow is not None else None,
        "damage_type": _damage_type(view, blow) if blow is not None else None,
        "avoidable": avoidable(view, death.actor, blow, mechanic),
        "damage_before": sum(one.amount for one in recent if one.kind == "damage"),
        "healing_before": sum(one.amount for one in recent if one.kind == "heal"),
        "defensives_ready": defensives.unused,
        "defensives_running": ", ".join(defensives.running),
        "defensives_on_cooldown": ", ".join(defensives.waiting),
        "alive_again_at": show_length(back.at) if back is not None else None,
        "resurrected_by": view.name_of(back.by) if back is not None and back.by is not None else None,
    }


def _blow(view: FightView, death: Death) -> dict[str, Json]:
    """What struck a priest down who became a spirit."""
    if death.cause is None:
        return {}
    blow = death.blows[death.cause]
    return {
        "struck_by": view.spell_name(blow.spell),
        "source": view.name_of(blow.source),
        "amount": blow.amount,
        "overkill": blow.overkill,
    }


def _damage_type(view: FightView, blow: Blow) -> str:
    """What the blow is made of: not every defensive cooldown helps against all."""
    if not 0 <= blow.spell < len(view.spells):
        return "surroundings" if blow.source >= len(view.actors) else "physical (melee)"
    return school_name(blow_school(view, blow))


def _notes(view: FightView, deaths: Sequence[Death], player: int | None) -> list[str]:
    if not deaths:
        return ["Nobody died." if player is None else f"{view.name_of(player)} did not die."]
    notes = ["Damage and healing before are those of the last ten seconds, as far as the ten hits and heals reach."]
    first = min(deaths, key=lambda death: death.at)
    if len(deaths) > 1:
        notes.append(f"The first to die was {view.name_of(first.actor)} at {show_length(first.at)}.")
    notes.append("Defensives are those that help against the school of the killing blow.")
    back = [(death, found) for death in deaths if (found := view.revived(death)) is not None]
    if back:
        told = ", ".join(f"{view.name_of(death.actor)} at {show_length(found.at)}" for death, found in back[:MAX_TOLD])
        notes.append(f"Alive again after the death: {told}.")
    for death in deaths[:MAX_TOLD]:
        last = [blow for blow in death.blows if death.at - blow.at <= LAST_MS]
        if last and not any(blow.kind == "heal" for blow in last):
            notes.append(f"{view.name_of(death.actor)} got no heal in the ten seconds before the death.")
    return notes


def _health_chart(view: FightView, death: Death) -> Chart | None:
    """The last ten seconds of the first death."""
    points = [
        blow for blow in death.blows if death.at - blow.at <= LAST_MS and blow.health >= 0 and blow.max_health > 0
    ]
    return line_chart(
        f"Health of {view.name_of(death.actor)} before the death at {show_length(death.at)}",
        [f"−{(death.at - blow.at) / 1000:.1f} s" for blow in points],
        {"Health": [100 * blow.health / blow.max_health for blow in points]},
        "%",
    )
