"""Fights written by hand, and a knowledge of the game of a few facts: for tests of analyses."""

from typing import Any

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import (
    Channel,
    ClassFacts,
    Consumable,
    Cooldown,
    Creature,
    Dot,
    Encounter,
)  # fmt: skip
from glassloop.extensions.raids.records import Actor, Combatant, Fight, FightRecord, Performance, Spell

BOSS, MAGE, PRIEST, ROGUE, PET, WARLOCK = range(6)
ACTORS = (
    Actor(guid="Creature-0-1-532-1-15690-1", name="Prinz Malchezaar", npc_id=15690),
    Actor(guid="Player-1-1", name="Zoë", kind="player", realm="Everlook"),
    Actor(guid="Player-1-2", name="Anna", kind="player"),
    Actor(guid="Player-1-3", name="Rolf", kind="player"),
    Actor(guid="Pet-0-1", name="Wasserelementar", kind="pet", owner=MAGE),
    Actor(guid="Player-1-4", name="Ulf", kind="player"),
)
FROSTBOLT, BLAST, MISSILES, RENEW, SUNDER, CORRUPTION, SHIELD, FLASK, CLEAVE, STRIKE, POTION, FEIGN, KICK, SPIRIT = (
    range(14)
)
SPELLS = (
    Spell(id=27072, name="Frostblitz"), Spell(id=10199, name="Feuerschlag"), Spell(id=38704, name="Arkane Geschosse"),
    Spell(id=25222, name="Erneuerung"), Spell(id=25225, name="Rüstung zerreißen"), Spell(id=27216, name="Verderbnis"),
    Spell(id=25218, name="Machtwort: Schild"), Spell(id=28518, name="Fläschchen"), Spell(id=30131, name="Spalten"),
    Spell(id=26862, name="Finsterer Stoß"), Spell(id=28507, name="Hasttrank"), Spell(id=5384, name="Totstellen"),
    Spell(id=38768, name="Tritt"), Spell(id=27827, name="Geist der Erlösung"),
)  # fmt: skip


_PRINCE = (Creature(id=15690, name="Prince Malchezaar"),)


class FewFacts:
    """Has the look-ups of `GameKnowledge`."""

    encounters = {
        661: Encounter(id=661, name="Prince Malchezaar", instance=532, zone="Karazhan", size=10, creatures=_PRINCE),
        659: Encounter(id=659, name="Netherspite", instance=532, zone="Karazhan", size=10, gcd=70),
    }
    classes = {"Mage": ClassFacts(name="Mage", colour="#3fc7eb", abilities=("Frostbolt",), ability_ids=(27072,))}
    specs: dict[tuple[str, str], Any] = {}
    cooldowns: tuple[Cooldown, ...] = ()
    raid_buffs: tuple[Any, ...] = ()
    procs: tuple[Any, ...] = ()

    def cast_s(self, spell_id: int) -> float | None:
        return {27072: 3.0}.get(spell_id)

    def channel_of(self, spell_id: int) -> Channel | None:
        known = Channel(name="Arcane Missiles", class_name="Mage", spells=(38704,), duration_s=5.0)
        return known if spell_id in known.spells else None

    def dot_of(self, spell_id: int) -> Dot | None:
        known = Dot(name="Corruption", class_name="Warlock", spells=(27216,), duration_s=18, tick_s=3, longest_s=18)
        return known if spell_id in known.spells else None

    def consumable_of_aura(self, spell_id: int) -> Consumable | None:
        return Consumable(name="Flask of Fortification", kind="flask", auras=(28518,)) if spell_id == 28518 else None

    def consumable_of_cast(self, spell_id: int) -> Consumable | None:
        return Consumable(name="Haste Potion", kind="potion", casts=(28507,)) if spell_id == 28507 else None

    def cooldown_of(self, spell_id: int) -> Cooldown | None:
        return None

    def proc_of(self, spell_id: int) -> Any:
        return None

    def spell_of(self, spell_id: int) -> Any:
        return None

    def buff_of(self, spell_id: int) -> Any:
        return None

    def item(self, item_id: int) -> Any:
        return None

    def class_of_spell(self, spell_id: int, name: str) -> str:
        return {27072: "Mage", 25222: "Priest", 26862: "Rogue", 27216: "Warlock", 5384: "Hunter"}.get(spell_id, "")


def view_of(
    log: FightLog,
    *,
    length_ms: int = 60_000,
    encounter_id: int = 661,
    combatants: tuple[Combatant, ...] = (),
    classes: dict[int, str] | None = None,
    **parts: Any,
) -> FightView:
    fight = Fight(
        number=1, encounter_id=encounter_id, name="Prinz Malchezaar", started_at=1_000_000,
        ended_at=1_000_000 + length_ms, kill=True,
    )  # fmt: skip
    named = {MAGE: "Mage", PRIEST: "Priest", ROGUE: "Rogue", WARLOCK: "Warlock"} | (classes or {})
    performances = tuple(Performance(actor=actor, class_name=name) for actor, name in named.items())
    record = FightRecord(fight=fight, performances=performances, combatants=combatants, **parts)
    return FightView(record, log, ACTORS, SPELLS, FewFacts())  # pyright: ignore[reportArgumentType]


def aura(log: FightLog, at: int, kind: Kind, source: int, target: int, spell: int, **more: Any) -> None:
    """Of a buff, unless `flags` says otherwise."""
    log.append(at, kind, source, target, spell, flags=more.pop("flags", Flag.BUFF), **more)
