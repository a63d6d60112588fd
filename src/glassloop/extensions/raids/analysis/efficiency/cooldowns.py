"""Use of major cooldowns: how often one was used beside how often it could have been.

What could have been is counted by playing the fight through: the cooldown is used whenever it is ready and the player
is alive. One that adds damage or healing also waits for the end of a downtime phase, and for time to be worth it.
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

import msgspec

from glassloop.extensions.raids.analysis.auras import aura_intervals, merged
from glassloop.extensions.raids.analysis.grades import COOLDOWN_USE
from glassloop.extensions.raids.analysis.phases import downtime_spans
from glassloop.extensions.raids.analysis.review.activity import overlap_ms
from glassloop.extensions.raids.analysis.view import FightView
from glassloop.extensions.raids.fight_log import Kind
from glassloop.extensions.raids.knowledge.facts import Cooldown
from glassloop.extensions.raids.records import RaidRecord

SHORT_COOLDOWN_S: Final = 180.0
"""Up to this one a late first use is a fault of the rotation; a longer one may be held for a phase."""
LONG_COOLDOWN_S: Final = 600.0
"""From this one on, one that was not used may have been spent on a fight before, or be kept for another."""
LATE_S: Final = 15.0
_SAME_USE_MS: Final = 1_500
"""The cast and the aura of a use, or two spells of one: counted once."""
_WORTH_USING_MS: Final = 10_000
"""With less than this left (or than it lasts), a use would have done little."""


class CooldownUse(RaidRecord, frozen=True, kw_only=True):
    """A cooldown of a player in a fight. Times are in ms."""

    cooldown: Cooldown
    uses: tuple[int, ...] = ()
    before_pull: bool = False
    """The first use was before the fight."""
    possible: int = 1
    held: int = 0
    """For how long it was ready, the player alive, and it was not used."""
    longest_hold: int = 0
    longest_hold_at: int = 0
    worn: bool = False
    """Of an item that the player wore at the start."""

    @property
    def percent(self) -> float:
        return min(100.0, 100 * len(self.uses) / self.possible)

    @property
    def below(self) -> bool:
        return COOLDOWN_USE.grade(self.percent) == "flagged"

    @property
    def flagged(self) -> bool:
        """Whether it was used too little: those that are kept for need are not."""
        return self.below and self.cooldown.kind == "throughput"

    @property
    def sure(self) -> bool:
        """Whether the player has it: talents and abilities of a race are known only by their use, items also by the
        gear."""
        return bool(self.uses) or self.worn or self.cooldown.source == "class"

    @property
    def ready(self) -> bool:
        """Whether it can be asked for in every fight, or was used in this one."""
        return bool(self.uses) or self.cooldown.cooldown_s < LONG_COOLDOWN_S

    @property
    def late(self) -> bool:
        """Whether the first use came late."""
        return bool(self.uses) and self.uses[0] > LATE_S * 1000


def cooldown_uses(view: FightView, player: int) -> list[CooldownUse]:
    """Of every major cooldown of the player's class and spec, of items that are worn, and of items and races that were
    used. Throughput first, then by how little they were used."""
    uses, effects = _uses_by_cooldown(view, player), _effects_of_gear(view, player)
    dead, downtime = view.dead_spans(player), downtime_spans(view)
    found = list[CooldownUse]()
    for number, cooldown in enumerate(view.knowledge.cooldowns):
        worn = not effects.isdisjoint(cooldown.spells)
        if not cooldown.major or not (number in uses or worn or _expected(view, player, cooldown)):
            continue
        away = merged([*dead, *downtime]) if cooldown.kind == "throughput" else dead
        use = _use(view, cooldown, uses.get(number, []), away)
        found.append(msgspec.structs.replace(use, worn=True) if worn else use)
    order = ("throughput", "defensive", "utility", "interrupt")
    return sorted(found, key=lambda use: (order.index(use.cooldown.kind), use.percent, use.cooldown.name))


def throughput_percent(uses: Sequence[CooldownUse]) -> float | None:
    """How much of what was possible was used of those that add damage or healing; None where there are none."""
    counted = [use for use in uses if use.cooldown.kind == "throughput" and use.sure and use.ready]
    return sum(use.percent for use in counted) / len(counted) if counted else None


def _effects_of_gear(view: FightView, player: int) -> set[int]:
    """Spells of the trinkets and weapons that the player wears, where the log tells the gear."""
    combatant = view.combatants.get(player)
    worn = {item.item_id for item in combatant.gear} if combatant is not None else set[int]()
    return {spell for one in view.knowledge.procs if not worn.isdisjoint(one.items) for spell in one.auras}


def _expected(view: FightView, player: int, cooldown: Cooldown) -> bool:
    if not cooldown.class_name or cooldown.class_name != view.class_of(player):
        return False
    performance = view.performances.get(player)
    spec = performance.spec if performance is not None else ""
    if cooldown.source == "talent" and not cooldown.specs:
        return False
    return not cooldown.specs or spec in cooldown.specs


def _uses_by_cooldown(view: FightView, player: int) -> dict[int, list[int]]:
    """Times of use by the cooldown's number; -1 is one before the fight."""
    by_spell = {spell: number for number, one in enumerate(view.knowledge.cooldowns) for spell in one.spells}
    log, uses = view.log, dict[int, list[int]]()
    for row in view.rows_of(player, {Kind.CAST}):
        number = by_spell.get(view.spell_id(log.spell[row]))
        if number is not None:
            uses.setdefault(number, []).append(min(max(log.at[row], 0), view.length_ms))
    for aura in aura_intervals(view, target=player, source=player, spell_ids=by_spell.keys()):
        # Some uses are logged by their aura only; a renewed one is no use.
        times = uses.setdefault(by_spell[aura.spell_id], [])
        at = -1 if aura.from_before else aura.begin
        if all(abs(at - other) > _SAME_USE_MS for other in times):
            times.append(at)
    return {number: _apart(sorted(times)) for number, times in uses.items()}


