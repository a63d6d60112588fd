"""The players of a simulated raid: names, gear, and how they play."""

import random
from collections.abc import Sequence
from typing import Final

import msgspec

from glassloop.extensions.raids.sample.figures import WornItem
from glassloop.extensions.raids.sample.gear import dress
from glassloop.extensions.raids.sample.kits import Kit, kits
from glassloop.extensions.raids.sample.simulation.player import Habits
from glassloop.extensions.raids.sample.simulation.units import ENERGY, MANA, RAGE, CombatUnit

NAMES: Final = (
    "Aldren", "Branik", "Celwyn", "Dorrak", "Elmira", "Farrow", "Gundrim", "Hestia", "Ishara", "Jorund", "Kelwin",
    "Lorveth", "Mirelle", "Nargosh", "Orinna", "Pelham", "Quenric", "Rhosyn", "Soltheas", "Tamsin", "Ulfgar",
    "Vessara", "Wulfric", "Xandrel", "Yselda", "Zorrin", "Ambrel", "Beorhild", "Corvane", "Drusilla", "Edrath",
    "Fenwick", "Gwendal", "Hadrix", "Ilvane", "Jastor", "Kirrith", "Lunetta", "Morwenna", "Nimuel", "Ostrava",
    "Phaedra", "Raskell", "Serapha", "Torvald", "Umbrik", "Valdis", "Wendra", "Ysolt", "Zephrine", "Bränwen",
    "Éloïse", "Jürgen", "Ångel", "Mórrígan", "Søren", "Čedomir",
)  # fmt: skip
REALMS: Final = ("Everlook", "Gehennas", "Pyrewood", "Sulfuron")
POWERS: Final = {"mana": MANA, "rage": RAGE, "energy": ENERGY}


class RaidMember(msgspec.Struct, frozen=True, kw_only=True):
    """A player from night to night."""

    guid: str
    name: str
    realm: str = ""
    kit: Kit
    habits: Habits = Habits()
    gear: tuple[WornItem, ...] = ()
    writes_log: bool = False

    def unit(self) -> CombatUnit:
        """As it enters a fight."""
        shown = f"{self.name}-{self.realm}" if self.realm else self.name
        power = self.kit.mana if self.kit.power == "mana" else 100
        unit = CombatUnit(
            self.guid, shown, "player", health=self.kit.health, power=power, power_type=POWERS[self.kit.power],
            flags=0x511 if self.writes_log else 0x514,
        )  # fmt: skip
        unit.attack_power, unit.spell_power, unit.armor = 1200, 700, 4000
        return unit


def player_guid(number: int, server: int = 4455) -> str:
    return f"Player-{server}-{0x2C00000 + number * 7919:08X}"


TEN: Final = ("tank", "healer", "healer", "tank", *("damage",) * 6)
TWENTY_FIVE: Final = ("tank", "healer", "healer", "tank", "healer", "tank", *("healer",) * 4, *("damage",) * 15)


def random_labels(rng: random.Random, size: int) -> list[str]:
    """Specs of a raid that could work: tanks and healers as they are needed."""
    by_role: dict[str, list[str]] = {}
    for label, kit in kits().items():
        by_role.setdefault(kit.role, []).append(label)
    roles = TEN if size == 10 else TWENTY_FIVE if size == 25 else [*TEN[:2], *("damage",) * (size - 2)]
    return [rng.choice(by_role[role]) for role in roles]


def make_members(
    rng: random.Random, labels: Sequence[str], *, realms: bool = False, habits: Sequence[Habits] | None = None
) -> list[RaidMember]:
    """Players of these specs, with names, the first of them the one who writes the log."""
    names = rng.sample(NAMES, len(labels))
    first = rng.randrange(1000, 90000)
    members: list[RaidMember] = []
    for number, label in enumerate(labels):
        kit, own = kits()[label], habits[number] if habits else random_habits(rng)
        gear = dress(
            kit, rng, level=rng.random(), enchants=own.enchants, low_gems=own.low_gems, oil=own.oil,
            empty_sockets=not own.enchants,
        )  # fmt: skip
        members.append(
            RaidMember(
                guid=player_guid(first + number),
                name=names[number],
                realm=rng.choice(REALMS) if realms and rng.random() < 0.8 else "",
                kit=kit,
                habits=own,
                gear=gear,
                writes_log=number == 0,
            )
        )
    return members


def random_habits(rng: random.Random) -> Habits:
    """Somebody who plays neither perfectly nor badly."""
    return Habits(
        strength=rng.uniform(0.85, 1.15),
        lapse=rng.uniform(0, 0.08),
        cancel=rng.uniform(0, 0.12),
        clip=rng.choice((0.0, 0.0, 0.1, 0.3)),
        stands_in_fire=rng.random() < 0.1,
        potions=rng.random() < 0.8,
        flask=rng.random() < 0.8,
        food=rng.random() < 0.8,
        enchants=rng.random() < 0.8,
    )
