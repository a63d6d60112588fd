"""Gear of players: enchants and gems that are missing, and what changed between two nights.

The log tells which gems an item holds and never how many it could: sockets come from the item data of the pack.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from glassloop.extensions.raids.knowledge.facts import ItemFacts
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.records import GearItem, RaidRecord

SLOTS: Final = (
    "head", "neck", "shoulders", "shirt", "chest", "waist", "legs", "feet", "wrists", "hands", "finger 1", "finger 2",
    "trinket 1", "trinket 2", "back", "main hand", "off hand", "ranged", "tabard",
)  # fmt: skip
SHIRT: Final = 3
FINGERS: Final = (10, 11)
TRINKETS: Final = (12, 13)
OFF_HAND: Final = 16
RANGED: Final = 17
TABARD: Final = 18
WEAPONS_AND_SHIELDS: Final = ("off hand", "one-hand", "main hand", "two-hand")
"""Slots of the item data, which has shields among off hands, and what is only held apart."""
LOW_QUALITIES: Final = ("poor", "common", "uncommon")
_PAIRS: Final = (FINGERS, TRINKETS)

Part = Literal["enchant", "socket", "gem"]


class GearFault(RaidRecord, frozen=True, kw_only=True):
    """Something to do at one item."""

    part: Part
    slot: int
    item: str
    text: str


class GearCheck(RaidRecord, frozen=True, kw_only=True):
    """Of one player. `unknown_items` are those the item data does not have: their sockets are not known."""

    items: int
    enchantable: int
    enchanted: int
    sockets: int
    gems: int
    faults: tuple[GearFault, ...] = ()
    unknown_items: tuple[int, ...] = ()

    def of(self, part: Part) -> list[GearFault]:
        return [fault for fault in self.faults if fault.part == part]


class GearChange(RaidRecord, frozen=True, kw_only=True):
    """One slot in two nights; `None`: nothing was worn."""

    slot: int
    old: GearItem | None
    new: GearItem | None

    def level_difference(self, knowledge: GameKnowledge) -> int:
        return level_of(knowledge, self.new) - level_of(knowledge, self.old)

    @property
    def same_item(self) -> bool:
        return self.old is not None and self.new is not None and self.old.item_id == self.new.item_id


def slot_name(slot: int) -> str:
    return SLOTS[slot] if 0 <= slot < len(SLOTS) else f"slot {slot}"


def item_name(knowledge: GameKnowledge, item_id: int) -> str:
    item = knowledge.item(item_id)
    return item.name if item is not None else f"item {item_id}"


def check_gear(knowledge: GameKnowledge, gear: Sequence[GearItem], class_name: str) -> GearCheck:
    """Slots without permanent enchant, empty sockets, gems below rare."""
    worn = [item for item in gear if item.item_id and item.slot not in (SHIRT, TABARD)]
    faults, unknown = list[GearFault](), list[int]()
    enchantable = enchanted = sockets = gems = 0
    for one in worn:
        known = knowledge.item(one.item_id)
        if known is None:
            unknown.append(one.item_id)
        if takes_enchant(knowledge, one.slot, known, class_name):
            enchantable += 1
            enchanted += one.enchant != 0
            if not one.enchant:
                faults.append(_fault("enchant", knowledge, one, "no permanent enchant"))
        held = [gem for gem in one.gems if gem]
        gems += len(held)
        sockets += max(len(held), len(known.sockets)) if known is not None else len(held)
        if known is not None and len(held) < len(known.sockets):
            of = "1 socket" if len(known.sockets) == 1 else f"{len(known.sockets)} sockets"
            text = f"{len(known.sockets) - len(held)} of {of} empty"
            faults.append(_fault("socket", knowledge, one, f"{text} ({', '.join(known.sockets)})"))
        for gem, count in Counter(held).items():
            faults += _gem_faults(knowledge, one, gem, count)
    return GearCheck(
        items=len(worn), enchantable=enchantable, enchanted=enchanted, sockets=sockets, gems=gems,
        faults=tuple(faults), unknown_items=tuple(unknown),
    )  # fmt: skip


def takes_enchant(knowledge: GameKnowledge, slot: int, item: ItemFacts | None, class_name: str) -> bool:
    """Whether somebody of that class is expected to have it enchanted: scopes are for hunters, rings for enchanters,
    and an off hand takes one if it is a weapon or a shield."""
    kind = item.slot.casefold() if item is not None else ""
    if slot == OFF_HAND:
        # Without the item's data it is not held against anybody.
        return kind in WEAPONS_AND_SHIELDS
    if slot == RANGED:
        return class_name == "Hunter"
    return slot in knowledge.enchantable_slots


def _fault(part: Part, knowledge: GameKnowledge, item: GearItem, text: str) -> GearFault:
    return GearFault(part=part, slot=item.slot, item=item_name(knowledge, item.item_id), text=text)


def _gem_faults(knowledge: GameKnowledge, item: GearItem, gem: int, count: int) -> list[GearFault]:
    known = knowledge.gem(gem)
    if known is None or known.quality.casefold() not in LOW_QUALITIES:
        return []
    times = f"{count} × " if count > 1 else ""
    return [_fault("gem", knowledge, item, f"low gem: {times}{known.name} ({known.quality})")]


def level_of(knowledge: GameKnowledge, item: GearItem | None) -> int:
    """As the log has it, else of the item data; 0 where neither tells."""
    if item is None or item.item_level:
        return item.item_level if item is not None else 0
    known = knowledge.item(item.item_id)
    return known.level if known is not None else 0


def gear_changes(old: Sequence[GearItem], new: Sequence[GearItem]) -> list[GearChange]:
    """Slots that differ in item, enchant or gems. Rings and trinkets that only changed places are no change."""
    before, after = _aligned(old, new)
    changes = [
        GearChange(slot=slot, old=before.get(slot), new=after.get(slot))
        for slot in sorted(before.keys() | after.keys())
        if slot not in (SHIRT, TABARD)
    ]
    return [change for change in changes if _fingerprint(change.old) != _fingerprint(change.new)]


def _aligned(old: Sequence[GearItem], new: Sequence[GearItem]) -> tuple[dict[int, GearItem], dict[int, GearItem]]:
    before = {item.slot: item for item in old if item.item_id}
    after = {item.slot: item for item in new if item.item_id}
    for first, second in _PAIRS:
        here = [_item_id(before.get(first)), _item_id(before.get(second))]
        there = [_item_id(after.get(first)), _item_id(after.get(second))]
        crossed = (here[0] == there[1] != 0) + (here[1] == there[0] != 0)
        straight = (here[0] == there[0] != 0) + (here[1] == there[1] != 0)
        if crossed > straight:
            swapped = {first: after.get(second), second: after.get(first)}
            after = {slot: item for slot, item in after.items() if slot not in swapped}
            after |= {slot: item for slot, item in swapped.items() if item is not None}
    return before, after


def _item_id(item: GearItem | None) -> int:
    return item.item_id if item is not None else 0


def _fingerprint(item: GearItem | None) -> tuple[object, ...]:
    if item is None:
        return ()
    return item.item_id, item.enchant, tuple(sorted(gem for gem in item.gems if gem))
