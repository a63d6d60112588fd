"""Tools that rank: the best of the references, and specs by what they do on a boss."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Annotated

from glassloop.core.errors import BadArguments
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.parses import metric, metric_name, rate
from glassloop.extensions.raids.knowledge.facts import Encounter, Spec
from glassloop.extensions.raids.names import find_spec, fold_name, role_of
from glassloop.extensions.raids.records import Role
from glassloop.extensions.raids.storage.rows import PerformanceRow
from glassloop.extensions.raids.tools.history.namesakes import NameLabels, count_players
from glassloop.extensions.raids.tools.history.player_rows import distinct_fights, spec_label
from glassloop.extensions.raids.tools.parameters import ClassName, EncounterName, SpecName
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader, show_time
from glassloop.extensions.raids.tools.result import MAX_KEPT, bar_chart, raid_result, show_count, show_length
from glassloop.tools.tool import Tool, ToolContext

NO_REFERENCES = "no reference kills of {what}: an operator imports some with `glassloop import raids FILE --reference`"


_OF_THE_LIVING = "GCD uptime and casts a minute are of the time alive: of those who died they are not given here."


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tools of this file."""

    @raid_tool
    async def get_top_rankings(
        context: ToolContext,
        encounter_name: EncounterName,
        class_name: ClassName,
        spec_name: SpecName,
        limit: Annotated[int, "How many players, up to 50."] = 10,
    ) -> ToolResult:
        """The best players of a spec on a boss among the reference kills: DPS (HPS of healers), kill time, item level.
        Use it for "what do top X do on Y" and for targets. Give boss, class and spec.
        """
        if not 1 <= limit <= MAX_KEPT:
            raise BadArguments(f"`limit` is {limit}: give 1 to {MAX_KEPT}.")
        encounter = await reader.encounter(encounter_name)
        spec = find_spec(reader.knowledge, class_name, spec_name)
        role = role_of(spec, spec_name)
        rows = best_of_players(await reference_rows(reader, context.user, encounter.id, spec, role))
        named, label = metric_name(role), spec_label(spec.class_name, spec.name)
        home = [row for row in await reader.store.players(context.user) if not row.reference]
        names = NameLabels(rows, strangers=home)
        ranked: list[Json] = [_ranked(place, row, names) for place, row in enumerate(rows[:limit], 1)]
        what = f"{label} on {encounter.name}"
        return raid_result(
            {
                "encounter": encounter.name,
                "spec": label,
                "role": role,
                "ranked_by": named.upper(),
                "of": "reference kills",
            },
            {"players_in_references": len(rows), "rankings": ranked},
            missing=[] if rows else [NO_REFERENCES.format(what=what)],
            notes=[*names.notes(rows[:limit]), *([_OF_THE_LIVING] if any(row.deaths for row in rows[:limit]) else [])],
            chart=bar_chart(
                f"Top {what}",
                [(names.of(row), round(metric(row, row.length_ms), 1)) for row in rows[:limit]],
                named.upper(),
            ),
        )

    @raid_tool
    async def get_spec_leaderboard(context: ToolContext, encounter_name: EncounterName) -> ToolResult:
        """Which specs do most on a boss: specs by average DPS over all kills (references and imported), with how many.
        Healing specs are listed apart, by HPS, and tanks apart. Use it for "best spec for X".
        """
        return await _spec_leaderboard(reader, context.user, await reader.encounter(encounter_name))

    return (get_top_rankings, get_spec_leaderboard)


async def _spec_leaderboard(reader: RaidReader, user: str, encounter: Encounter) -> ToolResult:
    every = await reader.store.performances(user, encounter_id=encounter.id, kills_only=True)
    rows = [row for row in distinct_fights(every) if row.class_name]
    tables = {role: _leaderboard(row for row in rows if row.role == role) for role in ("damage", "healer", "tank")}
    unknown = len(every) - sum(bool(row.spec) for row in every)
    return raid_result(
        {"encounter": encounter.name, "of": "kills of references and imported nights"},
        {
            "kills": len({(row.code, row.number) for row in rows}),
            "specs_by_dps": tables["damage"],
            "healers_by_hps": tables["healer"],
            "tanks_by_dps": tables["tank"],
        },
        missing=[
            *([] if rows else [f"no kills of {encounter.name} were imported"]),
            *([f"no spec of {show_count(unknown, 'player')}: their logs tell too little"] if unknown else []),
        ],
        notes=[
            "Healers are ranked by HPS and never by DPS; tanks are there to survive, not for their DPS.",
            "A performance is one player in one kill.",
        ],
        chart=bar_chart(
            f"Average DPS by spec: {encounter.name}",
            [(str(row["spec"]), float(str(row["average_dps"]))) for row in tables["damage"]],
            "DPS",
        ),
    )


async def reference_rows(
    reader: RaidReader, user: str, encounter_id: int, spec: Spec, role: Role
) -> list[PerformanceRow]:
    """Reference kills of a spec in a role, best first."""
    rows = await reader.store.performances(
        user, encounter_id=encounter_id, class_name=spec.class_name, spec=spec.name, kills_only=True, reference=True
    )
    in_role = [row for row in rows if row.role == role]
    return sorted(distinct_fights(in_role), key=lambda row: -metric(row, row.length_ms))


def best_of_players(best_first: Iterable[PerformanceRow]) -> list[PerformanceRow]:
    """The best kill of each player."""
    best: dict[tuple[str, str], PerformanceRow] = {}
    for row in best_first:
        best.setdefault((fold_name(row.name), row.realm), row)
    return list(best.values())


def _ranked(place: int, row: PerformanceRow, names: NameLabels) -> dict[str, Json]:
    return {
        "place": place,
        "player": names.of(row),
        "role": row.role,
        "dps": round(row.dps, 1),
        "hps": round(row.hps, 1),
        "kill_time": show_length(row.length_ms),
        "item_level": round(row.item_level, 1) or None,
        "casts_per_minute": round(rate(row.casts, row.length_ms) * 60, 1) if not row.deaths else None,
        "gcd_uptime_percent": round(100 * row.active_ms / row.length_ms, 1) if not row.deaths else None,
        "deaths": row.deaths,
        "warcraft_logs_parse": row.their_parse,
        "when": show_time(row.started_at)[:10],
        "report_code": row.code,
        "fight_id": row.number,
    }


def _leaderboard(rows: Iterable[PerformanceRow]) -> list[dict[str, Json]]:
    groups: defaultdict[str, list[PerformanceRow]] = defaultdict(list)
    for row in rows:
        groups[spec_label(row.class_name, row.spec) if row.spec else f"{row.class_name}, spec unknown"].append(row)
    told: list[tuple[float, dict[str, Json]]] = []
    for label, members in groups.items():
        named = metric_name(members[0].role)
        values = [metric(row, row.length_ms) for row in members]
        told.append(
            (
                fmean(values),
                {
                    "spec": label,
                    f"average_{named}": round(fmean(values), 1),
                    f"median_{named}": round(median(values), 1),
                    f"best_{named}": round(max(values), 1),
                    "players": count_players(members),
                    "performances": len(members),
                    "of_references": sum(row.reference for row in members),
                },
            )
        )
    return [row for _, row in sorted(told, key=lambda one: -one[0])]
