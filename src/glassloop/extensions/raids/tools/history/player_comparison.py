"""`compare_to_top`: a player's kill side by side with the best reference kills of the same spec."""

from collections.abc import Sequence
from typing import Final

from glassloop.core.errors import ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.history.profile import (
    PlayerProfile,
    ProfileAbility,
    ProfileAura,
    same_thing,
)
from glassloop.extensions.raids.analysis.parses import metric_name
from glassloop.extensions.raids.knowledge.facts import Encounter, Spec
from glassloop.extensions.raids.names import find_spec
from glassloop.extensions.raids.storage.rows import PerformanceRow
from glassloop.extensions.raids.tools.history.leaderboards import NO_REFERENCES
from glassloop.extensions.raids.tools.history.player_rows import (
    PlayerChoice,
    choose_player,
    missing_of,
    parse_notes,
    parse_of,
    player_rows,
    spec_label,
)
from glassloop.extensions.raids.tools.history.reference_profiles import (
    TopProfile,
    profile_of,
    profile_value,
    told_auras,
    told_profile,
    top_profile,
)
from glassloop.extensions.raids.tools.parameters import ClassName, EncounterName, PlayerName, SpecName
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader, show_time
from glassloop.extensions.raids.tools.result import bar_chart, figure_label, raid_result, show_length
from glassloop.tools.tool import Tool, ToolContext

PRIORITY_PERCENT: Final = 10.0
"""Gaps larger than this are what to work on first."""


def make(reader: RaidReader) -> Sequence[Tool]:
    """The tool of this file."""

    @raid_tool
    async def compare_to_top(
        context: ToolContext,
        encounter_name: EncounterName,
        player_name: PlayerName,
        class_name: ClassName = "",
        spec_name: SpecName = "",
    ) -> ToolResult:
        """A player's newest kill of a boss side by side with the best reference kills of the same spec: DPS or HPS,
        casts a minute, GCD uptime, main abilities, cooldowns, uptimes, each gap in numbers. Use it for "how do I
        compare", "why is my damage low". Class and spec only where the player's own is not meant.
        """
        encounter = await reader.encounter(encounter_name)
        player = await choose_player(reader, context.user, player_name)
        wanted = None
        if class_name.strip() or spec_name.strip():
            wanted = find_spec(reader.knowledge, class_name, spec_name)
        return await _compare(reader, context.user, encounter, player, wanted)

    return (compare_to_top,)


async def _compare(
    reader: RaidReader, user: str, encounter: Encounter, player: PlayerChoice, wanted: Spec | None
) -> ToolResult:
    rows = await player_rows(reader, user, [player], encounter_id=encounter.id)
    kills = [row for row in rows if row.kill]
    heading: dict[str, Json] = {"player": player.label, "encounter": encounter.name}
    if not kills:
        told = f"no kills of {encounter.name} by {player.label} were imported"
        note = f"Wipes: {len(rows)}. They are not compared with kills." if rows else ""
        return raid_result(heading, {}, missing=[told], notes=[note] if note else [])
    row, spec = _kill_in_spec(reader, kills, wanted)
    top = await top_profile(reader, user, encounter, spec, row.role, player)
    own = await profile_of(reader, user, row)
    population = await reader.parses(user, {encounter.id}, {(row.class_name, row.spec)})
    parse = parse_of(population, row)
    heading |= {"spec": spec_label(spec.class_name, spec.name), "report": row.code, "fight": row.number,
                "result": "kill", "length": show_length(row.length_ms), "when": show_time(row.started_at)}  # fmt: skip
    missing = missing_of(reader, [row], [parse])
    if top is None:
        missing.append(NO_REFERENCES.format(what=f"{heading['spec']} on {encounter.name}"))
        figures: dict[str, Json] = {**parse.told(), "yours": told_profile(own)}
        return raid_result(heading, figures, missing=missing, notes=parse_notes([parse]))
    named = metric_name(own.role)
    return raid_result(
        heading,
        {
            **parse.told(),
            "compared_with": f"{_top_of(top)} of the spec in {'reference' if top.references else 'imported'} kills "
                             "(one a player and kill)",
            "figures": _figure_gaps(own, top.profile),
            "abilities": ability_gaps(own, top.profile),
            "cooldowns": cooldown_gaps(own, top.profile),
            "uptimes": list[Json](uptime_gaps(own, top.profile)),
        },
        missing=[
            *missing,
            *([] if own.buffs_known else ["no buffs from before the pull: the log has no COMBATANT_INFO"]),
            *([] if top.references else ["no references of this spec: compared with imported kills"]),
        ],
        notes=[*gap_notes(own, top.profile), *_comparison_notes(own, top), *parse_notes([parse])],
        chart=bar_chart(
            f"{named.upper()} on {encounter.name}",
            [
                (player.name, round(profile_value(own), 1)),
                ("Best references" if top.references else "Best imported", round(profile_value(top.profile), 1)),
            ],
            named.upper(),
        ),
    )  # fmt: skip


