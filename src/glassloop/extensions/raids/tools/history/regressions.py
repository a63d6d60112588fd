"""`get_regressions`: on which bosses a player, or anybody of the raids, got worse or better."""

from collections.abc import Sequence
from statistics import fmean
from typing import Annotated, Final

import msgspec

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.history.trends import (
    CHANGE_POINTS,
    EARLIER_KILLS,
    RECENT_KILLS,
    KillTrend,
    kill_trend,
)
from glassloop.extensions.raids.analysis.parses import Parse, judged_by
from glassloop.extensions.raids.knowledge.facts import Encounter
from glassloop.extensions.raids.names import name_list
from glassloop.extensions.raids.storage.rows import PerformanceRow
from glassloop.extensions.raids.tools.history.namesakes import NameLabels
from glassloop.extensions.raids.tools.history.player_rows import (
    choose_players,
    distinct_fights,
    missing_of,
    parse_notes,
    parse_of,
    player_rows,
    spec_label,
    specs_of,
)
from glassloop.extensions.raids.tools.parameters import OptionalEncounterName
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import NO_REPORTS, RAID_WORDS, RaidReader, show_time
from glassloop.extensions.raids.tools.result import MAX_KEPT, raid_result, show_count
from glassloop.tools.tool import Tool, ToolContext

_HEALERS_NOTE: Final = (
    "Parses of healers fall where the raid takes less damage: lower HPS with nobody dying is no fault. Tanks are "
    "judged on survival, so their DPS parse says little."
)


