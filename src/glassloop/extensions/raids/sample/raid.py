"""Simulated raid nights: a log in the form of the game's own, and the figures that are in it."""

import gzip
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from glassloop.extensions.raids.sample.figures import FightFigures, PlayerFigures, RaidFigures
from glassloop.extensions.raids.sample.log_text import LogForm, LogText
from glassloop.extensions.raids.sample.roster import RaidMember, make_members, random_labels
from glassloop.extensions.raids.sample.scripts import BossScript, scripts
from glassloop.extensions.raids.sample.simulation.attempt import Attempt, Plan
from glassloop.extensions.raids.sample.simulation.combat import Combat
from glassloop.extensions.raids.sample.simulation.ledger import Ledger
from glassloop.extensions.raids.sample.simulation.pets import pet_unit
from glassloop.extensions.raids.sample.simulation.preparation import prepare
from glassloop.extensions.raids.sample.simulation.trash import write_trash
from glassloop.extensions.raids.sample.simulation.units import SimulatedSpell

EVENING: Final = int(datetime(2026, 10, 7, 20, 0, tzinfo=UTC).timestamp() * 1000)
NEW_YEAR: Final = int(datetime(2026, 12, 31, 23, 57, 30, tzinfo=UTC).timestamp() * 1000)
ZONES: Final = {532: "Karazhan", 565: "Gruul's Lair", 544: "Magtheridon's Lair"}
PACK_LEVEL: Final = 3


