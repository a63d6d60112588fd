"""Tools of whole nights: how a raid went, beside the references and beside another night."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Annotated

import msgspec

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.history.night import (
    BossReference,
    BossSummary,
    NightTimes,
    boss_references,
    boss_summaries,
    night_times,
)
from glassloop.extensions.raids.analysis.parses import rate
from glassloop.extensions.raids.storage.rows import StoredReport
from glassloop.extensions.raids.tools.history.night_players import OF_PLAYERS, night_players, players_of_both
from glassloop.extensions.raids.tools.history.player_rows import parse_notes, parse_of
from glassloop.extensions.raids.tools.parameters import LAST, ReportCode
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader, show_time
from glassloop.extensions.raids.tools.result import (
    bar_chart,
    figure_label,
    grouped_chart,
    raid_result,
    show_count,
    show_length,
)
from glassloop.tools.tool import Tool, ToolContext

FEW_REFERENCES = 3
_OF_KILLS = ("raid_dps_in_kills", "time_in_kills_s")
_LIKE_FOR_LIKE = (
    "The nights had or killed different bosses: compare them by the totals of the same bosses, where DPS and time in "
    "kills are of bosses that both killed."
)


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """A report with what was summed up of it."""

    report: StoredReport
    bosses: Sequence[BossSummary]
    times: NightTimes
    missing: tuple[str, ...]

    @property
    def code(self) -> str:
        return self.report.row.code


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tools of this file."""

    @raid_tool
    async def get_raid_execution(context: ToolContext, report_code: ReportCode = LAST) -> ToolResult:
        """The summary of a raid night: per boss and in total kills, wipes, deaths, interrupts, dispels, DPS, parses.
        Use it first for "how was the raid", "what went wrong last night", and for who did well or died often.
        """
        night = await _night(reader, context.user, report_code)
        return await _execution(reader, context.user, night)

    @raid_tool
    async def compare_raid_to_top(context: ToolContext, report_code: ReportCode = LAST) -> ToolResult:
        """A raid night beside the reference kills, boss by boss: kill time, deaths, DPS, interrupts, downtime.
        Use it for "how do we compare with good raids", "where did we lose time".
        """
        night = await _night(reader, context.user, report_code)
        fights = await reader.store.fight_totals(context.user, reference=True)
        return _beside_references(reader, night, boss_references([one for one in fights if one.code != night.code]))

    @raid_tool
    async def compare_two_raids(
        context: ToolContext,
        report_a: Annotated[
            str, "The code of the first night; leave out for the one before the second in the same zone."
        ] = "",
        report_b: Annotated[str, "The code of the second night, or 'last'."] = LAST,
    ) -> ToolResult:
        """Two raid nights side by side, boss by boss and player by player: kill time, deaths, DPS, HPS, interrupts,
        wipes, downtime, change. Use it for "this week against last week" and "who got worse?"; without codes the newest
        night and the one before it.
        """
        first, second = await reader.two_reports(context.user, report_a, report_b)
        first, second = [await _night(reader, context.user, one.row.code) for one in (first, second)]
        mine, theirs = [await reader.store.report_performances(context.user, one.code) for one in (first, second)]
        return _side_by_side(reader, first, second, players_of_both(mine, theirs))

    return (get_raid_execution, compare_raid_to_top, compare_two_raids)


async def _night(reader: RaidReader, user: str, report_code: str) -> Night:
    report = await reader.report(user, report_code)
    numbers = {row.number for row in report.fights if row.kind == "fight"}
    totals = await reader.store.fight_totals(user, code=report.row.code)
    bosses = boss_summaries([one for one in totals if one.number in numbers])
    missing: list[str] = [] if bosses else [f"no boss fights in report {report.row.code}"]
    if report.record.turns_back:
        missing.append("fights that lie in two parts of the log: its parts were joined in the wrong order")
    for boss in bosses[:1]:
        stored = await reader.store.fight(user, report.row.code, boss.attempts[0].number)
        missing += stored.record.fight.missing if stored is not None else ()
    return Night(report=report, bosses=bosses, times=night_times(bosses), missing=tuple(missing))


