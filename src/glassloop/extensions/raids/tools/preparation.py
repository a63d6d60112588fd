"""Tools about what players brought: consumables, enchants and gems, and changes of gear between nights."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from glassloop.core.errors import ToolError
from glassloop.core.records import Json, ToolResult
from glassloop.extensions.raids.analysis import consumables, gear
from glassloop.extensions.raids.analysis.totals.players import item_level
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.names import find_player, fold_name, name_list, without_realm
from glassloop.extensions.raids.records import Actor, Combatant, GearItem
from glassloop.extensions.raids.storage.rows import StoredFight, StoredReport
from glassloop.extensions.raids.tools.night.consumables import POTIONS, night_consumables, show_clean
from glassloop.extensions.raids.tools.night.fights import whole_night
from glassloop.extensions.raids.tools.parameters import (
    LAST,
    NIGHT,
    FightId,
    FightOfNight,
    OptionalPlayerName,
    PlayerName,
    PlayerOrRaid,
    ReportCode,
)
from glassloop.extensions.raids.tools.player_title import performance_of, player_heading, seconds
from glassloop.extensions.raids.tools.raid_tool import raid_tool
from glassloop.extensions.raids.tools.reader import MINE, RAID_WORDS, RaidReader, boss_fights, show_time
from glassloop.extensions.raids.tools.result import bar_chart, raid_result, show_count, show_length
from glassloop.tools.tool import Tool, ToolContext

NO_GEAR: Final = "no gear: the log has no COMBATANT_INFO of this player"
NO_ITEMS: Final = "no names and sockets of items: the item data was not built (run `scripts/items` with access to npm)"
NO_AURAS: Final = (
    "no buffs from before the pull: the log has no COMBATANT_INFO with auras, so a flask or food that neither came nor "
    "went in the fight is unknown"
)
MAX_NAMED: Final = 10
MAX_SEARCHED: Final = 30
"""So many fights of a report are looked through for a player's gear, from the last one back."""

OldReport = Annotated[
    str, "The code of the earlier report; leave out for the one before the later one in the same zone."
]
NewReport = Annotated[str, "The code of the later report, or 'last' for the newest one."]


def make(reader: RaidReader) -> Sequence[Tool]:
    @raid_tool
    async def get_consumable_check(
        context: ToolContext,
        report_code: ReportCode = LAST,
        fight_id: FightOfNight = NIGHT,
        player_name: OptionalPlayerName = "",
    ) -> ToolResult:
        """Consumables in one fight or a whole night, of one player or of everybody: flask, elixirs, food, weapon oil or
        stone, scrolls with uptime, potions used, what ran out, and what is missing for the role. For "who had no
        flask?" or "was I prepared?"."""
        if (night := await whole_night(reader, context.user, report_code, fight_id)) is not None:
            return await night_consumables(reader, context.user, night, player_name)
        view = await reader.fight(context.user, report_code, fight_id)
        player = reader.player_or_all(view, player_name)
        return await asyncio.to_thread(consumable_answer, reader, view, [] if player is None else [player])

    @raid_tool
    async def get_enchant_gem_check(
        context: ToolContext, player_name: PlayerOrRaid, report_code: ReportCode = LAST, fight_id: FightId = LAST
    ) -> ToolResult:
        """Gear of a player in one fight: slots without permanent enchant, empty sockets, gems below rare quality. For
        "is my gear enchanted?"; with player_name 'raid' everybody in one table, the worst first ("who came without
        enchants?")."""
        view = await reader.fight(context.user, report_code, fight_id)
        if player_name.strip().casefold() in RAID_WORDS:
            return await asyncio.to_thread(raid_enchant_answer, reader, view)
        player = view.index_of(reader.player(view, player_name))
        return await asyncio.to_thread(enchant_answer, reader, view, player)

    @raid_tool
    async def get_gear_changes(
        context: ToolContext,
        player_name: PlayerName,
        report_code_old: OldReport = "",
        report_code_new: NewReport = LAST,
    ) -> ToolResult:
        """What a player's gear changed between two reports, by slot: old and new item, item level difference, enchant,
        gems; and the average item level of both. For "what did I upgrade?"."""
        old, new = await reader.two_reports(context.user, report_code_old, report_code_new)
        mine = await _own_names(reader, context.user, player_name)
        before = await _worn(reader, context.user, old, mine)
        after = await _worn(reader, context.user, new, mine)
        return change_answer(reader.knowledge, before, after)

    return [get_consumable_check, get_enchant_gem_check, get_gear_changes]


