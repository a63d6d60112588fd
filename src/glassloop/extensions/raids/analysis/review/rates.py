"""Damage and healing of the whole raid over the time of a fight."""

from itertools import compress
from typing import Final, NamedTuple

from glassloop.extensions.raids.analysis.totals.tally import owning_player
from glassloop.extensions.raids.analysis.view import FightView, kind_mask
from glassloop.extensions.raids.fight_log import Flag, Kind

MAX_STEPS: Final = 60
STEP_MS: Final = 5000


class RaidRates(NamedTuple):
    """Damage to enemies and effective healing a second, in equal steps of `step_ms`."""

    step_ms: float
    dps: list[float]
    hps: list[float]


def raid_rates(view: FightView) -> RaidRates:
    """In steps of five seconds, longer ones where the fight is long."""
    steps = min(MAX_STEPS, max(2, view.length_ms // STEP_MS))
    width = max(view.length_ms, 1) / steps
    damage, healing = [0.0] * steps, [0.0] * steps
    log, friendly = view.log, [owning_player(index, view.actors) is not None for index in range(len(view.actors))]
    players = [actor.kind == "player" for actor in view.actors]
    source_hostile, target_hostile, heal = int(Flag.SOURCE_HOSTILE), int(Flag.TARGET_HOSTILE), int(Kind.HEAL)
    columns = zip(log.at, log.kind, log.source, log.target, log.flags, log.amount, log.extra, strict=True)
    mask = kind_mask(log, (Kind.DAMAGE, Kind.HEAL, Kind.ABSORB))
    known = len(friendly)
    for at, kind, source, target, flags, amount, extra in compress(columns, mask):
        if source >= known or not friendly[source] or flags & source_hostile:
            continue
        step = min(steps - 1, max(0, int(at / width)))
        if kind != Kind.DAMAGE:
            if not flags & target_hostile:
                healing[step] += amount - extra if kind == heal else amount
        elif flags & target_hostile and target < known and not players[target]:
            damage[step] += amount
    return RaidRates(width, [value * 1000 / width for value in damage], [value * 1000 / width for value in healing])