async def _execution(reader: RaidReader, user: str, night: Night) -> ToolResult:
    rows = await reader.store.report_performances(user, night.code)
    kills = [row for row in rows if row.kill]
    population = await reader.parses(
        user, {row.encounter_id for row in kills}, {(row.class_name, row.spec) for row in kills}
    )
    parses = {(row.number, row.actor): parse_of(population, row).percentile for row in kills}
    ranks: defaultdict[int, list[float]] = defaultdict(list)
    for row in kills:
        if row.role != "tank" and (rank := parses[row.number, row.actor]) is not None:
            ranks[row.encounter_id].append(rank)
    bosses: list[Json] = [
        {
            **_boss(reader, boss),
            "dispels": boss.dispels,
            "median_parse": median(found) if (found := ranks[boss.encounter_id]) else None,
            "best_parse": max(ranks[boss.encounter_id], default=None),
            "worst_parse": min(ranks[boss.encounter_id], default=None),
            "parses": len(ranks[boss.encounter_id]),
        }
        for boss in night.bosses
    ]
    every = [rank for found in ranks.values() for rank in found]
    missing = list(night.missing)
    if night.bosses and not every:
        missing.append("no parses: this store has fewer than 10 kills of these bosses a spec")
    return raid_result(
        _heading(night),
        {
            "totals": {**_totals(night), "median_parse": median(every) if every else None},
            "bosses": bosses,
            "players": night_players(rows, parses),
        },
        missing=missing,
        notes=[*parse_notes([]), "Tanks are judged on survival: their parses are left out.", *_same_night(night)],
        chart=bar_chart(
            "Deaths a boss",
            [(reader.encounter_name(boss.encounter_id), float(boss.deaths)) for boss in night.bosses],
            "Deaths",
        ),
    )


def _beside_references(reader: RaidReader, night: Night, references: Mapping[int, BossReference]) -> ToolResult:
    rows: list[Json] = []
    lost: list[tuple[float, str, str]] = []
    """In s, with words for the table, and for the chart, where the boss comes first."""
    missing = list(night.missing)
    for boss in night.bosses:
        name, reference = reader.encounter_name(boss.encounter_id), references.get(boss.encounter_id)
        if boss.wipes:
            wipes = show_count(boss.wipes, "wipe")
            away = (boss.wipe_ms + boss.between_ms) / 1000
            lost.append((away, f"{wipes} on {name}, with the way back", f"{name}: {wipes}"))
        if reference is None:
            missing.append(f"no reference kills of {name}")
            rows.append(_boss(reader, boss))
            continue
        rows.append({**_boss(reader, boss), **_reference_columns(boss, reference)})
        if boss.kill is not None and boss.kill.length_ms > reference.kill_ms:
            lost.append(((boss.kill.length_ms - reference.kill_ms) / 1000, f"longer kill of {name}", f"{name}: kill"))
        if boss.before_ms is not None and reference.before_ms is not None and boss.before_ms > reference.before_ms:
            lost.append(((boss.before_ms - reference.before_ms) / 1000, f"longer way to {name}", f"{name}: way"))
    lost = sorted((one for one in lost if one[0] >= 1), reverse=True)
    if references and all(one.before_ms is None for one in references.values()):
        missing.append("no downtime of the references: they hold single bosses")
    where: list[Json] = [{"what": what, "lost_s": round(seconds)} for seconds, what, _ in lost]
    few = [name for boss in night.bosses if (one := references.get(boss.encounter_id)) and one.kills < FEW_REFERENCES
           and (name := reader.encounter_name(boss.encounter_id))]  # fmt: skip
    return raid_result(
        _heading(night),
        {"totals": _totals(night), "bosses": rows, "where_the_time_went": where},
        missing=missing,
        notes=[
            "Reference figures are medians (times) and averages (the rest) of the reference kills. A boss that was not "
            "killed is told and not compared.",
            *([f"Few reference kills, read with care: {', '.join(few)}."] if few else []),
            *_same_night(night),
        ],
        chart=bar_chart(
            "Lost beside the references", [(label, round(seconds)) for seconds, _, label in lost],
            "Seconds", "s",
        ),
    )  # fmt: skip