class BossTrend(msgspec.Struct, frozen=True, kw_only=True):
    """The kills of one boss by one player, newest first; `trend` None where there are too few."""

    kills: Sequence[PerformanceRow]
    ranked: Sequence[PerformanceRow]
    trend: KillTrend | None

    @property
    def newest(self) -> PerformanceRow:
        return self.kills[0]


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tool of this file."""

    @raid_tool
    async def get_regressions(
        context: ToolContext,
        player_name: Annotated[
            str, "A player's name; 'raid' for everybody of the user's raids; leave out for the user's own characters."
        ] = "",
        encounter_name: OptionalEncounterName = "",
    ) -> ToolResult:
        """Bosses on which a player got worse or better: the parse of the last 2 kills beside that of kills 3 to 7.
        15 points down is a regression, 15 up an improvement. Without player_name for the user's registered characters;
        with player_name 'raid' for everybody in one call, worst first: "who got worse lately?". With encounter_name on
        one boss, where those who stayed the same are listed, too.
        """
        encounter = await reader.encounter(encounter_name) if encounter_name.strip() else None
        if player_name.strip().casefold() in RAID_WORDS:
            return await _of_the_raid(reader, context.user, encounter)
        return await _of_players(reader, context.user, player_name, encounter)

    return (get_regressions,)


async def _of_players(reader: RaidReader, user: str, player_name: str, encounter: Encounter | None) -> ToolResult:
    players = await choose_players(reader, user, player_name)
    boss = encounter.id if encounter is not None else None
    rows = await player_rows(reader, user, players, encounter_id=boss, kills_only=True)
    trends, parses = await _trends(reader, user, rows)
    names = NameLabels(rows)
    label = ", ".join(player.label for player in players)
    at = f" at {encounter.name}" if encounter is not None else ""
    missing = [] if rows else [f"no kills of {label}{at} were imported"]
    few: list[Json] = []
    for one in trends:
        if one.trend is None:
            count, needed = len(one.kills), RECENT_KILLS + 1
            why = (
                f"{show_count(count, 'kill')}, {needed} are needed" if count < needed else "too few kills have a parse"
            )
            few.append({**_told(reader, names, one), "why": why})
    return raid_result(
        {"players": label, "encounter": _boss_label(encounter)},
        {
            "regressions": _of_verdict(reader, names, trends, "regression"),
            "improvements": _of_verdict(reader, names, trends, "improvement"),
            "steady": _of_verdict(reader, names, trends, "steady"),
            "too_few_kills": few,
        },
        missing=[*missing, *missing_of(reader, rows, parses)],
        notes=_notes(rows),
    )


async def _of_the_raid(reader: RaidReader, user: str, encounter: Encounter | None) -> ToolResult:
    boss = encounter.id if encounter is not None else None
    every = await reader.store.performances(user, encounter_id=boss, kills_only=True, reference=False)
    named = [row for row in distinct_fights(every) if row.name]
    rows = [row for row in named if row.role != "tank"]
    trends, _ = await _trends(reader, user, rows)
    names = NameLabels(rows)
    players: dict[tuple[str, str], list[BossTrend]] = {}
    for one in trends:
        players.setdefault(names.key(one.newest), []).append(one)
    groups = {names.of(members[0].newest): members for members in players.values()}
    told = sorted(
        (_player(label, members) for label, members in groups.items() if any(one.trend for one in members)),
        key=lambda row: (-int(str(row["worse"])), float(str(row["mean_change_points"])), str(row["player"])),
    )
    without = sorted(label for label, members in groups.items() if not any(one.trend for one in members))
    missing = [] if rows else ["no kills were imported" if await reader.store.reports(user, limit=1) else NO_REPORTS]
    if without:
        missing.append(f"no trend of {name_list(without, MAX_KEPT)}: too few kills of a boss have a parse")
    steady = _of_verdict(reader, names, trends, "steady")
    figures: dict[str, Json] = {
        "by_player": list(told),
        "regressions": _of_verdict(reader, names, trends, "regression"),
        "improvements": _of_verdict(reader, names, trends, "improvement"),
        **({"steady": steady} if encounter is not None else {"steady_trends": len(steady)}),
    }
    heading: dict[str, Json] = {
        "players": "everybody of the imported raids", "player_count": len(groups), "encounter": _boss_label(encounter)
    }  # fmt: skip
    if len(rows) < len(named):
        missing.append("no trends of tanks: they are judged on survival, which a parse does not tell")
    notes, read_on = _notes(rows), "give `encounter_name` or `player_name` for the others"
    return raid_result(heading, figures, missing=missing, notes=notes, read_on=read_on)


def _boss_label(encounter: Encounter | None) -> str:
    return encounter.name if encounter is not None else "all bosses"


async def _trends(reader: RaidReader, user: str, rows: Sequence[PerformanceRow]) -> tuple[list[BossTrend], list[Parse]]:
    """Of each player and boss, in the order of names; and the parses of all rows."""
    population = await reader.parses(user, {row.encounter_id for row in rows}, specs_of(rows))
    parses = [parse_of(population, row) for row in rows]
    names = NameLabels(rows)
    groups: dict[tuple[str, str, int], list[tuple[PerformanceRow, float | None]]] = {}
    for row, parse in zip(rows, parses, strict=True):
        groups.setdefault((*names.key(row), row.encounter_id), []).append((row, parse.percentile))
    trends: list[BossTrend] = []
    for _, kills in sorted(groups.items(), key=lambda one: one[0]):
        ranked = [(row, value) for row, value in kills if value is not None]
        trends.append(
            BossTrend(
                kills=[row for row, _ in kills],
                ranked=[row for row, _ in ranked],
                trend=kill_trend([value for _, value in ranked]),
            )
        )
    return trends, parses


def _of_verdict(reader: RaidReader, names: NameLabels, trends: Sequence[BossTrend], verdict: str) -> list[Json]:
    """The largest changes first."""
    found = [(one, one.trend) for one in trends if one.trend is not None and one.trend.verdict == verdict]
    return [
        {
            **_told(reader, names, one),
            "judged_by": judged_by(one.newest.role),
            "parse_last_2_kills": round(trend.recent, 1),
            "parse_kills_3_to_7": round(trend.earlier, 1),
            "change_points": round(trend.change, 1),
            "compared_with_kills": trend.earlier_kills,
            "newest_report": one.ranked[0].code,
            "newest_fight": one.ranked[0].number,
        }
        for one, trend in sorted(found, key=lambda both: -abs(both[1].change))
    ]


def _told(reader: RaidReader, names: NameLabels, one: BossTrend) -> dict[str, Json]:
    boss = reader.encounter_name(one.newest.encounter_id)
    return {"player": names.of(one.newest), "encounter": boss, "kills": len(one.kills)}


def _player(label: str, members: Sequence[BossTrend]) -> dict[str, Json]:
    """A player over all bosses."""
    trends = [one.trend for one in members if one.trend is not None]
    newest = max((one.newest for one in members), key=lambda row: row.started_at)
    return {
        "player": label,
        "spec": spec_label(newest.class_name, newest.spec),
        "judged_by": judged_by(newest.role),
        "bosses_compared": len(trends),
        "worse": sum(trend.verdict == "regression" for trend in trends),
        "better": sum(trend.verdict == "improvement" for trend in trends),
        "mean_change_points": round(fmean(trend.change for trend in trends), 1),
        "last_kill": show_time(newest.started_at)[:10],
    }


def _notes(rows: Sequence[PerformanceRow]) -> list[str]:
    return [
        f"The mean parse of the last {RECENT_KILLS} kills beside that of up to {EARLIER_KILLS} kills before "
        f"(kills 3 to 7); {CHANGE_POINTS:.0f} points down is a regression, up an improvement.",
        *([_HEALERS_NOTE] if any(row.role != "damage" for row in rows) else []),
        *parse_notes([]),
    ]
