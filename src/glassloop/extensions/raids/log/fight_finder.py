"""The begin and end of fights: by the lines that mark them, else by the acts of known bosses.

Chess is no fight, trash neither: their lines lie outside.
"""

from collections.abc import Callable
from typing import Final, final

from glassloop.extensions.raids.fight_log import NOBODY, FightLog
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.log.combatant import CombatantLine
from glassloop.extensions.raids.log.line_counts import LineCounts
from glassloop.extensions.raids.log.open_fight import OpenFight, ParsedFight, boss_health, bosses_fell
from glassloop.extensions.raids.log.pets import SUMMONS, guess_owners
from glassloop.extensions.raids.log.rows import MAX_ROWS, Rows
from glassloop.extensions.raids.log.tables import Tables, npc_id
from glassloop.extensions.raids.records import Combatant, Fight

CHESS: Final = 660
MIN_LENGTH_MS: Final = 1_000
"""What is shorter is no attempt."""
PULL_MS: Final = 20_000
"""Acts before the line that marks a fight's start, or a player's `COMBATANT_INFO`, belong to it within this time."""
DEATH_AFTER_END_MS: Final = 5_000
"""The boss's death may be written after a fight's end."""
MAX_COMBATANTS: Final = 100
_NEARBY: Final = 2_000
"""Lines are written out of order by some milliseconds: the first and last are among so many."""
_MAX_GUIDS: Final = 20_000


