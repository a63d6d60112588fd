"""Mana of all healers in one fight or a whole night, and power of one player over a night: one row per player and
fight."""

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.efficiency import resources
from glassloop.extensions.raids.analysis.grades import OUT_OF_MANA
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.tools.night.fights import NightFights, chosen_names, fight_label
from glassloop.extensions.raids.tools.player_title import performance_of, seconds
from glassloop.extensions.raids.tools.reader import RAID_WORDS, RaidReader
from glassloop.extensions.raids.tools.result import raid_result, show_length

MAX_GAINS = 5
"""Sources of mana of a row, the first ones: Mana Tide is one that no aura need tell."""
WITHOUT = (
    "Without: of healers the time alive at zero or below the cost of the usual heal, of others at zero; out of mana is "
    "a healer without for more than 10 % of it."
)
HEALERS = f"One row per healer and fight, those longest without mana first. {WITHOUT}"


async def night_power(reader: RaidReader, user: str, night: NightFights, player_name: str) -> ToolResult:
    names = None
    if player_name.strip().casefold() not in RAID_WORDS:
        views = [await reader.fight(user, row.code, row.number) for row in night.rows]
        everybody = {view.full_name(player) for view in views for player in view.players()}
        names = await chosen_names(reader, user, everybody, player_name)
    missing, rows = dict[str, None](), list[dict[str, Json]]()
    for row in night.rows:
        view = await reader.fight(user, row.code, row.number)
        missing |= dict.fromkeys(view.fight.missing)
        rows += await asyncio.to_thread(power_rows, view, fight_label(reader, row), names)
    return power_answer(night.heading(), rows, list(missing), [HEALERS if names is None else WITHOUT, *night.notes()])


def fight_power(reader: RaidReader, view: FightView) -> ToolResult:
    """Of all healers in one fight."""
    return power_answer(reader.heading(view), power_rows(view, None, None), reader.missing(view), [HEALERS])


def power_answer(
    heading: dict[str, Json], rows: list[dict[str, Json]], missing: Sequence[str], notes: Sequence[str]
) -> ToolResult:
    rows.sort(key=lambda row: -float(str(row["without_percent"])))
    out = Counter(str(row["player"]) for row in rows if row["verdict"] == "out of mana")
    told = "; ".join(f"{name} in {times}" if times > 1 else name for name, times in out.most_common()) or "nobody"
    figures: dict[str, Json] = {"out_of_mana": told if rows else None, "players": list(rows)}
    unknown = [] if rows else ["no mana, rage or energy of these players is in the log (Advanced Combat Logging)"]
    return raid_result(heading, figures, missing=[*missing, *unknown], notes=notes)


def power_rows(view: FightView, label: str | None, names: Collection[str] | None) -> list[dict[str, Json]]:
    """Of these players, or of the mana of all healers."""
    rows = list[dict[str, Json]]()
    for player in view.players():
        one = performance_of(view, player)
        if one.role != "healer" if names is None else view.full_name(player) not in names:
            continue
        uses = resources.resource_uses(view, player)
        rows += [_row(view, player, label, use) for use in uses if names is not None or use.power == "mana"]
    return rows


def _row(view: FightView, player: int, label: str | None, use: resources.ResourceUse) -> dict[str, Json]:
    one = performance_of(view, player)
    heals = use.power == "mana" and one.role == "healer"
    first = [use.short_spans[0][0]] if heals and use.short_spans else []
    first += [use.first_zero_at] if use.first_zero_at is not None else []
    helped = Counter(each.name for each in resources.mana_help(view, player)) if use.power == "mana" else Counter[str]()
    return {
        "player": view.full_name(player),
        "fight": label,
        "spec": " ".join(part for part in (one.spec, one.class_name) if part) or "unknown",
        "resource": use.power,
        "verdict": mana_verdict(use) if heals else None,
        "without_percent": use.short_percent if heals else use.zero_percent,
        "without_s": seconds(use.short_ms if heals else use.at_zero_ms),
        "first_without": show_length(min(first)) if first else None,
        "lowest_percent": 100 * use.lowest / use.maximum,
        "lowest_at": show_length(use.lowest_at),
        "gained": ", ".join(f"{gain.spell} {gain.total:,}" for gain in use.gains[:MAX_GAINS]) or None,
        "potions_and_help": ", ".join(f"{times} × {name}" for name, times in helped.items()) or None,
    }


def mana_verdict(use: resources.ResourceUse) -> str:
    return "out of mana" if OUT_OF_MANA.grade(use.short_percent) == "flagged" else "not out of mana"
