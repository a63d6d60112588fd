"""A fight written line by line, with facts chosen by the test: for analyses that judge players."""

from typing import Any

from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import FightLog, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Creature, Encounter, Phase
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.records import Actor, Combatant, Fight, FightRecord, Performance, Spell

BOSS, PLAYER, OTHER, ADD = range(4)
BOSS_ID, ADD_ID = 15690, 15999


def facts(**parts: Any) -> GameKnowledge:
    """Empty where nothing is given."""
    none: dict[str, Any] = {
        "encounters": {}, "specs": {}, "classes": {}, "class_spells": (), "cooldowns": (), "dots": (),
        "consumables": (), "raid_buffs": (), "procs": (), "channels": (), "cast_times": (), "gems": {}, "enchants": {},
        "enchantable_slots": (),
    }  # fmt: skip
    return GameKnowledge(**none | parts)


def encounter(*phases: Phase, **parts: Any) -> dict[int, Encounter]:
    creatures = (Creature(id=BOSS_ID, name="Boss"), Creature(id=ADD_ID, name="Add", boss=False))
    told: dict[str, Any] = {"creatures": creatures, "phases": phases} | parts
    return {1: Encounter(id=1, name="Boss", instance=532, zone="Karazhan", size=10, **told)}


class WrittenFight:
    """Spells are given by the game's id; times in seconds."""

    def __init__(self, length_s: float = 60, **player: Any) -> None:
        self.log = FightLog()
        self.length_s = length_s
        self.player = Performance(actor=PLAYER, **player)
        self.actors: tuple[Actor, ...] = (
            Actor(guid="Creature-0-1-532-1-15690-1", name="Boss", npc_id=BOSS_ID),
            Actor(guid="Player-1-1", name="Ulf", kind="player"),
            Actor(guid="Player-1-2", name="Anna", kind="player"),
            Actor(guid="Creature-0-1-532-1-15999-1", name="Add", npc_id=ADD_ID),
        )
        self.spells: list[Spell] = []

    def add(
        self, at_s: float, kind: Kind, spell: int = 0, source: int = PLAYER, target: int = BOSS, **row: Any
    ) -> None:
        self.log.append(round(at_s * 1000), kind, source, target, *([self.index(spell)] if spell else []), **row)

    def cast(self, at_s: float, spell: int, **row: Any) -> None:
        self.add(at_s, Kind.CAST, spell, **row)

    def buff(self, begin_s: float, end_s: float | None, spell: int, target: int = PLAYER, source: int = PLAYER) -> None:
        """On from before where it begins before 0."""
        if begin_s >= 0:
            self.add(begin_s, Kind.AURA_ON, spell, source, target, flags=Flag.BUFF)
        if end_s is not None:
            self.add(end_s, Kind.AURA_OFF, spell, source, target, flags=Flag.BUFF)

    def boss_health(self, at_s: float, percent: int) -> None:
        self.add(at_s, Kind.DAMAGE, 1, amount=1, flags=Flag.TARGET_HOSTILE, health=percent * 10, max_health=1000)

    def index(self, spell: int) -> int:
        for number, one in enumerate(self.spells):
            if one.id == spell:
                return number
        self.spells.append(Spell(id=spell, name=f"Spell {spell}"))
        return len(self.spells) - 1

    def view(self, knowledge: GameKnowledge | None = None, *, kill: bool = True, **record: Any) -> FightView:
        order = sorted(range(len(self.log)), key=self.log.at.__getitem__)
        sorted_log = FightLog()
        for row in self.log.rows(order):
            sorted_log.append(*(getattr(row, name) for name, _ in FightLog.COLUMNS))
        fight = Fight(
            number=1, encounter_id=1, name="Boss", started_at=0, ended_at=round(self.length_s * 1000), kill=kill,
            boss_health=record.pop("boss_health", None),
        )  # fmt: skip
        others = record.pop("performances", (Performance(actor=OTHER, class_name="Mage", role="damage"),))
        whole = FightRecord(fight=fight, performances=(self.player, *others), **record)
        return FightView(whole, sorted_log, self.actors, tuple(self.spells), knowledge or facts())


def wearing(*auras: int, **gear: Any) -> Combatant:
    """The player at the start, with these buffs on."""
    return Combatant(actor=PLAYER, auras=tuple((PLAYER, spell) for spell in auras), **gear)