@final
class FightFinder:
    """`open` is the fight that lines belong to now. `closing` is one whose end was written as a wipe, and whose boss
    may still be told to have died."""

    def __init__(
        self,
        knowledge: GameKnowledge,
        tables: Tables,
        rows: Rows,
        counts: LineCounts,
        ended: Callable[[ParsedFight], None],
    ) -> None:
        self.open: OpenFight | None = None
        self.closing: OpenFight | None = None
        self.marked = False
        """Whether the log marks its fights: then acts alone begin none."""
        self._knowledge = knowledge
        self._tables = tables
        self._rows = rows
        self._counts = counts
        self._ended = ended
        self._number = 0
        self._waiting: list[tuple[int, CombatantLine]] = []
        self._bosses: dict[str, int] = {}

    def without_boss(self, line: str) -> bool:
        """Whether neither side of an act is a creature of a known encounter. False for what is no whole line."""
        values = line.split(",", 6)
        if len(values) < 7:
            return False
        source, target, bosses = values[1], values[5], self._bosses
        if source in bosses and target in bosses:
            return not (bosses[source] or bosses[target])
        return not (self._encounter_of(source) or self._encounter_of(target))

    def begin_marked(self, fight: OpenFight) -> None:
        """By `ENCOUNTER_START`, whose line is taken."""
        self.marked = True
        if self.open is not None:
            if not self.open.marked and fight.started_at - self.open.started_at <= PULL_MS:
                self._discard()
            else:
                self.end()
        self.end_closing()
        if fight.encounter_id == CHESS:
            self._counts.outside += 1
            return
        self._begin(fight)
        self._counts.taken += 1

    def begin_by_act(self, source: str, target: str, at: int) -> bool:
        """By the first hostile act between a known boss and a player or a player's pet."""
        encounter_id = self._encounter_of(source) or self._encounter_of(target)
        friends = any(
            guid.startswith(("Player-", "Pet-")) or guid in self._tables.owner_guids for guid in (source, target)
        )
        if self.marked or not encounter_id or not friends:
            return False
        self.end_closing()
        encounter = self._knowledge.encounters[encounter_id]
        self._begin(
            OpenFight(
                encounter_id=encounter_id,
                name=encounter.name,
                started_at=at,
                encounter=encounter,
                marked=False,
                size=encounter.size,
            )
        )
        return True

    def end_marked(self, encounter_id: int, at: int, *, success: bool) -> None:
        """By `ENCOUNTER_END`."""
        fight = self.open
        if fight is None or fight.encounter_id != encounter_id:
            self.count_line()
            return
        self._counts.taken += 1
        fight.ended_at, fight.success = max(at, fight.started_at), success
        self.open = None
        self.closing = fight
        if success:
            self.end_closing()

    def turn(self, at: int, passed: int) -> None:
        """The log has come to another second, `passed` ms after the one before."""
        if self.open is not None:
            self.scan()
            if self.open.is_over(at - self.open.started_at, passed) or len(self._rows) > MAX_ROWS:
                self.end()
        elif self.closing is not None and not -1_000 <= at - (self.closing.ended_at or 0) <= DEATH_AFTER_END_MS:
            self.end_closing()

    def scan(self) -> None:
        if self.open is not None and not self.open.marked:
            self._rows.flush()
            self.open.scan(self._rows.log, self._counts.taken, self._tables.actors)

    def add_combatant(self, at: int, line: CombatantLine) -> None:
        if self.open is not None:
            self._counts.taken += 1
            if len(self.open.combatants) < MAX_COMBATANTS:
                self.open.combatants[line.guid] = line
            return
        self._counts.outside += 1
        self._waiting = [*self._waiting[1 - MAX_COMBATANTS :], (at, line)]

    def count_line(self) -> None:
        """A line that belongs to whatever is open."""
        if self.open is None:
            self._counts.outside += 1
        else:
            self._counts.taken += 1

    def end(self) -> None:
        """The open fight is over, without a line that says so."""
        self.scan()
        fight, self.open = self.open, None
        if fight is None:
            return
        if not fight.marked:
            self._rows.truncate(fight.acts_rows)
            self._counts.leave_out(self._counts.taken - max(fight.acts_taken, fight.first_taken))
        self._emit(fight)

    def end_closing(self) -> None:
        fight, self.closing = self.closing, None
        if fight is not None:
            self._emit(fight)

    def _begin(self, fight: OpenFight) -> None:
        fight.first_taken = self._counts.taken
        for at, line in self._waiting:
            if 0 <= fight.started_at - at <= PULL_MS:
                fight.combatants[line.guid] = line
                self._counts.take_in(1)
        self._waiting.clear()
        self.open = fight

    def _discard(self) -> None:
        """What seemed to be a fight is the pull of one that has just been marked."""
        fight, self.open = self.open, None
        self._rows.take()
        if fight is not None:
            self._waiting = [(fight.started_at, line) for line in fight.combatants.values()]
            self._counts.leave_out(self._counts.taken - fight.first_taken)

    def _emit(self, fight: OpenFight) -> None:
        log = self._rows.take()
        last = fight.started_at + max(log.at[-_NEARBY:], default=0)
        ended_at = fight.ended_at if fight.ended_at is not None else last
        if not log or ended_at - fight.started_at < MIN_LENGTH_MS:
            self._counts.leave_out(self._counts.taken - fight.first_taken)
            return
        for number, at in enumerate(log.at[:_NEARBY]):
            if at < 0:
                log.at[number] = 0
        self._find_owners(log)
        actors = self._tables.resolved()
        kill = fight.success or (fight.encounter is not None and bosses_fell(log, actors, fight.encounter))
        self._number += 1
        self._ended(
            ParsedFight(
                fight=Fight(
                    number=self._number,
                    encounter_id=fight.encounter_id,
                    name=fight.name,
                    started_at=fight.started_at,
                    ended_at=ended_at,
                    kill=kill,
                    difficulty=fight.difficulty,
                    size=fight.size,
                    boss_health=0.0 if kill else boss_health(log, actors, fight.encounter, fight.name),
                    marked=fight.marked,
                    missing=self._missing(fight, log),
                ),
                log=log,
                combatants=self._combatants(fight),
            )
        )

    def _missing(self, fight: OpenFight, log: FightLog) -> tuple[str, ...]:
        missing: list[str] = []
        if not any(combatant.gear for combatant in fight.combatants.values()):
            missing.append("no gear: the log has no COMBATANT_INFO")
        if not any(health > 0 for health in log.max_health):
            missing.append("no health, mana or position: advanced combat logging was off")
        if not fight.marked:
            missing.append("no marks of the fight's start and end: both are from the acts of its boss")
        return tuple(missing)

    def _combatants(self, fight: OpenFight) -> tuple[Combatant, ...]:
        """Of those that did something: others are no actors of the report."""
        actor_of = self._tables.actor_of
        return tuple(
            Combatant(
                actor=actor_of[guid],
                talents=line.talents,
                gear=line.gear,
                auras=tuple((actor_of.get(caster, NOBODY), spell) for caster, spell in line.auras),
            )
            for guid, line in fight.combatants.items()
            if actor_of.get(guid, NOBODY) != NOBODY
        )

    def _find_owners(self, log: FightLog) -> None:
        tables = self._tables
        present = (set(log.source) | set(log.target)) - {NOBODY}
        orphans = {
            index
            for index in present
            if tables.actors[index].guid not in tables.owner_guids
            and (tables.actors[index].kind == "pet" or tables.actors[index].npc_id in SUMMONS)
        }
        if orphans:
            for pet, owner in guess_owners(log, tables.actors, tables.spells, orphans).items():
                tables.own(tables.actors[pet].guid, tables.actors[owner].guid)

    def _encounter_of(self, guid: str) -> int:
        known = self._bosses.get(guid)
        if known is None:
            encounter = self._knowledge.encounter_of(npc_id(guid))
            known = 0 if encounter is None or encounter.id == CHESS else encounter.id
            if len(self._bosses) >= _MAX_GUIDS:
                self._bosses.clear()
            self._bosses[guid] = known
        return known
