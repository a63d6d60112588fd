"""Tools about the course of fights: the phases of one, and the attempts at a boss in a night or over all nights."""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Annotated, Final

from glassloop.core.errors import ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis import phases
from glassloop.extensions.raids.analysis.history.trends import slope
from glassloop.extensions.raids.analysis.parses import SAME_KILL_MS
from glassloop.extensions.raids.analysis.phase_totals import PhaseTotals, phase_totals
from glassloop.extensions.raids.analysis.totals.deaths import falls, spirits_alone
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import NO_SPELL
from glassloop.extensions.raids.knowledge.facts import Encounter
from glassloop.extensions.raids.records import Actor, Death, Spell
from glassloop.extensions.raids.storage.rows import FightRow, StoredFight
from glassloop.extensions.raids.tools.fight.falls import fall_name
from glassloop.extensions.raids.tools.history.player_rows import MAX_ROWS
from glassloop.extensions.raids.tools.parameters import (
    ALL_NIGHTS,
    LAST,
    EncounterName,
    FightId,
    OptionalPlayerName,
    ReportCode,
)
from glassloop.extensions.raids.tools.player_title import by_interest, performance_of, player_heading, seconds
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import NO_REPORTS, RaidReader, boss_fights, show_outcome, show_time
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_count, show_length
from glassloop.extensions.raids.tools.timelines import phase_timeline
from glassloop.tools.tool import Tool, ToolContext

MAX_ATTEMPTS: Final = 40
LEAST_WIPES: Final = 3
"""With fewer there is no trend."""
LARGE_DROP: Final = 0.75
"""A rate below this part of the fight's own is a drop."""


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_phase_analysis(
        context: ToolContext,
        report_code: ReportCode = LAST,
        fight_id: FightId = LAST,
        player_name: OptionalPlayerName = "",
    ) -> ToolResult:
        """Phases of one fight with their times, and DPS, HPS, deaths and activity in each, of one player or everybody;
        downtime phases (in the air, banished) are marked. For "where did we lose time?" or "which phase was bad?"."""
        view = await reader.fight(context.user, report_code, fight_id)
        player = reader.player_or_all(view, player_name)
        return await asyncio.to_thread(phase_answer, reader, view, [] if player is None else [player])

    @raid_tool
    async def get_wipe_progression(
        context: ToolContext,
        encounter_name: EncounterName,
        report_code: Annotated[str, "The report's code, 'last' for the newest night, or 'all' for all nights."] = "all",
    ) -> ToolResult:
        """All attempts at one boss, in a report or over all nights (report_code 'all'): boss health left, phase
        reached, raid DPS, deaths (the first one and its cause), length, and the trend. For "how did our wipes on … go?"
        and, over all nights, "are we getting better?"."""
        encounter = await reader.encounter(encounter_name)
        if report_code.strip().casefold() in ("", *ALL_NIGHTS):
            return await _over_all_nights(reader, context.user, encounter)
        report = await reader.report(context.user, report_code)
        rows = [row for row in boss_fights(report.fights) if row.encounter_id == encounter.id]
        if not rows:
            raise ToolError(no_attempts(reader, encounter, report.row.code, boss_fights(report.fights)))
        fights = await stored_fights(reader, context.user, rows[-MAX_ATTEMPTS:])
        elsewhere = "" if any(not row.kill for row in rows) else await _newest_wipes(reader, context.user, encounter)
        return wipe_answer(encounter, report.row.code, fights, before=len(rows) - len(fights), elsewhere=elsewhere)

    return [get_phase_analysis, get_wipe_progression]


async def _over_all_nights(reader: RaidReader, user: str, encounter: Encounter) -> ToolResult:
    found = await reader.store.search(user, encounter_id=encounter.id, limit=MAX_ROWS)
    if not found:
        none = f"No attempt at {encounter.name} was imported: `search_fights` lists what is there."
        raise ToolError(none if await reader.store.reports(user, limit=1) else NO_REPORTS)
    rows = distinct_attempts(found)
    fights = await stored_fights(reader, user, rows[-MAX_ATTEMPTS:])
    return wipe_answer(encounter, "all nights", fights, before=len(rows) - len(fights))