def _reference_columns(boss: BossSummary, reference: BossReference) -> dict[str, Json]:
    told: dict[str, Json] = {
        "reference_kills": reference.kills,
        "reference_kill_time": show_length(reference.kill_ms),
        "reference_deaths": round(reference.deaths, 1),
        "reference_raid_dps": round(reference.raid_dps, 1),
        "reference_interrupts": round(reference.interrupts, 1),
    }
    if reference.before_ms is not None:
        told["reference_downtime_before_s"] = round(reference.before_ms / 1000)
    if boss.kill is not None:
        told["kill_time_gap_s"] = round((boss.kill.length_ms - reference.kill_ms) / 1000, 1)
        told["raid_dps_gap_percent"] = _gap_percent(rate(boss.kill.damage, boss.kill.length_ms), reference.raid_dps)
    return told


def _side_by_side(reader: RaidReader, first: Night, second: Night, players: Sequence[Json]) -> ToolResult:
    theirs = {boss.encounter_id: boss for boss in second.bosses}
    rows: list[Json] = []
    only: list[str] = []
    for boss in first.bosses:
        other = theirs.pop(boss.encounter_id, None)
        if other is None:
            only.append(f"{reader.encounter_name(boss.encounter_id)} only in {first.code}")
            continue
        rows.append(_both(reader, boss, other))
    only += [f"{reader.encounter_name(number)} only in {second.code}" for number in theirs]
    killed = _kill_times(first, second)
    differ = bool(rows) and (bool(only) or len(killed) < len(rows))
    return raid_result(
        {
            "report_a": first.code, "title_a": first.report.row.title, "when_a": show_time(first.report.row.started_at),
            "report_b": second.code, "title_b": second.report.row.title,
            "when_b": show_time(second.report.row.started_at),
        },
        {
            "bosses": rows,
            "totals": _changes(_totals(first), _totals(second)),
            "totals_of_the_same_bosses": _of_both(first, second) if differ else None,
            "not_in_both": only,
            "players": list(players),
        },
        missing=[
            *(f"{first.code}: {told}" for told in first.missing),
            *(f"{second.code}: {told}" for told in second.missing),
        ],
        notes=["Changes are b minus a. Kill times and DPS are of kills; a boss without a kill in one night is told and "
               "not compared.",
               *([OF_PLAYERS] if players else []), *([_LIKE_FOR_LIKE] if differ else [])],
        chart=grouped_chart(
            "Kill times", [reader.encounter_name(number) for number, _, _ in killed],
            {first.code: [one for _, one, _ in killed], second.code: [other for _, _, other in killed]}, "s",
        ),
    )  # fmt: skip


