"""Nights of a guild and of reference raids, put into a store: for the tools over many fights."""

from typing import Any

from glassloop.extensions.raids.fight_log import FightLog, Flag, Kind
from glassloop.extensions.raids.records import (
    AbilityTotal,
    Actor,
    Fight,
    FightRecord,
    Performance,
    ReportRecord,
    Spell,
)
from glassloop.extensions.raids.storage.reports import RaidStore

START = 1_780_000_000_000
WEEK = 7 * 24 * 3600 * 1000
PRINCE, ARAN, MAIDEN = 661, 658, 654
SPELLS = (Spell(id=27070, name="Fireball", school=4), Spell(id=25213, name="Greater Heal", school=2),
          Spell(id=10199, name="Fire Blast", school=4), Spell(id=11129, name="Combustion", school=4))  # fmt: skip
MAGE, TANK, HEALER, BOSS = range(4)


def actors(mage: str = "Élan", realm: str = "Firemaw") -> tuple[Actor, ...]:
    return (
        Actor(guid=f"Player-1-{mage}", name=mage, realm=realm, kind="player", class_name="Mage"),
        Actor(guid=f"Player-1-{mage}t", name=f"{mage}tank", realm=realm, kind="player", class_name="Warrior"),
        Actor(guid=f"Player-1-{mage}h", name=f"{mage}heal", realm=realm, kind="player", class_name="Priest"),
        Actor(guid="Creature-0-1-2-3-15690-0", name="Prince Malchezaar", npc_id=15690),
    )


def fight(
    number: int, at: int, *, encounter: int = PRINCE, kill: bool = True, dps: float = 1000.0, length_s: int = 200,
    deaths: int = 0, hps: float = 800.0, item_level: float = 115.0, boss_health: float = 30.0,
) -> FightRecord:  # fmt: skip
    """A mage that does so much damage, a tank with half of that, and a healer."""
    length = length_s * 1000
    damage, healing = round(dps * length_s), round(hps * length_s)
    log = FightLog()
    for second in range(0, length_s, 3):
        log.append(second * 1000, Kind.CAST, source=MAGE, target=BOSS, spell=0)
        log.append(second * 1000, Kind.DAMAGE, source=MAGE, target=BOSS, spell=0, amount=100, flags=Flag.TARGET_HOSTILE)
    log.append(5_000, Kind.CAST, source=MAGE, target=MAGE, spell=3)
    return FightRecord(
        fight=Fight(
            number=number, encounter_id=encounter, name="", started_at=at, ended_at=at + length, kill=kill, size=10,
            boss_health=0.0 if kill else boss_health, missing=("no gear: the log has no COMBATANT_INFO",),
        ),
        performances=(
            Performance(actor=MAGE, class_name="Mage", spec="Fire", damage=damage, deaths=deaths, casts=length_s // 3,
                        item_level=item_level, active_ms=length * 9 // 10, interrupts=1),
            Performance(actor=TANK, class_name="Warrior", spec="Protection", role="tank", damage=damage // 2,
                        taken=10 * damage, item_level=item_level, interrupts=2),
            Performance(actor=HEALER, class_name="Priest", spec="Holy", role="healer", healing=healing,
                        overheal=healing // 4, item_level=item_level, dispels=4),
        ),
        abilities=(
            AbilityTotal(actor=MAGE, kind="damage", spell=0, total=damage * 9 // 10, hits=60, criticals=20, casts=60),
            AbilityTotal(actor=MAGE, kind="damage", spell=2, total=damage // 10, hits=10, casts=10),
            AbilityTotal(actor=HEALER, kind="healing", spell=1, total=healing, hits=80, casts=80),
        ),
        events=log.pack(),
    )  # fmt: skip


async def put_night(
    raids: RaidStore, code: str, fights: list[FightRecord], *, user: str = "ada", reference: bool = False,
    mage: str = "Élan", realm: str = "Firemaw",
) -> str:  # fmt: skip
    """Stores a report of these fights."""
    report = await raids.begin(user, reference=reference, name="WoWCombatLog.txt")
    for one in fights:
        await raids.add_fight(report, one)
    ends: Any = fights[-1].fight.ended_at
    return await raids.complete(
        report,
        ReportRecord(
            code=code, title=f"Karazhan {code}", zone="Karazhan", started_at=fights[0].fight.started_at, ended_at=ends,
            lines=10, taken=8, bad=1, outside=1, actors=actors(mage, realm), spells=SPELLS,
        ),
    )  # fmt: skip


async def put_references(raids: RaidStore, count: int = 12, *, encounter: int = PRINCE) -> None:
    """Kills by as many mages: of 1,000, 1,100, 1,200 … DPS."""
    for place in range(count):
        one = fight(1, START - WEEK + place * 10_000_000, encounter=encounter, dps=1000 + 100 * place, length_s=180)
        code = f"ref{encounter}{place:04d}"
        await put_night(raids, code, [one], user="operator", reference=True, mage=f"Top{chr(97 + place)}")
