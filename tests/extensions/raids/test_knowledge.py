"""The facts of the game: those that the contract names are there exactly, and the rest fits together."""

import lzma
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import make_items
import msgspec
import pytest

from glassloop.extensions.raids.analysis.totals.players import spec_of
from glassloop.extensions.raids.knowledge.items import ItemTable, load_items
from glassloop.extensions.raids.knowledge.loader import GameKnowledge, load_knowledge
from glassloop.extensions.raids.records import Combatant

CONTRACT = {
    652: ({15550, 16152, 16151}, 90),
    653: ({15687}, 85),
    654: ({16457}, 80),
    655: ({17521, 17533, 17534, 17535, 17548, 17543, 17547, 17546, 18168}, 85),
    656: ({15691}, 90),
    657: ({15688, 17229}, 90),
    658: ({16524}, 80),
    659: ({15689}, 70),
    660: (set[int](), 90),
    661: ({15690}, 90),
    662: ({17225}, 75),
    649: ({18831, 18832, 18834, 18835, 18836}, 85),
    650: ({19044}, 85),
    651: ({17257, 17256}, 85),
}
SPECS = {
    "Warrior": ["Arms", "Fury", "Protection"],
    "Paladin": ["Holy", "Protection", "Retribution"],
    "Hunter": ["Beast Mastery", "Marksmanship", "Survival"],
    "Rogue": ["Assassination", "Combat", "Subtlety"],
    "Priest": ["Discipline", "Holy", "Shadow"],
    "Shaman": ["Elemental", "Enhancement", "Restoration"],
    "Mage": ["Arcane", "Fire", "Frost"],
    "Warlock": ["Affliction", "Demonology", "Destruction"],
    "Druid": ["Balance", "Feral", "Restoration"],
}
DOTS = {
    "Corruption": (18, 3),
    "Curse of Agony": (24, 2),
    "Unstable Affliction": (18, 3),
    "Immolate": (15, 3),
    "Siphon Life": (30, 3),
    "Shadow Word: Pain": (18, 3),
    "Vampiric Touch": (15, 3),
    "Moonfire": (12, 3),
    "Insect Swarm": (12, 2),
}
OVERHEAL = {
    ("Paladin", "Holy"): 20,
    ("Priest", "Discipline"): 25,
    ("Priest", "Holy"): 30,
    ("Shaman", "Restoration"): 30,
    ("Druid", "Restoration"): 45,
}


@pytest.fixture(scope="module")
def known() -> GameKnowledge:
    return load_knowledge()


def repeated(ids: Iterable[int]) -> list[int]:
    return [one for one, count in Counter(ids).items() if count > 1]


def test_the_encounters_are_those_of_the_contract(known: GameKnowledge) -> None:
    assert set(known.encounters) == set(CONTRACT)
    for number, (creatures, gcd) in CONTRACT.items():
        encounter = known.encounters[number]
        assert creatures <= {creature.id for creature in encounter.creatures}, encounter.name
        assert encounter.gcd == gcd, encounter.name
    assert {(one.instance, one.size) for one in known.encounters.values()} == {(532, 10), (565, 25), (544, 25)}
    assert [one.id for one in known.encounters.values() if not one.ranked] == [660]


def test_phases_begin_where_the_contract_says(known: GameKnowledge) -> None:
    marks = {number: [phase.health for phase in one.phases if phase.health] for number, one in known.encounters.items()}
    assert (marks[652], marks[653], marks[656], marks[658]) == ([95, 25], [30], [15], [40])
    assert (marks[661], marks[662], marks[649], marks[651]) == ([60, 30], [75, 50, 25], [50], [30])
    portals, banished = known.encounters[659].phases
    assert (portals.length_s, banished.length_s, banished.downtime) == (60, 30, True)
    assert known.encounters[651].phases[1].at_s == 120
    assert all(phase.downtime for phase in known.encounters[662].phases[1:])


def test_every_boss_has_names_in_other_languages_and_something_to_do_right(known: GameKnowledge) -> None:
    for encounter in known.encounters.values():
        assert {"de", "fr", "es", "ru"} <= set(encounter.names), encounter.name
        if encounter.ranked:
            assert encounter.phases, encounter.name
            assert any(mechanic.kind == "avoidable" for mechanic in encounter.mechanics) or encounter.id in {
                652, 653, 654, 656, 657,
            }, encounter.name  # fmt: skip
    assert known.encounters[649].names["de"] == "Hochkönig Maulgar"
    assert "prince" in known.encounters[661].nicknames
    assert "mag" in known.encounters[651].nicknames
    assert "illhoof" in known.encounters[657].nicknames


def test_a_creature_belongs_to_one_encounter(known: GameKnowledge) -> None:
    assert not repeated(creature.id for one in known.encounters.values() for creature in one.creatures)
    found = known.encounter_of(17229)
    assert found is not None
    assert found.name == "Terestian Illhoof"
    assert known.encounter_of(1) is None


