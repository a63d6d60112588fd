"""A fight with everything that analyses and tools read of it: its record, its events, the report's actors and spells,
and the knowledge of the game. Rows are found by actor and by kind through indexes that are made when first needed.

Actors and spells are always meant by their index in the report's lists.
"""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import compress
from typing import Any, NamedTuple

from glassloop.extensions.raids.analysis.spec_targets import SpecRole, SpecTargets
from glassloop.extensions.raids.fight_log import NOBODY, FightLog, Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Encounter
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.names import fold_name
from glassloop.extensions.raids.records import Actor, Combatant, Death, Fight, FightRecord, Performance, Spell

MELEE = "Melee"
ENVIRONMENT = "Environment"
_FEW = 8
"""Where one row of so many is meant, or fewer, looking for the next is faster than looking at all."""


class Revival(NamedTuple):
    """The end of a death: by a resurrection that was logged, or seen by what the player did next."""

    at: int
    by: int | None


class FightView:
    """See the module."""

    def __init__(
        self,
        record: FightRecord,
        log: FightLog,
        actors: Sequence[Actor],
        spells: Sequence[Spell],
        knowledge: GameKnowledge,
    ) -> None:
        self.record = record
        self.log = log
        self.actors = actors
        self.spells = spells
        self.knowledge = knowledge
        self.targets: Mapping[SpecRole, SpecTargets] = {}
        """What references reach in this encounter, as far as there are any."""
        self.derived: dict[str, Any] = {}
        """Results that analyses keep, by name, as long as the view lasts."""
        self._indexes: dict[tuple[frozenset[int], bool], Mapping[int, list[int]]] = {}
        self._dead_spans: dict[int, list[tuple[int, int]]] = {}

    @property
    def fight(self) -> Fight:
        return self.record.fight

    @property
    def encounter(self) -> Encounter | None:
        """What is known of the encounter."""
        return self.knowledge.encounters.get(self.fight.encounter_id)

    @cached_property
    def length_ms(self) -> int:
        """At least 1, so that rates can be had of any fight."""
        return max(1, self.fight.ended_at - self.fight.started_at)

    @cached_property
    def performances(self) -> Mapping[int, Performance]:
        """By player."""
        return {performance.actor: performance for performance in self.record.performances}

    @cached_property
    def combatants(self) -> Mapping[int, Combatant]:
        """By player."""
        return {combatant.actor: combatant for combatant in self.record.combatants}

    def players(self) -> list[int]:
        """Players that took part, in the order of the record."""
        return [performance.actor for performance in self.record.performances]

    def find_player(self, name: str) -> int | None:
        """The player of that name: case, accents and a realm suffix do not matter. None where there is none, or more
        than one; a part of a name is not enough (tools ask back through `RaidReader.player`)."""
        wanted = fold_name(name)
        short = wanted.partition(" ")[0]
        players = self.players()
        for matches in (
            [index for index in players if fold_name(self.full_name(index)) == wanted],
            [index for index in players if fold_name(self.actors[index].name) == wanted],
            [index for index in players if fold_name(self.actors[index].name).partition(" ")[0] == short],
        ):
            if len(matches) == 1:
                return matches[0]
        return None

    def index_of(self, actor: Actor) -> int:
        """Its index. Raises `KeyError` where the report does not have it."""
        return self._by_guid[actor.guid]

    def pets_of(self, actor: int) -> list[int]:
        """Pets, guardians and totems of an actor."""
        return self._pets.get(actor, [])

    def owner_of(self, actor: int) -> int:
        """Whose pet it is; the actor itself where it is nobody's."""
        if not 0 <= actor < len(self.actors):
            return actor
        owner = self.actors[actor].owner
        return actor if owner is None else owner

    def name_of(self, actor: int) -> str:
        return self.actors[actor].name if 0 <= actor < len(self.actors) else ENVIRONMENT

    def full_name(self, actor: int) -> str:
        """With the realm, where the log has it."""
        one = self.actors[actor]
        return f"{one.name}-{one.realm}" if one.realm else one.name

    def is_player(self, actor: int) -> bool:
        return 0 <= actor < len(self.actors) and self.actors[actor].kind == "player"

    def class_of(self, actor: int) -> str:
        """In English; empty where unknown."""
        performance = self.performances.get(actor)
        return performance.class_name if performance is not None else self.actors[actor].class_name

    def targets_of(self, player: int) -> SpecTargets | None:
        """Of the player's spec in its role, by references; None without any."""
        one = self.performances.get(player)
        return self.targets.get((one.class_name, one.spec, one.role)) if one is not None else None

    def spell_id(self, index: int) -> int:
        """As the game has it; 0 for melee and what has no spell."""
        return self.spells[index].id if 0 <= index < len(self.spells) else 0

    def spell_name(self, index: int) -> str:
        """In the language of the client; "Melee" where there is no spell."""
        return self.spells[index].name if 0 <= index < len(self.spells) else MELEE

    @cached_property
    def spell_indexes(self) -> Mapping[int, int]:
        """Index by the game's id."""
        return {spell.id: index for index, spell in enumerate(self.spells)}

    def bosses(self) -> list[int]:
        """Creatures of the encounter that count as its boss, as far as they took part."""
        return self._bosses

    @cached_property
    def _bosses(self) -> list[int]:
        encounter = self.encounter
        creatures = encounter.creatures if encounter is not None else ()
        wanted = {creature.id for creature in creatures if creature.boss}
        present = set(self.log.target) | set(self.log.source)
        return sorted(index for index in present if index < len(self.actors) and self.actors[index].npc_id in wanted)

    def rows_of(self, actor: int, kinds: Collection[int], as_target: bool = False) -> list[int]:
        """Numbers of the rows of these kinds that the actor is the source (or the target) of, in order."""
        return self._rows_by_actor(frozenset(kinds), as_target).get(actor, []).copy()

    def rows_about(self, actor: int) -> list[int]:
        """Numbers of the rows whose health and power are the actor's, in order."""
        log, about_source = self.log, int(Flag.ABOUT_SOURCE)
        own = [row for row in value_rows(log.source, actor) if log.flags[row] & about_source]
        others = [row for row in value_rows(log.target, actor) if not log.flags[row] & about_source]
        return sorted(own + others)

    def rows_of_kind(self, kinds: Collection[int]) -> list[int]:
        """Numbers of all rows of these kinds, in order."""
        return kind_rows(self.log, kinds)

    def dead_spans(self, actor: int) -> list[tuple[int, int]]:
        """From each death to the resurrection, the next act of the player, or the end."""
        found = self._dead_spans.get(actor)
        if found is None:
            found = self._dead_spans[actor] = self._find_dead_spans(actor)
        return found

    def _find_dead_spans(self, actor: int) -> list[tuple[int, int]]:
        deaths = [death.at for death in self.record.deaths if death.actor == actor and not death.feigned]
        if not deaths:
            return []
        at = self.log.at
        alive = [at[row] for row in self.rows_of(actor, {Kind.RESURRECT}, as_target=True)]
        casts = self.rows_of(actor, {Kind.CAST, Kind.CAST_START, Kind.CAST_FAILED})
        alive = sorted([*alive, *(at[row] for row in casts if self.log.kind[row] != Kind.CAST_FAILED)])
        spans = list[tuple[int, int]]()
        for death in deaths:
            # A spell that was on its way may land after the death: an act counts as life only after a second.
            position = bisect_right(alive, death + 1000)
            end = alive[position] if position < len(alive) else self.length_ms
            begin, end = max(0, death), min(end, self.length_ms)
            if begin < end and (not spans or begin >= spans[-1][1]):
                spans.append((begin, end))
        return spans

    def revived(self, death: Death) -> Revival | None:
        """When the player was alive again after that death; None where that was not seen in this fight."""
        begin = max(0, death.at)
        end = next((end for since, end in self.dead_spans(death.actor) if since == begin), self.length_ms)
        if death.feigned or end >= self.length_ms:
            return None
        rows = self.rows_of(death.actor, {Kind.RESURRECT}, as_target=True)
        by = next((self.log.source[row] for row in rows if self.log.at[row] == end), None)
        return Revival(at=end, by=by)

    def alive_ms(self, actor: int) -> int:
        """How long the player was alive; at least 1."""
        return max(1, self.length_ms - sum(end - begin for begin, end in self.dead_spans(actor)))

    @cached_property
    def _by_guid(self) -> Mapping[str, int]:
        return {actor.guid: index for index, actor in enumerate(self.actors)}

    @cached_property
    def _pets(self) -> Mapping[int, list[int]]:
        pets = defaultdict[int, list[int]](list)
        for index, actor in enumerate(self.actors):
            if actor.owner is not None:
                pets[actor.owner].append(index)
        return dict(pets)

    def _rows_by_actor(self, kinds: frozenset[int], as_target: bool) -> Mapping[int, list[int]]:
        """An index for each set of kinds that is asked for: few are, and most rows are of others."""
        key = (kinds, as_target)
        found = self._indexes.get(key)
        if found is None:
            rows = defaultdict[int, list[int]](list)
            column = self.log.target if as_target else self.log.source
            for row in kind_rows(self.log, kinds):
                rows[column[row]].append(row)
            rows.pop(NOBODY, None)
            found = self._indexes[key] = dict(rows)
        return found


def kind_mask(log: FightLog, kinds: Collection[int]) -> bytes:
    """A byte a row: 1 where the row is of one of the kinds, for `itertools.compress`."""
    table = bytearray(256)
    for kind in kinds:
        table[kind] = 1
    return log.kind.tobytes().translate(table)


def kind_rows(log: FightLog, kinds: Collection[int]) -> list[int]:
    """Numbers of the rows of these kinds, in order."""
    mask = kind_mask(log, kinds)
    if mask.count(1) * _FEW > len(mask):
        return list(compress(range(len(mask)), mask))
    rows, row = list[int](), mask.find(1)
    while row >= 0:
        rows.append(row)
        row = mask.find(1, row + 1)
    return rows


def value_rows(column: "array[int]", value: int) -> Iterator[int]:
    """Numbers of the rows with this value in a column, in order; most rows are not looked at."""
    data, wanted, size = column.tobytes(), array(column.typecode, (value,)).tobytes(), column.itemsize
    at = data.find(wanted)
    while at >= 0:
        if at % size == 0:
            yield at // size
        at = data.find(wanted, at + 1)
