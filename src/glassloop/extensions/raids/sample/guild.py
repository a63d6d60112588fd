"""Eight weeks of a guild, night by night: kills, wipes that get better, and players with something to learn."""

import random
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import msgspec

from glassloop.extensions.raids.sample.gear import dress
from glassloop.extensions.raids.sample.kits import kits
from glassloop.extensions.raids.sample.log_text import LogForm
from glassloop.extensions.raids.sample.raid import GeneratedRaid, PlannedPull
from glassloop.extensions.raids.sample.roster import RaidMember, player_guid
from glassloop.extensions.raids.sample.simulation.attempt import Plan
from glassloop.extensions.raids.sample.simulation.player import Habits

WEEKS: Final = 8
SAMPLE_DAY: Final = date(2026, 11, 16)
"""Where none is given. The guild was in the lairs the night before, and in Karazhan four days earlier."""
KARAZHAN_DAYS: Final = 5
HEALTH: Final = 0.55
"""A factor for the health of all bosses, the guild's and the references', so that the logs stay small."""
FORM: Final = LogForm(dated=True, build="2.5.5", boss_per_cent=False)

ROSTER: Final = (
    ("Aldren", "Warrior Protection", Habits()),
    ("Hestia", "Paladin Holy", Habits(cancel=0.09)),
    ("Mirelle", "Priest Holy", Habits(waste=1.9, potions=False)),
    ("Zorrin", "Rogue Combat", Habits(stands_in_fire=True, food=False)),
    ("Vessara", "Warlock Affliction", Habits(clip=0.12)),
    ("Kelwin", "Mage Fire", Habits(cancel=0.14)),
    ("Drusilla", "Hunter Beast Mastery", Habits(enchants=False, low_gems=True)),
    ("Nargosh", "Shaman Enhancement", Habits(lapse=0.05)),
    ("Ysolt", "Priest Shadow", Habits()),
    ("Ishara", "Druid Restoration", Habits()),
    ("Torvald", "Druid Feral bear", Habits(flask=False)),
    ("Orinna", "Shaman Restoration", Habits(potions=False)),
    ("Celwyn", "Priest Discipline", Habits()),
    ("Gundrim", "Paladin Protection", Habits()),
    ("Hadrix", "Paladin Holy", Habits()),
    ("Wulfric", "Warrior Fury", Habits()),
    ("Branik", "Warrior Arms", Habits(lapse=0.06, holds_cooldowns=True)),
    ("Raskell", "Rogue Assassination", Habits()),
    ("Elmira", "Mage Frost", Habits()),
    ("Xandrel", "Mage Arcane", Habits(strength=1.08)),
    ("Umbrik", "Warlock Destruction", Habits(strength=1.05)),
    ("Phaedra", "Hunter Survival", Habits(flask=False, food=False)),
    ("Serapha", "Shaman Elemental", Habits()),
    ("Rhosyn", "Druid Balance", Habits(cancel=0.06)),
    ("Jorund", "Paladin Retribution", Habits(oil=False)),
)
REGRESSION: Final = ("Ysolt", 6)
"""Who gets worse, and from which week on."""

KARAZHAN: Final = (652, 653, 654, 655, 656, 657, 658, 659, 662, 661)
# Of every week: how many per cent the boss had left at each wipe; 0 is a kill.
KARAZHAN_WEEKS: Final[tuple[dict[int, tuple[float, ...]], ...]] = (
    {652: (0,), 653: (0,), 654: (0,), 655: (0,), 656: (62, 44, 29)},
    {652: (0,), 653: (0,), 654: (0,), 655: (0,), 656: (17, 0)},
    {652: (0,), 653: (0,), 654: (0,), 656: (0,), 658: (55, 31, 0)},
    {652: (0,), 654: (0,), 656: (0,), 658: (0,), 657: (24, 0), 661: (64, 43, 27, 12)},
    {652: (0,), 653: (0,), 656: (0,), 657: (0,), 658: (0,), 661: (9, 0)},
    {654: (0,), 655: (0,), 656: (0,), 658: (0,), 659: (48, 0), 661: (0,), 662: (57, 36)},
    {653: (0,), 656: (0,), 657: (0,), 658: (0,), 659: (0,), 661: (0,), 662: (14, 0)},
    dict.fromkeys(KARAZHAN, (0,)),
)
LAIRS_WEEKS: Final[tuple[dict[int, tuple[float, ...]], ...]] = (
    {649: (71, 52, 36)},
    {649: (18, 0), 650: (66, 49)},
    {649: (0,), 650: (38, 21, 8)},
    {649: (0,), 650: (0,)},
    {649: (0,), 650: (0,), 651: (84, 61)},
    {649: (0,), 650: (0,), 651: (47, 30)},
    {649: (0,), 650: (0,), 651: (12, 0)},
    {649: (0,), 650: (0,), 651: (0,)},
)


def guild_nights(seed: int = 1, day: date = SAMPLE_DAY) -> list[GeneratedRaid]:
    """All of them, oldest first; the last one is that before the day."""
    nights: list[GeneratedRaid] = []
    for week in range(WEEKS):
        last = day - timedelta(weeks=WEEKS - 1 - week)
        nights.append(_night(seed, week, last - timedelta(days=KARAZHAN_DAYS), KARAZHAN_WEEKS[week], 10))
        nights.append(_night(seed, week, last - timedelta(days=1), LAIRS_WEEKS[week], 25))
    return nights


def guild_members(seed: int, week: int, size: int) -> list[RaidMember]:
    """The guild as it is in a week: better dressed from week to week."""
    members: list[RaidMember] = []
    for number, (name, label, habits) in enumerate(ROSTER[:size]):
        kit = kits()[label]
        strength = habits.strength * (0.8 + 0.035 * week)
        lapse = habits.lapse + 0.02 * (WEEKS - week) / WEEKS
        if name == REGRESSION[0] and week >= REGRESSION[1]:
            strength, lapse = strength * 0.72, 0.16
        rng = random.Random(f"{seed} {name}")
        gear = dress(
            kit, rng, level=0.15 + 0.09 * week, enchants=habits.enchants, low_gems=habits.low_gems, oil=habits.oil,
            empty_sockets=not habits.enchants,
        )  # fmt: skip
        members.append(
            RaidMember(
                guid=player_guid(number + 501, 4464),
                name=name,
                kit=kit,
                habits=msgspec.structs.replace(habits, strength=strength, lapse=lapse),
                gear=gear,
                writes_log=number == 0,
            )
        )
    return members


def _night(seed: int, week: int, day: date, attempts: dict[int, tuple[float, ...]], size: int) -> GeneratedRaid:
    rng = random.Random(f"{seed} {week} {size}")
    pulls: list[PlannedPull] = []
    for encounter_id, ends in attempts.items():
        for number, left in enumerate(ends):
            plan = Plan(
                health=HEALTH,
                wipe_at=left or None,
                deaths=max(0.02, 0.16 - 0.02 * week),
                interrupts=0.6 + 0.04 * week,
                fire=0.012,
            )
            pause = rng.uniform(150, 320) if number else rng.uniform(300, 900)
            pulls.append(PlannedPull(encounter_id=encounter_id, plan=plan, pause_s=pause, trash=8 if number else 30))
    began = datetime.combine(day, time(19, 45, rng.randrange(60)), UTC)
    return GeneratedRaid(
        guild_members(seed, week, size), pulls, FORM, seed=rng.randrange(1 << 30),
        started_at=int(began.timestamp() * 1000),
    )  # fmt: skip
