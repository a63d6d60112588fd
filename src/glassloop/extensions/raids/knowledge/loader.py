"""The facts of `data/`, read once and indexed for look-ups by id."""

import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from glassloop.extensions.raids.knowledge.facts import (
    CastTime,
    Channel,
    ClassFacts,
    ClassSpell,
    Consumable,
    Cooldown,
    Dot,
    Enchant,
    Encounter,
    Gem,
    ItemFacts,
    Proc,
    RaidBuff,
    Spec,
)
from glassloop.extensions.raids.knowledge.items import ItemTable, load_items

_FOLDER = Path(__file__).parents[1] / "data"


class _WithSpells(Protocol):
    @property
    def spells(self) -> tuple[int, ...]: ...


_S = TypeVar("_S", bound=_WithSpells)


class GameKnowledge(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything known of the game. Look-ups by id answer None, or an empty text, for what is unknown."""

    encounters: Mapping[int, Encounter]
    specs: Mapping[tuple[str, str], Spec]
    """By class and spec, in English."""
    classes: Mapping[str, ClassFacts]
    class_spells: tuple[ClassSpell, ...]
    cooldowns: tuple[Cooldown, ...]
    dots: tuple[Dot, ...]
    consumables: tuple[Consumable, ...]
    raid_buffs: tuple[RaidBuff, ...]
    procs: tuple[Proc, ...]
    channels: tuple[Channel, ...]
    cast_times: tuple[CastTime, ...]
    gems: Mapping[int, Gem]
    enchants: Mapping[int, Enchant]
    enchantable_slots: tuple[int, ...]
    """Slots of `COMBATANT_INFO` (0 head … 17 ranged) that everybody's permanent enchant is expected in."""

    def encounter_id(self, logged: int) -> int:
        """The id of an encounter by any under which clients log it; an unknown one stays as it is."""
        return self._encounter_ids.get(logged, logged)

    def encounter_of(self, npc_id: int) -> Encounter | None:
        """Whose creature it is, boss or not."""
        return self._encounters_by_creature.get(npc_id)

    def class_of_spell(self, spell_id: int, name: str = "") -> str:
        """The only class that casts it; empty where several do or nobody does."""
        return self._classes_by_spell.get(spell_id) or self._classes_by_ability.get(name, "")

    def spell_of(self, spell_id: int) -> ClassSpell | None:
        """The spell of a class that this id is a rank or an effect of, whatever language the client spoke."""
        return self._spells_by_id.get(spell_id)

    def rank_of(self, spell_id: int) -> int | None:
        """Counted from 1; None for spells of no class, and for effects."""
        spell = self.spell_of(spell_id)
        return spell.spells.index(spell_id) + 1 if spell and spell_id in spell.spells else None

    def main_spells(self, spec: Spec) -> Mapping[str, frozenset[int]]:
        """The ids, of all ranks, that casts of each entry of `spec.main` are logged by."""
        named, of = self._spells_by_name, spec.class_name
        return {
            entry: frozenset(spell for name in entry.split(" or ") for spell in named[of, name].spells)
            for entry in spec.main
        }

    def cooldown_of(self, spell_id: int) -> Cooldown | None:
        return self._cooldowns_by_spell.get(spell_id)

    def dot_of(self, spell_id: int) -> Dot | None:
        return self._dots_by_spell.get(spell_id)

    def channel_of(self, spell_id: int) -> Channel | None:
        return self._channels_by_spell.get(spell_id)

    def cast_s(self, spell_id: int) -> float | None:
        """Without talents and haste; 0 is instant."""
        known = self._cast_times_by_spell.get(spell_id)
        return None if known is None else known.cast_s

    def consumable_of_aura(self, spell_id: int) -> Consumable | None:
        return self._consumables_by_aura.get(spell_id)

    def consumable_of_cast(self, spell_id: int) -> Consumable | None:
        return self._consumables_by_cast.get(spell_id)

    def consumable_of_enchant(self, enchant_id: int) -> Consumable | None:
        return self._consumables_by_enchant.get(enchant_id)

    def buff_of(self, spell_id: int) -> RaidBuff | None:
        return self._buffs_by_aura.get(spell_id)

    def proc_of(self, spell_id: int) -> Proc | None:
        return self._procs_by_aura.get(spell_id)

    def gem(self, gem_id: int) -> Gem | None:
        return self.gems.get(gem_id)

    def enchant(self, enchant_id: int) -> Enchant | None:
        return self.enchants.get(enchant_id)

    def item(self, item_id: int) -> ItemFacts | None:
        return self._items.get(item_id)

    @property
    def has_items(self) -> bool:
        """Whether the items were built; without them, names of items and their sockets are missing."""
        return bool(self._items)

    @cached_property
    def _items(self) -> ItemTable:
        return load_items()

    @cached_property
    def _encounter_ids(self) -> Mapping[int, int]:
        return {other: encounter.id for encounter in self.encounters.values() for other in encounter.other_ids}

    @cached_property
    def _encounters_by_creature(self) -> Mapping[int, Encounter]:
        return {creature.id: encounter for encounter in self.encounters.values() for creature in encounter.creatures}

    @cached_property
    def _spells_by_id(self) -> Mapping[int, ClassSpell]:
        return {spell_id: spell for spell in self.class_spells for spell_id in (*spell.spells, *spell.effects)}

    @cached_property
    def _spells_by_name(self) -> Mapping[tuple[str, str], ClassSpell]:
        return {(spell.class_name, spell.name): spell for spell in self.class_spells}

    @cached_property
    def _classes_by_spell(self) -> Mapping[int, str]:
        return {spell: name for name, facts in self.classes.items() for spell in facts.ability_ids}

    @cached_property
    def _classes_by_ability(self) -> Mapping[str, str]:
        return {ability: name for name, facts in self.classes.items() for ability in facts.abilities}

    @cached_property
    def _cooldowns_by_spell(self) -> Mapping[int, Cooldown]:
        return _by_spell(self.cooldowns)

    @cached_property
    def _dots_by_spell(self) -> Mapping[int, Dot]:
        return _by_spell(self.dots)

    @cached_property
    def _channels_by_spell(self) -> Mapping[int, Channel]:
        return _by_spell(self.channels)

    @cached_property
    def _cast_times_by_spell(self) -> Mapping[int, CastTime]:
        return _by_spell(self.cast_times)

    @cached_property
    def _consumables_by_aura(self) -> Mapping[int, Consumable]:
        return {spell: consumable for consumable in self.consumables for spell in consumable.auras}

    @cached_property
    def _consumables_by_cast(self) -> Mapping[int, Consumable]:
        return {spell: consumable for consumable in self.consumables for spell in consumable.casts}

    @cached_property
    def _consumables_by_enchant(self) -> Mapping[int, Consumable]:
        return {enchant: consumable for consumable in self.consumables for enchant in consumable.enchants}

    @cached_property
    def _buffs_by_aura(self) -> Mapping[int, RaidBuff]:
        return {spell: buff for buff in self.raid_buffs for spell in buff.auras}

    @cached_property
    def _procs_by_aura(self) -> Mapping[int, Proc]:
        return {spell: proc for proc in self.procs for spell in proc.auras}


@cache
def load_knowledge() -> GameKnowledge:
    """The same object each time. The items are read when the first one is looked up."""
    specs = _facts("classes.toml", "specs", Spec)
    spells = _facts("spells.toml", "spells", ClassSpell)
    return GameKnowledge(
        encounters={encounter.id: encounter for encounter in _facts("encounters.toml", "encounters", Encounter)},
        specs={(spec.class_name, spec.name): spec for spec in specs},
        classes=_classes(spells),
        class_spells=spells,
        cooldowns=_facts("cooldowns.toml", "cooldowns", Cooldown),
        dots=_facts("dots.toml", "dots", Dot),
        consumables=_facts("consumables.toml", "consumables", Consumable),
        raid_buffs=_facts("raid_buffs.toml", "raid_buffs", RaidBuff),
        procs=_facts("procs.toml", "procs", Proc),
        channels=_facts("casts.toml", "channels", Channel),
        cast_times=_facts("casts.toml", "cast_times", CastTime),
        gems={gem.id: gem for gem in _facts("gems.toml", "gems", Gem)},
        enchants={enchant.id: enchant for enchant in _facts("enchants.toml", "enchants", Enchant)},
        enchantable_slots=_facts("enchants.toml", "enchantable_slots", int),
    )


def _classes(spells: Sequence[ClassSpell]) -> Mapping[str, ClassFacts]:
    by_class: dict[str, list[ClassSpell]] = defaultdict(list)
    for spell in spells:
        by_class[spell.class_name].append(spell)
    names = Counter(spell.name for spell in spells)
    shared = {*_facts("spells.toml", "shared_names", str), *(name for name, count in names.items() if count > 1)}
    return {
        facts.name: msgspec.structs.replace(
            facts,
            abilities=tuple(spell.name for spell in by_class[facts.name] if spell.name not in shared),
            ability_ids=tuple(id_ for spell in by_class[facts.name] for id_ in (*spell.spells, *spell.effects)),
        )
        for facts in _facts("classes.toml", "classes", ClassFacts)
    }


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text("utf-8"))


_F = TypeVar("_F")


def _facts(file: str, key: str, kind: type[_F]) -> tuple[_F, ...]:
    return msgspec.convert(_read(file)[key], tuple[kind, ...])


def _by_spell(facts: Iterable[_S]) -> Mapping[int, _S]:
    return {spell: fact for fact in facts for spell in fact.spells}
