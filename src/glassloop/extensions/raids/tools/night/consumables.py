"""Consumables of a whole night: by player, what was missing or ran out in which fights."""

import asyncio
from collections import defaultdict
from typing import Final

from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis.consumables import (
    LEAST_POTION_S,
    LOW_MANA,
    ConsumableCheck,
    check_consumables,
)
from glassloop.extensions.raids.tools.night.fights import NightFights, chosen_names, fight_label, some_of
from glassloop.extensions.raids.tools.player_title import performance_of
from glassloop.extensions.raids.tools.reader import RaidReader
from glassloop.extensions.raids.tools.result import raid_result, show_count, show_length

POTIONS: Final = (
    f"A potion counts as missing of a damage dealer who was alive for {LEAST_POTION_S} s of a fight or longer, kill or "
    f"wipe, and used none of any kind in it; a mana potion of a healer who had less than {100 * LOW_MANA:.0f} % of the "
    "mana at some time and used neither one nor a rune. Of tanks none is missing."
)


class PlayerNight:
    """One player's fights, each with its check."""

    def __init__(self, spec: str, role: str) -> None:
        self.spec, self.role = spec, role
        self.checks: list[tuple[str, ConsumableCheck]] = []

    @property
    def faults(self) -> int:
        return sum(len(check.missing) + len(check.in_part) for _, check in self.checks)


async def night_consumables(reader: RaidReader, user: str, night: NightFights, player_name: str) -> ToolResult:
    missing, players = dict[str, None](), dict[str, PlayerNight]()
    for row in night.rows:
        view = await reader.fight(user, row.code, row.number)
        missing |= dict.fromkeys(view.fight.missing)
        for check in await asyncio.to_thread(check_consumables, view, view.players()):
            one = performance_of(view, check.player)
            spec = " ".join(part for part in (one.spec, one.class_name) if part) or "unknown"
            mine = players.setdefault(view.full_name(check.player), PlayerNight(spec, one.role))
            mine.checks.append((fight_label(reader, row), check))
    names = await chosen_names(reader, user, players, player_name)
    shown = {name: one for name, one in players.items() if names is None or name in names}
    ordered = sorted(shown.items(), key=lambda item: (-item[1].faults, item[0]))
    clean = sum(not one.faults for one in shown.values())
    figures: dict[str, Json] = {"players_checked": len(shown)}
    if clean and len(shown) > 1:
        figures["in_order"] = show_clean(clean, "nothing missing and nothing ran out in any fight")
    figures["players"] = [_row(name, one) for name, one in ordered]
    notes = [
        "A flask, or one battle and one guardian elixir. What ran out or came late was on for less than 90 % of the "
        "time alive. Numbers before bosses are the fights'.",
        f"{POTIONS} Behind such a fight stands how long the player was alive.",
        *night.notes(),
    ]
    return raid_result(night.heading(), figures, missing=list(missing), notes=notes)


def show_clean(players: int, what: str) -> str:
    """How many of the last rows have no fault."""
    return f"{show_count(players, 'player')}, the last {'row' if players == 1 else 'rows'}: {what}"


def _row(name: str, one: PlayerNight) -> dict[str, Json]:
    missing, ran_out = defaultdict[str, list[str]](list), list[str]()
    potions = 0
    for label, check in one.checks:
        potions += len(check.potions)
        for what in check.missing:
            missing[what].append(f"{label} {show_length(check.alive_ms)}" if "potion" in what else label)
        ran_out += [
            f"{each.kind} {_when(each.begin, each.end)}, {each.percent:.0f} %: {label}" for each in check.in_part
        ]
    of = len(one.checks)
    return {
        "player": name,
        "spec": one.spec,
        "role": one.role,
        "fights": of,
        "missing": "; ".join(f"{what}: {some_of(labels, of)}" for what, labels in missing.items()) or None,
        "ran_out_or_late": "; ".join(ran_out) or None,
        "potions": potions,
        "unknown": ", ".join(dict.fromkeys(what for _, check in one.checks for what in check.unknown)) or None,
    }


def _when(begin: int, end: int) -> str:
    return f"until {show_length(end)}" if begin == 0 else f"{show_length(begin)} to {show_length(end)}"
