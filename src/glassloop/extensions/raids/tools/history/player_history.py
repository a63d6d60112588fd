"""Tools that follow a player over many fights: performance, progression."""

from collections.abc import Sequence
from itertools import groupby
from typing import Annotated

from glassloop.core.charts import Chart
from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.history.trends import WEEK_MS, weekly_slope
from glassloop.extensions.raids.analysis.parses import Parse, judged_by, metric, metric_name
from glassloop.extensions.raids.storage.rows import PerformanceRow
from glassloop.extensions.raids.tools.history.player_rows import (
    boss_healths,
    choose_player,
    choose_players,
    missing_of,
    parse_notes,
    parse_of,
    player_rows,
    spec_label,
    specs_of,
    told_performance,
)
from glassloop.extensions.raids.tools.parameters import (
    EncounterName,
    OptionalEncounterName,
    PlayerName,
)
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader, show_time
from glassloop.extensions.raids.tools.result import bar_chart, line_chart, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

NEWEST_FIGHTS = 25
WIPES_NOTE = "Wipes are told and not compared with kills: they have no parse."
_SOME_SHOWN = "give `encounter_name` for one boss, bests_only for records, or ask `search_fights` for older ones"


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tools of this file."""

    @raid_tool
    async def get_my_performance(
        context: ToolContext,
        encounter_name: OptionalEncounterName = "",
        player_name: PlayerName = "",
        bests_only: Annotated[bool, "Only the best DPS, parse and HPS of each boss, over all kills."] = False,
    ) -> ToolResult:
        """How a player did lately on a boss: DPS, HPS, parse, item level parse, deaths and length of the newest fights.
        Use it for "how am I doing on X" and "my parses". With bests_only the personal bests on every boss.
        """
        return await _performance(reader, context.user, encounter_name, player_name, bests_only=bests_only)

    @raid_tool
    async def get_progression(
        context: ToolContext,
        player_name: PlayerName,
        encounter_name: EncounterName,
        weeks: Annotated[int | None, "Only the last so many weeks before the newest fight; leave out for all."] = None,
    ) -> ToolResult:
        """How a player's kills of a boss developed over time: parse, DPS or HPS, item level, kill time, change a week.
        Use it for "am I improving", "progress over the weeks", trends. Gives a line chart.
        """
        if weeks is not None and not 1 <= weeks <= 520:
            raise BadArguments(f"`weeks` is {weeks}: give 1 to 520, or leave it out.")
        return await _progression(reader, context.user, player_name, encounter_name, weeks)

    return (get_my_performance, get_progression)


async def _performance(
    reader: RaidReader, user: str, encounter_name: str, player_name: str, *, bests_only: bool
) -> ToolResult:
    encounter = await reader.encounter(encounter_name) if encounter_name.strip() else None
    players = await choose_players(reader, user, player_name)
    encounter_id = encounter.id if encounter is not None else None
    rows = await player_rows(reader, user, players, encounter_id=encounter_id, kills_only=bests_only)
    label = ", ".join(player.label for player in players)
    heading: dict[str, Json] = {"player": label, "encounter": encounter.name if encounter is not None else "all bosses"}
    if not rows:
        where = f" on {encounter.name}" if encounter is not None else ""
        what = "kills" if bests_only else "fights"
        return raid_result(heading, {"fights": []}, missing=[f"no {what} of {label}{where} were imported"])
    if bests_only:
        return await _bests(reader, user, heading, rows)
    kills, wipes = sum(row.kill for row in rows), sum(not row.kill for row in rows)
    shown = rows[:NEWEST_FIGHTS]
    population = await reader.parses(user, {row.encounter_id for row in shown}, specs_of(shown))
    parses = [parse_of(population, row) for row in shown]
    fights = await boss_healths(reader, user, shown, encounter_id)
    told: list[Json] = [
        told_performance(reader, row, parse, fights.get((row.code, row.number)))
        for row, parse in zip(shown, parses, strict=True)
    ]
    return raid_result(
        heading,
        {"kills": kills, "wipes": wipes, "fights": told},
        missing=missing_of(reader, shown, parses),
        notes=[
            *parse_notes(parses),
            *([WIPES_NOTE] if wipes else []),
            *_role_notes(shown),
        ],
        totals={"fights": len(rows)},
        read_on=_SOME_SHOWN,
        chart=_history_chart(f"{label}, {heading['encounter']}", shown, parses) if encounter is not None else None,
    )


async def _bests(reader: RaidReader, user: str, heading: dict[str, Json], rows: Sequence[PerformanceRow]) -> ToolResult:
    population = await reader.parses(user, {row.encounter_id for row in rows}, specs_of(rows))
    parses = {(row.code, row.number, row.actor): parse_of(population, row) for row in rows}
    bests: list[Json] = []
    bars: list[tuple[str, float]] = []
    for encounter_id, group in groupby(sorted(rows, key=lambda row: row.encounter_id), lambda row: row.encounter_id):
        kills = list(group)
        ranked = [(parse.percentile, row) for row in kills
                  if (parse := parses[row.code, row.number, row.actor]).percentile is not None]  # fmt: skip
        damage, healing = max(kills, key=lambda row: row.dps), max(kills, key=lambda row: row.hps)
        best = max(ranked, key=lambda one: one[0] or 0.0, default=None)
        name = reader.encounter_name(encounter_id)
        if best is not None:
            bars.append((name, best[0] or 0.0))
        bests.append({
            "encounter": name,
            "kills": len(kills),
            "best_dps": round(damage.dps, 1),
            "best_dps_in": _where(damage) if damage.dps else None,
            "best_hps": round(healing.hps, 1),
            "best_hps_in": _where(healing) if healing.hps else None,
            "best_parse": best[0] if best is not None else None,
            "best_parse_of": parses[best[1].code, best[1].number, best[1].actor].of if best is not None else None,
            "best_parse_in": _where(best[1]) if best is not None else None,
            "specs": ", ".join(sorted({spec_label(row.class_name, row.spec) for row in kills})),
            "fastest_kill": show_length(min(row.length_ms for row in kills)),
        })  # fmt: skip
    return raid_result(
        heading,
        {"bests": bests},
        missing=missing_of(reader, rows, [parses[row.code, row.number, row.actor] for row in rows]),
        notes=[*parse_notes(parses.values()), *_role_notes(rows)],
        chart=bar_chart(f"Best parse a boss: {heading['player']}", bars, "Parse", "%"),
    )


async def _progression(
    reader: RaidReader, user: str, player_name: str, encounter_name: str, weeks: int | None
) -> ToolResult:
    encounter = await reader.encounter(encounter_name)
    player = await choose_player(reader, user, player_name)
    rows = await player_rows(reader, user, [player], encounter_id=encounter.id)
    heading: dict[str, Json] = {"player": player.label, "encounter": encounter.name}
    if weeks is not None and rows:
        rows = [row for row in rows if row.started_at >= rows[0].started_at - weeks * WEEK_MS]
        heading["period"] = f"the {weeks} weeks before {show_time(rows[0].started_at)}"
    kills = [row for row in reversed(rows) if row.kill]
    wipes = len(rows) - len(kills)
    if not kills:
        told = f"no kills of {encounter.name} by {player.label} were imported"
        return raid_result(heading, {"kills": [], "wipes": wipes}, missing=[told], notes=[WIPES_NOTE] if wipes else [])
    population = await reader.parses(user, {encounter.id}, specs_of(kills))
    parses = [parse_of(population, row) for row in kills]
    named = metric_name(kills[-1].role)
    times = [row.started_at for row in kills]
    values = [metric(row, row.length_ms) for row in kills]
    slopes: dict[str, Json] = {
        "parse": weekly_slope(times, [parse.percentile for parse in parses]),
        named: weekly_slope(times, values),
        "item_level": weekly_slope(times, [row.item_level or None for row in kills]),
        "kill_time_s": weekly_slope(times, [row.length_ms / 1000 for row in kills]),
    }
    newest_first = list(reversed(list(zip(kills, parses, strict=True))))
    return raid_result(
        heading,
        {
            "judged_by": judged_by(kills[-1].role),
            "kill_count": len(kills),
            "wipe_count": wipes,
            "first": _point(kills[0], parses[0], named),
            "latest": _point(kills[-1], parses[-1], named),
            "change_a_week": slopes,
            "kills_newest_first": [told_performance(reader, row, parse) for row, parse in newest_first],
        },
        missing=missing_of(reader, kills, parses),
        notes=[*parse_notes(parses), *([WIPES_NOTE] if wipes else []), *_role_notes(kills)],
        chart=_history_chart(f"{player.label}, {encounter.name}", list(reversed(kills)), list(reversed(parses))),
    )


def _point(row: PerformanceRow, parse: Parse, named: str) -> dict[str, Json]:
    return {
        "when": show_time(row.started_at),
        named: round(metric(row, row.length_ms), 1),
        "parse": parse.percentile,
        "item_level": round(row.item_level, 1) or None,
        "kill_time": show_length(row.length_ms),
    }


def _where(row: PerformanceRow) -> str:
    return f"{row.code} fight {row.number}"


def _role_notes(rows: Sequence[PerformanceRow]) -> list[str]:
    roles = {row.role for row in rows}
    notes: list[str] = []
    if "healer" in roles:
        notes.append("Healers are judged on HPS, overheal and mana; their DPS says nothing.")
    if "tank" in roles:
        notes.append("Tanks are judged on survival, mitigation and defensive cooldowns before DPS.")
    return notes


def _history_chart(title: str, newest_first: Sequence[PerformanceRow], parses: Sequence[Parse]) -> Chart | None:
    """Parses of kills over time; DPS or HPS where there are none."""
    kills = [(row, parse) for row, parse in zip(newest_first, parses, strict=True) if row.kill][::-1]
    days = [show_time(row.started_at)[:10] for row, _ in kills]
    ranks = [parse.percentile for _, parse in kills]
    if sum(rank is not None for rank in ranks) > 1:
        return line_chart(f"Parse: {title}", days, {"Parse": ranks}, "%")
    if not kills:
        return None
    named = metric_name(kills[-1][0].role).upper()
    return line_chart(f"{named}: {title}", days, {named: [round(metric(row, row.length_ms), 1) for row, _ in kills]})