async def _newest_wipes(reader: RaidReader, user: str, encounter: Encounter) -> str:
    """Of a boss that a report has only kills of."""
    found = await reader.store.search(user, encounter_id=encounter.id, kill=False, limit=MAX_ATTEMPTS)
    if not found:
        return " No other report has one."
    numbers = ", ".join(str(row.number) for row in reversed(found) if row.code == found[0].code)
    when = show_time(found[0].started_at)[:10]
    return f" The newest wipes are of {when}: report {found[0].code}, fight {numbers}."


def distinct_attempts(rows: Iterable[FightRow]) -> list[FightRow]:
    """Oldest first; of an attempt that several logs of a night have, the user's own."""
    kept = list[FightRow]()
    for row in sorted(rows, key=lambda one: one.started_at):
        if not kept or row.started_at - kept[-1].started_at > SAME_KILL_MS:
            kept.append(row)
        elif row.own and not kept[-1].own:
            kept[-1] = row
    return kept


async def stored_fights(reader: RaidReader, user: str, rows: Sequence[FightRow]) -> list[StoredFight]:
    found = [await reader.store.fight(user, row.code, row.number) for row in rows]
    return [fight for fight in found if fight is not None]


def no_attempts(reader: RaidReader, encounter: Encounter, code: str, fights: Sequence[FightRow]) -> str:
    names = dict.fromkeys(reader.encounter_name(row.encounter_id, row.name) for row in fights)
    return f"Report {code} has no attempt at {encounter.name}. It has: {', '.join(names) or 'no boss fights'}."


def phase_answer(reader: RaidReader, view: FightView, chosen: Sequence[int]) -> ToolResult:
    spans = phases.phases_of(view)
    players = list(chosen) or [one.actor for one in sorted(view.record.performances, key=by_interest)]
    totals = phase_totals(view, spans, players)
    missing = reader.missing(view)
    if not all(span.seen for span in spans):
        missing.append("times of the phases marked as estimated are not in the log: they follow from rules of the boss")
    if not view.log:
        missing.append("no events: the import holds none of this fight, so rates by phase are zero")
    overall = _rates(totals, view.length_ms)
    figures: dict[str, Json] = {
        "phases": [_phase_row(span, each) for span, each in zip(spans, totals, strict=True)],
    }
    if not chosen:
        figures |= _by_player(view, players, spans, totals)
    healer = bool(chosen) and performance_of(view, chosen[0]).role == "healer"
    notes = _drops(spans, totals, overall[1] if healer else overall[0], "HPS" if healer else "DPS")
    if any(span.downtime for span in spans):
        notes.append("Downtime phases are not held against anybody.")
    if len(spans) == 1:
        known = view.encounter.phases if view.encounter is not None else ()
        notes.append(
            f"The fight ended in the first of {len(known)} phases."
            if len(known) > 1
            else "This encounter has a single phase."
        )
    heading = player_heading(reader, view, chosen[0]) if chosen else reader.heading(view)
    bars = [
        (f"{span.name} ({show_length(span.begin)})", round(_rates([each], span.length_ms)[1 if healer else 0]))
        for span, each in zip(spans, totals, strict=True)
    ]
    who = f"{view.name_of(chosen[0])}, " if chosen else ""
    unit = "HPS" if healer else "DPS"
    chart = bar_chart(f"{unit} by phase: {who}{reader.fight_title(view)}", bars, unit)
    timeline = phase_timeline(view, spans)
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart, timeline=timeline)


def _rates(totals: Sequence[Sequence[PhaseTotals]], length_ms: int) -> tuple[float, float]:
    """DPS and HPS of all."""
    length = max(1, length_ms)
    damage = sum(one.damage for each in totals for one in each)
    healing = sum(one.healing for each in totals for one in each)
    return damage * 1000 / length, healing * 1000 / length


def _phase_row(span: phases.PhaseSpan, totals: Sequence[PhaseTotals]) -> dict[str, Json]:
    dps, hps = _rates([totals], span.length_ms)
    alive = sum(one.alive_ms for one in totals)
    return {
        "phase": span.name,
        "from": show_length(span.begin),
        "to": show_length(span.end),
        "length_s": seconds(span.length_ms),
        "time": "seen" if span.seen else "estimated",
        "downtime": span.downtime,
        "dps": dps,
        "hps": hps,
        "deaths": sum(one.deaths for one in totals),
        "activity_percent": 100 * sum(one.busy_ms for one in totals) / alive if alive else None,
    }