def _top_of(top: TopProfile) -> str:
    """ "the best 3 of 12 performances"; of a single one that it is the only one."""
    if len(top.rows) == 1:
        return "the only performance"
    return f"the best {top.profile.kills if top.profile.kills > 1 else 'one'} of {len(top.rows)} performances"


def _kill_in_spec(
    reader: RaidReader, kills: Sequence[PerformanceRow], wanted: Spec | None
) -> tuple[PerformanceRow, Spec]:
    """The newest kill, in the spec that was asked for."""
    for row in kills:
        spec = reader.knowledge.specs.get((row.class_name, row.spec))
        if spec is not None and (wanted is None or spec == wanted):
            return row, spec
        if wanted is not None and not row.spec and row.class_name in ("", wanted.class_name):
            return row, wanted
    played = ", ".join(sorted({spec_label(row.class_name, row.spec) for row in kills}))
    if wanted is None:
        raise ToolError(f"The spec of {kills[0].name} is unknown ({played}): give `class_name` and `spec_name`.")
    raise ToolError(
        f"{kills[0].name} has no kill as {spec_label(wanted.class_name, wanted.name)} here, only as {played}: leave "
        "`class_name` and `spec_name` out."
    )


def _figure_gaps(own: PlayerProfile, top: PlayerProfile) -> list[Json]:
    """Healers on healing, tanks on what they took too; how much is better, the sign of the gap tells."""
    main = _gap(metric_name(own.role), profile_value(own), profile_value(top))
    rows = [
        {**main, "priority": False} if own.role == "tank" else main,
        _gap("casts_per_minute", own.casts_per_minute, top.casts_per_minute),
        _gap("gcd_uptime_percent", own.gcd_uptime, top.gcd_uptime),
    ]
    if own.role == "healer":
        # A healer casts when somebody is hurt.
        rows[1:] = [{**row, "priority": False} for row in rows[1:]]
    if own.role == "healer" and own.overheal is not None and top.overheal is not None:
        rows.append(_gap("overheal_percent", own.overheal, top.overheal, less_is_better=True))
    if own.out_of_mana is not None and top.out_of_mana is not None:
        rows.append(_gap("time_out_of_mana_percent", own.out_of_mana, top.out_of_mana, less_is_better=True))
    if own.role == "tank":
        # It depends on who held the boss, and is no fault by itself.
        rows.append({**_gap("damage_taken_per_s", own.taken_per_second, top.taken_per_second), "priority": False})
    rows.append(_gap("deaths", own.deaths, top.deaths, less_is_better=True))
    if own.item_level and top.item_level:
        rows.append({**_gap("item_level", own.item_level, top.item_level), "priority": False})
    rows.append({**_gap("length_s", own.length_s, top.length_s), "priority": False})
    return list[Json](rows)


