"""The fight that is being read: where it began, what shows that it goes on, and what is known when it is over."""

from collections.abc import Sequence
from typing import Final, final

import msgspec

from glassloop.extensions.raids.fight_log import NOBODY, FightLog, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Encounter
from glassloop.extensions.raids.log.combatant import CombatantLine
from glassloop.extensions.raids.records import Actor, Combatant, Fight

QUIET_MS: Final = 30_000
"""Without a hostile act of its boss, a fight that no line marks is over."""
SILENCE_MS: Final = 60_000
"""Without any line, a marked fight is over: the game went away before it could write the end."""
RAID_DEAD_MS: Final = 5_000
IDLE_MS: Final = 10_000
"""A boss that did nothing for so long before the others died does not have to die (Attumen mounts Midnight)."""
DEATH_MS: Final = 1_000
"""Deaths are written up to so long after the blow."""
MAX_LENGTH_MS: Final = 3_600_000

_ACTS: Final = frozenset({int(Kind.DAMAGE), int(Kind.MISS), int(Kind.CAST), int(Kind.AURA_ON)})
_LIVING: Final = frozenset({int(Kind.DAMAGE), int(Kind.HEAL), int(Kind.CAST), int(Kind.CAST_START), int(Kind.MISS)})
_DEATH: Final = int(Kind.DEATH)
_SOURCE_HOSTILE: Final = int(Flag.SOURCE_HOSTILE)


class ParsedFight(msgspec.Struct, frozen=True, kw_only=True):
    """A fight as it is in the log, before anything is summed up."""

    fight: Fight
    log: FightLog
    combatants: tuple[Combatant, ...]


@final
class OpenFight:
    """`encounter` is None where the pack does not know it: then only its lines tell how it went."""

    def __init__(
        self, *, encounter_id: int, name: str, started_at: int, encounter: Encounter | None, marked: bool,
        difficulty: int = 0, size: int = 0,
    ) -> None:  # fmt: skip
        self.encounter_id = encounter_id
        self.name = name
        self.started_at = started_at
        self.encounter = encounter
        self.marked = marked
        self.difficulty = difficulty
        self.size = size
        self.combatants: dict[str, CombatantLine] = {}
        self.success = False
        self.ended_at: int | None = None
        """By `ENCOUNTER_END`."""
        self.first_taken = 0
        """Lines taken before it."""
        self.acts_rows = 0
        self.acts_taken = 0
        self.last_act = 0
        """Rows, lines and time up to the last hostile act and what came with it, of a fight that no line marks."""
        self._scanned = 0
        self._kept_until = 0
        self._creatures = {} if encounter is None else {creature.id: creature.boss for creature in encounter.creatures}
        self._players: set[int] = set()
        self._alive: set[int] = set()
        self._last_living = 0

    def scan(self, log: FightLog, taken: int, actors: Sequence[Actor]) -> None:
        """Look for hostile acts among the rows that came since the last time. `taken` is how many lines are by now."""
        length = len(log)
        for number in range(self._scanned, length):
            at, kind, source, target = log.at[number], log.kind[number], log.source[number], log.target[number]
            if kind == _DEATH:
                self._alive.discard(target)
            elif self._is_player(source, actors) and kind in _LIVING and not log.flags[number] & _SOURCE_HOSTILE:
                self._alive.add(source)
                self._players.add(source)
                self._last_living = at
            creature = self._is_creature(target, actors)
            between = kind in _ACTS and NOBODY not in (source, target) and self._is_creature(source, actors) != creature
            if between or (kind == _DEATH and creature):
                self.last_act = max(self.last_act, at)
            elif at > self._kept_until and not (kind == _DEATH and at - self.last_act <= DEATH_MS):
                continue
            self._kept_until, self.acts_rows = max(self._kept_until, at), number + 1
            self.acts_taken = taken - (length - number - 1)
        self._scanned = length

    def is_over(self, at: int, since_last_line: int) -> bool:
        """At a time in ms from its start."""
        if at > MAX_LENGTH_MS or since_last_line < -SILENCE_MS:
            return True
        if self.marked:
            return since_last_line > SILENCE_MS
        raid_dead = bool(self._players) and not self._alive and at - self._last_living > RAID_DEAD_MS
        return raid_dead or at - self.last_act > QUIET_MS

    def _is_player(self, index: int, actors: Sequence[Actor]) -> bool:
        return index != NOBODY and actors[index].kind == "player"

    def _is_creature(self, index: int, actors: Sequence[Actor]) -> bool:
        return index != NOBODY and actors[index].npc_id in self._creatures


def bosses_fell(log: FightLog, actors: Sequence[Actor], encounter: Encounter) -> bool:
    """Whether every boss died, those apart that had done nothing for a while by then."""
    bosses = boss_indexes(log, actors, encounter)
    deaths = {log.target[number]: log.at[number] for number, kind in enumerate(log.kind) if kind == _DEATH}
    fallen = {boss: deaths[boss] for boss in bosses if boss in deaths}
    if not fallen:
        return False
    last = max(fallen.values())
    acts = _last_acts(log, bosses)
    return all(
        acts.get(boss, 0) <= fallen[boss] + 1_000 if boss in fallen else acts.get(boss, 0) < last - IDLE_MS
        for boss in bosses
    )


def boss_indexes(log: FightLog, actors: Sequence[Actor], encounter: Encounter) -> set[int]:
    names = {creature.id for creature in encounter.creatures if creature.boss}
    present = (set(log.source) | set(log.target)) - {NOBODY}
    return {index for index in present if actors[index].npc_id in names}


def boss_health(log: FightLog, actors: Sequence[Actor], encounter: Encounter | None, name: str) -> float | None:
    """Per cent left of the boss that acted last, as it was told last; None where no line tells it."""
    if encounter is not None:
        bosses = boss_indexes(log, actors, encounter)
    else:
        bosses = {
            index for index in set(log.target) - {NOBODY} if actors[index].kind == "npc" and actors[index].name == name
        }
    for number in range(len(log) - 1, -1, -1):
        if log.max_health[number] <= 0:
            continue
        whose = log.source[number] if log.flags[number] & Flag.ABOUT_SOURCE else log.target[number]
        if whose in bosses:
            return round(min(100.0 * log.health[number] / log.max_health[number], 100.0), 1)
    return None


def _last_acts(log: FightLog, bosses: set[int]) -> dict[int, int]:
    """When each last hit or was hit."""
    found: dict[int, int] = {}
    for number in range(len(log) - 1, -1, -1):
        if log.kind[number] in _ACTS:
            # What a boss left on others goes on hurting after its death.
            acting = NOBODY if log.flags[number] & Flag.PERIODIC else log.source[number]
            for index in (acting, log.target[number]):
                if index in bosses:
                    found.setdefault(index, log.at[number])
            if len(found) == len(bosses):
                break
    return found