def _by_player(
    view: FightView, players: Sequence[int], spans: Sequence[phases.PhaseSpan], totals: Sequence[Sequence[PhaseTotals]]
) -> dict[str, Json]:
    """A table a measure, with a column a phase; a phase that came several times is one column."""
    places = dict[str, list[int]]()
    for place, span in enumerate(spans):
        places.setdefault(span.name, []).append(place)
    lengths = {name: sum(spans[place].length_ms for place in mine) for name, mine in places.items()}
    tables: dict[str, list[Json]] = {"dps_by_phase": [], "hps_by_phase": [], "activity_percent_by_phase": []}
    for number, player in enumerate(players):
        role = performance_of(view, player).role
        who: dict[str, Json] = {"player": view.name_of(player), "role": role}
        each = {name: [totals[place][number] for place in mine] for name, mine in places.items()}
        rates = {name: _rates([of], lengths[name])[1 if role == "healer" else 0] for name, of in each.items()}
        deaths = sum(one.deaths for of in each.values() for one in of)
        tables["hps_by_phase" if role == "healer" else "dps_by_phase"].append({**who, **rates, "deaths": deaths})
        tables["activity_percent_by_phase"].append({**who, **{name: _activity(of) for name, of in each.items()}})
    return {name: rows for name, rows in tables.items() if rows}


def _activity(totals: Sequence[PhaseTotals]) -> float | None:
    alive = sum(one.alive_ms for one in totals)
    return min(100.0, 100 * sum(one.busy_ms for one in totals) / alive) if alive > 0 else None


def _drops(
    spans: Sequence[phases.PhaseSpan], totals: Sequence[Sequence[PhaseTotals]], overall: float, unit: str
) -> list[str]:
    """Phases with something to do in which much less was done than in the fight as a whole."""
    notes = list[str]()
    for span, each in zip(spans, totals, strict=True):
        rate = _rates([each], span.length_ms)[1 if unit == "HPS" else 0]
        if not span.downtime and overall > 0 and rate < LARGE_DROP * overall:
            dead = sum(span.length_ms - one.alive_ms for one in each)
            why = f", {show_length(dead)} of players' time lost to deaths" if dead >= 1000 else ""
            notes.append(
                f"{span.name} (from {show_length(span.begin)}): {rate:,.0f} {unit}, "
                f"{100 * rate / overall:.0f} % of the rate of the whole fight{why}."
            )
    return notes


def wipe_answer(
    encounter: Encounter, code: str, fights: Sequence[StoredFight], before: int = 0, elsewhere: str = ""
) -> ToolResult:
    """Oldest first; `before`: how many older attempts are left out; `elsewhere`: where there are wipes, if not here."""
    rows = [_attempt_row(encounter, number, fight) for number, fight in enumerate(fights, 1)]
    wipes = [fight.record.fight for fight in fights if not fight.record.fight.kill]
    kills = len(fights) - len(wipes)
    known = [(number, fight.boss_health) for number, fight in enumerate(wipes, 1) if fight.boss_health is not None]
    best = min((health for _, health in known), default=None)
    figures: dict[str, Json] = {
        "attempts": len(fights),
        "wipes": len(wipes),
        "kills": kills,
        "best_wipe_percent": best,
        "trend_percent_per_attempt": _change_a_wipe(known),
        "trend": _trend(known),
        **({"by_night": nights} if len(nights := _nights(fights)) > 1 else {}),
        "by_attempt": list(rows),
        "first_deaths_by_cause": counted(Counter(str(row["first_death_of"]) for row in rows if row["first_death_of"])),
    }
    missing = list(dict.fromkeys(text for fight in fights for text in fight.record.fight.missing))
    if len(known) < len(wipes):
        missing.append("no boss health of some attempts: the log has no advanced data")
    notes = [] if wipes else [f"There was no wipe: every attempt was a kill.{elsewhere}"]
    if before:
        notes.append(f"The newest {len(fights)} attempts of {before + len(fights)}: the older ones are left out.")
    bars = [
        (f"{number}{' (kill)' if fight.record.fight.kill else ''}", _health_left(fight))
        for number, fight in enumerate(fights, 1)
    ]
    chart = bar_chart(f"Boss health left by attempt: {encounter.name}", bars, "Left", "%")
    heading: dict[str, Json] = {
        "report": code,
        "encounter": encounter.name,
        "result": show_outcomes(kills, len(wipes)),
        "length": show_length(sum(fight.row.length_ms for fight in fights)),
    }
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart)


