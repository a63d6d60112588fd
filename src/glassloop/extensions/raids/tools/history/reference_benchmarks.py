"""Tools that tell what good raids and good players do on a boss, of the reference kills."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean, median, quantiles

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.expected_uptime import spec_uptime
from glassloop.extensions.raids.analysis.history.night import BossReference, boss_references
from glassloop.extensions.raids.analysis.history.profile import PlayerProfile
from glassloop.extensions.raids.analysis.parses import metric, metric_name, rate
from glassloop.extensions.raids.knowledge.facts import Encounter, Spec
from glassloop.extensions.raids.names import find_spec, role_of
from glassloop.extensions.raids.records import Role
from glassloop.extensions.raids.storage.rows import PerformanceRow
from glassloop.extensions.raids.tools.history.leaderboards import NO_REFERENCES
from glassloop.extensions.raids.tools.history.namesakes import count_players
from glassloop.extensions.raids.tools.history.player_rows import spec_label
from glassloop.extensions.raids.tools.history.reference_profiles import (
    reference_consumables,
    told_auras,
    told_profile,
    top_profile,
)
from glassloop.extensions.raids.tools.parameters import ClassName, EncounterName, SpecName
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader, show_time
from glassloop.extensions.raids.tools.reference_targets import reference_targets
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_count, show_length
from glassloop.tools.tool import Tool, ToolContext


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tools of this file."""

    @raid_tool
    async def get_encounter_benchmarks(context: ToolContext, encounter_name: EncounterName) -> ToolResult:
        """What good raids do on a boss, of the reference kills: kill times, death rates, DPS by spec, consumables,
        composition, with how many kills and when. Use it to judge a raid or a kill time.
        """
        return await _encounter_benchmarks(reader, context.user, await reader.encounter(encounter_name))

    @raid_tool
    async def get_spec_benchmark(
        context: ToolContext, encounter_name: EncounterName, class_name: ClassName, spec_name: SpecName
    ) -> ToolResult:
        """What good players of a spec do on a boss, of the reference kills: DPS (HPS) target, GCD uptime, casts a
        minute, top abilities, uptimes, cooldown use. Use it to know what to aim for before judging a player.
        """
        encounter = await reader.encounter(encounter_name)
        spec = find_spec(reader.knowledge, class_name, spec_name)
        return await _spec_benchmark(reader, context.user, encounter, spec, role_of(spec, spec_name))

    return (get_encounter_benchmarks, get_spec_benchmark)


async def _spec_benchmark(reader: RaidReader, user: str, encounter: Encounter, spec: Spec, role: Role) -> ToolResult:
    label = spec_label(spec.class_name, spec.name)
    heading: dict[str, Json] = {"encounter": encounter.name, "spec": label, "role": role, "of": "reference kills"}
    top = await top_profile(reader, user, encounter, spec, role)
    if top is None or not top.references:
        return raid_result(heading, {}, missing=[NO_REFERENCES.format(what=f"{label} on {encounter.name}")])
    targets = await reference_targets(reader.store, user, encounter.id)
    found = targets.get((spec.class_name, spec.name, role))
    expected = spec_uptime(reader.knowledge, encounter.gcd, spec, role, found)
    source = found.source() if found is not None else "what the spec allows, as no reference survived"
    named = metric_name(top.profile.role)
    values = sorted(metric(row, row.length_ms) for row in top.rows)
    # The rows do not tell for how long somebody was dead.
    alive = [row for row in top.rows if not row.deaths] or top.rows
    quarter = quantiles(values, n=4, method="inclusive")[2] if len(values) > 1 else values[0]
    return raid_result(
        heading,
        {
            "kills": len({(row.code, row.number) for row in top.rows}),
            "performances": len(values),
            "when": _period(top.rows),
            f"{named}_target": round(median(values), 1),
            f"{named}_best_quarter": round(quarter, 1),
            f"{named}_best": round(values[-1], 1),
            "gcd_uptime_percent": round(fmean(100 * row.active_ms / row.length_ms for row in alive), 1),
            "casts_per_minute": round(fmean(60 * rate(row.casts, row.length_ms) for row in alive), 1),
            "kill_time": show_length(median(row.length_ms for row in top.rows)),
            "expected_gcd_uptime_percent": expected if role != "healer" else None,
            "encounter_allows_gcd_uptime_percent": encounter.gcd,
            "best_kills": told_profile(top.profile),
            "abilities": _abilities(top.profile),
            "cooldowns": [
                {"cooldown": one.name, "uses": round(one.uses, 1), "possible": round(one.possible, 1),
                 "percent": round(one.percent, 1)}
                for one in top.profile.cooldowns
            ],
            "uptimes": [
                {"aura": one.name, "on": one.on, "uptime_percent": round(one.percent, 1)}
                for one in told_auras(top.profile.auras)
            ],
        },
        notes=[
            "The target is the median of the reference kills; abilities, cooldowns and uptimes are "
            f"{'those' if top.profile.kills == 1 else 'means'} of the best "
            f"{show_count(top.profile.kills, 'performance')} (one a player and kill).",
            f"GCD uptime and casts a minute are of the time alive. Expected is {source}, and no more than the encounter"
            " allows to anybody; energy, rage and cooldowns allow some specs far less.",
            *(["Healers are judged on HPS, overheal and mana, never on DPS."] if named == "hps" else []),
        ],
        chart=bar_chart(
            f"{label} on {encounter.name}",
            [(one.name, round(one.share, 1)) for one in top.profile.abilities], "Share", "%",
        ),
    )  # fmt: skip