def test_there_are_nine_classes_with_three_specs_each(known: GameKnowledge) -> None:
    assert {name: [spec for of, spec in known.specs if of == name] for name in known.classes} == SPECS
    for name, specs in SPECS.items():
        assert [known.specs[name, spec].tree for spec in specs] == [0, 1, 2]
    assert {key: spec.overheal_target for key, spec in known.specs.items() if spec.role == "healer"} == OVERHEAL
    quick = {key for key, spec in known.specs.items() if spec.gcd_s == 1.0}
    assert quick == {("Rogue", spec) for spec in SPECS["Rogue"]} | {("Druid", "Feral")}


def test_every_spec_can_be_told_and_judged(known: GameKnowledge) -> None:
    assert not repeated(spell for spec in known.specs.values() for spell in (*spec.signature, *spec.hints))
    for spec in known.specs.values():
        assert spec.signature, spec.name
        assert {known.class_of_spell(spell) for spell in spec.signature} == {spec.class_name}
        assert spec.main, spec.name
        assert all(known.main_spells(spec).values()), spec.name
        assert 0 < sum(spec.main.values()) <= spec.casts_per_minute <= 60 / spec.gcd_s * 1.5, spec.name


def test_a_spell_belongs_to_one_class_in_any_language(known: GameKnowledge) -> None:
    assert not repeated(id_ for spell in known.class_spells for id_ in (*spell.spells, *spell.effects))
    assert known.class_of_spell(27209, "Schattenblitz") == "Warlock"
    assert known.class_of_spell(999_999, "Mortal Strike") == "Warrior"
    assert known.class_of_spell(18138, "Shadow Bolt") == "", "weapons have one, too"
    assert known.class_of_spell(999_999, "Nature's Swiftness") == "", "two classes have it"
    assert (known.rank_of(686), known.rank_of(27209), known.rank_of(30859)) == (1, 11, None)
    spell = known.spell_of(25213)
    assert spell is not None
    assert (spell.name, spell.school) == ("Greater Heal", 2)


def test_damage_over_time_lasts_as_long_as_the_contract_says(known: GameKnowledge) -> None:
    dots = {dot.name: dot for dot in known.dots}
    assert {name: (dots[name].duration_s, dots[name].tick_s) for name in DOTS} == DOTS
    assert dots["Shadow Word: Pain"].longest_s == 24
    for dot in known.dots:
        assert dot.duration_s <= dot.longest_s
        assert dot.duration_s % dot.tick_s == 0
        assert {known.class_of_spell(spell) for spell in dot.spells} == {dot.class_name}


def test_interrupts_are_those_of_the_era(known: GameKnowledge) -> None:
    interrupts = {(one.class_name, one.name) for one in known.cooldowns if one.kind == "interrupt"}
    assert ("Shaman", "Earth Shock") in interrupts
    assert not [name for name, _ in interrupts if name == "Paladin"]
    hammer = known.cooldown_of(10308)
    assert hammer is not None
    assert (hammer.kind, hammer.cooldown_s) == ("utility", 60)


def test_ids_lead_to_one_fact_each(known: GameKnowledge) -> None:
    assert not repeated(spell for one in known.cooldowns for spell in one.spells)
    assert not repeated(spell for one in known.dots for spell in one.spells)
    assert not repeated(spell for one in known.channels for spell in one.spells)
    assert not repeated(spell for one in known.cast_times for spell in one.spells)
    assert not repeated(spell for one in known.consumables for spell in one.auras)
    assert not repeated(spell for one in known.consumables for spell in one.casts)
    assert not repeated(enchant for one in known.consumables for enchant in one.enchants)
    assert not repeated(spell for one in known.raid_buffs for spell in one.auras)
    assert not repeated(spell for one in known.procs for spell in one.auras)
    channels = {spell for one in known.channels for spell in one.spells}
    assert not channels & {spell for one in known.cast_times for spell in one.spells}


def test_classes_and_specs_named_by_other_facts_exist(known: GameKnowledge) -> None:
    for cooldown in known.cooldowns:
        assert all((cooldown.class_name, spec) in known.specs for spec in cooldown.specs), cooldown.name
        assert bool(cooldown.class_name) == (cooldown.source in ("class", "talent")), cooldown.name
        assert cooldown.duration_s <= cooldown.cooldown_s or cooldown.name in {"Grounding Totem", "Ice Barrier"}
    for buff in known.raid_buffs:
        assert buff.class_name in {"", *known.classes}, buff.name


