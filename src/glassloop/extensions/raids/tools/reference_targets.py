"""Targets by the reference kills of an encounter, worked out once and kept in the store until the references change."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Final

import msgspec

from glassloop.extensions.raids.analysis.parses import metric
from glassloop.extensions.raids.analysis.spec_targets import SpecRole, SpecTargets
from glassloop.extensions.raids.names import fold_name

if TYPE_CHECKING:
    from glassloop.extensions.raids.storage.reports import RaidStore
    from glassloop.extensions.raids.storage.rows import PerformanceRow, StoredFight

MAX_REFERENCES: Final = 3
"""Players of a spec and role: more than the best of them is not asked of anybody. Where there are fewer, the targets
are theirs all the same, as those of the spec in general would contradict what is told of them beside it."""
_VERSION: Final = 2
"""Of what is kept: one more whenever it is worked out in another way."""


async def reference_targets(store: "RaidStore", user: str, encounter_id: int) -> Mapping[SpecRole, SpecTargets]:
    """Of every spec with references."""
    name = f"targets {_VERSION}"
    kept = await store.benchmark(encounter_id, name)
    if kept is None:
        made = await _made(store, user, encounter_id)
        await store.keep_benchmark(encounter_id, name, msgspec.msgpack.encode(made))
    else:
        made = msgspec.msgpack.decode(kept, type=list[SpecTargets])
    return {(one.class_name, one.spec, one.role): one for one in made}


async def _made(store: "RaidStore", user: str, encounter_id: int) -> list[SpecTargets]:
    rows = await store.performances(user, encounter_id=encounter_id, kills_only=True, reference=True)
    fights = dict[tuple[str, int], "StoredFight | None"]()
    made = list[SpecTargets]()
    for (class_name, spec, role), best in _best_by_spec(rows).items():
        casts = list[Mapping[int, float]]()
        for row in best:
            place = row.code, row.number
            if place not in fights:
                fights[place] = await store.fight(user, *place)
            casts.append(_ability_casts(fights[place], row))
        spells = {spell for one in casts for spell in one}
        made.append(
            SpecTargets(
                class_name=class_name,
                spec=spec,
                role=role,
                players=len(best),
                gcd_uptime=fmean(min(100.0, 100 * row.active_ms / row.length_ms) for row in best),
                casts_per_minute=fmean(row.casts * 60_000 / row.length_ms for row in best),
                ability_casts={spell: sum(one.get(spell, 0.0) for one in casts) / len(casts) for spell in spells},
            )
        )
    return made


def _best_by_spec(rows: "Iterable[PerformanceRow]") -> "Mapping[SpecRole, Sequence[PerformanceRow]]":
    """The best kill of each of the best players."""
    players = defaultdict[SpecRole, dict[tuple[str, str], "PerformanceRow"]](dict)
    for row in sorted(rows, key=lambda row: -metric(row, row.length_ms)):
        if row.spec and row.casts and not row.deaths:
            players[row.class_name, row.spec, row.role].setdefault((fold_name(row.name), row.realm), row)
    return {key: list(best.values())[:MAX_REFERENCES] for key, best in players.items()}


def _ability_casts(fight: "StoredFight | None", row: "PerformanceRow") -> Mapping[int, float]:
    """A minute, by spell."""
    counts = defaultdict[int, int](int)
    for one in fight.record.abilities if fight is not None else ():
        if fight is not None and one.actor == row.actor and one.kind != "taken" and one.spell < len(fight.spells):
            counts[fight.spells[one.spell].id] = max(counts[fight.spells[one.spell].id], one.casts)
    return {spell: casts * 60_000 / row.length_ms for spell, casts in counts.items() if casts}