def _gap(name: str, own: float, top: float, *, less_is_better: bool = False) -> dict[str, Json]:
    percent = (own / top - 1) * 100 if top else None
    behind = own - top if less_is_better else top - own
    priority = behind > 0 and (percent is None or abs(percent) > PRIORITY_PERCENT)
    return {
        "figure": figure_label(name),
        "yours": round(own, 1),
        "top": round(top, 1),
        "gap": round(own - top, 1),
        "gap_percent": round(percent, 1) if percent is not None else None,
        "priority": priority,
    }


def ability_gaps(own: PlayerProfile, top: PlayerProfile) -> list[Json]:
    named = metric_name(own.role)
    rows: list[Json] = []
    rest = list(own.abilities)
    for best in top.abilities:
        mine = next((one for one in rest if same_thing(one, best)), None)
        if mine is not None:
            rest.remove(mine)
        rows.append({
            "ability": mine.name if mine is not None else best.name,
            "your_share_percent": round(mine.share, 1) if mine is not None else 0.0,
            "top_share_percent": round(best.share, 1),
            "your_casts_per_minute": round(mine.casts_per_minute, 1) if mine is not None else 0.0,
            "top_casts_per_minute": round(best.casts_per_minute, 1),
            f"your_{named}": round(mine.per_second, 1) if mine is not None else 0.0,
            f"top_{named}": round(best.per_second, 1),
            f"{named}_gap": round((mine.per_second if mine is not None else 0.0) - best.per_second, 1),
            "your_average_cast": average_cast(mine),
            "top_average_cast": average_cast(best),
        })  # fmt: skip
    rows += [
        {
            "ability": mine.name,
            "your_share_percent": round(mine.share, 1),
            "top_share_percent": 0.0,
            "your_casts_per_minute": round(mine.casts_per_minute, 1),
            "top_casts_per_minute": 0.0,
            f"your_{named}": round(mine.per_second, 1),
            f"top_{named}": 0.0,
            f"{named}_gap": round(mine.per_second, 1),
        }
        for mine in rest
    ]
    return rows


def average_cast(ability: ProfileAbility | None) -> int | None:
    """What a cast does, ticks and all; None of what is not cast."""
    if ability is None or not ability.casts_per_minute:
        return None
    return round(ability.per_second * 60 / ability.casts_per_minute)


def gap_notes(own: PlayerProfile, top: PlayerProfile) -> list[str]:
    """What the gap is made of, by what both have: how often they cast it, what a cast does, and what is not cast."""
    gap, fewer, weaker, uncast = profile_value(top) - profile_value(own), 0.0, 0.0, 0.0
    if own.role != "damage" or gap <= 0:
        return []
    for best in top.abilities:
        mine = next((one for one in own.abilities if same_thing(one, best)), None)
        if mine is None:
            continue
        if not mine.casts_per_minute or not best.casts_per_minute:
            uncast += best.per_second - mine.per_second
            continue
        per_cast = mine.per_second / mine.casts_per_minute
        less = (best.casts_per_minute - mine.casts_per_minute) * per_cast
        fewer += less
        weaker += best.per_second - mine.per_second - less
    # Whole numbers: a negative zero would be shown as one.
    parts = [round(part) for part in (fewer, weaker, uncast, gap - fewer - weaker - uncast)]
    ahead = " Below zero is what the player does more of than the top." if min(parts) < 0 else ""
    return [
        f"Of the gap of {gap:,.0f} DPS about {parts[0]:,} is fewer casts of the same abilities, {parts[1]:,} what each"
        " cast does (gear, crits, missing buffs and debuffs; of damage over time also ticks lost where it was renewed "
        f"early, missed or its target died), {parts[2]:,} what is not cast (swings, shots, poisons, procs) and "
        f"{parts[3]:,} abilities of one side only and what is not listed.{ahead}"
    ]


