"""Damage, healing, deaths and activity of players by phase of a fight."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from itertools import compress

from glassloop.extensions.raids.analysis.auras import without
from glassloop.extensions.raids.analysis.casts import busy_spans
from glassloop.extensions.raids.analysis.phases import PhaseSpan
from glassloop.extensions.raids.analysis.review.activity import overlap_ms
from glassloop.extensions.raids.analysis.totals.tally import owning_player
from glassloop.extensions.raids.analysis.view import FightView, kind_mask
from glassloop.extensions.raids.fight_log import Flag, Kind
from glassloop.extensions.raids.records import RaidRecord


class PhaseTotals(RaidRecord, frozen=True, kw_only=True):
    """One player in one phase. Rates are by the length of the phase, activity by the time alive in it."""

    player: int
    damage: int
    healing: int
    deaths: int
    busy_ms: int
    alive_ms: int

    @property
    def activity_percent(self) -> float:
        return min(100.0, 100 * self.busy_ms / self.alive_ms) if self.alive_ms > 0 else 0.0


def phase_totals(view: FightView, spans: Sequence[PhaseSpan], players: Sequence[int]) -> list[list[PhaseTotals]]:
    """For each span, every one of these players in their order. Counts as the fight's own sums do: damage to hostile
    creatures without overkill, effective healing with absorbs, pets with their owners."""
    owners = [owning_player(number, view.actors) for number in range(len(view.actors))]
    begins = [span.begin for span in spans]
    damage, healing = _damage(view, owners, begins), _healing(view, owners, begins)
    deaths = defaultdict[tuple[int, int], int](int)
    for death in view.record.deaths:
        if not death.feigned:
            deaths[_place(begins, death.at), death.actor] += 1
    dead = {player: view.dead_spans(player) for player in players}
    busy = {player: without(busy_spans(view, player), dead[player]) for player in players}
    return [
        [
            PhaseTotals(
                player=player,
                damage=damage[number, player],
                healing=healing[number, player],
                deaths=deaths[number, player],
                busy_ms=overlap_ms(span.begin, span.end, busy[player]),
                alive_ms=span.length_ms - overlap_ms(span.begin, span.end, dead[player]),
            )
            for player in players
        ]
        for number, span in enumerate(spans)
    ]


def _place(begins: Sequence[int], at: int) -> int:
    return max(0, bisect_right(begins, at) - 1)


def _damage(view: FightView, owners: Sequence[int | None], begins: Sequence[int]) -> dict[tuple[int, int], int]:
    log, sums = view.log, defaultdict[tuple[int, int], int](int)
    columns = zip(log.at, log.source, log.target, log.flags, log.amount, strict=True)
    hostile, wanted = int(Flag.TARGET_HOSTILE | Flag.SOURCE_HOSTILE), int(Flag.TARGET_HOSTILE)
    for at, source, target, flags, amount in compress(columns, kind_mask(log, (Kind.DAMAGE,))):
        if flags & hostile == wanted and source < len(owners) and not view.is_player(target):
            owner = owners[source]
            if owner is not None:
                sums[_place(begins, at), owner] += amount
    return sums


def _healing(view: FightView, owners: Sequence[int | None], begins: Sequence[int]) -> dict[tuple[int, int], int]:
    log, sums = view.log, defaultdict[tuple[int, int], int](int)
    hostile = int(Flag.TARGET_HOSTILE | Flag.SOURCE_HOSTILE)
    for kind in (Kind.HEAL, Kind.ABSORB):
        columns = zip(log.at, log.source, log.flags, log.amount, log.extra, strict=True)
        for at, source, flags, amount, extra in compress(columns, kind_mask(log, (kind,))):
            if not flags & hostile and source < len(owners) and (owner := owners[source]) is not None:
                # What `extra` holds of an absorb is the attacker.
                sums[_place(begins, at), owner] += amount - (extra if kind == Kind.HEAL else 0)
    return sums
