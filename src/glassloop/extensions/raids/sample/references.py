"""Kills of good raids, of every encounter and spec: what the sample's own players are compared with."""

import random
from datetime import UTC, date, datetime, time, timedelta
from itertools import product
from typing import Final

from glassloop.extensions.raids.sample.gear import dress
from glassloop.extensions.raids.sample.guild import HEALTH, KARAZHAN, ROSTER, SAMPLE_DAY
from glassloop.extensions.raids.sample.kits import kits
from glassloop.extensions.raids.sample.log_text import LogForm
from glassloop.extensions.raids.sample.raid import GeneratedRaid, PlannedPull
from glassloop.extensions.raids.sample.roster import REALMS, RaidMember, player_guid
from glassloop.extensions.raids.sample.simulation.attempt import Plan
from glassloop.extensions.raids.sample.simulation.player import Habits

LAIRS: Final = (649, 650, 651)
KARAZHAN_RAIDS: Final = 12
LAIRS_RAIDS: Final = 4
DAYS: Final = 70
"""So long before the sample's day the first of them was, and each of the others four days after the one before."""
BEGINNINGS: Final = (
    "Ael", "Bor", "Cael", "Dar", "Eri", "Fal", "Gar", "Hel", "Ith", "Jar", "Kael", "Lor", "Mael", "Nor", "Oth", "Per",
    "Quel", "Ral", "Syl", "Tor",
)  # fmt: skip
ENDINGS: Final = ("andis", "beth", "cor", "driel", "emar", "fynn", "gar", "hild", "ion", "korth", "lissa", "mund")
FORM: Final = LogForm(dated=True, build="2.5.5", swings="damage")


class Pool:
    """Specs of a role, handed out in turn."""

    def __init__(self, labels: list[str]) -> None:
        self._labels = labels
        self._next = 0

    def take(self, count: int) -> list[str]:
        taken = [self._labels[(self._next + number) % len(self._labels)] for number in range(count)]
        self._next += count
        return taken


def reference_nights(seed: int = 1, day: date = SAMPLE_DAY) -> list[GeneratedRaid]:
    """Every spec at every encounter, those of the guild more often. No two players have the same name."""
    rng = random.Random(f"{seed} references")
    pools = _pools(rng)
    names = [f"{first}{last}" for first, last in product(BEGINNINGS, ENDINGS)]
    rng.shuffle(names)
    began = datetime.combine(day - timedelta(days=DAYS), time(19), UTC)
    nights: list[GeneratedRaid] = []
    for number in range(KARAZHAN_RAIDS + LAIRS_RAIDS):
        small = number < KARAZHAN_RAIDS
        labels = [
            *pools["tank"].take(1 if small else 3),
            *pools["healer"].take(2 if small else 6),
            *pools["damage"].take(7 if small else 16),
        ]
        pulls = [
            PlannedPull(encounter_id=one, plan=_plan(rng), pause_s=rng.uniform(90, 240), trash=10)
            for one in (KARAZHAN if small else LAIRS)
        ]
        nights.append(
            GeneratedRaid(
                _members(rng, labels, number, names), pulls, FORM, seed=rng.randrange(1 << 30),
                started_at=int((began + timedelta(days=4 * number)).timestamp() * 1000) + rng.randrange(3_600_000),
            )
        )  # fmt: skip
    return nights


def _plan(rng: random.Random) -> Plan:
    return Plan(health=HEALTH, deaths=rng.choice((0.0, 0.0, 0.1)), interrupts=0.95, fire=0.003)


def _pools(rng: random.Random) -> dict[str, Pool]:
    labels: dict[str, list[str]] = {"tank": [], "healer": [], "damage": []}
    for label, kit in kits().items():
        labels[kit.role].append(label)
    for _, label, _ in ROSTER[:10]:
        if kits()[label].role == "damage":
            labels["damage"] += [label, label]
    for some in labels.values():
        rng.shuffle(some)
    return {role: Pool(some) for role, some in labels.items()}


def _members(rng: random.Random, labels: list[str], raid: int, names: list[str]) -> list[RaidMember]:
    """Players of these specs, who are called by the first of the names."""
    realm = REALMS[raid % len(REALMS)]
    members: list[RaidMember] = []
    for number, label in enumerate(labels):
        kit, level = kits()[label], rng.uniform(0.45, 1.0)
        habits = Habits(
            strength=0.82 + 0.33 * level * rng.uniform(0.85, 1.15),
            lapse=rng.uniform(0, 0.02),
            cancel=rng.uniform(0, 0.03),
        )
        members.append(
            RaidMember(
                guid=player_guid(9000 + raid * 40 + number, 4470 + raid % 4),
                name=names.pop(),
                realm=realm if number else "",
                kit=kit,
                habits=habits,
                gear=dress(kit, rng, level=level),
                writes_log=number == 0,
            )
        )
    return members