def cooldown_gaps(own: PlayerProfile, top: PlayerProfile) -> list[Json]:
    """A trinket that the player does not wear, or a talent that is not there, is no priority."""
    mine, best = {one.name: one for one in own.cooldowns}, {one.name: one for one in top.cooldowns}
    return [
        {
            "cooldown": name,
            "your_uses": int(mine[name].uses) if name in mine else None,
            "possible": int(mine[name].possible) if name in mine else None,
            "your_percent": round(mine[name].percent, 1) if name in mine else None,
            "top_uses": round(best[name].uses, 1) if name in best else 0.0,
            "top_percent": round(best[name].percent, 1) if name in best else None,
            "brought": name in mine,
            "priority": name in best
            and name in mine
            and best[name].throughput
            and best[name].percent - mine[name].percent > PRIORITY_PERCENT,
        }
        for name in dict.fromkeys((*best, *mine))
    ]


def uptime_gaps(own: PlayerProfile, top: PlayerProfile) -> list[dict[str, Json]]:
    """Of the auras that are told of either, the top's first. What is of a cooldown that the player does not bring is no
    priority."""
    rows: list[dict[str, Json]] = []
    rest, told = list(own.auras), told_auras(top.auras)
    not_brought = {one.name for one in top.cooldowns} - {one.name for one in own.cooldowns}
    for best in top.auras:
        mine = next((one for one in rest if one.on == best.on and same_thing(one, best)), None)
        if mine is not None:
            rest.remove(mine)
        unknown = mine is None and best.on == "self" and not own.buffs_known
        if best in told and not unknown:
            row = _uptime_row(mine, best)
            rows.append({**row, "priority": False} if row["aura"] in not_brought else row)
    return [*rows, *(_uptime_row(one, None) for one in told_auras(rest))]


def _uptime_row(mine: ProfileAura | None, best: ProfileAura | None) -> dict[str, Json]:
    """Of one that at least one of them had."""
    (one, *_) = [aura for aura in (mine, best) if aura is not None and aura.name]
    value, most = (aura.percent if aura is not None else 0.0 for aura in (mine, best))
    return {
        "aura": one.name,
        "on": one.on,
        "your_uptime_percent": round(value, 1),
        "top_uptime_percent": round(most, 1),
        "gap_points": round(value - most, 1),
        "priority": best is not None and best.own and most - value > PRIORITY_PERCENT,
    }


def _comparison_notes(own: PlayerProfile, top: TopProfile) -> list[str]:
    best, named = top.profile, metric_name(own.role).upper()
    notes = [
        f"Gaps are yours minus top; `priority` marks those of more than {PRIORITY_PERCENT:.0f} % to your disadvantage, "
        f"of cooldowns and uptimes more than {PRIORITY_PERCENT:.0f} points. What others bring and what comes by chance "
        "is no priority of the player's."
    ]
    notes.append(
        "Casts a minute, GCD uptime and uptimes on the player are of the time alive, DPS and HPS of the whole fight."
    )
    if (dead := own.length_s - own.alive_s) >= 1:
        notes.append(
            f"The player was dead for {dead:.0f} s of {own.length_s:.0f} s ({100 * dead / own.length_s:.0f} %): that "
            f"much of the gap in {named} is the death's."
        )
    if 0 < own.gcd_uptime < best.gcd_uptime and own.gated_dps and own.role != "healer":
        gain = own.gated_dps * (best.gcd_uptime / own.gcd_uptime - 1)
        notes.append(
            f"At the top's GCD uptime and the same damage a cast it would be about {gain:,.0f} {named} more, by the "
            f"{own.gated_dps:,.0f} {named} of casts alone: swings, auto shots, pets and procs do not wait for it."
        )
    if own.length_s > 1.25 * best.length_s and own.role != "healer":
        notes.append("This kill took longer than the top ones: more can go wrong, and DPS is lower.")
    if own.role == "healer":
        notes.append("Healers are judged on HPS, overheal, mana and choice of spells, never on DPS.")
    if own.role == "tank":
        notes.append("Tanks are judged on survival, mitigation and defensive cooldowns before DPS.")
    return notes