def consumable_answer(reader: RaidReader, view: FightView, chosen: Sequence[int]) -> ToolResult:
    checks = consumables.check_consumables(view, chosen or view.players())
    checks.sort(key=_urgency)
    rows = [_consumable_row(view, check) for check in checks]
    missing = reader.missing(view)
    if any(check.unknown for check in checks):
        missing.append(NO_AURAS)
    if not view.knowledge.consumables:
        missing.append("no facts about consumables are known")
    figures: dict[str, Json] = {"players_checked": len(checks)}
    if not chosen:
        figures |= _coverage(checks)
        if clean := sum(check.faultless for check in checks):
            figures["in_order"] = show_clean(clean, "nothing missing, ran out or unknown")
    figures["players"] = list(rows)
    if chosen:
        figures["potions_used"] = _potion_rows(view, checks)
    notes = [
        "A flask, or one battle and one guardian elixir. All potions share a cooldown of two minutes; potions before "
        "the pull are not in the log. Uptimes are of the time alive.",
        POTIONS,
    ]
    if any(check.in_part for check in checks):
        notes.append(
            "What ran out or came late was on for less than 90 % of the time alive; with less than half it counts as "
            "not there, in the shares of the raid, too."
        )
    heading = reader.heading(view) if not chosen else player_heading(reader, view, chosen[0])
    chart = None
    if not chosen:
        bars = [(name.removesuffix("_percent").replace("_", " "), value) for name, value in _coverage(checks).items()]
        chart = bar_chart("Players with", [(name, float(str(value))) for name, value in bars], "Players", "%")
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart)


def _urgency(check: consumables.ConsumableCheck) -> tuple[int, int, int]:
    """Those to talk to first: with the most missing, then what ran out, then what is not known."""
    return -len(check.missing), -len(check.in_part), -len(check.unknown)


def _coverage(checks: Sequence[consumables.ConsumableCheck]) -> dict[str, Json]:
    """Of all players, in per cent."""
    of = max(1, len(checks))
    prepared = sum(
        bool(check.lasting("flask")) or bool(check.lasting("battle elixir") and check.lasting("guardian elixir"))
        for check in checks
    )
    return {
        "flask_or_both_elixirs_percent": 100 * prepared / of,
        "food_percent": 100 * sum(bool(check.lasting("food")) for check in checks) / of,
        "weapon_percent": 100 * sum(bool(check.weapons or check.of("weapon")) for check in checks) / of,
        "potion_percent": 100 * sum(bool(check.potions) for check in checks) / of,
    }


def _consumable_row(view: FightView, check: consumables.ConsumableCheck) -> dict[str, Json]:
    one = performance_of(view, check.player)
    return {
        "player": view.full_name(check.player),
        "spec": " ".join(part for part in (one.spec, one.class_name) if part) or "unknown",
        "role": one.role,
        "flask": _uptimes(check.of("flask")),
        "battle_elixir": _uptimes(check.of("battle elixir")),
        "guardian_elixir": _uptimes(check.of("guardian elixir")),
        "food": _uptimes(check.of("food")),
        "weapon": "; ".join((*check.weapons, *(each.name for each in check.of("weapon")))) or None,
        "scrolls": _uptimes(check.of("scroll")),
        "potions": len(check.potions),
        "potions_possible": check.potions_possible,
        "missing": ", ".join(check.missing) or None,
        "ran_out_or_late": "; ".join(map(_short, check.in_part)) or None,
        "unknown": ", ".join(check.unknown) or None,
    }


def _uptimes(found: Iterable[consumables.ConsumableUptime]) -> str | None:
    return "; ".join(f"{one.name} {one.percent:.0f} %" for one in found) or None


def _short(one: consumables.ConsumableUptime) -> str:
    when = f"until {show_length(one.end)}" if one.begin == 0 else f"{show_length(one.begin)} to {show_length(one.end)}"
    return f"{one.kind} {when}, {one.percent:.0f} %"


def _potion_rows(view: FightView, checks: Sequence[consumables.ConsumableCheck]) -> list[Json]:
    return [
        {
            "player": view.name_of(check.player),
            "what": one.name,
            "kind": one.kind,
            "at": show_length(one.at),
            "at_s": seconds(one.at),
        }
        for check in checks
        for one in check.used
    ]