def _health_left(fight: StoredFight) -> float:
    one = fight.record.fight
    return 0.0 if one.kill else round(one.boss_health if one.boss_health is not None else 100.0, 1)


def _attempt_row(encounter: Encounter, number: int, fight: StoredFight) -> dict[str, Json]:
    one, length = fight.record.fight, max(1, fight.row.length_ms)
    deaths = [death for death in fight.record.deaths if not death.feigned]
    first = next(iter(falls(fight.record.deaths)), None)
    return {
        "attempt": number,
        "when": show_time(one.started_at),
        "report_code": fight.row.code,
        "fight_id": one.number,
        "result": show_outcome(one.kill, one.boss_health),
        "boss_health_percent": 0.0 if one.kill else one.boss_health,
        "phase_reached": phases.phase_reached(encounter, one.boss_health, length, kill=one.kill) or None,
        "length": show_length(length),
        "length_s": seconds(length),
        "raid_dps": sum(each.damage for each in fight.record.performances) * 1000 / length,
        "deaths": len(deaths),
        "spirits_of_redemption": len(spirits_alone(fight.record.deaths)) or None,
        "first_death": None if first is None else fall_name(actor_name(fight.actors, first.actor), first),
        "first_death_at": None if first is None else show_length(first.at),
        "first_death_of": None if first is None else cause_of(first, fight.actors, fight.spells),
    }


def cause_of(death: Death, actors: Sequence[Actor], spells: Sequence[Spell]) -> str:
    """The killing blow and whose it was."""
    if death.cause is None or not 0 <= death.cause < len(death.blows):
        return "unknown"
    blow = death.blows[death.cause]
    return f"{spell_name(blow.spell, spells)} ({actor_name(actors, blow.source)})"


def spell_name(index: int, spells: Sequence[Spell]) -> str:
    return "Melee" if index == NO_SPELL or index >= len(spells) else spells[index].name


def show_outcomes(kills: int, wipes: int) -> str:
    """ "1 kill, 3 wipes"."""
    return f"{show_count(kills, 'kill')}, {show_count(wipes, 'wipe')}"


def actor_name(actors: Sequence[Actor], index: int) -> str:
    return actors[index].name if 0 <= index < len(actors) else "Environment"


def _nights(fights: Sequence[StoredFight]) -> list[Json]:
    """The attempts of each report, added up."""
    by_code = dict[str, list[StoredFight]]()
    for fight in fights:
        by_code.setdefault(fight.row.code, []).append(fight)
    rows = list[Json]()
    for code, tries in by_code.items():
        wipes = [one.record.fight for one in tries if not one.record.fight.kill]
        known = [one.boss_health for one in wipes if one.boss_health is not None]
        kill = next((one.row for one in tries if one.record.fight.kill), None)
        rows.append({
            "when": show_time(tries[0].row.started_at)[:10],
            "report_code": code,
            "result": show_outcomes(len(tries) - len(wipes), len(wipes)),
            "best_wipe_percent": min(known, default=None),
            "mean_wipe_percent": fmean(known) if known else None,
            "longest_wipe": show_length(max(one.ended_at - one.started_at for one in wipes)) if wipes else None,
            "kill_time": show_length(kill.length_ms) if kill is not None else None,
        })  # fmt: skip
    return rows


def _change_a_wipe(wipes: Sequence[tuple[int, float]]) -> float | None:
    """In points of boss health; None of so few wipes that it says nothing."""
    if len(wipes) < LEAST_WIPES:
        return None
    return slope([(float(number), health) for number, health in wipes])


def _trend(wipes: Sequence[tuple[int, float]]) -> str:
    change = _change_a_wipe(wipes)
    if change is None:
        return "too few wipes to tell"
    if abs(change) < 1:
        return "no clear change from wipe to wipe"
    return f"{'better' if change < 0 else 'worse'} by {abs(change):.1f} points of boss health a wipe"


def counted(counts: "Counter[str]") -> list[Json]:
    return [{"cause": cause, "times": times} for cause, times in counts.most_common()]
