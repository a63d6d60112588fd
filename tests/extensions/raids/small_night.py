"""A night of two attempts by two players, made by hand."""

from glassloop.extensions.raids.fight_log import FightLog, Kind
from glassloop.extensions.raids.records import (
    AbilityTotal,
    Actor,
    Death,
    Fight,
    FightRecord,
    Performance,
    ReportRecord,
    Spell,
)

START = 1_700_000_000_000
ACTORS = (
    Actor(guid="Player-1-A", name="Élan", realm="Firemaw", kind="player", class_name="Mage"),
    Actor(guid="Player-1-B", name="Brak", realm="Firemaw", kind="player", class_name="Warrior"),
    Actor(guid="Creature-0-1-2-3-15690-0", name="Prince Malchezaar", npc_id=15690),
)
SPELLS = (Spell(id=27070, name="Fireball", school=4),)


def make_log(rows=3):
    log = FightLog()
    for at in range(rows):
        log.append(at * 1000, Kind.DAMAGE, source=0, target=2, spell=0, amount=100 + at)
    return log


def make_fight(number=1, *, encounter=661, kill=True, damage=(60_000, 30_000), length=60_000, start=START):
    began = start + number * 600_000
    return FightRecord(
        fight=Fight(
            number=number, encounter_id=encounter, name="Prince Malchezaar", started_at=began,
            ended_at=began + length, kill=kill, size=10, boss_health=0.0 if kill else 42.5,
            missing=("no gear: the log has no COMBATANT_INFO",),
        ),
        performances=(
            Performance(actor=0, class_name="Mage", spec="Fire", damage=damage[0], item_level=112.5, casts=30),
            Performance(actor=1, class_name="Warrior", spec="Arms", damage=damage[1], deaths=1, died_at=5_000),
        ),
        abilities=(AbilityTotal(actor=0, kind="damage", spell=0, total=damage[0], hits=30),),
        deaths=(Death(actor=1, at=5_000),),
        events=make_log().pack(),
    )  # fmt: skip


def make_report(code="abcdefghij", *, actors=ACTORS, start=START):
    return ReportRecord(
        code=code, title="Karazhan", zone="Karazhan", started_at=start, ended_at=start + 3_600_000, lines=100, taken=90,
        bad=1, outside=9, actors=actors, spells=SPELLS,
    )  # fmt: skip


async def put(raids, user="ada", *, code="abcdefghij", reference=False, start=START, actors=ACTORS, fights=None):
    """Stores the night; its code."""
    report = await raids.begin(user, reference=reference, name="WoWCombatLog.txt")
    wipe, kill = make_fight(1, kill=False, start=start), make_fight(2, start=start)
    for fight in (wipe, kill) if fights is None else fights:
        await raids.add_fight(report, fight)
    return await raids.complete(report, make_report(code, actors=actors, start=start))
