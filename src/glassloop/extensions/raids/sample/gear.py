"""Gear of simulated players: items, enchants and gems of the first raid tier, by kind of armour and role."""

import random
import tomllib
from collections.abc import Iterable
from functools import cache
from typing import Final

import msgspec

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample.figures import WornItem
from glassloop.extensions.raids.sample.kits import DATA, Ability, Kit

SLOTS: Final = {
    0: "head", 1: "neck", 2: "shoulders", 4: "chest", 5: "waist", 6: "legs", 7: "feet", 8: "wrists", 9: "hands",
    10: "finger", 11: "finger", 12: "trinket", 13: "trinket", 14: "back", 15: "main_hand", 16: "off_hand", 17: "ranged",
}  # fmt: skip
ENCHANTS: Final = {
    "caster": {0: 3002, 2: 2982, 4: 2661, 6: 2748, 7: 2940, 8: 2650, 9: 2937, 14: 2938, 15: 2669},
    "healer": {0: 3001, 2: 2980, 4: 3150, 6: 2746, 7: 2656, 8: 2617, 9: 2322, 14: 2938, 15: 2343},
    "melee": {0: 3003, 2: 2986, 4: 2661, 6: 3012, 7: 2939, 8: 1593, 9: 2564, 14: 368, 15: 2673, 16: 2673},
    "tank": {0: 2999, 2: 2991, 4: 2659, 6: 3013, 7: 2657, 8: 2649, 9: 2613, 14: 2622, 15: 2673, 16: 1071},
}
GEMS: Final = {"caster": 24030, "healer": 24029, "melee": 24027, "tank": 24033}
LOW_GEMS: Final = {"caster": 23096, "healer": 23094, "melee": 23095, "tank": 23118}
META_GEMS: Final = {"caster": 25893, "healer": 25901, "melee": 32409, "tank": 25896}
OILS: Final = {"caster": 2678, "healer": 2677, "melee": 2713, "tank": 2713}
ARMOUR: Final = {
    "Warrior": "plate", "Paladin": "plate", "Hunter": "mail", "Shaman": "mail", "Rogue": "leather", "Druid": "leather",
    "Priest": "cloth", "Mage": "cloth", "Warlock": "cloth",
}  # fmt: skip
TWO_HANDED: Final = ("Warrior Arms", "Paladin Retribution", "Druid Feral cat", "Druid Feral bear")
SCOPE: Final = 2724
DEFENSIVE_BELOW: Final = 0.5
ENCHANT_NEEDS_WEAPON: Final = 16


@cache
def _tables() -> dict[str, dict[str, list[tuple[int, int, int]]]]:
    return tomllib.loads((DATA / "gear.toml").read_text("utf-8"))


def with_trinkets(kit: Kit, gear: Iterable[WornItem]) -> Kit:
    """The kit with the effects of worn items that are used on purpose, before everything else."""
    known, worn = load_knowledge(), {item.item_id for item in gear}
    effects = {spell for one in known.procs if not worn.isdisjoint(one.items) for spell in one.auras}
    used = tuple(
        Ability(
            id=one.spells[0], name=one.name, cd=one.cooldown_s, buff=one.duration_s, off_gcd=True, trinket=True,
            below_self=0.0 if one.kind == "throughput" else DEFENSIVE_BELOW,
        )
        for one in known.cooldowns
        if one.source == "item" and one.duration_s and one.spells[0] in effects
    )  # fmt: skip
    return msgspec.structs.replace(kit, abilities=used + kit.abilities) if used else kit


@cache
def item_sockets(item_id: int) -> int:
    """How many the item has."""
    choices = (one for table in _tables().values() for slot in table.values() for one in slot)
    return next((sockets for number, _, sockets in choices if number == item_id), 0)


def style_of(kit: Kit) -> str:
    """caster, healer, melee or tank."""
    if kit.role != "damage":
        return "tank" if kit.role == "tank" else "healer"
    return "melee" if kit.swing or kit.shot else "caster"


def dress(
    kit: Kit,
    rng: random.Random,
    *,
    level: float = 0.5,
    enchants: bool = True,
    low_gems: bool = False,
    empty_sockets: bool = False,
    oil: bool = True,
) -> tuple[WornItem, ...]:
    """Gear of a player; `level` from 0 (new at raiding) to 1 (the best of the tier). Without `enchants` some slots lack
    theirs."""
    style = style_of(kit)
    table = _tables()[_table_name(kit, style)]
    two_handed = kit.label in TWO_HANDED
    worn: list[WornItem] = []
    taken: set[int] = set()
    for slot, name in SLOTS.items():
        if slot == 16 and two_handed:
            continue
        choice = [one for one in table["two_hand" if slot == 15 and two_handed else name] if one[0] not in taken]
        if not choice:
            continue
        place = min(len(choice) - 1, max(0, round(level * (len(choice) - 1) + rng.uniform(-0.6, 0.6))))
        item_id, item_level, sockets = choice[place]
        taken.add(item_id)
        gem = LOW_GEMS[style] if low_gems else GEMS[style]
        gems = [META_GEMS[style] if slot == 0 and number == 0 and sockets > 1 else gem for number in range(sockets)]
        if empty_sockets and gems and rng.random() < 0.6:
            gems.pop()
        enchant = ENCHANTS[style].get(slot, 0)
        if slot == 17 and kit.class_name == "Hunter":
            enchant = SCOPE
        if not enchants and rng.random() < 0.55:
            enchant = 0
        worn.append(
            WornItem(
                slot=slot, item_id=item_id, item_level=item_level, enchant=enchant,
                temporary_enchant=OILS[style] if oil and slot == 15 else 0, gems=tuple(gems),
            )
        )  # fmt: skip
    return tuple(worn)


def _table_name(kit: Kit, style: str) -> str:
    armour = ARMOUR[kit.class_name]
    if style == "tank":
        return "plate_tank" if armour == "plate" else "leather_melee"
    return f"{armour}_{style}"
