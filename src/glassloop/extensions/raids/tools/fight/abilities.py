"""The tool that breaks a player's damage or healing down by ability."""

import asyncio
from collections.abc import Sequence
from typing import Final, Literal

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.parses import rate
from glassloop.extensions.raids.analysis.review.abilities import PlayerAbility, ability_shares, target_totals
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.tools.parameters import LAST, FightId, PlayerName, ReportCode
from glassloop.extensions.raids.tools.player_title import performance_of, player_heading
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import bar_chart, raid_result
from glassloop.tools.tool import Tool, ToolContext

MAX_TARGETS: Final = 12


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_ability_breakdown(
        context: ToolContext, player_name: PlayerName, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """A player's damage and healing by ability in one fight: share, casts, hits, crit, misses, average and targets;
        pets apart; and by target, the most first. For "what did my damage come from?", "which heals did I use?" and
        "whom did I heal?"."""
        view = await reader.fight(context.user, report_code, fight_id)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(ability_answer, reader, view, player)

    return [get_ability_breakdown]


def ability_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    one = performance_of(view, player)
    main: Literal["damage", "healing"] = "healing" if one.role == "healer" else "damage"
    damage, healing = ability_shares(view, player, "damage"), ability_shares(view, player, "healing")
    totals: dict[str, Json] = {
        "judged_on": main,
        "damage": one.damage,
        "dps": rate(one.damage, view.length_ms),
        "pet_damage": one.pet_damage,
        "healing": one.healing,
        "hps": rate(one.healing, view.length_ms),
        "overheal": one.overheal,
    }
    tables: dict[str, Json] = {
        "damage_by_ability": [_row(view, share) for share in damage if not share.pet],
        "damage_by_pets": [_row(view, share) for share in damage if share.pet],
        "healing_by_ability": [_row(view, share, healing=True) for share in healing],
    }
    tables["damage_by_target"] = _target_rows(view, player, "damage")
    tables["healing_by_target"] = _target_rows(view, player, "healing")
    if main == "healing":
        tables = {name: tables.pop(name) for name in ("healing_by_ability", "healing_by_target")} | tables
    figures = totals | {name: rows for name, rows in tables.items() if rows}
    notes = ["A healer is judged on healing, not on damage."] if main == "healing" else []
    notes += _miss_notes(damage)
    shown = healing if main == "healing" else damage
    chart = bar_chart(
        f"{main.capitalize()} of {view.name_of(player)} by ability",
        [(_label(share), share.share) for share in shown if share.total],
        "Share",
        "%",
    )
    missing = reader.missing(view)
    if not damage and not healing:
        missing.append("no damage and no healing of this player in this fight")
    return raid_result(player_heading(reader, view, player), figures, missing=missing, notes=notes, chart=chart)


def _row(view: FightView, share: PlayerAbility, *, healing: bool = False) -> dict[str, Json]:
    row: dict[str, Json] = {"ability": share.name}
    if share.pet:
        row["pet"] = share.pet
    row |= {
        "total": share.total,
        "share_percent": share.share,
        "hps" if healing else "dps": rate(share.total, view.length_ms),
        "casts": share.casts or None,
        "hits": share.hits,
        "ticks": share.ticks,
        "crit_percent": share.critical_percent,
        "average": share.average,
        "largest": share.largest,
        "targets": share.targets,
    }
    if healing:
        row |= {"overheal_percent": share.overheal_percent, "absorbed": share.absorbed or None}
    else:
        row |= {"misses": share.misses, "miss_percent": share.miss_percent}
    return row | {"spell_ids": [str(spell) for spell in share.spell_ids]}


def _target_rows(view: FightView, player: int, kind: Literal["damage", "healing"]) -> list[Json]:
    return [
        {
            "target": one.name,
            "total": one.total,
            "share_percent": one.share,
            "hps" if kind == "healing" else "dps": rate(one.total, view.length_ms),
            "hits": one.hits,
            "overheal_percent": _percent(one.overheal, one.total + one.overheal) or None,
            "creatures": one.creatures if one.creatures > 1 else None,
        }
        for one in target_totals(view, player, kind)[:MAX_TARGETS]
    ]


def _percent(part: int, whole: int) -> float:
    return 100 * part / whole if whole else 0.0


def _miss_notes(shares: Sequence[PlayerAbility]) -> list[str]:
    """Of abilities that are used often and miss often: hit rating, or standing in front of the boss."""
    often = [share for share in shares if share.misses >= 5 and share.miss_percent > 10]
    return [
        f"{_label(share)} missed, or was dodged, parried, resisted or absorbed, {share.misses} times"
        f" ({share.miss_percent:.0f} %)."
        for share in often[:3]
    ]


def _label(share: PlayerAbility) -> str:
    return f"{share.name} ({share.pet})" if share.pet else share.name