def _changes(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[Json]:
    return [
        {"figure": figure_label(name), "a": value, "b": after[name], "change": _change(value, after[name])}
        for name, value in before.items()
    ]


def _of_both(first: Night, second: Night) -> list[Json]:
    """Totals over the bosses that both nights tried; what is of kills over those that both killed."""
    told = list[dict[str, Json]]()
    for night, other in ((first, second), (second, first)):
        theirs = {boss.encounter_id: boss.kill is not None for boss in other.bosses}
        bosses = [boss for boss in night.bosses if boss.encounter_id in theirs]
        killed = [boss for boss in bosses if boss.kill is not None and theirs[boss.encounter_id]]
        part, kills = (
            _totals(msgspec.structs.replace(night, bosses=some, times=night_times(some))) for some in (bosses, killed)
        )
        told.append(part | {name: kills[name] for name in _OF_KILLS})
    return _changes(*told)


def _kill_times(first: Night, second: Night) -> list[tuple[int, float, float]]:
    """Bosses killed in both nights, with both times in s."""
    theirs = {boss.encounter_id: boss.kill.length_ms for boss in second.bosses if boss.kill is not None}
    return [
        (boss.encounter_id, boss.kill.length_ms / 1000, theirs[boss.encounter_id] / 1000)
        for boss in first.bosses
        if boss.kill is not None and boss.encounter_id in theirs
    ]


def _both(reader: RaidReader, boss: BossSummary, other: BossSummary) -> dict[str, Json]:
    told: dict[str, Json] = {"encounter": reader.encounter_name(boss.encounter_id)}
    left, right = _boss(reader, boss), _boss(reader, other)
    for name in ("kill_time", "wipes", "deaths", "spirits_of_redemption", "raid_dps", "interrupts"):
        told[f"{name}_a"], told[f"{name}_b"] = left[name], right[name]
    told["downtime_before_a_s"], told["downtime_before_b_s"] = left["downtime_before_s"], right["downtime_before_s"]
    if boss.kill is not None and other.kill is not None:
        told["kill_time_change_s"] = round((other.kill.length_ms - boss.kill.length_ms) / 1000, 1)
        told["raid_dps_change_percent"] = _gap_percent(
            rate(other.kill.damage, other.kill.length_ms), rate(boss.kill.damage, boss.kill.length_ms)
        )
    return told


def _boss(reader: RaidReader, boss: BossSummary) -> dict[str, Json]:
    kill = boss.kill
    return {
        "encounter": reader.encounter_name(boss.encounter_id),
        "result": "killed" if kill is not None else "not killed",
        "kill_fight_id": kill.number if kill is not None else None,
        "kill_time": show_length(kill.length_ms) if kill is not None else None,
        "wipes": boss.wipes,
        "time_in_wipes_s": round(boss.wipe_ms / 1000),
        "deaths": boss.deaths,
        "spirits_of_redemption": boss.spirits or None,
        "deaths_in_kill": kill.deaths if kill is not None else None,
        "raid_dps": round(rate(kill.damage, kill.length_ms), 1) if kill is not None else None,
        "interrupts": boss.interrupts,
        "downtime_before_s": round(boss.before_ms / 1000) if boss.before_ms is not None else None,
    }


def _totals(night: Night) -> dict[str, Json]:
    times = night.times
    kills = [attempt for boss in night.bosses for attempt in boss.attempts if attempt.kill]
    damage, length = sum(kill.damage for kill in kills), sum(kill.length_ms for kill in kills)
    return {
        "bosses_killed": sum(boss.kill is not None for boss in night.bosses),
        "wipes": sum(boss.wipes for boss in night.bosses),
        "deaths": sum(boss.deaths for boss in night.bosses),
        "spirits_of_redemption": sum(boss.spirits for boss in night.bosses),
        "interrupts": sum(boss.interrupts for boss in night.bosses),
        "dispels": sum(boss.dispels for boss in night.bosses),
        "raid_dps_in_kills": round(rate(damage, length), 1) if kills else None,
        "time_from_first_pull_s": round(times.whole_ms / 1000),
        "time_in_kills_s": round(times.kills_ms / 1000),
        "time_in_wipes_s": round(times.wipes_ms / 1000),
        "time_between_attempts_s": round(times.between_attempts_ms / 1000),
        "time_between_bosses_s": round(times.between_bosses_ms / 1000),
    }


def _heading(night: Night) -> dict[str, Json]:
    row = night.report.row
    return {
        "report": row.code,
        "title": row.title,
        "zone": row.zone,
        "when": show_time(row.started_at),
        "length": show_length(row.ended_at - row.started_at),
        "boss_count": len(night.bosses),
    }


def _same_night(night: Night) -> list[str]:
    others = night.report.same_night
    return [f"The same night was logged in {', '.join(others)} too."] if others else []


def _gap_percent(value: float, other: float) -> float | None:
    return round((value / other - 1) * 100, 1) if other else None


def _change(before: Json, after: Json) -> Json:
    if isinstance(before, (int, float)) and isinstance(after, (int, float)):
        return round(after - before, 1)
    return None
