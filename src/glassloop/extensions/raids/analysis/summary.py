"""A fight's record from its events: performances, abilities and deaths. The import runs it on every fight."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import compress
from typing import Literal

import msgspec

from glassloop.extensions.raids.analysis.casts import time_and_casts
from glassloop.extensions.raids.analysis.totals.deaths import find_deaths, spirits_alone
from glassloop.extensions.raids.analysis.totals.players import (
    bear_by_spells,
    bear_forms,
    class_from_spells,
    item_level,
    role_of,
    spec_of,
)
from glassloop.extensions.raids.analysis.totals.tally import AbilityKey, AbilitySums, FightTally, PlayerSums
from glassloop.extensions.raids.analysis.view import FightView, kind_mask
from glassloop.extensions.raids.fight_log import FightLog, Kind
from glassloop.extensions.raids.knowledge.loader import GameKnowledge
from glassloop.extensions.raids.records import (
    AbilityTotal,
    Actor,
    Combatant,
    Death,
    Fight,
    FightRecord,
    Performance,
    Spell,
)


def summarise(
    fight: Fight,
    log: FightLog,
    actors: Sequence[Actor],
    spells: Sequence[Spell],
    combatants: Sequence[Combatant],
    knowledge: GameKnowledge,
) -> FightRecord:
    """Everything of a fight that the store keeps."""
    tally = FightTally(log, actors)
    deaths = find_deaths(log, actors, spells)
    performances = _performances(tally, log, actors, spells, combatants, knowledge, deaths)
    record = FightRecord(
        fight=fight,
        performances=performances,
        abilities=tuple(_abilities(tally, spells)),
        deaths=deaths,
        combatants=tuple(combatants),
    )
    view = FightView(record, log, actors, spells, knowledge)
    used = [time_and_casts(view, one.actor) for one in performances]
    return msgspec.structs.replace(
        record,
        performances=tuple(
            msgspec.structs.replace(one, active_ms=active, casts=casts)
            for one, (active, casts) in zip(performances, used, strict=True)
        ),
        events=log.pack(),
    )


def _performances(
    tally: FightTally,
    log: FightLog,
    actors: Sequence[Actor],
    spells: Sequence[Spell],
    combatants: Sequence[Combatant],
    knowledge: GameKnowledge,
    deaths: Sequence[Death],
) -> tuple[Performance, ...]:
    listed = {combatant.actor: combatant for combatant in combatants}
    present = sorted({*tally.players, *listed, *(death.actor for death in deaths)})
    used = _spells_used(tally, actors)
    classes = {
        actor: actors[actor].class_name
        or class_from_spells((spells[index] for index in used[actor] if index < len(spells)), knowledge)
        for actor in present
    }
    told = all(actor in listed and any(listed[actor].talents) for actor in present)
    shown = dict[int, Counter[int]]() if told else _signature_auras(log, spells, knowledge)
    bears = bear_forms(log, [actor for actor, name in classes.items() if name == "Druid"])
    swings = sum(sums.swings_taken for sums in tally.players.values())
    died = defaultdict[int, list[int]](list)
    for death in deaths:
        if not death.feigned:
            died[death.actor].append(death.at)
    spirits = Counter(death.actor for death in spirits_alone(deaths))
    performances = list[Performance]()
    for actor in present:
        sums, class_name, combatant = tally.players[actor], classes[actor], listed.get(actor)
        cast = Counter({spells[index].id: count for index, count in used[actor].items() if index < len(spells)})
        cast.update(shown.get(actor, {}))
        spec = spec_of(class_name, combatant, cast, knowledge)
        real = died.get(actor, [])
        performances.append(
            Performance(
                actor=actor, class_name=class_name, spec=spec.name if spec is not None else "",
                role=role_of(
                    class_name, spec, sums, swings, cast, bears.get(actor, bear_by_spells(cast, combatant))
                ),
                item_level=item_level(combatant, knowledge), deaths=len(real), died_at=real[0] if real else None,
                spirits=spirits[actor], **_sums(sums),
            )
        )  # fmt: skip
    return tuple(performances)


def _sums(sums: PlayerSums) -> dict[str, int]:
    return {name: getattr(sums, name) for name in PlayerSums.__slots__ if name != "swings_taken"}


def _spells_used(tally: FightTally, actors: Sequence[Actor]) -> Mapping[int, Counter[int]]:
    """What each player itself cast or hit with, and how often."""
    used = defaultdict[int, Counter[int]](Counter)
    for (actor, spell), count in tally.casts.items():
        used[actor][spell] += count
    for sums in (tally.damage, tally.healing):
        for (actor, spell), ability in sums.items():
            if actors[actor].kind == "player" and spell not in used[actor]:
                used[actor][spell] += ability.hits + ability.ticks + ability.misses
    return used


def _signature_auras(log: FightLog, spells: Sequence[Spell], knowledge: GameKnowledge) -> Mapping[int, Counter[int]]:
    """Auras that only one spec brings, by whoever brought them: some are on before the fight and never cast in it."""
    known = {spell for spec in knowledge.specs.values() for spell in (*spec.signature, *spec.hints)}
    wanted = {index: spell.id for index, spell in enumerate(spells) if spell.id in known}
    found = defaultdict[int, Counter[int]](Counter)
    if wanted:
        mask = kind_mask(log, (Kind.AURA_ON, Kind.AURA_OFF, Kind.AURA_REFRESH))
        for source, spell in compress(zip(log.source, log.spell, strict=True), mask):
            if spell in wanted:
                found[source][wanted[spell]] += 1
    return found


def _abilities(tally: FightTally, spells: Sequence[Spell]) -> Iterator[AbilityTotal]:
    _give_casts(tally, spells)
    kinds: Mapping[Literal["damage", "healing", "taken"], Mapping[AbilityKey, AbilitySums]] = {
        "damage": tally.damage, "healing": tally.healing, "taken": tally.taken,
    }  # fmt: skip
    for kind, abilities in kinds.items():
        for (actor, spell), sums in abilities.items():
            yield AbilityTotal(
                actor=actor, kind=kind, spell=spell, total=sums.total, overheal=sums.overheal, absorbed=sums.absorbed,
                hits=sums.hits, criticals=sums.criticals, ticks=sums.ticks, misses=sums.misses, casts=sums.casts,
                targets=len(sums.targets), largest=sums.largest,
            )  # fmt: skip


def _give_casts(tally: FightTally, spells: Sequence[Spell]) -> None:
    """Casts belong to the ability of the same spell, else to one of the same name: what a spell does may have an id of
    its own. A spell that did nothing to anybody is listed with its casts alone."""
    named = dict[tuple[int, str], AbilitySums]()
    for abilities in (tally.healing, tally.damage):
        for (actor, spell), sums in abilities.items():
            if spell < len(spells):
                named[actor, spells[spell].name] = sums
    for key, count in tally.casts.items():
        sums = tally.damage.get(key) or tally.healing.get(key) or named.get((key[0], _name(key, spells)))
        (tally.damage[key] if sums is None else sums).casts += count


def _name(key: AbilityKey, spells: Sequence[Spell]) -> str:
    return spells[key[1]].name if key[1] < len(spells) else ""
