"""Consumables, enchants, gems and changes of gear."""

from functools import cached_property

from tests.extensions.raids.written_fight import OTHER, PLAYER, WrittenFight, facts, wearing

from glassloop.extensions.raids.analysis.consumables import ConsumableCheck, check_consumables
from glassloop.extensions.raids.analysis.gear import check_gear, gear_changes
from glassloop.extensions.raids.knowledge.facts import Consumable, Gem, ItemFacts
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.records import Combatant, GearItem

CONSUMABLES = (
    Consumable(name="Flask of Supreme Power", kind="flask", auras=(17628,)),
    Consumable(name="Elixir of Major Agility", kind="battle elixir", auras=(28497,)),
    Consumable(name="Elixir of Major Defense", kind="guardian elixir", auras=(28502,)),
    Consumable(name="Well Fed", kind="food", auras=(33257,)),
    Consumable(name="Brilliant Wizard Oil", kind="weapon", enchants=(2628,)),
    Consumable(name="Haste Potion", kind="potion", auras=(28507,), casts=(28507,)),
    Consumable(name="Super Mana Potion", kind="mana potion", casts=(28499,)),
)
OIL = GearItem(slot=15, item_id=1, temporary_enchant=2628)


def check(fight: WrittenFight, *combatants: Combatant) -> ConsumableCheck:
    fight.cast(1, 133, source=OTHER)
    view = fight.view(facts(consumables=CONSUMABLES), combatants=combatants)
    (alone,) = check_consumables(view, [PLAYER])
    assert alone in check_consumables(view, view.players())
    return alone


def test_prepared_player_misses_nothing() -> None:
    fight = WrittenFight(250, class_name="Mage", role="damage")
    fight.buff(-1, 100, 17628)
    for at in (3, 130):
        fight.cast(at, 28507)
    found = check(fight, wearing(17628, 33257, gear=(OIL,)))
    assert (found.missing, found.unknown, found.weapons) == ((), (), ("main hand: Brilliant Wizard Oil",))
    assert [(one.kind, one.percent, one.short) for one in found.uptimes] == [
        ("flask", 40.0, True), ("food", 100.0, False),
    ]  # fmt: skip
    assert ([one.at for one in found.potions], found.potions_possible) == ([3_000, 130_000], 3)


def test_one_elixir_of_each_kind_stands_for_a_flask() -> None:
    def missing(*auras: int, role: str = "tank") -> tuple[str, ...]:
        return check(WrittenFight(class_name="Warrior", role=role), wearing(33257, *auras, gear=(OIL,))).missing

    assert missing(28497, 28502) == ()
    assert missing(28497) == ("guardian elixir",)
    assert missing(28502) == ("battle elixir",)
    assert missing() == ("flask or elixirs",)
    assert missing(17628, role="healer") == ("mana potion",)
    assert missing(17628, role="damage") == ("potion",)


def test_who_was_alive_for_less_than_a_minute_misses_no_potion() -> None:
    def missing(role: str) -> tuple[str, ...]:
        fight = WrittenFight(59.9, class_name="Mage", role=role)
        return check(fight, wearing(17628, 33257, gear=(OIL,))).missing

    assert missing("damage") == missing("healer") == ()


def test_what_was_taken_before_a_log_without_combatant_info_is_unknown_and_not_missing() -> None:
    found = check(WrittenFight(class_name="Mage", role="damage"))
    assert found.missing == ("potion",)
    assert found.unknown == ("flask or elixirs", "food", "weapon oil or stone")


class WithItems(GameKnowledge, frozen=True, kw_only=True, dict=True):
    """Two of them."""

    @cached_property
    def _items(self) -> dict[int, ItemFacts]:  # pyright: ignore[reportIncompatibleVariableOverride]
        return {
            1: ItemFacts(id=1, name="Helm", level=115, slot="Head", sockets=("meta", "red")),
            2: ItemFacts(id=2, name="Tome", level=115, slot="Held In Off-hand"),
            3: ItemFacts(id=3, name="Aegis", level=115, slot="Off Hand"),
        }


def knowledge_of_items() -> GameKnowledge:
    known = facts(
        enchantable_slots=(0, 15), gems={5: Gem(id=5, name="Bold Garnet", quality="uncommon"),
                                         6: Gem(id=6, name="Bold Ruby", quality="rare")},
    )  # fmt: skip
    return WithItems(**{name: getattr(known, name) for name in GameKnowledge.__struct_fields__})


def test_missing_enchants_empty_sockets_and_low_gems_are_found() -> None:
    gear = (
        GearItem(slot=0, item_id=1, gems=(5, 0)),
        GearItem(slot=3, item_id=9),
        GearItem(slot=15, item_id=8, enchant=2669, gems=(6,)),
        GearItem(slot=16, item_id=2),
        GearItem(slot=17, item_id=7),
    )
    found = check_gear(knowledge_of_items(), gear, "Mage")
    assert [(fault.part, fault.item, fault.text) for fault in found.faults] == [
        ("enchant", "Helm", "no permanent enchant"),
        ("socket", "Helm", "1 of 2 sockets empty (meta, red)"),
        ("gem", "Helm", "low gem: Bold Garnet (uncommon)"),
    ]
    assert (found.items, found.enchantable, found.enchanted, found.sockets, found.gems) == (4, 2, 1, 3, 2)
    assert found.unknown_items == (8, 7)


def test_off_hands_take_enchants_by_what_they_are_and_bows_by_who_shoots() -> None:
    def faults(slot: int, item: int, class_name: str) -> int:
        return len(check_gear(knowledge_of_items(), (GearItem(slot=slot, item_id=item),), class_name).of("enchant"))

    assert [faults(16, 2, "Priest"), faults(16, 3, "Paladin"), faults(16, 99, "Rogue")] == [0, 1, 0]
    assert [faults(17, 99, "Hunter"), faults(17, 99, "Warrior")] == [1, 0]


def test_rings_that_changed_places_are_no_change() -> None:
    old = (GearItem(slot=10, item_id=1, item_level=110), GearItem(slot=11, item_id=2, item_level=120))
    new = (GearItem(slot=10, item_id=2, item_level=120), GearItem(slot=11, item_id=3, item_level=130))
    (change,) = gear_changes(old, new)
    assert change.old is not None and change.new is not None
    assert (change.old.item_id, change.new.item_id, change.level_difference(facts())) == (1, 3, 20)
    assert gear_changes(old, tuple(reversed(old))) == []


def test_another_enchant_on_the_same_item_is_a_change() -> None:
    (change,) = gear_changes((GearItem(slot=0, item_id=1),), (GearItem(slot=0, item_id=1, enchant=3),))
    assert change.same_item and change.level_difference(facts()) == 0