def test_consumables_are_found_by_aura_cast_and_temporary_enchant(known: GameKnowledge) -> None:
    flask, potion, oil = (
        known.consumable_of_aura(28520),
        known.consumable_of_cast(28499),
        known.consumable_of_enchant(2678),
    )
    assert flask is not None and potion is not None and oil is not None
    assert (flask.kind, potion.kind, oil.kind) == ("flask", "mana potion", "weapon")
    assert {one.kind for one in known.consumables} >= {
        "flask", "battle elixir", "guardian elixir", "food", "weapon", "scroll", "potion", "mana potion",
        "healing potion", "rune", "drums",
    }  # fmt: skip
    assert all(one.auras or one.casts or one.enchants for one in known.consumables)


def test_buffs_that_a_raid_misses_are_marked(known: GameKnowledge) -> None:
    shout, kings, elements = known.buff_of(2048), known.buff_of(25898), known.buff_of(27228)
    assert shout is not None and kings is not None and elements is not None
    assert (shout.name, shout.covers, shout.major) == ("Battle Shout", "group", True)
    assert (kings.covers, kings.debuff, elements.debuff) == ("raid", False, True)
    assert any(one.name == "Windfury Totem" and one.major for one in known.raid_buffs)


def test_gems_have_a_quality_and_enchants_a_name(known: GameKnowledge) -> None:
    assert {gem.quality for gem in known.gems.values()} == {"common", "uncommon", "rare", "epic"}
    ruby, mongoose = known.gem(24027), known.enchant(2673)
    assert ruby is not None and mongoose is not None
    assert (ruby.name, ruby.quality, mongoose.name) == ("Bold Living Ruby", "rare", "Enchant Weapon - Mongoose")
    assert {0, 2, 4, 6, 7, 8, 9, 14, 15} == set(known.enchantable_slots)


def test_items_come_back_from_their_packed_form(tmp_path: Path) -> None:
    made = [
        {"itemId": 29066, "name": "Justicar Chestguard", "slot": "Chest", "quality": "Epic", "itemLevel": 120,
         "tooltip": [{"label": "Red Socket"}, {"label": "Blue Socket"}, {"label": "Socket Bonus: +4 Strength"}]},
        {"itemId": 30055, "name": "Ring, plain", "slot": "Finger", "quality": "Rare", "itemLevel": 115},
    ]  # fmt: skip
    file = tmp_path / "items"
    file.write_bytes(lzma.compress(msgspec.msgpack.encode(make_items.pack(made))))
    items = load_items(file)
    chest, ring = items.get(29066), items.get(30055)
    assert chest is not None and ring is not None
    assert (chest.name, chest.level, chest.slot, chest.sockets) == (
        "Justicar Chestguard",
        120,
        "Chest",
        ("Red", "Blue"),
    )
    assert (ring.name, ring.quality, ring.sockets) == ("Ring, plain", "Rare", ())
    assert items.get(1) is None


@pytest.mark.parametrize("written", [None, b"", b"not packed", lzma.compress(b"\x90")])
def test_items_that_were_not_built_or_are_broken_are_missing_and_no_error(
    tmp_path: Path, written: bytes | None
) -> None:
    if written is not None:
        (tmp_path / "items").write_bytes(written)
    items = load_items(tmp_path / "items")
    assert len(items) == 0
    assert items.get(29066) is None
    assert not ItemTable(None)


def test_a_package_that_is_not_the_pinned_one_is_refused() -> None:
    with pytest.raises(SystemExit, match="digest"):
        make_items.items_of(b"something else")


def test_the_built_items_are_all_that_can_be_worn(known: GameKnowledge) -> None:
    if not known.has_items:
        pytest.skip("The items are not built: run scripts/items.")
    assert len(load_items()) == 24_484
    trophy = known.item(28830)
    assert trophy is not None
    assert (trophy.name, trophy.slot) == ("Dragonspine Trophy", "Trinket")


DEATH_WISH, BLOODTHIRST, SHADOWBURN, UNSTABLE_AFFLICTION = 12292, 30335, 30546, 30405


def test_a_spec_is_known_by_talents_then_by_what_only_it_casts_then_by_hints(known: GameKnowledge) -> None:
    def named(class_name: str, cast: dict[int, int], talents: tuple[int, ...] = ()) -> str | None:
        told = Combatant(actor=0, talents=talents) if talents else None
        found = spec_of(class_name, told, cast, known)
        return found.name if found else None

    assert named("Warrior", {DEATH_WISH: 3}) is None
    assert named("Warrior", {DEATH_WISH: 3, BLOODTHIRST: 1}) == "Fury"
    assert named("Warrior", {DEATH_WISH: 3, BLOODTHIRST: 1}, (33, 28, 0)) == "Arms"
    assert named("Warlock", {SHADOWBURN: 9}) == "Destruction"
    assert named("Warlock", {SHADOWBURN: 9, UNSTABLE_AFFLICTION: 1}) == "Affliction"
