"""Simulated raid nights: a log in the form of the game's own, and the figures that are in it."""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

import msgspec

from glassloop.extensions.raids.sample.attempt import Attempt, Plan
from glassloop.extensions.raids.sample.combat import Combat
from glassloop.extensions.raids.sample.figures import FightFigures, PlayerFigures, RaidFigures
from glassloop.extensions.raids.sample.ledger import Ledger
from glassloop.extensions.raids.sample.log_text import LogForm, LogText
from glassloop.extensions.raids.sample.roster import RaidMember, make_members, random_labels
from glassloop.extensions.raids.sample.scripts import BossScript, scripts

EVENING: Final = int(datetime(2026, 10, 7, 20, 0, tzinfo=UTC).timestamp() * 1000)


class Pull(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt that a night is to hold."""

    encounter_id: int
    plan: Plan = Plan()
    pause_s: float = 90.0
    """Before it."""


class GeneratedRaid:
    """A night, simulated when its lines are first asked for. `truth` is complete when all lines are made."""

    def __init__(
        self,
        members: Sequence[RaidMember],
        pulls: Sequence[Pull],
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

    @property
    def truth(self) -> RaidFigures:
        if self._truth is None:
            for _ in self.lines():
                pass
        assert self._truth is not None
        return self._truth

    def lines(self) -> Iterator[str]:
        """Without line ends, the same every time."""
        rng = random.Random(self.seed)
        truth = RaidFigures()
        text = LogText(self.form)
        now = self.started_at
        text.set_time(now)
        text.header()
        for number, pull in enumerate(self.pulls):
            now += int(pull.pause_s * 1000)
            figures, now = self._attempt(rng, text, pull, now, number)
            truth.fights.append(figures)
            truth.lines += len(text.lines)
            yield from text.take()
        self._truth = truth

    def _attempt(
        self, rng: random.Random, text: LogText, pull: Pull, now: int, number: int
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
        before = len(text.lines)
        self._start(text, script, attempt)
        attempt.run()
        attempt.finish(figures)
        self._end(text, script, figures)
        figures.lines = len(text.lines) - before
        return figures, combat.now

    def _start(self, text: LogText, script: BossScript, attempt: Attempt) -> None:
        if self.form.encounter_lines:
            name, difficulty = script.localised(self.form.language), 3 if script.size == 10 else 4
            text.raw(f'ENCOUNTER_START,{script.id},"{name}",{difficulty},{script.size},{script.instance}')
        if self.form.combatant_lines:
            for guid, member in attempt.members.items():
                text.raw(combatant_line(member, attempt, guid, self.form))

    def _end(self, text: LogText, script: BossScript, figures: FightFigures) -> None:
        if self.form.encounter_lines:
            name, difficulty = script.localised(self.form.language), 3 if script.size == 10 else 4
            success = 1 if figures.kill else 0
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
    auras: list[str] = []
    for state in attempt.players[guid].unit.auras.values():
        auras.append(f"{state.source.guid},{state.spell.id}" + (",1" if form.aura_counts else ""))
    talents = ",".join(map(str, member.kit.talents))
    stats = "120,95,480,310,180,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,4120,0"
    return f"COMBATANT_INFO,{guid},1,{stats},({talents}),(),[{','.join(items)}],[{','.join(auras)}],0,0,0"


def make_raid(
    seed: int,
    *,
    encounters: Sequence[int] = (656,),
    size: int | None = None,
    form: LogForm | None = None,
    health: float = 0.2,
) -> GeneratedRaid:
    """A small night of random players at these bosses. `health` is a factor for that of the bosses."""
    rng = random.Random(seed)
    size = size or scripts()[encounters[0]].size
    members = make_members(rng, random_labels(rng, size))
    pulls = [
        Pull(encounter_id=one, plan=Plan(health=health, wipe_at=rng.choice((None, None, 30.0)))) for one in encounters
    ]
    return GeneratedRaid(members, pulls, form or LogForm(), seed=seed)