async def _encounter_benchmarks(reader: RaidReader, user: str, encounter: Encounter) -> ToolResult:
    heading: dict[str, Json] = {"encounter": encounter.name, "of": "reference kills"}
    fights = await reader.store.fight_totals(user, encounters=[encounter.id], reference=True)
    kills = [fight for fight in fights if fight.kill]
    reference = boss_references(kills).get(encounter.id)
    if reference is None:
        return raid_result(heading, {}, missing=[NO_REFERENCES.format(what=encounter.name)])
    rows = await reader.store.performances(user, encounter_id=encounter.id, kills_only=True, reference=True)
    consumables = await reference_consumables(reader, user, encounter, kills)
    damage = _by_spec([row for row in rows if row.role == "damage"])
    notes = ["A performance is one player in one kill: several of a spec may be of the same kill."]
    return raid_result(
        heading,
        {
            **_told_reference(reference),
            "dps_by_spec": damage,
            "hps_by_spec": _by_spec([row for row in rows if row.role == "healer"]),
            "composition": _composition(rows, reference.kills),
            "consumables_percent_of_players": {kind: round(share, 1) for kind, share in consumables.items() if share},
        },
        missing=[] if "flask" in consumables else ["no flasks or food: the reference logs have no COMBATANT_INFO"],
        notes=notes,
        chart=bar_chart(
            f"DPS by spec: {encounter.name}",
            [(str(row["spec"]), float(str(row["average_dps"]))) for row in damage],
            "DPS",
        ),
    )


def _told_reference(reference: BossReference) -> dict[str, Json]:
    return {
        "kills": reference.kills,
        "when": f"{show_time(reference.first_at)[:10]} to {show_time(reference.last_at)[:10]}",
        "kill_time_median": show_length(reference.kill_ms),
        "kill_time_fastest": show_length(reference.fastest_ms),
        "kill_time_slowest": show_length(reference.slowest_ms),
        "kill_time_median_s": round(reference.kill_ms / 1000, 1),
        "deaths_a_kill": round(reference.deaths, 2),
        "kills_without_a_death_percent": round(reference.deathless_percent, 1),
        "raid_dps": round(reference.raid_dps, 1),
        "interrupts_a_kill": round(reference.interrupts, 1),
        "dispels_a_kill": round(reference.dispels, 1),
        "players": round(reference.players, 1),
    }


def _by_spec(rows: Sequence[PerformanceRow]) -> list[dict[str, Json]]:
    groups: defaultdict[str, list[PerformanceRow]] = defaultdict(list)
    for row in rows:
        if row.spec:
            groups[spec_label(row.class_name, row.spec)].append(row)
    told: list[dict[str, Json]] = []
    for label, members in groups.items():
        named = metric_name(members[0].role)
        values = [metric(row, row.length_ms) for row in members]
        told.append({"spec": label, f"average_{named}": round(fmean(values), 1), f"best_{named}": round(max(values), 1),
                     "players": count_players(members), "performances": len(values)})  # fmt: skip
    return sorted(told, key=lambda row: -max(float(str(value)) for name, value in row.items() if "average" in name))


def _composition(rows: Sequence[PerformanceRow], kills: int) -> dict[str, Json]:
    """Players a kill, by role and by class."""
    roles, classes = Counter(row.role for row in rows), Counter(row.class_name or "unknown" for row in rows)
    return {
        **{
            f"{role}s" if role != "damage" else "damage": round(roles[role] / kills, 1)
            for role in ("tank", "healer", "damage")
        },
        **{name: round(count / kills, 1) for name, count in classes.most_common()},
    }


def _abilities(profile: PlayerProfile) -> list[Json]:
    return [
        {"ability": one.name, "share_percent": round(one.share, 1), "casts_per_minute": round(one.casts_per_minute, 1),
         f"{metric_name(profile.role)}": round(one.per_second, 1), "critical_percent": round(one.critical, 1)}
        for one in profile.abilities
    ]  # fmt: skip


def _period(rows: Sequence[PerformanceRow]) -> str:
    times = [row.started_at for row in rows]
    return f"{show_time(min(times))[:10]} to {show_time(max(times))[:10]}"