class PlannedPull(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that a night is to hold."""

    encounter_id: int
    plan: Plan = Plan()
    pause_s: float = 90.0
    """Before it."""
    trash: int = 12
    """Events on the way to it."""
    header: bool = False
    """Whether the client was started anew before it."""


class GeneratedRaid:
    """A night, simulated when its lines are first asked for, and the same every time."""

    def __init__(
        self,
        members: Sequence[RaidMember],
        pulls: Sequence[PlannedPull],
        form: LogForm,
        *,
        seed: int,
        started_at: int = EVENING,
    ) -> None:
        self.members = members
        self.pulls = pulls
        self.form = form
        self.seed = seed
        self.started_at = started_at
        self._truth: RaidFigures | None = None
        self._named: set[str] = set()

    @property
    def truth(self) -> RaidFigures:
        """The figures, by the simulation itself."""
        if self._truth is None:
            for _ in self.lines():
                pass
        return self._truth or RaidFigures()

    def lines(self) -> Iterator[str]:
        """Without line ends."""
        rng = random.Random(self.seed)
        truth = RaidFigures()
        self._named = set()
        text = LogText(self.form)
        now, place = self.started_at, 0
        text.set_time(now)
        text.header()
        if not self.form.advanced or self.form.swings == "landed":
            self._call_pets(text)
        for number, pull in enumerate(self.pulls):
            text.set_time(now)
            instance = scripts()[pull.encounter_id].instance
            if instance != place:
                place = instance
                text.raw(f'ZONE_CHANGE,{instance},"{ZONES[instance]}",{3 if instance == 532 else 4}')
            write_trash(text, rng, self.members, now + 5000, pull.trash)
            now += int(pull.pause_s * 1000)
            text.set_time(now)
            if pull.header:
                text.header()
            figures, now = self._attempt(rng, text, pull, now, number)
            truth.fights.append(figures)
            truth.lines += len(text.lines)
            yield from text.take()
        self._truth = truth

    def write(self, path: Path) -> Path:
        """The log as a file, packed where the name ends in `.gz`."""
        end = "\r\n" if self.form.crlf else "\n"
        data = "".join(f"{line}{end}" for line in self.lines()).encode()
        path.write_bytes(gzip.compress(data, PACK_LEVEL, mtime=0) if path.suffix == ".gz" else data)
        return path

    def write_truth(self, path: Path) -> Path:
        """The figures as JSON."""
        fights = [
            {name: getattr(fight, name) for name in fight.__struct_fields__ if name != "auras"}
            | {"auras": list(fight.auras.values())}
            for fight in self.truth.fights
        ]
        path.write_bytes(msgspec.json.format(msgspec.json.encode({"fights": fights}), indent=1))
        return path

    def _attempt(
        self, rng: random.Random, text: LogText, pull: PlannedPull, now: int, number: int
    ) -> tuple[FightFigures, int]:
        script = scripts()[pull.encounter_id]
        figures = FightFigures(
            encounter_id=script.id, name=script.localised(self.form.language), started_at=now, size=script.size
        )
        for member in self.members:
            figures.players[member.guid] = PlayerFigures(
                guid=member.guid, name=member.name, realm=member.realm, class_name=member.kit.class_name,
                spec=member.kit.name, role=member.kit.role, talents=member.kit.talents, gear=member.gear,
            )  # fmt: skip
        combat = Combat(rng, text, now, Ledger(figures))
        attempt = Attempt(combat, script, self.members, pull.plan, spawn=number * 1000)
        prepare(attempt, listed=self.form.combatant_lines)
        before = len(text.lines)
        self._start(text, script, attempt)
        attempt.run()
        attempt.finish(figures)
        self._leave_out_untold(figures, text.lines[before:])
        self._end(text, script, figures, pull.plan)
        figures.lines = len(text.lines) - before
        return figures, combat.now

    def _leave_out_untold(self, figures: FightFigures, lines: Sequence[str]) -> None:
        """Players that nothing happened to: without COMBATANT_INFO no line tells of them, and with it none their name,
        unless an earlier fight did."""
        for guid in figures.players.keys() - self._named:
            if any(f'{guid},"' in line for line in lines):
                self._named.add(guid)
        listed = self._named if self.form.combatant_lines else set[str]()
        figures.players = {guid: one for guid, one in figures.players.items() if guid in listed or one.took_part}

    def _call_pets(self, text: LogText) -> None:
        """Where no line tells whose pets are whose, at least those that call them do."""
        for member in self.members:
            kit, unit = member.kit.pet, member.unit()
            if kit and not kit.summon:
                for instance in sorted({scripts()[pull.encounter_id].instance for pull in self.pulls}):
                    text.spelled("SPELL_SUMMON", unit, pet_unit(unit, kit, instance), SimulatedSpell(883, "Call Pet"))

    def _start(self, text: LogText, script: BossScript, attempt: Attempt) -> None:
        if self.form.encounter_lines:
            name, difficulty = script.localised(self.form.language), 3 if script.size == 10 else 4
            text.raw(f'ENCOUNTER_START,{script.id},"{name}",{difficulty},{script.size},{script.instance}')
        if self.form.combatant_lines:
            for guid, member in attempt.members.items():
                text.raw(combatant_line(member, attempt, guid, self.form))

    def _end(self, text: LogText, script: BossScript, figures: FightFigures, plan: Plan) -> None:
        if self.form.encounter_lines:
            name, difficulty = script.localised(self.form.language), 3 if script.size == 10 else 4
            success = 1 if figures.kill and not plan.wrong_success else 0
            text.raw(f'ENCOUNTER_END,{script.id},"{name}",{difficulty},{script.size},{success}')


def combatant_line(member: RaidMember, attempt: Attempt, guid: str, form: LogForm) -> str:
    """COMBATANT_INFO: stats, talents, gear and what is on the player."""
    worn = {item.slot: item for item in member.gear}
    items: list[str] = []
    for slot in range(19):
        item = worn.get(slot)
        if item is None:
            items.append("(0,0,(),(),())")
            continue
        enchants = f"{item.enchant},{item.temporary_enchant},0" if item.enchant or item.temporary_enchant else ""
        gems = ",".join(f"{gem},70" for gem in item.gems)
        items.append(f"({item.item_id},{item.item_level},({enchants}),(),({gems}))")
    count = ",1" if form.aura_counts else ""
    unit = attempt.players[guid].unit
    auras = [f"{state.source.guid},{state.spell.id}{count}" for state in unit.auras.values()]
    talents = ",".join(map(str, member.kit.talents))
    stats = "120,95,480,310,180,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4120,0"
    return f"COMBATANT_INFO,{guid},1,{stats},({talents}),(),[{','.join(items)}],[{','.join(auras)}],0,0,0"


def random_form(rng: random.Random) -> LogForm:
    """One of the many forms that logs come in."""
    marked = rng.random() < 0.8
    return LogForm(
        language=rng.choice(("en", "en", "de", "fr", "ru", "zh")),
        dated=rng.random() < 0.4,
        utc_offset=rng.choice((-7, 0, 1, 2, 10)),
        advanced=rng.random() < 0.8,
        encounter_lines=marked,
        combatant_lines=marked and rng.random() < 0.85,
        crlf=rng.random() < 0.3,
        swings=rng.choice(("both", "both", "both", "damage", "landed")),
        boss_per_cent=rng.random() < 0.5,
        aura_counts=rng.random() < 0.5,
        build=rng.choice(("2.5.1", "2.5.4", "2.5.5")),
    )


def random_plan(rng: random.Random, health: float) -> Plan:
    """A kill or a wipe, with everything that can happen."""
    return Plan(
        health=health,
        wipe_at=rng.choice((None, None, rng.uniform(10, 85))),
        deaths=rng.uniform(0, 0.3),
        interrupts=rng.uniform(0.3, 1.0),
        fire=rng.uniform(0, 0.06),
        mind_control=rng.random() < 0.3,
        friendly_fire=rng.random() < 0.6,
        wrong_success=rng.random() < 0.1,
    )


def make_raid(
    seed: int,
    *,
    encounters: Sequence[int] | None = None,
    size: int | None = None,
    form: LogForm | None = None,
    varied: bool = False,
    health: float = 0.2,
    started_at: int | None = None,
) -> GeneratedRaid:
    """A small night of random players. `health` is a factor for that of the bosses; `varied` takes another form of the
    log, another time and other mishaps with every seed."""
    rng = random.Random(f"raid {seed}")
    if encounters is None:
        encounters = rng.sample(sorted(scripts()), rng.randint(1, 3)) if varied else (656,)
    size = size or max(scripts()[one].size for one in encounters)
    members = make_members(rng, random_labels(rng, size), realms=varied and rng.random() < 0.3)
    pulls = [
        PlannedPull(
            encounter_id=one,
            plan=random_plan(rng, health) if varied else Plan(health=health),
            pause_s=rng.choice((45.0, 90.0, 400.0)) if varied else 90.0,
            header=varied and rng.random() < 0.2,
        )
        for one in encounters
    ]
    if started_at is None:
        started_at = NEW_YEAR if varied and rng.random() < 0.15 else EVENING
    chosen = form or (random_form(rng) if varied else LogForm())
    return GeneratedRaid(members, pulls, chosen, seed=seed, started_at=started_at)