def enchant_answer(reader: RaidReader, view: FightView, player: int) -> ToolResult:
    heading, missing = player_heading(reader, view, player), reader.missing(view)
    combatant, knowledge = view.combatants.get(player), view.knowledge
    if combatant is None or not combatant.gear:
        note = "Nothing can be said of the gear."
        return raid_result(heading, {"items": None}, missing=[*missing, NO_GEAR], notes=[note])
    check = gear.check_gear(knowledge, combatant.gear, view.class_of(player))
    if not knowledge.has_items:
        missing.append(NO_ITEMS)
    elif check.unknown_items:
        numbers = ", ".join(map(str, check.unknown_items[:10]))
        missing.append(f"no data of {show_count(len(check.unknown_items), 'item')} ({numbers}): sockets are not known")
    figures: dict[str, Json] = {
        "items": check.items,
        "average_item_level": item_level(combatant, knowledge) or None,
        "enchanted": check.enchanted,
        "enchantable": check.enchantable,
        "gems": check.gems,
        "sockets": check.sockets if knowledge.has_items else None,
        "without_enchant": [_fault_row(fault) for fault in check.of("enchant")],
        "empty_sockets": [_fault_row(fault) for fault in check.of("socket")],
        "low_gems": [_fault_row(fault) for fault in check.of("gem")],
    }
    notes = list[str]()
    if not check.faults:
        sockets = "no low gem or empty socket was" if knowledge.has_items else "no low gem was"
        notes.append(f"Every slot that takes an enchant has one, and {sockets} found.")
    notes.append("Rings are not counted: only enchanters can enchant their own.")
    return raid_result(heading, figures, missing=missing, notes=notes)


def raid_enchant_answer(reader: RaidReader, view: FightView) -> ToolResult:
    """Everybody whose gear is known, those with most to do first."""
    knowledge, missing = view.knowledge, reader.missing(view)
    worn = {player: one for player in view.players() if (one := view.combatants.get(player)) is not None and one.gear}
    checks = [(player, gear.check_gear(knowledge, one.gear, view.class_of(player))) for player, one in worn.items()]
    checks.sort(key=lambda pair: (-len(pair[1].faults), view.full_name(pair[0])))
    if unknown := [view.full_name(player) for player in view.players() if player not in worn]:
        names = name_list(unknown, MAX_NAMED)
        missing.append(f"no gear of {show_count(len(unknown), 'player')} ({names}): the log has no COMBATANT_INFO")
    if not knowledge.has_items:
        missing.append(NO_ITEMS)
    clean = sum(not check.faults for _, check in checks)
    figures: dict[str, Json] = {
        "players_checked": len(checks),
        "without_fault": clean,
        "everybody": [_raid_gear_row(view, player, check) for player, check in checks],
    }
    notes = ["Rings are not counted: only enchanters can enchant their own."]
    if clean < len(checks):
        rest = f" The last {'row has' if clean == 1 else f'{clean} rows have'} no fault." if clean else ""
        notes.append(f"Give a player's name for the items that it is about.{rest}")
    return raid_result(reader.heading(view), figures, missing=missing, notes=notes)


def _raid_gear_row(view: FightView, player: int, check: gear.GearCheck) -> dict[str, Json]:
    def slots(part: gear.Part) -> str | None:
        return ", ".join(dict.fromkeys(gear.slot_name(fault.slot) for fault in check.of(part))) or None

    one = performance_of(view, player)
    return {
        "player": view.full_name(player),
        "spec": " ".join(part for part in (one.spec, one.class_name) if part) or "unknown",
        "item_level": one.item_level or None,
        "faults": len(check.faults),
        "enchanted": f"{check.enchanted} of {check.enchantable}",
        "without_enchant": slots("enchant"),
        "empty_sockets": slots("socket"),
        "low_gems": slots("gem"),
    }


def _fault_row(fault: gear.GearFault) -> dict[str, Json]:
    return {"slot": gear.slot_name(fault.slot), "item": fault.item, "what": fault.text}


class Worn:
    """A player's gear in a report, in the last fight that tells it."""

    def __init__(self, report: StoredReport, name: str, fight: StoredFight, combatant: Combatant) -> None:
        self.report, self.name, self.fight, self.combatant = report, name, fight, combatant


