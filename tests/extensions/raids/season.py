"""A season made by the generator: some nights of a guild at two bosses, reference nights, and all of it as rows of
plain figures, which tests of tools over many fights compute their truth from."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
from tests.extensions.raids.round_trip import AUTO_SHOT

from glassloop.extensions.raids.knowledge.loader import load_knowledge
from glassloop.extensions.raids.sample import GeneratedRaid, LogForm
from glassloop.extensions.raids.sample.figures import FightFigures, PlayerFigures
from glassloop.extensions.raids.sample.gear import dress
from glassloop.extensions.raids.sample.kits import kits
from glassloop.extensions.raids.sample.raid import EVENING, PlannedPull
from glassloop.extensions.raids.sample.roster import NAMES, RaidMember, make_members, player_guid
from glassloop.extensions.raids.sample.simulation.attempt import Plan

DAY_MS = 86_400_000
NIGHTS, REFERENCES = 4, 3
MIN_KILLS = 10
NOT_WORN = (3, 18)
"""Shirt and tabard."""


class Played(NamedTuple):
    """A player in a fight."""

    code: str
    number: int
    reference: bool
    fight: FightFigures
    player: PlayerFigures

    @property
    def at(self) -> int:
        return self.fight.started_at

    @property
    def length(self) -> int:
        return self.fight.length_ms

    @property
    def spec(self) -> tuple[str, str, str]:
        return self.player.class_name, self.player.spec, self.player.role

    @property
    def label(self) -> str:
        return f"{self.player.spec} {self.player.class_name}"

    @property
    def dps(self) -> float:
        return self.player.damage * 1000 / self.length

    @property
    def hps(self) -> float:
        return self.player.healing * 1000 / self.length

    @property
    def metric(self) -> float:
        return self.hps if self.player.role == "healer" else self.dps

    @property
    def item_level(self) -> float:
        levels = [one.item_level for one in self.player.gear if one.slot not in NOT_WORN]
        return round(sum(levels) / len(levels), 1)

    @property
    def alive(self) -> int:
        return self.length - sum(end - begin for begin, end in self.player.dead)

    @property
    def casts(self) -> int:
        return sum(len(one.done_at) for spell, one in self.player.casts.items() if spell != AUTO_SHOT)

    @property
    def casts_per_minute(self) -> float:
        return self.casts * 60_000 / self.alive

    @property
    def gcd_uptime(self) -> float:
        """In per cent of the time alive, ms by ms."""
        busy = set[int]().union(*(range(begin, min(end, self.length)) for begin, end in self.player.busy))
        return 100 * len(busy.difference(*(range(*span) for span in self.player.dead))) / self.alive

    @property
    def overheal(self) -> float | None:
        """In per cent of what healed; shields cannot overheal."""
        whole = self.player.healing - self.player.absorbs + self.player.overheal
        return 100 * self.player.overheal / whole if whole else None


class Season:
    """Nights and references by seed; `rows` when the codes are known."""

    def __init__(self, seed: int, health: float) -> None:
        self.rng = random.Random(f"season {seed}")
        self.health = health
        bosses = sorted(number for number, one in load_knowledge().encounters.items() if one.ranked)
        self.bosses = self.rng.sample(bosses, 2)
        self.labels = self._labels()
        names = self.rng.sample(NAMES, len(NAMES))
        guild = self._members(names[:10], 700)
        self.nights = [self._night(self._week(guild), number) for number in range(NIGHTS)]
        self.references = [
            self._night(
                self._members(names[10 * number : 10 * number + 10], 700 + 10 * number), -number, kills_only=True
            )
            for number in range(1, REFERENCES + 1)
        ]

    def rows(self, codes: Sequence[str]) -> list[Played]:
        """In the order of nights and references, newest first."""
        found = [
            Played(code, number, raid in self.references, fight, player)
            for code, raid in zip(codes, [*self.nights, *self.references], strict=True)
            for number, fight in enumerate(raid.truth.fights, 1)
            for player in fight.players.values()
        ]
        return sorted(found, key=lambda row: -row.at)

    def _labels(self) -> list[str]:
        """Few specs, so that there are kills enough to rank."""
        by_role: dict[str, list[str]] = {}
        for label, kit in kits().items():
            by_role.setdefault(kit.role, []).append(label)
        first, second = self.rng.sample(by_role["damage"], 2)
        healer, tanks = self.rng.choice(by_role["healer"]), self.rng.sample(by_role["tank"], 2)
        return [tanks[0], healer, healer, tanks[1], first, first, first, second, second, second]

    def _members(self, names: Sequence[str], first: int) -> list[RaidMember]:
        made = make_members(self.rng, self.labels)
        return [
            msgspec.structs.replace(one, name=name, guid=player_guid(first + number))
            for number, (one, name) in enumerate(zip(made, names, strict=True))
        ]

    def _week(self, members: Sequence[RaidMember]) -> list[RaidMember]:
        """The same players in another form and, some of them, in other gear."""
        rng = self.rng
        return [
            msgspec.structs.replace(
                one,
                habits=msgspec.structs.replace(one.habits, strength=rng.uniform(0.7, 1.3), lapse=rng.uniform(0, 0.1)),
                gear=one.gear if rng.random() < 0.4 else dress(
                    one.kit, rng, level=rng.random(), enchants=rng.random() < 0.6, low_gems=rng.random() < 0.3,
                    empty_sockets=rng.random() < 0.5, oil=rng.random() < 0.7,
                ),
            )
            for one in members
        ]  # fmt: skip

    def _night(self, members: Sequence[RaidMember], number: int, *, kills_only: bool = False) -> GeneratedRaid:
        rng, pulls = self.rng, list[PlannedPull]()
        for boss in rng.sample(self.bosses, 2):
            ends: list[float | None] = [
                rng.uniform(15, 60) for _ in range(0 if kills_only else rng.choice((0, 0, 1, 2)))
            ]
            ends += [None] if kills_only or rng.random() < 0.9 else []
            for end in ends or [50.0]:
                plan = Plan(health=self.health, wipe_at=end, deaths=rng.uniform(0, 0.3), interrupts=rng.random())
                pulls.append(PlannedPull(encounter_id=boss, plan=plan, pause_s=rng.choice((150.0, 200.0, 900.0))))
        form = LogForm(
            language=rng.choice(("en", "en", "de", "ru")), dated=rng.random() < 0.5, advanced=rng.random() < 0.8,
            swings=rng.choice(("both", "damage", "landed")), boss_per_cent=rng.random() < 0.5,
        )  # fmt: skip
        at = EVENING + 7 * number * DAY_MS + rng.randrange(3_600_000)
        return GeneratedRaid(members, pulls, form, seed=rng.randrange(1 << 30), started_at=at)


def percentile(value: float, among: Sequence[float]) -> float | None:
    """Those below and half of those that are equal, in per cent."""
    if len(among) < MIN_KILLS:
        return None
    below, equal = sum(one < value for one in among), sum(one == value for one in among)
    return round(100 * (below + equal / 2) / len(among), 1)


def parse_of(row: Played, rows: Sequence[Played]) -> tuple[float | None, float | None]:
    """The parse and the item level parse, both to a tenth, as they are given."""
    if not row.fight.kill:
        return None, None
    same = [
        one
        for one in rows
        if one.fight.kill and one.fight.encounter_id == row.fight.encounter_id and one.spec == row.spec
    ]
    near = [one.metric for one in same if abs(one.item_level - row.item_level) <= 5]
    return percentile(row.metric, [one.metric for one in same]), percentile(row.metric, near)