def _apart(times: list[int]) -> list[int]:
    kept = list[int]()
    for at in times:
        if not kept or at - kept[-1] > _SAME_USE_MS:
            kept.append(at)
    return kept


def _use(view: FightView, cooldown: Cooldown, times: Sequence[int], away: Sequence[tuple[int, int]]) -> CooldownUse:
    length = round(cooldown.cooldown_s * 1000)
    before = bool(times) and times[0] < 0
    holds = _holds([max(0, at) for at in times], length, away, view.length_ms)
    begin, longest = max(holds, key=lambda hold: hold[1], default=(0, 0))
    return CooldownUse(
        cooldown=cooldown,
        uses=tuple(max(0, at) for at in times),
        before_pull=before,
        possible=max(_possible(cooldown, away, view.length_ms), len(times), 1),
        held=sum(hold for _, hold in holds),
        longest_hold=longest,
        longest_hold_at=begin,
    )


def _possible(cooldown: Cooldown, away: Sequence[tuple[int, int]], end: int) -> int:
    length = max(1000, round(cooldown.cooldown_s * 1000))
    needed = min(round(cooldown.duration_s * 1000), _WORTH_USING_MS) if cooldown.kind == "throughput" else 0
    count, at = 0, _next_present(0, away)
    while at < end and (count == 0 or at + needed <= end):
        count += 1
        at = _next_present(at + length, away)
    return count


def _next_present(at: int, away: Sequence[tuple[int, int]]) -> int:
    for begin, end in away:
        if begin <= at < end:
            at = end
    return at


def _holds(uses: Sequence[int], length: int, away: Sequence[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """When it became ready and for how long it then waited, without the time away."""
    holds = list[tuple[int, int]]()
    ready = 0
    for at in [*uses, end]:
        if at > ready:
            holds.append((ready, at - ready - overlap_ms(ready, at, away)))
        ready = max(at + length, ready)
    return [hold for hold in holds if hold[1] > 0]


def ready_at(use: CooldownUse, at: int) -> bool:
    """Whether it was ready at that moment, by its uses before."""
    before = bisect_left(use.uses, at)
    return before == 0 or at - use.uses[before - 1] >= use.cooldown.cooldown_s * 1000
