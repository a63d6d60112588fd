"""Lines between the fights of a log: creatures on the way, drinks and buffs. None of it belongs to a fight."""

import random
from collections.abc import Sequence
from typing import Final

from glassloop.extensions.raids.sample.log_text import LogText
from glassloop.extensions.raids.sample.roster import RaidMember
from glassloop.extensions.raids.sample.simulation.combat import Combat
from glassloop.extensions.raids.sample.simulation.units import CombatUnit, SimulatedSpell

CREATURES: Final = ((16389, "Spectral Apprentice"), (16406, "Phantom Attendant"), (16410, "Spectral Retainer"))
DRINK: Final = SimulatedSpell(27089, "Drink", 1)
FIREBALL: Final = SimulatedSpell(38692, "Fireball", 4)


def write_trash(text: LogText, rng: random.Random, members: Sequence[RaidMember], now: int, events: int) -> None:
    """A little fight on the way, over within half a minute."""
    combat = Combat(rng, text, now)
    units = [member.unit() for member in members]
    npc_id, name = rng.choice(CREATURES)
    guid = f"Creature-0-4469-532-1138-{npc_id}-{rng.randrange(1 << 30):010X}"
    creature = CombatUnit(guid, name, "npc", health=60_000, hostile=True, npc_id=npc_id)
    for number in range(events):
        text.set_time(now + number * 400)
        unit = rng.choice(units)
        if number % 5 == 0:
            combat.damage(creature, unit, None, rng.randint(300, 900))
        elif number % 7 == 0:
            combat.cast_start(unit, FIREBALL)
            combat.damage(unit, creature, FIREBALL, rng.randint(900, 1500))
        else:
            combat.damage(unit, creature, None, rng.randint(200, 500))
    if events:
        combat.die(creature, units[0])
        drinker = units[-1]
        combat.aura_on(drinker, drinker, DRINK, 0, buff=True)
