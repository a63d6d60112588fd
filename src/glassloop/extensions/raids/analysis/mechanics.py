"""Mechanics of an encounter in a fight: avoidable damage, and what should have been interrupted or dispelled."""

from collections import Counter, defaultdict
from itertools import compress

from glassloop.extensions.raids.analysis.view import FightView, kind_mask
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.knowledge.facts import Encounter, Mechanic
from glassloop.extensions.raids.records import FightRecord, RaidRecord, Spell


class AvoidableDamage(RaidRecord, frozen=True, kw_only=True):
    """Of one mechanic and player: what was done and absorbed, and how many hits."""

    mechanic: str
    player: int
    damage: int
    hits: int


class MissedChance(RaidRecord, frozen=True, kw_only=True):
    """Casts that should be interrupted, or debuffs that should be dispelled: how many there were, and how many were.
    `lasted_ms` is how long debuffs stayed on in all; `shielded` are casts that could not be interrupted, which are no
    chances."""

    mechanic: str
    kind: str
    chances: int
    done: int
    lasted_ms: int = 0
    shielded: int = 0

    @property
    def missed(self) -> int:
        return max(0, self.chances - self.done)


def mechanics_by_spell(encounter: Encounter, kind: str) -> dict[int, Mechanic]:
    return {spell: one for one in encounter.mechanics if one.kind == kind for spell in one.spells}


def avoidable_damage(record: FightRecord, spells: tuple[Spell, ...], encounter: Encounter) -> list[AvoidableDamage]:
    """From the record alone: no events are needed. Most damage first; what tanks have to take is not theirs."""
    tanks = {one.actor for one in record.performances if one.role == "tank"}
    mechanics, sums = mechanics_by_spell(encounter, "avoidable"), dict[tuple[str, int], tuple[int, int]]()
    for one in record.abilities:
        if one.kind != "taken" or one.spell >= len(spells):
            continue
        mechanic = mechanics.get(spells[one.spell].id)
        if mechanic is None or (mechanic.tank_takes and one.actor in tanks):
            continue
        if one.hits + one.ticks:
            damage, hits = sums.get((mechanic.name, one.actor), (0, 0))
            sums[mechanic.name, one.actor] = damage + one.total + one.absorbed, hits + one.hits + one.ticks
    found = [
        AvoidableDamage(mechanic=name, player=player, damage=damage, hits=hits)
        for (name, player), (damage, hits) in sums.items()
    ]
    return sorted(found, key=lambda one: -one.damage)


def missed_interrupts(view: FightView, encounter: Encounter) -> list[MissedChance]:
    """Casts of hostile creatures that came through, beside those that were interrupted."""
    mechanics, log = mechanics_by_spell(encounter, "interrupt"), view.log
    wanted = {index: mechanics[spell.id] for index, spell in enumerate(view.spells) if spell.id in mechanics}
    guards = {spell for one in wanted.values() for spell in one.shielded_by}
    shields = {index for index, spell in enumerate(view.spells) if spell.id in guards}
    through, stopped, shielded = Counter[str](), Counter[str](), Counter[str]()
    guarded = set[tuple[int, int]]()
    if wanted:
        kinds = (Kind.CAST, Kind.INTERRUPT, *((Kind.AURA_ON, Kind.AURA_OFF) if shields else ()))
        columns = zip(log.kind, log.source, log.target, log.spell, log.extra, strict=True)
        for kind, source, target, spell, extra in compress(columns, kind_mask(log, kinds)):
            if kind == Kind.INTERRUPT:
                if extra in wanted:
                    stopped[wanted[extra].name] += 1
            elif kind == Kind.AURA_ON and spell in shields:
                guarded.add((target, view.spell_id(spell)))
            elif kind == Kind.AURA_OFF and spell in shields:
                guarded.discard((target, view.spell_id(spell)))
            elif kind == Kind.CAST and spell in wanted and not view.is_player(source):
                mechanic = wanted[spell]
                is_shielded = any((source, guard) in guarded for guard in mechanic.shielded_by)
                (shielded if is_shielded else through)[mechanic.name] += 1
    return [
        MissedChance(
            mechanic=name,
            kind="interrupt",
            chances=through[name] + stopped[name],
            done=stopped[name],
            shielded=shielded[name],
        )
        for name in dict.fromkeys((*through, *stopped, *shielded))
    ]


def missed_dispels(view: FightView, encounter: Encounter) -> list[MissedChance]:
    """Debuffs on players and buffs on creatures that should go, beside those that were removed by somebody."""
    mechanics, log = mechanics_by_spell(encounter, "dispel"), view.log
    wanted = {index: mechanics[spell.id].name for index, spell in enumerate(view.spells) if spell.id in mechanics}
    chances, done = defaultdict[str, int](int), defaultdict[str, int](int)
    lasted, since = defaultdict[str, int](int), dict[tuple[int, int], int]()
    if not wanted:
        return []
    kinds = (Kind.AURA_ON, Kind.AURA_OFF, Kind.DISPEL)
    columns = zip(log.at, log.kind, log.target, log.spell, log.extra, log.flags, strict=True)
    for at, kind, target, spell, extra, flags in compress(columns, kind_mask(log, kinds)):
        if kind == Kind.DISPEL:
            if extra in wanted:
                done[wanted[extra]] += 1
        elif spell in wanted and bool(flags & Flag.BUFF) != view.is_player(target):
            if kind == Kind.AURA_ON:
                chances[wanted[spell]] += 1
                since[target, spell] = at
            elif (begun := since.pop((target, spell), None)) is not None:
                lasted[wanted[spell]] += at - begun
    for (_, spell), begun in since.items():
        lasted[wanted[spell]] += max(0, view.length_ms - begun)
    return [
        MissedChance(
            mechanic=name,
            kind="dispel",
            chances=max(chances[name], done[name]),
            done=done[name],
            lasted_ms=lasted[name],
        )
        for name in dict.fromkeys((*chances, *done))
    ]