async def _own_names(reader: RaidReader, user: str, player_name: str) -> list[str]:
    """What was given, or the user's characters where that means the user."""
    wanted = player_name.strip()
    if wanted.casefold() not in MINE:
        return [wanted]
    characters = await reader.store.characters(user)
    if not characters:
        raise ToolError(
            "No character is registered for the user, so 'me' is not known: ask for the character's name and give it "
            "as `player_name`."
        )
    return [row.name for row in characters]


async def _worn(reader: RaidReader, user: str, report: StoredReport, names: Sequence[str]) -> Worn:
    players = {_full_name(actor): actor for actor in report.record.actors if actor.kind == "player"}
    name = _chosen(players, names)
    number = report.record.actors.index(players[name])
    for row in list(reversed(boss_fights(report.fights)))[:MAX_SEARCHED]:
        fight = await reader.store.fight(user, report.row.code, row.number)
        for combatant in fight.record.combatants if fight is not None else ():
            if combatant.actor == number and combatant.gear and fight is not None:
                return Worn(report, name, fight, combatant)
    raise ToolError(
        f"Report {report.row.code} tells no gear of {name}: its log has no COMBATANT_INFO of this player. Give another "
        "report (`search_fights` lists them)."
    )


def _chosen(players: dict[str, Actor], names: Sequence[str]) -> str:
    if len(names) == 1:
        return find_player(players, names[0])
    wanted = {fold_name(without_realm(name)) for name in names}
    here = [name for name in players if fold_name(without_realm(name)) in wanted]
    if len(here) != 1:
        raise ToolError(
            f"{len(here)} of the user's characters ({', '.join(names)}) are in this report: give `player_name`, one of "
            f"{', '.join(sorted(players)[:40])}."
        )
    return here[0]


def _full_name(actor: Actor) -> str:
    return f"{actor.name}-{actor.realm}" if actor.realm else actor.name


def change_answer(knowledge: GameKnowledge, old: Worn, new: Worn) -> ToolResult:
    changes = gear.gear_changes(old.combatant.gear, new.combatant.gear)
    before, after = item_level(old.combatant, knowledge), item_level(new.combatant, knowledge)
    heading: dict[str, Json] = {
        "player": new.name,
        "old_report": old.report.row.code,
        "old_when": show_time(old.fight.row.started_at),
        "old_fight": old.fight.row.number,
        "new_report": new.report.row.code,
        "new_when": show_time(new.fight.row.started_at),
        "new_fight": new.fight.row.number,
    }
    figures: dict[str, Json] = {
        "average_item_level_old": before or None,
        "average_item_level_new": after or None,
        "average_difference": after - before if before and after else None,
        "slots_changed": len(changes),
        "changes": [_change_row(knowledge, change) for change in changes],
    }
    notes = [] if changes else ["Nothing changed: the same items, enchants and gems."]
    if old.fight.row.started_at > new.fight.row.started_at:
        notes.append("The report given as the old one is later than the other: differences are from later to earlier.")
    missing = [] if knowledge.has_items else [NO_ITEMS]
    bars = [(gear.slot_name(change.slot), float(change.level_difference(knowledge))) for change in changes]
    chart = bar_chart("Item level difference by slot", bars, "Levels")
    return raid_result(heading, figures, missing=missing, notes=notes, chart=chart)


def _change_row(knowledge: GameKnowledge, change: gear.GearChange) -> dict[str, Json]:
    return {
        "slot": gear.slot_name(change.slot),
        "old_item": _item(knowledge, change.old),
        "new_item": "the same" if change.same_item else _item(knowledge, change.new),
        "level_difference": change.level_difference(knowledge),
        "old_enchant": _enchant(knowledge, change.old),
        "new_enchant": _enchant(knowledge, change.new),
        "old_gems": _gems(knowledge, change.old),
        "new_gems": _gems(knowledge, change.new),
    }


def _item(knowledge: GameKnowledge, item: GearItem | None) -> str | None:
    return None if item is None else f"{gear.item_name(knowledge, item.item_id)} ({gear.level_of(knowledge, item)})"


def _enchant(knowledge: GameKnowledge, item: GearItem | None) -> str | None:
    if item is None or not item.enchant:
        return None
    known = knowledge.enchant(item.enchant)
    return known.name if known is not None else f"enchant {item.enchant}"


def _gems(knowledge: GameKnowledge, item: GearItem | None) -> str | None:
    held = [gem for gem in item.gems if gem] if item is not None else []
    names = [known.name if (known := knowledge.gem(gem)) is not None else f"gem {gem}" for gem in held]
    return ", ".join(names) or None
